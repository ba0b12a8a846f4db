// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Converts programs to text and back. The manual defines the grammar.

mod disassemble;
mod error;
mod operand;
mod values;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use super::isa::{Kind, Opcode, Operand, ALIASES, INSTRUCTIONS, SLOTS};
use super::{Instruction, Number, Program, Slot};
use crate::coprocessor::instruction::Word;
pub use disassemble::disassemble;
pub use error::{AssemblyError, Problem};
use operand::{check_operands, place, value};
pub use values::{affine_values, element};

/// The maximum size of a program's text in bytes.
pub const SOURCE_LIMIT_BYTES: usize = 1 << 20;

/// A program, with the lines of its instructions in the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembly {
    /// The program.
    pub program: Program,
    /// The line, from 1, of the instruction at each place.
    pub lines: BTreeMap<u16, usize>,
}

/// A statement that fills a place in a memory, encoded once all names are known.
enum Statement<'t> {
    Instruction { opcode: Opcode, operands: Vec<&'t str> },
    Word(Word),
}

#[derive(Default)]
struct Source<'t> {
    names: HashMap<&'t str, (Number, usize)>,
    statements: BTreeMap<u16, (usize, Statement<'t>)>,
    data: Vec<(usize, Vec<&'t str>)>,
    start: Option<(usize, &'t str)>,
    next: usize,
}

/// Assembles a program.
///
/// # Errors
/// [`AssemblyError`]: the first error, with its line.
pub fn assemble(text: &str) -> Result<Assembly, AssemblyError> {
    if text.len() > SOURCE_LIMIT_BYTES {
        return Err(AssemblyError { line: 1, problem: Problem::TooLong { got: text.len() } });
    }
    let mut source = Source::default();
    for (number, line) in text.lines().enumerate() {
        let line_number = number + 1;
        source.read_line(line, line_number).map_err(at(line_number))?;
    }
    source.resolve()
}

fn at(line: usize) -> impl Fn(Problem) -> AssemblyError {
    move |problem| AssemblyError { line, problem }
}

impl<'t> Source<'t> {
    fn read_line(&mut self, line: &'t str, number: usize) -> Result<(), Problem> {
        let end = [";", "#", "//"].iter().filter_map(|mark| line.find(mark)).min();
        let mut rest = line[..end.unwrap_or(line.len())].trim();
        while let Some((label, behind)) = rest.split_once(':') {
            let here = Number::from(self.next as u64);
            self.name(label.trim(), here, number)?;
            rest = behind.trim();
        }
        let is_gap = |character: char| character == ',' || character.is_whitespace();
        let mut words = rest.split(is_gap).filter(|word| !word.is_empty());
        let Some(first) = words.next() else { return Ok(()) };
        let words: Vec<&str> = words.collect();
        match first.strip_prefix('.') {
            Some(directive) => self.directive(directive, words, number),
            None => {
                let opcode = opcode_of(first).ok_or(Problem::Instruction(first.into()))?;
                self.put(Statement::Instruction { opcode, operands: words }, number)
            }
        }
    }

    fn directive(
        &mut self,
        directive: &str,
        words: Vec<&'t str>,
        number: usize,
    ) -> Result<(), Problem> {
        let usage = |usage: &'static str| Problem::Usage(usage);
        match (directive.to_ascii_lowercase().as_str(), &words[..]) {
            ("equ", [name, word]) => {
                let value = value(word, &self.names)?;
                self.name(name, value, number)
            }
            ("equ", _) => Err(usage(".equ NAME NUMBER")),
            ("org", [word]) => {
                self.next = usize::from(place(word, &self.names, INSTRUCTIONS)?);
                Ok(())
            }
            ("org", _) => Err(usage(".org PLACE")),
            ("start", [word]) => match self.start {
                Some((before, _)) => Err(Problem::Twice { what: ".start".into(), before }),
                None => {
                    self.start = Some((number, word));
                    Ok(())
                }
            },
            ("start", _) => Err(usage(".start PLACE")),
            ("inst", [word]) => self.put(Statement::Word(word_of(word)?), number),
            ("inst", _) => Err(usage(".inst 0x and 16 hexadecimal digits")),
            ("data", [_, _, _, ..]) => {
                self.data.push((number, words));
                Ok(())
            }
            ("data", _) => Err(usage(".data SLOT KIND VALUE…")),
            _ => Err(Problem::Directive(directive.into())),
        }
    }

    fn name(&mut self, name: &'t str, number: Number, line: usize) -> Result<(), Problem> {
        let mut characters = name.chars();
        let begins =
            characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
        if !begins || !characters.all(|one| one.is_ascii_alphanumeric() || one == '_') {
            return Err(Problem::Name(name.into()));
        }
        if opcode_of(name).is_some() || kind_of(name).is_some() || values::is_keyword(name) {
            return Err(Problem::Reserved(name.into()));
        }
        if let Some((_, before)) = self.names.insert(name, (number, line)) {
            return Err(Problem::Twice { what: name.into(), before });
        }
        Ok(())
    }

    fn put(&mut self, statement: Statement<'t>, number: usize) -> Result<(), Problem> {
        if self.next >= INSTRUCTIONS {
            return Err(Problem::TooManyInstructions);
        }
        match self.statements.entry(self.next as u16) {
            Entry::Occupied(entry) => {
                let before = entry.get().0;
                return Err(Problem::Twice { what: format!("place {}", self.next), before });
            }
            Entry::Vacant(entry) => entry.insert((number, statement)),
        };
        self.next += 1;
        Ok(())
    }

    fn resolve(self) -> Result<Assembly, AssemblyError> {
        let mut assembly = Assembly::default();
        let end = self.statements.last_key_value().map_or(0, |(place, _)| usize::from(*place) + 1);
        assembly.program.instructions = vec![Word::default(); end];
        for (place, (line, statement)) in self.statements {
            let word = match statement {
                Statement::Word(word) => word,
                Statement::Instruction { opcode, operands } => {
                    encoded(opcode, &operands, &self.names).map_err(at(line))?
                }
            };
            assembly.program.instructions[usize::from(place)] = word;
            assembly.lines.insert(place, line);
        }
        let mut filled = BTreeMap::new();
        for (line, words) in &self.data {
            let slots = data(words, &self.names).map_err(at(*line))?;
            for (place, slot) in slots {
                if let Some((before, _)) = filled.insert(place, (*line, slot)) {
                    let what = format!("slot {place}");
                    return Err(at(*line)(Problem::Twice { what, before }));
                }
            }
        }
        assembly.program.slots =
            filled.into_iter().map(|(place, (_, slot))| (place, slot)).collect();
        if let Some((line, word)) = self.start {
            let start = place(word, &self.names, INSTRUCTIONS).map_err(at(line))?;
            assembly.program.start = start;
        }
        Ok(assembly)
    }
}

/// Returns the instruction with this name, ignoring case.
pub fn opcode_of(name: &str) -> Option<Opcode> {
    let is_name = |other: &str| other.eq_ignore_ascii_case(name);
    let by_alias =
        || ALIASES.iter().find(|(alias, ..)| is_name(alias)).map(|(_, opcode, _)| *opcode);
    Opcode::ALL.into_iter().find(|opcode| is_name(opcode.name())).or_else(by_alias)
}

/// Returns the kind with this name, ignoring case.
pub fn kind_of(name: &str) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name))
}

type Names<'t> = HashMap<&'t str, (Number, usize)>;

fn encoded(opcode: Opcode, words: &[&str], names: &Names<'_>) -> Result<Word, Problem> {
    let roles = opcode.operands();
    let expected = roles.iter().filter(|role| **role != Operand::None).count();
    if words.len() != expected {
        return Err(Problem::Operands { name: opcode.name(), expected, got: words.len() });
    }
    let mut words = words.iter();
    let mut operands = [0; 3];
    for (role, operand) in roles.into_iter().zip(&mut operands) {
        if role != Operand::None {
            *operand = place(words.next().unwrap_or(&""), names, 1 << 16)?;
        }
    }
    let instruction = Instruction::new(opcode, operands);
    check_operands(&instruction)?;
    Ok(instruction.encode())
}

/// Returns the slots of a `.data`, which has the first slot, a kind and values.
fn data(words: &[&str], names: &Names<'_>) -> Result<Vec<(usize, Slot)>, Problem> {
    let [first, kind, values @ ..] = words else { return Ok(Vec::new()) };
    let first = usize::from(place(first, names, SLOTS)?);
    let kind = kind_of(kind).ok_or_else(|| Problem::Kind((*kind).into()))?;
    let read = |word: &&str| value(word, names);
    let numbers = match values {
        [word] if values::is_keyword(word) => values::keyword(word, kind)?,
        _ => values.iter().map(read).collect::<Result<_, _>>()?,
    };
    element(first, kind, &numbers)
}

/// Returns the eight bytes of `0x` and 16 digits, in memory order.
fn word_of(text: &str) -> Result<Word, Problem> {
    let wrong = || Problem::Usage(".inst 0x and 16 hexadecimal digits");
    let digits = text.strip_prefix("0x").ok_or_else(wrong)?;
    let is_word = digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let number = u64::from_str_radix(digits, 16).ok().filter(|_| is_word).ok_or_else(wrong)?;
    Ok(number.to_be_bytes())
}
