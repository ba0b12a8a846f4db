// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `trace`: counts, and traces for a compiler.

use halimede_ckks::ring::Program;
use serde_json::Value;

use crate::{ckks_card, Outcome};

fn trace(arguments: &str) -> Outcome {
    ckks_card(&format!("trace {arguments}"))
}

fn counts(arguments: &str) -> Value {
    let outcome = trace(&format!("{arguments} --json"));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    serde_json::from_str(&outcome.stdout).unwrap()
}

#[test]
fn counts_and_written_traces_agree() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.json");
    for (operation, preset) in [
        ("cmult", "n10-insecure"),
        ("rescale", "n10-insecure"),
        ("rotation", "n10-insecure"),
        ("hoisted", "n10-insecure"),
        ("bootstrap", "n10-boot-insecure"),
        ("bootstrap", "n10-boot-insecure --slots 8"),
        ("bootstrap", "n10-boot-precise-insecure"),
        ("bootstrap", "n10-boot-insecure --few-keys"),
    ] {
        let file = path.to_str().unwrap();
        let answer = counts(&format!("--operation {operation} --params {preset} --out {file}"));
        let trace = Program::from_json(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(answer["operation"], operation);
        assert_eq!(answer["steps"], trace.steps.len());
        assert_eq!(answer["counts"], serde_json::to_value(trace.counts()).unwrap());
        assert_eq!(answer["notes"].as_array().unwrap().len(), trace.notes.len());
        assert!(trace.externals.iter().any(|external| external.name == "input 0, part 1"));
        let keys = answer["counts"]["key_products"].as_u64().unwrap();
        assert_eq!(keys > 0, operation != "rescale", "{operation}");
    }
}

#[test]
fn a_bootstrap_of_few_slots_takes_less() {
    let all = "--operation bootstrap --params n10-boot-insecure";
    let of = |arguments: &str| counts(arguments)["counts"]["key_bytes"].as_u64().unwrap();
    let [few, most] = ["16", "512"].map(|slots| of(&format!("{all} --slots {slots}")));
    assert!(few < most && most == of(all), "{few}, {most}");
    let transforms = |arguments: &str| counts(arguments)["counts"]["forward_limbs"].as_u64();
    assert!(transforms(&format!("{all} --few-keys")) > transforms(all));
}

#[test]
fn two_rounds_take_twice_the_steps() {
    let of = |name: &str| {
        let answer = counts(&format!("--operation bootstrap --params {name}"));
        let notes = answer["notes"].as_array().unwrap();
        let is_raising = |note: &&Value| note.as_str().unwrap().ends_with(": ModRaise");
        let raised = notes.iter().filter(is_raising).count();
        (raised, answer["counts"]["key_products"].as_u64().unwrap())
    };
    let [one, two] = ["n10-boot-insecure", "n10-boot-precise-insecure"].map(of);
    assert_eq!((one.0, two.0), (1, 2));
    assert!((1.9..2.5).contains(&(two.1 as f64 / one.1 as f64)), "{one:?}, {two:?}");
}

#[test]
fn a_rotation_is_composed_of_those_there_are_and_fewer_levels_have_fewer_limbs() {
    let composed = trace("--operation rotation --params n10-insecure --steps 5 --rotations 4,1");
    assert_eq!(composed.code, Some(0), "{}", composed.stderr);
    assert!(composed.stdout.ends_with("step 0: rotate by 5 = 4 + 1\n"), "{}", composed.stdout);
    assert!(composed.stdout.contains("keys read"), "{}", composed.stdout);
    assert!(composed.stderr.contains("INSECURE"), "{}", composed.stderr);
    let read = |arguments: &str| {
        counts(&format!("--params n10-insecure {arguments}"))["counts"]["key_bytes"].as_u64()
    };
    let [one, two] = ["--steps 4", "--steps 5 --rotations 4,1"]
        .map(|steps| read(&format!("--operation rotation {steps}")).unwrap());
    assert_eq!(two, 2 * one);
    assert!(read("--operation rotation --level 1").unwrap() < one);
    assert_eq!(read("--operation hoisted --steps 1,2,3").unwrap(), 3 * one);
}

#[test]
fn what_cannot_be_traced() {
    for (arguments, said) in [
        ("--operation cmult --params n9", "n9"),
        ("--operation cmult --params n10-insecure --level 9", "the highest of n10-insecure is 4"),
        ("--operation rescale --params n10-insecure --level 0", "rescaling needs level 1"),
        ("--operation bootstrap --params n10-insecure", "no levels for a bootstrap"),
        ("--operation bootstrap --params n10-boot-insecure --slots 513", "has 1 to 512 values"),
        ("--operation cmult --params n10-insecure --slots 8", "--slots is of bootstraps"),
        ("--operation cmult --params n10-insecure --few-keys", "--few-keys is of bootstraps"),
        ("--operation cmult --params n10-insecure --steps 1", "are of rotations"),
        ("--operation rotation --params n10-insecure --steps 1,2", "--operation hoisted"),
        ("--operation rotation --params n10-insecure --steps 3 --rotations 2", "rotate by 3"),
        ("--operation sum --params n10-insecure", "invalid value 'sum'"),
    ] {
        let outcome = trace(arguments);
        assert_eq!(outcome.code, Some(2), "{arguments}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(said), "{arguments}: {}", outcome.stderr);
        assert!(outcome.stdout.is_empty(), "{arguments}");
    }
    let outcome = trace("--operation rescale --params n10-insecure --out /nowhere/t.json");
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("/nowhere/t.json"), "{}", outcome.stderr);
}
