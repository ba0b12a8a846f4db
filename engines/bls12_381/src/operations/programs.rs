// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs of the coprocessor as operations.

use std::num::NonZeroU32;
use std::ops::ControlFlow;

use halimede_arith::job::{Amount, Compute};
use halimede_arith::operation_over;

use crate::coprocessor::isa::{INSTRUCTIONS, SLOTS, VALUE_BYTES};
use crate::coprocessor::{ErrorWord, Machine, Message, Program, Slot, State};

/// The maximum number of bytes that a program may send: each element counts 8, and 48 per slot.
pub const RESULT_BYTES: usize = 8_128;

/// Bytes of a sent element, in addition to its slots.
const ELEMENT_BYTES: usize = 8;

/// The run of a program, in a fresh context.
pub struct RunProgram;

/// A request of [`RunProgram`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramRequest {
    /// The program, its data and its start.
    pub program: Program,
    /// The maximum number of instructions to execute.
    pub limit: NonZeroU32,
}

/// The outcome of a program: the reply of [`RunProgram`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The elements sent by `SEND_INTERRUPT`, in order.
    pub results: Vec<Sent>,
    /// How the program ended.
    pub end: End,
    /// The number of instructions executed.
    pub instructions: u32,
    /// The number of clocks on a card; `None` if the program ran on a processor.
    pub clocks: Option<u32>,
}

/// An element that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Operand b of the `SEND_INTERRUPT`.
    pub index: u16,
    /// The element's slots, all of one kind.
    pub slots: Vec<Slot>,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The program waits at this place.
    Waiting(u16),
    /// The program stopped with an error.
    Stopped(ErrorWord),
}

/// Why a program is rejected, or has no outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// Too many instructions.
    #[error("the program has {got} instructions; the limit is {INSTRUCTIONS}")]
    Instructions {
        /// The number of instructions given.
        got: usize,
    },
    /// Too many slots.
    #[error("the program's data fill {got} slots; the limit is {SLOTS}")]
    Slots {
        /// The number of slots given.
        got: usize,
    },
    /// A slot that does not exist.
    #[error("slot {place} does not exist; the limit is {SLOTS} slots")]
    Slot {
        /// The number of the slot.
        place: usize,
    },
    /// The start address is out of range.
    #[error("the program starts at {start}; the last address is {}", INSTRUCTIONS - 1)]
    Start {
        /// The start address.
        start: u16,
    },
    /// The program sent more than is kept.
    #[error("the program sends more than {RESULT_BYTES} bytes")]
    Results,
}

operation_over!(
    RunProgram,
    ProgramRequest,
    Result<Outcome, ProgramError>,
    "bls12_381.run_program",
    |_row| 1
);

impl Compute for RunProgram {
    const BRIEF: Amount = Amount::of_requests(1);
    const PIECE: Amount = Amount::of_requests(16);

    fn compute(row: &ProgramRequest) -> Result<Outcome, ProgramError> {
        row.run()
    }
}

impl ProgramRequest {
    /// Checks that the program fits.
    ///
    /// # Errors
    /// [`ProgramError`].
    pub fn check(&self) -> Result<(), ProgramError> {
        let Program { instructions, slots, start } = &self.program;
        if instructions.len() > INSTRUCTIONS {
            return Err(ProgramError::Instructions { got: instructions.len() });
        }
        if let Some((place, _)) = slots.iter().find(|(place, _)| *place >= SLOTS) {
            return Err(ProgramError::Slot { place: *place });
        }
        if slots.len() > SLOTS {
            return Err(ProgramError::Slots { got: slots.len() });
        }
        match usize::from(*start) < INSTRUCTIONS {
            true => Ok(()),
            false => Err(ProgramError::Start { start: *start }),
        }
    }

    /// Runs the program in the simulator of the instruction set.
    ///
    /// # Errors
    /// [`ProgramError`].
    pub fn run(&self) -> Result<Outcome, ProgramError> {
        self.check()?;
        let mut machine = Machine::new(1);
        if let Some(context) = machine.context_mut(0) {
            context.load(&self.program);
        }
        let (mut results, mut bytes) = (Vec::new(), 0);
        machine.run_while(self.limit.get(), &mut |_, _, _, interrupt| {
            if let Some(Message::Element { index, slots }) = interrupt.map(|sent| sent.message) {
                let sent = Sent { index, slots };
                bytes += sent.bytes();
                results.push(sent);
            }
            match bytes > RESULT_BYTES {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        if bytes > RESULT_BYTES {
            return Err(ProgramError::Results);
        }
        let context = &machine.contexts()[0];
        let end = match context.state() {
            State::Stopped(error) => End::Stopped(error),
            _ => End::Waiting(context.pointer()),
        };
        Ok(Outcome { results, end, instructions: context.retired().0, clocks: None })
    }
}

impl Sent {
    /// The number of bytes that the element counts against [`RESULT_BYTES`].
    pub fn bytes(&self) -> usize {
        ELEMENT_BYTES + self.slots.len() * VALUE_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coprocessor::isa::{Fault, Kind};
    use crate::coprocessor::{assemble, Number};

    fn request(text: &str, limit: u32) -> ProgramRequest {
        let program = assemble(text).unwrap().program;
        ProgramRequest { program, limit: NonZeroU32::new(limit).unwrap() }
    }

    #[test]
    fn programs_end() {
        let text = ".data 0 SCALAR 3\nSEND_INTERRUPT 0, 7\nJUMP_NONZERO_SUB 0, 0\n";
        let outcome = request(text, 100).run().unwrap();
        let values: Vec<_> = outcome.results.iter().map(|sent| sent.slots[0]).collect();
        let slot = |number: u64| Slot { kind: Kind::Scalar, number: Number::from(number) };
        assert_eq!(values, [3, 2, 1, 0].map(slot));
        assert_eq!((outcome.end, outcome.instructions), (End::Waiting(2), 8));

        let outcome = request(text, 5).run().unwrap();
        let error = ErrorWord { fault: Fault::Limit, opcode: 0, pointer: 1 };
        assert_eq!((outcome.end, outcome.instructions), (End::Stopped(error), 5));
        assert_eq!(ErrorWord::from_word(error.to_word()), Some(error));
        assert_eq!(ErrorWord::from_word(error.to_word() & !(1 << 31)), None);
        assert_eq!(ErrorWord::from_word(0), None);
    }

    #[test]
    fn programs_that_do_not_fit() {
        let good = request("SEND_INTERRUPT 0, 7\n", 5);
        let changed = |change: fn(&mut Program)| {
            let mut request = good.clone();
            change(&mut request.program);
            request.run().map(|outcome| outcome.instructions)
        };
        let error = changed(|program| program.instructions = vec![[0; 8]; 513]);
        assert_eq!(error, Err(ProgramError::Instructions { got: 513 }));
        let error = changed(|program| program.slots = vec![(256, Slot::default())]);
        assert_eq!(error, Err(ProgramError::Slot { place: 256 }));
        let error = changed(|program| program.slots = vec![(2, Slot::default()); 257]);
        assert_eq!(error, Err(ProgramError::Slots { got: 257 }));
        assert_eq!(changed(|program| program.start = 512), Err(ProgramError::Start { start: 512 }));
        assert_eq!(changed(|program| program.start = 511), Ok(0));
        // At most 145 elements of 56 bytes fit.
        let text = "SEND_INTERRUPT 0, 1\n";
        assert_eq!(request(&text.repeat(145), 512).run().map(|all| all.results.len()), Ok(145));
        assert_eq!(request(&text.repeat(146), 512).run(), Err(ProgramError::Results));
        // An endless loop ends when it has sent too much; its instruction limit would take hours.
        let text = ".data 0 SCALAR 1\n.data 1 SCALAR 1\nSEND_INTERRUPT 0, 7\nJUMP 0\n";
        assert_eq!(request(text, u32::MAX).run(), Err(ProgramError::Results));
    }
}
