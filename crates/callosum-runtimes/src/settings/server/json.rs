//! Our server as an object under `mcpServers`.

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use super::super::json_text::{self, Container, Misfit, parse, with_object};
use super::{NAME, Server};

const SERVERS: &str = "mcpServers";

pub(super) fn put_in(text: &str, takes_comments: bool, server: &Server) -> Result<String, Misfit> {
    let (mark, json) = without_mark(text, takes_comments);
    let mut edited = json.to_owned();
    while let Some(next) = next_addition(&edited, takes_comments, server)? {
        edited = next;
    }
    Ok(mark.to_owned() + &edited)
}

fn next_addition(text: &str, takes_comments: bool, server: &Server) -> Result<Option<String>, Misfit> {
    let Some(root) = parse(text, takes_comments)? else { return Ok(Some(with_object(text))) };
    let servers = servers(text, &root)?;
    let Some(servers) = servers else {
        let empty = serde_json::Map::new();
        return Ok(Container::new(text, &root).map(|root| root.append(Some(SERVERS), &empty)));
    };
    let place = Container::new(text, &servers.value);
    match own(text, servers)? {
        None => Ok(place.map(|place| place.append(Some(NAME), server))),
        Some((_, there)) if there == *server => Ok(None),
        Some((number, _)) => Ok(place.map(|place| place.without(number))),
    }
}

pub(super) fn taken_out(text: &str, takes_comments: bool) -> Result<String, Misfit> {
    let (mark, json) = without_mark(text, takes_comments);
    let Some(root) = parse(json, takes_comments)? else { return Ok(text.to_owned()) };
    let Some(servers) = servers(json, &root)? else { return Ok(text.to_owned()) };
    let Ok(Some((number, _))) = own(json, servers) else { return Ok(text.to_owned()) };
    let place = Container::new(json, &servers.value);
    let is_alone = place.as_ref().is_some_and(|place| place.holds_only(number));
    let all = root
        .as_object()
        .and_then(|root| root.properties.iter().position(|property| property.name.as_str() == SERVERS));
    let without = if is_alone {
        Container::new(json, &root).zip(all).map(|(root, number)| root.without(number))
    } else {
        place.map(|place| place.without(number))
    };
    Ok(mark.to_owned() + &without.unwrap_or_else(|| json.to_owned()))
}

pub(super) fn read(text: &str, takes_comments: bool) -> Result<Option<Server>, Misfit> {
    let (_, json) = without_mark(text, takes_comments);
    let Some(root) = parse(json, takes_comments)? else { return Ok(None) };
    let Some(servers) = servers(json, &root)? else { return Ok(None) };
    // Another one of the name is none of ours.
    Ok(own(json, servers).ok().flatten().map(|(_, server)| server))
}

pub(super) fn masked(text: &str, takes_comments: bool) -> Result<String, Misfit> {
    let (mark, json) = without_mark(text, takes_comments);
    let root = parse(json, takes_comments)?;
    let ours = match &root {
        Some(root) => servers(json, root)?.and_then(entry),
        None => None,
    };
    let mut shown = Vec::new();
    for property in ours.map(|ours| ours.properties.as_slice()).unwrap_or_default() {
        match &property.value {
            Value::Array(list) => shown.extend(list.elements.iter().map(Ranged::range)),
            other => shown.push(other.range()),
        }
    }
    Ok(mark.to_owned() + &json_text::masked(json, takes_comments, &shown)?)
}

/// The property that holds the servers.
fn servers<'v, 't>(text: &str, root: &'v Value<'t>) -> Result<Option<&'v ObjectProp<'t>>, Misfit> {
    let Value::Object(object) = root else {
        return Err(Misfit::at(text, root.start(), "the settings are not a JSON object"));
    };
    let mut found = object.properties.iter().filter(|property| property.name.as_str() == SERVERS);
    let first = found.next();
    if let Some(other) = first.filter(|first| first.value.as_object().is_none()) {
        return Err(Misfit::at(text, other.value.start(), format!("`{SERVERS}` is not a JSON object")));
    }
    match found.next() {
        Some(second) => Err(Misfit::at(text, second.start(), format!("`{SERVERS}` occurs twice"))),
        None => Ok(first),
    }
}

fn entry<'v, 't>(servers: &'v ObjectProp<'t>) -> Option<&'v Object<'t>> {
    servers.value.as_object()?.get_object(NAME)
}

/// Our server, and which of them it is.
fn own(text: &str, servers: &ObjectProp<'_>) -> Result<Option<(usize, Server)>, Misfit> {
    let all = servers.value.as_object().map(|all| all.properties.as_slice()).unwrap_or_default();
    let Some(number) = all.iter().position(|property| property.name.as_str() == NAME) else {
        return Ok(None);
    };
    let value = all.get(number).map(|property| serde_json::Value::from(property.value.clone()));
    let server = value.and_then(|value| serde_json::from_value::<Server>(value).ok());
    match server.filter(Server::is_ours) {
        Some(server) => Ok(Some((number, server))),
        None => Err(Misfit::at(
            text,
            all.get(number).map_or(0, Ranged::start),
            format!("another MCP server is called `{NAME}`"),
        )),
    }
}

/// The byte order mark that some editors begin a file with, and the rest. Who takes no comments takes no mark either.
fn without_mark(text: &str, takes_comments: bool) -> (&str, &str) {
    let is_marked = takes_comments && text.starts_with('\u{feff}');
    text.split_at(if is_marked { '\u{feff}'.len_utf8() } else { 0 })
}
