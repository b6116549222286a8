//! A service of its own for each test, and a client that speaks plain HTTP/1.1.

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// Rules of the tests: mail is tier 3, a payment tier 4, a note tier 2, a write tier 1.
const RULES: &str = r#"{"extends": "default", "rules":[
  {"name":"mail","tier":3,"tool":"mail","contextKey":"email:{params.to}"},
  {"name":"pay","tier":4,"tool":"pay","contextKey":"account:{params.to}"},
  {"name":"note","tier":2,"tool":"note","contextKey":"email:{params.to}"},
  {"name":"write","tier":1,"tool":"write","contextKey":"file:{params.path}"}
]}"#;

/// How long a service stands still.
const STANDS_STILL: Duration = Duration::from_millis(50);

/// A state directory.
pub(crate) struct Home {
    pub(crate) directory: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("tiers.json"), RULES).unwrap();
        Self { directory }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.path().join("serve.sock")
    }

    /// The program with these words on this directory.
    pub(crate) fn program(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_callosum-serve"));
        command.args(words).arg("--state-dir").arg(self.path()).env_remove("NOTIFY_SOCKET");
        command
    }

    /// Lets tokens ask as often as they like, from the next start on.
    pub(crate) fn without_limits(&self) {
        let limits = r#"{"limits": {"requestsPerSecond": 100000, "burst": 100000, "openCalls": 100}}"#;
        fs::write(self.path().join("serve.json"), limits).unwrap();
    }

    /// Makes a token.
    pub(crate) fn token(&self, words: &[&str]) -> String {
        let made = self.program(&[&["token", "add"], words].concat()).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        String::from_utf8(made.stdout).unwrap().trim().to_owned()
    }

    /// Serves it on loopback.
    pub(crate) fn serve(&self) -> Serve {
        self.serve_with(&["--listen", "127.0.0.1:0"])
    }

    pub(crate) fn serve_with(&self, words: &[&str]) -> Serve {
        self.start(self.program(&[&["serve"], words].concat()).stderr(Stdio::null()))
    }

    /// The same by a command that was made for it.
    pub(crate) fn start(&self, command: &mut Command) -> Serve {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut said).unwrap();
        let port = said.trim().trim_end_matches('.').rsplit_once(':').and_then(|(_, port)| port.parse().ok());
        Serve { child, port: port.unwrap_or(0), socket: self.socket() }
    }

    /// The journal's records of this kind.
    pub(crate) fn records(&self, action: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path().join("journal.jsonl")).unwrap_or_default();
        let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        records.filter(|record| record["action"] == action).collect()
    }
}

/// A running service; killed when it is dropped.
pub(crate) struct Serve {
    child: Child,
    pub(crate) port: u16,
    socket: PathBuf,
}

impl Serve {
    /// What a request on loopback calls it.
    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// A client that shows this token.
    pub(crate) fn client(&self, token: &str) -> Client {
        let mut client = self.stranger();
        client.head = format!("Authorization: Bearer {token}\r\n");
        client
    }

    /// One that shows none.
    pub(crate) fn stranger(&self) -> Client {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        Client::over(Box::new(stream), &self.host())
    }

    /// One on the socket.
    pub(crate) fn local(&self) -> Client {
        Client::over(Box::new(UnixStream::connect(&self.socket).unwrap()), "localhost")
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Asks it to end, and waits.
    pub(crate) fn end(mut self) -> ExitStatus {
        self.signal(Signal::TERM);
        self.child.wait().unwrap()
    }

    /// Kills it, and waits.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// What becomes of a service between two steps of its callers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Between {
    /// It is killed, and another one starts.
    Killed,
    /// It is asked to end, and another one starts.
    Ended,
    /// It stands still when the next request comes, and goes on.
    Stopped,
}

impl Between {
    pub(crate) const ALL: [Self; 3] = [Self::Killed, Self::Ended, Self::Stopped];

    /// Does it; returns the service that goes on.
    pub(crate) fn happens(self, home: &Home, serve: Serve) -> Serve {
        match self {
            Self::Killed => serve.kill(),
            Self::Ended => assert_eq!(serve.end().code(), Some(0)),
            Self::Stopped => {
                serve.signal(Signal::STOP);
                let pid = serve.pid();
                std::thread::spawn(move || {
                    std::thread::sleep(STANDS_STILL);
                    // It is killed first where the test has failed meanwhile.
                    let _ = kill_process(pid, Signal::CONT);
                });
                return serve;
            }
        }
        home.serve()
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) trait Stream: Read + Write + Send {}

impl<S: Read + Write + Send> Stream for S {}

/// A connection that is kept.
pub(crate) struct Client {
    stream: BufReader<Box<dyn Stream>>,
    host: String,
    /// Header lines of every request.
    pub(crate) head: String,
}

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Header lines, their names in lower case.
    pub(crate) head: Vec<(String, String)>,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl Client {
    pub(crate) fn over(stream: Box<dyn Stream>, host: &str) -> Self {
        Self { stream: BufReader::new(stream), host: host.to_owned(), head: String::new() }
    }

    /// Writes these bytes as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.try_raw(bytes).unwrap();
    }

    /// The same to who may not take them.
    pub(crate) fn try_raw(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// Reads an answer.
    pub(crate) fn answer(&mut self) -> Answer {
        self.next_answer().unwrap_or_else(|| panic!("it ended"))
    }

    /// Reads an answer, if there comes one before the other end closes.
    pub(crate) fn next_answer(&mut self) -> Option<Answer> {
        let mut line = String::new();
        match self.stream.read_line(&mut line) {
            Ok(0) => return None,
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return None,
            read => read.unwrap(),
        };
        let status = line.split(' ').nth(1).unwrap_or_else(|| panic!("{line:?}")).parse().unwrap();
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).unwrap();
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            head.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let length = head.iter().find(|(name, _)| name == "content-length");
        let length: usize = length.map_or(0, |(_, length)| length.parse().unwrap());
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        Some(Answer { status, head, text: String::from_utf8(body).unwrap() })
    }

    /// Reads a line.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.stream.read_line(&mut line).unwrap() > 0, "it ended");
        line.trim_end().to_owned()
    }

    /// Sends a request and reads its answer.
    pub(crate) fn send(&mut self, method: &str, path: &str, head: &str, body: &str) -> Answer {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\n{}{head}Content-Length: {}\r\n\r\n{body}",
            self.host,
            self.head,
            body.len()
        );
        self.raw(request.as_bytes());
        self.answer()
    }

    pub(crate) fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, "", "")
    }

    pub(crate) fn post(&mut self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, "Content-Type: application/json\r\n", &body.to_string())
    }

    /// The same, of which 200 is expected.
    pub(crate) fn ok(&mut self, path: &str, body: &Value) -> Value {
        let answer = self.post(path, body);
        assert_eq!(answer.status, 200, "{path} {body}: {}", answer.text);
        answer.json()
    }
}

/// Longer than a pause takes until it counts as read.
pub(crate) fn let_it_be_read() {
    std::thread::sleep(Duration::from_millis(550));
}
