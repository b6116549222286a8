//! `{commandRecipients}`: who a command that sends mail sends it to.
//!
//! Missing a recipient would let a mail out twice, naming one too many only pauses
//! once too often: in doubt an address counts.

use std::collections::HashSet;
use std::iter::Peekable;
use std::rc::Rc;

use super::address::{address_list, addresses};
use super::distinct;
use super::mail_text::{MailText, MailTexts};
use callosum_shell::{Invocation, printed_by};

/// Options that name recipients, in whatever program; short ones are told by program.
#[rustfmt::skip]
const RECIPIENT_OPTIONS: &[&str] = &[
    "mail-rcpt", "mail-rcp", "rcpt", "rcpt-to", "to", "cc", "bcc", "recipient", "recipients", "to-address", "to-addresses",
    "cc-addresses", "bcc-addresses", "envelope-to", "h-to", "h-cc", "header-to", "header-cc",
];

/// Options that name who sends: an address there is never a recipient.
#[rustfmt::skip]
const SENDER_OPTIONS: &[&str] = &[
    "mail-from", "mail-auth", "from", "from-address", "sender", "reply-to", "return-path", "return-address", "from-email-address", "user", "username",
    "auth-user", "login", "account", "envelope-from", "envelope-sender", "h-from", "header-from", "au",
];

/// Options whose value is neither, nor a header.
#[rustfmt::skip]
const OTHER_OPTIONS: &[&str] = &[
    "subject", "h-subject", "header-subject", "body", "host", "port", "file", "config", "logfile", "passwordeval", "auth-password",
    "password", "ap", "attach", "content-type", "encoding", "server", "in-reply-to", "message-id",
];

/// The recipients that programs name, in lower case, each once; none when they name none. In a `rough` line, and where
/// recipients may be hidden (`--to "$WHO"`), whatever looks like an address may be one.
pub(super) fn recipients(programs: &[Invocation], rough: Option<&str>, texts: &MailTexts) -> Vec<String> {
    let mut found = Found::default();
    for program in programs {
        found.program(program, texts);
    }
    // Where such a text breaks into words is not known: each of its lines may be a header.
    rough.into_iter().flat_map(|text| text.split(['"', '\'', '\n'])).for_each(|part| found.mail_text(part));
    if found.hidden || rough.is_some() || found.recipients.is_empty() {
        let words = programs.iter().flat_map(|program| program.words.iter().map(String::as_str));
        let read = programs.iter().flat_map(|program| &program.input).flat_map(|text| texts.everybody(text));
        let everybody: Vec<String> = words.chain(rough).flat_map(addresses).chain(read).collect();
        let others: Vec<String> = everybody.into_iter().filter(|address| !found.is_sender(address)).collect();
        found.recipients.extend(others);
    }
    distinct(found.recipients.into_iter())
}

/// What a command says of who writes to whom.
#[derive(Default)]
struct Found {
    recipients: Vec<String>,
    senders: HashSet<String>,
    /// What it reads.
    read: Vec<Rc<MailText>>,
    /// What variables the line sets.
    variables: Vec<(String, String)>,
    /// Whether there may be recipients that were not found: `--to "$WHO"`, broken syntax.
    hidden: bool,
}

/// How a program writes who a mail goes to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Program {
    /// `mail` and kin: recipients are what is left after the options.
    Mail,
    /// `mutt`: so too, with other options.
    Mutt,
    /// `sendmail`, `msmtp` and kin: so too, with other options.
    Sendmail,
    /// `swaks` and kin: `-t` names recipients.
    ShortTo,
    Other,
}

impl Program {
    fn of(name: &str) -> Self {
        match name {
            "mail" | "mailx" | "s-nail" | "nail" | "bsd-mailx" | "Mail" => Self::Mail,
            "mutt" | "neomutt" => Self::Mutt,
            "sendmail" | "msmtp" | "msmtpq" | "ssmtp" | "esmtp" | "exim" | "exim4" => Self::Sendmail,
            "swaks" | "sendemail" | "sendEmail" | "mailsend" | "smtp-cli" => Self::ShortTo,
            _ => Self::Other,
        }
    }

    fn takes_recipients(self) -> bool {
        matches!(self, Self::Mail | Self::Mutt | Self::Sendmail)
    }

    /// What the value of a short option is; `None` when the option has none.
    fn short_option(self, option: char) -> Option<Value> {
        let (recipients, senders, headers, others) = match self {
            Self::Mail => ("bc", "rf", "aC", "sSAqXYuTLM:"),
            Self::Mutt => ("bc", "", "", "saAdefFgGHilmQ"),
            Self::Sendmail => ("", "fr", "", "FBChLNORVXAaDp"),
            Self::ShortTo => ("t", "fur", "", "s"),
            Self::Other => ("", "afur", "", ""),
        };
        let kinds = [
            (recipients, Value::Recipient),
            (senders, Value::Sender),
            (headers, Value::Header),
            (others, Value::Other),
        ];
        kinds.into_iter().find(|(options, _)| options.contains(option)).map(|(_, kind)| kind)
    }
}

/// What an option's value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    Recipient,
    Sender,
    /// Header lines, perhaps.
    Header,
    Other,
}

impl Value {
    fn of_long_option(name: &str) -> Option<Self> {
        let is = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        if is(RECIPIENT_OPTIONS) {
            Some(Self::Recipient)
        } else if is(SENDER_OPTIONS) {
            Some(Self::Sender)
        } else {
            is(OTHER_OPTIONS).then_some(Self::Other)
        }
    }
}

impl Found {
    fn program(&mut self, invocation: &Invocation, texts: &MailTexts) {
        self.variables.clone_from(&invocation.variables);
        let words = invocation.words.iter().map(String::as_str).peekable();
        self.arguments(Program::of(&invocation.program), words);
        // What `xargs` appends is not known.
        self.hidden |= invocation.open;
        for text in &invocation.input {
            let says = texts.of(text);
            self.take(&says);
            self.read.push(says);
        }
    }

    fn is_sender(&self, address: &String) -> bool {
        self.senders.contains(address) || self.read.iter().any(|says| says.senders.contains(address))
    }

    fn arguments<'w>(
        &mut self,
        program: Program,
        mut words: Peekable<impl Iterator<Item = &'w str> + Clone>,
    ) {
        // `mutt -a file file -- address`: without the `--`, one file.
        let mut in_files = false;
        let mut in_recipients = false;
        let mut options_end = false;
        while let Some(word) = words.next() {
            if !options_end && word.len() > 1 && word.starts_with('-') {
                in_files = program == Program::Mutt && word == "-a" && words.clone().any(|word| word == "--");
                options_end = word == "--";
                in_recipients = self.option(program, word, &mut words) == Some(Value::Recipient);
            } else if in_files {
                // An attachment.
            } else if program.takes_recipients() || in_recipients && word.contains('@') {
                self.recipient(word);
            } else {
                self.mail_text(word);
            }
        }
    }

    /// Reads an option with its value, attached or the next word, and tells what that was.
    fn option<'w>(
        &mut self,
        program: Program,
        word: &'w str,
        words: &mut Peekable<impl Iterator<Item = &'w str>>,
    ) -> Option<Value> {
        let long = word.strip_prefix("--").or_else(|| {
            // `-to`, `-au`: programs without bundled options.
            word.strip_prefix('-').filter(|name| name.len() > 1 && !program.takes_recipients())
        });
        let (kind, attached) = match long {
            Some(option) => match option.split_once('=') {
                Some((name, value)) => (Value::of_long_option(name).unwrap_or(Value::Header), Some(value)),
                None => (Value::of_long_option(option)?, None),
            },
            None => {
                // Bundled: `-vs subject`, `-sSubject`; `-oi` is one option of sendmail's.
                let bundle = word.strip_prefix('-').unwrap_or(word);
                let bundle = if program == Program::Sendmail && bundle.starts_with(['o', 'b', 'q', 'd']) {
                    ""
                } else {
                    bundle
                };
                let (at, option, kind) = bundle
                    .char_indices()
                    .find_map(|(at, option)| Some((at, option, program.short_option(option)?)))?;
                (kind, bundle.get(at + option.len_utf8()..).filter(|value| !value.is_empty()))
            }
        };
        let value = attached.or_else(|| {
            let is_value = |next: &&str| kind == Value::Other || !next.starts_with('-');
            words.next_if(is_value)
        });
        match (kind, value) {
            (Value::Recipient, Some(value)) => self.recipient(value),
            (Value::Sender, Some(value)) => self.senders.extend(addresses(value)),
            (Value::Header, Some(value)) => self.mail_text(value),
            (Value::Other, _) | (_, None) => {}
        }
        Some(kind)
    }

    fn recipient(&mut self, list: &str) {
        if list.contains("%s") {
            self.hidden = true;
            return;
        }
        address_list(list).into_iter().for_each(|address| self.address(address));
    }

    /// Takes in an address, or what the line has set the variable to that it is.
    fn address(&mut self, address: String) {
        let variable = address.strip_prefix('$').map(|name| name.trim_matches(['{', '}']));
        let set = variable.and_then(|name| self.variables.iter().rev().find(|(known, _)| known == name));
        match set {
            Some((_, value)) => self.recipients.extend(address_list(value)),
            None if variable == Some("") => self.hidden = true,
            None => self.recipients.push(address),
        }
    }

    fn take(&mut self, says: &MailText) {
        self.hidden |= says.hides;
        says.recipients.iter().for_each(|address| self.address(address.clone()));
    }

    /// Reads a word that may be a mail, or what a command prints that is one: `"$(cat <<EOF …)"`.
    fn mail_text(&mut self, word: &str) {
        let printed = if word.starts_with("$(") { printed_by(word) } else { None };
        let says = MailText::read(printed.as_deref().unwrap_or(word));
        self.take(&says);
        self.senders.extend(says.senders);
    }
}
