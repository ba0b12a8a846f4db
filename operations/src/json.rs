// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches as JSON: `{"items": [{…}, …]}`, answered by `{"answers": [{…}, …]}`.
//!
//! Items are read sequentially, by their description, without a tree of values. Data beyond a limit
//! is skipped without being stored.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::json;

use halimede_arith::interface::{
    number_text, parse_number, Answer, Field, Invalid, Kind, Part, Record, Reply,
};

use crate::form::{check_count, FormError, Item, Sink};

/// The largest number of characters of a client's text in an error.
const MOST_CHARACTERS: usize = 40;

/// Reads a batch. An item that does not match its description is bad; the others are not affected.
///
/// # Errors
/// [`FormError`] if the body is not a JSON object with exactly the array `items`, and if the sink
/// stops the reading.
pub fn read(
    body: &[u8],
    fields: &[Field],
    limit: usize,
    sink: &mut dyn Sink,
) -> Result<(), FormError> {
    let mut input = serde_json::Deserializer::from_slice(body);
    let mut reader = Reader { fields, limit, sink, is_line: false, ended: None };
    let read = Body(&mut reader).deserialize(&mut input);
    match (reader.ended, read.and_then(|()| input.end())) {
        (Some(ended), _) => Err(ended),
        (None, Ok(())) => Ok(()),
        (None, Err(error)) => Err(FormError::Malformed(format!("the body: {error}"))),
    }
}

/// Alternative names of fields in lines. A message can replace its digest.
const OTHER_NAMES: [(&str, &str); 4] =
    [("msg", "message"), ("sig", "signature"), ("msg", "digest"), ("message", "digest")];

/// Reads a line, a JSON object. Unknown fields are skipped. `msg` and `sig` are short for `message`
/// and `signature`, and `message` is also accepted for `digest`. If an item is a single list of
/// numbers, a line may have only the numbers, separated by white space.
///
/// # Errors
/// The fault. Columns are counted in bytes, from 1.
pub fn read_line(line: &str, fields: &[Field]) -> Item {
    if let ([field], false) = (fields, line.trim_ascii_start().starts_with('{')) {
        if let Kind::List { of: [Field { kind: Kind::Number, .. }], least, most } = field.kind {
            return numbers_of_line(line, least, most).map_err(|error| field.wrong(&error));
        }
    }
    check_object(line)?;
    let mut input = serde_json::Deserializer::from_str(line);
    let mut sink: Vec<Item> = Vec::new();
    let mut reader = Reader { fields, limit: 1, sink: &mut sink, is_line: true, ended: None };
    let item = Object { fields, reader: &mut reader }.deserialize(&mut input);
    let item = item.and_then(|item| input.end().map(|()| item));
    item.unwrap_or_else(|error| Err(line_fault(&error).into()))
}

/// Reads a line of numbers.
fn numbers_of_line(line: &str, least: usize, most: usize) -> Result<Record, String> {
    let count = line.split_whitespace().count();
    check_count(count, least, most, "elements")?;
    let number = |(index, text): (usize, &str)| {
        parse_number(text).map_err(|error| format!("element {index}: {error}"))
    };
    let numbers = line.split_whitespace().enumerate().map(number);
    Ok(Record(vec![Part::Numbers(numbers.collect::<Result<_, _>>()?)]))
}

/// Checks that a line is an object.
///
/// # Errors
/// The fault. Columns are counted in bytes, from 1.
fn check_object(line: &str) -> Result<(), String> {
    let start = line.len() - line.trim_ascii_start().len();
    match line[start..].starts_with('{') {
        true => Ok(()),
        false => Err(format!("column {}: expected a JSON object, which begins with {{", start + 1)),
    }
}

/// Describes a fault in the JSON of a line by its column only.
fn line_fault(error: &serde_json::Error) -> String {
    let (column, message) = (error.column(), error.to_string());
    let what = message.strip_suffix(&format!(" at line 1 column {column}")).unwrap_or(&message);
    format!("column {column}: {what}")
}

/// The state of the reading of a batch.
struct Reader<'r> {
    fields: &'r [Field],
    limit: usize,
    sink: &'r mut dyn Sink,
    /// True for a line instead of a batch.
    is_line: bool,
    /// The reason why the rest is not read.
    ended: Option<FormError>,
}

impl Reader<'_> {
    /// Stores an error that ends the batch, and returns an error that takes it through serde.
    fn or_end<T, E: Error>(&mut self, done: Result<T, FormError>) -> Result<T, E> {
        done.map_err(|error| {
            let passed = E::custom(&error);
            self.ended = Some(error);
            passed
        })
    }

    fn grow<E: Error>(&mut self, bytes: usize) -> Result<(), E> {
        let grown = self.sink.grow(bytes);
        self.or_end(grown)
    }
}

/// The whole body.
struct Body<'a, 'r>(&'a mut Reader<'r>);

impl<'de> DeserializeSeed<'de> for Body<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Body<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the array `items`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut has_items = false;
        while let Some(name) = map.next_key_seed(Name)? {
            match name.as_deref() {
                Ok("items") if has_items => {
                    return Err(A::Error::custom("duplicate field `items`"))
                }
                Ok("items") => map.next_value_seed(Array(&mut *self.0))?,
                _ => {
                    let (Ok(name) | Err(name)) = name;
                    map.next_value::<IgnoredAny>()?;
                    return Err(A::Error::custom(format!("unknown field {name:?}")));
                }
            }
            has_items = true;
        }
        match has_items {
            true => Ok(()),
            false => Err(A::Error::custom("missing field `items`")),
        }
    }
}

/// The name of a field. The error for a name that is too long is the beginning of the name.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Result<String, String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name {
    type Value = Result<String, String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(match name.char_indices().nth(MOST_CHARACTERS) {
            None => Ok(name.to_owned()),
            Some((end, _)) => Err(name[..end].to_owned()),
        })
    }
}

/// The array of items.
struct Array<'a, 'r>(&'a mut Reader<'r>);

impl<'de> DeserializeSeed<'de> for Array<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Array<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<(), A::Error> {
        let reader = self.0;
        let (fields, limit) = (reader.fields, reader.limit);
        let mut count = 0;
        while let Some(item) = array.next_element_seed(Object { fields, reader: &mut *reader })? {
            if count == limit {
                return reader.or_end(Err(FormError::TooMany { limit }));
            }
            count += 1;
            let taken = reader.sink.item(item);
            reader.or_end(taken)?;
        }
        Ok(())
    }
}

/// Implements a seed's methods for values of unexpected types: they are bad, and skipped.
macro_rules! others_are_bad {
    ($expected:expr; $($visit:ident: $type:ty),*) => {
        $(fn $visit<E: Error>(self, _: $type) -> Result<Self::Value, E> {
            Ok(Err($expected.into()))
        })*

        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok(Err($expected.into()))
        }
    };
}

/// Skips the rest of an array.
fn skip_array<'de, A: SeqAccess<'de>>(array: &mut A) -> Result<usize, A::Error> {
    let mut count = 0;
    while array.next_element::<IgnoredAny>()?.is_some() {
        count += 1;
    }
    Ok(count)
}

/// Skips the rest of an object.
fn skip_object<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

/// A record with these fields, in any order, each once.
struct Object<'f, 'a, 'r> {
    fields: &'f [Field],
    reader: &'a mut Reader<'r>,
}

const OBJECT: &str = "an object is expected";

impl<'de> DeserializeSeed<'de> for Object<'_, '_, '_> {
    type Value = Item;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Item, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Object<'_, '_, '_> {
    type Value = Item;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Item, A::Error> {
        let Self { fields, reader } = self;
        reader.grow(Record::own_bytes(fields.len()))?;
        let mut parts: Vec<Option<Part>> = fields.iter().map(|_| None).collect();
        while let Some(name) = map.next_key_seed(Name)? {
            let known = name.as_deref().ok();
            let place_of = |name: &str| fields.iter().position(|field| field.name == name);
            let other = |(other, name): &(&str, &str)| {
                (reader.is_line && known == Some(other)).then(|| place_of(name)).flatten()
            };
            let place = known.and_then(place_of).or_else(|| OTHER_NAMES.iter().find_map(other));
            let of_field = |place: usize| Some((fields.get(place)?, parts.get(place)?.is_some()));
            let bad = match place.and_then(of_field) {
                None if reader.is_line => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
                None => {
                    let (Ok(name) | Err(name)) = name;
                    Some(format!("unknown field {name:?}"))
                }
                Some((field, true)) => Some(format!("duplicate field `{}`", field.name)),
                Some(_) => None,
            };
            if let Some(reason) = bad {
                map.next_value::<IgnoredAny>()?;
                skip_object(&mut map)?;
                return Ok(Err(reason.into()));
            }
            let place = place.unwrap_or_default();
            let kind = fields[place].kind;
            match map.next_value_seed(Value { kind, reader: &mut *reader })? {
                Ok(part) => parts[place] = Some(part),
                Err(reason) => {
                    skip_object(&mut map)?;
                    return Ok(Err(fields[place].wrong(&reason)));
                }
            }
        }
        let missing = |field: &Field| Invalid::from(format!("`{}` is missing", field.name));
        let whole = fields
            .iter()
            .zip(parts)
            .map(|(field, part)| part.or_else(|| field.absent()).ok_or_else(|| missing(field)));
        Ok(whole.collect::<Result<_, _>>().map(Record))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Item, A::Error> {
        skip_array(&mut array)?;
        Ok(Err(OBJECT.into()))
    }

    others_are_bad!(OBJECT; visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64,
                    visit_str: &str);
}

/// A value of a field.
struct Value<'a, 'r> {
    kind: Kind,
    reader: &'a mut Reader<'r>,
}

impl Value<'_, '_> {
    fn expected(&self) -> &'static str {
        match self.kind {
            Kind::List { .. } => "an array is expected",
            Kind::Text { .. } => "a string is expected",
            _ => "a string of hexadecimal digits is expected",
        }
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_, '_> {
    type Value = Result<Part, String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_, '_> {
    type Value = Result<Part, String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        let part = match self.kind {
            Kind::Bytes { least, most } => {
                let digits = text.strip_prefix("0x").unwrap_or(text);
                let count = digits.len().div_ceil(2);
                if let Err(reason) = check_count(count, least, most, "bytes") {
                    return Ok(Err(reason));
                }
                self.reader.grow(count)?;
                hex::decode(digits)
                    .map(Part::Bytes)
                    .map_err(|error| error.to_string().to_lowercase())
            }
            Kind::Text { least, most } => match check_count(text.len(), least, most, "bytes") {
                Ok(()) => {
                    self.reader.grow(text.len())?;
                    Ok(Part::Text(text.to_owned()))
                }
                Err(reason) => Err(reason),
            },
            Kind::Number => parse_number(text).map(Part::Number),
            Kind::List { .. } => Err(self.expected().into()),
        };
        if let Ok(part) = &part {
            self.reader.grow(part.held_bytes().saturating_sub(text.len() / 2))?;
        }
        Ok(part)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        let expected = self.expected();
        let Kind::List { of, least, most } = self.kind else {
            skip_array(&mut array)?;
            return Ok(Err(expected.into()));
        };
        let list = List { of, most };
        let read = match list.is_of_numbers() {
            true => list.numbers(&mut array, self.reader)?,
            false => list.records(&mut array, self.reader)?,
        };
        match read {
            Ok((part, count)) => Ok(check_count(count, least, most, "elements").map(|()| part)),
            // Skips the rest of a bad or too long list.
            Err(End::Bad(reason)) => {
                skip_array(&mut array)?;
                Ok(Err(reason))
            }
            Err(End::Long(count)) => {
                let count = count + skip_array(&mut array)?;
                Ok(check_count(count, least, most, "elements").and(Err(String::new())))
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        skip_object(&mut map)?;
        Ok(Err(self.expected().into()))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Err(self.expected().into()))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Err(self.expected().into()))
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Err(self.expected().into()))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Err(self.expected().into()))
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Err(self.expected().into()))
    }
}

/// A list of records with these fields.
struct List {
    of: &'static [Field],
    most: usize,
}

/// The reason why the rest of a list is skipped.
enum End {
    /// An element is bad.
    Bad(String),
    /// The list has more than this number of elements, which are too many.
    Long(usize),
}

/// A list and the number of its elements.
type Read = Result<(Part, usize), End>;

impl List {
    /// Returns `true` if the records are bare numbers.
    fn is_of_numbers(&self) -> bool {
        matches!(self.of, [Field { kind: Kind::Number, .. }])
    }

    fn numbers<'de, A: SeqAccess<'de>>(
        &self,
        array: &mut A,
        reader: &mut Reader<'_>,
    ) -> Result<Read, A::Error> {
        let mut numbers = Vec::new();
        loop {
            if numbers.len() == numbers.capacity() {
                // Doubles the capacity; memory briefly holds both the old and the new list.
                let more = numbers.len().clamp(LEAST_NUMBERS, self.most.max(LEAST_NUMBERS));
                reader.grow(more * size_of::<[u8; 32]>())?;
                numbers.reserve_exact(more);
            }
            let value = Value { kind: Kind::Number, reader: &mut *reader };
            match array.next_element_seed(value)? {
                None => break,
                Some(_) if numbers.len() == self.most => return Ok(Err(End::Long(self.most + 1))),
                Some(Ok(Part::Number(number))) => numbers.push(number),
                Some(Ok(_)) => return Ok(Err(End::Bad("a number is expected".into()))),
                Some(Err(reason)) => return Ok(Err(bad_element(numbers.len(), reason))),
            }
        }
        let count = numbers.len();
        Ok(Ok((Part::Numbers(numbers), count)))
    }

    fn records<'de, A: SeqAccess<'de>>(
        &self,
        array: &mut A,
        reader: &mut Reader<'_>,
    ) -> Result<Read, A::Error> {
        let mut records = Vec::new();
        loop {
            let reader = &mut *reader;
            let next = match self.of {
                [field] => {
                    reader.grow(Record::own_bytes(1))?;
                    let value = array.next_element_seed(Value { kind: field.kind, reader })?;
                    value.map(|value| value.map(|part| Record(vec![part])))
                }
                fields => {
                    let record = array.next_element_seed(Object { fields, reader })?;
                    record.map(|record| record.map_err(|fault| fault.reason))
                }
            };
            match next {
                None => break,
                Some(_) if records.len() == self.most => return Ok(Err(End::Long(self.most + 1))),
                Some(Ok(record)) => records.push(record),
                Some(Err(reason)) => return Ok(Err(bad_element(records.len(), reason))),
            }
        }
        let count = records.len();
        Ok(Ok((Part::List(records), count)))
    }
}

/// The smallest capacity of a list of numbers.
const LEAST_NUMBERS: usize = 4;

fn bad_element(index: usize, reason: String) -> End {
    End::Bad(format!("element {index}: {reason}"))
}

/// Writes the answers of a batch and the settings for which they hold: a signature may be valid
/// under one scheme and not under another.
pub fn write(answers: &[Answer], reply: Reply, chosen: &[(&'static str, String)]) -> Vec<u8> {
    let mut body = Vec::with_capacity(96 * answers.len() + 20);
    body.extend_from_slice(b"{\"answers\":[");
    for (index, answer) in answers.iter().enumerate() {
        if index > 0 {
            body.push(b',');
        }
        write_object(index, answer, reply, &mut body);
    }
    body.push(b']');
    if !chosen.is_empty() {
        let settings: BTreeMap<&str, &str> =
            chosen.iter().map(|(name, word)| (*name, word.as_str())).collect();
        body.extend_from_slice(b",\"settings\":");
        // Writing names and words to memory cannot fail.
        let _ = serde_json::to_writer(&mut body, &settings);
    }
    body.push(b'}');
    body
}

fn write_object(index: usize, answer: &Answer, reply: Reply, body: &mut Vec<u8>) {
    // Writing a value with string keys to memory cannot fail.
    let _ = serde_json::to_writer(body, &self::answer(index, answer, reply));
}

/// Converts an answer to a JSON object; the answer to a bad item has the item's index.
pub fn answer(index: usize, answer: &Answer, reply: Reply) -> serde_json::Value {
    match (answer, reply) {
        (Answer::Bad(fault), _) => json!({ "error": fault.reason, "item": index }),
        (Answer::Verdict(Ok(())), _) => json!({ "valid": true }),
        (Answer::Verdict(Err(fault)), _) => json!({ "valid": false, "reason": fault.reason }),
        (Answer::Bytes(bytes), Reply::Bytes(name)) => json!({ name: hex::encode(bytes) }),
        (Answer::Numbers(numbers), Reply::Number(name)) => {
            json!({ name: numbers.first().map(number_text) })
        }
        (Answer::Numbers(numbers), Reply::Numbers(name)) => {
            json!({ name: numbers.iter().map(number_text).collect::<Vec<_>>() })
        }
        (Answer::Json(text), Reply::Json(name)) => {
            json!({ name: serde_json::from_str::<serde_json::Value>(text).unwrap_or_default() })
        }
        (answer, reply) => {
            debug_assert!(false, "{answer:?} is not a {reply:?}");
            serde_json::Value::Null
        }
    }
}
