//! What a call of a tool says besides what the key of its rule asks for, and what tells its resource from others all the same.

use super::ids::{is_id, is_other};
use super::site::Site;
use super::template::Template;
use super::title::{NEW, spelled, without_title};
use super::{UNKNOWN, safe};
use crate::rules::tool_words::NameWords;

/// Words that stand in a key for what a rule's placeholders did not find in a call.
const NOT_FOUND: &[&str] = &["default", "primary", UNKNOWN];
/// So many ids of a call stand in such a key.
const MAX_IDS: usize = 3;
/// Gives the keys of a call what it says besides. How they were before, and before there were titles in them: evidence counts there, too.
pub(crate) fn tell_apart(templates: &[Template], keys: &mut [String], site: Site<'_, '_>) -> Vec<String> {
    let mut former: Vec<String> = keys.iter().filter_map(|key| without_title(key)).collect();
    let is_of_tool = site.words.is_some() && site.fit.is_none();
    if is_of_tool && templates.iter().any(Template::may_find_nothing) {
        for key in keys {
            if let Some(whole) = with_ids(key, site) {
                former.push(std::mem::replace(key, whole));
            }
        }
    }
    former
}

/// A key of which its rule found no more than that it is new, or the usual one there: with the ids by which the call names something that
/// the key does not have.
fn with_ids(key: &str, site: Site<'_, '_>) -> Option<String> {
    let (start, qualifiers) =
        key.split_once('@').map_or((key, ""), |(start, _)| (start, key.get(start.len()..).unwrap_or("")));
    let end = start.rsplit([':', '#', '/']).next()?;
    let is_new = end == NEW;
    if !is_new && !NOT_FOUND.contains(&end) {
        return None;
    }
    // Whom a call names besides, and not what it does something to.
    let names_persons = is_new || end != "primary" && NameWords::of_tool(&site.call.tool).makes();
    let is_person =
        |value: &str| !names_persons && value.contains('@') || value.contains(char::is_whitespace);
    let is_said = |value: &str| matches!(value, "true" | "false") || is_person(value);
    let fields = site.params.fields().own();
    let mut ids: Vec<(&str, &str)> = fields
        .filter(|(field, value)| is_id(field) && !is_other(field) && !is_said(value) && !key.contains(value))
        .collect();
    // Hosts hand on parameters in any order.
    ids.sort_unstable();
    ids.dedup_by_key(|(_, value)| *value);
    let ids: Vec<&str> = ids.into_iter().map(|(_, value)| value).take(MAX_IDS).collect();
    let ids = ids.join("/");
    match end {
        _ if ids.is_empty() => None,
        NEW => Some(format!("{start}:{}{qualifiers}", spelled(&ids)?)),
        "primary" => Some(safe(format!("{start}/{ids}{qualifiers}"))),
        _ => Some(safe(format!("{}{ids}{qualifiers}", start.strip_suffix(end)?))),
    }
}
