//! Whether a rule is for a tool or a program at all, whatever the rest of a call says.

use callosum_shell::command::outline;
use callosum_shell::glob::covers;
use callosum_shell::{Head, heads};

use super::compile::{Rule, ToolName, compared_tool};
use super::layer::Part;
use super::question::Question;
use super::rule_set::RuleSet;
use super::typed::SHELL;
use super::unknown::is_local;
use super::watch::Looked;
use super::words::is_strong_verb;

/// Programs of one line that are told.
const MAX_PROGRAMS: usize = 8;
/// Bytes of a program's name.
const MAX_NAME: usize = 64;
/// And its digits.
const MAX_DIGITS: usize = 4;

/// Whether the calls of a tool, as its host names it, are shell lines.
#[must_use]
pub fn is_shell(tool: &str) -> bool {
    compared_tool(tool) == SHELL
}

/// What is told of the word behind a program.
fn told_verb(word: &str) -> Option<String> {
    let verb = word.split(['-', '_', ':', '.']).next().unwrap_or_default();
    let behind = word.get(verb.len()..)?.chars().next();
    is_strong_verb(verb).then(|| behind.map_or_else(|| verb.to_owned(), |sign| format!("{verb}{sign}*")))
}

/// Whether a text is told as the name of a program: in small letters, as programs' names are, with few digits, as those of secrets are not.
pub(super) fn is_program_name(name: &str) -> bool {
    name.len() <= MAX_NAME
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._+-".contains(&byte))
        && name.bytes().filter(u8::is_ascii_digit).count() <= MAX_DIGITS
}

impl Question<'_> {
    /// Notes the programs of a shell's line that no rule names, where that is wanted.
    pub(super) fn note_uncovered(&self, line: &Looked<'_>) {
        if let Some(uncovered) = self.outlook.uncovered()
            && self.is_own
            && self.tool.neutral == SHELL
        {
            // What comes behind the program of the only command need not be looked at.
            let most = if line.may_have_several() { usize::MAX } else { 1 };
            uncovered.borrow_mut().extend(self.rules.uncovered_of(heads(line.text).take(most)));
        }
    }
}

impl RuleSet {
    /// The programs that a shell line seems to run, that are none of this machine's everyday ones, and that no rule names, at most eight:
    /// each by its name without a folder, and by the first word behind it where that is a strong verb, or begins with one (`acme deploy`,
    /// `acme send-*`). Never anything else of the line.
    pub fn uncovered_in(&self, line: &str) -> impl Iterator<Item = String> {
        self.uncovered_of(heads(line))
    }

    fn uncovered_of<'l>(&self, heads: impl Iterator<Item = Head<'l>>) -> impl Iterator<Item = String> {
        let told = heads.filter_map(|head| {
            // Names are short: a search takes longer to make ready.
            let folder = head.program.bytes().rposition(|byte| byte == b'/');
            let program = folder.map_or(head.program, |at| head.program.get(at + 1..).unwrap_or_default());
            let is_told = !is_local(program) && !self.ships_rules_for(program) && is_program_name(program);
            is_told.then(|| match head.word().and_then(told_verb) {
                Some(verb) => format!("{program} {verb}"),
                None => program.to_owned(),
            })
        });
        told.filter(|program| !self.covers_program(program)).take(MAX_PROGRAMS)
    }

    /// Whether the shipped rules know this program. They say which of its commands matter, so it is covered whatever its command.
    fn ships_rules_for(&self, program: &str) -> bool {
        self.parts.iter().any(|part| part.is_shipped() && part.index.names_program(program))
    }

    /// Whether a rule names this tool, or the words of its name, for all its calls or for some of them. A rule that is only for calls
    /// that are given some files, or an id, does not count, nor a standing one.
    #[must_use]
    pub fn covers_tool(&self, tool: &str) -> bool {
        self.names_tool(tool, |rule| !rule.asks_for_what_is_given())
    }

    /// Whether a rule names this tool for those of its calls that name what they act on by an id.
    #[must_use]
    pub fn covers_tool_by_id(&self, tool: &str) -> bool {
        self.names_tool(tool, |rule| rule.asks_for_an_id() && rule.tier.is_tracked())
    }

    fn names_tool(&self, tool: &str, counts: impl Fn(&Rule) -> bool) -> bool {
        let name = ToolName::of(tool);
        self.parts.iter().any(|part| {
            let (calls, commands) =
                (part.index.for_calls(&name.neutral), part.index.for_commands(&name.neutral));
            let said = part.index.said_in(&name, || None, usize::MAX);
            let all = calls.iter().chain(commands.iter()).chain(said);
            // What only keeps calls from the gate's own files says nothing of the tool.
            all.filter(|candidate| candidate.place >= part.standing).any(|candidate| {
                part.rule(candidate.place)
                    .is_some_and(|rule| rule.names_tool(candidate, &name) && counts(rule))
            })
        })
    }

    /// Whether a rule names this program, as [`RuleSet::uncovered_in`] tells it.
    #[must_use]
    pub fn covers_program(&self, seen: &str) -> bool {
        let (program, verb) =
            seen.split_once(' ').map_or((seen, None), |(program, verb)| (program, Some(verb)));
        self.ships_rules_for(program)
            || self
                .parts
                .iter()
                .filter(|part| !part.is_shipped())
                .any(|part| part.names_program(program, verb))
    }
}

impl Part {
    fn names_program(&self, program: &str, verb: Option<&str>) -> bool {
        let is_one = |names: &str, name: &str| names.split('|').any(|one| one != "*" && covers(one, name));
        let names = |text: &str| {
            let mut words = outline(text);
            let is_named = words.next().is_some_and(|programs| is_one(programs, program));
            is_named && verb.zip(words.next()).is_none_or(|(verb, verbs)| is_one(verbs, verb))
        };
        let places = self.index.rules(program).filter(|place| *place >= self.standing);
        let rules = places.filter_map(|place| self.rule(place)?.effects.as_ref());
        rules.into_iter().any(|effects| effects.texts().any(names))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn of_a_line_only_programs_and_verbs_are_told() {
        let rules = RuleSet::parse(r#"{"rules": []}"#).unwrap();
        for (line, expected) in [
            ("cd app && ./deploy.sh prod && ls", "deploy.sh"),
            ("/opt/acme/bin/acme deploy --token s3cr3t", "acme deploy"),
            ("acme send-mail bob; acme status", "acme send-*,acme"),
            ("acme hunter2", "acme"),
            ("$TOOL send; 7z a x; {a,b} c; \"q\" send", ""),
            ("acme Deploy", "acme"),
            ("Zq7021551xW9k send; a1b2c3d4e5 send; Rscript x; s3cmd put", "s3cmd"),
        ] {
            assert_eq!(rules.uncovered_in(line).collect::<Vec<_>>().join(","), expected, "{line}");
        }
        assert_eq!(rules.uncovered_in(&"a1; ".repeat(100)).count(), MAX_PROGRAMS);
        assert_eq!(rules.uncovered_in(&"a".repeat(MAX_NAME + 1)).count(), 0);
    }

    #[test]
    fn a_tool_is_covered_when_a_rule_names_it() {
        let rules = RuleSet::shipped();
        let by_their_words = ["mcp__gmail__send_email", "drive__delete_file", "acme__postMessage"];
        for tool in ["Bash", "exec", "read", "message", "write"].into_iter().chain(by_their_words) {
            assert!(rules.covers_tool(tool), "{tool}");
        }
        // What only keeps files from them says nothing of what they do elsewhere.
        // One is for those of its calls alone that name something by an id.
        let by_id = ["acme__update_gizmo", "acme__close_gizmo"];
        assert!(by_id.iter().all(|tool| rules.covers_tool_by_id(tool) && !rules.covers_tool(tool)));
        assert!(!rules.covers_tool_by_id("acme__gizmos_list"));
        let own =
            r#"{"rules": [{"name": "f", "tier": 4, "tool": "*", "params": {"{filePath}": "{guarded}"}}]}"#;
        let guarding = RuleSet::parse(own).unwrap();
        for (rules, tool) in [(&rules, "mcp__acme__triggerIt"), (&rules, ""), (&guarding, "fs__write_file")] {
            assert!(!rules.covers_tool(tool), "{tool}");
        }
    }

    #[test]
    fn a_program_is_covered_when_a_rule_names_it() {
        let own = r#"{"extends": "default", "rules": [
            {"name": "a", "tier": 3, "tool": "exec", "command": ["acme deploy|send-*", "tool-?"], "contextKey": "a"},
            {"name": "b", "tier": 1, "tool": "exec", "command": "* --help"}
        ]}"#;
        let rules = RuleSet::parse(own).unwrap();
        for seen in ["acme", "acme deploy", "acme send-*", "tool-x pay", "gh pay", "himalaya"] {
            assert!(rules.covers_program(seen), "{seen}");
        }
        for seen in ["acme post", "other", "tool", "ssh2"] {
            assert!(!rules.covers_program(seen), "{seen}");
        }
    }
}
