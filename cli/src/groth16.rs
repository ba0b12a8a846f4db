// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede groth16 prove`: makes a proof.

use std::path::Path;

use halimede_bls12_381::groth16::prove::circom::{read_constraints, read_witness};
use halimede_bls12_381::groth16::prove::{
    CircuitKey, Constraints, PointChecks, ProveError, Secrets, PROVING_KEY_LIMIT_BYTES,
};

use crate::arguments::{Groth16Command, Groth16ProveOptions};
use crate::error::CommandError;
use crate::files::{read_limited, read_secret, write_whole};
use crate::output::print_line;
use crate::progress::spinner;

/// Runs one of the Groth16 commands.
pub fn run(command: &Groth16Command) -> Result<(), CommandError> {
    match command {
        Groth16Command::Prove(options) => prove(options),
    }
}

fn prove(options: &Groth16ProveOptions) -> Result<(), CommandError> {
    let Groth16ProveOptions { key: path, witness, circuit, verifying_key, out } = options;
    let bar = spinner();
    bar.set_message("reading the key");
    let mut key = read_key(path)?;
    if let Some(circuit) = circuit {
        key = key.with_constraints(read_circuit(circuit)?);
    }
    let values = read_witness_file(witness)?;
    bar.set_message("making the proof");
    let of_witness = |error: ProveError| match error {
        ProveError::Unsatisfied { .. } | ProveError::Invalid(_) => {
            CommandError::NotValid(format!("{}: {error}", witness.display()))
        }
        ProveError::NoCircuit => {
            bad(path, &"this is a key of bellman: give its circuit with --circuit")
        }
        error => bad(witness, &error),
    };
    let assignment = key.assign(&values).map_err(of_witness)?;
    drop(values);
    let inputs: Vec<_> = assignment.public_inputs().iter().map(ToString::to_string).collect();
    let proof = key.key().prove(assignment).map_err(of_witness)?;
    bar.finish_and_clear();
    let mut files = vec![path.as_path(), witness];
    files.extend(options.circuit.as_deref());
    if let Some(path) = verifying_key {
        write_whole(path, &files, key.key().verifying_key_bytes())?;
    }
    let object = serde_json::json!({ "proof": hex::encode(proof), "inputs": inputs }).to_string();
    match out {
        Some(path) => write_whole(path, &files, format!("{object}\n").as_bytes()),
        None => print_line(&object),
    }
}

fn bad(path: &Path, reason: &dyn std::fmt::Display) -> CommandError {
    CommandError::BadInput(format!("{}: {reason}", path.display()))
}

fn read_key(path: &Path) -> Result<CircuitKey, CommandError> {
    let bytes = read_limited(path, PROVING_KEY_LIMIT_BYTES)?;
    CircuitKey::read(&bytes, PointChecks::Group).map_err(|error| bad(path, &error))
}

fn read_circuit(path: &Path) -> Result<Constraints, CommandError> {
    let bytes = read_limited(path, PROVING_KEY_LIMIT_BYTES)?;
    read_constraints(&bytes).map_err(|error| bad(path, &error))
}

/// Reads a witness. Its bytes are overwritten after use.
fn read_witness_file(path: &Path) -> Result<Secrets, CommandError> {
    let bytes = read_secret(path, PROVING_KEY_LIMIT_BYTES)?;
    read_witness(&bytes).map_err(|error| bad(path, &error))
}
