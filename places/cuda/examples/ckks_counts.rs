// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Counts the work of CKKS operations on a GPU, from programs that are recorded without arithmetic
//! and compiled.
//!
//! `cargo run -p halimede-cuda --features ckks --example ckks_counts -- n16-boot`

#![allow(clippy::print_stdout, reason = "the program prints counts")]

mod common;

use std::error::Error;

use common::{heading, line};
use halimede_ckks::ring::Program;
use halimede_ckks::{DryServer, Operations, Parameters};
use halimede_cuda::ckks::{compile, CompileOptions};

/// The slots of a bootstrap of few slots: those of a logistic regression of 256 features.
const FEW_SLOTS: usize = 256;

fn main() -> Result<(), Box<dyn Error>> {
    let preset = std::env::args().nth(1).unwrap_or_else(|| "n16-boot".to_owned());
    let parameters = Parameters::dry_preset(&preset)?;
    let bootstrap = parameters.bootstrap().is_some();
    let operations = Operations {
        multiply: true,
        rotations: vec![1],
        bootstrap,
        bootstrap_slots: if bootstrap { vec![FEW_SLOTS] } else { Vec::new() },
        ..Operations::default()
    };
    let dry = DryServer::new(&parameters, &operations.keys(&parameters));
    // The highest level of values that a bootstrap returns, which is the top without one.
    let (level, slots) = (parameters.fresh_level(), parameters.slots());
    println!("{preset}, level {level}, {} primes", parameters.level(level).basis.len());
    println!("{}", heading());
    let a = dry.input(level, slots);
    show("product", &dry.record(&[&a], &[], |server| Ok(vec![server.mul(&a, &a)?]))?.1)?;
    show("rotation", &dry.record(&[&a], &[], |server| Ok(vec![server.rotate(&a, 1)?]))?.1)?;
    show("rescale", &dry.record(&[&a], &[], |server| Ok(vec![server.rescale(&a)?]))?.1)?;
    for slots in [slots, FEW_SLOTS].into_iter().filter(|_| bootstrap) {
        dry.server().prepare_bootstrap_of(slots)?;
        let worn = dry.input(0, slots);
        let recorded = dry.record(&[&worn], &[], |server| Ok(vec![server.bootstrap(&worn)?]))?;
        show(&format!("bootstrap {slots}"), &recorded.1)?;
    }
    Ok(())
}

/// Prints the counts of a program, fused and not.
fn show(name: &str, program: &Program) -> Result<(), Box<dyn Error>> {
    for (kind, fuse) in [("", true), (", not fused", false)] {
        let compiled = compile(program, &CompileOptions { fuse })?;
        let working = compiled.work_limbs * program.degree * 4;
        println!("{}", line(&format!("{name}{kind}"), &compiled.counts, working));
    }
    Ok(())
}
