//! The access log: one JSON object a line, on standard error. Whoever answers waits for no terminal and no pipe.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

use axum::http::Method;
use callosum_core::model::redact::redact;
use callosum_core::model::text::one_line;
use callosum_core::model::time::to_rfc3339;
use serde::Serialize;

use crate::caller::Caller;
use crate::http::peer::Peer;

/// Lines that may wait to be written; more are lost, and counted.
const MAX_WAITING: usize = 4_096;

/// How long a line may wait for others to be written with.
const GATHERING: Duration = Duration::from_millis(10);

/// How long the end waits for what is not written yet.
const FAREWELL: Duration = Duration::from_millis(200);

/// One answered request. Its line is made by the thread that writes it.
#[derive(Debug)]
pub(crate) struct Access {
    /// When it was answered, wall-clock milliseconds.
    pub(crate) wall_ms: i64,
    /// Its id.
    pub(crate) request: String,
    pub(crate) peer: Option<Peer>,
    /// As whom it was answered.
    pub(crate) caller: Option<Arc<Caller>>,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) status: u16,
    pub(crate) micros: u64,
}

/// The same as it is written.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    at: String,
    request: &'a str,
    peer: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<&'a str>,
    method: &'a str,
    path: &'a str,
    status: u16,
    micros: u64,
}

/// What is to be written.
#[derive(Debug)]
enum Told {
    Access(Box<Access>),
    Note(String),
}

impl Told {
    /// Its line; none where there can be none.
    fn line(&self) -> Option<String> {
        match self {
            Self::Access(access) => serde_json::to_string(&Line {
                at: to_rfc3339(access.wall_ms),
                request: &access.request,
                peer: access.peer.as_ref().map(Peer::name).unwrap_or_default(),
                via: access.caller.as_ref().map(|caller| caller.via.as_str()),
                method: access.method.as_str(),
                path: &path_told(&access.path, access.status),
                status: access.status,
                micros: access.micros,
            })
            .ok(),
            Self::Note(note) => Some(serde_json::json!({ "note": note }).to_string()),
        }
    }
}

/// What the log says of a path: not what is asked about, since a resource may be named by a secret, and so may a path that there is not.
fn path_told(path: &str, status: u16) -> Cow<'_, str> {
    let asked = if path.starts_with("/v1/") { 3 } else { 2 };
    if let Some((end, _)) = path.match_indices('/').nth(asked - 1) {
        let route = path.get(..end).unwrap_or_default();
        let is_route = ["/lock", "/v1/"].iter().any(|begins| route.starts_with(begins));
        if is_route {
            return Cow::Owned(format!("{}/…", one_line(&redact(route), 200)));
        }
    }
    match status {
        200..300 => Cow::Borrowed(path),
        _ => Cow::Owned(one_line(&redact(path), 200)),
    }
}

/// Where lines go.
#[derive(Debug)]
pub(crate) struct Log {
    /// Until the end.
    lines: Option<SyncSender<Told>>,
    lost: AtomicU64,
    writing: Thread,
    /// Closed once all is written.
    written: Mutex<Receiver<()>>,
}

impl Log {
    /// Starts the thread that writes to `out`.
    pub(crate) fn start(mut out: impl Write + Send + 'static) -> io::Result<Self> {
        let (lines, waiting) = sync_channel::<Told>(MAX_WAITING);
        let (at_end, written) = sync_channel(0);
        let thread = thread::Builder::new().name("callosum-log".to_owned()).spawn(move || {
            while let Ok(first) = waiting.recv() {
                // Who writes each line as it comes is woken by each.
                thread::park_timeout(GATHERING);
                let mut text = String::new();
                let told = [first].into_iter().chain(waiting.try_iter().take(MAX_WAITING));
                for line in told.filter_map(|told| told.line()) {
                    text.push_str(&line);
                    text.push('\n');
                }
                // Where nobody reads it, nothing is to be done.
                let _ = out.write_all(text.as_bytes());
            }
            drop(at_end);
        })?;
        let (writing, written) = (thread.thread().clone(), Mutex::new(written));
        Ok(Self { lines: Some(lines), lost: AtomicU64::new(0), writing, written })
    }

    /// Writes that a request was answered.
    pub(crate) fn access(&self, access: Access) {
        self.tell(Told::Access(Box::new(access)));
    }

    /// Writes something else that is to be known.
    pub(crate) fn note(&self, text: &str) {
        self.tell(Told::Note(text.to_owned()));
    }

    fn tell(&self, told: Told) {
        let sent = self.lines.as_ref().map(|lines| lines.try_send(told));
        if let Some(Err(TrySendError::Full(_))) = sent {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many lines found no place.
    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.lines = None;
        self.writing.unpark();
        let written = self.written.get_mut().unwrap_or_else(PoisonError::into_inner);
        // Nobody may read it.
        let _ = written.recv_timeout(FAREWELL);
    }
}
