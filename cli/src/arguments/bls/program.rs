// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options of `halimede bls`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::arguments::{parse_bytes, parse_seconds, DeviceOptions};

pub(super) const RUN_HELP: &str = r#"Runs the programs concurrently, each in its own context, in
an instruction-set simulator or on the coprocessor of --device, until each waits, stops with an
error, or reaches a breakpoint. Prints the values that the programs send, with their index and
kind. A program is stopped after --limit instructions. The simulator also stops all programs after
--time seconds, or when they have printed --most-output bytes; values sent until then are printed.

FILE of --data holds initial values of slots, and optionally the start of the program:
  {"start": 0,
   "slots": [{"slot": 0, "kind": "SCALAR", "values": ["0x1234"]},
             {"slot": 1, "kind": "FP_AF", "point": "97f1…"}]}
Values are numbers, or strings of decimal digits or of 0x and hexadecimal digits. A point is in the
compressed or uncompressed encoding of Zcash and the IETF. The maximum size of a program is 1 MiB,
of FILE 4 MiB.

Exit codes: 0 all programs wait; 1 a program stopped with an error; 2 bad input; 3 a device failed
or is not available.

Examples:
  halimede bls run pairing.s
  halimede bls run pairing.s --data points.json --step
  halimede bls run pairing.s loop.s --json"#;

pub(super) const ASM_HELP: &str = "\
Prints one line per instruction: its address, its bytes and its text. --out writes the bytes of \
the instruction memory from its beginning; --data-out writes the slots and the start, for \
`halimede bls run --data`.

Examples:
  halimede bls asm pairing.s --out pairing.bin --data-out pairing.json
  halimede bls asm loop.s --json";

pub(super) const DISASM_HELP: &str = "\
Prints the text of a program that assembles to the same bytes.

Examples:
  halimede bls asm loop.s --out loop.bin
  halimede bls disasm loop.bin";

pub(super) const MANUAL_HELP: &str = "\
Examples:
  halimede bls manual
  halimede bls manual MUL_ELEMENT
  halimede bls manual --json";

/// `halimede bls run`
#[derive(Args, Debug)]
pub struct BlsRunOptions {
    /// The programs, at most 16; `-` is standard input.
    #[arg(value_name = "PROGRAM", required = true)]
    pub programs: Vec<PathBuf>,
    /// Data as JSON: for the first program, then for the second, and so on.
    #[arg(long, value_name = "FILE")]
    pub data: Vec<PathBuf>,
    /// Print each instruction and what it writes.
    #[arg(long)]
    pub step: bool,
    /// Print the final content of all slots, except those that hold the scalar 0.
    #[arg(long)]
    pub dump: bool,
    /// Stop all programs before the instruction at this address.
    #[arg(long = "break", value_name = "PLACE")]
    pub breakpoints: Vec<u16>,
    /// The maximum number of instructions that a program may execute.
    #[arg(long, value_name = "N", default_value = "1000000",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// The time limit of the simulator for all programs together, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_seconds)]
    pub time: Duration,
    /// The maximum number of bytes that the simulator prints for steps and sent values.
    #[arg(long, value_name = "BYTES", default_value = "16M", value_parser = parse_bytes)]
    pub most_output: u64,
    /// The device. Devices other than `cpu` have no breakpoints, and show neither steps nor slots.
    #[command(flatten)]
    pub device: DeviceOptions,
}

/// `halimede bls asm`
#[derive(Args, Debug)]
pub struct BlsAsmOptions {
    /// The program; `-` is standard input.
    #[arg(value_name = "PROGRAM")]
    pub program: PathBuf,
    /// Write the instructions to this file.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write the slots and the start to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    pub data_out: Option<PathBuf>,
}

/// `halimede bls disasm`
#[derive(Args, Debug)]
pub struct BlsDisasmOptions {
    /// The instructions; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// `halimede bls manual`
#[derive(Args, Debug)]
pub struct BlsManualOptions {
    /// An instruction or one of its aliases; by default all instructions.
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}
