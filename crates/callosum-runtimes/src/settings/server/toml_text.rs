//! Our server as a table under `mcp_servers`, at the end of the text and between two lines of ours: what stands between these is ours,
//! the rest stays as it is.

use std::ops::Range;

use super::super::json_text::Misfit;
use super::{NAME, Server};

const BEGIN: &str = "# Callosum's MCP server, by `callosum install --mcp`: to the line that ends it";
const END: &str = "# End of Callosum's MCP server";
const SERVERS: &str = "mcp_servers";

pub(super) fn put_in(text: &str, server: &Server) -> Result<String, Misfit> {
    let there = checked(text)?;
    if of(&there).as_ref() == Some(server) {
        return Ok(text.to_owned());
    }
    let rest = taken_out(text)?;
    // A text of JSON is one of TOML.
    let text_of = |value: &str| serde_json::Value::from(value).to_string();
    let args: Vec<String> = server.args.iter().map(|arg| text_of(arg)).collect();
    let lines =
        format!("[{SERVERS}.{NAME}]\ncommand = {}\nargs = [{}]\n", text_of(&server.command), args.join(", "));
    // The line end before it goes with it again, whatever the text ended with.
    let before = if rest.is_empty() { "" } else { "\n" };
    let whole = format!("{rest}{before}{BEGIN}\n{lines}{END}\n");
    match whole.parse::<toml::Table>() {
        Ok(_) => Ok(whole),
        Err(_) => Err(Misfit::at(
            text,
            0,
            format!("another MCP server is called `{NAME}`, or `{SERVERS}` can't have one more"),
        )),
    }
}

pub(super) fn taken_out(text: &str) -> Result<String, Misfit> {
    checked(text)?;
    let Some(range) = block(text) else { return Ok(text.to_owned()) };
    let inside = text.get(range.clone()).unwrap_or_default().parse::<toml::Table>();
    let is_ours_alone = inside.is_ok_and(|table| {
        table.iter().all(|(name, servers)| {
            name == SERVERS && servers.as_table().is_some_and(|all| all.keys().all(|name| name == NAME))
        })
    });
    if !is_ours_alone {
        let message = "something else stands between the lines that begin and end Callosum's MCP server";
        return Err(Misfit::at(text, range.start, message));
    }
    let rest: String = [text.get(..range.start), text.get(range.end..)].into_iter().flatten().collect();
    if checked(&rest)?.get(SERVERS).and_then(|servers| servers.get(NAME)).is_some() {
        let message = format!("more of the MCP server `{NAME}` stands elsewhere in the file");
        return Err(Misfit::at(text, range.end, message));
    }
    Ok(rest)
}

pub(super) fn read(text: &str) -> Result<Option<Server>, Misfit> {
    Ok(of(&checked(text)?).filter(Server::is_ours))
}

pub(super) fn masked(text: &str) -> String {
    let ours = block(text).unwrap_or(0..0);
    let mut place = 0;
    let mut shown = String::new();
    for line in text.split_inclusive('\n') {
        let is_ours = ours.contains(&place);
        place += line.len();
        let content = line.trim_end_matches(['\r', '\n']);
        if is_ours || content.trim().is_empty() {
            shown.push_str(line);
        } else {
            shown.push('…');
            shown.push_str(line.get(content.len()..).unwrap_or_default());
        }
    }
    shown
}

/// Where ours stands, with the line end before it.
fn block(text: &str) -> Option<Range<usize>> {
    let begin = text.find(BEGIN)?;
    let end = begin + text.get(begin..)?.find(END)? + END.len();
    let end = end + usize::from(text.get(end..)?.starts_with('\n'));
    let is_first = begin == 0 || !text.get(..begin)?.ends_with('\n');
    Some(if is_first { begin } else { begin - 1 }..end)
}

fn checked(text: &str) -> Result<toml::Table, Misfit> {
    text.parse().map_err(|error: toml::de::Error| {
        Misfit::at(text, error.span().map_or(0, |span| span.start), error.message().to_owned())
    })
}

fn of(settings: &toml::Table) -> Option<Server> {
    settings.get(SERVERS)?.get(NAME)?.clone().try_into().ok()
}
