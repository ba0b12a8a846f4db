// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Generates the OpenAPI 3.1 document from the tables of operations and routes.

use std::sync::Arc;

use halimede_arith::interface::{About, Setting, Settings, Values};
use halimede_operations::{example, schema};
use serde_json::{json, Map, Value};

use super::media::{EVENTS, JSON, OCTETS};
use super::operate::DEADLINE;
use super::routes::{Route, ROUTES};
use crate::operations::Endpoint;
use crate::options::Limits;
use crate::refusal::Reason;

const ABOUT: &str =
    "Batches of Halimede's operations. A request has its settings in the query, and \
    its items in the body: as JSON, or as frames of the compact form (application/octet-stream, \
    described in the README of the service). Each item has its own answer.";

/// The refusal of a request that names the object of the hash 0.
const NO_OBJECT: &str =
    "unknown object 0000000000000000000000000000000000000000000000000000000000000000";

/// Returns the document.
pub fn document(endpoints: &[Arc<dyn Endpoint>], limits: &Limits) -> Value {
    let mut paths = Map::new();
    for endpoint in endpoints {
        let about = endpoint.about();
        paths.insert(about.path.into(), json!({ "post": operation(about, limits) }));
    }
    for route in ROUTES {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method] = fixed(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Halimede", "version": env!("CARGO_PKG_VERSION"), "description": ABOUT,
            "license": { "name": "Apache-2.0 OR MIT", "identifier": "Apache-2.0 OR MIT" },
        },
        "security": [{}, { "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": { "Error": error(), "BadItem": bad_item() },
        },
    })
}

fn operation(about: &'static About, limits: &Limits) -> Value {
    let deadline = json!({
        "name": DEADLINE, "in": "header", "description":
            "Milliseconds after which the request is answered by the status 504.",
        "schema": {
            "type": "integer", "minimum": 1, "maximum": limits.longest_deadline.as_millis() as u64,
        },
    });
    let parameters = parameters(about.settings).into_iter().chain([deadline]);
    let example = about.examples.first();
    let parsed = |text: Option<&str>| serde_json::from_str(text?).ok();
    let item: Value = parsed(example.map(|example| example.item)).unwrap_or_default();
    let query = example.map(|known| example::query(about, known)).unwrap_or_default();
    let mut responses = refusals();
    let mut answered = json!({
        "description": "One answer per item, in the order of the items.",
        "content": {
            JSON: { "schema": schema::answers(about.reply) }, OCTETS: { "schema": binary() },
        },
    });
    if about.needs_object() {
        let absent = json!({ "error": { "code": "object", "message": NO_OBJECT } });
        responses["404"]["content"][JSON]["example"] = absent;
    } else {
        let answer: Value = parsed(example.map(|example| example.answer)).unwrap_or_default();
        let described = &mut answered["content"][JSON]["example"];
        *described = json!({ "answers": [answer] });
        let settings = example.and_then(|known| example::settings(about, known).ok());
        for (name, word) in settings.iter().flat_map(Settings::chosen) {
            described["settings"][name] = word.into();
        }
    }
    responses.insert("200".into(), answered);
    json!({
        "operationId": about.name, "summary": about.summary,
        "tags": [about.name.split('.').next()],
        "parameters": parameters.collect::<Vec<_>>(),
        "requestBody": {
            "required": true,
            "content": {
                JSON: {
                    "schema": schema::batch(about.item, limits.items),
                    "example": { "items": [item] },
                },
                OCTETS: { "schema": binary() },
            },
        },
        "responses": responses, "x-example-query": query,
    })
}

fn fixed(route: &Route) -> Value {
    let content = match route.answer {
        "" => json!({}),
        kind => json!({ kind: {} }),
    };
    let mut responses = refusals();
    let answered = json!({ "description": route.summary, "content": content });
    responses.insert(route.status.to_string(), answered);
    let mut parameters = parameters(route.settings);
    let run = json!({ "type": "string", "pattern": "^[0-9a-f]{32}$" });
    for (name, schema, description) in [
        ("hash", schema::hash(), "The BLAKE3 hash of the object."),
        ("run", run, "The name of the run."),
    ] {
        if route.path.contains(&format!("{{{name}}}")) {
            parameters.push(json!({
                "name": name, "in": "path", "required": true, "schema": schema,
                "description": description,
            }));
        }
    }
    if route.method == "post" {
        responses.insert(
            "200".into(),
            json!({
                "description": "The events of the attached run.", "content": { EVENTS: {} },
            }),
        );
    }
    let mut described = json!({
        "summary": route.summary, "parameters": parameters, "responses": responses,
    });
    if route.is_public {
        described["security"] = json!([]);
    }
    if route.method == "put" || route.method == "post" {
        described["requestBody"] =
            json!({ "required": true, "content": { OCTETS: { "schema": binary() } } });
    }
    described
}

fn parameters(settings: &[Setting]) -> Vec<Value> {
    let parameter = |setting: &Setting| {
        let mut schema = schema::setting(setting.values);
        if let Some(default) = setting.default {
            schema["default"] = match (setting.values, default.parse::<f64>()) {
                (Values::Whole { .. } | Values::Positive, Ok(number)) => {
                    // Whole numbers remain whole numbers.
                    serde_json::from_str(default).unwrap_or_else(|_| number.into())
                }
                _ => default.into(),
            };
        }
        json!({
            "name": setting.name, "in": "query", "description": setting.about,
            "required": setting.default.is_none(), "schema": schema,
        })
    };
    settings.iter().map(parameter).collect()
}

/// Returns the refusals by status, each with the words of its reasons.
fn refusals() -> Map<String, Value> {
    let mut refusals: Map<String, Value> = Map::new();
    for reason in Reason::ALL {
        let status = reason.status().as_str().to_owned();
        let described = refusals.entry(status).or_insert_with(|| {
            json!({
                "description": "",
                "content": { JSON: { "schema": { "$ref": "#/components/schemas/Error" } } },
            })
        });
        let words = described["description"].as_str().unwrap_or_default();
        let separator = if words.is_empty() { "" } else { ", " };
        described["description"] = format!("{words}{separator}{}", reason.word()).into();
    }
    refusals
}

fn binary() -> Value {
    json!({ "type": "string", "format": "binary" })
}

fn error() -> Value {
    let codes: Vec<&str> = Reason::ALL.iter().map(|reason| reason.word()).collect();
    json!({
        "type": "object", "required": ["error"], "additionalProperties": false,
        "properties": { "error": {
            "type": "object", "required": ["code", "message"], "additionalProperties": false,
            "properties": {
                "code": { "type": "string", "enum": codes }, "message": { "type": "string" },
            },
        } },
    })
}

fn bad_item() -> Value {
    json!({
        "type": "object", "required": ["error", "item"], "additionalProperties": false,
        "properties": {
            "error": { "type": "string" }, "item": { "type": "integer", "minimum": 0 },
        },
    })
}
