//! Single values out of YAML files. Aliases are not followed, so a file costs what it is long.

use saphyr_parser::{Event, Parser};

/// So deep a file may be nested.
const MAX_DEPTH: usize = 32;

/// Goes through the first document of `text`, and tells `see` each plain value with where it stands: keys of maps, and
/// `#0`, `#1` … for the entries of lists. `None` for what is no YAML.
pub(crate) fn walk(text: &str, see: &mut dyn FnMut(&[String], &str)) -> Option<()> {
    let mut path: Vec<String> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, _) = event.ok()?;
        match event {
            Event::DocumentEnd => return Some(()),
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                if let Some(top) = open.last_mut()
                    && !top.begins_value(None, &mut path)
                {
                    return None;
                }
                if open.len() == MAX_DEPTH {
                    return None;
                }
                let is_map = matches!(event, Event::MappingStart(..));
                open.push(if is_map { Open::Map { key: false } } else { Open::List { next: 0 } });
            }
            Event::MappingEnd | Event::SequenceEnd => {
                open.pop();
                if let Some(top) = open.last_mut() {
                    top.ends_value(&mut path);
                }
            }
            Event::Scalar(ref value, ..) => {
                let Some(top) = open.last_mut() else { return Some(()) };
                if top.begins_value(Some(value), &mut path) {
                    see(&path, value);
                    top.ends_value(&mut path);
                }
            }
            Event::Alias(_) => {
                let top = open.last_mut()?;
                if top.begins_value(Some("*"), &mut path) {
                    top.ends_value(&mut path);
                }
            }
            _ => {}
        }
    }
    Some(())
}

enum Open {
    /// Whether a key was read, whose value comes now.
    Map { key: bool },
    /// The number of the next entry.
    List { next: usize },
}

impl Open {
    /// Whether what comes now is a value; a key of a map is none. `scalar` is what comes, if it is a plain one.
    fn begins_value(&mut self, scalar: Option<&str>, path: &mut Vec<String>) -> bool {
        match self {
            Self::Map { key: key @ false } => {
                *key = true;
                path.push(scalar.unwrap_or("?").to_owned());
                // A map or list as a key is nothing that is looked for.
                false
            }
            Self::Map { .. } => true,
            Self::List { next } => {
                path.push(format!("#{next}"));
                *next += 1;
                true
            }
        }
    }

    fn ends_value(&mut self, path: &mut Vec<String>) {
        path.pop();
        if let Self::Map { key } = self {
            *key = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<String> {
        let mut seen = Vec::new();
        let _ = walk(text, &mut |path, value| seen.push(format!("{}={value}", path.join("."))));
        seen
    }

    #[test]
    fn values_stand_where_they_are() {
        let text = "a: &q 1\nb:\n  - x: y\n    z: *q\n  - two\nc: {d: [], e: 'f g'}\n---\nh: 2\n";
        assert_eq!(seen(text), ["a=1", "b.#0.x=y", "b.#1=two", "c.e=f g"]);
        assert_eq!(seen(r#"{"current-context": "x"}"#), ["current-context=x"]);
        assert_eq!(seen("plain"), [""; 0]);
    }

    #[test]
    fn bombs_and_depth_end() {
        let bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n";
        assert_eq!(seen(bomb), ["a.#0=x", "a.#1=x"]);
        assert_eq!(seen(&"[".repeat(1000)), [""; 0]);
    }
}
