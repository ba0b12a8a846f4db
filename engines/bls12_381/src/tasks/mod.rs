// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Requests of the operations as programs of the coprocessor, for a card that has one.
//!
//! The host decodes points, checks that they are in their groups, hashes messages, and precomputes
//! sums that depend only on a key; the programs compute Miller loops, final exponentiations, sums
//! and multiples of points. A request that the host rejects needs no program.

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

/// The instruction limit of the programs made here; they never reach it.
const LIMIT: std::num::NonZeroU32 = std::num::NonZeroU32::MAX;

/// An operation of which a coprocessor computes at least some requests.
pub trait OnCoprocessor: Operation<Reply: Send + 'static> {
    /// Checks that a request can be computed by programs.
    ///
    /// # Errors
    /// A description of the unsupported part.
    fn has_programs(_: Self::Row<'_>) -> Result<(), String> {
        Ok(())
    }

    /// Returns the plan of a request that has programs.
    fn plan(row: Self::Row<'_>) -> Plan<Self::Reply>;
}

/// The plan of a request.
pub enum Plan<Reply> {
    /// The reply is known; no program is needed.
    Known(Reply),
    /// Programs compute the reply.
    Task(Box<dyn Task<Reply>>),
}

/// Programs that run sequentially.
pub trait Task<Reply>: Send {
    /// Returns the next program.
    fn next(&self) -> ProgramRequest;

    /// Takes the outcome of [`Self::next`]. Returns the reply, or `None` if another program
    /// follows.
    ///
    /// # Errors
    /// Why the outcome cannot be that of the program, in words.
    fn accept(&mut self, outcome: Outcome) -> Result<Option<Reply>, String>;

    /// The reply if the program has sent more than is kept; `None` if it never does.
    fn overflows(&self) -> Option<Reply> {
        None
    }
}

/// Converts the result of a task to a reply.
type Finish<Value, Reply> = Box<dyn Fn(Value) -> Reply + Send>;

/// Runs a request's programs in the simulator of the instruction set. Returns `None` if the
/// request has no programs.
///
/// # Errors
/// Why an outcome is not that of its program. This happens only if a program is wrong.
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

/// Assigns consecutive places, from `place` on, to slots.
fn placed(place: usize, slots: &[Slot]) -> impl Iterator<Item = (usize, Slot)> + '_ {
    slots.iter().copied().enumerate().map(move |(offset, slot)| (place + offset, slot))
}

fn slots_of(kind: Kind, numbers: impl IntoIterator<Item = Number>) -> Vec<Slot> {
    numbers.into_iter().map(|number| Slot { kind, number }).collect()
}

/// Returns the affine kind of a curve's points.
fn affine_kind<C: Curve>() -> Kind {
    if C::DEGREE == 1 {
        Kind::FpAf
    } else {
        Kind::Fp2Af
    }
}

/// Returns the Jacobian kind of a curve's points.
fn jacobian_kind<C: Curve>() -> Kind {
    if C::DEGREE == 1 {
        Kind::FpJb
    } else {
        Kind::Fp2Jb
    }
}

/// Returns a point as slots.
fn affine_slots<C: Curve>(point: &CurvePoint<C>) -> Vec<Slot> {
    slots_of(affine_kind::<C>(), affine_values(point))
}

/// Returns the point of affine slots.
fn point_of<C: Curve>(slots: &[Slot]) -> Result<CurvePoint<C>, String> {
    if slots.iter().all(|slot| slot.number.is_zero()) {
        return Ok(CurvePoint::default());
    }
    // In the encoding, the coefficient of u comes before the constant term.
    let in_order = slots.chunks(C::DEGREE).flat_map(|coordinate| coordinate.iter().rev());
    let bytes: Vec<u8> = in_order.flat_map(|slot| slot.number.to_be_bytes()).collect();
    CurvePoint::from_uncompressed(&bytes).map_err(|error| error.to_string())
}

/// Returns the only element that a program has sent, which must be of this kind.
fn only_result(outcome: Outcome, kind: Kind) -> Result<Vec<Slot>, String> {
    if let End::Stopped(error) = outcome.end {
        return Err(format!("the program stopped: {}", error.fault.meaning()));
    }
    let count = outcome.results.len();
    match <[_; 1]>::try_from(outcome.results) {
        Ok([sent]) if sent.slots.first().is_some_and(|slot| slot.kind == kind) => Ok(sent.slots),
        Ok(_) => Err(format!("the program sent no element of kind {}", kind.name())),
        Err(_) => Err(format!("the program sent {count} elements")),
    }
}

#[cfg(test)]
mod tests;
