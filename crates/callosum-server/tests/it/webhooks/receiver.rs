//! A target of webhooks: real HTTP on loopback, which keeps what it got and answers as it is told.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver as Got, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The bytes of the secret that all targets have.
const SECRET: &[u8] = b"a secret of thirty-two bytes....";
/// No test waits longer for what must come.
const PATIENCE: Duration = Duration::from_secs(60);

/// The secret as `serve.json` has it.
pub(super) fn secret() -> String {
    format!("whsec_{}", STANDARD.encode(SECRET))
}

/// What a target does with a request.
#[derive(Clone, Debug)]
pub(super) enum Does {
    /// Answers with this status, and these header lines.
    Answer(u16, &'static str),
    /// Nothing, as long as the client waits.
    Nothing,
}

/// A request.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) line: String,
    head: Vec<(String, String)>,
    pub(super) body: String,
}

impl Request {
    pub(super) fn header(&self, name: &str) -> &str {
        let found = self.head.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_else(|| panic!("no {name} in {self:?}"))
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The call that its event is about.
    pub(super) fn call(&self) -> String {
        self.json()["data"]["data"]["call"].as_str().unwrap_or_else(|| panic!("{self:?}")).to_owned()
    }

    /// Its signature is what HMAC-SHA256 (RFC 2104) gives, worked out here from the hash alone.
    pub(super) fn is_signed(&self) -> bool {
        let mut key = [0_u8; 64];
        key[..SECRET.len()].copy_from_slice(SECRET);
        let hash = |pad: u8, text: &[u8]| {
            let padded = key.map(|byte| byte ^ pad);
            Sha256::digest([padded.as_slice(), text].concat())
        };
        let signed =
            format!("{}.{}.{}", self.header("webhook-id"), self.header("webhook-timestamp"), self.body);
        let signature = STANDARD.encode(hash(0x5c, &hash(0x36, signed.as_bytes())));
        self.header("webhook-signature") == format!("v1,{signature}")
    }
}

/// The target.
pub(super) struct Receiver {
    pub(super) port: u16,
    got: Got<Request>,
    /// What it does next; then it answers 204.
    next: Arc<Mutex<VecDeque<Does>>>,
}

impl Receiver {
    pub(super) fn new() -> Self {
        Self::over(Arc::new(|stream| Some(Box::new(stream))))
    }

    /// One that speaks over what is made of each connection.
    pub(super) fn over(secured: Arc<Secured>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, got) = mpsc::channel();
        let next: Arc<Mutex<VecDeque<Does>>> = Arc::default();
        let plan = Arc::clone(&next);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (sender, plan, secured) = (sender.clone(), Arc::clone(&plan), Arc::clone(&secured));
                thread::spawn(move || {
                    // A client that breaks off is what some tests are about.
                    let stream = secured(stream.unwrap())?;
                    serve(BufReader::new(stream), &sender, &plan)
                });
            }
        });
        Self { port, got, next }
    }

    /// What it does with the next requests.
    pub(super) fn then(&self, does: &[Does]) {
        self.next.lock().unwrap().extend(does.iter().cloned());
    }

    /// The next request.
    pub(super) fn next(&self) -> Request {
        self.got.recv_timeout(PATIENCE).unwrap()
    }

    /// The calls that the next events are about.
    pub(super) fn calls(&self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.next().call()).collect()
    }

    /// Whether nothing came, up to now.
    pub(super) fn is_silent(&self) -> bool {
        matches!(self.got.recv_timeout(Duration::ZERO), Err(RecvTimeoutError::Timeout))
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The webhook that posts here: a new one each time a field is another.
    pub(super) fn webhook(&self, name: &str, more: &Value) -> Value {
        let mut webhook = json!({
            "name": name, "url": self.url("/hook"), "secret": secret(), "topics": ["call.started"], "allowPrivate": true,
        });
        for (field, value) in more.as_object().unwrap() {
            webhook[field] = value.clone();
        }
        webhook
    }
}

pub(super) trait Stream: Read + Write + Send {}

impl<S: Read + Write + Send> Stream for S {}

/// Makes of a connection what is spoken over.
pub(super) type Secured = dyn Fn(TcpStream) -> Option<Box<dyn Stream>> + Send + Sync;

/// Answers the requests of one connection until it ends.
fn serve(
    mut stream: BufReader<Box<dyn Stream>>,
    got: &Sender<Request>,
    plan: &Mutex<VecDeque<Does>>,
) -> Option<()> {
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            head.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let length = head.iter().find(|(name, _)| name == "content-length")?.1.parse().ok()?;
        let mut body = vec![0; length];
        stream.read_exact(&mut body).ok()?;
        let does = plan.lock().unwrap().pop_front().unwrap_or(Does::Answer(204, ""));
        let body = String::from_utf8(body).unwrap();
        got.send(Request { line: line.trim_end().to_owned(), head, body }).ok()?;
        match does {
            Does::Answer(status, lines) => {
                let length = if status == 204 { "" } else { "Content-Length: 0\r\n" };
                let answer = format!("HTTP/1.1 {status} X\r\n{lines}{length}\r\n");
                stream.get_mut().write_all(answer.as_bytes()).ok()?;
                stream.get_mut().flush().ok()?;
            }
            Does::Nothing => drop(stream.read(&mut [0]).ok()?),
        }
    }
}
