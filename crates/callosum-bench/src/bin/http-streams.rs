//! Readers of the service's events: many that want one topic, and one that wants all.
//!
//! `http-streams PORT TOKEN STREAMS TOPIC MILLISECONDS` prints `{"open": N}` once all of them are open, and at the end how many events each of
//! the filtered streams read (the fewest and the most), how many the unfiltered one read, and how many gaps they were told of.

use std::time::Duration;

use callosum_bench::{Result, answer, arguments};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let [port, token, streams, topic, milliseconds] =
        arguments("http-streams PORT TOKEN STREAMS TOPIC MILLISECONDS")?;
    let (port, streams): (u16, usize) = (port.parse()?, streams.parse()?);
    let mut readers = vec![open(port, &token, "").await?];
    for _ in 0..streams {
        readers.push(open(port, &token, &format!("?topic={topic}")).await?);
    }
    answer(&json!({ "open": readers.len() }))?;
    let end = Instant::now() + Duration::from_millis(milliseconds.parse()?);
    let reading: Vec<_> = readers
        .into_iter()
        .map(|reader| tokio::spawn(async move { read(reader, end).await.map_err(|error| error.to_string()) }))
        .collect();
    let mut heard = Vec::new();
    for one in reading {
        heard.push(one.await??);
    }
    let filtered = heard.get(1..).unwrap_or_default();
    let all = heard.first().ok_or("no stream was open")?;
    answer(&json!({
        "events": all.events, "gaps": heard.iter().map(|one| one.gaps).sum::<u64>(),
        "fewest": filtered.iter().map(|one| one.events).min(), "most": filtered.iter().map(|one| one.events).max(),
    }))?;
    Ok(())
}

/// What one stream brought.
#[derive(Default)]
struct Heard {
    events: u64,
    /// Events that say that something is missing.
    gaps: u64,
}

async fn open(port: u16, token: &str, query: &str) -> Result<BufReader<TcpStream>> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    let request = format!(
        "GET /v1/events{query} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).await?;
    if !line.starts_with("HTTP/1.1 200 ") {
        return Err(format!("a stream was answered with {line}").into());
    }
    Ok(reader)
}

async fn read(mut reader: BufReader<TcpStream>, end: Instant) -> Result<Heard> {
    let (mut heard, mut line) = (Heard::default(), String::new());
    loop {
        line.clear();
        let Ok(read) = timeout_at(end, reader.read_line(&mut line)).await else { return Ok(heard) };
        if read? == 0 {
            return Err("a stream has ended".into());
        }
        if line.trim_end() == "event: gap" {
            heard.gaps += 1;
        }
        // A gap has data, too, but no id of an event in it.
        heard.events += u64::from(line.starts_with("data: ") && line.contains("\"seq\":"));
    }
}
