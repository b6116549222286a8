//! Clients that keep nobody from the page.

use callosum_testing::wait::until;

use super::*;

/// Whoever is on this machine may connect; 300 are more than there are places for.
#[test]
fn who_has_no_token_keeps_nobody_from_the_page() {
    let home = Home::new();
    // What does not fit into the buffers between the two has to wait for its reader.
    fs::write(home.at("page/app.js"), "x".repeat(1 << 20)).unwrap();
    let server = home.start();
    let visit = server.open();
    let host = server.host();
    let mut page = visit.listen();
    let told = next_head(&mut page);

    let attacks = [
        // Asks and asks, and reads nothing.
        format!("GET /app.js HTTP/1.1\r\nHost: {host}\r\n\r\n").repeat(40),
        // Says no more than this.
        "GET / HT".to_owned(),
        String::new(),
        // Begins to send what is never read.
        format!(
            "POST /api/release HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Length: 9000\r\n\r\n{{"
        ),
    ];
    let mut held = Vec::new();
    for attack in &attacks {
        held.extend((0..300).map(|_| server.connect(attack)));
        assert_eq!(visit.ask("status", "").status, 200);
        assert_eq!(server.get("/app.js").body.len(), 1 << 20);
    }
    // The page that is open has noticed nothing of it.
    let mut journal = OpenOptions::new().append(true).open(home.at("state/journal.jsonl")).unwrap();
    writeln!(journal, "{}", call()).unwrap();
    assert!(next_head(&mut page) > told);
}

#[test]
fn who_does_not_read_what_was_asked_for_is_cut_off() {
    let home = Home::new();
    fs::write(home.at("page/app.js"), "x".repeat(1 << 20)).unwrap();
    let server = home.start();
    let request = format!("GET /app.js HTTP/1.1\r\nHost: {}\r\n\r\n", server.host()).repeat(64);
    let mut stuck = server.connect(&request);
    // Nothing is ever read; that the other side has gone is told by what is written to it.
    until("the end of the connection", || stuck.write_all(b" ").map_or_else(Ok, |()| Err("still connected")));
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn ctrl_c_and_sigterm_end_it_whoever_listens() {
    for signal in [Signal::INT, Signal::TERM] {
        let home = Home::new();
        let mut server = home.start();
        let mut page = server.open().listen();
        let mut line = String::new();
        page.read_line(&mut line).unwrap();
        assert!(line.starts_with("HTTP/1.1 200"), "{line}");
        let _silent = server.connect("GET / HT");
        server.signal(signal);
        // The stream ends as it should, not torn off.
        let mut rest = String::new();
        page.read_to_string(&mut rest).unwrap();
        assert!(rest.ends_with("0\r\n\r\n"), "{rest}");
        assert_eq!(server.child.wait().unwrap().code(), Some(0));
    }
}
