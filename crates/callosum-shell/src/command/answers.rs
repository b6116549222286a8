//! Interfaces of the web that are asked by POST, and change nothing: searches, queries, language models, logins.

use super::body;
use super::statements::sql_writes;

/// Ends of paths, a part each, of what is searched or asked.
#[rustfmt::skip]
const SEARCHES: &[&str] = &[
    "search", "_search", "_msearch", "_count", "query_range", "count_tokens", "embeddings", "chat/completions", "v1/completions",
];
/// The same of who logs in.
#[rustfmt::skip]
const LOGINS: &[&str] = &[
    "login", "signin", "sign-in", "auth/token", "oauth/token", "oauth2/token", "oauth2/v2.0/token", "connect/token", "openid-connect/token", "token/refresh",
];
/// What is asked in a language that may change something, too.
const QUERIES: &[&str] = &["query"];
/// Words of paths under which a query is a statement of a database's.
const DATABASES: &[&str] = &["d1", "database", "sql", "pipeline"];
/// Verbs of Slack's methods that ask: `conversations.history`.
#[rustfmt::skip]
const OF_SLACK: &[&str] = &[
    "list", "info", "history", "replies", "members", "get", "test", "lookupByEmail", "getPresence", "getPermalink", "identity", "conversations", "messages",
    "all", "files", "listConnectInvites", "teamInfo", "counts",
];

/// A request by POST, as far as its command says it.
pub(super) struct Posted<'r> {
    pub(super) host: &'r str,
    pub(super) path: &'r str,
    pub(super) query: &'r str,
    /// The texts that its body is made of.
    pub(super) texts: &'r [String],
}

/// Whether a request only asks.
pub(super) fn is_asked(request: &Posted<'_>) -> bool {
    let path = request.path;
    let ends = |ends: &[&str]| {
        ends.iter().any(|end| {
            path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        })
    };
    let last = path.rsplit('/').next().unwrap_or_default();
    match request.host {
        host if host == "slack.com" || host.ends_with(".slack.com") => {
            last.rsplit_once('.').is_some_and(|(_, verb)| OF_SLACK.contains(&verb))
        }
        // One is good for nothing by itself.
        "api.stripe.com" => path == "v1/tokens",
        _ if ends(QUERIES) => {
            let is_of_database = path.split('/').any(|part| DATABASES.contains(&part));
            // What stands in a file or a variable may change something.
            let is_told = |text: &String| !text.starts_with('$');
            let texts = request.texts;
            !is_of_database
                && !texts.is_empty()
                && texts.iter().all(|text| is_told(text) && !writes(request, text))
        }
        _ => ends(SEARCHES) || ends(LOGINS) || path == "token",
    }
}

/// Whether a body has a statement that writes, in a field of it or as it is.
fn writes(request: &Posted<'_>, text: &str) -> bool {
    let fields = ["query", "sql", "statement", "q", "stmt"];
    let named = |field: &&str| [body::in_body(text, field), body::in_form(request.query, field)].concat();
    fields.iter().flat_map(named).any(|statement| sql_writes(&statement)) || sql_writes(text)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use crate::Line;
    use crate::command::Command;

    #[test]
    fn what_only_asks_is_told_by_its_path() {
        for (line, method) in [
            ("curl -d '{}' https://es.example.com/logs/_search", "GET"),
            ("curl -d '{}' https://api.example.com/v1/search", "GET"),
            ("curl -d '{}' https://api.example.com/research", "POST"),
            ("curl -X DELETE https://api.example.com/search", "DELETE"),
            ("curl -d '{\"query\":\"select 1\"}' https://api.example.com/query", "GET"),
            ("curl -d '{\"query\":\"drop table a\"}' https://api.example.com/query", "POST"),
            ("curl -d @a.sql https://api.example.com/query", "POST"),
            ("curl -d a=b 'https://api.example.com/query?q=DROP+TABLE+a'", "POST"),
            ("curl -d 'DELETE FROM a' https://api.example.com/query", "POST"),
            ("curl -d '{}' https://api.cloudflare.com/client/v4/accounts/a/d1/database/b/query", "POST"),
            ("curl -d channel=C1 https://slack.com/api/conversations.history", "GET"),
            ("curl -d channel=C1 https://slack.com/api/conversations.archive", "POST"),
            ("curl -d '{}' https://llm.example.com/v1/chat/completions", "GET"),
            ("curl -d '{}' https://api.example.com/tasks/1/completions", "POST"),
            ("curl -d '{}' https://app.example.com/api/login", "GET"),
            ("curl -d '{}' https://app.example.com/api/login-links", "POST"),
            ("curl -d a=b https://api.stripe.com/v1/tokens", "GET"),
            ("curl -d a=b https://api.stripe.com/v1/search", "POST"),
        ] {
            let line = Line::read(line);
            let command = Command::new(line.invocations.first().unwrap());
            assert_eq!(command.requests().first().unwrap().method, method, "{line:?}");
        }
    }
}
