//! Of a call that changes what lies between two things: both of them, whatever kind the relation is of.

use super::fields::Fields;
use super::ids::is_id;
use crate::rules::tool_words::NameWords;
use crate::rules::words::singular;

/// Words of names for what lies between two things.
#[rustfmt::skip]
const BETWEEN: &[&str] = &[
    "associate", "association", "dependency", "disassociate", "link", "relate", "relation", "relationship", "unlink",
];
/// How the fields of its two ends begin.
#[rustfmt::skip]
const BOTH: &[(&str, &str)] = &[
    ("blocker", "blocked"), ("child", "parent"), ("first", "second"), ("from", "to"), ("inward", "outward"), ("left", "right"), ("predecessor", "successor"),
    ("source", "target"), ("source", "destination"), ("subject", "object"),
];
/// How the field of the other end begins where that of the first is only called like the thing: `issueId` and `relatedIssueId`.
const OTHER: &[&str] = &["blocked", "blocking", "duplicate", "linked", "related", "target"];

/// The field of an end without what says which end it is, and which the two are; nothing where the relation has an id of its own.
pub(super) fn ends<'f>(name: &NameWords, fields: &'f Fields) -> Option<(&'f str, Vec<String>)> {
    let relation = name.own().map(singular).find(|word| BETWEEN.contains(word))?;
    let is_its_id = |field: &str| field == "id" || field.strip_suffix("id") == Some(relation);
    // Which kind each end is of may stand beside it: then the ids alone say little.
    let is_kind = |field: &str| field.starts_with("source") && field.ends_with("type");
    if fields.own().any(|(field, _)| is_its_id(field) || is_kind(field)) {
        return None;
    }
    let both = |(one, other): &(&str, &str)| {
        let is_end = |rest: &&str| *rest == "id" || is_id(rest);
        let rest = fields.own().find_map(|(field, _)| field.strip_prefix(one).filter(is_end))?;
        pair(fields, &format!("{one}{rest}"), &format!("{other}{rest}"), rest)
    };
    let beside = || {
        let mut others = fields.own().filter_map(|(field, _)| {
            let thing = OTHER.iter().find_map(|begin| field.strip_prefix(begin))?;
            Some((field, thing))
        });
        others.find_map(|(other, thing)| pair(fields, thing, other, thing).filter(|_| thing != "id"))
    };
    BOTH.iter().find_map(both).or_else(beside)
}

/// The values of two fields, both of which must be there.
fn pair<'r>(fields: &Fields, one: &str, other: &str, rest: &'r str) -> Option<(&'r str, Vec<String>)> {
    let [one, other] = [one, other].map(|field| fields.named(field));
    let is_there = !one.is_empty() && !other.is_empty();
    is_there.then(|| (rest, one.into_iter().chain(other).collect()))
}
