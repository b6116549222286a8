//! A bare axum route for `POST /v1/before`: it reads the same body and answers with as many bytes as the service, and does nothing else.
//!
//! `bare-route WORKERS FILE` prints the port that it listens on, and ends with its standard input. The service has one worker for a
//! connection; of two, tokio wakes each for what the other does, which keeps a machine's processors from resting, and so answers sooner
//! where nothing else runs, for twice the processor's time. Where FILE is no `-`, each body is written to its end and flushed before the
//! answer, on a thread that may wait, as whatever must not stand still would.

use std::fs::File;
use std::io::Write;
use std::sync::Arc;

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use callosum_bench::{Result, answer, arguments};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio::task::spawn_blocking;

/// What is asked, as the service reads it.
#[derive(Deserialize, Serialize)]
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

fn before(asked: Before) -> Answer {
    let Before { tool, params, session, call } = asked;
    // As long as the service's answer: it names a rule and a key.
    let path = params.get("path").and_then(Value::as_str).unwrap_or_default();
    let context_keys = vec![format!("file:{path}")];
    let _ = session;
    Answer { verdict: "allow", tier: 1, rule_name: tool, context_keys, call }
}

async fn flushed(State(file): State<Arc<File>>, Json(asked): Json<Before>) -> Json<Answer> {
    let done = spawn_blocking(move || {
        let mut line = serde_json::to_vec(&asked)?;
        line.push(b'\n');
        (&*file).write_all(&line)?;
        file.sync_data()?;
        Ok::<_, std::io::Error>(before(asked))
    });
    #[expect(clippy::unwrap_used, reason = "a comparison with what did not happen would be none")]
    Json(done.await.unwrap().unwrap())
}

fn main() -> Result<()> {
    let [workers, file] = arguments("bare-route WORKERS FILE")?;
    let routes = if file == "-" {
        Router::new().route("/v1/before", post(|Json(asked)| async { Json(before(asked)) }))
    } else {
        let file = File::options().create(true).append(true).open(file)?;
        Router::new().route("/v1/before", post(flushed)).with_state(Arc::new(file))
    };
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(workers.parse()?).enable_all().build()?.block_on(serve(routes))
}

async fn serve(routes: Router) -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    answer(&json!({ "port": listener.local_addr()?.port() }))?;
    let end = async {
        let _ = tokio::io::stdin().read_to_end(&mut Vec::new()).await;
    };
    axum::serve(listener, routes).with_graceful_shutdown(end).await?;
    Ok(())
}
