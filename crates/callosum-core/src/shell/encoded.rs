//! The code in which PowerShell takes a command: base64 of UTF-16, the lower byte first.

/// The text; `None` when it is no such code.
pub(super) fn utf16_of_base64(code: &str) -> Option<String> {
    let (mut bytes, mut bits, mut held) = (Vec::with_capacity(code.len()), 0_u32, 0_u32);
    for byte in code.trim_end_matches('=').bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xff).ok()?);
        }
    }
    let (pairs, []) = bytes.as_chunks::<2>() else { return None };
    let units: Vec<u16> = pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
    String::from_utf16(&units).ok()
}
