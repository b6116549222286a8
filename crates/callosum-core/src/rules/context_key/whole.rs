//! Whether a value stands for one thing only, whatever that stands in.

/// A name that has as many bytes, letters and digits mixed, stands for one thing only, whatever it stands in.
const WHOLE: usize = 8;

/// Fields that name what is made.
pub(super) const NAMES: &[&str] = &[
    "identifier",
    "email",
    "emailaddress",
    "address",
    "slug",
    "name",
    "title",
    "username",
    "filename",
    "domain",
    "path",
    "url",
];

/// Whether the value of a field stands for one thing only, whatever that stands in: no other has it by chance.
pub(super) fn is_whole(field: &str, value: &str) -> bool {
    // It says itself what it stands in.
    if field.is_empty() {
        return true;
    }
    if value.len() < WHOLE || value.contains(char::is_whitespace) {
        return value.contains('/') && !value.contains(char::is_whitespace) && !NAMES.contains(&field);
    }
    // `recA1b2C`, `br-late-cell-a2k9`, `INC0010023`, but neither `Frontend` nor `manual__1` nor `web-2026`.
    let is_mixed = |word: &str| {
        let digits = word.bytes().rev().take_while(u8::is_ascii_digit).count();
        let changes = word.as_bytes().windows(2).any(|pair| {
            matches!(pair, [one, next] if one.is_ascii_digit() && next.is_ascii_alphabetic()
                || one.is_ascii_lowercase() && next.is_ascii_uppercase())
        });
        changes || digits >= WHOLE || digits >= 4 && digits < word.len()
    };
    // The same hour is in every day's plan.
    let value = without_time(value);
    let is_told = !NAMES.contains(&field) && !field.ends_with("name");
    is_told && (value.split(|c: char| !c.is_ascii_alphanumeric()).any(is_mixed) || value.contains('/'))
        || value.len() >= 4 * WHOLE && value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// What stands before the day in a value that has one: `scheduled__` of `scheduled__2026-11-24T02:00:00`.
fn without_time(value: &str) -> &str {
    let is_day = |part: &[u8]| {
        part.iter().enumerate().all(|(place, byte)| match place {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
    };
    let day = value.as_bytes().windows("2026-11-24".len()).position(is_day);
    day.and_then(|at| value.get(..at)).unwrap_or(value)
}

/// Whether a value looks like one that names something, whatever its field is called: letters and digits, and no word, time or number
/// with its unit.
pub(super) fn is_token(value: &str) -> bool {
    let has = |is: fn(&u8) -> bool| value.bytes().any(|byte| is(&byte));
    let begins_with_letter = value.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_:=".contains(&byte));
    (3..=64).contains(&value.len())
        && is_plain
        && begins_with_letter
        && has(u8::is_ascii_digit)
        && without_time(value).len() == value.len()
}

/// Whether a key has a value as a part, and not by chance inside another: `dev` of `device/41`.
pub(super) fn has_part(key: &str, value: &str) -> bool {
    let parts = key.split([':', '/', '#', '@']);
    parts.into_iter().any(|part| part == value) || value.len() > 3 && key.contains(value)
}
