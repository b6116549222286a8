//! Ten thousand connections, of processes of their own.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::support::Home;

const CONNECTIONS: usize = 10_000;
/// Of one process, at the most.
const EACH: usize = 2_500;
/// Files that a process needs besides.
const BESIDES: usize = 64;
const PORT: &str = "CALLOSUM_TEST_CROWD_PORT";
const COUNT: &str = "CALLOSUM_TEST_CROWD_COUNT";

/// How many connections a process may have.
fn each() -> usize {
    let most = getrlimit(Resource::Nofile).maximum.map_or(usize::MAX, |most| usize::try_from(most).unwrap());
    EACH.min(most.saturating_sub(BESIDES))
}

/// One of the processes, and whether it has all its connections.
struct Crowd(Child);

impl Crowd {
    fn start(port: u16, count: usize) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", "crowd::one_of_the_processes"])
            .env(PORT, port.to_string())
            .env(COUNT, count.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("all are there") {
            line.clear();
            assert!(out.read_line(&mut line).unwrap() > 0, "it ended");
        }
        Self(child)
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[ignore = "the test beside it starts this"]
#[expect(clippy::print_stdout, reason = "the test beside it reads this")]
fn one_of_the_processes() {
    let files = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: files.maximum, ..files }).unwrap();
    let number = |name: &str| std::env::var(name).unwrap().parse::<usize>().unwrap();
    let port = u16::try_from(number(PORT)).unwrap();
    let connections: Vec<TcpStream> = (0..number(COUNT))
        .map(|turn| {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
            // Some begin a request, and others say nothing. It may be closed already.
            let _ = if turn % 2 == 0 { stream.write_all(b"GET /v1/sta") } else { Ok(()) };
            stream
        })
        .collect();
    println!("all are there");
    // Until the test beside it has seen enough.
    let _ = std::io::stdin().read(&mut [0]);
    drop(connections);
}

#[test]
fn ten_thousand_connections_without_a_token_keep_nobody_out_and_are_told_in_the_log() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let log = fs::File::create(home.path().join("log")).unwrap();
    let words = ["serve", "--listen", "127.0.0.1:0"];
    let serve = home.start(home.program(&words).stderr(Stdio::from(log)));
    let mut known = serve.client(&token);
    assert_eq!(known.get("/v1/head").status, 200);
    let each = each();
    let crowds: Vec<Crowd> = (0..CONNECTIONS.div_ceil(each))
        .map(|_| {
            let crowd = Crowd::start(serve.port, each);
            assert_eq!(known.get("/v1/head").status, 200, "who has shown a token keeps its connection");
            assert_eq!(serve.client(&token).get("/v1/head").status, 200, "who shows one is let in");
            crowd
        })
        .collect();
    let open = fs::read_dir(format!("/proc/{}/fd", serve.id())).unwrap().count();
    assert!(open < 400, "{open} files are open");
    drop(crowds);
    assert_eq!(known.get("/v1/head").status, 200);
    drop(known);
    assert_eq!(serve.end().code(), Some(0));
    let log = fs::read_to_string(home.path().join("log")).unwrap();
    let told: Vec<&str> = log.lines().filter(|line| line.contains("showed no token")).collect();
    assert!((1..=3).contains(&told.len()), "{told:?}");
    assert!(told[0].contains("more than 256 connections showed no token, and 1 were closed"), "{told:?}");
}
