//! Calls of the libraries of single services, as the request or command that does the same.

use super::read::Reading;
use super::value::{Call, Given, Value, as_text, texts};
use super::{google, machines, request, stores, teams, words};

type Commands = Vec<Vec<String>>;

/// The commands of a call.
pub(super) fn command(call: &Call, reading: &Reading) -> Option<Commands> {
    let given = call.given()?;
    mail(call, given, reading)
        .or_else(|| stripe(call, given))
        .or_else(|| chat(call, given))
        .or_else(|| twilio(call, given))
        .or_else(|| github(call, given))
        .or_else(|| octokit(call, given))
        .or_else(|| notion(call, given))
        .or_else(|| google::command(call, given))
        .or_else(|| machines::command(call, given, reading))
        .or_else(|| teams::command(call, given))
        .or_else(|| stores::command(call, given, reading))
        .or_else(|| database(call, given))
        .or_else(|| cluster(call, given))
        .or_else(|| other(call, given))
}

/// smtplib, nodemailer, yagmail, Django, Resend, SendGrid, Postmark.
fn mail(call: &Call, given: &Given, reading: &Reading) -> Option<Commands> {
    const TO: &[&str] = &["to", "to_addrs", "to_emails", "To", "recipient_list", "recipients", "receivers"];
    let of = |names: &[&str]| given.value(names).map(texts).unwrap_or_default();
    let mut to = match call.name() {
        "sendmail" => {
            let to = given.value(TO).or_else(|| given.placed.get(1));
            to.map(texts).unwrap_or_default()
        }
        "send_message" if call.before().any(|name| name.starts_with("SMTP")) => {
            let named = of(TO);
            let headers = ["To", "Cc", "Bcc"].iter().flat_map(|name| reading.set_as(name)).flat_map(texts);
            if named.is_empty() { headers.collect() } else { named }
        }
        "sendMail" | "send_email" | "sendEmail" => of(TO),
        // Django's `send_mail(subject, message, sender, recipients)`.
        "send_mail" => given.value(TO).or_else(|| given.placed.get(3)).map(texts).unwrap_or_default(),
        "Mail" if given.value(&["to_emails"]).is_some() => of(TO),
        // SendGrid's package is `@sendgrid/mail`.
        "send" | "sendMultiple" if call.before().eq(["mail"]) && given.value(TO).is_some() => of(TO),
        "send"
            if call.before().any(|name| {
                matches!(name.to_lowercase().as_str(), "emails" | "sgmail" | "yagmail" | "smtp")
            }) =>
        {
            given.value(TO).or_else(|| given.placed.first()).map(texts).unwrap_or_default()
        }
        _ => return None,
    };
    to.extend(of(&["cc", "Cc"]));
    to.extend(of(&["bcc", "Bcc"]));
    let mut command = words(&["sendmail"]);
    command.extend(to.into_iter().filter(|address| address.contains(['@', '$'])));
    Some(vec![command])
}

/// `stripe.Refund.create(charge=…)`, `stripe.paymentIntents.cancel("pi_1")`
fn stripe(call: &Call, given: &Given) -> Option<Commands> {
    let is_it = |name: &str| matches!(name, "stripe" | "Stripe" | "StripeClient");
    let mut steps = call.steps.iter().skip_while(|step| !is_it(&step.name)).skip(1).peekable();
    let resource: Vec<String> = {
        let count = steps.clone().count().checked_sub(1)?;
        let named = steps.by_ref().take(count).filter(|step| !step.name.is_empty() && !is_it(&step.name));
        named
            .filter(|step| !matches!(step.name.as_str(), "v1" | "default"))
            .map(|step| snake(&step.name))
            .collect()
    };
    let path = resource.first().map(|_| {
        resource
            .iter()
            .map(|part| if part.ends_with('s') { part.clone() } else { format!("{part}s") })
            .collect::<Vec<_>>()
            .join("/")
    })?;
    let address = format!("https://api.stripe.com/v1/{path}");
    let id = given.text(&["id"], Some(0)).map(|id| format!("/{id}")).unwrap_or_default();
    let verb = snake(call.name());
    Some(match verb.as_str() {
        "retrieve" | "list" | "search" | "all" | "auto_paging_iter" | "construct_event" => Vec::new(),
        "create" => request("POST", &address, given.fields()),
        "modify" | "update" => request("POST", &format!("{address}{id}"), given.fields()),
        "delete" | "del" => request("DELETE", &format!("{address}{id}"), Vec::new()),
        action => request("POST", &format!("{address}{id}/{action}"), given.fields()),
    })
}

/// Slack's, Telegram's and Discord's own libraries.
fn chat(call: &Call, given: &Given) -> Option<Commands> {
    const FAMILIES: &[&str] = &[
        "chat",
        "files",
        "reactions",
        "conversations",
        "pins",
        "reminders",
        "usergroups",
        "bookmarks",
        "views",
    ];
    let slack = |method: &str| request("POST", &format!("https://slack.com/api/{method}"), given.fields());
    if let Some((family, verb)) = call.name().split_once('_')
        && FAMILIES.contains(&family)
        && call.steps.len() > 1
    {
        return Some(slack(&format!("{family}.{}", verb.replace("_v2", ""))));
    }
    let before = call.before().next_back().unwrap_or_default();
    if FAMILIES.contains(&before) && call.steps.len() > 2 && given.value(&["channel", "channel_id"]).is_some()
    {
        return Some(slack(&format!("{before}.{}", call.name())));
    }
    let webhook = |name: &str| {
        matches!(name, "WebhookClient" | "IncomingWebhook" | "DiscordWebhook" | "WebhookClientV2")
    };
    let made = call.steps.iter().find(|step| {
        webhook(&step.name) || step.name == "from_url" && call.before().any(|name| name.ends_with("Webhook"))
    });
    if let Some(address) = made.and_then(|made| made.given.as_ref()?.text(&["url"], Some(0)))
        && matches!(call.name(), "send" | "execute" | "send_dict")
    {
        return Some(request("POST", &address, given.fields()));
    }
    if call
        .before()
        .any(|name| matches!(name, "Bot" | "TelegramBot" | "TeleBot" | "bot" | "node-telegram-bot-api"))
    {
        let chat = given.text(&["chat_id"], Some(0))?;
        let method = camel(call.name());
        let is_one =
            ["send", "edit", "delete", "forward", "copy", "pin"].iter().any(|verb| method.starts_with(verb));
        return is_one.then(|| {
            let fields = vec![("chat_id".to_owned(), Value::Text(chat))];
            request("POST", &format!("https://api.telegram.org/bot0/{method}"), fields)
        });
    }
    None
}

/// `Client().messages.create(to=…)`
fn twilio(call: &Call, given: &Given) -> Option<Commands> {
    let before = call.before().next_back()?;
    let kind = match before {
        "messages" => "Messages",
        "calls" => "Calls",
        _ => return None,
    };
    let to = given.value(&["to"])?.clone();
    (call.name() == "create").then(|| {
        let fields = vec![("To".to_owned(), to)];
        request("POST", &format!("https://api.twilio.com/2010-04-01/Accounts/AC0/{kind}.json"), fields)
    })
}

/// PyGithub: `Github(…).get_repo("acme/app").get_issue(12).edit(…)`
fn github(call: &Call, given: &Given) -> Option<Commands> {
    let repository = call.given_to("get_repo")?.text(&["full_name_or_id"], Some(0))?;
    if call.name().starts_with("get_") || matches!(call.name(), "Github" | "search_issues") {
        return None;
    }
    let base = format!("https://api.github.com/repos/{repository}");
    let id = |name: &str| {
        call.given_to(name).and_then(|made| made.text(&["number", "id", "id_or_file_name", "path"], Some(0)))
    };
    let item = ["get_issue", "get_pull"].iter().find_map(|name| id(name));
    let named = |names: &[&str], place| given.text(names, Some(place)).unwrap_or_default();
    let address = match (item, call.name()) {
        (Some(number), "merge") => {
            return Some(request("PUT", &format!("{base}/pulls/{number}/merge"), Vec::new()));
        }
        (Some(number), _) => format!("{base}/issues/{number}"),
        (None, "create_issue") => format!("{base}/issues"),
        (None, "create_pull") => format!("{base}/pulls"),
        (None, "create_git_release" | "create_git_tag_and_release") => {
            let tag = Value::Text(named(&["tag"], 0));
            return Some(request("POST", &format!("{base}/releases"), vec![("tag_name".to_owned(), tag)]));
        }
        (None, "create_git_ref") => {
            let name = Value::Text(named(&["ref"], 0));
            return Some(request("POST", &format!("{base}/git/refs"), vec![("ref".to_owned(), name)]));
        }
        (None, "create_file" | "update_file" | "delete_file") => {
            let branch = given.fields().into_iter().filter(|(name, _)| name == "branch").collect();
            return Some(request("PUT", &format!("{base}/contents/{}", named(&["path"], 0)), branch));
        }
        (None, "create_dispatch") => {
            format!("{base}/actions/workflows/{}/dispatches", id("get_workflow").unwrap_or_default())
        }
        (None, _) => base,
    };
    let method = if call.name().starts_with("create_") { "POST" } else { "PATCH" };
    Some(request(method, &address, Vec::new()))
}

/// `new Octokit(…).pulls.merge({owner, repo, pull_number})`, `octokit.request("POST /repos/{owner}/{repo}/issues", …)`
fn octokit(call: &Call, given: &Given) -> Option<Commands> {
    if call.name() == "request" {
        let route = given.text(&[], Some(0))?;
        let (method, path) = route.split_once(' ')?;
        let mut path = path.to_owned();
        for (name, value) in given.fields() {
            if let Some(text) = as_text(&value) {
                path = path.replace(&format!("{{{name}}}"), &text).replace(&format!("${name}"), &text);
            }
        }
        return path
            .starts_with('/')
            .then(|| request(method, &format!("https://api.github.com{path}"), given.fields()));
    }
    let family = call.before().next_back()?;
    let (owner, repository) =
        (given.value(&["owner"]).and_then(as_text)?, given.value(&["repo"]).and_then(as_text)?);
    let verb = snake(call.name());
    if ["get", "list", "check", "compare", "download"].iter().any(|asking| verb.starts_with(asking)) {
        return Some(Vec::new());
    }
    let base = format!("https://api.github.com/repos/{owner}/{repository}");
    let of = |names: &[&str]| given.value(names).and_then(as_text);
    let (method, path) = match (family, of(&["issue_number", "pull_number", "number"])) {
        ("pulls", Some(number)) if verb == "merge" => ("PUT", format!("/pulls/{number}/merge")),
        (_, Some(number)) => ("PATCH", format!("/issues/{number}")),
        ("issues" | "pulls", None) => ("POST", format!("/{family}")),
        ("actions", None) => match of(&["workflow_id"]) {
            Some(workflow) => ("POST", format!("/actions/workflows/{workflow}/dispatches")),
            None => {
                ("POST", of(&["run_id"]).map(|run| format!("/actions/runs/{run}/rerun")).unwrap_or_default())
            }
        },
        ("git", None) => match of(&["ref"]) {
            Some(name) if verb == "create_ref" => {
                return Some(request(
                    "POST",
                    &format!("{base}/git/refs"),
                    vec![("ref".to_owned(), Value::Text(name))],
                ));
            }
            Some(name) => ("PATCH", format!("/git/refs/{}", name.trim_start_matches("refs/"))),
            None => return Some(Vec::new()),
        },
        ("repos", None) if verb.contains("release") => match of(&["release_id"]) {
            Some(release) => ("PATCH", format!("/releases/{release}")),
            None => ("POST", "/releases".to_owned()),
        },
        ("repos", None) if verb.contains("file_contents") || verb == "delete_file" => {
            ("PUT", format!("/contents/{}", of(&["path"]).unwrap_or_default()))
        }
        ("repos", None) => ("PATCH", String::new()),
        _ => return None,
    };
    Some(request(method, &format!("{base}{path}"), given.fields()))
}

/// `Client(…).pages.update("…")`, `notion.blocks.children.append({block_id})`
fn notion(call: &Call, given: &Given) -> Option<Commands> {
    let before: Vec<&str> = call.before().collect();
    let id = |name: &str| given.text(&[name], Some(0));
    let (method, path) = match (before.as_slice(), call.name()) {
        ([.., "pages"], "update") => ("PATCH", format!("pages/{}", id("page_id")?)),
        ([.., "pages"], "create") if given.value(&["parent"]).is_some() => ("POST", "pages".to_owned()),
        ([.., "children"], "append") => ("PATCH", format!("blocks/{}/children", id("block_id")?)),
        ([.., "blocks"], "update") => ("PATCH", format!("blocks/{}", id("block_id")?)),
        ([.., "blocks"], "delete") => ("DELETE", format!("blocks/{}", id("block_id")?)),
        ([.., "databases"], "update") => ("PATCH", format!("databases/{}", id("database_id")?)),
        _ => return None,
    };
    Some(request(method, &format!("https://api.notion.com/v1/{path}"), given.fields()))
}

/// Statements: psycopg, PyMySQL, SQLAlchemy, asyncpg, node-postgres, mysql2; MongoDB's and Redis' clients.
fn database(call: &Call, given: &Given) -> Option<Commands> {
    let makers = [
        "connect",
        "create_engine",
        "create_pool",
        "Client",
        "Pool",
        "createConnection",
        "createPool",
        "postgres",
        "neon",
    ];
    let made = call.steps.iter().find(|step| step.given.is_some() && makers.contains(&step.name.as_str()));
    if let Some(made) = made
        && matches!(
            call.name(),
            "execute"
                | "executemany"
                | "query"
                | "exec_driver_sql"
                | "exec"
                | "exec_params"
                | "fetch"
                | "fetchrow"
                | "fetchval"
                | "unsafe"
        )
        && let Some(statement) = given.placed.first().and_then(as_text)
    {
        let root = call.steps.first().map_or("", |step| step.name.as_str());
        let own = made.given.as_ref()?;
        if matches!(root, "sqlite3" | "duckdb" | "aiosqlite") {
            return Some(Vec::new());
        }
        let of = |names: &[&str]| own.value(names).and_then(as_text);
        let address = own.text(&["dsn", "conninfo", "connectionString", "url", "uri"], Some(0));
        let is_mysql = root.to_lowercase().contains("mysql")
            || address.as_ref().is_some_and(|address| address.starts_with("mysql"));
        let mut command = words(&[if is_mysql { "mysql" } else { "psql" }]);
        match (address, of(&["host", "unix_socket"])) {
            (Some(address), _) => command.push(address),
            (None, Some(host)) => {
                command.extend(words(&["-h", &host]));
                command.extend(
                    of(&["database", "dbname", "db"])
                        .into_iter()
                        .flat_map(|name| words(&[if is_mysql { "-D" } else { "-d" }, &name])),
                );
            }
            (None, None) => {}
        }
        command.extend(words(&[if is_mysql { "-e" } else { "-c" }, &statement]));
        return Some(vec![command]);
    }
    if let Some(made) = call.given_to("MongoClient") {
        let method = camel(call.name());
        let address = made.text(&["host", "uri"], Some(0));
        let mut command = words(&["mongosh"]);
        command.extend(address);
        command.extend(words(&["--eval", &format!("db.c.{method}()")]));
        return (!matches!(method.as_str(), "MongoClient" | "connect" | "db" | "collection"))
            .then(|| vec![command]);
    }
    if let Some(made) = call.steps.iter().find(|step| {
        matches!(
            step.name.as_str(),
            "Redis" | "StrictRedis" | "from_url" | "createClient" | "IORedis" | "ioredis"
        ) && step.given.is_some()
    }) && call.before().any(|name| {
        matches!(name.to_lowercase().as_str(), "redis" | "strictredis" | "ioredis" | "createclient")
    }) && call.name() != made.name
    {
        let own = made.given.as_ref()?;
        let mut command = words(&["redis-cli"]);
        if let Some(address) =
            own.text(&["url"], Some(0)).filter(|address| address.contains("://") || address.starts_with('$'))
        {
            command.extend(words(&["-u", &address]));
        } else {
            // Without one it is this machine's.
            let host = own.text(&["host"], Some(0)).unwrap_or_else(|| "localhost".to_owned());
            command.extend(words(&["-h", &host]));
        }
        command.push(call.name().to_uppercase());
        return Some(vec![command]);
    }
    None
}

/// The client of Kubernetes: `delete_namespaced_pod("web-0", "shop")`
fn cluster(call: &Call, given: &Given) -> Option<Commands> {
    let (verb, kind) = call.name().split_once("_namespaced_")?;
    let is_new = verb == "create";
    let kind = kind.replace("_scale", "").replace("_status", "").replace('_', "");
    let name = given.text(&["name"], if is_new { None } else { Some(0) }).unwrap_or_else(|| "*".to_owned());
    let namespace =
        given.text(&["namespace"], Some(usize::from(!is_new))).unwrap_or_else(|| "default".to_owned());
    matches!(verb, "delete" | "create" | "patch" | "replace").then(|| {
        vec![words(&["kubectl", "-n", &namespace, if is_new { "create" } else { "delete" }, &kind, &name])]
    })
}

/// Registries of models, social networks, queues.
fn other(call: &Call, given: &Given) -> Option<Commands> {
    let text = |names: &[&str], place: usize| given.text(names, Some(place));
    let command = match call.name() {
        "upload_folder" | "upload_file" | "upload_large_folder" | "create_commit" => {
            words(&["hf", "upload", &given.value(&["repo_id"]).and_then(as_text)?])
        }
        "push_to_hub" => words(&["hf", "upload", &text(&["repo_id"], 0)?]),
        "create_repo" | "delete_repo" if call.before().any(|name| name == "HfApi") => {
            words(&["hf", "repo", call.name().split('_').next().unwrap_or_default(), &text(&["repo_id"], 0)?])
        }
        "submit" | "submit_image" | "submit_video" => {
            let of = call.given_to("subreddit")?.text(&["display_name"], Some(0))?;
            words(&["reddit", "post", "--subreddit", &of])
        }
        "create_tweet" | "update_status" | "tweet" => words(&["xurl", "post", ""]),
        "status_post" | "toot" => words(&["toot", "post", ""]),
        "send_post" => words(&["bsky", "post", ""]),
        "send" | "produce" if call.has("KafkaProducer") || call.has("Producer") => {
            let made = call.given_to("KafkaProducer").or_else(|| call.given_to("Producer"))?;
            let servers = made.text(&["bootstrap_servers", "bootstrap.servers"], None).unwrap_or_default();
            words(&["kcat", "-P", "-b", &servers, "-t", &text(&["topic"], 0)?])
        }
        _ => return None,
    };
    Some(vec![command])
}

/// `PaymentIntent` and `paymentIntents` as `payment_intent`, `payment_intents`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// `send_message` as `sendMessage`.
fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut name, part| {
        let mut letters = part.chars();
        name.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        name.push_str(letters.as_str());
        name
    })
}
