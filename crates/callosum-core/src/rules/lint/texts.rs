//! Texts of a rule that what they are compared with never looks like.

use super::reach::said;
use crate::model::text::one_line;
use crate::rules::format::{RuleFormat, Texts};
use crate::rules::tool_words::MAX_JOINED;
use crate::rules::words::words;
use callosum_shell::command::outline;

/// Where such a text stands, as a byte of the file, and what to write instead.
pub(super) fn never_fit(rule: &RuleFormat) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    if let Some(command) = &rule.command {
        let programs = command.value.0.iter().filter_map(|text| outline(text).next());
        for program in programs.flat_map(|word| word.split('|')).filter(|name| name.contains('/')) {
            let name = program.rsplit('/').next().unwrap_or_default();
            let message = format!(
                "`command`: `{}` never matches, because programs are compared by name, without their folder; write `{}`",
                one_line(program, 80),
                one_line(name, 80)
            );
            found.push((command.at, message));
        }
    }
    if let Some(asked) = &rule.tool_words {
        let all = || asked.value.iter().flat_map(|group| &group.0);
        for word in all().filter(|word| !word.contains(char::is_alphanumeric)) {
            let word = one_line(word, 80);
            found.push((
                asked.at,
                format!("`toolWords`: `{word}` never stands in a name: it has no letter and no digit"),
            ));
        }
        for word in all().filter(|word| words(word).count() > MAX_JOINED) {
            let word = one_line(word, 80);
            let message =
                format!("`toolWords`: `{word}` is more than {MAX_JOINED} words: make groups of them");
            found.push((asked.at, message));
        }
        if let Some(group) = said(rule).and_then(|words| words.excluded()) {
            let message = format!(
                "`unlessWords` has all words of the {} of `toolWords`, so the rule never matches: take one out",
                match group {
                    0 => "first group".to_owned(),
                    group => format!("group {}", group + 1),
                }
            );
            found.push((asked.at, message));
        }
    }
    if let Some(flags) = &rule.unless_flag {
        for flag in flags.value.0.iter().filter(|flag| !flag.starts_with(['-', '+'])) {
            let flag = one_line(flag, 80);
            let message =
                format!("`unlessFlag`: `{flag}` is not an option: write it with its dashes, like `--{flag}`");
            found.push((flags.at, message));
        }
    }
    if let Some(http) = &rule.http {
        let texts =
            |texts: &Option<Texts>| texts.iter().flat_map(|texts| texts.0.clone()).collect::<Vec<_>>();
        let has_capitals = |host: &String| !host.contains('$') && host.chars().any(char::is_uppercase);
        for host in texts(&http.value.host).iter().filter(|host| has_capitals(host)) {
            let lower = one_line(&host.to_lowercase(), 80);
            found.push((http.at, format!("`http.host` is compared in lower case: write `{lower}`")));
        }
        for path in texts(&http.value.path).iter().filter(|path| path.starts_with('/')) {
            let bare = one_line(path.trim_matches('/'), 80);
            found.push((http.at, format!("`http.path` is compared without its first slash: write `{bare}`")));
        }
    }
    found
}
