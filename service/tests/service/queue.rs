// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The queue: back-pressure, joined requests, deadlines, clients that disconnect, and shutdown.

use std::io::Write;
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use halimede_blake3::blake3;
use halimede_service::ClientError;
use serde_json::{json, Value};

use crate::common::{client, connect, counter, start_on, wait_until, with_limits};
use crate::gate::Gate;

const HASH: &str = "/v1/blake3/hash";

fn message(number: usize) -> Vec<u8> {
    (0..number % 300 + 1).map(|byte| (byte * 31 + number * 7) as u8).collect()
}

fn item(number: usize) -> Value {
    json!({ "message": hex::encode(message(number)) })
}

fn digest(number: usize) -> Value {
    json!({ "digest": blake3::hash(&message(number)).to_hex().as_str() })
}

fn refusal(error: ClientError) -> (u16, String, Option<Duration>) {
    match error {
        ClientError::Refused { status, code, retry_after, .. } => (status, code, retry_after),
        other => panic!("{other}"),
    }
}

#[test]
fn a_full_queue_says_when_to_try_again_and_answers_what_it_took() {
    let gate = Gate::default();
    let server = start_on(
        gate.device(),
        &with_limits(|limits| {
            limits.queue.requests = 4;
            limits.queue.workers = 1;
        }),
    );
    thread::scope(|scope| {
        let first = scope.spawn(|| client(&server).call(HASH, &[item(0)]));
        gate.wait_until("the first batch", |state| state.batches.len() == 1);
        let asked: Vec<_> = (1..4)
            .map(|number| {
                let server = &server;
                scope.spawn(move || client(server).call(HASH, &[item(number), item(number + 50)]))
            })
            .collect();
        let observer = client(&server);
        wait_until("4 requests", || counter(&observer, "halimede_queue_requests") == 4.0);
        let (status, code, retry_after) = refusal(observer.call(HASH, &[item(9)]).unwrap_err());
        assert_eq!((status, code.as_str()), (429, "queue"));
        assert!(retry_after.is_some_and(|after| after >= Duration::from_secs(1)));
        let ready = observer.send("GET", "/readyz", "", &[]).unwrap();
        assert_eq!((ready.status, &ready.body[..]), (503, &b"the queue is full\n"[..]));
        // A batch of only bad items needs no room in the queue.
        let bad = observer.call(HASH, &[json!({ "message": "0" })]).unwrap();
        assert_eq!(bad[0]["item"], 0);
        gate.open();
        assert_eq!(first.join().unwrap().unwrap(), [digest(0)]);
        for (number, asked) in (1..).zip(asked) {
            assert_eq!(asked.join().unwrap().unwrap(), [digest(number), digest(number + 50)]);
        }
        // The requests that arrived during the first batch became one batch.
        assert_eq!(gate.batches(), [1, 6]);
        assert_eq!(observer.call(HASH, &[item(9)]).unwrap(), [digest(9)]);
        assert_eq!(counter(&observer, "halimede_refusals_total{reason=\"queue\"}"), 1.0);
        assert_eq!(counter(&observer, "halimede_queue_items"), 0.0);
    });
}

#[test]
fn items_are_bounded_too_and_a_large_batch_has_the_queue_for_itself() {
    let gate = Gate::default();
    let server = start_on(
        gate.device(),
        &with_limits(|limits| {
            limits.queue.items = 10;
            limits.queue.workers = 1;
        }),
    );
    let items: Vec<Value> = (0..2_500).map(item).collect();
    thread::scope(|scope| {
        let large = scope.spawn(|| client(&server).call(HASH, &items));
        gate.wait_until("the first piece", |state| state.batches.len() == 1);
        assert_eq!(refusal(client(&server).call(HASH, &[item(0)]).unwrap_err()).0, 429);
        gate.open();
        let answers = large.join().unwrap().unwrap();
        assert!(answers.iter().enumerate().all(|(number, answer)| *answer == digest(number)));
    });
    // The batch was divided into turns of the size of a piece.
    assert_eq!(gate.batches(), [1024, 1024, 452]);
}

#[test]
fn deadlines_end_requests_and_what_nobody_waits_for() {
    let gate = Gate::default();
    let server = start_on(gate.device(), &with_limits(|limits| limits.queue.workers = 1));
    let hurried = client(&server).deadline(Duration::from_millis(30));
    let (status, code, _) = refusal(hurried.call(HASH, &[item(0)]).unwrap_err());
    assert_eq!((status, code.as_str()), (504, "deadline"));
    gate.wait_until("an interrupt", |state| state.interrupted == 1);
    thread::scope(|scope| {
        // Two clients share a turn, which continues as long as one of them waits.
        let blocking = scope.spawn(|| client(&server).call(HASH, &[item(1)]));
        gate.wait_until("a turn", |state| state.batches.len() == 2);
        let patient = scope.spawn(|| client(&server).call(HASH, &[item(2)]));
        let (status, ..) = refusal(hurried.call(HASH, &[item(3)]).unwrap_err());
        assert_eq!(status, 504);
        gate.open();
        assert_eq!(blocking.join().unwrap().unwrap(), [digest(1)]);
        assert_eq!(patient.join().unwrap().unwrap(), [digest(2)]);
    });
    for deadline in ["0", "-1", "x", "600001", "1e3"] {
        let mut stream = connect(&server);
        let head = format!(
            "POST {HASH} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             halimede-deadline-ms: {deadline}\r\nconnection: close\r\ncontent-length: 12\r\n\r\n\
             {{\"items\":[]}}"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let answer = crate::common::rest(&mut stream);
        assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("halimede-deadline-ms"));
    }
}

/// Sends a request without waiting for its answer.
fn ask(server: &halimede_service::Running, number: usize) -> TcpStream {
    let body = json!({ "items": [item(number)] }).to_string();
    let mut stream = connect(server);
    write!(
        stream,
        "POST {HASH} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    stream
}

#[test]
fn clients_that_go_away_end_their_work() {
    let gate = Gate::default();
    let server = start_on(gate.device(), &with_limits(|limits| limits.queue.workers = 1));
    let stream = ask(&server, 5);
    gate.wait_until("a turn", |state| state.batches.len() == 1);
    // This client disconnects while its request waits in the queue.
    let waiting = ask(&server, 6);
    let observer = client(&server);
    wait_until("2 requests", || counter(&observer, "halimede_queue_requests") == 2.0);
    drop(waiting);
    wait_until("1 client gone", || counter(&observer, "halimede_clients_gone_total") == 1.0);
    drop(stream);
    gate.wait_until("an interrupt", |state| state.interrupted == 1);
    wait_until("an empty queue", || counter(&observer, "halimede_queue_requests") == 0.0);
    assert_eq!(gate.batches(), [1]);
    assert_eq!(counter(&observer, "halimede_clients_gone_total"), 2.0);
}

#[test]
fn a_server_that_ends_answers_what_it_accepted() {
    let gate = Gate::default();
    let server = start_on(
        gate.device(),
        &with_limits(|limits| {
            limits.queue.workers = 1;
            limits.header_time = Duration::from_secs(600);
            limits.shutdown_time = Duration::from_secs(20);
        }),
    );
    let address = server.address();
    thread::scope(|scope| {
        let asked: Vec<_> = (0..24)
            .map(|number| {
                let client = client(&server);
                scope.spawn(move || client.call(HASH, &[item(number), item(number + 100)]))
            })
            .collect();
        let observer = client(&server);
        wait_until("24 requests", || counter(&observer, "halimede_queue_requests") == 24.0);
        // The idle connection of the observer does not delay the shutdown.
        let end = scope.spawn(move || server.end());
        wait_until("a closed listener", || TcpStream::connect(address).is_err());
        gate.open();
        for (number, asked) in asked.into_iter().enumerate() {
            assert_eq!(asked.join().unwrap().unwrap(), [digest(number), digest(number + 100)]);
        }
        assert!(end.join().unwrap());
        drop(observer);
    });
}

#[test]
fn a_server_that_cannot_answer_in_time_says_so() {
    let gate = Gate::default();
    let server = start_on(
        gate.device(),
        &with_limits(|limits| {
            limits.queue.workers = 1;
            limits.shutdown_time = Duration::from_millis(50);
        }),
    );
    thread::scope(|scope| {
        let first = client(&server);
        let first = scope.spawn(move || first.call(HASH, &[item(0)]));
        gate.wait_until("a turn", |state| state.batches.len() == 1);
        let second = client(&server);
        let second = scope.spawn(move || second.call(HASH, &[item(1)]));
        let observer = client(&server);
        wait_until("2 requests", || counter(&observer, "halimede_queue_requests") == 2.0);
        let end = scope.spawn(move || server.end());
        let (status, code, _) = refusal(second.join().unwrap().unwrap_err());
        assert_eq!((status, code.as_str()), (503, "ending"));
        gate.open();
        // At the last moment it may still be answered.
        let _ = first.join().unwrap();
        assert!(!end.join().unwrap());
    });
}

/// A body that does not arrive delays the shutdown only until the time limit, and is answered.
#[test]
fn a_slow_body_does_not_outlast_the_end() {
    let server = start_on(
        Gate::default().device(),
        &with_limits(|limits| limits.shutdown_time = Duration::from_millis(600)),
    );
    let mut slow = connect(&server);
    let head = format!(
        "POST {HASH} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: 1000\r\n\r\n{{"
    );
    slow.write_all(head.as_bytes()).unwrap();
    let observer = client(&server);
    wait_until("a byte", || counter(&observer, "halimede_request_memory_bytes") > 0.0);
    drop(observer);
    let start = Instant::now();
    assert!(server.end(), "nothing was accepted");
    // The time limit of bodies is 30 s.
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    let answer = crate::common::rest(&mut slow);
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("\"ending\""), "{answer}");
}

#[test]
fn a_device_that_fails_is_told() {
    let gate = Gate::default();
    gate.fail();
    let server = start_on(gate.device(), &with_limits(|_| {}));
    let client = client(&server);
    let (status, code, _) = refusal(client.call(HASH, &[item(0)]).unwrap_err());
    assert_eq!((status, code.as_str()), (503, "device"));
    let pair = [json!({ "elements": ["0x1", "0x2"] })];
    let error = client.call("/v1/poseidon/starknet-hash", &pair).unwrap_err();
    let (status, code, _) = refusal(error);
    assert_eq!((status, code.as_str()), (501, "unsupported"));
    assert_eq!(counter(&client, "halimede_refusals_total{reason=\"device\"}"), 1.0);
}
