// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The commands of `halimede bls`: programs of the BLS12-381 coprocessor.

mod program;

use clap::Subcommand;

pub use program::{BlsAsmOptions, BlsDisasmOptions, BlsManualOptions, BlsRunOptions};
use program::{ASM_HELP, DISASM_HELP, MANUAL_HELP, RUN_HELP};

/// `halimede bls …`
#[derive(Subcommand, Debug)]
pub enum BlsCommand {
    /// Run coprocessor programs in the instruction-set simulator or on a device.
    #[command(after_help = RUN_HELP)]
    Run(BlsRunOptions),
    /// Assemble a coprocessor program.
    #[command(after_help = ASM_HELP)]
    Asm(BlsAsmOptions),
    /// Disassemble a coprocessor program.
    #[command(after_help = DISASM_HELP)]
    Disasm(BlsDisasmOptions),
    /// Print the reference of the coprocessor: instructions, kinds of slots, registers, errors.
    #[command(after_help = MANUAL_HELP)]
    Manual(BlsManualOptions),
}
