//! Google's libraries: the client of all its interfaces (`build("drive", "v3")`, `google.drive({version: "v3"})`), gspread, and those of its
//! cloud.

use super::value::{Call, Given, Value, as_text};
use super::{request, words};

type Commands = Vec<Vec<String>>;

/// Methods that change something.
#[rustfmt::skip]
const ACTING: &[&str] = &[
    "insert", "update", "patch", "delete", "send", "create", "copy", "batchUpdate", "append", "clear", "trash", "untrash", "modify", "batchModify",
    "batchDelete", "move", "import", "import_", "quickAdd", "publish", "emptyTrash", "batchClear", "setIamPolicy", "start", "stop", "reset", "resize",
    "enable", "disable", "run", "cancel", "undelete",
];
/// Methods of gspread's sheets that change nothing.
#[rustfmt::skip]
const ASKING_OF_SHEETS: &[&str] = &[
    "get", "find", "findall", "row_values", "col_values", "acell", "cell", "range", "worksheet", "worksheets", "sheet1", "title", "export", "list",
    "batch_get", "fetch", "values_get", "row_count", "col_count", "open", "open_by_key", "open_by_url", "lastUpdateTime", "id", "url",
];

/// The commands of a call.
pub(super) fn command(call: &Call, given: &Given) -> Option<Commands> {
    discovered(call, given)
        .or_else(|| sheets(call))
        .or_else(|| stored(call))
        .or_else(|| published(call, given))
        .or_else(|| tables(call, given))
        .or_else(|| documents(call))
        .or_else(|| secrets(call, given))
}

/// `build("calendar", "v3").events().insert(calendarId="primary", body=…)`
fn discovered(call: &Call, given: &Given) -> Option<Commands> {
    let service = match call.given_to("build").and_then(|made| made.text(&["serviceName"], Some(0))) {
        Some(service) => service,
        None => {
            let [root, made, ..] = call.steps.as_slice() else { return None };
            let is_made = root.name == "google" && made.given.as_ref()?.value(&["version"]).is_some();
            is_made.then(|| made.name.clone())?
        }
    };
    if !ACTING.contains(&call.name()) {
        return None;
    }
    let of = |names: &[&str]| given.value(names).and_then(as_text);
    let resource = call.before().next_back().unwrap_or_default();
    let method = match call.name() {
        "delete" | "batchDelete" => "DELETE",
        "update" | "patch" => "PATCH",
        _ => "POST",
    };
    let address = match service.as_str() {
        "gmail" if call.name() == "send" => return Some(vec![words(&["sendmail"])]),
        // One's own mailbox.
        "gmail" => return Some(Vec::new()),
        "calendar" => {
            let calendar = of(&["calendarId"]).unwrap_or_else(|| "primary".to_owned());
            let event = of(&["eventId"]).map(|event| format!("/{event}")).unwrap_or_default();
            format!("https://www.googleapis.com/calendar/v3/calendars/{calendar}/events{event}")
        }
        "drive" => {
            let file = of(&["fileId"]).map(|file| format!("/{file}")).unwrap_or_default();
            format!("https://www.googleapis.com/drive/v3/files{file}")
        }
        "sheets" | "docs" | "slides" | "forms" => {
            let (kind, names) = match service.as_str() {
                "sheets" => ("v4/spreadsheets", &["spreadsheetId"]),
                "docs" => ("v1/documents", &["documentId"]),
                "forms" => ("v1/forms", &["formId"]),
                _ => ("v1/presentations", &["presentationId"]),
            };
            let id = of(names).map(|id| format!("/{id}")).unwrap_or_default();
            format!("https://{service}.googleapis.com/{kind}{id}")
        }
        other => {
            let named =
                given.named.iter().filter(|(name, _)| !matches!(name.as_str(), "body" | "requestBody"));
            let ids: Vec<String> = named.filter_map(|(_, value)| as_text(value)).collect();
            format!("https://{other}.googleapis.com/{resource}/{}", ids.join("/"))
        }
    };
    Some(request(method, address.trim_end_matches('/'), Vec::new()))
}

/// `gspread.service_account().open_by_key("1x").sheet1.update("A1", …)`
fn sheets(call: &Call) -> Option<Commands> {
    if !call.has("gspread") {
        return None;
    }
    let id = ["open_by_key", "open_by_url", "open"]
        .iter()
        .find_map(|name| call.given_to(name)?.text(&[], Some(0)))?;
    let id =
        id.rsplit_once("/d/").map_or(id.as_str(), |(_, behind)| behind.split('/').next().unwrap_or(behind));
    let asks = call.name().starts_with("get_") || ASKING_OF_SHEETS.contains(&call.name());
    (!asks).then(|| {
        request("PUT", &format!("https://sheets.googleapis.com/v4/spreadsheets/{id}/values"), Vec::new())
    })
}

/// `storage.Client().bucket("b").blob("k").upload_from_filename("f")`
fn stored(call: &Call) -> Option<Commands> {
    let of = |names: &[&str]| names.iter().find_map(|name| call.given_to(name)?.text(&[], Some(0)));
    let bucket = of(&["bucket", "get_bucket", "create_bucket"])
        .filter(|_| call.has("Client") || call.has("Storage"))?;
    let file = of(&["blob", "get_blob", "file"]).map(|file| format!("/{file}")).unwrap_or_default();
    let target = format!("gs://{bucket}{file}");
    let verb = call.name();
    let is_put = verb.starts_with("upload")
        || matches!(
            verb,
            "save" | "compose" | "rewrite" | "make_public" | "makePublic" | "patch" | "create_bucket"
        );
    match verb {
        "delete" | "deleteFiles" | "delete_blob" | "delete_blobs" => {
            Some(vec![words(&["gsutil", "rm", &target])])
        }
        _ if is_put => Some(vec![words(&["gsutil", "cp", "-", &target])]),
        _ => None,
    }
}

/// `PublisherClient().publish(publisher.topic_path("acme", "orders"), b"x")`
fn published(call: &Call, given: &Given) -> Option<Commands> {
    if call.name() != "publish" || !call.has("PublisherClient") {
        return None;
    }
    let named = match given.value(&["topic"]).or_else(|| given.placed.first())? {
        Value::Chain(steps) => {
            let parts = steps.last()?.given.as_ref()?;
            (parts.text(&[], Some(0))?, parts.text(&[], Some(1))?)
        }
        value => {
            let path = as_text(value)?;
            let mut parts = path.split('/').skip(1).step_by(2).map(str::to_owned);
            (parts.next()?, parts.next()?)
        }
    };
    Some(vec![words(&["gcloud", "pubsub", "topics", "publish", &named.1, "--project", &named.0])])
}

/// `bigquery.Client(project="acme").query("DELETE …")`
fn tables(call: &Call, given: &Given) -> Option<Commands> {
    if !call.before().any(|name| matches!(name, "bigquery" | "BigQuery")) {
        return None;
    }
    let made = call.given_to("Client").or_else(|| call.given_to("BigQuery"));
    let project = made.and_then(|made| made.text(&["project", "projectId"], Some(0)));
    let first = given.text(&["query", "table", "destination"], Some(0));
    let mut command = words(&["bq"]);
    command.extend(project.map(|project| format!("--project_id={project}")));
    match call.name() {
        "query" | "query_and_wait" | "createQueryJob" => command.extend(words(&["query", &first?])),
        "delete_table" | "delete_dataset" => command.extend(words(&["rm", &first?])),
        name if name.starts_with("insert_rows") || name.starts_with("load_table") => {
            let table = given.text(&["destination"], Some(1)).filter(|_| name.starts_with("load"));
            command.extend(words(&["insert", &table.or(first)?]));
        }
        _ => return Some(Vec::new()),
    }
    Some(vec![command])
}

/// `firestore.Client().collection("users").document("u1").set(…)`
fn documents(call: &Call) -> Option<Commands> {
    let is_it = |name: &str| matches!(name, "firestore" | "Firestore" | "getFirestore" | "AsyncClient");
    if !call.before().any(is_it) {
        return None;
    }
    let of = |names: &[&str]| names.iter().find_map(|name| call.given_to(name)?.text(&[], Some(0)));
    let collection = of(&["collection"])?;
    let document = of(&["document", "doc"]).map(|name| format!("/{name}")).unwrap_or_default();
    let method = match call.name() {
        "set" | "update" => "PATCH",
        "add" | "create" => "POST",
        "delete" => "DELETE",
        _ => return None,
    };
    let base = "https://firestore.googleapis.com/v1/projects/-/databases/-/documents";
    Some(request(method, &format!("{base}/{collection}{document}"), Vec::new()))
}

/// `SecretManagerServiceClient().add_secret_version(request={"parent": "projects/p/secrets/s"})`
fn secrets(call: &Call, given: &Given) -> Option<Commands> {
    if !call.has("SecretManagerServiceClient") {
        return None;
    }
    let verb = match call.name() {
        "add_secret_version" | "addSecretVersion" => &["secrets", "versions", "add"][..],
        "create_secret" | "createSecret" => &["secrets", "create"],
        "delete_secret" | "deleteSecret" => &["secrets", "delete"],
        "destroy_secret_version" | "disable_secret_version" => &["secrets", "versions", "destroy"],
        _ => return None,
    };
    let fields = match given.value(&["request"]) {
        Some(Value::Map(fields)) => fields.clone(),
        _ => given.fields(),
    };
    let of = |name: &str| fields.iter().find(|(own, _)| own == name).and_then(|(_, value)| as_text(value));
    let path = of("parent").or_else(|| of("name")).unwrap_or_default();
    let part =
        |name: &str| path.split_once(name).map(|(_, rest)| rest.split('/').next().unwrap_or(rest).to_owned());
    let mut command = words(&["gcloud"]);
    command.extend(words(verb));
    command.push(part("secrets/").or_else(|| of("secret_id")).unwrap_or_else(|| "$_".to_owned()));
    command.extend(part("projects/").into_iter().flat_map(|project| words(&["--project", &project])));
    Some(vec![command])
}
