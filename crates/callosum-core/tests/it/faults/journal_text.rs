//! The journal's files as text. Shares nothing with the product: names, offsets, newlines and JSON are read
//! here anew.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde_json::Value;

/// How much may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    /// Nothing but the ends of lines: processes died, the machine did not.
    TornLines,
    /// Whatever was not flushed.
    PowerCut,
}

/// A line that is a JSON object, and its sequence number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) seq: u64,
    pub(crate) line: Value,
}

impl Row {
    pub(crate) fn text(&self, field: &str) -> &str {
        self.line[field].as_str().unwrap_or_default()
    }
}

/// All segments, read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    pub(crate) rows: Vec<Row>,
    /// Lines that are no JSON object.
    pub(crate) torn: usize,
    pub(crate) segments: usize,
    /// What is wrong.
    pub(crate) problems: Vec<String>,
}

impl Reading {
    /// The rows of each call, by its id.
    pub(crate) fn by_call(&self) -> HashMap<&str, Vec<&Row>> {
        let mut calls: HashMap<&str, Vec<&Row>> = HashMap::new();
        for row in &self.rows {
            if row.line["call"].is_string() {
                calls.entry(row.text("call")).or_default().push(row);
            }
        }
        calls
    }
}

/// The files of a real folder.
pub(crate) fn files_in(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap()))
        .collect()
}

/// Reads the segments among `files` and says what is wrong with them.
pub(crate) fn read(files: &BTreeMap<String, Vec<u8>>, damage: Damage) -> Reading {
    let mut reading = Reading::default();
    let mut segments: Vec<(u64, &str, &[u8])> = Vec::new();
    for (name, bytes) in files {
        let named = name.strip_prefix("journal.").and_then(|rest| rest.strip_suffix(".jsonl"));
        if name == "journal.jsonl" {
            segments.push((base_in_first_line(bytes).unwrap_or(0), name, bytes));
        } else if let Some(base) = named.and_then(|base| base.parse().ok()) {
            segments.push((base, name, bytes));
        }
    }
    segments.sort_by_key(|(base, name, _)| (*base, *name == "journal.jsonl"));
    reading.segments = segments.len();
    let mut end = segments.first().map_or(0, |(base, _, _)| *base);
    for (index, (base, name, bytes)) in segments.iter().enumerate() {
        let next = segments.get(index + 1).map(|(base, _, _)| *base);
        if *base < end || (damage == Damage::TornLines && *base != end) {
            reading.problems.push(format!("`{name}` begins at {base}, and the one before ends at {end}"));
        }
        if (*name == "journal.jsonl") != next.is_none() {
            reading.problems.push(format!("`{name}` at {base} is not where the active segment must be"));
        }
        end = base + bytes.len() as u64;
        read_segment(&mut reading, (*base, name, bytes), next, damage);
    }
    if reading.rows.windows(2).any(|pair| pair[0].seq >= pair[1].seq) {
        reading.problems.push("sequence numbers do not rise".to_owned());
    }
    reading
}

fn base_in_first_line(bytes: &[u8]) -> Option<u64> {
    let line: Value = serde_json::from_slice(bytes.split(|byte| *byte == b'\n').next()?).ok()?;
    (line["action"] == "opened").then(|| line["base"].as_u64()).flatten()
}

fn read_segment(
    reading: &mut Reading,
    (base, name, bytes): (u64, &str, &[u8]),
    next: Option<u64>,
    damage: Damage,
) {
    let Reading { rows, torn, problems, .. } = reading;
    let mut position = 0;
    let mut closed = None;
    for part in bytes.split_inclusive(|byte| *byte == b'\n') {
        let at = format!("`{name}` at {position}");
        let seq = base + position as u64;
        if closed.is_some() {
            problems.push(format!(
                "{at}: behind the closing line: {}",
                String::from_utf8_lossy(part).chars().take(300).collect::<String>()
            ));
        }
        match serde_json::from_slice::<Value>(part) {
            // Without its newline a line is not there yet; in a closed segment nobody writes one any more.
            Ok(line) if line.is_object() && (part.ends_with(b"\n") || next.is_some()) => {
                match line["action"].as_str() {
                    Some("opened") if position != 0 || line["base"] != base => {
                        problems.push(format!("{at}: opened with base {}, not {base}", line["base"]));
                    }
                    Some("closed") => closed = Some(line["base"].clone()),
                    _ => {}
                }
                rows.push(Row { seq, line });
            }
            _ => *torn += 1,
        }
        position += part.len();
    }
    let first_is_whole = base_in_first_line(bytes).is_some();
    if damage == Damage::TornLines {
        if !first_is_whole {
            problems.push(format!("`{name}`: no opening line"));
        }
        if next.is_some() && closed.is_none() {
            problems.push(format!("`{name}`: not closed, and another one follows"));
        }
    }
    if let (Some(closed), Some(next)) = (closed, next)
        && closed != next
        // Of pruned segments some may be back.
        && damage == Damage::TornLines
    {
        problems.push(format!("`{name}` is closed with base {closed}, and the next one begins at {next}"));
    }
}
