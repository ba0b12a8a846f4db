// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The command with each backend forced: the answers are the same, and unavailable backends are
//! refused.

use crate::common::{halimede, halimede_with};
use halimede_arith::backend::VARIABLE;
use halimede_arith::Backend;
use halimede_device::simulator::Image;

#[test]
fn every_backend_that_is_here_gives_the_same_digests() {
    // 21 lines: two full groups of eight, and five more.
    let lines: String = (1..22u64).map(|i| format!("{:#x} {:#x}\n", i * i * 7919, i)).collect();
    for arguments in [
        &["batch", "poseidon.filecoin_hash", "--arity", "2"][..],
        &["batch", "poseidon.starknet_hash"],
    ] {
        let unforced = halimede(arguments, lines.as_bytes());
        assert_eq!(unforced.code, Some(0), "{}", unforced.stderr);
        assert_eq!(unforced.stdout.lines().count(), 21);
        for backend in Backend::available() {
            let forced = [(VARIABLE, backend.name())];
            let outcome = halimede_with(&forced, arguments, lines.as_bytes());
            assert_eq!(outcome.stdout, unforced.stdout, "{backend} {arguments:?}");
        }
    }
}

#[test]
fn the_list_of_devices_names_the_backend() {
    for backend in Backend::available() {
        let outcome = halimede_with(&[(VARIABLE, backend.name())], &["devices", "--json"], b"");
        let list: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
        let processor = &list["devices"][0]["capabilities"]["processor"];
        assert_eq!(processor["backend"], backend.name());
    }
}

/// Commands of every engine that compute without a device, or with their own one.
const COMPUTING: [&[&str]; 13] = [
    &["poseidon", "params", "--instance", "filecoin-2"],
    &["poseidon", "verify", "-", "--root", "0x1"],
    &["blake3"],
    &["blake3", "tree", "-"],
    &["batch", "secp256k1.verify"],
    &["batch", "bls12_381.verify_signature"],
    &["batch", "bls12_381.precompile", "--name", "g1add"],
    &["zcash", "solve", "--n", "48", "--k", "5"],
    &["zcash", "verify-block", "-"],
    &["zcash", "verify-headers", "-"],
    &["ckks", "params", "n14"],
    &["ckks", "bootstrap-demo", "--params", "n10-boot-insecure"],
    &["tour"],
];

#[test]
fn every_command_that_computes_refuses_a_backend_that_is_not_here() {
    for backend in ["nonsense", "NEON", "avx512 "] {
        for arguments in COMPUTING {
            let outcome = halimede_with(&[(VARIABLE, backend)], arguments, b"1\n");
            assert_eq!(outcome.code, Some(3), "{arguments:?}: {}", outcome.stderr);
            let message = outcome.stderr;
            assert!(message.contains(VARIABLE) && message.contains(backend), "{message}");
            assert_eq!(outcome.stdout, "");
        }
    }
    // Help needs no backend, and the list of devices reports the error.
    let outcome = halimede_with(&[(VARIABLE, "nonsense")], &["devices", "--json"], b"");
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let list: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(list["devices"][0]["available"], false);
    assert!(list["devices"][0]["description"].as_str().unwrap().contains(VARIABLE));
    assert_eq!(halimede_with(&[(VARIABLE, "nonsense")], &["--help"], b"").code, Some(0));
}

/// CKKS is listed, although it runs programs instead of jobs.
#[test]
fn the_list_of_devices_says_where_every_engine_is() {
    let outcome = halimede(&["devices", "--json"], b"");
    let list: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    let devices = list["devices"].as_array().unwrap();
    let engines = |device: &serde_json::Value| -> Vec<String> {
        let engines = device["capabilities"]["engines"].as_array().unwrap().iter();
        engines.map(|engine| engine["name"].as_str().unwrap().to_owned()).collect()
    };
    let all = [
        "poseidon",
        "blake3",
        "equihash",
        "secp256k1",
        "bls12_381",
        "ckks",
        "circom",
        "poseidon2",
        "loopback",
    ];
    assert_eq!(engines(&devices[0]), all);
    let operations = devices[0]["capabilities"]["engines"][5]["operations"].as_array().unwrap();
    for operation in ["ckks.multiply", "ckks.rotate", "ckks.bootstrap"] {
        assert!(operations.contains(&operation.into()), "{operations:?}");
    }
    assert_eq!(devices[0]["capabilities"]["lacks"], serde_json::json!([]));
    // The simulated card has the engines of each image that has been built.
    for device in devices.iter().filter(|device| device["capabilities"]["kind"] == "card") {
        let lacks = device["capabilities"]["lacks"].as_array().unwrap();
        for image in Image::all() {
            let is_built = image.find().is_ok();
            for engine in image.engines().map(|engine| engine.name()) {
                assert_eq!(engines(device).contains(&engine.to_owned()), is_built, "{engine}");
                assert_eq!(!lacks.contains(&engine.into()), is_built, "{engine}: {lacks:?}");
            }
        }
    }
    let table = halimede(&["devices"], b"").stdout;
    assert!(table.lines().any(|line| line.starts_with("cpu") && line.contains("ckks       n14")));
}

#[test]
fn ckks_is_refused_on_devices_without_the_engine() {
    let mut devices = vec![
        ("xdma:/no/such", "device xdma:/no/such is not available"),
        ("nonsense", "there is no such device"),
    ];
    // A simulated card without the engine replaces the card with it.
    let mut variables = Vec::new();
    let simulator = Image::default().find();
    if let Some(path) = simulator.as_ref().ok().and_then(|path| path.to_str()) {
        variables.push(("HALIMEDE_MEMORY_CARD_SIM", path));
        devices.push(("sim", "device sim cannot do ckks: it runs no CKKS programs"));
    }
    for (device, said) in devices {
        for command in [
            format!("ckks eval --device {device} --keys k --out o x*x x=f"),
            format!("ckks bootstrap-demo --device {device}"),
        ] {
            let arguments: Vec<&str> = command.split(' ').collect();
            let outcome = halimede_with(&variables, &arguments, b"");
            assert_eq!(outcome.code, Some(3), "{command}: {}", outcome.stderr);
            assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
        }
    }
    // The device opens: only the file is missing.
    let here = halimede(
        &["ckks", "eval", "--device", "cpu", "--keys", "k", "--out", "o", "x*x", "x=f"],
        b"",
    );
    assert_eq!(here.code, Some(2), "{}", here.stderr);
}

#[test]
fn a_backend_that_is_not_here_is_refused_and_not_replaced() {
    let unavailable = Backend::ALL.into_iter().filter(|backend| !backend.is_available());
    for backend in unavailable.map(Backend::name).chain(["avx3"]) {
        let arguments = ["batch", "poseidon.filecoin_hash", "--arity", "2"];
        let outcome = halimede_with(&[(VARIABLE, backend)], &arguments, b"1 2\n");
        assert_eq!(outcome.code, Some(3), "{backend}");
        let message = outcome.stderr;
        assert!(message.contains(VARIABLE) && message.contains(backend), "{message}");
        assert_eq!(outcome.stdout, "");
    }
}

#[test]
fn the_doctor_names_the_backend_and_what_is_missing() {
    for backend in Backend::available() {
        let outcome = halimede_with(&[(VARIABLE, backend.name())], &["doctor", "--json"], b"");
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let all: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
        let parts = all["parts"].as_array().unwrap();
        let part = |name: &str| parts.iter().find(|part| part["part"] == name).unwrap();
        assert!(part("processor")["text"].as_str().unwrap().starts_with(backend.name()));
        let is_best = backend == Backend::best() && backend == Backend::Avx512Ifma;
        assert_eq!(part("processor")["state"] == "good", is_best);
        let speed = part("speed")["text"].as_str().unwrap();
        assert!(speed.contains(" ECDSA ") || speed == "not measured on such a processor");
        for name in ["halimede", "speed", "threads", "memory", "sim"] {
            let state = part(name)["state"].as_str().unwrap();
            assert!(["good", "limited", "missing"].contains(&state), "{name}: {state}");
        }
    }
    let outcome = halimede_with(&[(VARIABLE, "nonsense")], &["doctor"], b"");
    assert_eq!(outcome.code, Some(1), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("wrong") && outcome.stderr.contains("nonsense"));
}
