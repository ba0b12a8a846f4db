// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lines that are JSON objects with fields of hexadecimal digits.

use std::borrow::Cow;

use halimede_operations::json::{check_object, line_fault};
use serde::Deserialize;

/// Part of the line itself where the JSON has no escapes; serde borrows no `Cow` inside an
/// `Option`.
#[derive(Deserialize)]
pub struct Text<'l>(#[serde(borrow)] pub Cow<'l, str>);

/// Reads a line's object.
///
/// # Errors
/// The fault; columns are bytes of the line, from 1.
pub fn object<'l, T: Deserialize<'l>>(text: &'l str) -> Result<T, String> {
    check_object(text)?;
    serde_json::from_str(text).map_err(|error| line_fault(&error))
}

/// The bytes of a field's hexadecimal digits, with or without `0x`.
///
/// # Errors
/// The fault, with its column where the digits are part of the line.
pub fn bytes(line: &str, name: &str, Text(field): &Text<'_>) -> Result<Vec<u8>, String> {
    let digits = field.strip_prefix("0x").unwrap_or(field);
    hex::decode(digits).map_err(|error| match error {
        hex::FromHexError::InvalidHexCharacter { index, .. } => {
            // Digits before the wrong one are of one byte each; the wrong one may be longer.
            let wrong = digits.get(index..).and_then(|rest| rest.chars().next()).unwrap_or('?');
            let place = match column(line, digits) {
                Some(column) => format!("column {}: ", column + index),
                None => String::new(),
            };
            format!("{place}{wrong:?} in `{name}` is not a hexadecimal digit")
        }
        _ => {
            let place = column(line, field).map_or(String::new(), |at| format!("column {at}: "));
            format!("{place}`{name}` has an odd number of hexadecimal digits")
        }
    })
}

/// Where a part of the line begins; none where it is a copy, since the JSON had escapes.
fn column(line: &str, part: &str) -> Option<usize> {
    let start = (part.as_ptr() as usize).checked_sub(line.as_ptr() as usize)?;
    (start + part.len() <= line.len()).then_some(start + 1)
}
