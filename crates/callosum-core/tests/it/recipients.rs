//! Who a mail goes to, in whatever form a model writes it: a recipient that is missed lets the mail out twice.

use std::borrow::Cow;

use callosum_core::model::tool_call::{AllParameters, Parameters, ToolCall};
use callosum_core::rules::{RuleSet, World};
use serde_json::{Map, Value, json};

fn of(params: &dyn Parameters) -> Vec<String> {
    let rules =
        r#"{"rules": [{"name": "mail", "tier": 3, "tool": "*", "contextKey": "{commandRecipients}"}]}"#;
    let call = ToolCall { tool: "send_email".to_owned(), ..ToolCall::default() };
    RuleSet::parse(rules).unwrap().classify(&call, "openclaw", params, &World::unseen()).context_keys
}

#[test]
fn a_list_of_addresses_hides_none_whatever_its_quotes_and_signs() {
    for (list, expected) in [
        (r#""5\" pipe" <bob@x.com>, alice@example.com"#, "bob@x.com alice@example.com"),
        (r#""a\\" <bob@x.com>, alice@example.com"#, "bob@x.com alice@example.com"),
        (r#"5" pipe <bob@x.com>, alice@example.com"#, "bob@x.com alice@example.com"),
        (r#"5" <bob@x.com>, 6" <alice@example.com>"#, "bob@x.com alice@example.com"),
        (r#""open <bob@x.com>, alice@example.com"#, "bob@x.com alice@example.com"),
        ("Bob <bob@x.com, alice@example.com", "bob@x.com alice@example.com"),
        ("bob@x.com>, <alice@example.com", "bob@x.com alice@example.com"),
        ("\"Doe, Jane\" <jane@x.com>, alice@example.com", "jane@x.com alice@example.com"),
        ("Doe, Jane <jane@x.com>, alice@example.com", "jane@x.com alice@example.com"),
        ("'Doe, Jane' <jane@x.com>", "jane@x.com"),
        ("MAILTO:Alice@Example.com", "alice@example.com"),
        ("<MailTo:alice@example.com>", "alice@example.com"),
        ("mailto:alice@example.com?subject=Hello, you&body=x@y.com", "alice@example.com"),
        (
            "mailto:alice@example.com?subject=hi&cc=bob@x.com,c%40x.com&BCC=d@x.com",
            "alice@example.com bob@x.com c@x.com d@x.com",
        ),
        ("mailto:?to=alice@example.com", "alice@example.com"),
        ("mailto:alice%40example.com", "alice@example.com"),
        ("mailto:a@x.com, mailto:b@x.com", "a@x.com b@x.com"),
        ("alice@example.com.", "alice@example.com"),
        ("Alice <alice@example.com.>", "alice@example.com"),
        ("ALICE@EXAMPLE.COM, alice@example.com", "alice@example.com"),
        ("a@x.com\u{ff0c}b@x.com\u{ff1b}c@x.com\u{3001}d@x.com", "a@x.com b@x.com c@x.com d@x.com"),
        (
            "a@x.com; b@x.com|c@x.com\nd@x.com\te@x.com f@x.com",
            "a@x.com b@x.com c@x.com d@x.com e@x.com f@x.com",
        ),
        ("a@x.com / b@x.com & c@x.com and d@x.com", "a@x.com b@x.com c@x.com d@x.com"),
        ("a@x.com/b@x.com&c@x.com+d@x.com", "a@x.com b@x.com c@x.com d@x.com"),
        ("Team:a@x.com,b@x.com;", "a@x.com b@x.com"),
        ("Team: Ann <a@x.com>, b@x.com; c@x.com", "a@x.com b@x.com c@x.com"),
        ("SMTP:alice@example.com", "alice@example.com"),
        ("undisclosed-recipients:;", "unknown"),
        ("alice@example.com (Alice)", "alice@example.com"),
        ("(Alice) alice@example.com", "alice@example.com"),
        ("a@x.com <b@y.com>", "a@x.com b@y.com"),
        ("<a@x.com> <b@y.com>", "a@x.com b@y.com"),
        ("alice@example.com <Alice>", "alice@example.com"),
        ("Jörg@Bücher.example", "jörg@bücher.example"),
        ("o'brien@example.com", "o'brien@example.com"),
        ("a.b+tag@example.co.uk", "a.b+tag@example.co.uk"),
        ("\"john doe\"@example.com", "\"john doe\"@example.com"),
        ("['a@x.com', 'b@x.com']", "a@x.com b@x.com"),
        ("[\"a@x.com\",\"b@x.com\"]", "a@x.com b@x.com"),
        ("{\"email\": \"a@x.com\"}", "a@x.com"),
        ("root, bob", "root bob"),
        ("$WHO", "$WHO"),
    ] {
        assert_eq!(of(&json!({ "to": list })).join(" "), expected, "{list}");
    }
}

#[test]
fn a_recipient_is_found_in_whatever_field_a_mail_tool_has() {
    for name in [
        "to",
        "To",
        "TO",
        "toRecipients",
        "to_recipients",
        "to_email",
        "toEmail",
        "toEmails",
        "to-address",
        "toAddresses",
        "emails",
        "email",
        "Email",
        "email_address",
        "emailAddress",
        "recipient",
        "recipients",
        "recipient_email",
        "recipientEmails",
        "RecipientAddress",
        "cc",
        "CC",
        "ccRecipients",
        "cc_list",
        "bcc",
        "BccRecipients",
        "bcc_emails",
        "mailto",
        "mailTo",
        "sendTo",
        "send_to",
        "forward_to",
        "emailTo",
        "destination",
        "receiver",
        "addressee",
    ] {
        for value in [
            json!("Alice@example.com"),
            json!(["alice@example.com"]),
            json!("[\"alice@example.com\"]"),
            json!([{"emailAddress": {"address": "alice@example.com", "name": "bob@x.com"}}]),
            json!({"email": "alice@example.com", "name": "Alice"}),
            json!({"Address": "alice@example.com"}),
            json!([{"mail": "alice@example.com"}]),
            json!([{"value": "alice@example.com", "type": "work"}]),
            json!([{"who": ["alice@example.com"]}]),
            json!("[{\"emailAddress\": {\"address\": \"alice@example.com\"}}]"),
        ] {
            let params = Map::from_iter([
                ("subject".to_owned(), json!("ask carol@x.com")),
                (name.to_owned(), value.clone()),
                ("from".to_owned(), json!("me@x.com")),
                ("reply_to".to_owned(), json!("me@y.com")),
            ]);
            assert_eq!(of(&Value::Object(params)), ["alice@example.com"], "{name} {value}");
        }
    }
}

#[test]
fn recipients_stand_in_objects_too() {
    for params in [
        json!({"message": {"toRecipients": [{"emailAddress": {"address": "a@x.com"}}], "ccRecipients": [{"emailAddress": {"address": "b@x.com"}}]}}),
        json!({"email": {"to": "a@x.com", "cc": ["b@x.com"], "subject": "c@x.com"}}),
        json!({"arguments": "{\"to\": [\"a@x.com\", \"b@x.com\"]}"}),
        json!({"personalizations": [{"to": [{"email": "a@x.com"}]}, {"to": [{"email": "b@x.com"}]}]}),
    ] {
        assert_eq!(of(&params), ["a@x.com", "b@x.com"], "{params}");
    }
}

#[test]
fn no_mail_is_unknown_while_an_address_stands_anywhere() {
    for (params, expected) in [
        (json!({"who": "Alice <alice@example.com>", "from": "me@x.com"}), "alice@example.com"),
        (json!({"payload": {"person": {"x": ["alice@example.com"]}}}), "alice@example.com"),
        (json!({"to": "Alice", "text": "for alice@example.com"}), "alice alice@example.com"),
        (json!({"raw": "From: me@x.com\nTo: alice@example.com\n\nhi"}), "me@x.com alice@example.com"),
        (json!({"people": {"alice@example.com": "Alice"}}), "alice@example.com"),
        (json!({"from": "me@x.com", "body": "hi"}), "me@x.com"),
        (json!({"draft_id": "r-17", "note": "hi"}), "draft/r-17"),
        (json!({"messageId": 17, "body": "hi"}), "message/17"),
        (json!({"body": "hi"}), "unknown"),
    ] {
        assert_eq!(of(&params).join(" "), expected, "{params}");
    }
}

/// Parameters of which all together are more than is read at once.
struct Huge(Value);

impl Parameters for Huge {
    fn get(&self, path: &str) -> Option<Cow<'_, Value>> {
        Parameters::get(&self.0, path)
    }

    fn all(&self) -> AllParameters<'_> {
        let fields = self.0.as_object().unwrap();
        let cut = fields.iter().map(|(name, _)| (name.clone(), json!("al"))).collect();
        AllParameters { value: Cow::Owned(Value::Object(cut)), complete: false }
    }
}

#[test]
fn a_recipient_behind_a_text_that_is_too_long_is_read_all_the_same() {
    let params =
        json!({"body": "x".repeat(3_000_000), "To": "alice@example.com", "cc_emails": ["bob@x.com"]});
    assert_eq!(of(&Huge(params)), ["alice@example.com", "bob@x.com"]);
}

#[test]
fn hostile_recipients_cost_little() {
    let deep = |levels: usize| "[".repeat(levels) + "\"a@x.com\"" + &"]".repeat(levels);
    let mut nested = json!("a@x.com");
    for _ in 0..100 {
        nested = json!({ "to": [nested.to_string().chars().take(100_000).collect::<String>(), nested] });
        if nested.to_string().len() > 1_000_000 {
            break;
        }
    }
    for params in [
        json!({"to": "a@".repeat(500_000)}),
        json!({"to": "\"".repeat(1_000_000)}),
        json!({"to": "<a@x.com".repeat(100_000)}),
        json!({"to": "mailto:".repeat(100_000)}),
        json!({"to": format!("mailto:{}", "?to=mailto:a".repeat(50_000))}),
        json!({"to": "a:".repeat(400_000)}),
        json!({"to": "%40".repeat(300_000)}),
        json!({"to": deep(100)}),
        json!({"to": deep(100_000)}),
        json!({"body": "a@x.com ".repeat(100_000)}),
        json!({"body": format!("{}@", "x&".repeat(400_000)).repeat(2)}),
        nested,
    ] {
        assert!(!of(&params).is_empty());
    }
    let list: Vec<String> = (0..100_000).map(|at| format!("p{at}@x.com")).collect();
    assert_eq!(of(&json!({ "to": list })).len(), 1_000);
}
