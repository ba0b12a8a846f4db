// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks eval --device sim`: a simulated card with a memory has the same results as the
//! processor.
//!
//! Without a built simulator (`make card-sim`), the tests report it and pass; with
//! `HALIMEDE_REQUIRE_RTL=1` they fail.

#![allow(clippy::print_stdout, reason = "tests report what they measured or skipped")]

use halimede_device::simulator::Image;
use halimede_device::Capability;

use crate::common::halimede_with;
use crate::sandbox::Sandbox;

/// The variable with the path of the simulator of a card with a memory.
const VARIABLE: &str = "HALIMEDE_MEMORY_CARD_SIM";

fn has_simulator() -> bool {
    match Image::of(Capability::Ckks).find() {
        Ok(_) => true,
        Err(error) => {
            let is_required = std::env::var_os("HALIMEDE_REQUIRE_RTL").is_some_and(|it| it == "1");
            assert!(!is_required, "{error}");
            println!("skipped: {error}");
            false
        }
    }
}

fn file(sandbox: &Sandbox, name: &str) -> Vec<u8> {
    std::fs::read(sandbox.path(name)).unwrap()
}

#[test]
fn a_simulated_card_gives_the_processors_files() {
    if !has_simulator() {
        return;
    }
    let sandbox = Sandbox::new(61);
    for expression in ["x + y", "3*x*y - rot(x, 1)", "conj(x)*x + rot(y, -3)/4"] {
        let eval = |device: &str, out: &str| {
            let given = ["eval", "--keys", "k/evaluation.keys", expression, "x=x.ct", "y=y.ct"];
            sandbox.ok(&[&given[..], &["--out", out, "--device", device]].concat());
        };
        eval("cpu", "expected.ct");
        eval("sim", "z.ct");
        assert_eq!(file(&sandbox, "z.ct"), file(&sandbox, "expected.ct"), "{expression}");
    }
}

/// Errors without a simulator, and with a ring that is too large for it.
#[test]
fn what_the_card_does_not_take_is_told_or_left_to_the_processor() {
    let sandbox = Sandbox::new(62);
    let path = |name: &str| sandbox.path(name);
    let [keys, x, out] = ["k/evaluation.keys", "x.ct", "z.ct"].map(path);
    let x = format!("x={x}");
    let eval = ["ckks", "eval", "--keys", &keys, "x*x", &x, "--out", &out, "--device", "sim"];
    let absent = [(VARIABLE, "/no/such/simulator")];
    let outcome = halimede_with(&absent, &eval, b"");
    assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
    assert!(outcome.stderr.contains(VARIABLE), "{}", outcome.stderr);
    let outcome = halimede_with(&absent, &[&eval[..], &["--fallback"]].concat(), b"");
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let square = sandbox.decrypt("z.ct", &[]);
    for (got, x) in square.iter().zip(&sandbox.x) {
        assert!((got[0] - x * x).abs() < 1e-6, "{got:?}, not {}", x * x);
    }
    if !has_simulator() {
        return;
    }
    sandbox.ok(&["keygen", "--params", "n13-insecure", "--dir", &path("large"), "--multiply"]);
    let [secret, keys, ciphertext] =
        ["large/secret.key", "large/evaluation.keys", "large.ct"].map(path);
    sandbox.ok(&["encrypt", "--key", &secret, "--in", "x.csv", "--out", "large.ct"]);
    let x = format!("x={ciphertext}");
    let eval = ["ckks", "eval", "--keys", &keys, "x*x", &x, "--out", &out, "--device", "sim"];
    let outcome = halimede_with(&[], &eval, b"");
    assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
    let words = "the card supports rings up to N = 2^10; this one has N = 2^13";
    assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
    let outcome = halimede_with(&[], &[&eval[..], &["--fallback"]].concat(), b"");
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
}
