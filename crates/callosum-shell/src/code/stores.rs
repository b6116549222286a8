//! Databases, search engines and queues whose client is told its server before, or by whose methods it is told what is done.

use super::read::Reading;
use super::value::{Call, Given, Value, as_text};
use super::{request, words};

type Commands = Vec<Vec<String>>;

/// Verbs of object mappers that change rows.
#[rustfmt::skip]
const WRITING: &[&str] = &[
    "delete", "delete_all", "destroy", "destroy_all", "update_all", "update", "update!", "update_columns", "create", "create!", "save", "save!",
    "insert_all", "upsert_all", "bulk_create", "bulk_update", "get_or_create", "update_or_create", "touch_all", "toggle!", "increment!",
];
/// Methods of Prisma's that do.
#[rustfmt::skip]
const OF_PRISMA: &[&str] = &[
    "create", "createMany", "update", "updateMany", "upsert", "delete", "deleteMany", "$executeRaw", "$executeRawUnsafe", "createManyAndReturn",
];

/// The commands of a call.
pub(super) fn command(call: &Call, given: &Given, reading: &Reading) -> Option<Commands> {
    frames(call, given)
        .or_else(|| mongoose(call, reading))
        .or_else(|| searched(call, given))
        .or_else(|| supabase(call))
        .or_else(|| prisma(call))
        .or_else(|| blobs(call))
        .or_else(|| images(call, given))
        .or_else(|| queues(call, given))
}

/// What the object mapper of Django writes, as a migration of its database: `User.objects.all().delete()`
pub(super) fn mapped(call: &Call) -> Option<Vec<String>> {
    let writes = WRITING.contains(&call.name()) && call.before().any(|name| name == "objects");
    writes.then(|| words(&["django-admin", "migrate"]))
}

/// The same of that of Rails, whose methods are called without brackets too; and the mails that are delivered.
pub(super) fn by_rails(code: &str) -> Commands {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '!' | '?');
    let called =
        code.split('.').skip(1).map(|rest| rest.split(|c| !is_of_name(c)).next().unwrap_or_default());
    let (mut writes, mut delivers) = (false, false);
    for name in called {
        writes |= WRITING.contains(&name);
        delivers |= matches!(name, "deliver" | "deliver_now" | "deliver_later" | "deliver_now!");
    }
    let migrates = writes.then(|| words(&["rails", "db:migrate"]));
    migrates.into_iter().chain(delivers.then(|| words(&["sendmail"]))).collect()
}

/// `frame.to_sql("orders", create_engine("postgresql://…"))`
fn frames(call: &Call, given: &Given) -> Option<Commands> {
    if call.name() != "to_sql" {
        return None;
    }
    let table = given.text(&["name"], Some(0))?;
    let engine = given.value(&["con"]).or_else(|| given.placed.get(1))?;
    let address = match engine {
        Value::Chain(steps) => steps.iter().find_map(|step| step.given.as_ref()?.text(&["url"], Some(0)))?,
        value => as_text(value)?,
    };
    if address.starts_with("sqlite") {
        return Some(Vec::new());
    }
    Some(vec![words(&["psql", &address, "-c", &format!("INSERT INTO {table} VALUES (1)")])])
}

/// `mongoose.connect("mongodb://…")`, and then its models and connections.
fn mongoose(call: &Call, reading: &Reading) -> Option<Commands> {
    if !call.before().any(|name| name == "mongoose") || call.name() == "connect" {
        return None;
    }
    let connects =
        |other: &&Call| matches!(other.name(), "connect" | "createConnection") && other.has("mongoose");
    let address = reading.calls.iter().find(connects)?.given()?.text(&[], Some(0))?;
    Some(vec![words(&["mongosh", &address, "--eval", &format!("db.c.{}()", call.name())])])
}

/// `Elasticsearch("https://…").indices.delete(index="logs")`
fn searched(call: &Call, given: &Given) -> Option<Commands> {
    let made =
        ["Elasticsearch", "AsyncElasticsearch", "OpenSearch"].iter().find_map(|name| call.given_to(name))?;
    let host = match made.value(&["hosts", "node", "nodes"]).or_else(|| made.placed.first())? {
        Value::List(hosts) => as_text(hosts.first()?)?,
        value => as_text(value)?,
    };
    let index = given.text(&["index"], Some(0)).unwrap_or_default();
    let method = match call.name() {
        "delete" | "delete_by_query" | "deleteByQuery" => "DELETE",
        "index" | "create" | "update" | "bulk" | "update_by_query" | "updateByQuery" | "reindex"
        | "put_mapping" | "put_settings" | "put_alias" | "close" | "update_aliases" => "PUT",
        _ => return None,
    };
    let address = format!("{}/{index}", host.trim_end_matches('/'));
    Some(request(method, address.trim_end_matches('/'), Vec::new()))
}

/// `createClient("https://x.supabase.co", key).from("users").delete()`
fn supabase(call: &Call) -> Option<Commands> {
    let made = call.given_to("createClient").or_else(|| call.given_to("create_client"))?;
    let address =
        made.text(&["supabaseUrl", "supabase_url"], Some(0)).filter(|address| address.contains("://"))?;
    let of = |name: &str| call.given_to(name).and_then(|given| given.text(&[], Some(0)));
    let table = of("from").or_else(|| of("table")).or_else(|| of("from_"))?;
    let method = match call.name() {
        "insert" | "upsert" | "upload" => "POST",
        "update" => "PATCH",
        "delete" | "remove" => "DELETE",
        _ => return None,
    };
    Some(request(method, &format!("{}/rest/v1/{table}", address.trim_end_matches('/')), Vec::new()))
}

/// `new PrismaClient().user.deleteMany()`
fn prisma(call: &Call) -> Option<Commands> {
    let is_it = call.has("PrismaClient") && OF_PRISMA.contains(&call.name());
    is_it.then(|| vec![words(&["prisma", "db", "execute"])])
}

/// `BlobServiceClient.from_connection_string(…).get_blob_client("c", "b").upload_blob(…)`
fn blobs(call: &Call) -> Option<Commands> {
    let made = call.given_to("get_blob_client").or_else(|| call.given_to("get_container_client"))?;
    let verb = match call.name() {
        "upload_blob" => "upload",
        "delete_blob" | "delete_container" => "delete",
        _ => return None,
    };
    let container = made.text(&["container", "container_name"], Some(0))?;
    let mut command = words(&["az", "storage", "blob", verb, "--container-name", &container]);
    let blob = made.text(&["blob", "blob_name"], Some(1));
    command.extend(blob.into_iter().flat_map(|blob| words(&["--name", &blob])));
    Some(vec![command])
}

/// `docker.from_env().images.push("acme/app", tag="1")`
fn images(call: &Call, given: &Given) -> Option<Commands> {
    if call.name() != "push" || call.before().next_back() != Some("images") {
        return None;
    }
    let name = given.text(&["repository"], Some(0))?;
    let tag = given.text(&["tag"], Some(1)).map(|tag| format!(":{tag}")).unwrap_or_default();
    Some(vec![words(&["docker", "push", &format!("{name}{tag}")])])
}

/// RabbitMQ by pika and amqplib, Kafka by kafkajs.
fn queues(call: &Call, given: &Given) -> Option<Commands> {
    if call.name() == "send" && call.has("producer") {
        let brokers = match call.given_to("Kafka")?.value(&["brokers"])? {
            Value::List(brokers) => as_text(brokers.first()?)?,
            value => as_text(value)?,
        };
        let topic = given.text(&["topic"], None)?;
        return Some(vec![words(&["kcat", "-P", "-b", &brokers, "-t", &topic])]);
    }
    let (program, option, name) = match call.name() {
        "basic_publish" => ("amqp-publish", "-r", given.text(&["routing_key"], Some(1))?),
        "sendToQueue" => ("amqp-publish", "-r", given.text(&[], Some(0))?),
        "publish" if call.has("createChannel") => ("amqp-publish", "-r", given.text(&[], Some(1))?),
        "queue_purge" | "queue_delete" | "purgeQueue" | "deleteQueue" => {
            ("amqp-delete-queue", "-q", given.text(&["queue"], Some(0))?)
        }
        _ => return None,
    };
    let mut command = words(&[program, option, &name]);
    // What makes the connection is given what says where to.
    let inside = |given: &Given| {
        let steps = given.placed.iter().find_map(|value| match value {
            Value::Chain(steps) => steps.last()?.given.clone(),
            _ => None,
        });
        steps.unwrap_or_else(|| given.clone())
    };
    let made = call.given_to("BlockingConnection").map(inside);
    let made = made.or_else(|| call.given_to("connect").cloned());
    let server = made.and_then(|made| made.text(&["host", "url"], Some(0)));
    let server = server.map(|server| {
        let behind = server.split_once("://").map_or(server.as_str(), |(_, behind)| behind);
        let host = behind.split('/').next().unwrap_or(behind);
        host.rsplit_once('@').map_or(host, |(_, host)| host).to_owned()
    });
    command.extend(server.into_iter().flat_map(|server| words(&["--server", &server])));
    Some(vec![command])
}
