// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The OpenAPI document matches the routes.

use halimede_service::Client;
use serde_json::{json, Value};

use crate::common::{client, exchange, options, start};
use crate::schema::check;

fn document(client: &Client) -> Value {
    let document = client.send("GET", "/openapi.json", "", &[]).unwrap().good().unwrap();
    assert_eq!(document.header("content-type"), Some("application/json"));
    document.json().unwrap()
}

#[test]
fn every_example_is_answered_as_the_document_says() {
    let server = start(&options());
    let client = client(&server);
    let document = document(&client);
    assert_eq!(document["openapi"], "3.1.0");
    let mut examples = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        let Some(operation) = methods.get("post") else { continue };
        // Only operations of the table have examples.
        if operation.get("x-example-query").is_none() {
            continue;
        }
        let content = &operation["requestBody"]["content"]["application/json"];
        let request = &content["example"];
        let query = operation["x-example-query"].as_str().unwrap();
        let target = format!("{path}?{query}");
        let text = request.to_string();
        let answer = client.send("POST", &target, "application/json", text.as_bytes()).unwrap();
        let responses = &operation["responses"];
        let described = &responses[answer.status.to_string()]["content"]["application/json"];
        assert_eq!(answer.json().unwrap(), described["example"], "{target}");
        check(&described["example"], &described["schema"], &document).unwrap();
        let refers = query.contains(&"0".repeat(64));
        assert_eq!(answer.status, if refers { 404 } else { 200 }, "{target}");
        if !refers {
            check(request, &content["schema"], &document).unwrap();
        }
        examples += 1;
        check_settings(&client, path, operation, query, &text);
        check_bad_item(&client, &target, operation, &document, refers);
    }
    assert!(examples >= 20, "{examples}");
    // A signature is valid under only one scheme: the answer names the default.
    let signature =
        &document["paths"]["/v1/bls12-381/verify-signature"]["post"]["responses"]["200"];
    let answer = &signature["content"]["application/json"]["example"];
    assert_eq!(answer["settings"], json!({ "group": "min-pk", "scheme": "pop" }));
}

/// Settings that are not in the document, and values out of its ranges, are refused.
fn check_settings(client: &Client, path: &str, operation: &Value, query: &str, body: &str) {
    let refused = |query: &str| {
        let target = format!("{path}?{query}");
        let answer = client.send("POST", &target, "application/json", body.as_bytes()).unwrap();
        assert_eq!(answer.status, 400, "{target}");
        assert_eq!(answer.json().unwrap()["error"]["code"], "setting", "{target}");
    };
    refused(&format!("{query}&unknown=1"));
    for parameter in operation["parameters"].as_array().unwrap() {
        if parameter["in"] != "query" {
            continue;
        }
        let name = parameter["name"].as_str().unwrap();
        let others: Vec<&str> =
            query.split('&').filter(|pair| !pair.starts_with(&format!("{name}="))).collect();
        let others = others.join("&");
        if parameter["required"] == true {
            refused(&others);
        }
        let schema = &parameter["schema"];
        if let Some(default) = schema.get("default") {
            check(default, schema, &Value::Null).unwrap();
        }
        let wrong = match schema["type"].as_str().unwrap() {
            "integer" => (schema["maximum"].as_u64().unwrap() + 1).to_string(),
            "number" => "-1".to_owned(),
            _ if schema.get("enum").is_some() || schema.get("pattern").is_some() => "wrong".into(),
            _ => "x".repeat(schema["maxLength"].as_u64().unwrap() as usize + 1),
        };
        refused(&format!("{others}&{name}={wrong}"));
        refused(&format!("{query}&{name}=%zz"));
    }
}

/// The answer to a bad item names it, and the other items are answered.
fn check_bad_item(
    client: &Client,
    target: &str,
    operation: &Value,
    document: &Value,
    refers: bool,
) {
    if refers {
        return;
    }
    let content = &operation["requestBody"]["content"]["application/json"];
    let good = &content["example"]["items"][0];
    let mut more = good.clone();
    more["unknown"] = 7.into();
    let items = [good.clone(), json!({}), more, json!(7), good.clone()];
    let answers = client.call(target, &items).unwrap();
    let response = &operation["responses"]["200"]["content"]["application/json"];
    let whole = json!({ "answers": answers.clone() });
    check(&whole, &response["schema"], document).unwrap();
    let expected = &response["example"]["answers"][0];
    assert_eq!([&answers[0], &answers[4]], [expected, expected]);
    for bad in 1..4 {
        assert_eq!(answers[bad]["item"], bad, "{target}: {answers:?}");
        assert!(answers[bad]["error"].is_string());
    }
}

#[test]
fn the_document_has_every_route_and_no_other() {
    let server = start(&options());
    let client = client(&server);
    let document = document(&client);
    let all = ["get", "put", "post", "delete", "patch"];
    for (path, methods) in document["paths"].as_object().unwrap() {
        let methods = methods.as_object().unwrap();
        let path = path.replace("{hash}", &"ab".repeat(32)).replace("{run}", &"ab".repeat(16));
        if path == "/events" {
            continue; // its answer does not end
        }
        for method in all {
            let answer = client.send(&method.to_uppercase(), &path, "", &[]).unwrap();
            let is_there = answer.status != 405;
            assert_eq!(is_there, methods.contains_key(method), "{method} {path}: {answer:?}");
            if is_there {
                let status = answer.status.to_string();
                let described = &methods[method]["responses"][&status];
                assert!(described.is_object(), "{method} {path}: {status}");
            } else {
                assert_eq!(answer.json().unwrap()["error"]["code"], "method");
            }
        }
    }
    for path in ["/v1", "/v1/", "/v1/blake3", "/v1/blake3/hash/", "/index.html", "/..", "//"] {
        let answer = client.send("GET", path, "", &[]).unwrap();
        assert_eq!(
            (answer.status, answer.json().unwrap()["error"]["code"].as_str()),
            (404, Some("path"))
        );
    }
}

#[test]
fn the_dashboard_loads_nothing_from_elsewhere() {
    let server = start(&options());
    let client = client(&server);
    for path in ["/", "/dashboard.css", "/dashboard.js"] {
        let answer = client.send("GET", path, "", &[]).unwrap().good().unwrap();
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        let text = String::from_utf8(answer.body).unwrap();
        for part in ["http://", "https://", "innerHTML", "eval(", "onclick", "style=\"", "<style"] {
            assert!(!text.contains(part), "{path} has {part}");
        }
    }
    let page = client.send("GET", "/", "", &[]).unwrap();
    let text = String::from_utf8(page.body).unwrap();
    assert!(text.contains("lang=\"en\"") && text.matches("aria-labelledby").count() >= 5);
    let css = client.send("GET", "/dashboard.css", "", &[]).unwrap();
    assert!(String::from_utf8(css.body).unwrap().contains("prefers-color-scheme: dark"));
}

#[test]
fn events_come_while_the_server_runs() {
    let server = start(&options());
    let answers = client(&server).call("/v1/blake3/hash", &[json!({ "message": "" })]).unwrap();
    assert_eq!(answers.len(), 1);
    let (events, all_answered) = std::thread::scope(|scope| {
        let mut stream = crate::common::connect(&server);
        use std::io::{BufRead, BufReader, Write};
        stream.write_all(b"GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        let mut lines = BufReader::new(stream).lines();
        let mut events = Vec::new();
        while events.len() < 2 {
            let line = lines.next().unwrap().unwrap();
            if let Some(data) = line.strip_prefix("data: ") {
                events.push(serde_json::from_str::<Value>(data).unwrap());
            }
        }
        // The stream does not block the server.
        let end = scope.spawn(move || server.end());
        let rest = lines.map_while(Result::ok).collect::<Vec<_>>();
        assert!(rest.len() < 1_000);
        (events, end.join().unwrap())
    });
    assert!(all_answered);
    assert_eq!(events[0]["name"], "cpu");
    assert!(!events[0]["capabilities"]["engines"].as_array().unwrap().is_empty());
    let hashes = events[1]["operations"].as_array().unwrap();
    let hashes = hashes.iter().find(|row| row["name"] == "blake3.hash").unwrap();
    assert_eq!([&hashes["answered"], &hashes["items"]], [1, 1]);
    assert_eq!(events[1]["jobs"][0]["operation"], "blake3.hash");
}

#[test]
fn metrics_are_in_the_format_of_prometheus() {
    let server = start(&options());
    let client = client(&server);
    client.call("/v1/blake3/hash", &[json!({ "message": "00" }), json!({})]).unwrap();
    let metrics = client.send("GET", "/metrics", "", &[]).unwrap().good().unwrap();
    let text = String::from_utf8(metrics.body).unwrap();
    let mut families = std::collections::HashSet::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            assert!(families.insert(rest.split(' ').next().unwrap().to_owned()), "{line}");
        } else if !line.starts_with('#') {
            let (name, value) = line.rsplit_once(' ').unwrap();
            assert!(value.parse::<f64>().is_ok(), "{line}");
            let name = name.split('{').next().unwrap();
            let base = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
            assert!(families.contains(name) || families.contains(base.unwrap_or("?")), "{line}");
        }
    }
    for line in [
        "halimede_requests_total{operation=\"blake3.hash\",outcome=\"answered\"} 1",
        "halimede_items_total{operation=\"blake3.hash\"} 2",
        "halimede_bad_items_total{operation=\"blake3.hash\"} 1",
        "halimede_request_seconds_count{operation=\"blake3.hash\"} 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}");
    }
    // Labels never contain data of clients.
    exchange(
        &server,
        b"GET /a-path-of-a-client HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
    );
    let metrics = client.send("GET", "/metrics", "", &[]).unwrap();
    assert!(!String::from_utf8(metrics.body).unwrap().contains("a-path"));
}
