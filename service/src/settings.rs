// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The settings of an operation, which a request has in its query.

use serde_json::{json, Value};

use crate::refusal::{Reason, Refusal};

/// Most settings of a query.
const MOST_SETTINGS: usize = 32;

/// A setting of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Its values.
    pub values: Values,
    /// The value where it is absent; without one, the setting is required.
    pub default: Option<&'static str>,
}

/// The values of a setting.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number.
    Whole {
        /// The least.
        least: u64,
        /// The most.
        most: u64,
    },
    /// A positive number, e.g. `1e-4`.
    Positive,
    /// Text of up to so many bytes.
    Text {
        /// The most.
        most: usize,
    },
    /// 32 bytes as hexadecimal digits.
    Hash,
}

impl Values {
    fn check(self, value: &str) -> Result<(), String> {
        let is_good = match self {
            Self::Choice(words) => words.contains(&value),
            Self::Whole { least, most } => {
                value.parse().is_ok_and(|number: u64| (least..=most).contains(&number))
            }
            Self::Positive => {
                value.parse().is_ok_and(|number: f64| number.is_finite() && number > 0.0)
            }
            Self::Text { most } => value.len() <= most,
            Self::Hash => value.len() == 64 && value.bytes().all(|digit| digit.is_ascii_hexdigit()),
        };
        match (is_good, self) {
            (true, _) => Ok(()),
            (_, Self::Choice(words)) => Err(format!("one of {} is expected", words.join(", "))),
            (_, Self::Whole { least, most }) => Err(format!("{least} to {most} is expected")),
            (_, Self::Positive) => Err("a positive number is expected".into()),
            (_, Self::Text { most }) => Err(format!("at most {most} bytes are expected")),
            (_, Self::Hash) => Err("64 hexadecimal digits are expected".into()),
        }
    }

    /// The JSON Schema.
    pub fn schema(self) -> Value {
        match self {
            Self::Choice(words) => json!({ "type": "string", "enum": words }),
            Self::Whole { least, most } => {
                json!({ "type": "integer", "minimum": least, "maximum": most })
            }
            Self::Positive => json!({ "type": "number", "exclusiveMinimum": 0 }),
            Self::Text { most } => json!({ "type": "string", "maxLength": most }),
            Self::Hash => json!({ "type": "string", "pattern": "^[0-9a-fA-F]{64}$" }),
        }
    }
}

/// The settings of a request, all of which their operation has, with the defaults.
#[derive(Clone, Debug)]
pub struct Settings(Vec<(&'static str, String)>);

impl Settings {
    /// Reads a query.
    ///
    /// # Errors
    /// [`Reason::Setting`].
    pub fn read(query: &str, described: &[Setting]) -> Result<Self, Refusal> {
        let refuse = |message: String| Refusal::new(Reason::Setting, message);
        let mut given = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            if given.len() == MOST_SETTINGS {
                return Err(refuse(format!("the query has more than {MOST_SETTINGS} settings")));
            }
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = decoded(name).map_err(refuse)?;
            let setting = described.iter().find(|setting| setting.name == name);
            let known = || described.iter().map(|setting| setting.name).collect::<Vec<_>>();
            let setting = setting.ok_or_else(|| {
                let name: String = name.chars().take(40).collect();
                refuse(format!("unknown setting {name:?}; there are: {}", known().join(", ")))
            })?;
            let in_setting = |error| refuse(format!("`{}`: {error}", setting.name));
            let value = decoded(value).map_err(in_setting)?;
            setting.values.check(&value).map_err(in_setting)?;
            if given.iter().any(|(name, _)| *name == setting.name) {
                return Err(in_setting("it stands twice".into()));
            }
            given.push((setting.name, value));
        }
        for setting in described {
            if given.iter().any(|(name, _)| *name == setting.name) {
                continue;
            }
            match setting.default {
                Some(default) => given.push((setting.name, default.to_owned())),
                None => return Err(refuse(format!("`{}` is missing", setting.name))),
            }
        }
        Ok(Self(given))
    }

    /// A setting that the operation has.
    pub fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    }

    /// The words that were chosen, defaults among them; other settings may hold what is not to be repeated.
    pub fn chosen(&self, described: &[Setting]) -> Vec<(&'static str, String)> {
        let is_word = |name: &str| {
            let mut described = described.iter();
            described.any(|known| known.name == name && matches!(known.values, Values::Choice(_)))
        };
        self.0.iter().filter(|(name, _)| is_word(name)).cloned().collect()
    }

    /// A setting of [`Values::Whole`].
    pub fn whole(&self, name: &str) -> usize {
        self.get(name).parse().unwrap_or_default()
    }

    /// A setting of [`Values::Hash`].
    pub fn hash(&self, name: &str) -> [u8; 32] {
        let mut hash = [0; 32];
        // The digits were checked; of none, no object has the hash 0.
        let _ = hex::decode_to_slice(self.get(name), &mut hash);
        hash
    }
}

/// A part of a query, its escapes resolved (URL standard, application/x-www-form-urlencoded).
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
                    None => return Err("two hexadecimal digits follow a % in a query".into()),
                }
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).map_err(|_| "a query is UTF-8".into())
}
