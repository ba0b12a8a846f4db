// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede bls manual`: prints the instructions, the kinds of slots, the registers and the
//! errors.

use halimede_bls12_381::coprocessor::isa::{Fault, Kind, Opcode, Operand, ALIASES, REGISTERS};
use halimede_bls12_381::coprocessor::opcode_of;
use serde_json::{json, Value};

use crate::arguments::BlsManualOptions;
use crate::error::CommandError;
use crate::output::{print_line, print_table};

/// Prints the manual, or the page of an instruction.
pub fn manual(options: &BlsManualOptions, json: bool) -> Result<(), CommandError> {
    if let Some(name) = &options.name {
        let unknown =
            || CommandError::BadInput(format!("unknown instruction {name:?}: see `bls manual`"));
        let opcode = opcode_of(name).ok_or_else(unknown)?;
        return match json {
            true => print_line(&instruction(opcode).to_string()),
            false => print_line(&page(opcode)),
        };
    }
    if json {
        let all: Vec<Value> = Opcode::ALL.into_iter().map(instruction).collect();
        return print_line(
            &json!({
                "instructions": all, "kinds": kinds(), "registers": registers(), "errors": errors(),
            })
            .to_string(),
        );
    }
    let rows: Vec<Vec<String>> = Opcode::ALL
        .into_iter()
        .map(|opcode| {
            let (code, operands) = (format!("0x{:02x}", opcode as u8), operands(opcode));
            vec![opcode.name().into(), code, operands, opcode.meaning().into()]
        })
        .collect();
    print_table(&["instruction", "code", "operands", "description"], &rows)?;
    print_line("")?;
    let rows: Vec<Vec<String>> = Kind::ALL
        .into_iter()
        .map(|kind| {
            let (code, slots) = (kind as u8, kind.slots());
            vec![kind.name().into(), code.to_string(), slots.to_string(), kind.meaning().into()]
        })
        .collect();
    print_table(&["kind", "code", "slots", "content"], &rows)?;
    print_line("")?;
    let rows: Vec<Vec<String>> = REGISTERS
        .iter()
        .map(|(name, offset, access, meaning)| {
            let offset = format!("0x{offset:02x}");
            vec![offset, (*name).into(), (*access).into(), (*meaning).into()]
        })
        .collect();
    print_table(&["offset", "register", "access", "meaning"], &rows)?;
    print_line("")?;
    let rows: Vec<Vec<String>> = Fault::ALL
        .into_iter()
        .map(|fault| vec![(fault as u8).to_string(), fault.name().into(), fault.meaning().into()])
        .collect();
    print_table(&["error", "name", "meaning"], &rows)
}

fn operands(opcode: Opcode) -> String {
    let named = "abc".chars().zip(opcode.operands());
    let named = named.filter(|(_, operand)| *operand != Operand::None);
    let named: Vec<String> =
        named.map(|(letter, operand)| format!("{letter} {}", operand.name())).collect();
    named.join(", ")
}

fn rows(opcode: Opcode) -> Vec<Vec<&'static str>> {
    let name = |kind: &Option<Kind>| kind.map_or("-", Kind::name);
    opcode.rows().iter().map(|row| row.iter().map(name).collect()).collect()
}

/// Returns the published clocks of an instruction by the kind of the last operand that it reads.
fn published_clocks(opcode: Opcode) -> Vec<(&'static str, u32)> {
    let of_kind = |kind: Kind| opcode.published_clocks(kind).map(|clocks| (kind.name(), clocks));
    Kind::ALL.into_iter().filter_map(of_kind).collect()
}

fn aliases(opcode: Opcode) -> Vec<(&'static str, Option<u8>)> {
    let of_opcode = ALIASES.iter().filter(|(_, other, _)| *other == opcode);
    of_opcode.map(|(name, _, text_code)| (*name, *text_code)).collect()
}

fn page(opcode: Opcode) -> String {
    let mut lines = vec![format!("{} (0x{:02x})", opcode.name(), opcode as u8)];
    lines.push(format!("  {}", opcode.meaning()));
    if opcode.is_extension() {
        lines.push("  An extension, which the published coprocessor does not have.".into());
    }
    if !operands(opcode).is_empty() {
        lines.push(format!("  operands: {}", operands(opcode)));
    }
    for row in rows(opcode) {
        lines.push(format!("  kinds of a, b, c: {}", row.join(" ")));
    }
    for (kind, clocks) in published_clocks(opcode) {
        lines.push(format!("  clocks in the published coprocessor: {clocks} ({kind})"));
    }
    for (name, text_code) in aliases(opcode) {
        let code = text_code.map(|code| format!("; the published text prints 0x{code:02x}"));
        lines.push(format!("  other name: {name}{}", code.unwrap_or_default()));
    }
    lines.join("\n")
}

fn instruction(opcode: Opcode) -> Value {
    let named = opcode.operands().map(Operand::name);
    let clocks: Vec<Value> = published_clocks(opcode)
        .into_iter()
        .map(|(kind, clocks)| json!({ "kind": kind, "clocks": clocks }))
        .collect();
    let names: Vec<&str> = aliases(opcode).into_iter().map(|(name, _)| name).collect();
    json!({
        "name": opcode.name(), "code": opcode as u8, "extension": opcode.is_extension(),
        "operands": named, "kinds": rows(opcode), "meaning": opcode.meaning(),
        "published_clocks": clocks, "other_names": names,
    })
}

fn kinds() -> Vec<Value> {
    let kind = |kind: Kind| {
        json!({
            "name": kind.name(), "code": kind as u8, "slots": kind.slots(),
            "extension": kind.is_extension(), "meaning": kind.meaning(),
        })
    };
    Kind::ALL.into_iter().map(kind).collect()
}

fn registers() -> Vec<Value> {
    let register = |(name, offset, access, meaning): &(&str, u32, &str, &str)| json!({ "name": name, "offset": offset, "access": access, "meaning": meaning });
    REGISTERS.iter().map(register).collect()
}

fn errors() -> Vec<Value> {
    let error = |fault: Fault| json!({ "name": fault.name(), "code": fault as u8, "meaning": fault.meaning() });
    Fault::ALL.into_iter().map(error).collect()
}
