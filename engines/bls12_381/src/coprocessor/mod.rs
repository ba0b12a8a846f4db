// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The programmable coprocessor: its instructions, an assembler, and a simulator that implements
//! the manual (`engines/bls12_381/coprocessor/README.md`).
//!
//! ```
//! use halimede_bls12_381::coprocessor::{assemble, Machine, Message};
//!
//! let text = "
//!     .data 0 FP_AF  generator
//!     .data 2 FP2_AF generator
//!     ATE_PAIRING    0, 2, 6
//!     SEND_INTERRUPT 6, 7
//! ";
//! let mut machine = Machine::new(1);
//! machine.context_mut(0).unwrap().load(&assemble(text)?.program);
//! let interrupts = machine.run(1_000, &mut |_, _, _| ());
//! let Message::Element { index, slots } = &interrupts[0].message else { panic!() };
//! assert_eq!((*index, slots.len()), (7, 12));
//! # Ok::<(), halimede_bls12_381::coprocessor::AssemblyError>(())
//! ```

mod assembler;
mod instruction;
mod interrupt;
pub mod isa;
mod number;
mod program;
mod simulator;
mod slot;

pub use assembler::{
    affine_values, assemble, disassemble, element, kind_of, opcode_of, Assembly, AssemblyError,
    Problem, SOURCE_LIMIT_BYTES,
};
pub use instruction::{Instruction, Word};
pub use interrupt::{ErrorWord, Interrupt, Message, HEADER_BYTES};
pub use number::{Number, NumberError};
pub use program::Program;
pub use simulator::{Context, Machine, Observer, PublishedClocks, Retired, State, Watcher};
pub use slot::Slot;
