// SPDX-License-Identifier: Apache-2.0 OR MIT
//! JSON Schemas of items, answers and settings.

use halimede_arith::interface::{Field, Kind, Reply, Values};
use serde_json::{json, Map, Value};

/// Returns the schema of a setting's values. An object is named by its BLAKE3 hash.
pub fn setting(values: Values) -> Value {
    match values {
        Values::Choice(words) => json!({ "type": "string", "enum": words }),
        Values::Whole { least, most } => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        Values::Positive => json!({ "type": "number", "exclusiveMinimum": 0 }),
        Values::Text { most } => json!({ "type": "string", "maxLength": most }),
        Values::Object(_) => hash(),
    }
}

/// Returns the schema of a hash.
pub fn hash() -> Value {
    json!({ "type": "string", "pattern": "^[0-9a-fA-F]{64}$" })
}

/// Returns the schema of a batch.
pub fn batch(fields: &[Field], most_items: usize) -> Value {
    json!({
        "type": "object", "required": ["items"], "additionalProperties": false,
        "properties": {
            "items": { "type": "array", "maxItems": most_items, "items": record(fields) },
        },
    })
}

fn record(fields: &[Field]) -> Value {
    let required = fields.iter().filter(|field| field.absent().is_none());
    let names: Vec<&str> = required.map(|field| field.name).collect();
    let properties: Map<String, Value> = fields
        .iter()
        .map(|field| {
            let mut schema = kind(field.kind);
            schema["description"] = field.about.into();
            (field.name.to_owned(), schema)
        })
        .collect();
    json!({
        "type": "object", "required": names, "additionalProperties": false,
        "properties": properties,
    })
}

fn kind(kind: Kind) -> Value {
    match kind {
        Kind::Bytes { least, most } => json!({
            "type": "string", "pattern": "^(0x)?([0-9a-fA-F]{2})*$",
            "minLength": 2 * least, "maxLength": 2 + 2 * most,
        }),
        // The limits are in bytes, and a character has at most four.
        Kind::Text { least, most } => json!({
            "type": "string", "minLength": least.div_ceil(4), "maxLength": most,
        }),
        Kind::Number => json!({ "type": "string", "pattern": NUMBER }),
        Kind::List { of, least, most } => {
            let items = match of {
                [field] => self::kind(field.kind),
                _ => record(of),
            };
            json!({ "type": "array", "items": items, "minItems": least, "maxItems": most })
        }
    }
}

const NUMBER: &str = "^0x[0-9a-fA-F]{1,64}$";

/// Returns the schema of a batch's answers.
pub fn answers(reply: Reply) -> Value {
    let number = || json!({ "type": "string", "pattern": NUMBER });
    let one = |name: &str, value: Value| {
        json!({
            "type": "object", "required": [name], "additionalProperties": false,
            "properties": { name: value },
        })
    };
    let answered = match reply {
        Reply::Bytes(name) => one(name, json!({ "type": "string", "pattern": "^([0-9a-f]{2})*$" })),
        Reply::Number(name) => one(name, number()),
        Reply::Numbers(name) => one(name, json!({ "type": "array", "items": number() })),
        Reply::Json(name) => one(name, json!({ "type": "object" })),
        Reply::Verdict => json!({
            "type": "object", "required": ["valid"], "additionalProperties": false,
            "properties": { "valid": { "type": "boolean" }, "reason": { "type": "string" } },
        }),
    };
    json!({
        "type": "object", "required": ["answers"], "additionalProperties": false,
        "properties": { "answers": {
            "type": "array",
            "items": { "oneOf": [answered, { "$ref": "#/components/schemas/BadItem" }] },
        }, "settings": {
            "type": "object",
            "description": "The words of the settings that the answers hold under, defaults among them.",
        } },
    })
}
