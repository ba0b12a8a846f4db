// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede bls asm` and `disasm`.

use std::path::{Path, PathBuf};

use halimede_bls12_381::coprocessor::isa::{INSTRUCTIONS, INSTRUCTION_BYTES};
use halimede_bls12_381::coprocessor::{Instruction, Program};
use serde_json::json;

use super::data::to_json;
use super::read_program;
use crate::arguments::{BlsAsmOptions, BlsDisasmOptions};
use crate::error::CommandError;
use crate::file_kind::not_wanted_bytes;
use crate::files::{read_limited, write_whole};
use crate::output::{print_bytes, print_line};

/// Assembles a program, prints it, and writes the files of the options.
pub fn assemble(options: &BlsAsmOptions, json: bool) -> Result<(), CommandError> {
    let program = read_program(&options.program)?.program;
    let data = to_json(&program);
    write(options.out.as_ref(), &options.program, &program.to_bytes())?;
    write(options.data_out.as_ref(), &options.program, format!("{data}\n").as_bytes())?;
    if json {
        let words: Vec<String> = program.instructions.iter().map(hex::encode).collect();
        let (start, slots) = (&data["start"], &data["slots"]);
        return print_line(
            &json!({ "instructions": words, "start": start, "slots": slots }).to_string(),
        );
    }
    let lines = program.instructions.iter().enumerate().map(|(place, word)| {
        let text = Instruction::decode(*word).map_or_else(String::new, |one| one.to_string());
        format!("{place:>3}  {}  {text}", hex::encode(word)).trim_end().to_owned() + "\n"
    });
    print_bytes(lines.collect::<String>().as_bytes())
}

/// Disassembles instructions.
pub fn disassemble(options: &BlsDisasmOptions, json: bool) -> Result<(), CommandError> {
    let path = &options.file;
    let limit = INSTRUCTIONS * INSTRUCTION_BYTES;
    let bytes = read_limited(path, limit as u64)?;
    let wrong = || {
        let reason = format!("expected a multiple of 8 bytes, got {}", bytes.len());
        not_wanted_bytes(path, &bytes, "instructions", reason)
    };
    let words = Program::words(&bytes).ok_or_else(wrong)?;
    let text = halimede_bls12_381::coprocessor::disassemble(words);
    match json {
        true => print_line(&json!({ "program": text }).to_string()),
        false => print_bytes(text.as_bytes()),
    }
}

fn write(path: Option<&PathBuf>, input: &Path, content: &[u8]) -> Result<(), CommandError> {
    let Some(path) = path else { return Ok(()) };
    let inputs: &[&Path] = if input == Path::new("-") { &[] } else { &[input] };
    write_whole(path, inputs, content)
}
