//! Our entries in a runtime's settings: put in, and taken out. One step at a time, each on the text that the last one left.

use std::cmp::Reverse;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::{Range, Ranged};
use serde::Serialize;

use super::entry::{Entry, TAG, mark};
use super::json_text::{self, Container, Misfit, parse, with_object};
use crate::runtime::Runtime;

/// What the settings are once `entries` are in them. The same text when they are already.
///
/// # Errors
/// Where the text is not what the runtime reads.
pub fn put_in(text: &str, runtime: Runtime, entries: &[(&str, Entry)]) -> Result<String, Misfit> {
    edit(text, runtime, |text| next_addition(text, runtime, entries))
}

/// What the settings are without any entry of ours, of whatever version.
///
/// # Errors
/// Where the text is not what the runtime reads.
pub fn taken_out(text: &str, runtime: Runtime) -> Result<String, Misfit> {
    edit(text, runtime, |text| {
        let Some(settings) = Settings::read(text, runtime)? else { return Ok(None) };
        Ok(settings.own_entries().first().map(|own| settings.without(own, &mark(runtime))))
    })
}

/// An event, and what of our entry there is not as `put_in` would leave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amiss {
    /// There is none.
    Missing,
    /// It is another.
    Different,
    /// None belongs there, or not one more.
    Needless,
}

/// The commands of our entries as they stand, by event.
///
/// # Errors
/// Where the text is not what the runtime reads.
pub fn commands(text: &str, runtime: Runtime) -> Result<Vec<(String, String)>, Misfit> {
    let (_, json) = without_mark(text, runtime);
    let Some(settings) = Settings::read(json, runtime)? else { return Ok(Vec::new()) };
    let mark = mark(runtime);
    let own = settings.own_entries();
    Ok(own.iter().map(|own| (own.event().to_owned(), own.command(&mark).to_owned())).collect())
}

/// Where the settings are not what [`put_in`] would make of them.
///
/// # Errors
/// Where the text is not what the runtime reads.
pub fn amiss(
    text: &str,
    runtime: Runtime,
    entries: &[(&str, Entry)],
) -> Result<Vec<(String, Amiss)>, Misfit> {
    let (_, json) = without_mark(text, runtime);
    let settings = Settings::read(json, runtime)?;
    let own_entries = settings.as_ref().map(Settings::own_entries).unwrap_or_default();
    let mark = mark(runtime);
    let mut amiss = Vec::new();
    for (event, entry) in entries {
        match own_entries.iter().find(|own| own.event() == *event) {
            None => amiss.push(((*event).to_owned(), Amiss::Missing)),
            Some(own) if !own.runs(entry, &mark) => amiss.push(((*event).to_owned(), Amiss::Different)),
            Some(_) => {}
        }
    }
    for (number, own) in own_entries.iter().enumerate() {
        let is_known = entries.iter().any(|(event, _)| *event == own.event());
        if !is_known || own_entries.iter().take(number).any(|earlier| earlier.event() == own.event()) {
            amiss.push((own.event().to_owned(), Amiss::Needless));
        }
    }
    Ok(amiss)
}

/// The settings as a value; null when they hold none.
///
/// # Errors
/// Where the text is not what the runtime reads.
pub fn value(text: &str, runtime: Runtime) -> Result<serde_json::Value, Misfit> {
    let (_, json) = without_mark(text, runtime);
    let value = parse(json, runtime.facts().place.takes_comments)?;
    Ok(value.map(Into::into).unwrap_or_default())
}

/// The settings for who looks at what changes: secrets may be anywhere in them, so of the values only ours are shown.
///
/// # Errors
/// Where the text is not what the runtime reads.
pub fn masked(text: &str, runtime: Runtime) -> Result<String, Misfit> {
    let (order_mark, json) = without_mark(text, runtime);
    let settings = Settings::read(json, runtime)?;
    let own_entries = settings.as_ref().map(Settings::own_entries).unwrap_or_default();
    let ours: Vec<Range> = own_entries.iter().flat_map(|own| own.values(&mark(runtime))).collect();
    Ok(order_mark.to_owned() + &json_text::masked(json, runtime.facts().place.takes_comments, &ours)?)
}

fn edit(
    text: &str,
    runtime: Runtime,
    step: impl Fn(&str) -> Result<Option<String>, Misfit>,
) -> Result<String, Misfit> {
    let (mark, json) = without_mark(text, runtime);
    let mut edited = json.to_owned();
    while let Some(next) = step(&edited)? {
        edited = next;
    }
    Ok(mark.to_owned() + &edited)
}

/// The byte order mark that some editors begin a file with, and the rest. Who takes no comments takes no mark either.
fn without_mark(text: &str, runtime: Runtime) -> (&str, &str) {
    let mark = '\u{feff}'.len_utf8();
    let marked = text.starts_with('\u{feff}') && runtime.facts().place.takes_comments;
    text.split_at(if marked { mark } else { 0 })
}

fn next_addition(text: &str, runtime: Runtime, entries: &[(&str, Entry)]) -> Result<Option<String>, Misfit> {
    let Some(settings) = Settings::read(text, runtime)? else { return Ok(Some(with_object(text))) };
    let mark = mark(runtime);
    let own_entries = settings.own_entries();
    for (number, own) in own_entries.iter().enumerate() {
        let first = !own_entries.iter().take(number).any(|earlier| earlier.event() == own.event());
        let wanted = entries.iter().find(|(event, _)| first && *event == own.event());
        match wanted {
            Some((_, entry)) if own.runs(entry, &mark) => {}
            Some((_, entry)) if !own.is_shared(&mark) => return Ok(Some(own.replaced(text, entry))),
            _ => return Ok(Some(settings.without(own, &mark))),
        }
    }
    let root = Container::new(text, &settings.root);
    let Some(hooks) = settings.hooks() else {
        return Ok(root.map(|root| root.append(Some("hooks"), &Empty::Object {})));
    };
    let missing = entries.iter().find(|(event, _)| !own_entries.iter().any(|own| own.event() == *event));
    let Some((event, entry)) = missing else { return Ok(None) };
    let of_event: Vec<_> = hooks.properties.iter().filter(|list| list.name.as_str() == *event).collect();
    match of_event.as_slice() {
        [] => {
            let hooks = Container::new(text, &Value::Object(hooks.clone()));
            Ok(hooks.map(|hooks| hooks.append(Some(event), &Empty::Array())))
        }
        [one] if one.value.as_array().is_some() => {
            Ok(Container::new(text, &one.value).map(|list| list.append(None, entry)))
        }
        [one] => Err(Misfit::at(text, one.value.start(), format!("`hooks.{event}` is not a list of hooks"))),
        [_, second, ..] => Err(Misfit::at(text, second.start(), format!("`hooks.{event}` occurs twice"))),
    }
}

/// An empty container, to be filled by the next steps.
#[derive(Serialize)]
#[serde(untagged)]
enum Empty {
    Object {},
    Array(),
}

/// Settings that may hold hooks.
struct Settings<'t> {
    text: &'t str,
    root: Value<'t>,
}

/// One of our entries, and where it stands.
struct Own<'s, 't> {
    of_event: &'s ObjectProp<'t>,
    list: &'s Array<'t>,
    number: usize,
    entry: &'s Object<'t>,
}

impl<'t> Settings<'t> {
    /// `None` when there is nothing in them.
    fn read(text: &'t str, runtime: Runtime) -> Result<Option<Self>, Misfit> {
        let Some(root) = parse(text, runtime.facts().place.takes_comments)? else { return Ok(None) };
        let Value::Object(object) = &root else {
            return Err(Misfit::at(text, root.start(), "the settings are not a JSON object"));
        };
        let mut hooks = object.properties.iter().filter(|property| property.name.as_str() == "hooks");
        if let Some(one) = hooks.next().filter(|one| one.value.as_object().is_none()) {
            return Err(Misfit::at(text, one.value.start(), "`hooks` is not a JSON object"));
        }
        if let Some(second) = hooks.next() {
            return Err(Misfit::at(text, second.start(), "`hooks` occurs twice"));
        }
        Ok(Some(Self { text, root }))
    }

    fn hooks(&self) -> Option<&Object<'t>> {
        self.root.as_object().and_then(|root| root.get_object("hooks"))
    }

    fn own_entries(&self) -> Vec<Own<'_, 't>> {
        let of_events = self.hooks().map(|hooks| hooks.properties.as_slice()).unwrap_or_default();
        let lists = of_events.iter().filter_map(|of_event| Some((of_event, of_event.value.as_array()?)));
        let entries = lists.flat_map(|(of_event, list)| {
            let elements = list.elements.iter().enumerate();
            elements.filter_map(move |(number, element)| {
                let entry = element.as_object().filter(|entry| entry.get(TAG).is_some())?;
                Some(Own { of_event, list, number, entry })
            })
        });
        entries.collect()
    }

    /// The text without this entry, and without the lists that are empty then. Of an entry that somebody else put a hook into,
    /// only what is ours goes.
    fn without(&self, own: &Own<'_, 't>, mark: &str) -> String {
        if own.is_shared(mark) {
            return own.disowned(self.text, mark);
        }
        let innermost = (Container::new(self.text, &Value::Array(own.list.clone())), own.number);
        let in_hooks = self.hooks().map(|hooks| {
            let number = hooks.properties.iter().position(|property| property.range == own.of_event.range);
            (Container::new(self.text, &Value::Object(hooks.clone())), number.unwrap_or_default())
        });
        let in_root = self.root.as_object().map(|root| {
            let number = root.properties.iter().position(|property| property.name.as_str() == "hooks");
            (Container::new(self.text, &self.root), number.unwrap_or_default())
        });
        let mut without = None;
        for (container, number) in [Some(innermost), in_hooks, in_root].into_iter().flatten() {
            let Some(container) = container else { break };
            without = Some(container.without(number));
            if !container.holds_only(number) {
                break;
            }
        }
        without.unwrap_or_else(|| self.text.to_owned())
    }
}

impl Own<'_, '_> {
    fn event(&self) -> &str {
        self.of_event.name.as_str()
    }

    fn handlers(&self) -> &[Value<'_>] {
        self.entry.get_array("hooks").map(|hooks| hooks.elements.as_slice()).unwrap_or_default()
    }

    fn own_handler(&self, mark: &str) -> Option<usize> {
        self.handlers().iter().position(|handler| is_own(handler, mark))
    }

    /// The command of our hook in it; empty when it has none.
    fn command(&self, mark: &str) -> &str {
        let handler = self.handlers().get(self.own_handler(mark).unwrap_or_default());
        let command = handler.and_then(Value::as_object).and_then(|handler| handler.get_string("command"));
        command.map(|command| command.value.as_ref()).unwrap_or_default()
    }

    /// Where the values stand that `put_in` writes.
    fn values(&self, mark: &str) -> Vec<Range> {
        let handler = self.own_handler(mark).and_then(|number| self.handlers().get(number)?.as_object());
        let ours = ["matcher", TAG].map(|name| self.entry.get(name)).into_iter();
        let in_handler = ["type", "command", "timeout"].map(|name| handler?.get(name));
        ours.chain(in_handler).flatten().map(|property| property.value.range()).collect()
    }

    /// Whether others' hooks are in it too: some installers put theirs to what has the same matcher. A hook that stands alone is
    /// ours, whatever it runs.
    fn is_shared(&self, mark: &str) -> bool {
        self.handlers().len() > 1 && self.handlers().iter().any(|handler| !is_own(handler, mark))
    }

    /// Whether it does already what `entry` would.
    fn runs(&self, entry: &Entry, mark: &str) -> bool {
        let wanted = serde_json::to_value(entry).unwrap_or_default();
        let is = serde_json::Value::from(Value::Object(self.entry.clone()));
        if !self.is_shared(mark) {
            return is == wanted;
        }
        let ours = self.own_handler(mark).and_then(|number| is.get("hooks")?.get(number));
        ours.is_some() && ours == wanted.pointer("/hooks/0") && is.get("matcher") == wanted.get("matcher")
    }

    fn replaced(&self, text: &str, entry: &Entry) -> String {
        let list = Container::new(text, &Value::Array(self.list.clone()));
        list.map_or_else(|| text.to_owned(), |list| list.with_element(self.number, entry))
    }

    /// The text with this entry left to the others: neither our hook nor our tag is in it.
    fn disowned(&self, text: &str, mark: &str) -> String {
        let tag =
            self.entry.properties.iter().enumerate().find(|(_, property)| property.name.as_str() == TAG);
        let tag = tag.map(|(number, tag)| (tag.start(), Value::Object(self.entry.clone()), number));
        let handler = self.own_handler(mark).zip(self.entry.get_array("hooks"));
        let handler = handler.map(|(number, hooks)| (hooks.start(), Value::Array(hooks.clone()), number));
        // From behind: what stands before the first edit is still where it was for the second.
        let mut edits: Vec<_> = tag.into_iter().chain(handler).collect();
        edits.sort_by_key(|(start, ..)| Reverse(*start));
        edits.iter().fold(text.to_owned(), |text, (_, container, number)| {
            Container::new(&text, container).map(|it| it.without(*number)).unwrap_or(text)
        })
    }
}

fn is_own(handler: &Value<'_>, mark: &str) -> bool {
    let command = handler.as_object().and_then(|handler| handler.get_string("command"));
    command.is_some_and(|command| command.value.contains(mark))
}

#[cfg(test)]
mod tests;
