// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Requests that are malformed, slow or too large, too many clients, and clients that disconnect.

use std::io::{Read, Write};
use std::time::Duration;

use halimede_service::ClientError;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;

use crate::common::{client, connect, counter, exchange, options, rest, start, with_limits};

const HASH: &str = "/v1/blake3/hash";
/// A time that is long for a client of these tests, but short for a test.
const SHORT: Duration = Duration::from_millis(100);

fn post(headers: &str, body: &[u8]) -> Vec<u8> {
    let head =
        format!("POST {HASH} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}\r\n");
    [head.as_bytes(), body].concat()
}

/// Every request ends, and the server survives.
#[test]
fn bytes_that_are_no_request_are_refused() {
    let server = start(&with_limits(|limits| {
        limits.header_time = SHORT;
        limits.body_time = SHORT;
    }));
    let json = "content-type: application/json\r\n";
    for (sent, status) in [
        (b"\r\n\r\n".to_vec(), ""),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(), "HTTP/1.1 400"),
        (b"GET / HTTP/9.9\r\n\r\n".to_vec(), "HTTP/1.1 400"),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(), ""),
        (b"POST /v1/blake3/hash HTTP/1.1\r\n".to_vec(), ""),
        (post("content-length: 5\r\n", b"hello"), "HTTP/1.1 415"),
        (post("content-type: text/plain\r\ncontent-length: 5\r\n", b"hello"), "HTTP/1.1 415"),
        (post(&format!("{json}content-length: 5\r\n"), b"hello"), "HTTP/1.1 400"),
        (post(&format!("{json}content-length: -5\r\n"), b"hello"), "HTTP/1.1 400"),
        (
            post(&format!("{json}content-length: 5\r\ncontent-length: 6\r\n"), b"hello"),
            "HTTP/1.1 400",
        ),
        (post(&format!("{json}content-length: 50\r\n"), b"{\"items\":["), "HTTP/1.1 408"),
        (
            post(&format!("{json}transfer-encoding: chunked\r\n"), b"zz\r\nhello\r\n"),
            "HTTP/1.1 400",
        ),
        (
            post(&format!("{json}transfer-encoding: chunked\r\n"), b"3\r\n{}\r\n0\r\n\r\n"),
            "HTTP/1.1 400",
        ),
    ] {
        let answer = exchange(&server, &sent);
        let sent = String::from_utf8_lossy(&sent).into_owned();
        assert!(answer.starts_with(status), "{sent:?}: {answer}");
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{sent:?}: {answer}");
    }
    assert_eq!(client(&server).call(HASH, &[json!({ "message": "" })]).unwrap().len(), 1);
}

#[test]
fn any_bytes_are_answered_and_the_server_lives() {
    let server = start(&options());
    let bodies = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        "\\{\"items\": ?\\[[\\[\\]{}:,\"a-f0-9 ]{0,60}".prop_map(String::into_bytes),
    ];
    let types = prop_oneof![
        Just("application/json"),
        Just("application/octet-stream"),
        "[ -~]{0,30}".prop_map(|text| -> &'static str { Box::leak(text.into_boxed_str()) })
    ];
    let paths = prop_oneof![
        Just("/v1/bls12-381/pairing-check"),
        Just("/v1/poseidon/filecoin-hash?arity=4"),
        Just("/v1/equihash/verify"),
        Just("/v1/secp256k1/ecdsa-verify?format=der"),
    ];
    let client = client(&server);
    let mut runner =
        TestRunner::new(Config { cases: Config::default().cases.min(256), ..Config::default() });
    let outcome = runner.run(&(paths, types, bodies), |(path, kind, body)| {
        let answer = client.send("POST", path, kind.trim(), &body).unwrap();
        prop_assert!([200, 400, 413, 415].contains(&answer.status), "{}", answer.status);
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn limits_of_bytes_and_items_hold() {
    let server = start(&with_limits(|limits| {
        limits.body_bytes = 10_000;
        limits.bodies_bytes = 600_000;
        limits.items = 20;
        limits.header_bytes = 2_000;
    }));
    let client = client(&server);
    let refused = |error: ClientError, expected: (u16, &str)| match error {
        ClientError::Refused { status, code, .. } => assert_eq!((status, code.as_str()), expected),
        other => panic!("{other}"),
    };
    let large = [json!({ "message": "ab".repeat(6_000) })];
    refused(client.call(HASH, &large).unwrap_err(), (413, "body-size"));
    let exact = json!({ "items": [{ "message": "" }] }).to_string();
    let filler = " ".repeat(10_000 - exact.len());
    let body = format!("{exact}{filler}");
    let answer = client.send("POST", HASH, "application/json", body.as_bytes()).unwrap();
    assert_eq!(answer.status, 200);
    let body = format!("{body} ");
    let answer = client.send("POST", HASH, "application/json", body.as_bytes()).unwrap();
    assert_eq!(answer.status, 413);
    // In chunks, the length is not known in advance.
    let chunks = [b"3e8\r\n".as_slice(), &[b' '; 1000], b"\r\n"].concat().repeat(11);
    let chunked = [chunks.as_slice(), b"0\r\n\r\n"].concat();
    let headers = "content-type: application/json\r\ntransfer-encoding: chunked\r\n";
    assert!(exchange(&server, &post(headers, &chunked)).starts_with("HTTP/1.1 413"));
    let items: Vec<_> =
        (0..20).map(|number| json!({ "message": format!("{number:04x}") })).collect();
    assert_eq!(client.call(HASH, &items).unwrap().len(), 20);
    let more = [&items[..], &items[..1]].concat();
    refused(client.call(HASH, &more).unwrap_err(), (413, "items"));
    let frames = [16u32, 7, 4, 0x0403_0201].map(u32::to_le_bytes).concat().repeat(21);
    refused(client.call_frames(HASH, &frames).unwrap_err(), (413, "items"));
    let long = format!("GET /healthz?{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "x".repeat(3_000));
    assert!(exchange(&server, long.as_bytes()).starts_with("HTTP/1.1 431"));
}

/// Sends the head of a request that announces a body of `bytes`, and waits until the server reads
/// it.
fn announced(server: &halimede_service::Running, bytes: usize) -> std::net::TcpStream {
    let mut waiting = connect(server);
    let headers = format!(
        "content-type: application/json\r\ncontent-length: {bytes}\r\nexpect: 100-continue\r\n"
    );
    waiting.write_all(&post(&headers, &[])).unwrap();
    // The server announces that it reads the body.
    let mut begin = [0; 25];
    waiting.read_exact(&mut begin).unwrap();
    assert!(begin.starts_with(b"HTTP/1.1 100 Continue"));
    waiting
}

/// Announced lengths do not take memory from other clients.
#[test]
fn memory_is_charged_for_what_has_arrived() {
    let server = start(&with_limits(|limits| {
        limits.body_bytes = 16_000_000;
        limits.bodies_bytes = 64_000_000;
    }));
    let client = client(&server);
    let mut waiting: Vec<_> = (0..8).map(|_| announced(&server, 16_000_000)).collect();
    waiting.iter_mut().for_each(|stream| stream.write_all(b"{").unwrap());
    let used = || counter(&client, "halimede_request_memory_bytes");
    crate::common::wait_until("a byte of each", || used() >= 8.0 * 1024.0);
    assert!(used() < 1e6, "{}", used());
    for _ in 0..20 {
        assert_eq!(client.call(HASH, &[json!({ "message": "00" })]).unwrap().len(), 1);
    }
    drop(waiting);
    crate::common::wait_until("nothing charged", || used() == 0.0);
}

#[test]
fn memory_that_others_have_is_refused_until_they_give_it_back() {
    let server = start(&with_limits(|limits| limits.bodies_bytes = 200_000));
    let client = client(&server);
    let middle = [json!({ "message": "ab".repeat(30_000) })];
    let refused = |error: ClientError, expected: (u16, &str)| match error {
        ClientError::Refused { status, code, .. } => assert_eq!((status, code.as_str()), expected),
        other => panic!("{other}"),
    };
    let mut waiting = announced(&server, 150_000);
    waiting.write_all(&[b' '; 130_000]).unwrap();
    let used = || counter(&client, "halimede_request_memory_bytes");
    crate::common::wait_until("a part of a body", || used() > 130_000.0);
    refused(client.call(HASH, &middle).unwrap_err(), (429, "memory"));
    drop(waiting);
    crate::common::wait_until("room again", || client.call(HASH, &middle).is_ok());
    // Items need more memory than their body.
    let items = "{\"message\":\"\"},".repeat(2_000);
    let body = format!("{{\"items\":[{}]}}", &items[..items.len() - 1]);
    let answer = client.send("POST", HASH, "application/json", body.as_bytes()).unwrap();
    assert_eq!(answer.status, 413, "{answer:?}");
    assert!(String::from_utf8(answer.body).unwrap().contains("smaller batches"));
    crate::common::wait_until("nothing charged", || used() == 0.0);
}

/// A body that stops arriving is refused long before the time limit for bodies.
#[test]
fn a_body_has_a_least_rate() {
    let server = start(&with_limits(|limits| {
        limits.body_window = SHORT;
        limits.body_rate = 10_000;
    }));
    for sent in [1, 5_000] {
        let mut slow = connect(&server);
        let headers = "content-type: application/json\r\ncontent-length: 100000\r\n";
        slow.write_all(&post(headers, &vec![b' '; sent])).unwrap();
        let answer = rest(&mut slow);
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
        assert!(answer.contains("expected at least 1000"), "{answer}");
    }
}

/// The framing of a body must be unambiguous.
#[test]
fn bodies_in_other_codings_are_refused() {
    let server = start(&options());
    let chunked = b"c\r\n{\"items\":[]}\r\n0\r\n\r\n";
    for (headers, status) in [
        ("transfer-encoding: chunked\r\n", "HTTP/1.1 200"),
        ("transfer-encoding: Chunked\r\n", "HTTP/1.1 200"),
        ("transfer-encoding: gzip, chunked\r\n", "HTTP/1.1 501"),
        ("transfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n", "HTTP/1.1 501"),
        ("transfer-encoding: chunked\r\ncontent-encoding: gzip\r\n", "HTTP/1.1 501"),
        ("transfer-encoding: gzip\r\n", "HTTP/1.1 400"),
    ] {
        let sent = post(&format!("content-type: application/json\r\n{headers}"), chunked);
        let answer = exchange(&server, &sent);
        assert!(answer.starts_with(status), "{headers}: {answer}");
    }
}

#[test]
fn slow_clients_are_ended() {
    let server = start(&with_limits(|limits| {
        limits.header_time = SHORT;
        limits.body_time = SHORT;
    }));
    // Connections that send nothing, a part of the headers, or a part of the body.
    let mut silent = connect(&server);
    assert_eq!(rest(&mut silent), "");
    let mut slow = connect(&server);
    slow.write_all(b"POST /v1/blake3/hash HTTP/1.1\r\nhost: local").unwrap();
    let answer = rest(&mut slow);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
    let mut slow = connect(&server);
    let part = post("content-type: application/json\r\ncontent-length: 100\r\n", b"{\"items\":");
    slow.write_all(&part).unwrap();
    let answer = rest(&mut slow);
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("\"slow\""), "{answer}");
    // A persistent connection that sends nothing more.
    let mut kept = connect(&server);
    kept.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    assert!(rest(&mut kept).starts_with("HTTP/1.1 200"));
    assert_eq!(counter(&client(&server), "halimede_refusals_total{reason=\"slow\"}"), 1.0);
}

#[test]
fn answers_that_nobody_takes_end_their_connection() {
    let server = start(&with_limits(|limits| limits.write_time = SHORT));
    let mut stream = connect(&server);
    // Answers of some megabytes exceed the buffers of the sockets.
    let body = format!("{{\"items\":[{}]}}", vec!["{\"message\":\"00\"}"; 60_000].join(","));
    let headers = format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len());
    let path = format!("{HASH}?length=1024");
    let request = post(&headers, body.as_bytes());
    let request = String::from_utf8(request).unwrap().replacen(HASH, &path, 1);
    stream.write_all(request.as_bytes()).unwrap();
    let observer = client(&server);
    crate::common::wait_until("the end of the connection", || {
        counter(
            &observer,
            "halimede_requests_total{operation=\"blake3.hash\",outcome=\"answered\"}",
        ) == 1.0
            && counter(&observer, "halimede_connections") == 1.0
    });
}

#[test]
fn connections_beyond_the_limit_are_turned_away() {
    let server = start(&with_limits(|limits| limits.connections = 3));
    let client = client(&server);
    assert_eq!(counter(&client, "halimede_connections"), 1.0);
    let others = [connect(&server), connect(&server)];
    crate::common::wait_until("3 connections", || counter(&client, "halimede_connections") == 3.0);
    let answer = rest(&mut connect(&server));
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("retry-after: 1"), "{answer}");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.contains(&format!("content-length: {}", body.len())), "{answer}");
    assert!(serde_json::from_str::<serde_json::Value>(body).is_ok());
    drop(others);
    crate::common::wait_until("room again", || counter(&client, "halimede_connections") == 1.0);
    assert_eq!(counter(&client, "halimede_connections_refused_total"), 1.0);
}
