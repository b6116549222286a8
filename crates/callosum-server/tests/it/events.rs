//! The stream of events: nothing is lost between two connections, and what is gone is said.

use std::fs;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use callosum_core::store::state_dir::StateDir;
use callosum_core::store::state_guard::StateGuard;
use callosum_testing::wait::until;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};

use crate::beside::Pruned;
use crate::support::{Client, Home, Serve};

/// A stream, from the place on where it says that it begins.
pub(crate) struct Stream {
    client: Client,
    /// The id of the newest place that was told, with an event or without.
    place: String,
}

/// An event, or the notice of a gap.
pub(crate) struct Event {
    id: Option<String>,
    pub(crate) data: Value,
}

impl Stream {
    pub(crate) fn open(serve: &Serve, token: &str, query: &str, head: &str) -> Self {
        Self::over(serve.client(token), &serve.host(), query, head)
    }

    fn over(mut client: Client, host: &str, query: &str, head: &str) -> Self {
        let request = format!("GET /v1/events{query} HTTP/1.1\r\nHost: {host}\r\n{}{head}\r\n", client.head);
        client.raw(request.as_bytes());
        let answer = client.answer();
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/event-stream")));
        let mut stream = Self { client, place: String::new() };
        // From here on nothing is missed.
        while stream.place.is_empty() {
            stream.line();
        }
        stream
    }

    /// A line of the stream; the chunks that it comes in say no more.
    fn line(&mut self) -> String {
        loop {
            let line = self.client.line();
            let is_length =
                !line.is_empty() && line.len() < 8 && line.bytes().all(|byte| byte.is_ascii_hexdigit());
            if !is_length {
                if let Some(id) = line.strip_prefix("id: ") {
                    id.clone_into(&mut self.place);
                }
                return line;
            }
        }
    }

    pub(crate) fn next(&mut self) -> Event {
        let mut event = Event { id: None, data: Value::Null };
        let mut silences = 0;
        loop {
            let line = self.line();
            silences += usize::from(line == ":");
            assert!(silences < 6, "nothing but signs of life came");
            if line.is_empty() {
                event.id = None;
            } else if line.starts_with("id: ") {
                event.id = Some(self.place.clone());
            } else if let Some(data) = line.strip_prefix("data: ") {
                event.data = serde_json::from_str(data).unwrap();
                return event;
            }
        }
    }
}

fn note(client: &mut Client, call: &str) {
    let body = json!({ "tool": "note", "params": { "to": call }, "session": "s", "call": call });
    assert_eq!(client.ok("/v1/before", &body)["verdict"], "allow");
}

/// Somebody who makes calls all the time, until this is dropped.
struct Busy {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Busy {
    fn new(serve: &Serve) -> Self {
        let (is_over, mut local) = (Arc::new(AtomicBool::new(false)), serve.local());
        let over = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            let mut call = 0;
            while !over.load(Ordering::Relaxed) {
                call += 1;
                note(&mut local, &format!("busy-{call}"));
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        Self { is_over, thread: Some(thread) }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

#[test]
fn what_comes_is_told_in_order_and_another_connection_goes_on_behind_it() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let mut client = serve.client(&token);
    note(&mut client, "before");
    let mut stream = Stream::open(&serve, &token, "?topic=call.*", "");
    for call in ["1", "2", "3"] {
        note(&mut client, call);
    }
    let told: Vec<Event> = (0..3).map(|_| stream.next()).collect();
    let calls: Vec<&Value> = told.iter().map(|event| &event.data["data"]["call"]).collect();
    assert_eq!(calls, ["1", "2", "3"]);
    assert_eq!(
        (&told[0].data["topic"], &told[0].data["from"]["via"]),
        (&json!("call.started"), &json!("token:ci"))
    );
    assert_eq!(told[0].data["id"].as_str(), told[0].id.as_deref());
    drop(stream);
    // Meanwhile, and over a restart.
    note(&mut client, "4");
    drop(client);
    serve.kill();
    let serve = home.serve();
    let id = told[2].id.clone().unwrap();
    let mut again = Stream::open(&serve, &token, "?topic=call.started", &format!("Last-Event-ID: {id}\r\n"));
    assert_eq!(again.next().data["data"]["call"], "4");
    note(&mut serve.client(&token), "5");
    assert_eq!(again.next().data["data"]["call"], "5");
    let mut all = Stream::open(&serve, &token, "?after=0&topic=call.started", "");
    let calls: Vec<Value> = (0..6).map(|_| all.next().data["data"]["call"].clone()).collect();
    assert_eq!(calls, ["before", "1", "2", "3", "4", "5"]);
}

#[test]
fn a_stream_tells_of_one_resource_or_of_all_that_begin_so() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let mut one = Stream::open(&serve, &token, "?key=email:ann@example.com&topic=call.started", "");
    let mut several = Stream::open(&serve, &token, "?key=email:b*", "");
    let mut local = serve.local();
    for (call, name) in [("1", "ann"), ("2", "anna"), ("3", "bob"), ("4", "bea"), ("5", "ann")] {
        let to = format!("{name}@example.com");
        let body = json!({ "tool": "note", "params": { "to": to }, "session": "s", "call": call });
        assert_eq!(local.ok("/v1/before", &body)["verdict"], "allow");
    }
    let told = |stream: &mut Stream| stream.next().data["data"]["call"].as_str().unwrap().to_owned();
    assert_eq!([told(&mut one), told(&mut one)], ["1", "5"]);
    assert_eq!([told(&mut several), told(&mut several)], ["3", "4"]);
    // What stands in the journal already is told by the same.
    let mut past = Stream::open(&serve, &token, "?key=email:b*&after=0", "");
    assert_eq!([told(&mut past), told(&mut past)], ["3", "4"]);
}

#[test]
fn a_journal_that_is_another_one_is_told_as_a_gap() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    note(&mut serve.client(&token), "1");
    let mut stream = Stream::open(&serve, &token, "?after=0&topic=call.*", "");
    let id = stream.next().id.unwrap();
    serve.kill();
    for name in ["journal.jsonl", "journal.index"] {
        let _ = fs::remove_file(home.path().join(name));
    }
    let serve = home.serve();
    note(&mut serve.client(&token), "2");
    let mut stream = Stream::open(&serve, &token, "?topic=call.*", &format!("Last-Event-ID: {id}\r\n"));
    let gap = stream.next();
    assert_eq!(gap.data["gap"]["to"], 0);
    // Who loses it here misses neither.
    drop(stream);
    let head = format!("Last-Event-ID: {}\r\n", gap.id.unwrap());
    let mut stream = Stream::open(&serve, &token, "?topic=call.*", &head);
    assert_eq!(stream.next().data["data"]["call"], "2");
}

#[test]
fn what_was_pruned_while_a_reader_was_away_is_told_as_a_gap() {
    let home = Home::new();
    let Pruned { journal, oldest } = Pruned::new(&home);
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let head = format!("Last-Event-ID: {journal}:100\r\n");
    let mut stream = Stream::open(&serve, &token, "?topic=call.started", &head);
    let gap = stream.next();
    assert_eq!(gap.data["gap"], json!({ "from": 101, "to": oldest }));
    let mut last = gap.id.unwrap();
    // Who asks for the oldest that is there lacks nothing.
    let mut all = Stream::open(&serve, &token, "?topic=call.started&after=0", "");
    loop {
        let (event, same) = (stream.next(), all.next());
        assert_eq!(event.data, same.data);
        assert_ne!(event.id.as_deref(), Some(last.as_str()));
        last = event.id.unwrap();
        if event.data["data"]["call"] == "kept" {
            break;
        }
    }
}

#[test]
fn one_token_has_half_of_the_streams_and_leaves_the_others_to_others() {
    let files = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: files.maximum, ..files }).unwrap();
    let home = Home::new();
    home.without_limits();
    let (greedy, other) = (home.token(&["greedy"]), home.token(&["other"]));
    let serve = home.serve();
    let streams: Vec<Stream> = (0..1_024).map(|_| Stream::open(&serve, &greedy, "", "")).collect();
    let refused = serve.client(&greedy).get("/v1/events");
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (503, &json!("busy")));
    assert!(refused.header("retry-after").is_some());
    Stream::open(&serve, &other, "", "");
    drop(streams);
    until("a place that is free again", || {
        let mut client = serve.client(&greedy);
        client.raw(
            format!("GET /v1/events HTTP/1.1\r\nHost: {}\r\n{}\r\n", serve.host(), client.head).as_bytes(),
        );
        let status = client.answer().status;
        if status == 200 { Ok(()) } else { Err(status) }
    });
}

#[test]
fn who_loses_a_stream_at_once_goes_on_where_it_began() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let mut serve = home.serve();
    // Of a journal that has nothing yet, and of one that has.
    for calls in [["1", "2"], ["3", "4"]] {
        let begun = Stream::open(&serve, &token, "?topic=call.*", "").place;
        note(&mut serve.client(&token), calls[0]);
        serve.kill();
        serve = home.serve();
        note(&mut serve.client(&token), calls[1]);
        let head = format!("Last-Event-ID: {begun}\r\n");
        let mut again = Stream::open(&serve, &token, "?topic=call.*", &head);
        let told = calls.map(|_| again.next().data["data"]["call"].clone());
        assert_eq!(told, calls);
    }
}

#[test]
fn a_stream_that_has_nothing_to_tell_tells_how_far_it_has_read() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    note(&mut serve.client(&token), "1");
    let mut stream = Stream::open(&serve, &token, "?topic=lease.*", "");
    let begun = stream.place.clone();
    // Also while there is always something that it does not tell.
    let busy = Busy::new(&serve);
    while stream.place == begun {
        stream.line();
    }
    drop(busy);
    let head = format!("Last-Event-ID: {}\r\n", stream.place);
    note(&mut serve.client(&token), "3");
    let mut again = Stream::open(&serve, &token, "?topic=call.*", &head);
    let mut told = || again.next().data["data"]["call"].as_str().unwrap().to_owned();
    let mut call = told();
    while call.starts_with("busy-") {
        call = told();
    }
    assert_eq!(call, "3");
}

#[test]
fn however_many_come_back_at_once_each_gets_its_past_and_none_waits_for_one_who_does_not_read() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let mut local = serve.local();
    // Several pieces of the journal, and more than a connection keeps for its reader.
    const CALLS: usize = 1_000;
    let filler = "x".repeat(250);
    for call in 0..CALLS {
        let body = json!({ "tool": "note", "params": { "to": format!("{call}-{filler}") }, "call": call.to_string() });
        assert_eq!(local.ok("/v1/before", &body)["verdict"], "allow");
    }
    let all = |stream: &mut Stream| {
        for call in 0..CALLS {
            assert_eq!(stream.next().data["data"]["call"], call.to_string());
        }
    };
    let on_socket = || {
        let query = "?after=0&topic=call.started";
        Stream::over(serve.local(), "localhost", query, "")
    };
    let mut stalled: Vec<Stream> = (0..8).map(|_| on_socket()).collect();
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| all(&mut Stream::open(&serve, &token, "?after=0&topic=call.started", "")));
        }
    });
    // Nobody had to wait until these were cut off.
    stalled.iter_mut().for_each(all);
}

/// The most memory that a process ever had, in MB.
fn most_memory(serve: &Serve) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", serve.id())).unwrap();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    most.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1_024
}

#[test]
#[cfg(target_os = "linux")]
fn who_never_reads_takes_no_more_memory_however_much_passes() {
    // A hundred megabytes of records, in batches that its readers keep up with.
    const BATCHES: usize = 25;
    const LINES: usize = 512;
    const MOST_MB: u64 = 100;
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let mut reader = Stream::open(&serve, &token, "?topic=call.*", "");
    let silent: Vec<Stream> = (0..10).map(|_| Stream::open(&serve, &token, "?topic=call.*", "")).collect();
    let body = json!({ "tool": "write", "params": { "path": "/a" }, "call": "1" });
    assert_eq!(serve.client(&token).ok("/v1/before", &body)["verdict"], "allow");
    let mut record = reader.next().data["data"].clone();
    record["filler"] = "x".repeat(8_000).into();
    let batch = format!("{record}\n").repeat(LINES);
    let before = most_memory(&serve);
    let guard = StateGuard::open(&StateDir::new(home.path().to_owned())).unwrap();
    for _ in 0..BATCHES {
        // As another process writes, so that nobody gives the file another name meanwhile.
        let held = guard.hold_until(Instant::now() + Duration::from_secs(60)).unwrap();
        let mut journal = fs::File::options().append(true).open(home.path().join("journal.jsonl")).unwrap();
        journal.write_all(batch.as_bytes()).unwrap();
        drop(held);
        for _ in 0..LINES {
            assert_eq!(reader.next().data["data"]["call"], "1");
        }
    }
    let more = most_memory(&serve) - before;
    assert!(more < MOST_MB, "{more} MB more");
    drop(silent);
}

#[test]
fn many_streams_each_get_all_that_they_asked_for() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let mut local = serve.local();
    let topics = ["", "?topic=call.started", "?topic=call.ended", "?topic=lease.*"];
    let mut streams: Vec<Stream> =
        (0..40).map(|number| Stream::open(&serve, &token, topics[number % 4], "")).collect();
    for call in 0..200 {
        note(&mut local, &call.to_string());
        local.ok("/v1/after", &json!({ "call": call.to_string(), "outcome": "complete" }));
    }
    local.ok("/lock", &json!({ "instance": "a", "contextKey": "k", "tier": 3 }));
    for (number, stream) in streams.iter_mut().enumerate() {
        let expected = [401, 200, 200, 1][number % 4];
        let mut last = 0;
        for told in 0..expected {
            let event = stream.next();
            let seq = event.data["seq"].as_u64().unwrap();
            assert!(told == 0 || seq > last, "{number}: {seq} after {last}");
            // A process says first how far back its rules look.
            if event.data["topic"].as_str().unwrap().starts_with("journal.") {
                assert_eq!(topics[number % 4], "");
            }
            last = seq;
        }
    }
}

#[test]
fn a_revoked_token_ends_a_stream_that_always_has_something_to_tell() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let mut stream = Stream::open(&serve, &token, "", "");
    let _busy = Busy::new(&serve);
    stream.next();
    assert!(home.program(&["token", "revoke", "ci"]).output().unwrap().status.success());
    let mut told = 0;
    while stream.client.line() != "0" {
        told += 1;
        assert!(told < 20_000, "it goes on");
    }
}

#[test]
fn a_revoked_token_ends_its_streams_and_wrong_places_are_named() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let mut client = serve.client(&token);
    for (query, path) in
        [("?after=x", "after"), ("?topic=A", "topic"), ("?topic=call.pausd", "topic"), ("?key=", "key")]
    {
        let refused = client.get(&format!("/v1/events{query}"));
        assert_eq!((refused.status, &refused.json()["error"]["path"]), (400, &json!(path)));
    }
    let refused = client.send("GET", "/v1/events", "Last-Event-ID: nowhere\r\n", "");
    assert_eq!((refused.status, &refused.json()["error"]["path"]), (400, &json!("Last-Event-ID")));
    let mut stream = Stream::open(&serve, &token, "", "");
    assert!(home.program(&["token", "revoke", "ci"]).output().unwrap().status.success());
    // It ends: the last chunk is empty, and nothing follows.
    while stream.client.line() != "0" {}
}

#[test]
fn a_journal_that_went_back_is_told_as_a_gap_and_so_is_what_comes_then() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    for call in ["1", "2", "3"] {
        note(&mut serve.client(&token), call);
    }
    let mut stream = Stream::open(&serve, &token, "?after=0&topic=call.*", "");
    let told = [stream.next(), stream.next(), stream.next()];
    serve.kill();
    // As a power failure leaves it: without its last lines.
    let path = home.path().join("journal.jsonl");
    let bytes = fs::read(&path).unwrap();
    let lost = usize::try_from(told[1].data["seq"].as_u64().unwrap()).unwrap();
    fs::write(&path, &bytes[..lost]).unwrap();
    let _ = fs::remove_file(home.path().join("journal.index"));
    let serve = home.serve();
    let head = format!("Last-Event-ID: {}\r\n", told[2].id.as_deref().unwrap());
    let mut stream = Stream::open(&serve, &token, "?topic=call.*", &head);
    let gap = stream.next();
    let behind = told[2].data["seq"].as_u64().unwrap() + 1;
    assert_eq!(gap.data["gap"]["from"], behind);
    assert!(gap.data["gap"]["to"].as_u64().unwrap() < behind, "{}", gap.data);
    note(&mut serve.client(&token), "4");
    assert_eq!(stream.next().data["data"]["call"], "4");
}
