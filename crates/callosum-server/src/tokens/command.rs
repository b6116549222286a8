//! `callosum token`.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use callosum_core::model::time::to_rfc3339;
use callosum_core::store::state_dir::StateDir;
use callosum_core::store::state_guard::StateGuard;
use callosum_protocol::Speaker;
use serde_json::{Value, json};

use super::{Token, Tokens, hash, hex};
use crate::args::{NewToken, TokenAction};
use crate::caller::LOCAL;
use crate::failure::Failure;

/// The file whose lock excludes two changes at once.
const LOCK: &str = "tokens.lock";
/// How long a change waits for another one.
const PATIENCE: Duration = Duration::from_secs(3);
/// What every token begins with, so that who finds one knows what it is.
const PREFIX: &str = "callosum_";
const MAX_NAME: usize = 40;

/// Does what is asked with the tokens of `directory`.
pub(crate) fn run(directory: &StateDir, action: &TokenAction, as_json: bool) -> Result<ExitCode, Failure> {
    let tokens = Tokens::of(&directory.path);
    match action {
        TokenAction::List => list(&tokens, &directory.path, as_json),
        TokenAction::Add(new) => add(&tokens, directory, new, as_json),
        TokenAction::Revoke { name } => revoke(&tokens, directory, name, as_json),
    }
}

fn cant_read(directory: &Path, error: &io::Error) -> Failure {
    Failure::new(
        format!("can't use `{}`: {error}", directory.join("tokens.json").display()),
        "let only this user read and write it; if it is damaged, move it away and make the tokens anew",
    )
}

/// Reads the tokens, has `change` change them, and writes them, with no other change in between.
fn change<T>(
    tokens: &Tokens,
    directory: &StateDir,
    change: impl FnOnce(&mut Vec<Token>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let guard = StateGuard::open_named(directory, LOCK)?;
    let _held = guard.hold_until(Instant::now() + PATIENCE)?;
    let mut all = tokens.all().map_err(|error| cant_read(&directory.path, &error))?.to_vec();
    let done = change(&mut all)?;
    tokens.replace(all).map_err(|error| {
        let fragment = format!("can't write `{}`: {error}", directory.path.join("tokens.json").display());
        Failure::new(fragment, "check the disk and the permissions")
    })?;
    Ok(done)
}

fn add(tokens: &Tokens, directory: &StateDir, new: &NewToken, as_json: bool) -> Result<ExitCode, Failure> {
    check_name(&new.name)?;
    new.instances.iter().try_for_each(|instance| check_instance(instance))?;
    let now = wall_ms();
    let expires_at = new.expires.as_deref().map(|text| end(text, now)).transpose()?;
    let mut random = [0; 32];
    getrandom::fill(&mut random)
        .map_err(|error| Failure::new(format!("the system gives no random bytes: {error}"), "try again"))?;
    let text = format!("{PREFIX}{}", hex(&random));
    let token = Token {
        name: new.name.clone(),
        sha256: hash(&text),
        rights: new.rights,
        instances: new.instances.clone(),
        enforce: new.enforce,
        created_at: to_rfc3339(now),
        expires_at,
    };
    change(tokens, directory, |all| {
        if all.iter().any(|known| known.name == token.name) {
            return Err(Failure::new(
                format!("there is a token `{}` already", token.name),
                format!("choose another name, or revoke it first: callosum token revoke {}", token.name),
            ));
        }
        all.push(token.clone());
        Ok(())
    })?;
    let mut shown = shown(&token);
    if let Some(shown) = shown.as_object_mut() {
        shown.insert("token".to_owned(), text.clone().into());
    }
    if as_json {
        print(&shown.to_string())?;
    } else {
        print(&text)?;
        let _ = writeln!(
            io::stderr(),
            "This is the token `{}`. It is shown this once: only its hash is kept.",
            token.name
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn revoke(tokens: &Tokens, directory: &StateDir, name: &str, as_json: bool) -> Result<ExitCode, Failure> {
    let was_there = change(tokens, directory, |all| {
        let before = all.len();
        all.retain(|token| token.name != name);
        Ok(all.len() < before)
    })?;
    if as_json {
        print(&json!({ "name": name, "revoked": was_there }).to_string())?;
    } else if was_there {
        print(&format!("Revoked `{name}`."))?;
    } else {
        print("There is no such token; `callosum token list` shows those that there are.")?;
    }
    Ok(ExitCode::from(u8::from(!was_there)))
}

fn list(tokens: &Tokens, directory: &Path, as_json: bool) -> Result<ExitCode, Failure> {
    let all = tokens.all().map_err(|error| cant_read(directory, &error))?;
    if as_json {
        print(&json!({ "tokens": all.iter().map(shown).collect::<Vec<_>>() }).to_string())?;
        return Ok(ExitCode::SUCCESS);
    }
    if all.is_empty() {
        print("There are no tokens.")?;
    }
    let now = to_rfc3339(wall_ms());
    for token in all.iter() {
        let instances = if token.instances.is_empty() {
            "all its instances".to_owned()
        } else {
            token.instances.join(", ")
        };
        let end = match &token.expires_at {
            None => "does not expire".to_owned(),
            Some(end) if *end <= now => format!("expired at {end}"),
            Some(end) => format!("expires at {end}"),
        };
        let enforce = if token.enforce { ", enforces pauses" } else { "" };
        print(&format!("{}: {}, for {instances}, {end}{enforce}", token.name, token.rights.as_str()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A token as it is listed: without its hash.
fn shown(token: &Token) -> Value {
    json!({
        "name": token.name,
        "rights": token.rights,
        "instances": token.instances,
        "enforce": token.enforce,
        "createdAt": token.created_at,
        "expiresAt": token.expires_at,
    })
}

fn check_name(name: &str) -> Result<(), Failure> {
    let is_plain = |text: &str| {
        text.starts_with(|first: char| first.is_ascii_alphanumeric())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
    };
    let taken = match name {
        LOCAL => Some("callers on the socket"),
        Speaker::GATEWAY => Some("callers of an OpenClaw gateway"),
        _ => None,
    };
    if let Some(whose) = taken {
        return Err(Failure::new(format!("`{name}` is what {whose} are called"), "choose another name"));
    }
    if is_plain(name) && name.len() <= MAX_NAME {
        return Ok(());
    }
    Err(Failure::new(
        format!("`{}` can't be the name of a token", callosum_core::model::text::one_line(name, 80)),
        format!(
            "use at most {MAX_NAME} letters, digits, `.`, `_` and `-`, and begin with a letter or a digit"
        ),
    ))
}

fn check_instance(name: &str) -> Result<(), Failure> {
    callosum_protocol::check_instance(name).map_err(|why| {
        let shown = callosum_core::model::text::one_line(name, 80);
        Failure::new(format!("`{shown}` can't be an instance: {why}"), "choose another name")
    })
}

/// The first moment that RFC 3339 has no year for, in milliseconds since 1970.
const END_OF_YEAR_9999_MS: i64 = 253_402_300_800_000;

fn end(text: &str, now_ms: i64) -> Result<String, Failure> {
    let duration = humantime::parse_duration(text).ok().filter(|duration| !duration.is_zero());
    let end = duration
        .and_then(|duration| i64::try_from(duration.as_millis()).ok())
        .and_then(|ms| now_ms.checked_add(ms))
        .filter(|end| *end < END_OF_YEAR_9999_MS);
    end.map(to_rfc3339).ok_or_else(|| {
        let shown = callosum_core::model::text::one_line(text, 80);
        Failure::new(
            format!("`{shown}` is no time for a token to last"),
            "give a duration such as 90d or 12h",
        )
    })
}

fn print(line: &str) -> Result<(), Failure> {
    let mut out = io::stdout();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| {
        Failure::new(format!("can't write to standard output: {error}"), "look where it goes")
    })
}

fn wall_ms() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
