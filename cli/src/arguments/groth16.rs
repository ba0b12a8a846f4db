// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The commands and options of `halimede groth16`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

const PROVE_HELP: &str = "\
The key is a .zkey file of snarkjs, or a proving key as bellman writes it. The latter needs the \
circuit as an .r1cs file of circom. The witness is a .wtns file. Compile circuits with `circom \
--prime bls12381 --r1cs --wasm`. With --circuit, a witness that does not satisfy the circuit is \
refused with the number of the constraint; without, when the proof is verified.

The command prints one JSON object, {proof, inputs}: the proof in hexadecimal, and the public \
inputs. It is an item of `halimede batch groth16.verify`. --verifying-key writes the key for it. \
Every proof is verified before it is printed.

The witness is secret. It is overwritten in memory after use, and never logged. The time that a \
proof takes depends on it: do not let others measure it (engines/bls12_381/SECURITY.md).

Exit codes: 0 the proof was made; 1 the witness does not satisfy the circuit; 2 bad input; 4 \
writing output failed.

Example:
  halimede groth16 prove small.zkey small.wtns --verifying-key small.vk > proof.json
  halimede batch groth16.verify --key small.vk proof.json";

/// `halimede groth16 …`
#[derive(Subcommand, Debug)]
pub enum Groth16Command {
    /// Make a proof from a proving key and a witness, and verify it.
    #[command(after_help = PROVE_HELP)]
    Prove(Groth16ProveOptions),
}

/// `halimede groth16 prove`
#[derive(Args, Debug)]
pub struct Groth16ProveOptions {
    /// The proving key.
    pub key: PathBuf,
    /// The witness.
    pub witness: PathBuf,
    /// The circuit, an .r1cs file.
    #[arg(long, value_name = "FILE")]
    pub circuit: Option<PathBuf>,
    /// Write the verifying key to this file.
    #[arg(long, value_name = "FILE")]
    pub verifying_key: Option<PathBuf>,
    /// Write the proof to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}
