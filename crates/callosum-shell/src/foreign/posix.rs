//! Words of a POSIX shell, as they are written.

/// A word that is being made.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    /// As a POSIX shell has it.
    posix: String,
    /// What it says, variables as they are written there.
    pub(super) plain: String,
    /// A part of it stands in quotes, or is escaped.
    pub(super) is_quoted: bool,
    /// It stands for a part of what it says that the text does not say.
    pub(super) is_open: bool,
    in_quotes: bool,
}

impl Word {
    /// One that is this text.
    pub(super) fn of(text: &str) -> Self {
        let mut word = Self::default();
        text.chars().for_each(|c| word.push(c));
        word
    }

    /// Puts a sign behind it that means nothing else.
    pub(super) fn push(&mut self, c: char) {
        self.plain.push(c);
        if c.is_alphanumeric() || "-_./:=+@%,~".contains(c) {
            self.posix.push(c);
        } else if c == '\'' {
            self.close();
            self.posix.push_str("\\'");
        } else {
            if !self.in_quotes {
                self.posix.push('\'');
                self.in_quotes = true;
            }
            self.posix.push(c);
        }
    }

    /// Puts what a variable is set to behind it.
    pub(super) fn push_variable(&mut self, name: &str) {
        self.close();
        // Behind a folder there is a slash, and what knows paths knows it without braces.
        let (posix, plain) = if name == "HOME" {
            ("\"$HOME\"".to_owned(), "$HOME".to_owned())
        } else {
            (format!("\"${{{name}}}\""), format!("${{{name}}}"))
        };
        self.posix.push_str(&posix);
        self.plain.push_str(&plain);
    }

    /// The same with the slashes of a POSIX system, where it is the path of a file of somebody's own: `$HOME\.ssh`.
    pub(super) fn slashed(&self) -> Self {
        let (name, path) = match self.plain.strip_prefix("$HOME") {
            Some(path) => (Some("HOME"), path),
            None => (None, self.plain.as_str()),
        };
        if name.is_none() && !path.starts_with("~\\") || !path.contains('\\') {
            return self.clone();
        }
        let mut slashed = Self::default();
        name.into_iter().for_each(|name| slashed.push_variable(name));
        path.replace('\\', "/").chars().for_each(|c| slashed.push(c));
        slashed
    }

    /// Puts another word behind it.
    pub(super) fn push_word(&mut self, word: &Self) {
        self.close();
        self.posix.push_str(&word.posix());
        self.plain.push_str(&word.plain);
        self.is_quoted |= word.is_quoted;
        self.is_open |= word.is_open;
    }

    fn close(&mut self) {
        if self.in_quotes {
            self.posix.push('\'');
            self.in_quotes = false;
        }
    }

    /// The word as it is written.
    pub(super) fn posix(&self) -> String {
        match self.posix.as_str() {
            "" => "''".to_owned(),
            posix if self.in_quotes => format!("{posix}'"),
            posix => posix.to_owned(),
        }
    }
}

/// Words of a command, as they are written.
pub(super) fn written(words: &[Word]) -> String {
    words.iter().map(Word::posix).collect::<Vec<_>>().join(" ")
}
