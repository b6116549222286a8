//! Words for a password in other languages, and how their sentences say one: `пароль — x`, `密码是x`, `パスワード：x`.

use std::ops::Range;

use super::text::Text;

/// Words with letters beyond ASCII: of these the name ends with the word.
pub(super) const WORDS: &[&str] = &[
    // Contraseña: what it begins with is the beginning of `content`, too.
    "traseña",
    "lösenord",
    "hasło",
    "şifre",
    "jelszó",
    "mật khẩu",
    "пароль",
    "Пароль",
    "ПАРОЛЬ",
    "парола",
    "密码",
    "密碼",
    "口令",
    "暗証番号",
    "パスワード",
    "パスコード",
    "비밀번호",
    "암호",
    "κωδικός",
    "סיסמה",
    "كلمة المرور",
    "كلمة السر",
    "รหัสผ่าน",
    "पासवर्ड",
];

/// Whether a name has one of the words.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_ascii() && {
        let name = name.to_lowercase();
        WORDS.iter().any(|word| name.contains(word))
    }
}

/// What stands between a name and its value as `:` and quotes do.
const SIGNS: &[&str] =
    &["\u{a0}", "\u{202f}", "\u{3000}", "：", "＝", "«", "“", "„", "「", "『", "【", "‘", "‹"];
/// What does in a sentence, which may say something else of it.
const WORDS_BETWEEN: &[&str] = &["—", "–", "→", "は", "是", "为", "為", "는", "은"];

/// The value that stands from `from` on behind signs or words that are not ASCII.
pub(super) fn value(text: Text<'_>, from: usize) -> Option<Range<usize>> {
    let (mut place, mut signs, mut words) = (from, 0, 0);
    loop {
        place = text.skip(place, |byte| matches!(byte, b' ' | b'\t' | b'*' | b'`' | b'"' | b':'));
        let rest = text.rest(place);
        let next = |all: &[&str]| all.iter().find(|sign| rest.starts_with(**sign)).map(|sign| sign.len());
        if let Some(length) = next(SIGNS) {
            (place, signs) = (place + length, signs + 1);
        } else if let Some(length) = next(WORDS_BETWEEN) {
            (place, words) = (place + length, words + 1);
        } else {
            break;
        }
    }
    // Where words are not divided by blanks, the sentence goes on right behind it.
    let is_plain = text.at(place).is_ascii();
    let in_value = |byte: u8| {
        !byte.is_ascii_whitespace() && !b"\"'`,;<>|)".contains(&byte) && (byte.is_ascii() || !is_plain)
    };
    let shown = text.part(place..text.skip(place, in_value)).trim_end_matches(['.', '!', '?']);
    let looks = shown.len() >= 4 && shown.bytes().any(|byte| byte.is_ascii_digit());
    (signs > 0 && !shown.is_empty() || words > 0 && looks).then_some(place..place + shown.len())
}
