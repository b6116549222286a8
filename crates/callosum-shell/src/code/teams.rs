//! Where teams write to each other and keep their work: GitLab, Jira, Linear, Discord, Telegram, X, Reddit.

use super::value::{Call, Given, Value, as_text};
use super::{request, words};

type Commands = Vec<Vec<String>>;

/// The commands of a call.
pub(super) fn command(call: &Call, given: &Given) -> Option<Commands> {
    gitlab(call, given)
        .or_else(|| github(call, given))
        .or_else(|| jira(call, given))
        .or_else(|| linear(call, given))
        .or_else(|| discord(call))
        .or_else(|| telegram(call, given))
        .or_else(|| x(call, given))
        .or_else(|| reddit(call))
}

fn text(value: String) -> Value {
    Value::Text(value)
}

/// `Gitlab("https://gitlab.com").projects.get("acme/app").issues.create({…})`
fn gitlab(call: &Call, given: &Given) -> Option<Commands> {
    let made = call.given_to("Gitlab")?;
    let host = made.text(&["url"], Some(0)).unwrap_or_else(|| "https://gitlab.com".to_owned());
    let base = format!("{}/api/v4", host.trim_end_matches('/'));
    let mut steps = call.steps.iter().skip_while(|step| step.name != "Gitlab").skip(1).peekable();
    let mut path = String::new();
    let mut verb = "";
    while let Some(step) = steps.next() {
        match (step.name.as_str(), &step.given) {
            ("get", Some(of)) if steps.peek().is_some() => {
                path.push('/');
                path.push_str(&of.text(&["id", "iid"], Some(0))?.replace('/', "%2F"));
            }
            (name, Some(_)) if steps.peek().is_none() => verb = name,
            (name, _) => {
                path.push('/');
                path.push_str(if name == "mergerequests" { "merge_requests" } else { name });
            }
        }
    }
    let id = || given.text(&["id"], Some(0)).map(|id| format!("/{id}")).unwrap_or_default();
    let (method, address) = match verb {
        "create" => ("POST", format!("{base}{path}")),
        "update" | "save" => {
            ("PUT", format!("{base}{path}{}", if verb == "update" { id() } else { String::new() }))
        }
        "delete" => ("DELETE", format!("{base}{path}{}", id())),
        "merge" => ("PUT", format!("{base}{path}/merge")),
        "approve" | "play" | "retry" | "cancel" | "trigger_pipeline" | "archive" | "share" | "transfer"
        | "star" => ("POST", format!("{base}{path}/{verb}")),
        _ => return Some(Vec::new()),
    };
    Some(request(method, &address, given.fields()))
}

/// Repositories that PyGithub makes, and the client of Ruby's `octokit`, whose calls name the repository first.
fn github(call: &Call, given: &Given) -> Option<Commands> {
    if call.name() == "create_repo" && call.has("Github") {
        let owner = call.given_to("get_organization").and_then(|made| made.text(&["login", "org"], Some(0)));
        let name = text(given.text(&["name"], Some(0))?);
        let path = owner.map_or_else(|| "user/repos".to_owned(), |owner| format!("orgs/{owner}/repos"));
        return Some(request(
            "POST",
            &format!("https://api.github.com/{path}"),
            vec![("name".to_owned(), name)],
        ));
    }
    if !call.has("Octokit") || !call.before().eq(["Octokit", "Client", "new"]) {
        return None;
    }
    let repository = given.text(&[], Some(0)).filter(|name| name.contains('/'))?;
    let base = format!("https://api.github.com/repos/{repository}");
    let number = || given.text(&[], Some(1)).unwrap_or_default();
    let (method, path) = match call.name() {
        "create_issue" => ("POST", "/issues".to_owned()),
        "create_pull_request" => ("POST", "/pulls".to_owned()),
        "create_release" => ("POST", "/releases".to_owned()),
        "add_comment"
        | "close_issue"
        | "reopen_issue"
        | "update_issue"
        | "lock_issue"
        | "add_labels_to_an_issue" => ("PATCH", format!("/issues/{}", number())),
        "merge_pull_request" => ("PUT", format!("/pulls/{}/merge", number())),
        "close_pull_request" | "update_pull_request" => ("PATCH", format!("/pulls/{}", number())),
        "create_contents" | "update_contents" | "delete_contents" => {
            ("PUT", format!("/contents/{}", number()))
        }
        name if ["create_", "delete_", "update_", "edit_", "add_", "remove_"]
            .iter()
            .any(|verb| name.starts_with(verb)) =>
        {
            ("PATCH", String::new())
        }
        _ => return None,
    };
    Some(request(method, &format!("{base}{path}"), Vec::new()))
}

/// `JIRA("https://acme.atlassian.net").add_comment("OPS-1", "done")`
fn jira(call: &Call, given: &Given) -> Option<Commands> {
    let made = call.given_to("JIRA").or_else(|| call.given_to("Jira"))?;
    let server = made.text(&["server", "url"], Some(0)).unwrap_or_else(|| "$JIRA".to_owned());
    let base = format!("{}/rest/api/2/issue", server.trim_end_matches('/'));
    let key = || {
        let own = call.given_to("issue").and_then(|issue| issue.text(&["id", "key"], Some(0)));
        own.or_else(|| match given.value(&["issue", "issue_key"]).or_else(|| given.placed.first()) {
            // An issue that was fetched before.
            Some(Value::Chain(steps)) => {
                steps.iter().find(|step| step.name == "issue")?.given.as_ref()?.text(&["id", "key"], Some(0))
            }
            value => value.and_then(as_text),
        })
    };
    match call.name() {
        "create_issue" | "create_issues" | "issue_create" => {
            let project = given.value(&["fields"]).and_then(|fields| match fields {
                Value::Map(fields) => {
                    fields.iter().find(|(name, _)| name == "project").map(|(_, value)| value.clone())
                }
                _ => None,
            });
            let project = match given.value(&["project"]).cloned().or(project) {
                Some(Value::Map(fields)) => fields.into_iter().next().map(|(_, value)| value),
                other => other,
            };
            let project = Value::Map(vec![("key".to_owned(), project.unwrap_or(Value::Open))]);
            let fields = Value::Map(vec![("project".to_owned(), project)]);
            Some(request("POST", &base, vec![("fields".to_owned(), fields)]))
        }
        "add_comment"
        | "transition_issue"
        | "assign_issue"
        | "add_attachment"
        | "add_worklog"
        | "add_watcher"
        | "create_issue_link"
        | "delete_issue"
        | "update_issue_field"
        | "issue_add_comment"
        | "set_issue_status"
        | "update"
        | "delete"
        | "add_issues_to_sprint"
        | "update_comment" => Some(request("PUT", &format!("{base}/{}", key()?), Vec::new())),
        _ => None,
    }
}

/// `new LinearClient({…}).createIssue({teamId, title})`
fn linear(call: &Call, given: &Given) -> Option<Commands> {
    if !call.has("LinearClient") {
        return None;
    }
    let acts = ["create", "update", "delete", "archive"].iter().any(|verb| call.name().starts_with(verb));
    let inside: Vec<String> = given
        .fields()
        .iter()
        .filter_map(|(name, value)| Some(format!("{name}:\"{}\"", as_text(value)?.replace('"', ""))))
        .chain(given.placed.first().and_then(as_text).map(|id| format!("id:\"{id}\"")))
        .collect();
    let query = format!("mutation{{{}(input:{{{}}}){{success}}}}", call.name(), inside.join(","));
    acts.then(|| request("POST", "https://api.linear.app/graphql", vec![("query".to_owned(), text(query))]))
}

/// `client.get_channel(1).send("hi")`, `client.channels.cache.get("1").send("hi")`
fn discord(call: &Call) -> Option<Commands> {
    let channels = call.before().any(|name| name == "channels");
    let of = |name: &str| call.given_to(name).and_then(|made| made.text(&["id"], Some(0)));
    let own = || of("get_channel").or_else(|| of("fetch_channel")).or_else(|| of("get_partial_messageable"));
    let cached = || of("get").or_else(|| of("fetch")).filter(|_| channels);
    let channel = own().or_else(cached)?;
    let acts = matches!(
        call.name(),
        "send" | "delete" | "edit" | "create_thread" | "purge" | "bulkDelete" | "setName" | "setTopic"
    );
    acts.then(|| {
        request("POST", &format!("https://discord.com/api/v10/channels/{channel}/messages"), Vec::new())
    })
}

/// Telethon, Pyrogram, and the bots of JavaScript.
fn telegram(call: &Call, given: &Given) -> Option<Commands> {
    let is_client = |name: &str| matches!(name, "TelegramClient" | "pyrogram" | "Telegraf");
    if !call.before().any(is_client) {
        return None;
    }
    let verb = call.name().trim_start_matches("telegram.");
    let acts =
        ["send", "edit", "delete", "forward", "pin", "copy"].iter().any(|begin| verb.starts_with(begin));
    let chat = given.text(&["chat_id", "entity", "chatId"], Some(0)).filter(|_| acts)?;
    let fields = vec![("chat_id".to_owned(), text(chat))];
    Some(request("POST", "https://api.telegram.org/bot0/sendMessage", fields))
}

/// Tweepy, beside new posts.
fn x(call: &Call, given: &Given) -> Option<Commands> {
    if !call.has("tweepy") {
        return None;
    }
    let verb = match call.name() {
        "like" | "create_favorite" => "like",
        "unlike" | "destroy_favorite" => "unlike",
        "retweet" => "repost",
        "unretweet" => "unrepost",
        "delete_tweet" | "destroy_status" => "delete",
        "follow_user" | "follow" | "create_friendship" => "follow",
        "unfollow_user" | "unfollow" | "destroy_friendship" => "unfollow",
        "create_direct_message" | "send_direct_message" => "dm",
        "block" | "create_block" => "block",
        "mute" | "create_mute" => "mute",
        _ => return None,
    };
    let of = given
        .text(&["tweet_id", "id", "target_user_id", "user_id", "participant_id", "recipient_id"], Some(0));
    Some(vec![words(&["xurl", verb, &of.unwrap_or_else(|| "$_".to_owned())])])
}

/// PRAW, beside new posts: `reddit.submission("abc").reply("x")`
fn reddit(call: &Call) -> Option<Commands> {
    if !call.has("Reddit") {
        return None;
    }
    let of =
        |name: &str| call.given_to(name).and_then(|made| made.text(&["id", "name", "display_name"], Some(0)));
    let acts = matches!(
        call.name(),
        "reply"
            | "upvote"
            | "downvote"
            | "delete"
            | "edit"
            | "message"
            | "crosspost"
            | "remove"
            | "approve"
            | "ban"
            | "add"
    );
    let id =
        of("submission").or_else(|| of("comment")).or_else(|| of("redditor")).or_else(|| of("subreddit"));
    acts.then(|| vec![words(&["reddit", "comment", "--id", &id.unwrap_or_else(|| "$_".to_owned())])])
}
