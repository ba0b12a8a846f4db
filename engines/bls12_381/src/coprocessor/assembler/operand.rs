// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operands: numbers, names, and names with a number added or subtracted.

use super::{Names, Problem};
use crate::coprocessor::isa::{Opcode, Operand, INSTRUCTIONS, PAIRS, SLOTS};
use crate::coprocessor::{Instruction, Number};

/// Evaluates a word: a number of 381 bits, a name, or a name plus or minus a number. The result of
/// a sum must be below 2¹⁶.
pub(super) fn value(word: &str, names: &Names<'_>) -> Result<Number, Problem> {
    match word.contains(['+', '-']) {
        true => place(word, names, 1 << 16).map(|number| Number::from(u64::from(number))),
        false => plain_value(word, names),
    }
}

fn plain_value(word: &str, names: &Names<'_>) -> Result<Number, Problem> {
    if word.starts_with(|first: char| first.is_ascii_digit()) {
        return Number::parse(word).map_err(|error| Problem::Number { text: word.into(), error });
    }
    names.get(word).map(|(number, _)| *number).ok_or_else(|| Problem::Unknown(word.into()))
}

/// Evaluates a word to a number below a limit of at most 2¹⁶; `name+number` and `name-number` are
/// allowed.
pub(super) fn place(word: &str, names: &Names<'_>, limit: usize) -> Result<u16, Problem> {
    let too_large = || Problem::TooLarge { text: word.into(), limit };
    let small = |part: &str| -> Result<i64, Problem> {
        let bytes = plain_value(part, names)?.to_le_bytes();
        let (low, high) = bytes.split_at(4);
        let is_small = high.iter().all(|byte| *byte == 0);
        let low = low.try_into().map(u32::from_le_bytes);
        low.ok().filter(|_| is_small).map(i64::from).ok_or_else(too_large)
    };
    let number = match word.split_once(['+', '-']) {
        Some((name, offset)) if word[name.len()..].starts_with('+') => {
            small(name)? + small(offset)?
        }
        Some((name, offset)) => small(name)? - small(offset)?,
        None => small(word)?,
    };
    let below = |number: &u16| usize::from(*number) < limit;
    u16::try_from(number).ok().filter(below).ok_or_else(too_large)
}

/// Checks the operands as far as possible before the program runs.
pub(super) fn check_operands(instruction: &Instruction) -> Result<(), Problem> {
    for (role, number) in instruction.opcode.operands().into_iter().zip(instruction.operands) {
        let most = if instruction.opcode == Opcode::MultiMiller { PAIRS } else { SLOTS };
        let place = usize::from(number);
        match role {
            Operand::None | Operand::Index => {}
            Operand::Target if place >= INSTRUCTIONS => return Err(Problem::Target(number)),
            Operand::Target => {}
            Operand::Count if !(1..=most).contains(&place) => return Err(Problem::Count(number)),
            Operand::Count => {}
            Operand::Power if number >= 12 => return Err(Problem::Power(number)),
            Operand::Power => {}
            _ if place >= SLOTS => return Err(Problem::Slot(place)),
            _ => {}
        }
    }
    Ok(())
}
