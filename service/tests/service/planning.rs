// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Expressions of strangers: planning them does not block others, and stops when it is not needed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use halimede_ckks::{Client as Owner, Parameters};
use halimede_service::ClientError;
use serde_json::json;

use crate::common::{client, options, start};

/// Returns an expression of `count` functions, each of which takes about a second to approximate.
fn functions(count: usize) -> String {
    vec!["tanh(x,-400,400)"; count].join("%2B")
}

/// Returns the longest time of `/healthz` during some work.
fn longest_health(server: &halimede_service::Running, work: impl FnOnce()) -> Duration {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let (client, mut longest) = (client(server), Duration::ZERO);
            while !is_over.load(Ordering::Relaxed) {
                let start = Instant::now();
                assert_eq!(client.send("GET", "/healthz", "", &[]).unwrap().status, 200);
                longest = longest.max(start.elapsed());
                thread::sleep(Duration::from_millis(2));
            }
            longest
        });
        work();
        is_over.store(true, Ordering::Relaxed);
        watching.join().unwrap()
    })
}

#[test]
fn planning_stops_nobody_else_and_ends_at_its_deadline() {
    let folder = tempfile::tempdir().unwrap();
    let server =
        start(&halimede_service::Options { store: Some(folder.path().to_owned()), ..options() });
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let mut owner = Owner::new(&parameters).unwrap();
    let (mut keys, level) = (Vec::new(), parameters.fresh_level());
    owner.save_evaluation_keys(&Default::default(), level, &mut keys, |_, _| {}).unwrap();
    let patient = client(&server);
    let keys = patient.upload("ckks-keys", &keys).unwrap();
    let mut ciphertext = Vec::new();
    owner.encrypt(&[0.5, 0.25]).unwrap().save(&mut ciphertext, &parameters).unwrap();
    let item = json!({ "inputs": [{ "name": "x", "ciphertext": hex::encode(ciphertext) }] });
    let path = |expression: &str| format!("/v1/ckks/evaluate?keys={keys}&expression={expression}");
    let mut took = Duration::ZERO;
    let longest = longest_health(&server, || {
        let start = Instant::now();
        thread::scope(|scope| {
            for count in [19, 179, 100, 50] {
                let (server, item) = (&server, &item);
                let path = path(&functions(count));
                scope.spawn(move || {
                    let hurried = client(server).deadline(Duration::from_secs(1));
                    let error = hurried.call(&path, std::slice::from_ref(item)).unwrap_err();
                    assert!(matches!(error, ClientError::Refused { status: 504, .. }), "{error}");
                });
            }
        });
        took = start.elapsed();
    });
    eprintln!("/healthz took {longest:?} at most; a deadline of 1 s took {took:?}");
    // The promise is 50 ms; without the limits these requests would take minutes.
    assert!(longest < Duration::from_secs(1), "{longest:?}");
    assert!(took < Duration::from_secs(10), "{took:?}");
    // Planning without a waiting client has stopped.
    let answers = patient.call(&path("x%2Bx"), std::slice::from_ref(&item)).unwrap();
    assert!(answers[0]["ciphertext"].is_string(), "{answers:?}");
    if std::env::var_os("HALIMEDE_SWEEP").is_some() {
        let answers = patient.call(&path(&functions(179)), &[item]).unwrap();
        assert!(answers[0]["error"].as_str().unwrap().contains("terms"), "{answers:?}");
    }
}
