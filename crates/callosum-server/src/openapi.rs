//! `GET /openapi.json`: what can be asked, made from the types that are read and written.

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use callosum_core::query::Released;
use callosum_protocol::calls::{CompleteRequest, InterceptAnswer, InterceptRequest, OkAnswer};
use callosum_protocol::locks::{LockAnswer, LockRequest, UnlockAnswer, UnlockRequest};
use callosum_protocol::status::StatusAnswer;
use callosum_team::api::{Http, Verb};
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use crate::events;
use crate::http::answer::{ReadyAnswer, json as json_text};
use crate::http::refusal::ErrorAnswer;
use crate::page::routes::LinkAnswer;
use crate::service::Service;
use crate::tokens::Rights;
use crate::v1::calls::{
    AfterAnswer, AfterRequest, BeforeAnswer, BeforeRequest, CallRequest, DeliveredAnswer, ExtendAnswer,
};
use crate::v1::questions::{ReleaseRequest, offered};
use crate::v1::team::{IDENTITY, offered as offered_together, rights};

/// Something that can be asked.
struct Operation {
    method: &'static str,
    path: String,
    summary: &'static str,
    /// Who may; `None`: everybody.
    rights: Option<Rights>,
    request: Option<Schema>,
    answer: Schema,
    /// Parameters of the address and the head.
    parameters: Vec<Value>,
}

/// The types of requests, as they are read, and of answers, as they are written: a field that is left out when it is empty is one
/// that need not be there. No type is both.
struct Types {
    read: SchemaGenerator,
    written: SchemaGenerator,
}

pub(crate) fn reading() -> Router<Arc<Service>> {
    let text = document().to_string();
    Router::new().route("/openapi.json", get(async move || json_text(StatusCode::OK, text)))
}

/// Parameters that are texts: where each stands, and its name.
fn texts(parameters: &[(&str, &str)]) -> Vec<Value> {
    let text = json!({ "type": "string" });
    parameters.iter().map(|(place, name)| parameter(place, name, *place == "path", &text)).collect()
}

/// The fields of a request that an address tells, as its schema describes them.
fn fields(request: &Schema) -> Vec<Value> {
    let properties = request.get("properties").and_then(Value::as_object).into_iter().flatten();
    let required = request.get("required").and_then(Value::as_array);
    let is_required = |name: &String| required.is_some_and(|required| required.iter().any(|one| one == name));
    properties.map(|(name, field)| parameter("query", name, is_required(name), field)).collect()
}

fn operations(types: &mut Types) -> Vec<Operation> {
    fn post<Q: JsonSchema, A: JsonSchema>(
        types: &mut Types,
        path: &str,
        rights: Rights,
        summary: &'static str,
    ) -> Operation {
        Operation {
            method: "post",
            path: path.to_owned(),
            summary,
            rights: Some(rights),
            request: Some(types.read.subschema_for::<Q>()),
            answer: types.written.subschema_for::<A>(),
            parameters: Vec::new(),
        }
    }
    let look = |path: &str, rights, summary, answer, parameters: &[(&str, &str)]| Operation {
        method: "get",
        path: path.to_owned(),
        summary,
        rights,
        request: None,
        answer,
        parameters: texts(parameters),
    };
    let act = Rights::Act;
    let mut intercept = post::<InterceptRequest, InterceptAnswer>(
        types,
        "/intercept",
        act,
        "Ask before a call, for an instance",
    );
    intercept.parameters.extend(texts(&[("header", "Idempotency-Key")]));
    let mut unlock =
        post::<UnlockRequest, UnlockAnswer>(types, "/lock/{key}", act, "Give the lease of a resource back");
    unlock.method = "delete";
    unlock.parameters.extend(texts(&[("path", "key"), ("query", "instance"), ("query", "session")]));
    let mut all = vec![
        post::<BeforeRequest, BeforeAnswer>(types, "/v1/before", act, "Ask before a call"),
        post::<AfterRequest, AfterAnswer>(types, "/v1/after", act, "Report how a call ended"),
        post::<CallRequest, DeliveredAnswer>(types, "/v1/delivered", act, "Say that a model read a pause"),
        post::<CallRequest, ExtendAnswer>(types, "/v1/extend", act, "Renew the lease of a call"),
        intercept,
        post::<CompleteRequest, OkAnswer>(types, "/complete", act, "Report how an instance's call ended"),
        post::<LockRequest, LockAnswer>(types, "/lock", act, "Take the lease of a resource"),
        unlock,
        Operation {
            request: None,
            ..post::<ReleaseRequest, LinkAnswer>(
                types,
                "/v1/page",
                Rights::Operate,
                "Get a link that opens the page, once",
            )
        },
        post::<ReleaseRequest, Released>(
            types,
            "/v1/release",
            Rights::Operate,
            "End the leases on a resource",
        ),
    ];
    let read = Some(Rights::Read);
    let status = types.written.subschema_for::<StatusAnswer>();
    all.push(look(
        "/status",
        read,
        "What is held, and what was done lately",
        status,
        &[("query", "contextKey")],
    ));
    all.extend(offered().map(|question| {
        let path = format!("/v1/{}", question.name);
        let answer = (question.answer)(&mut types.written);
        let mut asked = look(&path, read, question.meaning, answer, &[]);
        if let Some(request) = question.request {
            let request = request(&mut types.read);
            // An address tells its fields, or all of it as JSON.
            asked.parameters = fields(&request);
            for field in &mut asked.parameters {
                field["required"] = false.into();
            }
            let whole = json!({ "application/json": { "schema": request } });
            asked.parameters.push(json!({ "in": "query", "name": "q", "required": false, "content": whole }));
        }
        asked
    }));
    all.extend(offered_together().map(|(verb, http)| of_verb(types, verb, http)));
    let said = types.written.subschema_for::<OkAnswer>();
    all.push(look("/healthz", None, "The process answers", said, &[]));
    let said = types.written.subschema_for::<ReadyAnswer>();
    all.push(look("/readyz", None, "The shared state can be used", said, &[]));
    all
}

/// A verb of the team's table: with the fields of its request, and those that say who asks.
fn of_verb(types: &mut Types, verb: &'static Verb, http: Http) -> Operation {
    let (method, path) = match http {
        Http::Get(path) => ("get", path),
        Http::Post(path) => ("post", path),
    };
    let has_id = path.contains("{id}");
    let mut schema = verb.request.map_or_else(Schema::default, |request| request(&mut types.read));
    let properties = schema.ensure_object().entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        properties.extend(IDENTITY.map(|(name, meaning)| {
            (name.to_owned(), json!({ "type": ["string", "null"], "description": meaning }))
        }));
        if has_id {
            properties.remove("id");
        }
    }
    if has_id && let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| name != "id");
    }
    let mut parameters = if has_id { texts(&[("path", "id")]) } else { Vec::new() };
    if method == "get" {
        parameters.extend(fields(&schema));
    }
    Operation {
        method,
        path: path.to_owned(),
        summary: verb.meaning,
        rights: Some(rights(verb)),
        request: (method == "post").then_some(schema),
        answer: verb.answer.map_or_else(Schema::default, |answer| answer(&mut types.written)),
        parameters,
    }
}

/// The whole document.
pub(crate) fn document() -> Value {
    let settings = |contract: fn(SchemaSettings) -> SchemaSettings| {
        let mut settings = contract(SchemaSettings::draft2020_12());
        settings.definitions_path = "/components/schemas".into();
        settings.into_generator()
    };
    let mut types = Types {
        read: settings(SchemaSettings::for_deserialize),
        written: settings(SchemaSettings::for_serialize),
    };
    let error = types.written.subschema_for::<ErrorAnswer>();
    let mut paths = Map::new();
    for operation in operations(&mut types) {
        let path = paths.entry(operation.path.clone()).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(methods) = path {
            methods.insert(operation.method.to_owned(), described(&operation, &error));
        }
    }
    for (path, summary, content_type) in [
        ("/v1/events", "The journal as it grows, as server-sent events", "text/event-stream"),
        ("/metrics", "Figures for Prometheus", "text/plain"),
    ] {
        let parameters = match path {
            "/v1/events" => texts(&[
                ("query", "topic"),
                ("query", "key"),
                ("query", "after"),
                ("header", "Last-Event-ID"),
            ]),
            _ => Vec::new(),
        };
        let mut answer = json!({ "description": "The answer", "content": { content_type: { "schema": { "type": "string" } } } });
        if path == "/v1/events"
            && let Some(answer) = answer.as_object_mut()
        {
            // OpenAPI 3.1 knows no streams: by the `event` that each comes with, what `data` is.
            let reference = |name| json!({ "$ref": format!("#/components/schemas/{name}") });
            let told = events::schemas().map(|(name, event, _)| (event.to_owned(), reference(name)));
            answer.insert("x-callosum-events".to_owned(), told.into_iter().collect());
        }
        let methods = paths.entry(path).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(methods) = methods {
            let refused = json!({ "description": "Why there is none", "content": { "application/json": { "schema": error } } });
            let said = json!({
                "summary": summary, "parameters": parameters, "responses": { "200": answer, "default": refused },
                "x-callosum-rights": Rights::Read.as_str(),
            });
            methods.insert("get".to_owned(), said);
        }
    }
    let mut paths = Value::Object(paths);
    if let Some(Value::Object(answer)) = paths.pointer_mut("/~1v1~1before/post/responses/200") {
        let meaning =
            "How the call stands, if it was allowed before. Make it only if you know that nobody has.";
        let schema = json!({ "type": "string", "enum": ["running", "complete", "unknown"] });
        let header = json!({ "X-Callosum-Earlier": { "description": meaning, "schema": schema } });
        answer.insert("headers".to_owned(), header);
    }
    let mut schemas = types.read.take_definitions(true);
    schemas.extend(types.written.take_definitions(true));
    schemas.extend(events::schemas().map(|(name, _, schema)| (name.to_owned(), schema)));
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Callosum", "version": env!("CARGO_PKG_VERSION") },
        "security": [{ "bearer": [] }, { "secret": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer" },
                "secret": { "type": "apiKey", "in": "header", "name": "X-Callosum-Secret" },
            },
            "schemas": schemas,
        },
    })
}

fn parameter(place: &str, name: &str, required: bool, schema: &Value) -> Value {
    json!({ "in": place, "name": name, "required": required, "schema": schema })
}

fn described(operation: &Operation, error: &Schema) -> Value {
    let json_of = |schema: &Schema| json!({ "application/json": { "schema": schema } });
    let answers = json!({
        "200": { "description": "The answer", "content": json_of(&operation.answer) },
        "default": { "description": "Why there is none", "content": json_of(error) },
    });
    let mut described = Map::new();
    let mut say = |name: &str, value: Value| drop(described.insert(name.to_owned(), value));
    say("summary", operation.summary.into());
    say("parameters", operation.parameters.clone().into());
    say("responses", answers);
    if let Some(request) = &operation.request {
        say("requestBody", json!({ "required": operation.method == "post", "content": json_of(request) }));
    }
    match operation.rights {
        Some(rights) => say("x-callosum-rights", rights.as_str().into()),
        None => say("security", json!([])),
    }
    Value::Object(described)
}
