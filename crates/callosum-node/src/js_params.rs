//! A tool call's parameters as they lie in JavaScript, read only where somebody looks.
//!
//! What a model or a plugin put there is untrusted: depth, number of values and bytes are bounded, and a
//! getter or proxy that throws counts as absent. This file and `js_text` call the Node API without
//! napi's wrappers: they turn a thrown exception into an error but leave it pending, so that it would surface
//! later, in the host.
#![expect(unsafe_code, reason = "the Node API is C; each call's contract is stated beside it")]

use std::borrow::Cow;
use std::cell::Cell;
use std::ffi::c_char;
use std::ptr;

use callosum_core::model::tool_call::{AllParameters, Parameters};
use napi::bindgen_prelude::{JsValue, Unknown};
use napi::sys;
use serde_json::{Map, Number, Value};

use crate::js_text;

/// Nesting read at the most.
const MAX_DEPTH: usize = 64;
/// Values read at the most.
const MAX_VALUES: usize = 200_000;
/// Bytes of text read at the most, all strings together.
const MAX_TEXT_BYTES: usize = 16 * 1024 * 1024;

/// Names of parameters that rules ask for mostly have fewer bytes.
const SHORT_NAME: usize = 32;

/// Parameters of a call that is under way on the JavaScript thread.
pub(crate) struct JsParams {
    env: sys::napi_env,
    value: sys::napi_value,
    /// Something was cut off a value that somebody asked for.
    was_cut: Cell<bool>,
}

/// What may still be read.
struct Budget {
    values: usize,
    text_bytes: usize,
    complete: bool,
}

impl JsParams {
    /// The parameters of a call. They live as long as the JavaScript call that brought them, and so must
    /// this.
    pub(crate) fn new(params: &Unknown<'_>) -> Self {
        let raw = params.value();
        Self { env: raw.env, value: raw.value, was_cut: Cell::new(false) }
    }

    /// `Some` when the Node API says yes. An exception that it raised is taken away.
    fn succeeded(&self, status: sys::napi_status) -> Option<()> {
        if status == sys::Status::napi_ok {
            return Some(());
        }
        let mut exception = ptr::null_mut();
        // SAFETY: `env` is valid for this JavaScript call; the result goes to a local.
        unsafe { sys::napi_get_and_clear_last_exception(self.env, &mut exception) };
        None
    }

    fn kind(&self, value: sys::napi_value) -> Option<sys::napi_valuetype> {
        let mut kind = sys::ValueType::napi_undefined;
        // SAFETY: both handles belong to this call.
        self.succeeded(unsafe { sys::napi_typeof(self.env, value, &mut kind) })?;
        Some(kind)
    }

    fn property(&self, object: sys::napi_value, name: &str) -> Option<sys::napi_value> {
        let (mut key, mut value) = (ptr::null_mut(), ptr::null_mut());
        let mut named = [0_u8; SHORT_NAME];
        if name.len() < SHORT_NAME && !name.contains('\0') {
            named.iter_mut().zip(name.bytes()).for_each(|(to, byte)| *to = byte);
            // One call where there would be two. SAFETY: a zero stands behind the name; the handles belong to this call.
            self.succeeded(unsafe {
                sys::napi_get_named_property(self.env, object, named.as_ptr().cast::<c_char>(), &mut value)
            })?;
            return Some(value);
        }
        let length = isize::try_from(name.len()).ok()?;
        // SAFETY: pointer and length describe `name`; the handles belong to this call.
        self.succeeded(unsafe {
            sys::napi_create_string_utf8(self.env, name.as_ptr().cast::<c_char>(), length, &mut key)
        })?;
        // SAFETY: as above.
        self.succeeded(unsafe { sys::napi_get_property(self.env, object, key, &mut value) })?;
        Some(value)
    }

    fn is_array(&self, value: sys::napi_value) -> bool {
        let mut is_array = false;
        // SAFETY: as above.
        self.succeeded(unsafe { sys::napi_is_array(self.env, value, &mut is_array) }).is_some() && is_array
    }

    /// As [`js_text::read`].
    fn text(&self, value: sys::napi_value, most: usize) -> Option<(String, bool)> {
        // SAFETY: both handles belong to this call.
        match unsafe { js_text::read(self.env, value, most) } {
            Ok(read) => Some(read),
            Err(status) => {
                self.succeeded(status)?;
                None
            }
        }
    }

    fn read(&self, value: sys::napi_value, depth: usize, budget: &mut Budget) -> Option<Value> {
        if budget.values == 0 || depth > MAX_DEPTH {
            budget.complete = false;
            return None;
        }
        budget.values -= 1;
        let kind = self.kind(value)?;
        if kind == sys::ValueType::napi_string {
            let (text, whole) = self.text(value, budget.text_bytes)?;
            budget.text_bytes -= text.len().min(budget.text_bytes);
            budget.complete &= whole;
            Some(Value::String(text))
        } else if kind == sys::ValueType::napi_number {
            let mut number = 0.0;
            // SAFETY: as above.
            self.succeeded(unsafe { sys::napi_get_value_double(self.env, value, &mut number) })?;
            Some(number_value(number))
        } else if kind == sys::ValueType::napi_boolean {
            let mut flag = false;
            // SAFETY: as above.
            self.succeeded(unsafe { sys::napi_get_value_bool(self.env, value, &mut flag) })?;
            Some(Value::Bool(flag))
        } else if kind == sys::ValueType::napi_null {
            Some(Value::Null)
        } else if kind != sys::ValueType::napi_object {
            // Functions, symbols, bigints and undefined are no parameters a model can give.
            None
        } else if self.is_array(value) {
            self.read_array(value, depth, budget)
        } else {
            self.read_object(value, depth, budget)
        }
    }

    fn read_array(&self, array: sys::napi_value, depth: usize, budget: &mut Budget) -> Option<Value> {
        let mut length = 0;
        // SAFETY: as above.
        self.succeeded(unsafe { sys::napi_get_array_length(self.env, array, &mut length) })?;
        let mut list = Vec::new();
        for index in 0..length {
            if budget.values == 0 {
                budget.complete = false;
                break;
            }
            let mut element = ptr::null_mut();
            // SAFETY: as above.
            let got = self.succeeded(unsafe { sys::napi_get_element(self.env, array, index, &mut element) });
            let value = got.and_then(|()| self.read(element, depth + 1, budget));
            list.push(value.unwrap_or(Value::Null));
        }
        Some(Value::Array(list))
    }

    fn read_object(&self, object: sys::napi_value, depth: usize, budget: &mut Budget) -> Option<Value> {
        let mut names = ptr::null_mut();
        // SAFETY: as above. Only the object's own enumerable names, numbers as text.
        self.succeeded(unsafe {
            sys::napi_get_all_property_names(
                self.env,
                object,
                sys::KeyCollectionMode::own_only,
                sys::KeyFilter::enumerable | sys::KeyFilter::skip_symbols,
                sys::KeyConversion::numbers_to_strings,
                &mut names,
            )
        })?;
        let mut length = 0;
        // SAFETY: as above.
        self.succeeded(unsafe { sys::napi_get_array_length(self.env, names, &mut length) })?;
        let mut map = Map::new();
        for index in 0..length {
            if budget.values == 0 {
                budget.complete = false;
                break;
            }
            let (mut key, mut value) = (ptr::null_mut(), ptr::null_mut());
            // SAFETY: as above.
            let got = self.succeeded(unsafe { sys::napi_get_element(self.env, names, index, &mut key) });
            let Some((name, _)) = got.and_then(|()| self.text(key, 1024)) else { continue };
            // SAFETY: as above.
            let got = self.succeeded(unsafe { sys::napi_get_property(self.env, object, key, &mut value) });
            if got.is_none() {
                budget.complete = false;
                continue;
            }
            if let Some(value) = self.read(value, depth + 1, budget) {
                map.insert(name, value);
            }
        }
        Some(Value::Object(map))
    }

    fn look_up(&self, path: &str) -> Option<Value> {
        let mut value = self.value;
        for part in path.split('.') {
            if self.kind(value)? != sys::ValueType::napi_object {
                return None;
            }
            value = self.property(value, part)?;
        }
        let mut budget = Budget { values: MAX_VALUES, text_bytes: MAX_TEXT_BYTES, complete: true };
        let read = self.read(value, 0, &mut budget).filter(|value| !value.is_null());
        self.was_cut.set(self.was_cut.get() || !budget.complete);
        read
    }
}

impl Parameters for JsParams {
    fn get(&self, path: &str) -> Option<Cow<'_, Value>> {
        self.look_up(path).map(Cow::Owned)
    }

    fn all(&self) -> AllParameters<'_> {
        let mut budget = Budget { values: MAX_VALUES, text_bytes: MAX_TEXT_BYTES, complete: true };
        let value = self.read(self.value, 0, &mut budget).unwrap_or(Value::Null);
        AllParameters { value: Cow::Owned(value), complete: budget.complete }
    }

    fn was_cut(&self) -> bool {
        self.was_cut.get()
    }
}

/// A JavaScript number as JSON writes it: whole ones without a fraction, what is no number as null.
fn number_value(number: f64) -> Value {
    const LARGEST_WHOLE: f64 = 9_007_199_254_740_991.0;
    if number.fract() == 0.0 && number.abs() <= LARGEST_WHOLE {
        #[expect(clippy::cast_possible_truncation, reason = "whole and within 53 bits")]
        return Value::from(number as i64);
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}
