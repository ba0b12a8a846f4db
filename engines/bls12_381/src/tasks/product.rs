// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products of pairings.

use super::{affine_slots, only_result, placed, slots_of, word, Finish, Task, LIMIT};
use crate::coprocessor::isa::{Kind, Opcode};
use crate::coprocessor::{Number, Program, Slot};
use crate::library::tower::{coefficients, fp_to_be};
use crate::library::{Miller, G1, G2};
use crate::operations::{Outcome, ProgramRequest};
use crate::pairing::Pair;
use crate::Point;

/// The maximum number of pairs of a program: they fill 228 slots.
const MOST_PAIRS: usize = 38;
/// The number of slots of a pair.
const PAIR_SLOTS: usize = 6;
/// The slots of the product, of 1 and of the verdict.
const PRODUCT: usize = MOST_PAIRS * PAIR_SLOTS;
const ONE: usize = PRODUCT + 12;
const VERDICT: usize = ONE + 12;

/// The requested result of a product.
pub(crate) enum Wanted<Reply> {
    /// The check that the product is 1.
    IsOne(Finish<bool, Reply>),
    /// The twelve elements of Fp.
    Value(Finish<[Number; 12], Reply>),
}

/// A product of pairings: Miller loops of up to [`MOST_PAIRS`] pairs per program, and the final
/// exponentiation in the last program.
pub(crate) struct Product<Reply> {
    /// The slots of each pair.
    pairs: Vec<[Slot; PAIR_SLOTS]>,
    /// The product of the pairs computed so far, before the final exponentiation.
    product: Vec<Slot>,
    wanted: Wanted<Reply>,
}

impl<Reply> Product<Reply> {
    /// Creates a task for the product of pairings and of another value, given before its final
    /// exponentiation.
    pub(crate) fn new(pairs: &[Pair], factor: &Miller, wanted: Wanted<Reply>) -> Self {
        let slots = |(p, q): &Pair| {
            let (p, q) = (Point::<G1>::of_group(*p), Point::<G2>::of_group(*q));
            let mut slots = [Slot::default(); PAIR_SLOTS];
            slots[..2].copy_from_slice(&affine_slots(&p));
            slots[2..].copy_from_slice(&affine_slots(&q));
            slots
        };
        let product = coefficients(&factor.0).map(|part| number_of(fp_to_be(&part)));
        let product = slots_of(Kind::Fe12, product);
        Self { pairs: pairs.iter().map(slots).collect(), product, wanted }
    }

    /// Creates a task whose reply says whether the product is 1.
    pub(crate) fn is_one(
        pairs: &[Pair],
        factor: &Miller,
        finish: impl Fn(bool) -> Reply + Send + 'static,
    ) -> Self {
        Self::new(pairs, factor, Wanted::IsOne(Box::new(finish)))
    }

    fn is_last(&self) -> bool {
        self.pairs.len() <= MOST_PAIRS
    }
}

fn number_of(bytes: [u8; 48]) -> Number {
    Number::from_be_bytes(bytes).unwrap_or_default()
}

impl<Reply> Task<Reply> for Product<Reply> {
    fn next(&self) -> ProgramRequest {
        let pairs = &self.pairs[..self.pairs.len().min(MOST_PAIRS)];
        let mut slots: Vec<(usize, Slot)> = placed(0, pairs.as_flattened()).collect();
        slots.extend(placed(PRODUCT, &self.product));
        let mut instructions = Vec::new();
        if !pairs.is_empty() {
            instructions.push(word(Opcode::MultiMiller, [0, pairs.len(), PRODUCT]));
        }
        let mut result = PRODUCT;
        if self.is_last() {
            instructions.push(word(Opcode::FinalExp, [PRODUCT, PRODUCT, 0]));
            if let Wanted::IsOne(_) = self.wanted {
                let one = (0..12).map(|place| Number::from(u64::from(place == 0)));
                slots.extend(placed(ONE, &slots_of(Kind::Fe12, one)));
                instructions.push(word(Opcode::IsEqual, [PRODUCT, ONE, VERDICT]));
                result = VERDICT;
            }
        }
        instructions.push(word(Opcode::SendInterrupt, [result, 0, 0]));
        ProgramRequest { program: Program { instructions, slots, start: 0 }, limit: LIMIT }
    }

    fn accept(&mut self, outcome: Outcome) -> Result<Option<Reply>, String> {
        if !self.is_last() {
            self.product = only_result(outcome, Kind::Fe12)?;
            self.pairs.drain(..MOST_PAIRS);
            return Ok(None);
        }
        match &self.wanted {
            Wanted::IsOne(finish) => match only_result(outcome, Kind::Scalar)?[..] {
                [verdict] if verdict.number.is_zero() => Ok(Some(finish(false))),
                [verdict] if verdict.number == Number::from(1) => Ok(Some(finish(true))),
                _ => Err("the program's verdict is neither 0 nor 1".into()),
            },
            Wanted::Value(finish) => {
                let value = only_result(outcome, Kind::Fe12)?;
                let numbers = value.iter().map(|slot| slot.number).collect::<Vec<_>>();
                let numbers = numbers.try_into().map_err(|_| "an element of another length")?;
                Ok(Some(finish(numbers)))
            }
        }
    }
}
