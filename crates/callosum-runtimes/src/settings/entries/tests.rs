//! What is put in goes out again, byte for byte, and nobody else's bytes are touched.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use serde_json::{Value, json};

use super::{amiss, put_in, taken_out, value};
use crate::codex::Codex;
use crate::gemini::Gemini;
use crate::runtime::Runtime;
use crate::settings::entry::entries;

const COMMAND: &str = "[ ! -x /opt/callosum ] || exec /opt/callosum hook gemini";

fn installed(text: &str) -> String {
    let entries = entries(&Gemini, |_| COMMAND.to_owned());
    let installed = put_in(text, &Gemini, &entries).unwrap();
    let amiss = |text| amiss(text, &Gemini, &entries).unwrap();
    assert_eq!(amiss(text).is_empty(), installed == text, "{text}: {:?}", amiss(text));
    assert_eq!(amiss(&installed), [], "{installed}");
    installed
}

fn removed(text: &str) -> String {
    taken_out(text, &Gemini).unwrap()
}

fn parsed(text: &str) -> Value {
    value(text, &Gemini).unwrap()
}

/// A number below `bound`, and the next state: the same documents in every run.
fn roll(dice: &mut u64, bound: u64) -> u64 {
    *dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*dice >> 33) % bound
}

/// White space and comments as people leave them between two things.
fn trivia(dice: &mut u64, newline: &str, indent: &str) -> String {
    match roll(dice, 9) {
        0 | 1 => String::new(),
        2 => " ".to_owned(),
        3 => format!(" // note, with a comma {newline}{indent}"),
        4 => format!(" /* a \" note */{newline}{indent}"),
        5 => format!("{newline}{newline}{indent}"),
        6 => format!("{newline}{indent}// above{newline}{indent}"),
        _ => format!("{newline}{indent}"),
    }
}

/// A value written in any manner; containers of it are never empty.
fn written(dice: &mut u64, value: &Value, newline: &str, step: &str, depth: usize) -> String {
    let indent = step.repeat(depth + 1);
    let members: Vec<String> = match value {
        Value::Object(object) => object
            .iter()
            .map(|(key, value)| {
                let value = written(dice, value, newline, step, depth + 1);
                format!("{}:{}{value}", json!(key), [" ", ""][usize::from(roll(dice, 4) == 0)])
            })
            .collect(),
        Value::Array(array) => {
            array.iter().map(|value| written(dice, value, newline, step, depth + 1)).collect()
        }
        plain => return plain.to_string(),
    };
    let mut text = String::new();
    for (number, member) in members.iter().enumerate() {
        text += &trivia(dice, newline, &indent);
        text += member;
        text += &trivia(dice, newline, &indent);
        text += if number + 1 < members.len() { "," } else { "" };
    }
    text += &trivia(dice, newline, &step.repeat(depth));
    if value.is_object() { format!("{{{text}}}") } else { format!("[{text}]") }
}

/// Settings with others' hooks in some of the lists.
fn settings(dice: &mut u64) -> Value {
    let mut settings =
        json!({ "theme": "dark // no comment", "mcpServers": { "a": { "args": ["-y", 1.50] } } });
    let hook = json!({ "matcher": "*", "hooks": [{ "type": "command", "command": "echo '{\"a\": [1, 2]}' # hook" }] });
    let mut hooks = json!({ "Other": [hook] });
    for event in ["BeforeTool", "AfterTool", "SessionStart", "SessionEnd", "AfterModel"] {
        let count = usize::try_from(roll(dice, 3)).unwrap();
        if count > 0 {
            hooks[event] = json!(vec![&hook; count]);
        }
    }
    if roll(dice, 4) > 0 {
        settings["hooks"] = hooks;
    }
    settings
}

#[test]
fn what_is_put_in_goes_out_again_byte_for_byte() {
    let mut dice = 7;
    for _ in 0..400 {
        let newline = ["\n", "\r\n"][usize::from(roll(&mut dice, 4) == 0)];
        let step = ["  ", "    ", "\t"][usize::try_from(roll(&mut dice, 3)).unwrap()];
        let before = settings(&mut dice);
        let end = ["\n", ""][usize::from(roll(&mut dice, 3) == 0)];
        let text = written(&mut dice, &before, newline, step, 0) + end;
        let with = installed(&text);
        assert_eq!(installed(&with), with, "twice on\n{text}");
        assert_eq!(removed(&with), text, "out of\n{with}");
        let now = parsed(&with);
        for event in ["BeforeTool", "AfterTool", "SessionStart", "BeforeAgent", "SessionEnd"] {
            let list = now["hooks"][event].as_array().unwrap();
            let others = before["hooks"][event].as_array().cloned().unwrap_or_default();
            assert_eq!(list.get(..others.len()).unwrap(), others, "others' come first in\n{with}");
            let [ours] = list.get(others.len()..).unwrap() else { panic!("one of ours in\n{with}") };
            assert_eq!(ours["_callosum"], "v1");
        }
        let mut kept = with.chars();
        assert!(text.chars().all(|wanted| kept.any(|c| c == wanted)), "only added to\n{text}");
    }
}

#[test]
fn whatever_was_tagged_there_is_one_entry_an_event_and_none_afterwards() {
    let theirs = json!({ "type": "command", "command": "theirs" });
    let old = json!({ "type": "command", "command": "/old/callosum hook gemini" });
    let shapes = [
        json!({ "_callosum": "v1" }),
        json!({ "_callosum": { "deep": [] }, "hooks": 7 }),
        json!({ "_callosum": null, "hooks": [] }),
        json!({ "hooks": ["text", 7], "_callosum": "v1" }),
        json!({ "hooks": [old], "_callosum": "v1" }),
        json!({ "matcher": "*", "hooks": [old, theirs], "_callosum": "v1" }),
        json!({ "hooks": [theirs, old], "_callosum": "v1", "z": 1 }),
        json!({ "hooks": [theirs] }),
        json!("_callosum"),
    ];
    let mut dice = 11;
    for _ in 0..300 {
        let mut hooks = json!({ "Other": [theirs] });
        for event in ["BeforeTool", "SessionEnd", "PreCompress"] {
            let count = 1 + roll(&mut dice, 3);
            let one = |dice: &mut u64| shapes[usize::try_from(roll(dice, 9)).unwrap()].clone();
            hooks[event] = (0..count).map(|_| one(&mut dice)).collect();
        }
        let text = written(&mut dice, &json!({ "hooks": hooks, "z": 1 }), "\n", "  ", 0);
        let with = installed(&text);
        assert_eq!(installed(&with), with, "twice on\n{text}");
        for (event, list) in parsed(&with)["hooks"].as_object().unwrap() {
            let ours =
                list.as_array().unwrap().iter().filter(|entry| entry.get("_callosum").is_some()).count();
            assert_eq!(
                ours,
                usize::from(!["Other", "PreCompress"].contains(&event.as_str())),
                "{event} in\n{with}"
            );
        }
        let without = removed(&with);
        let left = parsed(&without).to_string();
        assert!(!left.contains("\"_callosum\":") && !left.contains("hook gemini"), "{left}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<String>();
        assert_eq!(words(&without), words(&removed(&text)), "as if it had never been put in");
        let count = |text: &str| text.matches("\"theirs\"").count();
        assert_eq!(count(&left), count(&text), "{left}");
    }
}

#[test]
fn it_is_written_in_the_manner_of_what_is_there() {
    let tabs = installed("{\r\n\t\"a\": 1, // one\r\n\t\"b\": 2 // two\r\n}");
    assert!(tabs.starts_with(
        "{\r\n\t\"a\": 1, // one\r\n\t\"b\": 2, // two\r\n\t\"hooks\": {\r\n\t\t\"BeforeTool\": [\r\n\t\t\t{\r\n\t\t\t\t\"matcher\": \"*\",\r\n"
    ), "{tabs}");
    assert!(!tabs.replace("\r\n", "").contains('\n') && tabs.ends_with("\r\n\t}\r\n}"), "{tabs}");
    let line = installed(r#"{"a": 1}"#);
    assert!(
        line.starts_with(r#"{"a": 1, "hooks": {"BeforeTool": [{"matcher""#) && !line.contains('\n'),
        "{line}"
    );
    let comment = installed("// mine\n");
    assert!(comment.starts_with("// mine\n{\n  \"hooks\": {\n    \"BeforeTool\""), "{comment}");
    let commented = installed("{\n    // nothing yet\n}\n");
    assert!(commented.starts_with("{\n    // nothing yet\n  \"hooks\""), "{commented}");
    let marked = installed("\u{feff}{}\n");
    assert!(marked.starts_with("\u{feff}{\n"), "{marked}");
    assert_eq!(removed(&marked), "\u{feff}{}\n");
}

fn settings_with(list: &Value) -> String {
    serde_json::to_string_pretty(&json!({ "hooks": { "BeforeTool": list }, "z": 1 })).unwrap() + "\n"
}

#[test]
fn an_older_entry_is_replaced_where_it_stands() {
    let (theirs, mine) =
        (json!({ "hooks": [{ "command": "theirs" }] }), json!({ "hooks": [{ "command": "mine" }] }));
    for old in [
        json!({ "_callosum": "v0" }),
        json!({ "_callosum": true, "matcher": "run_shell_command", "hooks": [{ "command": "/old/program", "timeout": 1 }] }),
        json!({ "hooks": [{ "command": "/x/callosum hook gemini" }, { "command": "/y/callosum hook gemini" }], "_callosum": 1 }),
    ] {
        let text = settings_with(&json!([theirs, old, mine]));
        let with = installed(&text);
        let list = parsed(&with)["hooks"]["BeforeTool"].clone();
        assert_eq!((&list[0], &list[2]), (&theirs, &mine), "{with}");
        assert_eq!(list[1]["hooks"][0]["command"], COMMAND, "{with}");
        assert_eq!(list.as_array().unwrap().len(), 3, "{with}");
        assert_eq!(removed(&with), settings_with(&json!([theirs, mine])));
    }
}

#[test]
fn entries_of_ours_where_none_belong_go() {
    let own = json!({ "_callosum": "v1", "hooks": [{ "command": COMMAND }] });
    let text = serde_json::to_string_pretty(&json!({
        "hooks": { "PreCompress": [own], "BeforeTool": [own, own], "disabled": ["x"], "enabled": true },
    }));
    let with = parsed(&installed(&text.unwrap()));
    assert_eq!(with["hooks"].get("PreCompress"), None);
    assert_eq!(with["hooks"]["BeforeTool"].as_array().unwrap().len(), 1);
    assert_eq!((&with["hooks"]["disabled"], &with["hooks"]["enabled"]), (&json!(["x"]), &json!(true)));
}

#[test]
fn a_hook_that_somebody_put_into_our_entry_stays() {
    let theirs = json!({ "type": "command", "command": "theirs" });
    let ours = |command: &str| json!({ "type": "command", "command": command, "timeout": 20000 });
    let entry = |command| json!({ "matcher": "*", "hooks": [ours(command), theirs], "_callosum": "v1" });
    let shared = settings_with(&json!([entry(COMMAND)]));
    assert_eq!(
        parsed(&installed(&shared))["hooks"]["BeforeTool"],
        json!([entry(COMMAND)]),
        "it does what it should"
    );
    let left = settings_with(&json!([{ "matcher": "*", "hooks": [theirs] }]));
    assert_eq!(parsed(&removed(&shared)), parsed(&left));
    let outdated = parsed(&installed(&settings_with(&json!([entry("/old hook gemini")]))));
    assert_eq!(outdated["hooks"]["BeforeTool"][0], json!({ "matcher": "*", "hooks": [theirs] }));
    assert_eq!(outdated["hooks"]["BeforeTool"][1]["hooks"][0]["command"], COMMAND);
}

#[test]
fn what_others_did_since_stays() {
    let text = "{\n  \"a\": 1\n}\n";
    let with = installed(text);
    let above = with.replacen("{\n", "{\n  \"new\": true, // mine\n", 1);
    assert_eq!(removed(&above), "{\n  \"new\": true, // mine\n  \"a\": 1\n}\n");
    let own_end = "        \"_callosum\": \"v1\"\n      }\n    ],\n    \"AfterTool\"";
    let theirs = "        \"_callosum\": \"v1\"\n      }, // ours\n      { \"hooks\": [] } // theirs\n    ],\n    \"AfterTool\"";
    let behind = with.replacen(own_end, theirs, 1);
    assert_ne!(behind, with);
    let rest = removed(&behind);
    assert_eq!(
        rest,
        "{\n  \"a\": 1,\n  \"hooks\": {\n    \"BeforeTool\": [ // ours\n      { \"hooks\": [] } // theirs\n    ]\n  }\n}\n"
    );
    assert_eq!(installed(&behind), behind);
}

#[test]
fn a_comment_swallows_nothing_when_ours_goes() {
    let ours = json!({ "_callosum": "v1", "hooks": [{ "command": COMMAND }] });
    let text = format!("{{\"hooks\": {{\"BeforeTool\": [ // mine\n  {ours}, {{\"hooks\": []}}]}}}}");
    assert_eq!(parsed(&removed(&text)), json!({ "hooks": { "BeforeTool": [{ "hooks": [] }] } }));
    let text = format!("{{\"hooks\": {{\"BeforeTool\": [1, // mine\n  {ours}], \"x\": 1}}}}");
    assert_eq!(parsed(&removed(&text)), json!({ "hooks": { "BeforeTool": [1], "x": 1 } }));
}

#[test]
fn what_the_runtime_could_not_read_is_refused_where_it_is_wrong() {
    for (text, of, line, column, message) in [
        ("{\n  \"a\": 1,\n}", &Gemini as Runtime, 2, 9, "trailing commas are not allowed"),
        ("{\"a\" 1}", &Gemini, 1, 6, "expected colon"),
        ("{} {}", &Gemini, 1, 4, "more than one"),
        ("// no\n{}", &Codex, 1, 1, "comments are not allowed"),
        ("\u{feff}{}", &Codex, 1, 1, ""),
        ("[]", &Gemini, 1, 1, "not a JSON object"),
        ("{\n \"hooks\": []}", &Gemini, 2, 11, "`hooks` is not a JSON object"),
        ("{\"hooks\": null}", &Gemini, 1, 11, "`hooks` is not a JSON object"),
        ("{\"hooks\": {}, \"hooks\": {}}", &Gemini, 1, 15, "`hooks` occurs twice"),
        ("{\"hooks\": {\n\"PreToolUse\": {}}}", &Codex, 2, 15, "`hooks.PreToolUse` is not a list"),
        ("{\"hooks\": {\"PreToolUse\": [], \"PreToolUse\": []}}", &Codex, 1, 30, "occurs twice"),
        ("{\"a\": \"\u{e9}\", b: 1}", &Gemini, 1, 12, ""),
    ] {
        let misfit = put_in(text, of, &entries(of, |_| COMMAND.to_owned())).unwrap_err();
        assert!(misfit.message.contains(message), "{text}: {}", misfit.message);
        assert_eq!((misfit.line, misfit.column), (line, column), "{text}: {}", misfit.message);
    }
    let deep = "[".repeat(100_000);
    assert!(put_in(&deep, &Gemini, &[]).is_err());
}
