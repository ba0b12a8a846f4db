// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Conversions between JavaScript's values and Rust's.

use halimede_ckks::{Bound, Complex, Parameters};
use js_sys::{Array, Float64Array, Object, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use zeroize::Zeroizing;

/// An error of this module's own; all others come from the engines.
#[derive(Debug, thiserror::Error)]
pub enum ArgumentError {
    /// An option has a name that the function does not know.
    #[error("unknown option `{name}`; expected one of {known}")]
    Option { name: String, known: String },
    /// An option has a value of the wrong type or range.
    #[error("`{name}`: expected {expected}")]
    Value { name: &'static str, expected: String },
    /// An argument has the wrong number of bytes.
    #[error("`{name}`: expected {expected} bytes, got {got}")]
    Length { name: &'static str, expected: usize, got: usize },
}

/// Returns an error about an option.
pub fn wrong(name: &'static str, expected: impl Into<String>) -> JsError {
    ArgumentError::Value { name, expected: expected.into() }.into()
}

/// Copies bytes of JavaScript into memory that is wiped when it is dropped.
pub fn secret_bytes(bytes: &Uint8Array) -> Zeroizing<Vec<u8>> {
    let mut copy = Zeroizing::new(vec![0; bytes.length() as usize]);
    bytes.copy_to(&mut copy);
    copy
}

/// Copies numbers of JavaScript into memory that is wiped when it is dropped.
pub fn secret_numbers(numbers: &JsValue) -> Result<Zeroizing<Vec<f64>>, JsError> {
    let typed = match numbers.dyn_ref::<Float64Array>() {
        Some(typed) => typed.clone(),
        None if Array::is_array(numbers) => Float64Array::new(numbers),
        None => return Err(wrong("values", "a Float64Array or an array of numbers")),
    };
    let mut copy = Zeroizing::new(vec![0.0; typed.length() as usize]);
    typed.copy_to(&mut copy);
    Ok(copy)
}

/// Copies complex numbers, with the imaginary part after each real part.
pub fn secret_complex_numbers(numbers: &JsValue) -> Result<Zeroizing<Vec<Complex>>, JsError> {
    let parts = secret_numbers(numbers)?;
    let (pairs, rest) = parts.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(wrong("values", "an even number: a real and an imaginary part for each value"));
    }
    let mut values = Zeroizing::new(Vec::with_capacity(pairs.len()));
    values.extend(pairs.iter().map(|[real, imaginary]| Complex::new(*real, *imaginary)));
    Ok(values)
}

/// Copies an array of byte arrays.
pub fn byte_lists(name: &'static str, lists: &Array) -> Result<Vec<Vec<u8>>, JsError> {
    let bytes = |item: JsValue| match item.dyn_into::<Uint8Array>() {
        Ok(bytes) => Ok(bytes.to_vec()),
        Err(_) => Err(wrong(name, "an array of Uint8Array")),
    };
    lists.iter().map(bytes).collect()
}

/// Options of a call: an object with known names, `null`, or `undefined`.
pub struct Options<'a> {
    object: Option<&'a Object>,
}

impl<'a> Options<'a> {
    /// Returns the options after a check of their names.
    ///
    /// # Errors
    /// [`ArgumentError::Option`] for an unknown name, and if the value is not an object.
    pub fn new(value: &'a JsValue, known: &[&str]) -> Result<Self, JsError> {
        if value.is_undefined() || value.is_null() {
            return Ok(Self { object: None });
        }
        let Some(object) = value.dyn_ref::<Object>() else {
            return Err(wrong("options", "an object"));
        };
        for name in Object::keys(object).iter().filter_map(|name| name.as_string()) {
            if !known.contains(&&name[..]) {
                return Err(ArgumentError::Option { name, known: known.join(", ") }.into());
            }
        }
        Ok(Self { object: Some(object) })
    }

    /// Returns an option; `None` if it is absent or `undefined`.
    pub fn get(&self, name: &str) -> Option<JsValue> {
        let value = Reflect::get(self.object?, &name.into()).ok()?;
        (!value.is_undefined()).then_some(value)
    }

    /// Returns an option that is a whole number from 0 to 2³² − 1.
    pub fn count(&self, name: &'static str) -> Result<Option<u32>, JsError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = value.as_f64().filter(|number| number.fract() == 0.0);
        match number.filter(|number| (0.0..=f64::from(u32::MAX)).contains(number)) {
            Some(number) => Ok(Some(number as u32)),
            None => Err(wrong(name, "a whole number from 0 on")),
        }
    }

    /// Returns an option that is `true` or `false`; the default is `false`.
    pub fn is_set(&self, name: &'static str) -> Result<bool, JsError> {
        match self.get(name) {
            None => Ok(false),
            Some(value) => value.as_bool().ok_or_else(|| wrong(name, "true or false")),
        }
    }

    /// Returns an option that is one of these texts; the default is the first.
    pub fn text<T: Copy>(&self, name: &'static str, known: &[(&str, T)]) -> Result<T, JsError> {
        let value = self.get(name);
        let text = value.as_ref().map(|value| value.as_string().unwrap_or_default());
        let found = match &text {
            None => known.first(),
            Some(text) => known.iter().find(|(name, _)| name == text),
        };
        let names = || known.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" or ");
        found.map(|(_, value)| *value).ok_or_else(|| wrong(name, names()))
    }

    /// Returns the option `level`, at most the top; the default is that of fresh ciphertexts.
    pub fn level(&self, parameters: &Parameters) -> Result<usize, JsError> {
        let (level, top) = (self.count("level")?, parameters.top());
        match level.map_or(parameters.fresh_level(), |level| level as usize) {
            level if level <= top => Ok(level),
            _ => Err(wrong("level", format!("a level from 0 to {top}"))),
        }
    }

    /// Returns the option `bound`: the largest absolute value, or an interval for real values.
    pub fn bound(&self, is_real: bool, parameters: &Parameters) -> Result<Bound, JsError> {
        let value = self.get("bound").unwrap_or_else(|| parameters.default_bound().into());
        let interval = || {
            let [low, high] = [0, 1].map(|at| Array::from(&value).get(at).as_f64());
            Some(Bound::between(low?, high?))
        };
        let bound = match value.as_f64() {
            Some(most) if is_real => Some(Bound::real(most)),
            Some(most) => Some(Bound::complex(most)),
            None if is_real && Array::is_array(&value) => interval(),
            None => None,
        };
        bound.filter(|bound| bound.is_valid()).ok_or_else(|| {
            let interval = if is_real { ", or an interval [low, high]" } else { "" };
            wrong("bound", format!("the largest absolute value{interval}"))
        })
    }
}

/// Returns a JavaScript object with these properties.
pub fn object(properties: impl IntoIterator<Item = (&'static str, JsValue)>) -> Object {
    let object = Object::new();
    for (name, value) in properties {
        // Setting a property of a new object does not fail.
        let _ = Reflect::set(&object, &name.into(), &value);
    }
    object
}

/// Returns the real parts of values as a typed array.
pub fn real_parts(values: &[Complex]) -> Float64Array {
    let mut parts = Zeroizing::new(Vec::with_capacity(values.len()));
    parts.extend(values.iter().map(|value| value.re));
    Float64Array::from(&parts[..])
}

/// Returns values as a typed array, with the imaginary part after each real part.
pub fn all_parts(values: &[Complex]) -> Float64Array {
    let mut parts = Zeroizing::new(Vec::with_capacity(2 * values.len()));
    parts.extend(values.iter().flat_map(|value| [value.re, value.im]));
    Float64Array::from(&parts[..])
}
