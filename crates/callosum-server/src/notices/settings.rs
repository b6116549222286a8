//! `notify` of `serve.json`: whom to tell, and what.

use serde::Deserialize;

use super::tally::Kind;

/// The program that sends to a chat.
const OPENCLAW: &str = "openclaw";

/// Whom to tell, and what.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Entry")]
pub(crate) struct Notify {
    command: Option<Vec<String>>,
    chat: Option<Chat>,
    on: Vec<Kind>,
}

/// A chat that OpenClaw can send to.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Chat {
    channel: String,
    target: String,
}

/// It as it is written.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Entry {
    command: Option<Vec<String>>,
    chat: Option<Chat>,
    on: Option<Vec<Kind>>,
}

impl TryFrom<Entry> for Notify {
    type Error = String;

    fn try_from(entry: Entry) -> Result<Self, String> {
        let Entry { command, chat, on } = entry;
        if command.is_none() && chat.is_none() {
            return Err("`notify` needs a `command` or a `chat`".to_owned());
        }
        if command.as_ref().is_some_and(|words| words.first().is_none_or(String::is_empty)) {
            return Err("`command` of `notify` is a list of words, the program first".to_owned());
        }
        // It would be taken for an option.
        let is_word = |word: &String| !word.is_empty() && !word.starts_with('-');
        if chat.as_ref().is_some_and(|chat| !is_word(&chat.channel) || !is_word(&chat.target)) {
            return Err(
                "`chat` of `notify` needs a `channel` and a `target` that `openclaw message send` knows"
                    .to_owned(),
            );
        }
        let on = on.unwrap_or_else(|| Kind::ALL.to_vec());
        if on.is_empty() {
            return Err(
                "`on` of `notify` is empty: name pause, block, limit or degraded, or leave it out".to_owned()
            );
        }
        Ok(Self { command, chat, on })
    }
}

impl Notify {
    pub(super) fn wants(&self, kind: Kind) -> bool {
        self.on.contains(&kind)
    }

    /// The commands that tell `text`: it is their last word.
    pub(super) fn commands(&self, text: &str) -> Vec<Vec<String>> {
        let own = self.command.clone();
        let chat = self.chat.as_ref().map(|Chat { channel, target }| {
            [OPENCLAW, "message", "send", "--channel", channel, "--target", target, "--message"]
                .map(str::to_owned)
                .to_vec()
        });
        let with_text = |mut words: Vec<String>| {
            words.push(text.to_owned());
            words
        };
        own.into_iter().chain(chat).map(with_text).collect()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use serde_json::{Value, from_value, json};

    use super::*;

    fn read(value: Value) -> Result<Notify, String> {
        from_value(value).map_err(|error| error.to_string())
    }

    #[test]
    fn a_text_is_the_last_word_of_a_command_and_a_chat_is_openclaws() {
        let notify = read(json!({
            "command": ["notify-send", "Callosum"], "chat": { "channel": "telegram", "target": "@ann" }, "on": ["block"]
        }));
        let notify = notify.unwrap();
        let commands = notify.commands("a text");
        let shown: Vec<String> = commands.iter().map(|words| words.join("|")).collect();
        assert_eq!(
            shown,
            [
                "notify-send|Callosum|a text",
                "openclaw|message|send|--channel|telegram|--target|@ann|--message|a text"
            ]
        );
        assert!(notify.wants(Kind::Block) && !notify.wants(Kind::Pause));
        assert!(read(json!({ "command": ["x"] })).unwrap().wants(Kind::Degraded));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (value, why) in [
            (json!({}), "needs a `command` or a `chat`"),
            (json!({ "command": [] }), "the program first"),
            (json!({ "command": "notify-send" }), "expected a sequence"),
            (json!({ "chat": { "channel": "telegram", "target": "--force" } }), "`channel` and a `target`"),
            (json!({ "command": ["x"], "on": [] }), "`on` of `notify` is empty"),
            (json!({ "command": ["x"], "on": ["pauses"] }), "unknown variant `pauses`"),
            (json!({ "command": ["x"], "every": 1 }), "unknown field `every`"),
        ] {
            let told = read(value).unwrap_err();
            assert!(told.contains(why), "{told}");
        }
    }
}
