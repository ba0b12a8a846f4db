// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Requests as programs of the coprocessor: what a card that has one does of them.
//!
//! The host reads points, tests whether they are in their groups, hashes messages, and sums up what
//! depends on a key alone; the programs do Miller loops, final exponentiations, sums and multiples of
//! points. A request that the host finds wrong needs no program.

mod once;
mod product;
mod requests;
mod sum;

use halimede_arith::job::Operation;

use crate::coprocessor::isa::{Kind, Opcode};
use crate::coprocessor::{affine_values, Instruction, Number, Slot, Word};
use crate::operations::{End, Outcome, ProgramRequest};
use crate::{Curve, CurvePoint};

use product::Product;
use sum::Sum;

/// Most instructions of a program that is made here; none comes near.
const LIMIT: std::num::NonZeroU32 = std::num::NonZeroU32::MAX;

/// An operation of which a coprocessor does at least some requests.
pub trait OnCoprocessor: Operation<Reply: Send + 'static> {
    /// Whether there are programs for a request.
    ///
    /// # Errors
    /// What there are none for, in words.
    fn has_programs(_: Self::Row<'_>) -> Result<(), String> {
        Ok(())
    }

    /// What is to be done for a request, one that has programs.
    fn plan(row: Self::Row<'_>) -> Plan<Self::Reply>;
}

/// What is to be done for a request.
pub enum Plan<Reply> {
    /// Nothing: this is the reply.
    Known(Reply),
    /// Programs.
    Task(Box<dyn Task<Reply>>),
}

/// Programs that are run one behind the other.
pub trait Task<Reply>: Send {
    /// The next one.
    fn next(&self) -> ProgramRequest;

    /// Takes the outcome of [`Self::next`]: the reply, or none where another program follows.
    ///
    /// # Errors
    /// Why this cannot have come of that program, in words.
    fn accept(&mut self, outcome: Outcome) -> Result<Option<Reply>, String>;

    /// The reply where the program has sent more than is kept; none where it never does.
    fn overflows(&self) -> Option<Reply> {
        None
    }
}

/// Makes a reply of what a task has computed.
type Finish<Value, Reply> = Box<dyn Fn(Value) -> Reply + Send>;

/// Runs a request's programs in the simulator of the instruction set; none where there are no programs
/// for the request.
///
/// # Errors
/// Why an outcome is not what a program gives: never, unless a program is wrong.
pub fn simulate<Op: OnCoprocessor>(row: Op::Row<'_>) -> Option<Result<Op::Reply, String>> {
    Op::has_programs(row).ok()?;
    let mut task = match Op::plan(row) {
        Plan::Known(reply) => return Some(Ok(reply)),
        Plan::Task(task) => task,
    };
    loop {
        let accepted = match task.next().run() {
            Ok(outcome) => task.accept(outcome),
            Err(error) => task.overflows().map(Some).ok_or(error.to_string()),
        };
        match accepted {
            Ok(None) => {}
            Ok(Some(reply)) => return Some(Ok(reply)),
            Err(reason) => return Some(Err(reason)),
        }
    }
}

fn word(opcode: Opcode, operands: [usize; 3]) -> Word {
    Instruction::new(opcode, operands.map(|operand| operand as u16)).encode()
}

/// Slots of a kind, from a place on.
fn placed(place: usize, slots: &[Slot]) -> impl Iterator<Item = (usize, Slot)> + '_ {
    slots.iter().copied().enumerate().map(move |(offset, slot)| (place + offset, slot))
}

fn slots_of(kind: Kind, numbers: impl IntoIterator<Item = Number>) -> Vec<Slot> {
    numbers.into_iter().map(|number| Slot { kind, number }).collect()
}

/// The affine kind of a curve's points.
fn affine_kind<C: Curve>() -> Kind {
    if C::DEGREE == 1 {
        Kind::FpAf
    } else {
        Kind::Fp2Af
    }
}

/// The Jacobian one.
fn jacobian_kind<C: Curve>() -> Kind {
    if C::DEGREE == 1 {
        Kind::FpJb
    } else {
        Kind::Fp2Jb
    }
}

/// A point as slots.
fn affine_slots<C: Curve>(point: &CurvePoint<C>) -> Vec<Slot> {
    slots_of(affine_kind::<C>(), affine_values(point))
}

/// The point of affine slots.
fn point_of<C: Curve>(slots: &[Slot]) -> Result<CurvePoint<C>, String> {
    if slots.iter().all(|slot| slot.number.is_zero()) {
        return Ok(CurvePoint::default());
    }
    // The encoding has the multiple of u before the constant term.
    let in_order = slots.chunks(C::DEGREE).flat_map(|coordinate| coordinate.iter().rev());
    let bytes: Vec<u8> = in_order.flat_map(|slot| slot.number.to_be_bytes()).collect();
    CurvePoint::from_uncompressed(&bytes).map_err(|error| error.to_string())
}

/// The one element that a program has sent, of this kind.
fn only_result(outcome: Outcome, kind: Kind) -> Result<Vec<Slot>, String> {
    if let End::Stopped(error) = outcome.end {
        return Err(format!("the program has stopped: {}", error.fault.meaning()));
    }
    let count = outcome.results.len();
    match <[_; 1]>::try_from(outcome.results) {
        Ok([sent]) if sent.slots.first().is_some_and(|slot| slot.kind == kind) => Ok(sent.slots),
        Ok(_) => Err(format!("the program has sent no element of kind {}", kind.name())),
        Err(_) => Err(format!("the program has sent {count} elements")),
    }
}

#[cfg(test)]
mod tests;
