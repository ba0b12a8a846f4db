// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads the settings of a request from its query.

use halimede_arith::interface::{Setting, Settings, Values};

use crate::objects::Hash;
use crate::refusal::{Reason, Refusal};

/// The maximum number of settings of a query.
const MOST_SETTINGS: usize = 32;

/// Reads the settings of a query, which must all be in `described`, and adds the defaults.
///
/// # Errors
/// [`Reason::Setting`].
pub fn read(query: &str, described: &'static [Setting]) -> Result<Settings, Refusal> {
    let refuse = |message: String| Refusal::new(Reason::Setting, message);
    let mut settings = Settings::of(described);
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    for (number, pair) in pairs.enumerate() {
        if number == MOST_SETTINGS {
            return Err(refuse(format!("the query has more than {MOST_SETTINGS} settings")));
        }
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = decoded(name).map_err(refuse)?;
        let setting = settings.described(&name).map_err(refuse)?;
        let in_setting = |error| refuse(format!("`{}`: {error}", setting.name));
        let value = decoded(value).map_err(in_setting)?;
        if matches!(setting.values, Values::Object(_)) && hash(&value).is_none() {
            return Err(in_setting("expected 64 hexadecimal digits".into()));
        }
        settings.set(&name, value).map_err(refuse)?;
    }
    settings.complete().map_err(refuse)
}

/// Decodes a hash from 64 hexadecimal digits.
pub fn hash(digits: &str) -> Option<Hash> {
    let mut hash = [0; 32];
    hex::decode_to_slice(digits, &mut hash).ok()?;
    Some(hash)
}

/// Decodes the escapes of a part of a query (URL standard, application/x-www-form-urlencoded).
fn decoded(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |digit: Option<u8>| char::from(digit?).to_digit(16);
                match digit(rest.next()).zip(digit(rest.next())) {
                    Some((high, low)) => (16 * high + low) as u8,
                    None => {
                        return Err("expected two hexadecimal digits after a % in the query".into())
                    }
                }
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).map_err(|_| "the query is not UTF-8".into())
}
