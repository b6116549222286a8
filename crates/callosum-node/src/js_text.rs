//! Strings from JavaScript, read with one call where napi's own conversion takes two or three: every hook brings
//! half a dozen, and nearly all are short.
#![expect(unsafe_code, reason = "the Node API is C; each call's contract is stated beside it")]

use std::ffi::c_char;
use std::ptr;

use napi::bindgen_prelude::{FromNapiValue, Unknown};
use napi::{Error, Status, sys};

/// Bytes that are tried first.
const SHORT: usize = 256;
/// A character, which has four bytes at most, and the zero behind a text.
const SPARE: usize = 5;

/// A string argument.
pub(crate) struct Text(pub(crate) String);

impl FromNapiValue for Text {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> napi::Result<Self> {
        // SAFETY: the caller vouches for both handles.
        match unsafe { read(env, value, usize::MAX) } {
            Ok((text, _)) => Ok(Self(text)),
            Err(status) => Err(Error::new(Status::from(status), "a string was expected".to_owned())),
        }
    }
}

/// A string argument that may be `undefined` or `null`.
pub(crate) struct OptionalText(pub(crate) Option<String>);

impl FromNapiValue for OptionalText {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> napi::Result<Self> {
        // SAFETY: the caller vouches for both handles.
        let text = unsafe { Text::from_napi_value(env, value) };
        if let Err(error) = text {
            // SAFETY: as above.
            let nothing = unsafe { Option::<Unknown<'_>>::from_napi_value(env, value) };
            return if matches!(nothing, Ok(None)) { Ok(Self(None)) } else { Err(error) };
        }
        text.map(|text| Self(Some(text.0)))
    }
}

/// A string's text, its first `most` bytes if it is longer (never half a character), and whether that was
/// all of it. What is no Unicode (a lone surrogate) becomes `U+FFFD`.
///
/// # Errors
/// The Node API's status, `napi_string_expected` for what is no string.
///
/// # Safety
/// `env` and `value` must belong to the JavaScript call that is under way.
pub(crate) unsafe fn read(
    env: sys::napi_env,
    value: sys::napi_value,
    most: usize,
) -> Result<(String, bool), sys::napi_status> {
    let mut short = [0_u8; SHORT];
    let mut written = 0;
    // SAFETY: the buffer has the size that is given; the API writes a zero behind what it writes.
    checked(unsafe {
        sys::napi_get_value_string_utf8(env, value, short.as_mut_ptr().cast::<c_char>(), SHORT, &mut written)
    })?;
    // With that much room left, nothing was cut off.
    if written + SPARE <= SHORT && written <= most {
        return Ok((text_of(short.get(..written).unwrap_or_default().to_vec()), true));
    }
    let mut units = 0;
    // SAFETY: without a buffer only the length is written.
    checked(unsafe { sys::napi_get_value_string_utf16(env, value, ptr::null_mut(), 0, &mut units) })?;
    if units < most {
        // Long texts mostly are ASCII, and then have so many bytes. To count the bytes of one takes longer than to copy it.
        // SAFETY: as for this function.
        let bytes = unsafe { written_to(env, value, units + SPARE) }?;
        if bytes.len() <= units {
            return Ok((text_of(bytes), true));
        }
    }
    let mut length = 0;
    // SAFETY: without a buffer only the length is written.
    checked(unsafe { sys::napi_get_value_string_utf8(env, value, ptr::null_mut(), 0, &mut length) })?;
    let wanted = length.min(most);
    // SAFETY: as for this function.
    let bytes = unsafe { written_to(env, value, wanted + 1) }?;
    Ok((text_of(bytes), wanted == length))
}

/// What of a string's text finds room in so many bytes, one of which is for a zero.
///
/// # Safety
/// As [`read`].
unsafe fn written_to(
    env: sys::napi_env,
    value: sys::napi_value,
    room: usize,
) -> Result<Vec<u8>, sys::napi_status> {
    let mut bytes = vec![0_u8; room];
    let mut written = 0;
    // SAFETY: the buffer has the size that is given; the API writes a zero behind what it writes.
    checked(unsafe {
        let start = bytes.as_mut_ptr().cast::<c_char>();
        sys::napi_get_value_string_utf8(env, value, start, room, &mut written)
    })?;
    bytes.truncate(written);
    Ok(bytes)
}

fn checked(status: sys::napi_status) -> Result<(), sys::napi_status> {
    if status == sys::Status::napi_ok { Ok(()) } else { Err(status) }
}

fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
