//! Whether a value stands for one thing only, whatever that stands in.

/// A name that has as many bytes, letters and digits mixed, stands for one thing only, whatever it stands in.
const WHOLE: usize = 8;

/// Fields that name what is made.
pub(super) const NAMES: &[&str] = &[
    "identifier",
    "email",
    "emailaddress",
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
    let is_told = !NAMES.contains(&field) && !field.ends_with("name");
    is_told && (value.split(|c: char| !c.is_ascii_alphanumeric()).any(is_mixed) || value.contains('/'))
        || value.len() >= 4 * WHOLE && value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}
