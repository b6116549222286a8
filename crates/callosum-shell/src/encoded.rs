//! Codes in which commands are handed on: base64, base32, hexadecimal.

/// The text of PowerShell's code for commands: base64 of UTF-16, the lower byte first. `None` when it is no such code.
pub(super) fn utf16_of_base64(code: &str) -> Option<String> {
    let bytes = of_base64(code)?;
    let (pairs, []) = bytes.as_chunks::<2>() else { return None };
    let units: Vec<u16> = pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
    String::from_utf16(&units).ok()
}

/// The bytes of a base64 code; `None` when it is none.
pub(super) fn of_base64(code: &str) -> Option<Vec<u8>> {
    let value = |byte| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    of_digits(code.trim_end_matches('='), 6, value)
}

/// The same of a base32 code.
pub(super) fn of_base32(code: &str) -> Option<Vec<u8>> {
    let value = |byte| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'2'..=b'7' => Some(byte - b'2' + 26),
        _ => None,
    };
    of_digits(code.trim_end_matches('='), 5, value)
}

/// The same of hexadecimal digits.
pub(super) fn of_hex(code: &str) -> Option<Vec<u8>> {
    of_digits(code, 4, |byte| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
}

/// The bytes of digits that have so many bits each.
fn of_digits(code: &str, width: u32, value: impl Fn(u8) -> Option<u8>) -> Option<Vec<u8>> {
    let (mut bytes, mut bits, mut held) = (Vec::with_capacity(code.len()), 0_u32, 0_u32);
    for byte in code.bytes() {
        bits = bits << width | u32::from(value(byte)?);
        held += width;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xff).ok()?);
        }
    }
    Some(bytes)
}
