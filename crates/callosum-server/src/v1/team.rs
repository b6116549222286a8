//! Tasks, messages and published events: the verbs of the table that are offered over HTTP, each at its path. Who asks is the token,
//! and the session that the request names; a token that may operate is a person's.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Extension, Router};
use callosum_core::gate::GUEST_RUNTIME;
use callosum_protocol::check_name;
use callosum_team::api::{Asker, Desk, Http, Right, VERBS, Verb};
use callosum_team::who::{Actor, OPERATOR, TOKEN, Who};
use serde_json::{Map, Value};

use crate::caller::Caller;
use crate::http::address::{Path, Query};
use crate::http::answer::json;
use crate::http::body::MaybeJson;
use crate::http::entry::may;
use crate::http::fields::Fields;
use crate::http::refusal::Refusal;
use crate::service::Service;
use crate::tokens::Rights;

/// Those that say something in the name of a token's instance where no session is named.
const WITHOUT_SESSION: [&str; 2] = ["add", "publish"];
/// What a request says besides of who asks.
pub(crate) const IDENTITY: [(&str, &str); 3] = [
    ("session", "The session that asks."),
    ("agent", "The agent that asks."),
    ("instance", "For which of its instances the token speaks."),
];

/// The verbs that are offered here, each with where it is.
pub(crate) fn offered() -> impl Iterator<Item = (&'static Verb, Http)> {
    VERBS.iter().filter_map(|verb| Some((verb, verb.http?)))
}

/// What a token must be allowed to.
pub(crate) fn rights(verb: &Verb) -> Rights {
    match verb.right {
        Right::Read => Rights::Read,
        Right::Act => Rights::Act,
        Right::Operate => Rights::Operate,
    }
}

/// All of them. Whoever comes here may read.
pub(crate) fn routes() -> Router<Arc<Service>> {
    offered().fold(Router::new(), |router, (verb, http)| {
        let needed = from_fn_with_state(rights(verb), may);
        match http {
            Http::Get(path) => {
                let fields = Fields::of(verb.request);
                let answer = async move |State(service): State<Arc<Service>>,
                                         Extension(caller): Extension<Arc<Caller>>,
                                         Path(named): Path<HashMap<String, String>>,
                                         Query(asked): Query| {
                    answered(&service, &caller, verb, fields.read(asked)?, named).await
                };
                router.route(path, get(answer).route_layer(needed))
            }
            Http::Post(path) => {
                let answer =
                    async move |State(service): State<Arc<Service>>,
                                Extension(caller): Extension<Arc<Caller>>,
                                Path(named): Path<HashMap<String, String>>,
                                MaybeJson(request): MaybeJson<Map<String, Value>>| {
                        answered(&service, &caller, verb, request, named).await
                    };
                router.route(path, post(answer).route_layer(needed))
            }
        }
    })
}

async fn answered(
    service: &Arc<Service>,
    caller: &Caller,
    verb: &'static Verb,
    mut request: Map<String, Value>,
    named: HashMap<String, String>,
) -> Result<Response, Refusal> {
    let asker: Asker = Ok(actor(caller, verb, &mut request)?);
    for (name, value) in named {
        let value = Value::from(value);
        if request.insert(name.clone(), value.clone()).is_some_and(|said| said != value) {
            return Err(Refusal::field(&name, "it is not what the path names"));
        }
    }
    let request = Value::Object(request);
    let answer = if verb.writes() {
        let write = service.writer.write(
            move |gate| verb.answer(&Desk::of_gate(gate, gate.machine().now()), request, &asker),
            |_, answer| answer,
        );
        write.await?
    } else {
        let gate = Arc::clone(&service.gate);
        let look = move |_: &_| Ok(verb.answer(&Desk::of_gate(&gate, gate.machine().now()), request, &asker));
        service.base.in_turn(look).await?
    };
    Ok(json(StatusCode::OK, answer?.to_string()))
}

/// Who asks: what the request says of it is taken out of it.
fn actor(caller: &Caller, verb: &Verb, request: &mut Map<String, Value>) -> Result<Actor, Refusal> {
    let mut said = [None, None, None];
    for (place, (name, _)) in said.iter_mut().zip(IDENTITY) {
        *place = match request.remove(name) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => {
                check_name(name, &text)?;
                Some(text)
            }
            Some(_) => return Err(Refusal::field(name, "expected a text")),
        };
    }
    let [session, agent, instance] = said;
    // CALC's events name it so.
    let session = session.or_else(|| match (verb.name, request.get("session_id")) {
        ("publish", Some(Value::String(text))) if check_name("session_id", text).is_ok() => {
            Some(text.clone())
        }
        _ => None,
    });
    let instance = match &instance {
        Some(name) => caller.instance(name)?,
        None => caller.own_instance()?,
    };
    let shown = (!caller.is_local).then(|| caller.via.clone());
    if caller.rights.include(Rights::Operate) {
        let who = match session {
            None => Who::operator(),
            Some(session) => Who {
                instance,
                runtime: GUEST_RUNTIME.to_owned(),
                agent: agent.unwrap_or_default(),
                session,
                via: OPERATOR.to_owned(),
                machine: None,
            },
        };
        return Ok(Actor { who, may_accept: true, names_itself: true, shown, ..Actor::default() });
    }
    if session.is_none() && verb.right != Right::Read && !WITHOUT_SESSION.contains(&verb.name) {
        return Err(Refusal::without_session());
    }
    let who = Who {
        instance,
        runtime: GUEST_RUNTIME.to_owned(),
        agent: agent.unwrap_or_default(),
        session: session.unwrap_or_default(),
        via: if caller.is_local { "process" } else { TOKEN }.to_owned(),
        machine: None,
    };
    Ok(Actor { who, names_itself: true, shown, ..Actor::default() })
}
