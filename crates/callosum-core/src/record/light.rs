//! The line of a tier 0 or 1 call: nearly every call writes one, and no decision reads any. It has the fields
//! of a [`Record`](super::record::Record) in the same order, but borrows them all, and is recognised by how
//! it begins.

use std::collections::BTreeMap;

use serde_json::Error;

use crate::model::tier::Tier;
use crate::model::time::Stamp;

use crate::record::HookCounts;
use crate::record::codec::{LineReader, LineWriter};
use crate::record::own::hook_counts;

/// How such a line begins: the field order of a record makes it so.
const PREFIXES: [&[u8]; 2] =
    [br#"{"v":1,"action":"intercept","tier":0,"#, br#"{"v":1,"action":"intercept","tier":1,"#];

/// How one ends that carries hook counts: with them, and nothing else of such a line ends so.
const COUNTED_END: &[u8] = b"}}}";

/// How the fields begin that [`SeenCounts`] wants.
const TIMESTAMP: &str = r#""timestamp":"#;
const RUNTIME: &str = r#","runtime":"#;
const SEEN: &str = r#","seen":"#;

/// Whether a line, without its newline, is a whole one of tier 0 or 1, and carries no counts.
pub(crate) fn is_light(line: &[u8]) -> bool {
    PREFIXES.iter().any(|prefix| line.starts_with(prefix))
        && line.ends_with(b"}")
        && !line.ends_with(COUNTED_END)
}

/// The hook counts of a line of tier 0 or 1.
#[derive(Debug, PartialEq, Eq)]
pub struct SeenCounts {
    /// The agent runtime.
    pub runtime: String,
    /// By tool.
    pub seen: BTreeMap<String, HookCounts>,
    /// When they were written, wall-clock milliseconds.
    pub wall_ms: i64,
}

impl SeenCounts {
    /// Reads them from a line, without its newline: where every call is a process of its own, each reads those that came
    /// since the index, so only what is wanted is looked at. `None` for any other line, and for one that has to be read whole.
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        if !line.ends_with(COUNTED_END) {
            return None;
        }
        let rest = PREFIXES.iter().find_map(|prefix| line.strip_prefix(*prefix))?;
        // In a text every quotation mark has a backslash before it, so these are fields.
        let is_field =
            |at: &usize, field: &str| rest.get(*at..).is_some_and(|rest| rest.starts_with(field.as_bytes()));
        let runtime = memchr::memchr_iter(b',', rest).find(|at| is_field(at, RUNTIME))?;
        let seen = memchr::memrchr_iter(b',', rest).find(|at| is_field(at, SEEN))?;
        let wall_ms = LineReader::new(rest.get(..runtime)?)?.maybe(TIMESTAMP, LineReader::moment)??;
        let runtime = LineReader::new(rest.get(runtime..seen)?)?.maybe(RUNTIME, LineReader::string)??;
        let mut end = LineReader::new(rest.get(seen..)?)?;
        let seen = end.maybe(SEEN, hook_counts)??;
        end.is_at_end().then_some(Self { runtime, seen, wall_ms })
    }
}

/// A tier 0 or 1 call as it is written. Begin with [`LightLine::at`].
#[derive(Clone, Debug)]
pub struct LightLine<'a> {
    /// Tier 0 or 1.
    pub tier: Tier,
    pub(crate) timestamp: i64,
    pub(crate) up: Option<u64>,
    pub(crate) boot: Option<u32>,
    /// The gate's instance.
    pub instance: &'a str,
    /// The agent runtime.
    pub runtime: &'a str,
    /// The agent.
    pub agent: Option<&'a str>,
    /// The session.
    pub session: &'a str,
    /// The run.
    pub run: Option<&'a str>,
    /// The host's call id.
    pub call: Option<&'a str>,
    /// The tool as the host named it.
    pub tool: &'a str,
    /// The rule that classified the call.
    pub rule_name: Option<&'a str>,
    /// The resources it acts on.
    pub context_keys: &'a [String],
    /// Of a command, its first line.
    pub params: Option<&'a str>,
    /// Hook counts by tool, of a hook's process.
    pub seen: BTreeMap<String, HookCounts>,
}

impl LightLine<'_> {
    /// A line of tier 0 at `now`, with no other field set.
    #[must_use]
    pub fn at(now: &Stamp) -> Self {
        Self {
            tier: Tier::None,
            timestamp: now.wall_ms,
            up: now.boot.map(|_| now.up_ms),
            boot: now.boot,
            instance: "",
            runtime: "",
            agent: None,
            session: "",
            run: None,
            call: None,
            tool: "",
            rule_name: None,
            context_keys: &[],
            params: None,
            seen: BTreeMap::new(),
        }
    }

    /// As bytes, newline included.
    ///
    /// # Errors
    /// When a field can't be written as JSON; none of ours can't.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let mut line = LineWriter::new();
        let [none, low] = PREFIXES;
        line.raw(if self.tier == Tier::None { none } else { low });
        line.maybe_moment(br#""timestamp":"#, Some(self.timestamp));
        line.maybe(br#","up":"#, self.up)?;
        line.maybe_boot(br#","boot":"#, self.boot);
        line.text(br#","instance":"#, self.instance)?;
        line.text(br#","runtime":"#, self.runtime)?;
        line.maybe_text(br#","agent":"#, self.agent)?;
        line.text(br#","session":"#, self.session)?;
        line.maybe_text(br#","run":"#, self.run)?;
        line.maybe_text(br#","call":"#, self.call)?;
        line.text(br#","tool":"#, self.tool)?;
        line.maybe_text(br#","ruleName":"#, self.rule_name)?;
        line.texts(br#","contextKeys":"#, self.context_keys)?;
        line.maybe_text(br#","params":"#, self.params)?;
        line.maybe(br#","seen":"#, (!self.seen.is_empty()).then_some(&self.seen))?;
        Ok(line.finish())
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::record::{Action, Record};

    #[test]
    fn it_is_written_as_the_record_of_the_same_call() {
        let at = Stamp { wall_ms: 1_763_640_000_123, up_ms: 5_000, boot: Some(0xab) };
        let counted = BTreeMap::from([("read".to_owned(), HookCounts { before: 1, after: 0 })]);
        for (tier, rest, seen) in [
            (Tier::None, false, None),
            (Tier::Low, true, None),
            (Tier::None, false, Some(&counted)),
            (Tier::Low, true, Some(&counted)),
        ] {
            let some = |text| rest.then_some(text);
            let keys: Vec<String> = some("file:/tmp/\"x\"\n").map(str::to_owned).into_iter().collect();
            let call = LightLine {
                tier,
                instance: "doug",
                runtime: "openclaw",
                agent: some("main"),
                session: "agent:main:main",
                run: some("r"),
                call: some("c"),
                tool: "read",
                rule_name: some("reads"),
                context_keys: &keys,
                params: some("{\"command\":\"ls\"}"),
                seen: seen.cloned().unwrap_or_default(),
                ..LightLine::at(&at)
            };
            let mut record = Record::new(Action::Intercept, "doug", &at);
            let owned = |text: Option<&str>| text.map(str::to_owned);
            record.tier = Some(tier);
            record.runtime = Some("openclaw".to_owned());
            record.session = Some("agent:main:main".to_owned());
            record.tool = Some("read".to_owned());
            record.agent = owned(call.agent);
            record.run = owned(call.run);
            record.call = owned(call.call);
            record.rule_name = owned(call.rule_name);
            record.context_keys.clone_from(&keys);
            record.params = owned(call.params);
            record.seen.clone_from(&call.seen);
            let line = call.to_bytes().unwrap();
            assert_eq!(line, record.to_line().unwrap());
            let line = line.strip_suffix(b"\n").unwrap();
            assert_eq!(is_light(line), seen.is_none());
            let (runtime, wall_ms) = ("openclaw".to_owned(), at.wall_ms);
            assert_eq!(
                SeenCounts::read(line),
                seen.map(|seen| SeenCounts { runtime, seen: seen.clone(), wall_ms })
            );
        }
    }

    /// Whatever the texts of a line say, its counts are read right, or the line is left to who reads it whole.
    #[test]
    fn counts_are_those_of_the_whole_line() {
        let at = Stamp { wall_ms: 1_763_640_000_123, up_ms: 5_000, boot: Some(0xab) };
        let mischief = r#"a","runtime":"b","seen":{"c":{"before":9}}}}\"#;
        let mut read = 0;
        for (runtime, text, tool) in [
            ("codex", "a", "exec"),
            ("codex", mischief, "exec"),
            ("codex", "a", mischief),
            ("codex", "a", "seen"),
            (mischief, "a", "exec"),
            ("", "", ""),
        ] {
            for others in [&[][..], &["read"], &["seen", "runtime"]] {
                let counts = HookCounts { before: 3, after: 2 };
                let tools = others.iter().chain([&tool]);
                let seen: BTreeMap<_, _> = tools.map(|tool| ((*tool).to_owned(), counts)).collect();
                let call = LightLine {
                    tier: Tier::Low,
                    instance: text,
                    runtime,
                    session: text,
                    tool,
                    context_keys: &[text.to_owned()],
                    params: Some(text),
                    seen: seen.clone(),
                    ..LightLine::at(&at)
                };
                let line = call.to_bytes().unwrap();
                let line = line.strip_suffix(b"\n").unwrap();
                let whole: Record = serde_json::from_slice(line).unwrap();
                assert_eq!((whole.runtime.as_deref(), &whole.seen), (Some(runtime), &seen));
                if let Some(counted) = SeenCounts::read(line) {
                    let expected = SeenCounts { runtime: runtime.to_owned(), seen, wall_ms: at.wall_ms };
                    assert_eq!(counted, expected);
                    read += 1;
                }
                for end in 0..line.len() {
                    assert_eq!(SeenCounts::read(line.get(..end).unwrap()), None);
                }
            }
        }
        assert_eq!(read, 11);
    }
}
