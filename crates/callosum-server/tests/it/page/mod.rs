//! `callosum ui` as a browser meets it, and as whoever must not see the page does.

mod guests;
mod served;
mod together;

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use callosum_core::model::time::to_rfc3339;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Nothing here takes that long; it only ends what hangs.
const PATIENCE: Duration = Duration::from_secs(20);
const KEY: &str = "email:ann@example.com";
/// That key in a request, URL-encoded.
const WANTED: &str = "%7B%22key%22%3A%22email%3Aann%40example.com%22%7D";

/// A program with its page beside it, and a state directory.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["bin", "page", "page/deeper", "state"] {
            fs::create_dir(at(name)).unwrap();
        }
        fs::hard_link(env!("CARGO_BIN_EXE_callosum-serve"), at("bin/callosum-serve")).unwrap();
        fs::write(at("page/index.html"), "<!doctype html><head><!--callosum-page--></head>").unwrap();
        fs::write(at("page/app.js"), "'the script'").unwrap();
        fs::write(at("page/app.css"), "b{}").unwrap();
        fs::write(at("page/notes"), "no business of a browser's").unwrap();
        fs::write(at("page/deeper/app.js"), "no business of a browser's").unwrap();
        fs::write(at("outside.js"), "no business of a browser's").unwrap();
        fs::write(at("state/journal.jsonl"), format!("{}\n", call())).unwrap();
        Self { folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, state: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(self.at("bin/callosum-serve"));
        command
            .args(args)
            .env("CALLOSUM_STATE_DIR", state)
            .env("HOME", self.folder.path())
            .env("USER", "bob");
        command
    }

    fn start(&self) -> Server {
        self.start_on(&self.at("state"))
    }

    fn start_on(&self, state: &Path) -> Server {
        let mut child = self
            .command(state, &["ui", "--json"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut server = Server { child, stdin, stdout, port: 0, code: String::new() };
        server.read_link();
        server
    }
}

/// Ann's mail, which is under way.
fn call() -> Value {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let now_ms = i64::try_from(now.as_millis()).unwrap();
    json!({
        "v": 1, "action": "intercept", "tier": 3, "timestamp": to_rfc3339(now_ms - 30_000),
        "expiresAt": to_rfc3339(now_ms + 300_000), "instance": "gateway-1", "runtime": "openclaw", "session": "ann",
        "tool": "exec", "contextKeys": [KEY],
    })
}

/// A running `callosum ui`.
struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    port: u16,
    /// Of the newest link.
    code: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn read_link(&mut self) {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        let link: Value = serde_json::from_str(&line).unwrap();
        let rest = link["url"].as_str().unwrap().strip_prefix("http://127.0.0.1:").unwrap();
        let (port, code) = rest.split_once("/?code=").unwrap();
        (self.port, self.code) = (port.parse().unwrap(), code.to_owned());
    }

    fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn connect(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.host()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// Sends a request's lines and its body, gives the answer.
    fn send(&self, lines: &[&str], body: &str) -> Reply {
        let request = format!("{}\r\nConnection: close\r\n\r\n{body}", lines.join("\r\n"));
        let mut text = String::new();
        self.connect(&request).read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        Reply {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.to_lowercase(),
            body: body.to_owned(),
        }
    }

    fn get(&self, path: &str) -> Reply {
        self.send(&[&format!("GET {path} HTTP/1.1"), &format!("Host: {}", self.host())], "")
    }

    /// Opens the page by the newest link.
    fn open(&self) -> Visit<'_> {
        let opened = self.get(&format!("/?code={}", self.code));
        // Whatever a browser sends of itself, it sends to other servers on this address, too.
        assert_eq!((opened.status, opened.header("set-cookie")), (200, None), "{}", opened.head);
        let facts = opened.facts();
        assert_eq!((&facts["host"], &facts["view"]), (&json!("local"), &json!("all")));
        assert_eq!(facts["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!((&facts["release"], &facts["decide"]), (&json!("api/release"), &json!("api/decide")));
        Visit { server: self, token: facts["token"].as_str().unwrap().to_owned() }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }
}

#[derive(Debug)]
struct Reply {
    status: u16,
    /// In lower case.
    head: String,
    body: String,
}

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// What the document says to the page.
    fn facts(&self) -> Value {
        let meta = self.body.split("<meta name=\"callosum-page\" content=\"").nth(1).unwrap();
        serde_json::from_str(&meta.split('"').next().unwrap().replace("&quot;", "\"")).unwrap()
    }
}

/// A browser that has opened the page.
struct Visit<'a> {
    server: &'a Server,
    token: String,
}

impl Visit<'_> {
    /// `request` is URL-encoded.
    fn ask(&self, question: &str, request: &str) -> Reply {
        let first = format!("GET /api/{question}?q={request} HTTP/1.1");
        self.server.send(&[&first, &format!("Host: {}", self.server.host()), &self.accept()], "")
    }

    /// `request` is URL-encoded.
    fn release(&self, origin: Option<&str>, request: &str) -> Reply {
        self.post("release", origin, request)
    }

    /// `request` is URL-encoded.
    fn post(&self, what: &str, origin: Option<&str>, request: &str) -> Reply {
        let first = format!("POST /api/{what}?q={request} HTTP/1.1");
        let host = format!("Host: {}", self.server.host());
        let accept = self.accept();
        let origin = origin.map(|origin| format!("Origin: {origin}"));
        let mut lines = vec![first.as_str(), &host, &accept, "Content-Length: 0"];
        lines.extend(origin.as_deref());
        self.server.send(&lines, "")
    }

    fn accept(&self) -> String {
        format!("Accept: application/json; token={}", self.token)
    }

    fn own_origin(&self) -> String {
        format!("http://{}", self.server.host())
    }

    /// The page's ear.
    fn listen(&self) -> BufReader<TcpStream> {
        let (host, accept) = (self.server.host(), self.accept());
        let request = format!("GET /api/events HTTP/1.1\r\nHost: {host}\r\n{accept}\r\n\r\n");
        BufReader::new(self.server.connect(&request))
    }
}

/// The next head that is told.
fn next_head(events: &mut impl BufRead) -> u64 {
    let (mut is_head, mut signs_of_life) = (false, 0);
    loop {
        let mut line = String::new();
        assert_ne!(events.read_line(&mut line).unwrap(), 0, "the events ended");
        // Some came while something else was done.
        signs_of_life += usize::from(line == ":\n");
        assert!(signs_of_life < 8, "nothing but signs of life came");
        if is_head {
            let data: Value = serde_json::from_str(line.strip_prefix("data: ").unwrap()).unwrap();
            assert!(data["now"].is_u64());
            return data["head"].as_u64().unwrap();
        }
        is_head = line == "event: head\n";
    }
}

#[test]
fn a_link_opens_the_page_once_and_the_newest_counts() {
    let home = Home::new();
    let mut server = home.start();
    let first = format!("/?code={}", server.code);
    assert_eq!(server.get("/?code=").status, 403);
    assert_eq!(server.get("/?code=0123456789abcdef0123456789abcdef").status, 403);
    let token = server.open().token;

    let again = server.get(&first);
    assert_eq!(again.status, 403);
    assert!(again.body.contains("press Enter") && !again.body.contains(&token), "{}", again.body);

    server.stdin.write_all(b"\n").unwrap();
    server.read_link();
    let superseded = format!("/?code={}", server.code);
    server.stdin.write_all(b"\n").unwrap();
    server.read_link();
    assert_eq!(server.get(&superseded).status, 403);
    // Who is in stays in.
    assert_eq!(server.open().token, token);
}

#[test]
fn without_the_token_nothing_is_told() {
    let home = Home::new();
    let server = home.start();
    let visit = server.open();
    let document = server.get("/");
    assert_eq!((document.status, &document.facts()["token"]), (200, &Value::Null));
    for path in ["/", "/app.js", "/nothing", "/?t=x", "/?code"] {
        assert!(!server.get(path).body.contains(&visit.token), "{path}");
    }
    let host = format!("Host: {}", server.host());
    let in_address = format!("?t={0}&token={0}", visit.token);
    for query in ["", "?t=0123456789abcdef0123456789abcdef", "?code=", &in_address] {
        for accept in ["text/html", "x; token=", "x; token=0123456789abcdef0123456789abcdef", &visit.token] {
            for name in ["status", "events", "nothing"] {
                let first = format!("GET /api/{name}{query} HTTP/1.1");
                let reply = server.send(&[&first, &host, &format!("Accept: {accept}")], "");
                assert_eq!((reply.status, &reply.json()["error"]["code"]), (401, &json!("unauthorized")));
            }
        }
    }
    let stranger = Visit { server: &server, token: "x".to_owned() };
    assert_eq!(stranger.release(Some(&visit.own_origin()), WANTED).status, 401);
    assert_eq!(visit.ask("status", "").json()["locks"].as_array().unwrap().len(), 1);
}

#[test]
fn only_this_server_under_its_own_name_answers() {
    let home = Home::new();
    let server = home.start();
    let status_of = |path: &str, lines: &[&str]| {
        let first = format!("GET {path} HTTP/1.1");
        server.send(&[&[first.as_str()], lines].concat(), "").status
    };
    let port = server.port;
    let status = |lines: &[&str]| status_of("/", lines);
    // Nor is a link used up by who names another.
    assert_eq!(status_of(&format!("/?code={}", server.code), &["Host: evil.example"]), 403);
    server.open();
    assert_eq!(status(&[&format!("Host: localhost:{port}")]), 200);
    for host in [
        format!("evil.example:{port}"),
        "127.0.0.1".to_owned(),
        "localhost".to_owned(),
        "127.0.0.1:1".to_owned(),
        format!("127.0.0.1:{port}.evil.example"),
        String::new(),
    ] {
        assert_eq!(status(&[&format!("Host: {host}")]), 403, "{host}");
    }
    assert_eq!(status(&[]), 403);
    assert_eq!(status(&[&format!("Host: localhost:{port}"), "Host: evil.example"]), 403);
}

#[test]
fn other_files_than_the_pages_own_are_not_there() {
    let home = Home::new();
    let server = home.start();
    for (path, content_type, content) in [
        ("/app.js", "text/javascript; charset=utf-8", "'the script'"),
        ("/app.css?v=1", "text/css; charset=utf-8", "b{}"),
    ] {
        let reply = server.get(path);
        assert_eq!(
            (reply.status, reply.header("content-type"), reply.body.as_str()),
            (200, Some(content_type), content)
        );
    }
    for path in [
        "/../outside.js",
        "/%2e%2e/outside.js",
        "/..%2foutside.js",
        "/..%5coutside.js",
        "/deeper/../../outside.js",
        "/deeper/app.js",
        "//app.js",
        "/./app.js",
        "/app.js/",
        "/app%2ejs",
        "/app.js%00",
        "/notes",
        "/index.html",
        "/api",
    ] {
        let reply = server.get(path);
        assert_eq!(reply.status, 404, "{path}: {}", reply.body);
        assert!(!reply.body.contains("business"), "{path}");
    }
}

#[test]
fn every_answer_has_the_headers_that_keep_others_out() {
    let home = Home::new();
    let server = home.start();
    let visit = server.open();
    let replies = [
        server.get("/"),
        server.get("/?code=x"),
        server.get("/app.js"),
        server.get("/nothing"),
        visit.ask("status", ""),
        visit.ask("nothing", ""),
        visit.release(None, ""),
    ];
    for reply in replies {
        let policy = reply.header("content-security-policy").unwrap();
        for part in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
            assert!(policy.contains(part), "{policy}");
        }
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-store"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(reply.header(name), Some(value), "{}", reply.head);
        }
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
}

#[test]
fn what_is_asked_wrongly_is_told_so() {
    let home = Home::new();
    let server = home.start();
    let visit = server.open();
    let host = format!("Host: {}", server.host());
    for (method, path, allowed) in [
        ("POST", "/", "get,head"),
        ("PUT", "/app.js", "get,head"),
        ("OPTIONS", "/api/status", "get,head"),
        ("GET", "/api/release", "post"),
    ] {
        let reply = server.send(&[&format!("{method} {path} HTTP/1.1"), &host], "");
        assert_eq!((reply.status, reply.header("allow")), (405, Some(allowed)), "{method} {path}");
        assert_eq!(reply.json()["error"]["code"], "method-not-allowed");
    }
    assert_eq!(visit.ask("nothing", "").status, 404);
    for (question, request) in [("journal", "%7B"), ("journal", "%7B%22limit%22%3A0%7D"), ("why", "%7B%7D")] {
        let reply = visit.ask(question, request);
        assert_eq!((reply.status, &reply.json()["error"]["code"]), (400, &json!("bad-request")));
    }
    for request in ["", "%7B", "%7B%7D", "%7B%22key%22%3A7%7D"] {
        assert_eq!(visit.release(Some(&visit.own_origin()), request).status, 400, "{request}");
    }
}

#[test]
fn more_than_a_page_ever_asks_is_not_read() {
    let home = Home::new();
    let server = home.start();
    let request = format!("GET /?{} HTTP/1.1\r\nHost: {}\r\n\r\n", "a".repeat(120_000), server.host());
    // Who says too much is cut off, maybe before it has read the answer.
    let mut answer = String::new();
    let _ = server.connect(&request).read_to_string(&mut answer);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431 "), "{answer}");
    assert_eq!(server.open().ask("status", "").status, 200);
}

#[test]
fn questions_are_answered_by_the_core() {
    let home = Home::new();
    let server = home.start();
    let visit = server.open();
    assert_eq!(visit.ask("status", "").json()["locks"][0]["session"], "ann");
    let none = visit.ask("journal", "%7B%22session%22%3A+%22nobody%22%7D").json();
    assert_eq!(none["entries"], json!([]));
    let all = visit.ask("journal", "").json();
    assert_eq!(all["entries"][0]["contextKeys"], json!([KEY]));
    let story = visit.ask("why", WANTED).json();
    assert_eq!(story["events"][0]["session"], "ann");
    let call = "%7B%22tool%22%3A%22exec%22%2C%22params%22%3A%7B%22command%22%3A%22git%20push%20origin%20main%22%7D%7D";
    assert_eq!(visit.ask("explain", call).json()["tier"], 3);
}

#[test]
fn a_release_is_journaled_with_who_did_it() {
    let home = Home::new();
    let server = home.start();
    let visit = server.open();
    let before = fs::read(home.at("state/journal.jsonl")).unwrap();
    let host = server.host();
    for origin in [
        None,
        Some("null".to_owned()),
        Some("http://evil.example".to_owned()),
        Some(format!("https://{host}")),
        Some(format!("http://localhost:{}", server.port)),
        Some("http://127.0.0.1:1".to_owned()),
    ] {
        assert_eq!(visit.release(origin.as_deref(), WANTED).status, 403, "{origin:?}");
    }
    assert_eq!(fs::read(home.at("state/journal.jsonl")).unwrap(), before);

    let released = visit.release(Some(&visit.own_origin()), WANTED);
    assert_eq!(released.status, 200, "{}", released.body);
    let answer = released.json();
    assert_eq!((&answer["key"], &answer["released"][0]["session"]), (&json!(KEY), &json!("ann")));
    let journaled = visit.ask("journal", "%7B%22action%22%3A%22released%22%7D").json();
    assert_eq!(journaled["entries"][0]["reason"], "by bob in callosum ui");
    assert_eq!(visit.ask("status", "").json()["locks"], json!([]));
    let again = visit.release(Some(&visit.own_origin()), WANTED);
    assert_eq!((again.status, &again.json()["released"]), (200, &json!([])));
}

#[test]
fn open_pages_hear_at_once_how_far_the_journal_reaches_and_when_it_grows() {
    let home = Home::new();
    let server = home.start();
    let visit = server.open();
    let mut pages = [visit.listen(), visit.listen()];
    let heads = pages.each_mut().map(next_head);
    assert_eq!(heads[0], heads[1]);
    let mut journal = OpenOptions::new().append(true).open(home.at("state/journal.jsonl")).unwrap();
    writeln!(journal, "{}", call()).unwrap();
    for page in &mut pages {
        assert!(next_head(page) > heads[0]);
    }

    // As many as there are places for; those of pages that went are free again.
    let mut others: Vec<_> = (0..14).map(|_| visit.listen()).collect();
    for page in &mut others {
        next_head(page);
    }
    assert_eq!(visit.ask("events", "").json()["error"]["code"], "busy");
    drop(others);
    let mut line = String::new();
    while !line.starts_with("HTTP/1.1 200") {
        line.clear();
        visit.listen().read_line(&mut line).unwrap();
    }
}

#[test]
fn a_state_that_cant_be_read_is_told_on_the_page() {
    let home = Home::new();
    let server = home.start_on(&home.at("outside.js"));
    let visit = server.open();
    let status = visit.ask("status", "").json();
    assert!(status["degraded"]["cause"].is_string(), "{status}");
    assert_eq!(visit.ask("journal", "").status, 503);
    assert_eq!(visit.release(Some(&visit.own_origin()), WANTED).status, 503);
}

#[test]
fn without_the_pages_files_it_says_where_they_should_be() {
    let home = Home::new();
    let run = || {
        let output = home.command(&home.at("state"), &["ui"]).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let folder = home.at("page").canonicalize().unwrap();
    fs::write(home.at("page/index.html"), "<head></head>").unwrap();
    let (code, stdout, stderr) = run();
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("callosum-page"), "{stderr}");

    fs::remove_dir_all(&folder).unwrap();
    let (code, stdout, stderr) = run();
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains(folder.to_str().unwrap()) && stderr.contains("npm run build"), "{stderr}");
}

#[test]
fn the_port_can_be_chosen_and_one_in_use_is_told() {
    let home = Home::new();
    let server = home.start();
    let port = server.port.to_string();
    let output = home.command(&home.at("state"), &["ui", "--port", &port]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.contains(&format!("127.0.0.1:{port}")) && stderr.contains("--port"), "{stderr}");
}
