// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede groth16 prove`: makes a proof.

use std::io::Read;
use std::path::Path;

use halimede_bls12_381::groth16::prove::circom::{read_constraints, read_witness, CircomKey};
use halimede_bls12_381::groth16::prove::{
    Constraints, PointChecks, ProveError, ProvingKey, Secrets, PROVING_KEY_LIMIT_BYTES,
};
use zeroize::Zeroizing;

use crate::arguments::{Groth16Command, Groth16ProveOptions};
use crate::error::CommandError;
use crate::files::{open_whole, read_limited, write_whole};
use crate::output::print_line;
use crate::progress::spinner;

/// The first bytes of a file of snarkjs.
const ZKEY_MAGIC: &[u8] = b"zkey";

/// Runs one of the Groth16 commands.
pub fn run(command: &Groth16Command) -> Result<(), CommandError> {
    match command {
        Groth16Command::Prove(options) => prove(options),
    }
}

/// A proving key, with the circuit if it has one.
enum Key {
    Circom(Box<CircomKey>),
    Bellman(Box<ProvingKey>),
}

impl Key {
    fn read(path: &Path) -> Result<Self, CommandError> {
        let bytes = read_limited(path, PROVING_KEY_LIMIT_BYTES)?;
        let key = match bytes.starts_with(ZKEY_MAGIC) {
            true => CircomKey::read(&bytes, PointChecks::Group)
                .map(|key| Self::Circom(Box::new(key)))
                .map_err(|error| error.to_string()),
            false => ProvingKey::read(&bytes, PointChecks::Group)
                .map(|key| Self::Bellman(Box::new(key)))
                .map_err(|error| error.to_string()),
        };
        key.map_err(|error| bad(path, &error))
    }

    fn key(&self) -> &ProvingKey {
        match self {
            Self::Circom(key) => key.key(),
            Self::Bellman(key) => key,
        }
    }
}

fn prove(options: &Groth16ProveOptions) -> Result<(), CommandError> {
    let Groth16ProveOptions { key: path, witness, circuit, verifying_key, out } = options;
    let bar = spinner();
    bar.set_message("reading the key");
    let key = Key::read(path)?;
    let circuit = circuit.as_deref().map(read_circuit).transpose()?;
    let values = read_secrets(witness)?;
    bar.set_message("making the proof");
    let of_witness = |error: ProveError| match error {
        ProveError::Unsatisfied { .. } | ProveError::Invalid(_) => {
            CommandError::NotValid(format!("{}: {error}", witness.display()))
        }
        error => bad(witness, &error),
    };
    let assigned = circuit.as_ref().map(|circuit| circuit.assign(&values)).transpose();
    let assigned = assigned.map_err(of_witness)?;
    let assignment = match (&key, assigned) {
        (Key::Circom(key), _) => key.assign(&values).map_err(of_witness)?,
        (Key::Bellman(_), Some(assignment)) => assignment,
        (Key::Bellman(_), None) => {
            return Err(bad(path, &"this is a key of bellman: give its circuit with --circuit"));
        }
    };
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

fn read_circuit(path: &Path) -> Result<Constraints, CommandError> {
    let bytes = read_limited(path, PROVING_KEY_LIMIT_BYTES)?;
    read_constraints(&bytes).map_err(|error| bad(path, &error))
}

/// Reads a witness. The bytes of a regular file are overwritten after use.
fn read_secrets(path: &Path) -> Result<Secrets, CommandError> {
    let (input, length) = open_whole(path)?;
    // A list that grows would leave copies behind.
    let capacity = length.unwrap_or(0).min(PROVING_KEY_LIMIT_BYTES);
    let mut bytes = Zeroizing::new(Vec::with_capacity(capacity as usize + 1));
    let read = input.take(PROVING_KEY_LIMIT_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|source| CommandError::File { path: path.to_path_buf(), source })?;
    if bytes.len() as u64 > PROVING_KEY_LIMIT_BYTES {
        return Err(bad(path, &format!("more than {PROVING_KEY_LIMIT_BYTES} bytes")));
    }
    read_witness(&bytes).map_err(|error| bad(path, &error))
}
