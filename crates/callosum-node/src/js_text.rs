//! Strings from JavaScript, read with one call where napi's own conversion takes two or three: every hook brings
//! half a dozen, and nearly all are short.
#![expect(unsafe_code, reason = "the Node API is C; each call's contract is stated beside it")]

use std::ffi::c_char;
use std::{mem, ptr};

use napi::bindgen_prelude::{JsValue, Unknown};
use napi::{Error, Status, ValueType, sys};

/// Bytes that are tried first.
const SHORT: usize = 256;

/// Reads a string argument into `text`, whose memory it uses: what a call brings mostly fits where the same of the call
/// before it was. False for `undefined` and `null`.
///
/// # Errors
/// When it is anything else.
pub(crate) fn read_into(text: &mut String, argument: &Unknown<'_>) -> napi::Result<bool> {
    let sys_value = argument.value();
    let (env, value) = (sys_value.env, sys_value.value);
    let mut bytes = mem::take(text).into_bytes();
    if bytes.capacity() > 4 * SHORT {
        // Long ones are rare, and not worth keeping the room for.
        bytes = Vec::new();
    }
    bytes.resize(SHORT, 0);
    // SAFETY: what an `Unknown` was made of belongs to the JavaScript call that is under way.
    match unsafe { read_short(env, value, &mut bytes) } {
        Ok(Some(written)) => {
            bytes.truncate(written);
            *text = text_of(bytes);
            Ok(true)
        }
        Ok(None) => {
            // SAFETY: as above.
            let read = unsafe { read(env, value, usize::MAX) };
            *text = read.map_err(expected_string)?.0;
            Ok(true)
        }
        Err(status) => match argument.get_type()? {
            ValueType::Undefined | ValueType::Null => Ok(false),
            _ => Err(expected_string(status)),
        },
    }
}

fn expected_string(status: sys::napi_status) -> Error {
    Error::new(Status::from(status), "a string was expected".to_owned())
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
    // SAFETY: the caller vouches for both handles.
    if let Some(written) = unsafe { read_short(env, value, &mut short) }?
        && written <= most
    {
        return Ok((text_of(short.get(..written).unwrap_or_default().to_vec()), true));
    }
    let mut length = 0;
    // SAFETY: without a buffer only the length is written.
    checked(unsafe { sys::napi_get_value_string_utf8(env, value, ptr::null_mut(), 0, &mut length) })?;
    let wanted = length.min(most);
    let mut bytes = vec![0_u8; wanted + 1];
    let mut written = 0;
    // SAFETY: the buffer has the size that is given; the API writes a zero behind what it writes.
    checked(unsafe {
        let start = bytes.as_mut_ptr().cast::<c_char>();
        sys::napi_get_value_string_utf8(env, value, start, bytes.len(), &mut written)
    })?;
    bytes.truncate(written);
    Ok((text_of(bytes), wanted == length))
}

/// Writes a string's text into `buffer` and tells how long it is; `None` when it may be longer than the buffer.
///
/// # Errors
/// As [`read`].
///
/// # Safety
/// As [`read`].
unsafe fn read_short(
    env: sys::napi_env,
    value: sys::napi_value,
    buffer: &mut [u8],
) -> Result<Option<usize>, sys::napi_status> {
    let mut written = 0;
    // SAFETY: the buffer has the size that is given; the API writes a zero behind what it writes.
    checked(unsafe {
        let start = buffer.as_mut_ptr().cast::<c_char>();
        sys::napi_get_value_string_utf8(env, value, start, buffer.len(), &mut written)
    })?;
    // A character has four bytes at most: with that much room left, nothing was cut off.
    Ok((written + 4 < buffer.len()).then_some(written))
}

fn checked(status: sys::napi_status) -> Result<(), sys::napi_status> {
    if status == sys::Status::napi_ok { Ok(()) } else { Err(status) }
}

fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
