//! What of a line was not read, and why.

/// Why reading stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// There are more commands than are followed.
    Commands,
    /// A shell stands inside a shell inside … deeper than is followed.
    Nesting,
    /// A program that carries another stands around one more than are followed.
    Carriers,
    /// The text is longer than is parsed.
    Length,
    /// It has more expansions, or deeper compound commands, than are parsed.
    Depth,
    /// It is no shell command: a quote that is never closed, an odd mark of a here-document.
    Syntax,
    /// It is in a code that can't be undone.
    Code,
    /// A shell runs what a program makes of it.
    Filter,
    /// Commands before it wrote to more people than keys are made for.
    Recipients,
    /// A program is given further words by something else.
    Arguments,
    /// Whom a mail is for stands in what its program reads, which the line does not say.
    Input,
}

impl Limit {
    /// What to tell people.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Commands => "the line has more commands than are followed",
            Self::Nesting => "shells stand inside each other deeper than is followed",
            Self::Carriers => "programs that run others stand around each other deeper than is followed",
            Self::Length => "the text is longer than is parsed",
            Self::Depth => "it has more expansions, or deeper commands inside each other, than are parsed",
            Self::Syntax => "its syntax can't be parsed",
            Self::Code => "its code can't be undone",
            Self::Filter => "a shell runs what a program makes of it, which can't be told",
            Self::Recipients => "the line has more mails to more people than are followed",
            Self::Arguments => "something else gives a program further words, which can't be told",
            Self::Input => "a mail is made of what the line does not say, and so is whom it is for",
        }
    }
}

/// The parts of a line that were not read for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The reason.
    pub limit: Limit,
    /// How many parts there are.
    pub parts: usize,
    /// How long they are together, in bytes.
    pub bytes: usize,
    /// They, one a line.
    pub text: String,
}

/// Parts that were not read, so far.
#[derive(Debug)]
pub(super) struct Parts {
    list: Vec<Unread>,
    /// At most this many bytes may still be kept: a text that is handed to a thousand programs is not kept for each.
    room: usize,
    /// Something was not kept.
    is_full: bool,
}

impl Parts {
    /// For a line of this length, in bytes.
    pub(super) fn of(length: usize) -> Self {
        Self { list: Vec::new(), room: 4 * length + 1024, is_full: false }
    }

    pub(super) fn add(&mut self, limit: Limit, text: &str) {
        let at = self.list.iter().position(|unread| unread.limit == limit).unwrap_or(self.list.len());
        if at == self.list.len() {
            self.list.push(Unread { limit, parts: 0, bytes: 0, text: String::new() });
        }
        let Some(unread) = self.list.get_mut(at) else { return };
        unread.parts += 1;
        unread.bytes += text.len();
        if text.len() < self.room {
            self.room -= text.len() + 1;
            unread.text.push_str(text);
            unread.text.push('\n');
        } else {
            self.is_full = true;
        }
    }

    /// All parts; where some were not kept, the whole line stands for them.
    pub(super) fn into_list(mut self, line: &str) -> Vec<Unread> {
        if let (true, Some(last)) = (self.is_full, self.list.last_mut()) {
            last.text.push_str(line);
        }
        self.list
    }
}
