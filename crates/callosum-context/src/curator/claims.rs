//! What agents say they did: a line under `## Done`, or an entry of `refs`, that names a context key or a sequence number of the
//! journal. Prose is never read as a claim.

use crate::signals::{Section, lines};

/// Claims of one output that are looked at.
const MAX_CLAIMS: usize = 100;

/// What is said to be done.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// Some action on this resource.
    Key(String),
    /// The action of this record.
    Seq(u64),
}

/// The claims of an output, each once.
pub(crate) fn claims(refs: &[String], body: &str) -> Vec<What> {
    let done =
        lines(body).filter(|line| line.section == Section::Done && !line.is_quote).map(|line| line.text);
    let mut found: Vec<What> =
        refs.iter().map(String::as_str).chain(done).flat_map(named).take(MAX_CLAIMS).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// What a text names.
fn named(text: &str) -> Vec<What> {
    // A reference may be a mere number.
    if let Ok(seq) = text.trim().parse() {
        return vec![What::Seq(seq)];
    }
    let words = text.split(|c: char| {
        c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '(' | ')' | '[' | ']' | ',' | ';')
    });
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let numbered = word.strip_prefix("seq:").or_else(|| word.strip_prefix("seq#"));
        let numbered = numbered.or_else(|| if *word == "seq" { words.get(at + 1).copied() } else { None });
        if let Some(seq) = numbered.and_then(|number| number.trim_end_matches('.').parse().ok()) {
            found.push(What::Seq(seq));
        } else if is_key(word) {
            found.push(What::Key((*word).trim_end_matches(['.', ':', '!', '?']).to_owned()));
        }
    }
    found
}

/// Whether a word is made as context keys are: a kind, a colon, and what it is of that kind. An address of the web is none.
fn is_key(word: &str) -> bool {
    word.split_once(':').is_some_and(|(kind, rest)| {
        kind.len() > 1
            && kind.starts_with(|c: char| c.is_ascii_lowercase())
            && kind.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            && kind != "seq"
            && rest.trim_end_matches(['.', ':', '!', '?']).chars().nth(1).is_some()
            && !rest.starts_with("//")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_done_lines_and_references_claim() {
        let body = "Sent email:prose@x.example.\n\n## Done\n- Mailed `email:otto@x.example`.\n- Deployed (seq 120), see https://x.example/a\n\
                    > - email:quoted@x.example\n- note: nothing\n\n## Next\n- email:later@x.example\n";
        let refs = ["88".to_owned(), "seq 90".to_owned(), "deploy:site/production".to_owned()];
        assert_eq!(
            claims(&refs, body),
            [
                What::Key("deploy:site/production".to_owned()),
                What::Key("email:otto@x.example".to_owned()),
                What::Seq(88),
                What::Seq(90),
                What::Seq(120),
            ]
        );
    }
}
