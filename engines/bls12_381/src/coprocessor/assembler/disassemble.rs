// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Converts instructions to text that assembles to the same bytes.

use std::collections::BTreeSet;
use std::fmt;

use super::operand::check_operands;
use crate::coprocessor::instruction::Word;
use crate::coprocessor::isa::Operand;
use crate::coprocessor::Instruction;

/// Returns the instructions of a memory from its beginning on, one per line. Targets of jumps have
/// labels. Words that no instruction's text reproduces are written as `.inst`.
pub fn disassemble(words: &[Word]) -> String {
    let target = |word: &Word| plain(*word).and_then(|one| one.operand(Operand::Target));
    let is_inside = |target: &u16| usize::from(*target) < words.len();
    let targets: BTreeSet<u16> = words.iter().filter_map(target).filter(is_inside).collect();
    let mut text = String::new();
    for (place, word) in words.iter().enumerate() {
        if u16::try_from(place).is_ok_and(|place| targets.contains(&place)) {
            text += &format!("at_{place}:\n");
        }
        let body = match plain(*word) {
            Some(instruction) => line(&instruction, &targets),
            None => raw(*word),
        };
        text += &format!("    {:<40} ; {place}\n", body);
    }
    text
}

/// Decodes a word if the instruction's text reproduces it.
fn plain(word: Word) -> Option<Instruction> {
    let instruction = Instruction::decode(word)?;
    let is_plain = instruction.is_plain(word) && check_operands(&instruction).is_ok();
    is_plain.then_some(instruction)
}

fn line(instruction: &Instruction, targets: &BTreeSet<u16>) -> String {
    written(instruction, |role, number| match role {
        Operand::Target if targets.contains(&number) => format!("at_{number}"),
        _ => number.to_string(),
    })
}

fn written(instruction: &Instruction, operand: impl Fn(Operand, u16) -> String) -> String {
    let operands = instruction.opcode.operands().into_iter().zip(instruction.operands);
    let operands: Vec<String> = operands
        .filter(|(role, _)| *role != Operand::None)
        .map(|(role, number)| operand(role, number))
        .collect();
    format!("{} {}", instruction.opcode.name(), operands.join(", ")).trim_end().to_owned()
}

/// The text of a program's line, with a number for each operand that has a meaning.
impl fmt::Display for Instruction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&written(self, |_, number| number.to_string()))
    }
}

fn raw(word: Word) -> String {
    format!(".inst 0x{:016x}", u64::from_be_bytes(word))
}
