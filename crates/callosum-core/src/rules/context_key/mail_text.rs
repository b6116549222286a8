//! What texts say of who writes to whom: mails, header lines, forms and JSON that programs read or are given.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use serde_json::Value as Json;

use super::address::{Header, address_list, addresses, headers, percent_decoded};
use super::field::Field;
use super::mail_fields::named;
use super::{MAX_KEYS, distinct};

/// Of one call so many recipients are put into keys, counted for each command and each place that they are asked for.
const MAX_RECIPIENTS: usize = 16 * MAX_KEYS;

/// What a text says of who writes to whom.
#[derive(Debug, Default)]
pub(super) struct MailText {
    /// Who gets it: addresses, local names, variables.
    pub(super) recipients: Vec<String>,
    pub(super) senders: HashSet<String>,
    /// There may be recipients that it does not say: `To: %s`.
    pub(super) hides: bool,
    /// Whatever in it looks like an address.
    everybody: OnceCell<Vec<String>>,
}

impl MailText {
    /// Reads a text that may be a mail, or the header lines of one.
    pub(super) fn read(text: &str) -> Self {
        let mut found = Self::default();
        if text.trim_start().starts_with(['{', '[']) {
            if let Ok(json) = serde_json::from_str::<Json>(text) {
                named(&json, &mut |kind, text| found.person(kind, text));
            }
        } else {
            for (name, value) in text.split('&').filter_map(|field| field.split_once('=')) {
                // `-F to=…`, `from='…'`: the fields of a form.
                let kind = if name.contains(char::is_whitespace) { Field::Other } else { Field::of(name) };
                if kind != Field::Other {
                    found.person(kind, &percent_decoded(value));
                }
            }
            for (header, value) in headers(text) {
                let kind = match header {
                    Header::Recipient => Field::Recipient,
                    Header::Sender => Field::Sender,
                };
                found.person(kind, &value);
            }
        }
        found.recipients = distinct(std::mem::take(&mut found.recipients).into_iter());
        found
    }

    fn person(&mut self, kind: Field, text: &str) {
        match kind {
            Field::Recipient if text.contains("%s") => self.hides = true,
            Field::Recipient => self.recipients.extend(address_list(text)),
            Field::Sender => self.senders.extend(addresses(text)),
            Field::Other => {}
        }
    }
}

/// A text, kept so that no other comes to stand where it does, and what it says.
type Shared = (Rc<str>, Rc<MailText>);

/// The texts that the programs of a call read, each read once: hundreds may share one of a megabyte.
#[derive(Debug)]
pub(super) struct MailTexts {
    /// By where they stand.
    read: RefCell<HashMap<*const u8, Shared>>,
    /// At most this many recipients may still be put into keys.
    room: Cell<usize>,
    left_out: Cell<usize>,
}

impl Default for MailTexts {
    fn default() -> Self {
        Self { read: RefCell::default(), room: Cell::new(MAX_RECIPIENTS), left_out: Cell::new(0) }
    }
}

impl MailTexts {
    /// What a text says that programs may share.
    pub(super) fn of(&self, text: &Rc<str>) -> Rc<MailText> {
        let mut read = self.read.borrow_mut();
        let place = Rc::as_ptr(text).cast();
        let (_, says) = read.entry(place).or_insert_with(|| (Rc::clone(text), Rc::new(MailText::read(text))));
        Rc::clone(says)
    }

    /// Whatever looks like an address in such a text.
    pub(super) fn everybody(&self, text: &Rc<str>) -> Vec<String> {
        let says = self.of(text);
        says.everybody.get_or_init(|| distinct(addresses(text))).clone()
    }

    /// Whether so much more may be put into keys; what may not is counted.
    pub(super) fn has_room(&self, wanted: usize) -> bool {
        let left = self.room.get().checked_sub(wanted);
        self.room.set(left.unwrap_or_default());
        self.left_out.set(self.left_out.get() + usize::from(left.is_none()));
        left.is_some()
    }

    /// For how many commands, or places in keys, recipients were not read.
    pub(super) fn left_out(&self) -> usize {
        self.left_out.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_programs_share_is_read_once() {
        let texts = MailTexts::default();
        let (one, same): (Rc<str>, Rc<str>) = ("To: a@x".into(), "To: a@x".into());
        assert!(Rc::ptr_eq(&texts.of(&one), &texts.of(&Rc::clone(&one))));
        assert!(!Rc::ptr_eq(&texts.of(&one), &texts.of(&same)));
    }
}
