//! A filter that looks at bytes finds what one that reads everything finds.

use super::*;

const NAMES: [&str; 10] = [
    "mail",
    "Mail",
    "a\"b",
    "back\\slash",
    "Grüße",
    "grÜSSE",
    "line\nbreak",
    "timestamp",
    "\u{212a}elvin",
    "Kelvin",
];
const TEXTS: [&str; 12] =
    ["mail", "MAIL", "\"", "\\", "ÜSS", "e\nb", "k", "elv", "timestamp", "tier", "grüsse", "\u{212a}"];

/// A line as some writer wrote it.
fn random_line(dice: &mut Dice, wall_ms: i64) -> Vec<u8> {
    let actions = [Action::Intercept, Action::Blocked, Action::Complete, Action::Delivered, Action::Seen];
    let action = actions[dice.roll(actions.len())].clone();
    let mut record = Record::new(action, dice.pick(&NAMES), &at(wall_ms));
    record.tier = Tier::try_from(u8::try_from(dice.roll(6)).unwrap()).ok();
    record.conflict = [None, Some(Conflict::Recent), Some(Conflict::Lease)][dice.roll(3)];
    let mut name = || (dice.roll(3) > 0).then(|| dice.pick(&NAMES).to_owned());
    record.runtime = name();
    record.agent = name();
    record.session = name();
    record.tool = name();
    record.rule_name = name();
    record.params = name();
    record.reason = name();
    record.context_keys = [name(), name()].into_iter().flatten().collect();
    let mut value = serde_json::to_value(&record).unwrap();
    match dice.roll(12) {
        0 => b"torn\n".to_vec(),
        1 => {
            let line = record.to_line().unwrap();
            [&line[..line.len() / 2], b"\n"].concat()
        }
        // As others write: another order, no version, one key, everything but ASCII escaped.
        2 => {
            value.as_object_mut().unwrap().remove("v");
            value["contextKey"] = json!(dice.pick(&NAMES));
            let text: String = value
                .to_string()
                .chars()
                .map(|c| if c.is_ascii() { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) })
                .collect();
            format!("{text}\n").into_bytes()
        }
        _ => record.to_line().unwrap(),
    }
}

/// What a filter means, without any haste.
fn is_wanted(filter: &Value, seq: u64, record: &Value) -> bool {
    let is = |field: &str| filter.get(field).is_none_or(|wanted| record.get(field) == Some(wanted));
    let keys = || {
        let listed = record["contextKeys"].as_array().into_iter().flatten();
        listed.chain(record.get("contextKey")).filter_map(Value::as_str)
    };
    // A Kelvin sign is no k.
    let lower = |text: &str| text.replace('\u{212a}', "\u{e000}").to_lowercase();
    let shown = || {
        let fields = ["tool", "session", "agent", "params", "reason", "ruleName"];
        fields.into_iter().filter_map(|field| record[field].as_str()).chain(keys())
    };
    let tier = record["tier"].as_u64();
    let time = record["timestamp"].as_str().and_then(from_rfc3339);
    let number = |field: &str| filter[field].as_i64();
    let action = match filter["action"].as_str() {
        Some("started") => record["action"] == "intercept",
        Some("paused") => record["action"] == "blocked" && record["conflict"] != "lease",
        _ => is("action"),
    };
    ["session", "instance", "runtime", "tool", "tier"].into_iter().all(is)
        && action
        && filter["key"].as_str().is_none_or(|key| keys().any(|known| known == key))
        && filter["text"].as_str().is_none_or(|text| shown().any(|shown| lower(shown).contains(&lower(text))))
        && filter["minTier"].as_u64().is_none_or(|least| tier >= Some(least))
        && number("since").is_none_or(|since| time.is_some_and(|time| time >= since))
        && number("until").is_none_or(|until| time.is_some_and(|time| time <= until))
        && filter["after"].as_u64().is_none_or(|after| seq > after)
        && filter["before"].as_u64().is_none_or(|before| seq < before)
}

#[test]
fn a_filter_that_looks_at_bytes_finds_what_one_that_reads_everything_finds() {
    let world = World::new();
    let now = world.now.wall_ms;
    let mut dice = Dice(8);
    let segments: Vec<Vec<Vec<u8>>> = (0..4)
        .map(|segment| {
            (0..200).map(|line| random_line(&mut dice, now - (800 - segment * 200 - line) * MINUTE)).collect()
        })
        .collect();
    let written = write(&world, &segments);
    let records: Vec<(u64, Value)> = written
        .iter()
        .filter_map(|(seq, line)| Some((*seq, serde_json::from_slice(line).ok()?)))
        .filter(|(_, record): &(u64, Value)| record.is_object())
        .collect();
    let view = world.view();
    let mut found_any = 0;
    for round in 0..150 {
        let mut filter = json!({ "limit": 10_000, "budget": round % 2 == 0 });
        for _ in 0..=dice.roll(2) {
            let (field, value) = match dice.roll(11) {
                0 => ("tier", json!(dice.roll(5))),
                1 => ("minTier", json!(dice.roll(5))),
                2 => (
                    "action",
                    json!(dice.pick(&["intercept", "started", "blocked", "paused", "seen", "dreamt"])),
                ),
                3 => ("since", json!(now - i64::try_from(dice.roll(850)).unwrap() * MINUTE)),
                4 => ("until", json!(now - i64::try_from(dice.roll(850)).unwrap() * MINUTE)),
                5 => (
                    dice.pick(&["before", "after"]),
                    json!(dice.pick(&records.iter().map(|(seq, _)| *seq).collect::<Vec<_>>())),
                ),
                6 | 7 => ("text", json!(dice.pick(&TEXTS))),
                8 => ("key", json!(dice.pick(&NAMES))),
                _ => (dice.pick(&["session", "instance", "runtime", "tool"]), json!(dice.pick(&NAMES))),
            };
            filter[field] = value;
        }
        let expected: Vec<u64> = records
            .iter()
            .filter(|(seq, record)| is_wanted(&filter, *seq, record))
            .map(|(seq, _)| *seq)
            .collect();
        let found = merged(&pieces(&view, "journal", &filter, &world.now), "entries");
        assert_eq!(seqs(&found), expected, "{filter}");
        found_any += usize::from(!expected.is_empty());
    }
    assert!(found_any > 60, "{found_any}");
}
