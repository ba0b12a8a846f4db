// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Keys are charged for their memory, not for the size of their files.

use halimede_ckks::params::{ChainShape, SecretKind, SecurityLevel};
use halimede_ckks::{Client as Owner, EvaluationKeys, Operations, Parameters};
use halimede_service::{Client, Options};
use serde_json::{json, Value};

use crate::common::{client, counter, options, start};

/// Returns a file of about 160 bytes without keys, for a ring with N = 2¹⁷ and about a hundred
/// primes.
fn large_ring(levels: usize) -> Vec<u8> {
    let steps = vec![8; levels];
    let shape = ChainShape { log_degree: 17, base_units: 12, steps, digits: 3 };
    let parameters = Parameters::dry(shape, SecretKind::Ternary, SecurityLevel::Bits128).unwrap();
    let mut file = Vec::new();
    EvaluationKeys::new(&parameters).save(&mut file).unwrap();
    assert!(file.len() < 300);
    file
}

fn upload(client: &Client, content: &[u8]) -> (u16, Value) {
    let hash = halimede_blake3::blake3::hash(content).to_hex().to_string();
    let path = format!("/v1/objects/{hash}?kind=ckks-keys&bytes={}", content.len());
    let answer = client.send("PUT", &path, "application/octet-stream", content).unwrap();
    (answer.status, answer.json().unwrap())
}

#[test]
fn keys_that_take_more_memory_than_there_is_are_refused_before_it_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let cache_bytes = 100_000_000;
    let store = Some(folder.path().to_owned());
    let server = start(&Options { store, cache_bytes, ..options() });
    let client = client(&server);
    for levels in 30..40 {
        let (status, answer) = upload(&client, &large_ring(levels));
        assert_eq!((status, answer["error"]["code"].as_str()), (507, Some("key-memory")));
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("N = 2^17") && message.contains("100 MB"), "{message}");
        assert_eq!(counter(&client, "halimede_key_memory_bytes"), 0.0);
    }
    let list = client.send("GET", "/v1/objects", "", &[]).unwrap().json().unwrap();
    assert_eq!(list["objects"], json!([]), "nothing of them is kept");
}

/// Uploads keys of a client, and returns the answer of the server to `x*x`.
fn keys_and_square() -> (Vec<u8>, String) {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let mut owner = Owner::new(&parameters).unwrap();
    let operations = Operations { multiply: true, ..Operations::default() };
    let (mut keys, level) = (Vec::new(), parameters.fresh_level());
    owner.save_evaluation_keys(&operations, level, &mut keys, |_, _| {}).unwrap();
    let mut ciphertext = Vec::new();
    owner.encrypt(&[0.5, 0.25]).unwrap().save(&mut ciphertext, &parameters).unwrap();
    (keys, hex::encode(ciphertext))
}

#[test]
fn keys_share_their_ring_and_make_room_for_others() {
    let folder = tempfile::tempdir().unwrap();
    let store = Some(folder.path().to_owned());
    let square = |server: &halimede_service::Running, (keys, ciphertext): &(Vec<u8>, String)| {
        let client = client(server);
        let keys = client.upload("ckks-keys", keys).unwrap();
        let path = format!("/v1/ckks/evaluate?keys={keys}&expression=x*x");
        let item = json!({ "inputs": [{ "name": "x", "ciphertext": ciphertext }] });
        client.call(&path, &[item])
    };
    let used =
        |server: &halimede_service::Running| counter(&client(server), "halimede_key_memory_bytes");
    let clients: Vec<_> = (0..4).map(|_| keys_and_square()).collect();
    let file_bytes = clients[0].0.len() as f64;
    let (one, two) = {
        let server = start(&Options { store: store.clone(), ..options() });
        assert!(square(&server, &clients[0]).unwrap()[0]["ciphertext"].is_string());
        let one = used(&server);
        assert!(square(&server, &clients[1]).unwrap()[0]["ciphertext"].is_string());
        (one, used(&server))
    };
    // Keys expand seeds in memory, and share one ring.
    assert!(one > 2.0 * file_bytes, "{one} for {file_bytes}");
    assert!(two - one > 2.0 * file_bytes && two < 2.0 * one, "{one} {two}");
    // With memory for two of them, all are served.
    let cache_bytes = (two + 3e6) as u64;
    let server = start(&Options { store: store.clone(), cache_bytes, ..options() });
    for round in 0..2 {
        for keys in &clients {
            let answers = square(&server, keys).unwrap();
            assert!(answers[0]["ciphertext"].is_string(), "{round}: {answers:?}");
            assert!(used(&server) <= cache_bytes as f64);
        }
    }
}
