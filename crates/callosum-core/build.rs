//! Prepares the shipped rules: where each stands in their text, and an index of them, as Rust source for `rules/shipped.rs`.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::{Debug, Write as _};
use std::path::Path;
use std::{env, fs};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

#[path = "src/rules/index_builder.rs"]
mod index_builder;
#[expect(unreachable_pub, reason = "public in the crate it is of")]
#[path = "../callosum-shell/src/command/outline.rs"]
mod outline;
#[expect(dead_code, unreachable_pub, reason = "public in the crate it is of")]
#[path = "../callosum-shell/src/own_files.rs"]
mod own_files;
#[expect(dead_code, unreachable_pub, reason = "public in the crate it is of")]
#[path = "src/rules/words.rs"]
mod words;

use index_builder::{ByTool, Draft, Outline};

const RULES: &str = "../../tiers.json";
/// What no rules file changes: it stands before all others.
const STANDING: &str = "src/rules/standing.json";
/// Programs that work on this machine, with comments behind `#`.
const LOCAL_PROGRAMS: &str = "src/rules/local-programs.txt";

#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow)]
    rules: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    name: String,
    tier: u8,
    tool: Option<Texts>,
    tool_words: Option<Vec<Texts>>,
    command: Option<Texts>,
    http: Option<IgnoredAny>,
    recent_window_ms: Option<u64>,
    limit: Option<Limit>,
    #[serde(rename = "lockExpiryMs")]
    lease_ms: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Limit {
    window_ms: u64,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Texts {
    One(String),
    Many(Vec<String>),
}

impl Texts {
    fn all(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Many(texts) => texts,
        }
    }
}

/// What makes a name a glob.
const SIGNS: [char; 2] = ['*', '?'];
/// From this tier on calls are decided about.
const TRACKED: u8 = 2;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={RULES}");
    println!("cargo::rerun-if-changed={STANDING}");
    let (standing_text, shipped_text) = (fs::read_to_string(STANDING)?, fs::read_to_string(RULES)?);
    let standing: File<'_> = serde_json::from_str(&standing_text)?;
    let shipped: File<'_> = serde_json::from_str(&shipped_text)?;
    let count = standing.rules.len();
    let of = |text: &'_ str, raw: &RawValue| raw.get().as_ptr() as usize - text.as_ptr() as usize;
    let all = standing.rules.iter().map(|raw| (of(&standing_text, raw), *raw));
    let all = all.chain(shipped.rules.iter().map(|raw| (of(&shipped_text, raw), *raw)));
    let (mut rules, mut draft) = (String::new(), Draft::default());
    for (place, (from, raw)) in (0..).zip(all) {
        let rule: Rule = serde_json::from_str(raw.get())?;
        let to = from + raw.get().len();
        let (globs, names): (Vec<_>, Vec<_>) = rule
            .tool
            .as_ref()
            .map(Texts::all)
            .unwrap_or_default()
            .iter()
            .map(String::as_str)
            .partition(|tool| tool.contains(SIGNS));
        let Rule { name, recent_window_ms, limit, lease_ms, .. } = &rule;
        let window_ms = (*recent_window_ms).max(limit.as_ref().map(|limit| limit.window_ms));
        let ends: Vec<_> = globs.iter().filter_map(|glob| ends(glob)).collect();
        let shortest = ends.iter().map(|(from, to)| from.len().max(to.len())).min().unwrap_or(usize::MAX);
        writeln!(
            rules,
            "    Shipped {{ name: {name:?}, text: ({from}, {to}), window_ms: {}, lease_ms: {}, ends: &{ends:?}, \
             shortest: {shortest} }},",
            window_ms.unwrap_or(0),
            lease_ms.unwrap_or(0),
        )?;
        let patterns = rule.command.as_ref().map(Texts::all);
        let patterns = patterns.or_else(|| rule.http.map(|_| [].as_slice()));
        draft.add(
            place,
            &Outline {
                tools: names,
                words: match (&rule.tool, &rule.tool_words) {
                    (None, Some(groups)) => first_words(groups),
                    _ => Vec::new(),
                },
                has_globs: !globs.is_empty(),
                commands: patterns
                    .map(|texts| texts.iter().map(|text| outline::outline(text).collect()).collect()),
                is_tracked: rule.tier >= TRACKED,
                hiding: outline::HIDING,
                verb: outline::VERB,
            },
        );
    }
    println!("cargo::rerun-if-changed={LOCAL_PROGRAMS}");
    let programs = fs::read_to_string(LOCAL_PROGRAMS)?;
    let named =
        programs.lines().flat_map(|line| line.split('#').next().unwrap_or_default().split_whitespace());
    let local: BTreeMap<&str, String> = named.map(|program| (program, String::new())).collect();
    let local = format!("static LOCAL: Table = {};\n", table(&local));
    fs::write(Path::new(&env::var("OUT_DIR")?).join("local_programs.rs"), local)?;
    let words = draft.words().map(|(word, list)| (word.to_owned(), list)).collect();
    let always = draft.always;
    let source = format!(
        "/// How many of them are standing ones: the first.
pub(super) const STANDING: usize = {count};
/// All, in order.
pub(super) static RULES: &[Shipped] = &[
{rules}];
/// The index of them.
pub(super) fn index() -> Index {{
    Index {{
        for_calls: {},
        for_commands: {},
        said: {},
        first_said: {},
        said_shapes: {},
        programs: {},
        any_program: {},
        words: {},
        shapes: {},
        always: {always},
    }}
}}
",
        by_tool(&draft.for_calls),
        by_tool(&draft.for_commands),
        lists(&draft.said),
        draft.first_said(),
        list(&draft.said_shapes()),
        lists(&draft.programs),
        list(&draft.any_program),
        lists(&words),
        list(&draft.shapes()),
    );
    fs::write(Path::new(&env::var("OUT_DIR")?).join("shipped_rules.rs"), source)?;
    Ok(())
}

/// The texts before the first and behind the last sign of a glob.
fn ends(glob: &str) -> Option<(String, String)> {
    let folded = index_builder::folded_tool(glob);
    Some((folded.split(SIGNS).next()?.to_owned(), folded.rsplit(SIGNS).next()?.to_owned()))
}

/// The words by one of which a rule is found.
fn first_words(groups: &[Texts]) -> Vec<String> {
    let first = groups.first().map(Texts::all).unwrap_or_default();
    first.iter().map(|word| index_builder::said_word(word)).collect()
}

fn by_tool(by_tool: &ByTool) -> String {
    format!("ByTool {{ named: {}, globs: {} }}", lists(&by_tool.named), list(&by_tool.globs))
}

fn list(numbers: &[impl Debug]) -> String {
    format!("Cow::Borrowed(&{numbers:?})")
}

fn lists(lists: &BTreeMap<String, Vec<u32>>) -> String {
    let told = |list: &Vec<u32>| list.iter().map(|number| format!("{number},")).collect();
    let lists = lists.iter().map(|(name, list)| (name.as_str(), told(list))).collect();
    format!("{{ static LISTS: Table = {}; Lists::Shipped(&LISTS) }}", table(&lists))
}

/// A `Table` of names and their lists.
fn table(lists: &BTreeMap<&str, String>) -> String {
    // Half of the slots are free, so that a name that is not there is soon known for that.
    let mut slots = vec![0; (lists.len() * 2).next_power_of_two()];
    for (place, name) in lists.keys().enumerate() {
        let first = index_builder::slot(name, slots.len());
        let (wrapped, behind) = slots.split_at_mut(first);
        if let Some(free) = behind.iter_mut().chain(wrapped).find(|slot| **slot == 0) {
            *free = place + 1;
        }
    }
    let entries: String =
        lists.iter().map(|(name, list)| format!("Entry {{ name: {name:?}, list: &[{list}] }},")).collect();
    format!("Table {{ slots: &{slots:?}, entries: &[{entries}] }}")
}
