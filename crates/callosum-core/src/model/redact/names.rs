//! Names that say that a secret follows: of fields, headers, variables, options, tags.

use super::languages;
use super::words::{
    ABOUT, CODES, FILES, HARMLESS_FIRST, HARMLESS_KEYS, HARMLESS_TOKENS, KEY_FILES, LAST, LIKELY_LAST,
    NOT_WITHIN, NOTHING, ORDER_KEYS, PAGE_TOKENS, SETTINGS, WEAK_LAST, WITHIN,
};

/// What a name says of its value. The later, the surer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tell {
    /// Nothing.
    No,
    /// It is a secret if it looks like one: `key`, `session`.
    Weak,
    /// It is one, except a word of settings: `auth: none`.
    Likely,
    /// It is one.
    Surely,
}

/// The words of a name, in lower case, and where each but the first begins: `XApiKey2` is `x`, `api`, `key`.
struct Words {
    joined: String,
    begins: Vec<usize>,
}

impl Words {
    fn of(name: &str) -> Self {
        let mut words = Self { joined: String::with_capacity(name.len()), begins: Vec::new() };
        let bytes = name.as_bytes();
        let mut fresh = false;
        for (place, byte) in bytes.iter().take(80).enumerate() {
            if !byte.is_ascii_alphanumeric() {
                fresh = true;
                continue;
            }
            let before = place.checked_sub(1).and_then(|place| bytes.get(place)).copied().unwrap_or(0);
            let after = bytes.get(place + 1).copied().unwrap_or(0);
            let hump = byte.is_ascii_uppercase()
                && (before.is_ascii_lowercase()
                    || (before.is_ascii_uppercase() && after.is_ascii_lowercase()));
            if (fresh || hump) && !words.joined.is_empty() {
                words.begins.push(words.joined.len());
            }
            fresh = false;
            words.joined.push(char::from(byte.to_ascii_lowercase()));
        }
        words
    }

    /// The last word, without the number that tells it from others, and where it begins.
    fn last(&self) -> (&str, usize) {
        let begin = self.begins.last().copied().unwrap_or(0);
        let word = self.joined.get(begin..).unwrap_or_default();
        let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
        (if bare.is_empty() { word } else { bare }, begin)
    }

    fn first(&self) -> &str {
        self.joined.get(..self.begins.first().copied().unwrap_or(self.joined.len())).unwrap_or_default()
    }

    /// The name without its last word.
    fn shorten(&mut self) -> bool {
        let Some(begin) = self.begins.pop() else { return false };
        self.joined.truncate(begin);
        true
    }
}

/// What the name says of its value.
pub(super) fn tell(name: &str) -> Tell {
    if languages::is_name(name) {
        return Tell::Surely;
    }
    let mut words = Words::of(name);
    if HARMLESS_FIRST.contains(&words.first()) && !words.begins.is_empty() {
        return Tell::No;
    }
    if ABOUT.contains(&words.last().0) {
        while ABOUT.contains(&words.last().0) && words.shorten() {}
        return if told(&words) >= Tell::Likely { Tell::Weak } else { Tell::No };
    }
    told(&words)
}

fn told(words: &Words) -> Tell {
    let joined = words.joined.as_str();
    let (last, begin) = words.last();
    if WITHIN.iter().any(|part| joined.contains(part)) && !NOT_WITHIN.iter().any(|part| joined.contains(part))
    {
        return Tell::Surely;
    }
    let qualifier = {
        let begins = words.begins.len().checked_sub(2).and_then(|place| words.begins.get(place));
        joined.get(begins.copied().unwrap_or(0)..begin).unwrap_or_default()
    };
    match last {
        "token" if HARMLESS_TOKENS.contains(&qualifier) => Tell::No,
        "token" if PAGE_TOKENS.contains(&qualifier) => Tell::Weak,
        "pat" if !qualifier.is_empty() => Tell::Surely,
        "key" if ORDER_KEYS.contains(&qualifier) => Tell::No,
        "key" if qualifier.is_empty() || HARMLESS_KEYS.contains(&qualifier) => Tell::Weak,
        "key" => Tell::Surely,
        "code" | "codes" if CODES.contains(&qualifier) => Tell::Likely,
        _ if LAST.contains(&last) => Tell::Surely,
        _ if LIKELY_LAST.contains(&last) => Tell::Likely,
        _ if WEAK_LAST.contains(&last) => Tell::Weak,
        // Written as one word: `authtoken`, `dbpass`.
        _ if ["token", "pwd", "bearer", "passwd"].iter().any(|end| last.ends_with(end)) => Tell::Surely,
        _ if last.ends_with("pass") && !["compass", "bypass", "trespass", "surpass"].contains(&last) => {
            Tell::Likely
        }
        _ => Tell::No,
    }
}

/// Whether a header of this name has a value to the end of its line.
pub(super) fn is_header(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.ends_with("authorization") || lower.ends_with("cookie")
}

/// Whether the value behind a name that tells this much is a secret.
pub(super) fn is_secret(tell: Tell, value: &str) -> bool {
    let value = value.trim();
    if is_file(tell, value) {
        return false;
    }
    let is_one_of = |words: &[&str]| words.iter().any(|word| value.eq_ignore_ascii_case(word));
    if value.is_empty() || value.starts_with("[redacted") || is_one_of(NOTHING) {
        return false;
    }
    match tell {
        Tell::No => false,
        // Of a list each element.
        Tell::Weak if value.starts_with('[') => {
            value.split(|c: char| c.is_whitespace() || ",\"'[]\\".contains(c)).any(looks_made)
        }
        Tell::Weak => {
            looks_made(value)
                || value.len() > 24 && value.split_whitespace().nth(5).is_some() && is_phrase(value)
        }
        Tell::Likely => !is_one_of(SETTINGS) && (value.len() > 3 || !is_number(value)),
        Tell::Surely => true,
    }
}

/// Whether a value says where the secret is.
fn is_file(tell: Tell, value: &str) -> bool {
    let in_path = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/~".contains(&byte);
    if !value.contains(['.', '~']) || !value.bytes().all(in_path) {
        return false;
    }
    let ends = |with: &[&str]| with.iter().any(|end| value.ends_with(end));
    ["./", "../", "~/"].iter().any(|begin| value.starts_with(begin))
        || ends(KEY_FILES)
        || tell == Tell::Weak && ends(FILES)
}

pub(super) fn is_number(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether what follows a name that may hold a secret is what somebody says about it, as in `auth: rotate the keys`: several words, none
/// of which a machine made or is a number to be typed in.
pub(super) fn is_prose(name: &str, value: &str) -> bool {
    let said = value.trim();
    let is_code = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        looks_made(word) || word.len() > 3 && word.bytes().any(|byte| byte.is_ascii_digit())
    };
    if name.to_ascii_lowercase().ends_with("pass") {
        // The count of tests that passed.
        let (first, rest) = said.split_at(said.find([',', ' ', ';']).unwrap_or(said.len()));
        return is_number(first) && first.len() < 6 && !rest.split_whitespace().any(is_code);
    }
    said.contains(' ') && !said.split_whitespace().any(is_code) && !said.split_whitespace().all(is_number)
}

/// Words in small letters and nothing else: as one writes a wallet's seed.
fn is_phrase(value: &str) -> bool {
    let mut words = value.split_whitespace();
    words.clone().count().is_multiple_of(3)
        && words
            .all(|word| (3..9).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase()))
}

/// Letters and digits that follow each other, and where upper and lower case do within a word.
fn changes(text: &str) -> usize {
    let sort = |byte: u8| match byte {
        b'0'..=b'9' => 1,
        b'a'..=b'z' => 2,
        b'A'..=b'Z' => 3,
        _ => 0,
    };
    let sorts = text.bytes().map(sort);
    sorts
        .clone()
        .zip(sorts.skip(1))
        .filter(|(one, next)| *one != 0 && *next != 0 && one != next && (*one, *next) != (3, 2))
        .count()
}

pub(super) fn is_uuid(text: &str) -> bool {
    let mut parts = text.split('-').map(str::len);
    text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        && [8, 4, 4, 4, 12].into_iter().all(|length| parts.next() == Some(length))
        && parts.next().is_none()
}

/// Whether a value behind a word that may tell of a secret was made by a machine, or as a password is: letters and digits mixed.
pub(super) fn looks_made(text: &str) -> bool {
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_+=~.%-!@#$^&*".contains(&byte));
    let mixed =
        text.bytes().any(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte.is_ascii_alphabetic());
    text.len() >= 8 && plain && mixed && changes(text) >= 2 && !is_uuid(text)
}

/// How many characters of a secret are no words at least: the name of a temporary folder, `acme-build-18oB6r`, ends in fewer.
const RANDOM_LEAST: usize = 12;

/// Whether it was surely made by a machine to be unguessable, whatever stands before it. Identifiers in hexadecimal digits are not meant.
pub(super) fn looks_random(text: &str) -> bool {
    let is_word = |part: &&str| part.bytes().all(|byte| byte.is_ascii_lowercase());
    let random = || text.split(['-', '_']).filter(|part| !is_word(part)).map(str::len).sum::<usize>();
    let has = |is: fn(&u8) -> bool| text.bytes().any(|byte| is(&byte));
    text.len() >= 20
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && changes(text) >= text.len() / 5
        && random() >= RANDOM_LEAST
        && !is_uuid(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_by_its_words_whatever_their_case_and_separators() {
        for (expected, names) in [
            (
                Tell::Surely,
                "password Password userPassword user_password db-passwd passphrase secret client_secret clientSecret api_key apiKey APIKey \
                 api-key X-Api-Key apikey access_token accessToken refresh_token ACCESS_TOKEN token token2 authToken jwt otp cvv cvc \
                 cardNumber card_number creds credentials mnemonic dsn SENTRY_DSN connectionString privateKey private_key sshKey ssh_key \
                 STRIPE_KEY signingKey cookie Set-Cookie authorization Proxy-Authorization AccountKey SharedAccessKey PGPASSWORD \
                 MYSQL_PWD bearer _authToken seedPhrase secretKeyBase GITHUB_PAT gh-pat psk wifi-sec.psk contraseña пароль 密码 パスワード senha",
            ),
            (
                Tell::Likely,
                "auth pin pass dbpass signature sig db_pass X-Auth verificationCode backup_codes recoveryCodes authz",
            ),
            (
                Tell::Weak,
                "key session seed tokens sessionKey cacheKey publicKey secretName tokenUrl password_file private_key_id code \
                 pageToken next_page_token",
            ),
            (
                Tell::No,
                "max_tokens maxTokens author authors authority pinned shipping session_id sessionId monkey keyboard compass passed \
                 secretary design assign options tokenizer keyword cookieconsent no-auth passenger codec seeded cards insider \
                 primary_key sortKey path pattern compat desenha",
            ),
        ] {
            for name in names.split_whitespace() {
                assert_eq!(tell(name), expected, "{name}");
            }
        }
    }

    #[test]
    fn what_a_machine_made_is_told_from_what_people_wrote() {
        for text in ["s3cr3tV4lue", "hunter2xyz", "0f8e2ac94bd1", "a1b2c3d4e5f6a7b8c9d0"] {
            assert!(looks_made(text), "{text}");
        }
        for text in [
            "Enter",
            "F12",
            "agent:main:cron-12",
            "item-2024-01-01",
            "3fa85f64-5717-4562-b3fc-2c963f66afa6",
            "user42name",
        ] {
            assert!(!looks_made(text) || text == "user42name", "{text}");
        }
        assert!(looks_random("xK9fQ2mZ7pLr4TvB8nWd"));
        for text in [
            "d670460b4b4aece5915caf5c68d12f560a9fe3e4",
            "how-to-write-a-good-Post-2024-edition",
            "3fa85f64-5717-4562-b3fc-2c963f66afa6",
            "acme-release-build-18oB6r",
        ] {
            assert!(!looks_random(text), "{text}");
        }
    }
}
