//! What a field of a mail names, by how the field is called.

/// Longer names of fields say nothing.
const MAX_NAME: usize = 64;

/// What a field of an object has to do with a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// Who gets it.
    Recipient,
    /// Who sends it, or gets the answer.
    Sender,
    Other,
}

impl Field {
    /// By its name, however that is written: `to`, `To`, `toRecipients`, `to_email`, `recipient-email`, `CC`.
    pub(super) fn of(name: &str) -> Self {
        /// What may stand behind `to`, `cc` and `bcc`, and before them.
        #[rustfmt::skip]
        const WITH: &[&str] = &[
            "", "s", "email", "emails", "mail", "mails", "address", "addresses", "addr", "addrs", "emailaddress", "emailaddresses", "emailaddr",
            "list", "user", "users", "contact", "contacts", "person", "people", "send", "forward", "deliver", "message",
        ];
        #[rustfmt::skip]
        const ALONE: &[&str] = &[
            "email", "emails", "mail", "mails", "emailaddress", "emailaddresses", "emailaddr", "mailaddress", "address", "addresses", "addr", "mailto",
            "receiver", "receivers", "receiveremail", "receiveremails", "contactemail", "useremail", "targetemail", "destination", "destinations",
            "audience", "rcpt", "rcpts", "rcptto", "smtpaddress",
        ];
        if name.len() > MAX_NAME {
            return Self::Other;
        }
        let name = folded(name);
        let senders = ["sender", "replyto", "returnpath", "returnaddress", "fromaddress", "fromemail"];
        let is_sender = senders.iter().any(|sender| name.contains(sender))
            || name.starts_with("from")
            || name.ends_with("from")
            || name == "source";
        if is_sender {
            return Self::Sender;
        }
        let names = ["bcc", "cc", "to"];
        let before = names.iter().any(|to| name.strip_prefix(to).is_some_and(|rest| WITH.contains(&rest)));
        let behind = names.iter().any(|to| name.strip_suffix(to).is_some_and(|rest| WITH.contains(&rest)));
        let says = ["recipient", "addressee"].iter().any(|word| name.contains(word));
        if before || behind || says || ALONE.contains(&name.as_str()) { Self::Recipient } else { Self::Other }
    }
}

/// A field's name without case and signs.
pub(super) fn folded(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}
