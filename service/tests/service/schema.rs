// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The part of JSON Schema (2020-12) that the OpenAPI document uses. Unknown keywords fail the
//! test.

use serde_json::Value;

/// Validates a value against a schema of a document. Returns the reason if it is invalid.
pub fn check(value: &Value, schema: &Value, document: &Value) -> Result<(), String> {
    let schema = schema.as_object().ok_or_else(|| format!("not a schema: {schema}"))?;
    for (keyword, argument) in schema {
        match keyword.as_str() {
            "description" | "default" | "format" => Ok(()),
            "$ref" => {
                let pointer = argument.as_str().unwrap().strip_prefix('#').unwrap();
                check(value, document.pointer(pointer).unwrap(), document)
            }
            "type" => is_of_type(value, argument.as_str().unwrap()),
            "enum" => is(argument.as_array().unwrap().contains(value), "no value of the enum"),
            "required" => {
                let lacks = |name: &&Value| value.get(name.as_str().unwrap()).is_none();
                match argument.as_array().unwrap().iter().find(lacks) {
                    Some(name) => Err(format!("{name} is missing")),
                    None => Ok(()),
                }
            }
            "properties" => {
                let known = argument.as_object().unwrap();
                let mut parts = value.as_object().into_iter().flatten();
                parts.try_for_each(|(name, part)| match known.get(name) {
                    Some(schema) => check(part, schema, document),
                    None => Ok(()),
                })
            }
            "additionalProperties" => {
                assert_eq!(*argument, false);
                let known = schema["properties"].as_object().unwrap();
                let mut names = value.as_object().into_iter().flat_map(|object| object.keys());
                is(names.all(|name| known.contains_key(name)), "an unknown property")
            }
            "items" => {
                let mut items = value.as_array().into_iter().flatten();
                items.try_for_each(|item| check(item, argument, document))
            }
            "minItems" => is(length(value) >= argument.as_u64().unwrap(), "too few items"),
            "maxItems" => is(length(value) <= argument.as_u64().unwrap(), "too many items"),
            "minLength" => is(characters(value) >= argument.as_u64().unwrap(), "too short"),
            "maxLength" => is(characters(value) <= argument.as_u64().unwrap(), "too long"),
            "pattern" => has_pattern(value, argument.as_str().unwrap()),
            "minimum" => is(value.as_f64() >= argument.as_f64(), "too small"),
            "maximum" => is(value.as_f64() <= argument.as_f64(), "too large"),
            "exclusiveMinimum" => is(value.as_f64() > argument.as_f64(), "too small"),
            "oneOf" => {
                let fitting = argument.as_array().unwrap().iter();
                let fitting = fitting.filter(|schema| check(value, schema, document).is_ok());
                is(fitting.count() == 1, "not one of the alternatives")
            }
            other => panic!("unknown keyword {other}"),
        }
        .map_err(|error| format!("{value:.200}: {error}"))?;
    }
    Ok(())
}

fn is(so: bool, otherwise: &str) -> Result<(), String> {
    so.then_some(()).ok_or_else(|| otherwise.to_owned())
}

fn is_of_type(value: &Value, name: &str) -> Result<(), String> {
    let is_so = match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("unknown type {other}"),
    };
    is(is_so, &format!("not of type {name}"))
}

fn length(value: &Value) -> u64 {
    value.as_array().map_or(0, Vec::len) as u64
}

fn characters(value: &Value) -> u64 {
    value.as_str().map_or(0, |text| text.chars().count()) as u64
}

/// Matches the patterns of the document, all of which are hexadecimal digits.
fn has_pattern(value: &Value, pattern: &str) -> Result<(), String> {
    let Some(text) = value.as_str() else { return Ok(()) };
    let is_hex = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let is_small = |digits: &str| !digits.bytes().any(|digit| digit.is_ascii_uppercase());
    let is_so = match pattern {
        "^(0x)?([0-9a-fA-F]{2})*$" => {
            let digits = text.strip_prefix("0x").unwrap_or(text);
            is_hex(digits) && digits.len() % 2 == 0
        }
        "^([0-9a-f]{2})*$" => is_hex(text) && is_small(text) && text.len() % 2 == 0,
        "^0x[0-9a-fA-F]{1,64}$" => text
            .strip_prefix("0x")
            .is_some_and(|digits| is_hex(digits) && (1..=64).contains(&digits.len())),
        "^[0-9a-fA-F]{64}$" => is_hex(text) && text.len() == 64,
        other => panic!("unknown pattern {other}"),
    };
    is(is_so, &format!("not {pattern}"))
}
