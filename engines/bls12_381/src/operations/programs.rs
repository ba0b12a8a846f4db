// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs of the coprocessor.

use std::num::NonZeroU32;
use std::ops::ControlFlow;

use halimede_arith::job::{Amount, Compute};
use halimede_arith::operation_over;

use crate::coprocessor::isa::{INSTRUCTIONS, SLOTS, VALUE_BYTES};
use crate::coprocessor::{ErrorWord, Machine, Message, Program, Slot, State};

/// Most bytes of what a program sends: of each element 8, and 48 a slot.
pub const RESULT_BYTES: usize = 8_128;

/// Bytes of an element that is sent, beside its slots.
const ELEMENT_BYTES: usize = 8;

/// A program's run, in a context that holds nothing else.
pub struct RunProgram;

/// A request of [`RunProgram`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramRequest {
    /// The program, its data and its start.
    pub program: Program,
    /// Most instructions that are done.
    pub limit: NonZeroU32,
}

/// What comes of a program: the reply of [`RunProgram`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What its `SEND_INTERRUPT`s have sent, in their order.
    pub results: Vec<Sent>,
    /// How it has ended.
    pub end: End,
    /// Instructions that were done.
    pub instructions: u32,
    /// Clocks that a card took; none where it ran on a processor.
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

/// How a program has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It waits at this place.
    Waiting(u16),
    /// It has stopped with an error.
    Stopped(ErrorWord),
}

/// Why a program is not run, or has no outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// Too many instructions.
    #[error("the program has {got} instructions; {INSTRUCTIONS} are the most")]
    Instructions {
        /// Instructions given.
        got: usize,
    },
    /// Too many slots.
    #[error("the program's data fill {got} slots; {SLOTS} are the most")]
    Slots {
        /// Slots given.
        got: usize,
    },
    /// A slot that does not exist.
    #[error("there is no slot {place}; {SLOTS} are the most")]
    Slot {
        /// Its place.
        place: usize,
    },
    /// A start where no instruction can be.
    #[error("the program starts at {start}; the last place is {}", INSTRUCTIONS - 1)]
    Start {
        /// Where.
        start: u16,
    },
    /// More was sent than is kept.
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
    /// Whether there is room for all of it.
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

    /// Runs it in the simulator of the instruction set.
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
    /// Bytes that it takes of [`RESULT_BYTES`].
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
        // 145 times 56 bytes are the most.
        let text = "SEND_INTERRUPT 0, 1\n";
        assert_eq!(request(&text.repeat(145), 512).run().map(|all| all.results.len()), Ok(145));
        assert_eq!(request(&text.repeat(146), 512).run(), Err(ProgramError::Results));
        // A loop without an end is ended by what it sends: its instructions would take hours.
        let text = ".data 0 SCALAR 1\n.data 1 SCALAR 1\nSEND_INTERRUPT 0, 7\nJUMP 0\n";
        assert_eq!(request(text, u32::MAX).run(), Err(ProgramError::Results));
    }
}
