// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What can be asked of BLS12-381 about programs of its coprocessor.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::arguments::{parse_bytes, parse_seconds, DeviceOptions};

pub(super) const RUN_HELP: &str = r#"The programs run side by side in an instruction-set simulator, each in a context of its own, or on
the coprocessor of --device, until each waits, stops with an error, or stands before a breakpoint. What they send is printed: the
index, the kind and the values. A program of more instructions than --limit is stopped. In the
simulator all of them are stopped after --time, and where more than --most-output would be printed;
what was sent until then is printed.

FILE of --data brings slots, and perhaps where the program starts:
  {"start": 0,
   "slots": [{"slot": 0, "kind": "SCALAR", "values": ["0x1234"]},
             {"slot": 1, "kind": "FP_AF", "point": "97f1…"}]}
Values are numbers, or strings with decimal or, behind 0x, hexadecimal digits. A point is compressed
or not, as Zcash and the IETF encode it. Programs may have 1 MiB, FILE 4 MiB.

Exit codes: 0 all programs wait; 1 one has stopped with an error; 2 bad input; 3 a device failed or
is not available.

Examples:
  halimede bls run pairing.s
  halimede bls run pairing.s --data points.json --step
  halimede bls run pairing.s loop.s --json"#;

pub(super) const ASM_HELP: &str = "\
Prints a line for each instruction: its place, its bytes and its text. The file of --out has the \
bytes of the instruction memory from its beginning on, that of --data-out the slots and the start, \
as `halimede bls run --data` reads them.

Examples:
  halimede bls asm pairing.s --out pairing.bin --data-out pairing.json
  halimede bls asm loop.s --json";

pub(super) const DISASM_HELP: &str = "\
Prints a program that assembles to the same bytes.

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
    /// Programs, 16 at most; `-` is standard input.
    #[arg(value_name = "PROGRAM", required = true)]
    pub programs: Vec<PathBuf>,
    /// Data as JSON: of the first program, then of the second, and so on.
    #[arg(long, value_name = "FILE")]
    pub data: Vec<PathBuf>,
    /// Print each instruction and what it writes.
    #[arg(long)]
    pub step: bool,
    /// Print what all slots hold at the end, but for those that hold the scalar 0.
    #[arg(long)]
    pub dump: bool,
    /// Stop all programs before the instruction at this place.
    #[arg(long = "break", value_name = "PLACE")]
    pub breakpoints: Vec<u16>,
    /// The most instructions of a program.
    #[arg(long, value_name = "N", default_value = "1000000",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// Seconds that the programs may take in the simulator together.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_seconds)]
    pub time: Duration,
    /// The most bytes that are printed of what the programs do and send in the simulator.
    #[arg(long, value_name = "BYTES", default_value = "16M", value_parser = parse_bytes)]
    pub most_output: u64,
    /// The device; another one than `cpu` shows no steps, no slots, and has no breakpoints.
    #[command(flatten)]
    pub device: DeviceOptions,
}

/// `halimede bls asm`
#[derive(Args, Debug)]
pub struct BlsAsmOptions {
    /// The program; `-` is standard input.
    #[arg(value_name = "PROGRAM")]
    pub program: PathBuf,
    /// The file of the instructions.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The file of the slots and the start, as JSON.
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
    /// An instruction or one of its other names; all of them where it is absent.
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}
