//! Which runtime a task should go to: ordered routes, of which the first that matches counts.

use std::collections::BTreeMap;
use std::path::Path;

use callosum_core::store::rules_file;
use serde::{Deserialize, Serialize};

/// The file in the state directory.
pub const FILE: &str = "routes.json";
/// Those that are in force without it.
const SHIPPED: &str = include_str!("../routes.json");
/// Bytes that the file may have, and routes.
const MAX_BYTES: usize = 256 * 1024;
const MAX_ROUTES: usize = 200;

/// What the file says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Routes {
    #[serde(rename = "$comment", default)]
    _comment: Option<String>,
    #[serde(rename = "$schema", default)]
    _schema: Option<String>,
    /// The runtime of each role.
    #[serde(default)]
    pub roles: BTreeMap<String, String>,
    /// In their order.
    pub routes: Vec<Route>,
}

/// A route.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// What it is for.
    #[serde(rename = "match")]
    pub matches: Match,
    /// The runtime.
    pub agent: String,
    /// The one where that is not there.
    #[serde(default)]
    pub fallback: Option<String>,
    /// The deadline, counted from when the task is created.
    #[serde(default)]
    pub sla: Option<String>,
    /// Why.
    #[serde(default)]
    pub why: Option<String>,
}

/// What a route is for: any of these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Match {
    /// The category is this one.
    #[serde(default)]
    pub category: Option<String>,
    /// One of these stands in the text.
    #[serde(default)]
    pub words: Vec<String>,
    /// A file's path begins so, or ends so where this begins with `*`.
    #[serde(default)]
    pub path: Option<String>,
    /// The text names at least this many tokens.
    #[serde(default)]
    pub tokens_from: Option<u64>,
}

/// The route that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Routed {
    /// The runtime; none where no route matches.
    pub agent: Option<String>,
    /// The one where that is not there.
    pub fallback: Option<String>,
    /// The deadline, counted from when the task is created.
    pub sla: Option<String>,
    /// The category.
    pub category: Option<String>,
    /// Which route it was.
    pub rule: Option<RuleFound>,
}

/// Which route, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleFound {
    /// Its place, from 0.
    pub index: usize,
    /// Why it is so, and what in the text it matched.
    pub why: String,
}

impl Routes {
    /// The routes in force in a state directory.
    ///
    /// # Errors
    /// When the file there can't be used: a clause whose subject is the file.
    pub fn read(state_dir: &Path) -> Result<Self, String> {
        let path = state_dir.join(FILE);
        let text = match path.symlink_metadata() {
            Err(_) => SHIPPED.to_owned(),
            Ok(_) => rules_file::read(&path)?,
        };
        if text.len() > MAX_BYTES {
            return Err(format!("has more than {MAX_BYTES} bytes"));
        }
        let routes: Self =
            serde_json::from_str(&text).map_err(|error| format!("is no list of routes: {error}"))?;
        if routes.routes.len() > MAX_ROUTES {
            return Err(format!("has more than {MAX_ROUTES} routes"));
        }
        if let Some(place) = routes.routes.iter().position(|route| route.matches == Match::default()) {
            return Err(format!("has nothing under `match` in route {place}"));
        }
        Ok(routes)
    }

    /// Where a text about these files goes.
    #[must_use]
    pub fn route(&self, text: &str, category: Option<&str>, files: &[String]) -> Routed {
        let words = words_of(text);
        let tokens = tokens_named(&words);
        let found = self.routes.iter().enumerate().find_map(|(index, route)| {
            let matched = route.matches.matched(&words, tokens, category, files)?;
            Some((index, route, matched))
        });
        let Some((index, route, matched)) = found else {
            return Routed {
                agent: None,
                fallback: None,
                sla: None,
                category: category.map(str::to_owned),
                rule: None,
            };
        };
        let why = route.why.as_ref().map_or_else(|| matched.clone(), |why| format!("{why} ({matched})"));
        Routed {
            agent: Some(route.agent.clone()),
            fallback: route.fallback.clone(),
            sla: route.sla.clone(),
            category: category.map(str::to_owned).or_else(|| route.matches.category.clone()),
            rule: Some(RuleFound { index, why }),
        }
    }
}

impl Match {
    fn matched(
        &self,
        words: &[String],
        tokens: Option<u64>,
        category: Option<&str>,
        files: &[String],
    ) -> Option<String> {
        if let (Some(own), Some(category)) = (&self.category, category)
            && own.eq_ignore_ascii_case(category)
        {
            return Some(format!("category {own}"));
        }
        let stands = |wanted: &&String| {
            let wanted = words_of(wanted);
            !wanted.is_empty() && words.windows(wanted.len()).any(|part| part == wanted.as_slice())
        };
        if let Some(word) = self.words.iter().find(stands) {
            return Some(format!("the text says “{word}”"));
        }
        if let (Some(from), Some(tokens)) = (self.tokens_from, tokens)
            && tokens >= from
        {
            return Some(format!("the text names {tokens} tokens"));
        }
        let path = self.path.as_deref()?;
        let fits = |file: &&String| match path.strip_prefix('*') {
            Some(ending) => file.ends_with(ending),
            None => file.starts_with(path),
        };
        files
            .iter()
            .find(fits)
            .map(|file| format!("it is about {}", callosum_core::model::text::one_line(file, 120)))
    }
}

/// Words in lower case; a dash within one stays.
fn words_of(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '-')
        .map(|word| word.trim_matches('-').to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

/// The number of tokens that a text names: `150K tokens`, `1M tokens`, `200000 tokens`.
fn tokens_named(words: &[String]) -> Option<u64> {
    let named = words.windows(2).filter_map(|pair| {
        let [number, unit] = pair else { return None };
        if !unit.starts_with("token") {
            return None;
        }
        let (digits, times) = match number.chars().last()? {
            'k' => (number.strip_suffix('k')?, 1_000),
            'm' => (number.strip_suffix('m')?, 1_000_000),
            _ => (number.as_str(), 1),
        };
        digits.parse::<u64>().ok()?.checked_mul(times)
    });
    named.max()
}

/// A time such as `5 min`, `90 s`, `2 h`, in milliseconds.
#[must_use]
pub fn duration_ms(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|letter: char| !letter.is_ascii_digit())?;
    let (number, unit) = text.split_at_checked(digits)?;
    let times = match unit.trim() {
        "s" | "sec" | "seconds" => 1_000,
        "m" | "min" | "minutes" => 60_000,
        "h" | "hours" => 3_600_000,
        "d" | "days" => 86_400_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(times)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::os::unix::fs::symlink;
    use std::process::Command;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn shipped() -> Routes {
        Routes::read(Path::new("/nowhere")).unwrap()
    }

    #[test]
    fn the_nine_routes_name_what_they_are_for() {
        let routes = shipped();
        assert_eq!(routes.routes.len(), 9);
        for (text, index) in [
            ("Build the iOS app and archive it in Xcode", 0),
            ("an architecture decision about the store", 1),
            ("Review 150K tokens of logs", 2),
            ("read the whole codebase", 2),
            ("Evo3 Stage 2 synthesis", 3),
            ("Analyze this CSV", 4),
            ("update the CRM pipeline", 5),
            ("restart the Docker VM", 6),
            ("copywriting for the site", 7),
            ("a cross-project dependency scan", 8),
        ] {
            assert_eq!(routes.route(text, None, &[]).rule.unwrap().index, index, "{text}");
        }
        assert_eq!(routes.route("ninety-nine tokens, 99K tokens", None, &[]).rule, None);
        assert_eq!(routes.route("say hello to the vmware people", None, &[]).agent, None);
        assert_eq!(routes.route("x", Some("creative"), &[]).rule.unwrap().index, 7);
        assert!(routes.routes.iter().all(|route| duration_ms(route.sla.as_deref().unwrap()).is_some()));
    }

    #[test]
    fn a_file_of_ones_own_counts_instead_and_a_wrong_one_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let write = |text: &str| std::fs::write(folder.path().join(FILE), text).unwrap();
        write(r#"{"routes":[{"match":{"path":"*.sql"},"agent":"codex"}]}"#);
        let routes = Routes::read(folder.path()).unwrap();
        let routed = routes.route("x", None, &["a/b.sql".to_owned()]);
        assert_eq!(routed.agent.as_deref(), Some("codex"));
        assert_eq!(routes.route("x.sql", None, &[]).agent, None);
        for wrong in [
            r#"{"routes":[{"match":{},"agent":"a"}]}"#,
            r#"{"rules":[]}"#,
            "[",
            r#"{"routes":[{"match":{"word":["a"]},"agent":"a"}]}"#,
        ] {
            write(wrong);
            assert!(Routes::read(folder.path()).is_err(), "{wrong}");
        }
        write(&format!("{{\"routes\":[]{}}}", " ".repeat(MAX_BYTES)));
        assert!(Routes::read(folder.path()).is_err_and(|why| why.contains("bytes")));
    }

    #[test]
    fn what_is_no_file_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let read = || {
            let (sender, told) = mpsc::channel();
            let folder = folder.path().to_owned();
            thread::spawn(move || sender.send(Routes::read(&folder)));
            told.recv_timeout(Duration::from_secs(60)).unwrap().unwrap_err()
        };
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert_eq!(read(), "is not a regular file");
        for elsewhere in ["/dev/zero", "/"] {
            std::fs::remove_file(&path).unwrap();
            symlink(elsewhere, &path).unwrap();
            assert!(!read().is_empty(), "{elsewhere}");
        }
    }
}
