//! The page on the running service's listener, and `callosum ui` where a service runs.

use std::net::UdpSocket;
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread::{self, JoinHandle};

use callosum_core::store::state_dir::StateDir;
use callosum_core::store::state_guard::StateGuard;

use crate::tls::Certificate;

use super::*;

impl Home {
    /// The service with the page beside it, opened by the link that `callosum ui` gives.
    fn serve(&self, words: &[&str]) -> Server {
        let mut child = self
            .command(&self.at("state"), &[&["serve"], words].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (stdin, mut stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut said = String::new();
        stdout.read_line(&mut said).unwrap();
        let port = said.trim_end_matches(".\n").rsplit_once(':').and_then(|(_, port)| port.parse().ok());
        Server { child, stdin, stdout, port: port.unwrap_or(0), code: String::new() }
    }

    /// What `callosum ui` prints where it ends by itself.
    fn link(&self) -> String {
        let output = self.command(&self.at("state"), &["ui", "--json"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let link: Value = serde_json::from_slice(&output.stdout).unwrap();
        link["url"].as_str().unwrap().to_owned()
    }

    fn token(&self, words: &[&str]) -> String {
        let made = self.command(&self.at("state"), &[&["token", "add"], words].concat()).output().unwrap();
        String::from_utf8(made.stdout).unwrap().trim().to_owned()
    }
}

impl Server {
    fn follow(&mut self, link: &str) {
        let (address, code) = link.split_once("/?code=").unwrap_or_else(|| panic!("{link}"));
        assert_eq!(address, format!("http://{}", self.host()));
        code.clone_into(&mut self.code);
    }
}

#[test]
fn the_running_service_has_the_page_and_ui_gives_a_link_to_it() {
    let home = Home::new();
    let mut server = home.serve(&["--listen", "127.0.0.1:0"]);
    let first = home.link();
    server.follow(&home.link());
    let (_, superseded) = first.split_once("/?").unwrap();
    assert_eq!(server.get(&format!("/?{superseded}")).status, 403);
    let visit = server.open();
    assert_eq!(server.get("/app.js").body, "'the script'");
    let mut page = visit.listen();
    let told = next_head(&mut page);
    assert_eq!(visit.ask("status", "").json()["locks"][0]["session"], "ann");
    assert_eq!(visit.release(Some("http://evil.example"), WANTED).status, 403);
    let released = visit.release(Some(&visit.own_origin()), WANTED);
    assert_eq!((released.status, &released.json()["released"][0]["session"]), (200, &json!("ann")));
    assert!(next_head(&mut page) > told);
    let journaled = visit.ask("journal", "%7B%22action%22%3A%22released%22%7D").json();
    assert_eq!(journaled["entries"][0]["reason"], "by bob in callosum ui");
    for reply in [server.get("/"), server.get("/app.js"), visit.ask("status", ""), visit.ask("nothing", "")] {
        assert!(reply.header("content-security-policy").unwrap().contains("frame-ancestors 'none'"));
        assert_eq!((reply.header("cache-control"), reply.header("set-cookie")), (Some("no-store"), None));
    }
    // It ends with the service, as it should.
    server.signal(Signal::TERM);
    let mut rest = String::new();
    page.read_to_string(&mut rest).unwrap();
    assert!(rest.ends_with("0\r\n\r\n"), "{rest}");
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

#[test]
fn the_pages_token_opens_nothing_else_and_no_other_opens_the_page() {
    let home = Home::new();
    let mut server = home.serve(&["--listen", "127.0.0.1:0"]);
    server.follow(&home.link());
    let visit = server.open();
    let host = format!("Host: {}", server.host());
    let ask =
        |path: &str, header: &str| server.send(&[&format!("GET {path} HTTP/1.1"), &host, header], "").status;
    let operator = home.token(&["ops", "--rights", "operate"]);
    for header in [
        visit.accept(),
        format!("Authorization: Bearer {}", visit.token),
        format!("X-Callosum-Secret: {}", visit.token),
    ] {
        assert_eq!(ask("/v1/status", &header), 401, "{header}");
    }
    for header in [format!("Authorization: Bearer {operator}"), format!("Accept: x; token={operator}")] {
        assert_eq!(ask("/api/status", &header), 401, "{header}");
    }
    assert_eq!(ask(&format!("/api/status?token={}", visit.token), "Accept: x"), 401);
    // Nobody gets a link who may not release leases anyway.
    let asked = |token: &str| {
        let authorization = format!("Authorization: Bearer {token}");
        server.send(&["POST /v1/page HTTP/1.1", &host, &authorization, "Content-Length: 0"], "")
    };
    assert_eq!(asked(&home.token(&["ci"])).status, 403);
    let link = asked(&operator).json();
    assert!(link["url"].as_str().unwrap().starts_with(&format!("http://{}/?code=", server.host())));
}

#[test]
fn where_the_service_has_no_page_ui_serves_it_by_itself() {
    let home = Home::new();
    let _serve = home.serve(&["--listen", "none"]);
    assert_eq!(home.start().open().ask("status", "").status, 200);
    // So it does when it is told where.
    let home = Home::new();
    let server = home.serve(&["--listen", "127.0.0.1:0"]);
    let taken =
        home.command(&home.at("state"), &["ui", "--port", &server.port.to_string()]).output().unwrap();
    assert_eq!(taken.status.code(), Some(2));
}

#[test]
fn over_tls_the_link_says_so() {
    let (home, certificate) = (Home::new(), Certificate::new());
    let (cert, key) = (certificate.path("cert.pem"), certificate.path("key.pem"));
    let words = ["--tls-cert", cert.to_str().unwrap(), "--tls-key", key.to_str().unwrap()];
    let server = home.serve(&[&["--listen", "127.0.0.1:0"], &words[..]].concat());
    assert!(home.link().starts_with(&format!("https://{}/?code=", server.host())));
}

/// What stands in the socket's place may be of another version, hang, or be no service of Callosum's.
#[test]
fn what_gives_no_link_of_this_machine_is_in_nobodys_way() {
    const LINK: &str = r#"{"url": "http://127.0.0.1:9/?code=1"}"#;
    for says in [
        None,
        Some((404, "1", "{}")),
        Some((200, "1", "{")),
        Some((200, "1", r#"{"url": "http://evil.example/?code=1"}"#)),
        Some((200, "2", LINK)),
        Some((200, "", LINK)),
    ] {
        let home = Home::new();
        let socket = UnixListener::bind(home.at("state/serve.sock")).unwrap();
        let Some(says) = says else {
            // Nobody takes the connection in.
            assert_eq!(home.start().open().ask("status", "").status, 200);
            continue;
        };
        let answering = answer_once(socket, says);
        assert_eq!(home.start().open().ask("status", "").status, 200, "{says:?}");
        assert_eq!(answering.join().unwrap(), "POST /v1/page HTTP/1.1\r\n");
    }
    let home = Home::new();
    let socket = UnixListener::bind(home.at("state/serve.sock")).unwrap();
    let answering = answer_once(socket, (200, "1", LINK));
    assert_eq!(home.link(), "http://127.0.0.1:9/?code=1");
    answering.join().unwrap();
}

/// Answers the first request at a socket, with this status, protocol and body; gives the request's first line.
fn answer_once(
    socket: UnixListener,
    (status, protocol, text): (u16, &'static str, &'static str),
) -> JoinHandle<String> {
    thread::spawn(move || {
        let (mut stream, _) = socket.accept().unwrap();
        let mut line = String::new();
        let mut asked = BufReader::new(stream.try_clone().unwrap());
        asked.read_line(&mut line).unwrap();
        let length = text.len();
        let head =
            format!("HTTP/1.1 {status} x\r\nX-Callosum-Protocol: {protocol}\r\nContent-Length: {length}");
        write!(stream, "{head}\r\n\r\n{text}").unwrap();
        line
    })
}

#[test]
fn beside_a_service_of_another_version_no_second_one_starts() {
    let home = Home::new();
    let socket = UnixListener::bind(home.at("state/serve.sock")).unwrap();
    let lock = StateGuard::open_named(&StateDir::new(home.at("state")), "serve.lock").unwrap();
    let held = lock.try_hold().unwrap();
    assert!(held.is_some());
    let second = home.command(&home.at("state"), &["serve", "--listen", "none"]).output().unwrap();
    let said = String::from_utf8_lossy(&second.stderr);
    assert_eq!(second.status.code(), Some(1), "{said}");
    assert!(said.contains("is served already"), "{said}");
    // It is still reached where it was.
    let answering = answer_once(socket, (200, "2", "{}"));
    let mut client = UnixStream::connect(home.at("state/serve.sock")).unwrap();
    client.write_all(b"GET /\r\n").unwrap();
    assert_eq!(answering.join().unwrap(), "GET /\r\n");
}

#[test]
fn without_its_files_the_service_serves_everything_else() {
    let home = Home::new();
    fs::remove_file(home.at("page/index.html")).unwrap();
    let server = home.serve(&["--listen", "127.0.0.1:0"]);
    assert_eq!((server.get("/healthz").status, server.get("/").status), (200, 401));
    let refused = home.command(&home.at("state"), &["ui"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn other_machines_get_no_page() {
    let home = Home::new();
    let mut server = home.serve(&["--listen", "0.0.0.0:0", "--plain-http"]);
    server.follow(&home.link());
    assert_eq!(server.open().ask("status", "").status, 200);
    // Nothing is sent: only the way is looked up.
    let probe = UdpSocket::bind("0.0.0.0:0").unwrap();
    let Ok(own) = probe.connect("192.0.2.1:9").and_then(|()| probe.local_addr()) else {
        std::io::stderr().write_all(b"this machine has no address but loopback: not shown\n").unwrap();
        return;
    };
    for path in ["/", "/app.js", "/api/status", "/?code=x"] {
        let mut stream = TcpStream::connect((own.ip(), server.port)).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {}:{}\r\nConnection: close\r\n\r\n",
            own.ip(),
            server.port
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert!(text.starts_with("HTTP/1.1 404 "), "{path}: {text}");
    }
}
