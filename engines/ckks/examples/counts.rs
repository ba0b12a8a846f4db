// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Counts the ring operations of each operation on ciphertexts, from programs that are recorded
//! without arithmetic.
//!
//! `cargo run --release --example counts -- n16-boot`

use std::collections::BTreeMap;
use std::error::Error;

use halimede_ckks::ring::Program;
use halimede_ckks::{DryServer, Operations, Parameters};

fn main() -> Result<(), Box<dyn Error>> {
    let preset = std::env::args().nth(1).unwrap_or_else(|| "n16-boot".to_owned());
    let parameters = Parameters::dry_preset(&preset)?;
    let operations = Operations {
        multiply: true,
        rotations: vec![1],
        bootstrap: parameters.bootstrap().is_some(),
        ..Operations::default()
    };
    let dry = DryServer::new(&parameters, &operations.keys(&parameters));
    // The highest level of values that a bootstrap returns, which is the top without one.
    let (level, slots) = (parameters.fresh_level(), parameters.slots());
    println!("{preset}, level {level}\n");
    let a = dry.input(level, slots);
    show("product", &dry.record(&[&a], &[], |server| Ok(vec![server.mul(&a, &a)?]))?.1);
    show("rotation", &dry.record(&[&a], &[], |server| Ok(vec![server.rotate(&a, 1)?]))?.1);
    show("rescale", &dry.record(&[&a], &[], |server| Ok(vec![server.rescale(&a)?]))?.1);
    if operations.bootstrap {
        dry.server().prepare_bootstrap_of(slots)?;
        let worn = dry.input(0, slots);
        show(
            "bootstrap",
            &dry.record(&[&worn], &[], |server| Ok(vec![server.bootstrap(&worn)?]))?.1,
        );
    }
    Ok(())
}

/// Prints the limbs of a program, and the steps and limbs of each kind.
fn show(name: &str, program: &Program) {
    println!("{name}: {} steps, N = {}", program.steps.len(), program.degree);
    print!("{}", program.counts());
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for step in &program.steps {
        let entry = kinds.entry(step.operation.name()).or_default();
        *entry = (entry.0 + 1, entry.1 + step.limbs());
    }
    for (kind, (steps, limbs)) in kinds {
        println!("  {kind:18}{steps:>6} steps{limbs:>8} limbs");
    }
    println!();
}
