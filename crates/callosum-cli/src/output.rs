//! Text for people, and what can go wrong on the way out.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use callosum_core::model::json_text;
use callosum_core::model::text;
use callosum_core::model::text::{one_line, without_our_name};
use callosum_core::model::time::{for_people, from_rfc3339};
use callosum_core::query::{Kind, QueryError, Uncovered};
use callosum_core::rules::SHIPPED_SOURCE;
use chrono::{DateTime, Local};
use comfy_table::{Attribute, Cell, Color, ContentArrangement, Table, presets};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Serialize;

use crate::args::Args;
use crate::pager;

/// How often a tool or a program without a rule was seen, and what it sounds like.
pub(crate) fn seen_as(entry: &Uncovered) -> String {
    let what = match entry.kind {
        Kind::Tool => "",
        Kind::Program => "program ",
    };
    let calls = counted(entry.calls, "call");
    let sounds = entry.verb.map_or_else(String::new, |verb| format!(", sounds like an effect: {verb}"));
    format!("{what}{} of {} ({calls}{sounds})", name(&entry.name), name(&entry.runtime))
}

/// Why a command could not be done: a fragment and what to do about it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// What was asked for can't be looked at.
    #[error("{fragment}; {remedy}")]
    CantLook { fragment: String, remedy: String },
    /// What was asked to be changed is left as it was.
    #[error("{fragment}; {remedy}")]
    CantChange { fragment: String, remedy: String },
    /// The journal has no answer.
    #[error("{0}")]
    Query(#[from] QueryError),
    /// The answer could not be written.
    #[error("can't write the answer: {0}; check where the output goes")]
    Output(#[from] io::Error),
    /// The answer could not be written as JSON.
    #[error("can't write the answer as JSON: {0}; check where the output goes")]
    Json(serde_json::Error),
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        match error.io_error_kind() {
            Some(kind) => Self::Output(kind.into()),
            None => Self::Json(error),
        }
    }
}

/// Standard output, with colours only on a terminal, and not where NO_COLOR is set. A reader who has seen enough, as `head`
/// has, is no failure: what is written from then on goes nowhere, and a command exits as it would have.
pub(crate) struct Output {
    out: BufWriter<AutoStream<StdoutLock<'static>>>,
    is_read: bool,
    /// What is held back until its length is known.
    held: Option<Vec<u8>>,
}

impl Output {
    /// This process's. Nothing else may write there meanwhile.
    pub(crate) fn standard() -> Self {
        Self { out: BufWriter::new(AutoStream::auto(io::stdout().lock())), is_read: true, held: None }
    }

    /// The same; on a terminal, all of it goes to a pager if it is longer than the screen.
    pub(crate) fn paged() -> Self {
        Self { held: io::stdout().is_terminal().then(Vec::new), ..Self::standard() }
    }

    /// Shows what was held back, and waits for who reads it.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if let Some(text) = self.held.take() {
            let is_coloured = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
            if !pager::show(&text, is_coloured) {
                self.write_all(&text)?;
            }
        }
        self.flush()
    }

    /// What comes of `write`, or of having nobody to write to.
    fn unless_gone<T>(
        &mut self,
        unread: T,
        write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> io::Result<T> {
        if !self.is_read {
            return Ok(unread);
        }
        match write(&mut self.out) {
            Err(error) if is_gone(&error) => {
                self.is_read = false;
                Ok(unread)
            }
            result => result,
        }
    }
}

impl Write for Output {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if let Some(held) = &mut self.held {
            return held.write(text);
        }
        self.unless_gone(text.len(), |out| out.write(text))
    }

    fn flush(&mut self) -> io::Result<()> {
        // What is held back is shown when all of it is there.
        self.unless_gone((), |out| out.flush())
    }
}

/// Whether a write failed because nobody reads any more.
pub(crate) fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// Waits for `rest`, or until nobody reads standard output any more; whether that is so. Writing alone would not tell
/// before there is something to write.
pub(crate) fn reader_goes_within(rest: Duration) -> bool {
    let stdout = io::stdout();
    // That the other end is closed is told without being asked for.
    let mut polled = [PollFd::new(&stdout, PollFlags::empty())];
    let limit = Timespec::try_from(rest).ok();
    poll(&mut polled, limit.as_ref()).map_or_else(
        |_| {
            // Else whoever follows would look without a rest.
            thread::sleep(rest);
            false
        },
        |closed| closed > 0,
    )
}

/// Names (session, instance, tool) are cut after this many characters, keys and sentences after the second.
pub(crate) const NAME_CHARS: usize = 80;
pub(crate) const LONG_CHARS: usize = 300;

/// No cell is made shorter for the sake of others.
const LEAST_CELL: usize = 12;
/// Columns of tables that a narrow terminal has no room for, in the order in which they go.
const DISPENSABLE: [&str; 8] = ["INSTANCE", "FIRST", "TIER", "TOOL", "PAUSED", "CALLS", "RUNTIME", "PROJECT"];
/// Columns around a cell.
const AROUND: usize = 2;
/// Whether nothing is to be shortened: said once, when the program starts.
static WIDE: AtomicBool = AtomicBool::new(false);

/// No table is squeezed into fewer columns; it gets as many as a terminal usually has.
const LEAST_WIDTH: u16 = 40;
const USUAL_WIDTH: u16 = 80;
/// As wide as the help of single commands.
const HELP_WIDTH: usize = 100;

/// A name from the journal, fit for a terminal: agents read those, too.
pub(crate) fn name(text: &str) -> String {
    text::name(text, NAME_CHARS).into_owned()
}

/// A key from the journal, fit for a terminal.
pub(crate) fn resource(text: &str) -> String {
    text::name(text, LONG_CHARS).into_owned()
}

/// What a call said, more than a name: a command, a reason.
pub(crate) fn said(text: &str) -> String {
    without_our_name(&long(text)).into_owned()
}

/// A sentence of our own, fit for a terminal.
pub(crate) fn long(text: &str) -> String {
    one_line(text, LONG_CHARS)
}

/// Where rules came from: a path, or `shipped`.
pub(crate) fn rules_source(source: &str) -> String {
    if source == SHIPPED_SOURCE { "shipped".to_owned() } else { long(source) }
}

/// An RFC 3339 time as a clock on the wall here shows it, with the date when that is not today's.
pub(crate) fn local_time(rfc3339: &str) -> String {
    let Some(moment) = from_rfc3339(rfc3339).and_then(DateTime::from_timestamp_millis) else {
        return name(rfc3339);
    };
    let local = moment.with_timezone(&Local);
    let format =
        if local.date_naive() == Local::now().date_naive() { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
    local.format(format).to_string()
}

/// How long ago an RFC 3339 time was, or when it will be; with `--time`, what [`local_time`] says.
pub(crate) fn when(args: &Args, rfc3339: &str) -> String {
    let Some(moment) = from_rfc3339(rfc3339).filter(|_| !args.global.time) else {
        return local_time(rfc3339);
    };
    let ahead = moment.saturating_sub(Local::now().timestamp_millis());
    let distance = for_people(ahead.unsigned_abs());
    if ahead > 0 { format!("in {distance}") } else { format!("{distance} ago") }
}

/// Bytes for people.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = "bytes";
    for larger in UNITS {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = larger;
    }
    if unit == "bytes" { format!("{bytes} bytes") } else { format!("{value:.1} {unit}") }
}

/// `1 line`, `2 lines`.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// Writes one JSON document on a line of its own.
pub(crate) fn json(out: &mut dyn Write, document: &impl Serialize) -> Result<(), Failure> {
    json_text::to_writer(&mut *out, document)?;
    Ok(writeln!(out)?)
}

/// What a state, a record's action or a finding's level means to who looks for trouble.
#[derive(Clone, Copy)]
enum Tone {
    Done,
    Open,
    Stopped,
    Bad,
}

impl Tone {
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "complete" | "ok" => Self::Done,
            "running" | "failing" | "note" => Self::Open,
            "paused" | "blocked" | "denied" | "unknown" | "outcome unknown" | "refused" | "released"
            | "parked" | "warning" => Self::Stopped,
            "failed" | "error" => Self::Bad,
            _ => return None,
        })
    }

    fn color(self) -> (Color, AnsiColor) {
        match self {
            Self::Done => (Color::DarkGreen, AnsiColor::Green),
            Self::Open => (Color::DarkCyan, AnsiColor::Cyan),
            Self::Stopped => (Color::DarkYellow, AnsiColor::Yellow),
            Self::Bad => (Color::DarkRed, AnsiColor::Red),
        }
    }
}

/// `cell`, in the colour of the state, action or level that it is.
pub(crate) fn toned(cell: &str) -> String {
    match Tone::of(cell.trim_end()) {
        Some(tone) => {
            let style = Style::new().fg_color(Some(tone.color().1.into()));
            format!("{style}{cell}{style:#}")
        }
        None => cell.to_owned(),
    }
}

/// A heading, bold.
pub(crate) fn heading(text: &str) -> String {
    let bold = Style::new().bold();
    format!("{bold}{text}{bold:#}")
}

/// Writes a table, as wide as the terminal where there is one; nothing when it has no rows. A title sets it off from what
/// stands before it.
pub(crate) fn table(
    out: &mut dyn Write,
    title: Option<&str>,
    header: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
) -> Result<(), Failure> {
    let (mut rows, mut header): (Vec<Vec<String>>, _) = (rows.collect(), header.to_vec());
    if let Some(width) = width() {
        leave_out(&mut rows, &mut header, width);
        fit(&mut rows, &header, width);
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.iter().map(|name| Cell::new(name).add_attribute(Attribute::Dim)));
    table.add_rows(rows.into_iter().map(|row| {
        row.into_iter().map(|text| match Tone::of(&text) {
            Some(tone) => Cell::new(text).fg(tone.color().0),
            None => Cell::new(text),
        })
    }));
    if table.is_empty() {
        return Ok(());
    }
    if let Some(title) = title {
        writeln!(out, "\n{}", heading(title))?;
    }
    Ok(writeln!(out, "{}", table.trim_fmt())?)
}

/// Columns of the terminal that is written to; `None` where there is none, or nothing is to be shortened.
pub(crate) fn width() -> Option<usize> {
    if WIDE.load(Ordering::Relaxed) {
        return None;
    }
    let width = Table::new().width()?;
    // One that does not know its width says 0; in a column a letter wide nothing can be read.
    Some(usize::from(if width < LEAST_WIDTH { USUAL_WIDTH } else { width }))
}

/// Columns that help is written in: no more than are read with ease.
pub(crate) fn help_width() -> usize {
    width().unwrap_or(HELP_WIDTH).min(HELP_WIDTH)
}

/// From now on nothing is shortened.
pub(crate) fn be_wide() {
    WIDE.store(true, Ordering::Relaxed);
}

/// Leaves out columns, those that are missed least first, until rows with short cells fit in `width`.
fn leave_out(rows: &mut [Vec<String>], header: &mut Vec<&str>, width: usize) {
    for name in DISPENSABLE {
        let needed: usize = widths(rows, header).iter().map(|width| (*width).min(LEAST_CELL) + AROUND).sum();
        if needed <= width {
            return;
        }
        if let Some(place) = header.iter().position(|known| *known == name) {
            header.remove(place);
            rows.iter_mut().filter(|row| place < row.len()).for_each(|row| drop(row.remove(place)));
        }
    }
}

/// How wide each column is.
fn widths(rows: &[Vec<String>], header: &[&str]) -> Vec<usize> {
    let mut widths: Vec<usize> = header.iter().map(|name| name.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    widths
}

/// Shortens the longest cells until rows of these columns fit in `width`. A name is cut in its middle: ids are told by their
/// beginnings, keys by their ends.
pub(crate) fn fit(rows: &mut [Vec<String>], header: &[&str], width: usize) {
    let widths = widths(rows, header);
    let room = width.saturating_sub(AROUND * widths.len());
    let fits = |most: &usize| widths.iter().map(|width| (*width).min(*most)).sum::<usize>() <= room;
    let most = (LEAST_CELL..=width).rev().find(fits).unwrap_or(LEAST_CELL);
    for cell in rows.iter_mut().flatten() {
        *cell = shortened(cell, most);
    }
}

/// At most `most` characters of a cell, an ellipsis in its middle for the rest.
fn shortened(cell: &str, most: usize) -> String {
    let count = cell.chars().count();
    if count <= most {
        return cell.to_owned();
    }
    let kept = most.saturating_sub(1);
    let end = kept / 2;
    let begin: String = cell.chars().take(kept - end).collect();
    let rest: String = cell.chars().skip(count - end).collect();
    format!("{begin}…{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_cells_give_way_first_and_in_their_middle() {
        let row = || {
            let (key, id) =
                ("email:somebody.with.a.long.name@example.com", "3858aa11-0000-4000-8000-123456789abc");
            [key, id, "exec", "3"].map(str::to_owned).to_vec()
        };
        let header = ["RESOURCE", "SESSION", "TOOL", "TIER"];
        let fitted = |width: usize| {
            let mut rows = vec![row()];
            fit(&mut rows, &header, width);
            rows.concat()
        };
        assert_eq!(fitted(200), row());
        let cells = fitted(60);
        assert_eq!(cells, ["email:someb…xample.com", "3858aa11-00…3456789abc", "exec", "3"]);
        let all: usize = cells.iter().map(|cell| cell.chars().count()).sum();
        assert!(all + AROUND * header.len() <= 60, "{cells:?}");
        // Where nothing helps, something can still be read.
        assert!(fitted(10).iter().all(|cell| cell.chars().count() <= LEAST_CELL));
    }
}
