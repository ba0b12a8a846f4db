// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Emits the instruction of an item whose limbs have slots.

use super::gather::{Action, ColumnTerm, Item, Second};
use super::instruction::{Command, Instruction, NUMBER_FIELDS, PRIME_FIELDS, SLOT_FIELDS};
use super::isa::{Field, Opcode};
use super::task::{LimbId, Work};
use crate::ring::Program;

/// Returns the instruction of an item, with its terms. `buffer` holds the factors of its transform,
/// and `slot` returns the slot of a limb.
pub(super) fn command(
    program: &Program,
    item: &Item,
    buffer: Option<usize>,
    slot: impl Fn(LimbId) -> Option<usize>,
) -> Option<Command> {
    let result = slot(item.results[0])?;
    let place = usize::from(item.places[0]);
    let head = |opcode: Opcode| {
        let head = Instruction::new(opcode);
        let has_prime = opcode.fields().contains(&Field::P0);
        let head = if has_prime { head.with(Field::P0, place) } else { head };
        head.with(Field::X0, result)
    };
    let work = match &item.action {
        Action::Sum(terms) => return sum(item, terms, head, slot),
        Action::Single(work) => work,
    };
    let one = |opcode: Opcode, from: LimbId| Some(head(opcode).with(Field::A, slot(from)?));
    let two = |opcode: Opcode, a: LimbId, b: LimbId| {
        Some(head(opcode).with(Field::A, slot(a)?).with(Field::B, slot(b)?))
    };
    let instruction = match work {
        Work::Forward(from) => one(Opcode::Ntt, *from)?.with_table(buffer?),
        Work::Inverse(from) => one(Opcode::Intt, *from)?.with_table(buffer?),
        Work::Add(a, b) => two(Opcode::Add, *a, *b)?,
        Work::Subtract(Some(a), b) => two(Opcode::Sub, *a, *b)?,
        Work::Subtract(None, b) => head(Opcode::Neg).with(Field::B, slot(*b)?),
        Work::AddNumbers(a, numbers) => halves(one(Opcode::Addnum, *a)?, *numbers),
        Work::Permute(from, exponent) => {
            let exponent = *exponent as usize % (2 * program.degree);
            one(Opcode::Perm, *from)?.with(Field::Exponent, exponent)
        }
        Work::Zero => head(Opcode::Zero),
        Work::Whole(terms) => {
            let term = |(limb, shift, number): &(LimbId, u32, u32)| {
                let term = Instruction::new(Opcode::Term).with(Field::A, slot(*limb)?);
                let shift = term.with(Field::Shift, *shift as usize);
                Some(shift.with(Field::N0, *number as usize))
            };
            let terms = terms.iter().map(term).collect::<Option<Vec<_>>>()?;
            let head = head(Opcode::Whole).with(Field::Terms, terms.len());
            return Some(Command { head, terms });
        }
        // Sums are a separate action.
        Work::Sum(_) => return None,
    };
    Some(instruction.into())
}

fn halves(instruction: Instruction, [low, high]: [u32; 2]) -> Instruction {
    instruction.with(Field::N0, low as usize).with(Field::N1, high as usize)
}

/// Emits a sum: in a short form for one or two products, or with terms.
fn sum(
    item: &Item,
    terms: &[ColumnTerm],
    head: impl Fn(Opcode) -> Instruction,
    slot: impl Fn(LimbId) -> Option<usize>,
) -> Option<Command> {
    if item.results.len() == 1 {
        match terms {
            [ColumnTerm { first, second: Second::Limbs(second) }] => {
                let product = head(Opcode::Mul).with(Field::A, slot(*first)?);
                return Some(product.with(Field::B, slot(second[0])?).into());
            }
            [ColumnTerm { first, second }] => {
                let product = head(Opcode::Scale).with(Field::A, slot(*first)?);
                return Some(halves(product, numbers_of(second)?).into());
            }
            [one, two] => {
                // Each number is the same for both halves.
                let numbers = [one, two].map(|term| numbers_of(&term.second));
                if let [Some([a, of_a]), Some([b, of_b])] = numbers {
                    if a == of_a && b == of_b {
                        let sum = head(Opcode::Subscale).with(Field::A, slot(one.first)?);
                        let sum = sum.with(Field::B, slot(two.first)?);
                        return Some(halves(sum, [a, b]).into());
                    }
                }
            }
            _ => {}
        }
    }
    let has_limbs = terms.iter().any(|term| matches!(term.second, Second::Limbs(_)));
    let opcode = if has_limbs { Opcode::Macp } else { Opcode::Conv };
    let mut head = head(opcode);
    head = head.with(Field::Terms, terms.len()).with(Field::Columns, item.results.len());
    for (column, (place, result)) in item.places.iter().zip(&item.results).enumerate() {
        head = head.with(PRIME_FIELDS[column], usize::from(*place));
        head = head.with(SLOT_FIELDS[column], slot(*result)?);
    }
    let term = |term: &ColumnTerm| {
        let mut word = Instruction::new(Opcode::Term).with(Field::A, slot(term.first)?);
        match &term.second {
            Second::Halves(numbers) => word = halves(word.with(Field::Halves, 1), *numbers),
            Second::Numbers(numbers) => {
                for (field, number) in NUMBER_FIELDS.iter().zip(numbers) {
                    word = word.with(*field, *number as usize);
                }
            }
            Second::Limbs(limbs) => {
                word = word.with(Field::Limb, 1);
                for (field, limb) in SLOT_FIELDS.iter().zip(limbs) {
                    word = word.with(*field, slot(*limb)?);
                }
            }
        }
        Some(word)
    };
    let terms = terms.iter().map(term).collect::<Option<Vec<_>>>()?;
    Some(Command { head, terms })
}

/// The numbers for the lower and the upper half of the indices.
fn numbers_of(second: &Second) -> Option<[u32; 2]> {
    match second {
        Second::Halves(numbers) => Some(*numbers),
        Second::Numbers(numbers) => Some([numbers[0]; 2]),
        Second::Limbs(_) => None,
    }
}
