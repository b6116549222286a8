//! What a lint says of `onConflict` and `limit`.

use callosum_core::rules::lint::{WarningKind, lint};
use serde_json::{Value, json};

use super::rules;

#[test]
fn what_stops_nothing_or_too_much_is_told() {
    let limit = |per: &str| json!({"count": 2, "windowMs": 1000, "per": per});
    let text = rules(&[
        json!({"tool": "mail", "tier": 2, "onConflict": "ask", "limit": limit("rule")}),
        json!({"tool": "message", "tier": 3, "contextKey": "k", "onConflict": "block", "limit": limit("key")}),
        json!({"tool": "cron", "tier": 3, "contextKey": "k", "scope": "otherSessions", "onConflict": "block"}),
        json!({"tool": "gateway", "tier": 4, "limit": limit("key")}),
        json!({"tool": "nodes", "tier": 4, "limit": limit("session"), "onConflict": "note"}),
    ]);
    let found = lint(&text);
    assert_eq!(found.errors, []);
    let told: Vec<(&str, WarningKind)> = found
        .warnings
        .iter()
        .filter(|warning| !matches!(warning.kind, WarningKind::UnknownTool | WarningKind::NoContextKey))
        .map(|warning| (warning.rule.as_str(), warning.kind))
        .collect();
    assert_eq!(
        told,
        [
            ("0", WarningKind::StopsNothing),
            ("0", WarningKind::StopsNothing),
            ("1", WarningKind::BlocksItself),
            ("3", WarningKind::CountsApart),
        ]
    );
}

#[test]
fn a_wrong_limit_is_told_with_what_is_wrong() {
    let error = |limit: Value| {
        let found = lint(&rules(&[json!({"tier": 3, "contextKey": "k", "limit": limit})]));
        found.errors.first().map(|error| error.message.clone()).unwrap_or_default()
    };
    for (limit, says) in [
        (
            json!({"count": 0, "windowMs": 1, "per": "rule"}),
            "`limit`: `count` must be a whole number from 1 to 1000",
        ),
        (
            json!({"count": 1001, "windowMs": 1, "per": "rule"}),
            "`count` must be a whole number from 1 to 1000",
        ),
        (json!({"count": 1, "windowMs": 0, "per": "rule"}), "`limit`: `windowMs` is 0"),
        (json!({"count": 1, "windowMs": -1, "per": "rule"}), "`limit`: `windowMs`: "),
        (json!({"count": 1, "windowMs": 1, "per": "runtime"}), "`limit`: `per`: unknown value `runtime`"),
        (json!({"count": 1, "windowMs": 1}), "`limit`: `per` is missing"),
        (json!({"count": 1, "per": "rule"}), "`limit`: `windowMs` is missing"),
        (json!({"windowMs": 1, "per": "rule"}), "`limit`: `count` is missing"),
        (json!({"counts": 1}), "unknown field `counts`: did you mean `count`?"),
        (json!(5), "invalid type"),
    ] {
        let told = error(limit.clone());
        assert!(told.contains(says), "{limit}: {told}");
    }
    let found = lint(&rules(&[json!({"tier": 3, "contextKey": "k", "onConflict": "asks"})]));
    assert!(
        found.errors[0].message.contains("`onConflict`: unknown value `asks`: did you mean `ask`?"),
        "{found:?}"
    );
}
