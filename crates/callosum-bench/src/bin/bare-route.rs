//! A bare axum route for `POST /v1/before`: it reads the same body and answers with as many bytes as the service, and does nothing else.
//!
//! `bare-route WORKERS` prints the port that it listens on, and ends with its standard input. The service has one worker for a connection;
//! of two, tokio wakes each for what the other does, which keeps a machine's processors from resting, and so answers sooner where nothing
//! else runs, for twice the processor's time.

use axum::routing::post;
use axum::{Json, Router};
use callosum_bench::{Result, answer, arguments};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

/// What is asked, as the service reads it.
#[derive(Deserialize)]
struct Before {
    tool: String,
    params: Value,
    session: String,
    call: String,
}

/// What is answered, as the service writes it of a call of tier 1.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    verdict: &'static str,
    tier: u8,
    rule_name: String,
    context_keys: Vec<String>,
    call: String,
}

async fn before(Json(asked): Json<Before>) -> Json<Answer> {
    let Before { tool, params, session, call } = asked;
    // As long as the service's answer: it names a rule and a key.
    let path = params.get("path").and_then(Value::as_str).unwrap_or_default();
    let context_keys = vec![format!("file:{path}")];
    let _ = session;
    Json(Answer { verdict: "allow", tier: 1, rule_name: tool, context_keys, call })
}

fn main() -> Result<()> {
    let [workers] = arguments("bare-route WORKERS")?;
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(workers.parse()?).enable_all().build()?.block_on(serve())
}

async fn serve() -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    answer(&json!({ "port": listener.local_addr()?.port() }))?;
    let routes = Router::new().route("/v1/before", post(before));
    let end = async {
        let _ = tokio::io::stdin().read_to_end(&mut Vec::new()).await;
    };
    axum::serve(listener, routes).with_graceful_shutdown(end).await?;
    Ok(())
}
