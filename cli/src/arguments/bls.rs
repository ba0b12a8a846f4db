// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs of the coprocessor of BLS12-381.

mod program;

use clap::Subcommand;

pub use program::{BlsAsmOptions, BlsDisasmOptions, BlsManualOptions, BlsRunOptions};
use program::{ASM_HELP, DISASM_HELP, MANUAL_HELP, RUN_HELP};

/// `halimede bls …`
#[derive(Subcommand, Debug)]
pub enum BlsCommand {
    /// Run programs of the coprocessor, in its instruction-set simulator or on a device.
    #[command(after_help = RUN_HELP)]
    Run(BlsRunOptions),
    /// Assemble a program of the coprocessor.
    #[command(after_help = ASM_HELP)]
    Asm(BlsAsmOptions),
    /// Disassemble instructions of the coprocessor.
    #[command(after_help = DISASM_HELP)]
    Disasm(BlsDisasmOptions),
    /// Print the coprocessor's instructions, kinds of slots, registers and errors.
    #[command(after_help = MANUAL_HELP)]
    Manual(BlsManualOptions),
}
