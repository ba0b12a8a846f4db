// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A server whose card disconnects, is unavailable for a while, and returns on the same socket.

use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::Duration;

use halimede_arith::{Felt, Fr};
use halimede_device::{Device, Options as DeviceOptions};
use halimede_poseidon::starknet;
use halimede_service::{Client, ClientError};
use serde_json::{json, Value};

use crate::common::{client, counter, start_on, wait_until, with_limits};
use crate::fake_card::{serve, Fault};

const HASH: &str = "/v1/poseidon/starknet-hash";
const ITEMS: u64 = 8;

/// Serves one client on a socket, as a card with this fault; the socket is then closed for others.
fn card(path: &Path, fault: Fault) {
    let listener = UnixListener::bind(path).unwrap();
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        drop(listener);
        serve(stream.try_clone().unwrap(), stream, fault, vec![])
    });
}

fn items() -> (Vec<Value>, Vec<Value>) {
    let pair = |number: u64| (Felt::from(number * 0x1234_5678_9abc), Felt::from(number + 7));
    let of = |number: u64| {
        let (x, y) = pair(number);
        let item = json!({ "elements": [x.to_string(), y.to_string()] });
        (item, json!({ "digest": starknet::hash(x, y).to_string() }))
    };
    (1..=ITEMS).map(of).unzip()
}

fn ready(client: &Client) -> (u16, String) {
    let answer = client.send("GET", "/readyz", "", &[]).unwrap();
    (answer.status, String::from_utf8(answer.body).unwrap())
}

fn device(path: &Path) -> Device {
    let name = format!("sim:{}", path.display());
    let options = DeviceOptions::default().time_limit(Duration::from_millis(400));
    Device::open_with(&name, &options).unwrap()
}

#[test]
fn a_card_that_is_there_again_is_used_again_and_ready_says_when_it_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("card");
    card(&path, Fault::HangUp(ITEMS as usize + 3));
    let mut options = with_limits(|limits| limits.queue.reopen_pause = Duration::from_millis(20));
    options.limits.deadline = Duration::from_secs(30);
    let server = start_on(device(&path), &options);
    let client = client(&server);
    let (items, answers) = items();
    let (status, text) = ready(&client);
    assert!(status == 200 && text.starts_with("ready\n"), "{text}");
    assert!(text.contains("no engine for") && text.contains("secp256k1.recover"), "{text}");
    assert!(!text.contains("fallback") && !text.contains("poseidon.starknet_hash"), "{text}");
    assert_eq!(client.call(HASH, &items).unwrap(), answers);
    // The card disconnects.
    let refused = client.call(HASH, &items).unwrap_err();
    let ClientError::Refused { status: 503, retry_after: Some(_), .. } = refused else {
        panic!("{refused}");
    };
    std::fs::remove_file(&path).unwrap();
    let (status, text) = ready(&client);
    assert_eq!(status, 503);
    assert!(text.starts_with("the device has failed: next try in "), "{text}");
    assert!(!text.contains(path.to_str().unwrap()), "{text}");
    assert_eq!(counter(&client, "halimede_device_up"), 0.0);
    wait_until("tries", || counter(&client, "halimede_device_reopen_tries_total") >= 2.0);
    assert_eq!(counter(&client, "halimede_device_reopened_total"), 0.0);
    card(&path, Fault::None);
    wait_until("the card again", || ready(&client).0 == 200);
    for _ in 0..4 {
        assert_eq!(client.call(HASH, &items).unwrap(), answers);
    }
    assert_eq!(counter(&client, "halimede_device_up"), 1.0);
    assert_eq!(counter(&client, "halimede_device_reopened_total"), 1.0);
    assert!(server.end());
}

#[test]
fn a_fallback_answers_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("card");
    card(&path, Fault::HangUp(3));
    let options = with_limits(|limits| limits.queue.reopen_pause = Duration::from_millis(20));
    let server = start_on(device(&path).with_fallback(Device::cpu()), &options);
    let client = client(&server);
    let (items, answers) = items();
    for _ in 0..10 {
        assert_eq!(client.call(HASH, &items).unwrap(), answers);
    }
    std::fs::remove_file(&path).unwrap();
    let (status, text) = ready(&client);
    assert_eq!(status, 200);
    assert!(text.starts_with("ready\nthe device has failed: "), "{text}");
    assert!(text.contains("so far; the fallback answers\n"), "{text}");
    let name = "halimede_fallback_items_total{operation=\"poseidon.starknet_hash\"}";
    let before = counter(&client, name);
    assert!(before > 5.0, "{before}");
    card(&path, Fault::None);
    wait_until("the card again", || counter(&client, "halimede_device_up") == 1.0);
    assert_eq!(client.call(HASH, &items).unwrap(), answers);
    assert_eq!(counter(&client, name), before);
    // The fallback always answers operations that the card lacks.
    let wide: Vec<String> = (1..=11u64).map(|number| Fr::from(number).to_string()).collect();
    let item = [json!({ "elements": wide })];
    let hashed = client.call("/v1/poseidon/filecoin-hash?arity=11", &item).unwrap();
    assert!(hashed[0]["digest"].is_string(), "{hashed:?}");
}

#[test]
fn a_device_that_could_not_be_opened_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let name = format!("sim:{}", folder.path().join("nobody").display());
    let opened = Device::open_with_fallback(&name, &DeviceOptions::default(), Device::cpu());
    let server = start_on(opened.unwrap(), &crate::common::options());
    let client = client(&server);
    let text = "ready\nthe device could not be opened; the fallback answers\n";
    assert_eq!(ready(&client), (200, text.into()));
    assert_eq!(counter(&client, "halimede_device_up"), 0.0);
}
