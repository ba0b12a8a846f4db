// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Settings of batches.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A setting of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The name.
    pub name: &'static str,
    /// A sentence that describes it.
    pub about: &'static str,
    /// The values.
    pub values: Values,
    /// The value of an absent setting. A setting without a default is required.
    pub default: Option<&'static str>,
}

/// A choice of `false` or `true`.
pub const NO_YES: Values = Values::Choice(&["false", "true"]);

/// The values of a setting.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// One of these words.
    Choice(&'static [&'static str]),
    /// An integer.
    Whole {
        /// The minimum.
        least: u64,
        /// The maximum.
        most: u64,
    },
    /// A positive number, e.g. `1e-4`.
    Positive,
    /// Text.
    Text {
        /// Maximum number of bytes.
        most: usize,
    },
    /// The name of an object, in the form that the caller's interface uses: a hash over HTTP, a
    /// path on the command line.
    Object(&'static ObjectKind),
}

impl Values {
    /// Checks that a value is in the range.
    ///
    /// # Errors
    /// A sentence that gives the expected values.
    pub fn check(self, value: &str) -> Result<(), String> {
        let is_good = match self {
            Self::Choice(words) => words.contains(&value),
            Self::Whole { least, most } => {
                value.parse().is_ok_and(|number: u64| (least..=most).contains(&number))
            }
            Self::Positive => {
                value.parse().is_ok_and(|number: f64| number.is_finite() && number > 0.0)
            }
            Self::Text { most } => value.len() <= most,
            Self::Object(_) => true,
        };
        match (is_good, self) {
            (true, _) | (_, Self::Object(_)) => Ok(()),
            (_, Self::Choice(words)) => Err(format!("one of {} is expected", words.join(", "))),
            (_, Self::Whole { least, most }) => Err(format!("{least} to {most} is expected")),
            (_, Self::Positive) => Err("a positive number is expected".into()),
            (_, Self::Text { most }) => Err(format!("at most {most} bytes are expected")),
        }
    }
}

/// A parsed object, shared by all requests that name it.
pub type Object = Arc<dyn Any + Send + Sync>;

/// A kind of file that operations need besides their items, e.g. a verifying key.
pub struct ObjectKind {
    /// The name, e.g. `groth16-key`.
    pub name: &'static str,
    /// A sentence that describes it.
    pub about: &'static str,
    /// Maximum size of a file in bytes.
    pub most_bytes: usize,
    /// Maximum memory of the parsed object in bytes, given the bytes of its file.
    pub held_bytes: fn(usize) -> usize,
    /// Parses a file.
    ///
    /// # Errors
    /// A sentence that gives the fault.
    pub read: fn(&[u8]) -> Result<Object, String>,
    /// The numbers of a parsed object that callers need, with their names.
    pub facts: fn(&Object) -> Vec<(&'static str, u64)>,
}

impl fmt::Debug for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ObjectKind").field(&self.name).finish()
    }
}

/// The settings of a batch.
#[derive(Clone)]
pub struct Settings {
    described: &'static [Setting],
    words: Vec<(&'static str, String)>,
    objects: Vec<(&'static str, Object)>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Settings").field(&self.words).finish()
    }
}

impl Settings {
    /// Returns the settings of an operation, without values.
    pub fn of(described: &'static [Setting]) -> Self {
        Self { described, words: Vec::new(), objects: Vec::new() }
    }

    /// Returns the setting of this name.
    ///
    /// # Errors
    /// A sentence that lists the names of all settings.
    pub fn described(&self, name: &str) -> Result<&'static Setting, String> {
        let found = self.described.iter().find(|setting| setting.name == name);
        found.ok_or_else(|| {
            let known: Vec<_> = self.described.iter().map(|setting| setting.name).collect();
            let name: String = name.chars().take(40).collect();
            format!("unknown setting {name:?}; there are: {}", known.join(", "))
        })
    }

    /// Sets a value.
    ///
    /// # Errors
    /// A sentence if the name is unknown, the value is refused, or the setting already has a value.
    pub fn set(&mut self, name: &str, value: String) -> Result<(), String> {
        let setting = self.described(name)?;
        let in_setting = |error| format!("`{}`: {error}", setting.name);
        setting.values.check(&value).map_err(in_setting)?;
        if self.words.iter().any(|(name, _)| *name == setting.name) {
            return Err(in_setting("given more than once".into()));
        }
        self.words.push((setting.name, value));
        Ok(())
    }

    /// Sets absent settings to their defaults.
    ///
    /// # Errors
    /// A sentence if a required setting is absent.
    pub fn complete(mut self) -> Result<Self, String> {
        for setting in self.described {
            if self.words.iter().any(|(name, _)| *name == setting.name) {
                continue;
            }
            match setting.default {
                Some(default) => self.words.push((setting.name, default.to_owned())),
                None => return Err(format!("`{}` is missing", setting.name)),
            }
        }
        Ok(self)
    }

    /// Returns the value of a setting.
    pub fn get(&self, name: &str) -> &str {
        self.words.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    }

    /// Returns `true` if a setting of [`NO_YES`] is `true`.
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name) == "true"
    }

    /// Returns the value of a setting of [`Values::Whole`].
    pub fn whole(&self, name: &str) -> usize {
        self.get(name).parse().unwrap_or_default()
    }

    /// Returns the values of all [`Values::Choice`] settings, defaults included. The values of
    /// other settings may be confidential.
    pub fn chosen(&self) -> Vec<(&'static str, String)> {
        let is_word = |name: &str| {
            let mut described = self.described.iter();
            described.any(|known| known.name == name && matches!(known.values, Values::Choice(_)))
        };
        self.words.iter().filter(|(name, _)| is_word(name)).cloned().collect()
    }

    /// Returns the settings that name objects: name, kind and value.
    pub fn named_objects(&self) -> impl Iterator<Item = (&'static str, &'static ObjectKind, &str)> {
        self.described.iter().filter_map(|setting| match setting.values {
            Values::Object(kind) => Some((setting.name, kind, self.get(setting.name))),
            _ => None,
        })
    }

    /// Returns the kind of the object that a setting names.
    ///
    /// # Errors
    /// A sentence if the setting does not exist or does not name an object.
    pub fn named_kind(&self, name: &str) -> Result<&'static ObjectKind, String> {
        match self.described(name)?.values {
            Values::Object(kind) => Ok(kind),
            _ => Err(format!("`{name}` does not name an object")),
        }
    }

    /// Attaches an object to a setting. A setting without a value gets one.
    ///
    /// # Errors
    /// A sentence if the setting does not name an object, or already has one.
    pub fn attach(&mut self, name: &str, object: Object) -> Result<(), String> {
        self.named_kind(name)?;
        let name = self.described(name)?.name;
        if self.objects.iter().any(|(known, _)| *known == name) {
            return Err(format!("`{name}`: given more than once"));
        }
        if !self.words.iter().any(|(known, _)| *known == name) {
            self.words.push((name, name.to_owned()));
        }
        self.objects.push((name, object));
        Ok(())
    }

    /// Returns the object of a setting.
    ///
    /// # Errors
    /// A sentence if no object of this type is attached.
    pub fn object<T: Send + Sync + 'static>(&self, name: &str) -> Result<Arc<T>, String> {
        let found = self.objects.iter().find(|(known, _)| *known == name);
        let typed = found.and_then(|(_, object)| Arc::clone(object).downcast().ok());
        typed.ok_or_else(|| format!("`{name}`: no such object is attached"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESCRIBED: &[Setting] = &[
        Setting {
            name: "format",
            about: "",
            values: Values::Choice(&["a", "b"]),
            default: Some("a"),
        },
        Setting { name: "low-s", about: "", values: NO_YES, default: Some("false") },
        Setting {
            name: "length",
            about: "",
            values: Values::Whole { least: 1, most: 9 },
            default: None,
        },
    ];

    #[test]
    fn settings_are_checked_and_completed() {
        let mut settings = Settings::of(DESCRIBED);
        assert!(settings.set("other", String::new()).is_err());
        assert!(settings.set("length", "0".into()).is_err());
        assert!(settings.set("format", "c".into()).is_err());
        assert_eq!(settings.clone().complete().unwrap_err(), "`length` is missing");
        settings.set("length", "7".into()).unwrap();
        settings.set("low-s", "true".into()).unwrap();
        assert!(settings.set("length", "7".into()).is_err());
        let settings = settings.complete().unwrap();
        assert_eq!((settings.get("format"), settings.whole("length")), ("a", 7));
        assert!(settings.is_on("low-s"));
        let chosen = [("low-s", "true".to_owned()), ("format", "a".to_owned())];
        assert_eq!(settings.chosen(), chosen);
    }

    #[test]
    fn objects_have_their_types() {
        const KIND: ObjectKind = ObjectKind {
            name: "number",
            about: "",
            most_bytes: 1,
            held_bytes: |bytes| bytes,
            read: |bytes| Ok(Arc::new(bytes.len())),
            facts: |_| Vec::new(),
        };
        const KEYED: &[Setting] =
            &[Setting { name: "key", about: "", values: Values::Object(&KIND), default: None }];
        let mut settings = Settings::of(KEYED);
        settings.attach("key", Arc::new(7u32)).unwrap();
        assert_eq!(settings.object::<u32>("key").as_deref(), Ok(&7));
        assert!(settings.object::<u64>("key").is_err() && settings.object::<u32>("x").is_err());
        assert_eq!(
            settings.attach("key", Arc::new(8u32)).unwrap_err(),
            "`key`: given more than once"
        );
        assert!(settings.attach("x", Arc::new(8u32)).is_err());
        assert_eq!(settings.complete().unwrap().get("key"), "key");
        let mut named = Settings::of(KEYED);
        named.set("key", "a path".into()).unwrap();
        named.attach("key", Arc::new(7u32)).unwrap();
        assert_eq!(named.get("key"), "a path");
        let mut word = Settings::of(DESCRIBED);
        assert_eq!(
            word.attach("format", Arc::new(7u32)).unwrap_err(),
            "`format` does not name an object"
        );
    }
}
