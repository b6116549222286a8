//! How far the shipped rules reach: commands and tool calls that were collected and labelled before any rule was written for them,
//! in `tests/reach` (its README says how), and pairs of them that act on the same resource, or do not.
//!
//! The rules are read from `tiers.json` at run time, or from the file that `CALLOSUM_TIERS` names, so that whoever writes rules need not
//! compile. `CALLOSUM_WRONG=1` prints each line that is not met.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use callosum_core::model::tool_call::ToolCall;
use callosum_core::rules::{Classification, RuleSet};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

mod places;

use places::Places;

/// A call as the corpora have it.
#[derive(Clone, Debug, Deserialize)]
struct Asked {
    command: Option<String>,
    tool: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    at: Option<String>,
    #[serde(default)]
    env: serde_json::Map<String, Value>,
}

#[derive(Debug, Deserialize)]
struct Labelled {
    #[serde(flatten)]
    asked: Asked,
    tier: u8,
    /// Not said where only pairs tell whether keys are right.
    keys: Option<BTreeSet<String>>,
    known: bool,
}

#[derive(Debug, Deserialize)]
struct Pair {
    a: Asked,
    b: Asked,
    same: bool,
    why: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/reach")
}

fn lines<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let text = std::fs::read_to_string(folder().join(name)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect()
}

fn rules() -> RuleSet {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tiers.json");
    let path = std::env::var_os("CALLOSUM_TIERS").map_or(shipped, PathBuf::from);
    RuleSet::parse(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// A part of a whole.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    of: usize,
    met: usize,
}

impl Share {
    fn count(&mut self, met: bool) {
        self.of += 1;
        self.met += usize::from(met);
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of a few thousand")]
    fn percent(self) -> f64 {
        100.0 * self.met as f64 / self.of.max(1) as f64
    }

    fn plus(self, other: Self) -> Self {
        Self { of: self.of + other.of, met: self.met + other.met }
    }
}

/// How the corpora fared.
#[derive(Clone, Debug, Default)]
struct Score {
    /// Effects of well-known programs and services at the tier that they must have at least.
    known: Share,
    /// Those of the long tail.
    tail: Share,
    /// Of the effects that were reached: those with the right keys.
    keys: Share,
    /// Pairs of different resources that share no key.
    apart: Share,
    /// Pairs of the same resource that share one.
    together: Share,
    /// What is harmless and gets tier 3.
    alarms: Share,
    wrong: String,
}

impl Score {
    fn plus(&self, other: &Self) -> Self {
        Self {
            known: self.known.plus(other.known),
            tail: self.tail.plus(other.tail),
            keys: self.keys.plus(other.keys),
            apart: self.apart.plus(other.apart),
            together: self.together.plus(other.together),
            alarms: self.alarms.plus(other.alarms),
            wrong: format!("{}{}", self.wrong, other.wrong),
        }
    }
}

struct Scorer {
    rules: RuleSet,
    places: Places,
}

impl Scorer {
    fn new() -> Self {
        Self { rules: rules(), places: Places::laid(&folder().join("places.json")) }
    }

    fn classified(&self, asked: &Asked) -> Classification {
        let place = self.places.named(asked.at.as_deref().unwrap_or("app"));
        let (tool, params) = match &asked.command {
            Some(command) => ("exec", json!({ "command": place.as_here(command) })),
            None => (asked.tool.as_deref().unwrap_or_default(), place.params(&asked.params)),
        };
        let call = ToolCall { tool: tool.to_owned(), cwd: Some(place.folder()), ..ToolCall::default() };
        let mut found = place.classify(&self.rules, &call, &params, &asked.env);
        for key in &mut found.context_keys {
            *key = place.as_in_corpus(key);
        }
        found
    }

    fn labelled(&self, name: &str) -> Score {
        let mut score = Score::default();
        for labelled in lines::<Labelled>(name) {
            let found = self.classified(&labelled.asked);
            let (tier, keys) = (found.tier as u8, found.context_keys.into_iter().collect::<BTreeSet<_>>());
            let is_right = if labelled.tier <= 1 {
                score.alarms.count(tier >= 3);
                tier < 3
            } else {
                let is_reached = tier >= labelled.tier;
                let share = if labelled.known { &mut score.known } else { &mut score.tail };
                share.count(is_reached);
                // What is new may have its title, too.
                let without = |cut: fn(&str) -> &str| {
                    keys.iter().map(|key| cut(key).to_owned()).collect::<BTreeSet<_>>()
                };
                let is_it =
                    |wanted: &BTreeSet<String>| without(untitled) == *wanted || without(whole) == *wanted;
                let is_right = labelled.keys.as_ref().map(is_it);
                if let Some(is_right) = is_right.filter(|_| is_reached) {
                    score.keys.count(is_right);
                }
                is_reached && is_right.unwrap_or(true)
            };
            if !is_right {
                let _ = writeln!(
                    score.wrong,
                    "{name}: {}\n    wanted {} {:?}\n    found  {tier} {keys:?} by {}",
                    shown(&labelled.asked),
                    labelled.tier,
                    labelled.keys.unwrap_or_default(),
                    found.rule_name.unwrap_or_default()
                );
            }
        }
        score
    }

    fn pairs(&self, name: &str) -> Score {
        let mut score = Score::default();
        for pair in lines::<Pair>(name) {
            let [a, b] = [&pair.a, &pair.b].map(|asked| self.classified(asked));
            // A call that is not looked at meets nobody.
            let meet = a.tier.is_tracked()
                && b.tier.is_tracked()
                && a.context_keys.iter().any(|key| b.context_keys.contains(key));
            let share = if pair.same { &mut score.together } else { &mut score.apart };
            share.count(meet == pair.same);
            if meet != pair.same {
                let _ = writeln!(
                    score.wrong,
                    "{name}: {} ({})\n    {} {:?}\n    {} {:?}",
                    if pair.same { "apart, but the same" } else { "together, but different" },
                    pair.why,
                    shown(&pair.a),
                    a.context_keys,
                    shown(&pair.b),
                    b.context_keys
                );
            }
        }
        score
    }
}

/// A key of something new without the title behind it.
fn untitled(key: &str) -> &str {
    let is_new = |key: &&str| ["#new", "/new", ":new"].iter().any(|end| key.ends_with(end));
    key.rsplit_once(':').map(|(new, _)| new).filter(is_new).unwrap_or(key)
}

/// The key of what something new is put into.
fn whole(key: &str) -> &str {
    untitled(key).strip_suffix("/new").unwrap_or(key)
}

fn shown(asked: &Asked) -> String {
    match (&asked.command, &asked.tool) {
        (Some(command), _) => format!("{command:?} at {}", asked.at.as_deref().unwrap_or("app")),
        (None, tool) => format!("{} {}", tool.as_deref().unwrap_or_default(), asked.params),
    }
}

/// Past the test runner, which keeps what a test prints to itself.
fn print(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

fn report(name: &str, score: &Score) {
    let mut line = format!("reach, {name}:");
    for (what, share) in [
        ("well-known effects reached", score.known),
        ("long tail reached", score.tail),
        ("right keys", score.keys),
        ("different pairs apart", score.apart),
        ("same pairs together", score.together),
        ("harmless at tier 3", score.alarms),
    ] {
        if share.of > 0 {
            let _ = write!(line, " {what} {:.1} % ({} of {}),", share.percent(), share.met, share.of);
        }
    }
    print(line.trim_end_matches(','));
    if std::env::var_os("CALLOSUM_WRONG").is_some() {
        print(&score.wrong);
    }
}

/// What must be reached at least, in percent, and how many harmless calls may get tier 3 at most. What is aimed at on calls that nobody
/// has seen: 95, 75, 93, 95, 92 and 1.
struct Goals {
    known: f64,
    tail: f64,
    keys: f64,
    apart: f64,
    together: f64,
    alarms: f64,
}

/// No goal at all: what is only printed.
const PRINTED: Goals = goals(0.0, 0.0, 0.0, 0.0, 0.0, 100.0);

const fn goals(known: f64, tail: f64, keys: f64, apart: f64, together: f64, alarms: f64) -> Goals {
    Goals { known, tail, keys, apart, together, alarms }
}

/// Corpora that are scored together: by which name, the files of calls and those of pairs without their ends, and their goals. Only the
/// first ones have a goal for keys: the labels of others have none, or spell them by other words. Alarms of the fifth set to the tenth
/// are mostly first steps by what a tool's description says, music and lights at home, and tasks of one's own.
type Set = (&'static str, &'static [&'static str], &'static [&'static str], Goals);

#[rustfmt::skip]
const SETS: &[Set] = &[
    ("commands", &["commands"], &["pairs"], PRINTED),
    ("tools", &["tools"], &["tool-pairs"], goals(99.0, 98.0, 98.0, 99.0, 99.0, 1.0)),
    ("collected later", &["second/commands", "second/tools"], &["second/pairs"], PRINTED),
    ("tools of another sixty servers", &["third/tools"], &["third/tool-pairs"], goals(92.0, 97.0, 0.0, 94.0, 90.0, 1.0)),
    ("tools of another forty servers", &["opened/tools"], &["opened/tool-pairs"], goals(97.0, 93.0, 0.0, 99.0, 93.0, 1.0)),
    ("tools of the fourth set", &["opened/fourth-tools"], &["opened/fourth-tool-pairs"], goals(95.0, 94.0, 0.0, 99.0, 99.0, 1.0)),
    ("tools of the fifth set", &["opened/fifth-tools"], &["opened/fifth-tool-pairs"], goals(96.0, 89.0, 0.0, 99.0, 90.0, 10.5)),
    ("tools of the sixth set", &["opened/sixth-tools"], &["opened/sixth-tool-pairs"], goals(92.0, 85.0, 0.0, 99.0, 96.0, 8.0)),
    ("tools of the seventh set", &["opened/seventh-tools"], &["opened/seventh-tool-pairs"], goals(99.0, 90.0, 0.0, 99.0, 96.0, 9.5)),
    ("tools of the eighth set", &["opened/eighth-tools"], &["opened/eighth-tool-pairs"], goals(91.0, 98.0, 0.0, 97.0, 81.0, 4.0)),
    ("tools of the ninth set", &["opened/ninth-tools"], &["opened/ninth-tool-pairs"], goals(93.0, 93.0, 0.0, 95.0, 91.0, 5.5)),
    ("tools of the tenth set", &["opened/tenth-tools"], &["opened/tenth-tool-pairs"], goals(98.0, 88.0, 0.0, 98.0, 88.0, 6.5)),
    ("tools of the twelfth set", &["opened/twelfth-tools"], &["opened/twelfth-tool-pairs"], goals(98.0, 96.0, 0.0, 94.0, 83.0, 3.0)),
    (
        "tools of the thirteenth set", &["opened/thirteenth-tools"],
        &["opened/thirteenth-tool-pairs"], goals(98.0, 94.0, 0.0, 98.0, 96.0, 3.0),
    ),
    (
        "tools of the fourteenth set", &["opened/fourteenth-tools"],
        &["opened/fourteenth-tool-pairs"], goals(90.0, 89.0, 0.0, 95.0, 84.0, 4.0),
    ),
    ("tools of the fifteenth set", &["opened/fifteenth-tools"], &["opened/fifteenth-tool-pairs"], goals(98.0, 91.0, 0.0, 94.0, 82.0, 3.5)),
    ("tools of the sixteenth set", &["opened/sixteenth-tools"], &["opened/sixteenth-tool-pairs"], goals(94.0, 88.0, 0.0, 99.0, 87.0, 1.0)),
    ("tools of the seventeenth set", &["opened/seventeenth-tools"], &["opened/seventeenth-tool-pairs"], goals(96.0, 98.0, 0.0, 94.0, 85.0, 1.0)),
    ("tools of the eighteenth set", &["opened/eighteenth-tools"], &["opened/eighteenth-tool-pairs"], goals(90.0, 84.0, 0.0, 92.0, 57.0, 5.0)),
    ("tools of whole lists", &["opened/lists-tools"], &["opened/lists-tool-pairs"], goals(95.0, 99.0, 0.0, 98.0, 85.0, 5.5)),
    (
        "pairs from memory, for keys", &[],
        &["own/keys-tool-pairs", "own/keys-later-tool-pairs", "own/keys-last-tool-pairs", "own/keys-more-tool-pairs", "own/keys-known-tool-pairs"], goals(0.0, 0.0, 0.0, 97.0, 90.0, 1.0),
    ),
    (
        "pairs from memory, for keys, written later", &[],
        &["own/keys-eighth-tool-pairs", "own/keys-ninth-tool-pairs", "own/keys-tenth-tool-pairs", "own/keys-eleventh-tool-pairs"], goals(0.0, 0.0, 0.0, 95.0, 85.0, 1.0),
    ),
    (
        "tools from memory", &["own/tools", "own/harmless", "own/more-tools", "own/known-tools", "own/last-tools"],
        &["own/tool-pairs", "own/more-tool-pairs", "own/known-tool-pairs", "own/last-tool-pairs"], goals(98.0, 96.0, 0.0, 99.0, 95.0, 1.0),
    ),
    ("many more tools from memory", &["own/many-tools"], &["own/many-tool-pairs"], goals(99.0, 95.0, 0.0, 96.0, 97.0, 3.5)),
    ("tools from memory, written later", &["own/later-tools"], &["own/later-tool-pairs"], goals(99.0, 92.0, 0.0, 99.0, 90.0, 2.0)),
    ("tools of well-known services", &["own/known-more-tools"], &[], goals(96.0, 0.0, 0.0, 0.0, 0.0, 2.0)),
    (
        "tools of well-known services, written later", &["own/known-last-tools", "own/known-final-tools"],
        &[], goals(96.0, 0.0, 0.0, 0.0, 0.0, 2.5),
    ),
];
/// How well the first three must do together.
const WHOLE: (&str, usize, Goals) = ("the whole", 3, goals(99.0, 98.0, 98.0, 99.0, 99.0, 1.0));

/// What was never looked at while rules were written. It has no goals: it only tells how honest the other figures are.
#[rustfmt::skip]
const KEPT_BACK: &[Set] = &[
    ("kept-back tools", &["kept-back/tools"], &[], PRINTED),
    ("kept-back tools of the eleventh set", &["kept-back/eleventh-tools"], &["kept-back/eleventh-tool-pairs"], PRINTED),
    ("kept-back tools of the nineteenth set", &["kept-back/nineteenth-tools"], &["kept-back/nineteenth-tool-pairs"], PRINTED),
    ("kept-back commands", &["kept-back/commands"], &["kept-back/pairs"], PRINTED),
    ("kept-back commands of the fourth set", &["kept-back/fourth-commands"], &["kept-back/fourth-pairs"], PRINTED),
    ("kept-back commands of the eighth set", &["kept-back/eighth-commands"], &["kept-back/eighth-pairs"], PRINTED),
];

fn score(scorer: &Scorer, (_, calls, pairs, _): &Set) -> Score {
    let calls = calls.iter().map(|name| scorer.labelled(&format!("{name}.jsonl")));
    let pairs = pairs.iter().map(|name| scorer.pairs(&format!("{name}.jsonl")));
    calls.chain(pairs).fold(Score::default(), |all, one| all.plus(&one))
}

#[test]
fn the_shipped_rules_reach_what_agents_do() {
    let scorer = Scorer::new();
    let scores: Vec<Score> = SETS.iter().map(|set| score(&scorer, set)).collect();
    for ((name, ..), score) in SETS.iter().zip(&scores) {
        report(name, score);
    }
    let (name, first, goals) = WHOLE;
    let whole = scores.iter().take(first).fold(Score::default(), |all, one| all.plus(one));
    report(name, &Score { wrong: String::new(), ..whole.clone() });
    assert_goals(name, &whole, &goals);
    for ((name, _, _, goals), score) in SETS.iter().zip(&scores) {
        assert_goals(name, score, goals);
    }
}

fn assert_goals(name: &str, score: &Score, goals: &Goals) {
    for (what, share, least) in [
        ("well-known programs and services", score.known, goals.known),
        ("the long tail", score.tail, goals.tail),
        ("right keys", score.keys, goals.keys),
        ("pairs of different resources apart", score.apart, goals.apart),
        ("pairs of the same resource together", score.together, goals.together),
    ] {
        let is_met = least == 0.0 || share.percent() >= least;
        assert!(is_met, "{name}, {what}: {:.1} %, the goal is {least} %", share.percent());
    }
    // One call is more than that where there are fewer than a hundred.
    let alarms = score.alarms.percent();
    let most = goals.alarms;
    assert!(score.alarms.met <= 1 || alarms <= most, "{name}, harmless calls at tier 3: {alarms:.1} %");
}

#[test]
fn what_was_kept_back_is_only_scored() {
    let scorer = Scorer::new();
    for set in KEPT_BACK {
        let score = score(&scorer, set);
        assert!(score.known.of > 0);
        // Their lines are not shown.
        report(set.0, &Score { wrong: String::new(), ..score });
    }
}

#[test]
fn labels_are_what_they_were_before_the_rules() {
    let list = std::fs::read_to_string(folder().join("labels.sha256")).unwrap();
    let mut files = BTreeSet::new();
    for line in list.lines() {
        let (hash, name) = line.split_once("  ").unwrap();
        let found = Sha256::digest(std::fs::read(folder().join(name)).unwrap());
        let found = found.iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        assert_eq!(
            found, hash,
            "{name} has changed: a changed label changes labels.sha256 too, and says why"
        );
        files.insert(name.to_owned());
    }
    assert_eq!(files.len(), 77);
}
