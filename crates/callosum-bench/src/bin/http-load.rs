//! Calls of one kind over HTTP, one after the other on each of some connections that are kept alive.
//!
//! `http-load PORT TOKEN KIND CONNECTIONS MILLISECONDS`: `KIND` is `write` (tier 1) or `mail` (tier 3, each to somebody else). Prints the
//! rate, and how long an answer took, in nanoseconds.

use std::time::{Duration, Instant};

use callosum_bench::calls::Sample;
use callosum_bench::{Result, answer, arguments};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// More than any answer has.
const ROOM: usize = 16 * 1024;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let [port, token, kind, connections, milliseconds] =
        arguments("http-load PORT TOKEN KIND CONNECTIONS MILLISECONDS")?;
    let (port, connections): (u16, u64) = (port.parse()?, connections.parse()?);
    let end = Instant::now() + Duration::from_millis(milliseconds.parse()?);
    let sample = match kind.as_str() {
        "write" => Sample::write,
        "mail" => Sample::mail,
        other => return Err(format!("no call is called `{other}`").into()),
    };
    // Calls of other processes have other numbers.
    let first = u64::from(std::process::id()) << 32;
    let began = Instant::now();
    let each = (0..connections).map(|connection| {
        let token = token.clone();
        tokio::spawn(async move {
            let numbers = (first + connection..).step_by(usize::try_from(connections).unwrap_or(1));
            calls(port, &token, numbers.map(sample), end).await.map_err(|error| error.to_string())
        })
    });
    let mut took = Vec::new();
    for one in each.collect::<Vec<_>>() {
        took.extend(one.await??);
    }
    let seconds = began.elapsed().as_secs_f64();
    took.sort_unstable();
    let at = |share: usize| took.get(took.len().saturating_sub(1) * share / 100).copied().unwrap_or(0);
    answer(&json!({ "calls": took.len(), "seconds": seconds, "p50": at(50), "p99": at(99) }))?;
    Ok(())
}

/// Makes calls until `end`. Returns how long each answer took, in nanoseconds.
async fn calls(
    port: u16,
    token: &str,
    samples: impl Iterator<Item = Sample>,
    end: Instant,
) -> Result<Vec<u64>> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    stream.set_nodelay(true)?;
    let mut took = Vec::new();
    let mut room = vec![0; ROOM];
    for Sample { call, params, .. } in samples {
        let body = json!({ "tool": call.tool, "params": params, "session": call.session, "call": call.call })
            .to_string();
        let request = format!(
            "POST /v1/before HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let began = Instant::now();
        if began >= end {
            break;
        }
        stream.write_all(request.as_bytes()).await?;
        let text = read_answer(&mut stream, &mut room).await?;
        took.push(u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX));
        if !text.starts_with("HTTP/1.1 200 ") || !text.contains("\"verdict\":\"allow\"") {
            return Err(format!("a call was answered with {text}").into());
        }
    }
    Ok(took)
}

/// The next answer, head and body.
async fn read_answer<'r>(stream: &mut TcpStream, room: &'r mut [u8]) -> Result<&'r str> {
    let mut filled = 0;
    loop {
        let free = room.get_mut(filled..).filter(|free| !free.is_empty()).ok_or("an answer is too large")?;
        let read = stream.read(free).await?;
        if read == 0 {
            return Err("the connection was closed".into());
        }
        filled += read;
        let text = std::str::from_utf8(room.get(..filled).unwrap_or_default())?;
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let is_length = |line: &&str| line.to_ascii_lowercase().starts_with("content-length:");
        let length = head.lines().find(is_length).and_then(|line| line.split_once(':'));
        let length: usize = length.ok_or("an answer has no length")?.1.trim().parse()?;
        if body.len() >= length {
            break;
        }
    }
    Ok(std::str::from_utf8(room.get(..filled).unwrap_or_default())?)
}
