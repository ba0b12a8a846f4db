// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches as JSON: `{"items": [{…}, …]}`, answered by `{"answers": [{…}, …]}`.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{json, Value};

use super::{
    check_count, in_field, number_text, parse_number, Answer, Field, FormError, Items, Kind, Part,
    Record, Reply,
};

/// What marks the error of a batch with too many items on its way through serde.
const TOO_MANY: &str = "too many items";

/// Reads a batch. An item that is not as described is bad by itself.
///
/// # Errors
/// [`FormError`] where the body is not JSON, or not an object with the array `items` alone.
pub fn read(body: &[u8], fields: &[Field], limit: usize) -> Result<Items, FormError> {
    let mut input = serde_json::Deserializer::from_slice(body);
    let items = Body { fields, limit }.deserialize(&mut input);
    items.and_then(|items| input.end().map(|()| items)).map_err(|error| {
        match error.to_string().starts_with(TOO_MANY) {
            true => FormError::TooMany { limit },
            false => FormError::Malformed(format!("the body: {error}")),
        }
    })
}

/// The whole body.
#[derive(Clone, Copy)]
struct Body<'f> {
    fields: &'f [Field],
    limit: usize,
}

impl<'de> DeserializeSeed<'de> for Body<'_> {
    type Value = Items;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Items, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Body<'_> {
    type Value = Items;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the array `items`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Items, A::Error> {
        let mut items = None;
        while let Some(name) = map.next_key::<String>()? {
            if name != "items" {
                map.next_value::<IgnoredAny>()?;
                return Err(A::Error::custom(format!("unknown field {:?}", cut(&name))));
            }
            if items.is_some() {
                return Err(A::Error::custom("there are two `items`"));
            }
            items = Some(map.next_value_seed(Array(self))?);
        }
        items.ok_or_else(|| A::Error::custom("there are no `items`"))
    }
}

/// The array of items: each is read as a whole, then as described.
struct Array<'f>(Body<'f>);

impl<'de> DeserializeSeed<'de> for Array<'_> {
    type Value = Items;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Items, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Array<'_> {
    type Value = Items;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Items, A::Error> {
        let Body { fields, limit } = self.0;
        let mut items = Items::new();
        while let Some(value) = array.next_element::<Value>()? {
            if items.len() == limit {
                return Err(A::Error::custom(TOO_MANY));
            }
            items.push(record(&value, fields));
        }
        Ok(items)
    }
}

fn record(value: &Value, fields: &[Field]) -> Result<Record, String> {
    let Value::Object(object) = value else { return Err("an object is expected".into()) };
    if let Some(name) = object.keys().find(|name| !fields.iter().any(|field| field.name == *name)) {
        return Err(format!("unknown field {:?}", cut(name)));
    }
    let parts = fields.iter().map(|field| {
        let value = object.get(field.name).ok_or_else(|| format!("`{}` is missing", field.name))?;
        part(value, field.kind).map_err(in_field(field.name))
    });
    Ok(Record(parts.collect::<Result<_, String>>()?))
}

fn part(value: &Value, kind: Kind) -> Result<Part, String> {
    match (kind, value) {
        (Kind::Bytes { least, most }, Value::String(text)) => {
            let digits = text.strip_prefix("0x").unwrap_or(text);
            check_count(digits.len().div_ceil(2), least, most, "bytes")?;
            let bytes = hex::decode(digits);
            Ok(Part::Bytes(bytes.map_err(|error| error.to_string().to_lowercase())?))
        }
        (Kind::Number, Value::String(text)) => Ok(Part::Number(parse_number(text)?)),
        (Kind::List { of, least, most }, Value::Array(array)) => {
            check_count(array.len(), least, most, "elements")?;
            let records = array.iter().enumerate().map(|(index, value)| {
                let read = match of {
                    [field] => part(value, field.kind).map(|part| Record(vec![part])),
                    _ => record(value, of),
                };
                read.map_err(|error| format!("element {index}: {error}"))
            });
            Ok(Part::List(records.collect::<Result<_, _>>()?))
        }
        (Kind::List { .. }, _) => Err("an array is expected".into()),
        _ => Err("a string of hexadecimal digits is expected".into()),
    }
}

/// The beginning of a text that a client has sent.
fn cut(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Writes the answers of a batch.
pub fn write(answers: &[Answer], reply: Reply) -> Vec<u8> {
    let mut body = Vec::with_capacity(96 * answers.len() + 20);
    body.extend_from_slice(b"{\"answers\":[");
    for (index, answer) in answers.iter().enumerate() {
        if index > 0 {
            body.push(b',');
        }
        write_object(index, answer, reply, &mut body);
    }
    body.extend_from_slice(b"]}");
    body
}

fn write_object(index: usize, answer: &Answer, reply: Reply, body: &mut Vec<u8>) {
    let value = match answer {
        Answer::Bad(reason) => json!({ "error": reason, "item": index }),
        Answer::Verdict(Ok(())) => json!({ "valid": true }),
        Answer::Verdict(Err(reason)) => json!({ "valid": false, "reason": reason }),
        Answer::Bytes(bytes) => {
            let Reply::Bytes(name) = reply else { return not_described(answer, reply) };
            json!({ name: hex::encode(bytes) })
        }
        Answer::Numbers(numbers) => match reply {
            Reply::Number(name) => json!({ name: numbers.first().map(number_text) }),
            Reply::Numbers(name) => {
                json!({ name: numbers.iter().map(number_text).collect::<Vec<_>>() })
            }
            _ => return not_described(answer, reply),
        },
    };
    // A value with names of text is always written to memory.
    let _ = serde_json::to_writer(body, &value);
}

fn not_described(answer: &Answer, reply: Reply) {
    debug_assert!(false, "{answer:?} is not a {reply:?}");
}
