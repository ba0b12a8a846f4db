// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs programs on the coprocessor's simulator and writes everything that they do to a file, for
//! the bench of the RTL (`engines/bls12_381/rtl/tests/test_bls_coprocessor.py`).
//!
//! A line of the standard input is a case:
//! `{"extension": true, "contexts": [{"instructions": ["1100..."], "slots": [[place, kind, "hexadecimal"]], "start": 0, "limit": 100}]}`.
//! A line of the output has, for each context, the retired instructions (`[pointer, next, bytes]`),
//! the interrupts, the slots other than the scalar 0, the pointer, the error word and the count of
//! instructions.
//!
//! Alternatively, a case is a series of accesses to the windows of `count` contexts, each of which
//! ends when all contexts are idle: `{"extension": true, "count": 4, "bus": [[address], [address,
//! value]]}`. The output has the values read, in this order, and the interrupts of each context.

use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, BufWriter, Write};

use halimede_bls12_381::coprocessor::isa::Kind;
use halimede_bls12_381::coprocessor::{Context, Machine, Number, Program, Slot, State};
use serde_json::{json, Value};

type Failure = Box<dyn Error>;

fn number(value: &Value) -> Result<u64, Failure> {
    value.as_u64().ok_or_else(|| format!("{value} is not a number").into())
}

fn list(value: &Value) -> Result<&[Value], Failure> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| format!("{value} is not a list").into())
}

fn text(value: &Value) -> Result<&str, Failure> {
    value.as_str().ok_or_else(|| format!("{value} is not a string").into())
}

fn slot(value: &Value) -> Result<(usize, Slot), Failure> {
    let kind = u8::try_from(number(&value[1])?)?;
    let kind = Kind::of_code(kind).ok_or("unknown kind")?;
    let number_of = Number::parse(&format!("0x{}", text(&value[2])?))?;
    Ok((usize::try_from(number(&value[0])?)?, Slot { kind, number: number_of }))
}

fn program(value: &Value) -> Result<Program, Failure> {
    let word = |word: &Value| -> Result<[u8; 8], Failure> {
        Ok(u64::from_str_radix(text(word)?, 16)?.to_be_bytes())
    };
    let instructions = list(&value["instructions"])?.iter().map(word).collect::<Result<_, _>>()?;
    let slots = list(&value["slots"])?.iter().map(slot).collect::<Result<_, _>>()?;
    Ok(Program { instructions, slots, start: u16::try_from(number(&value["start"])?)? })
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the final state of a context.
fn state(context: &Context) -> Value {
    let slots = context.slots().iter().enumerate().filter(|(_, slot)| **slot != Slot::default());
    let slots: Vec<Value> = slots
        .map(|(place, slot)| {
            let digits = hexadecimal(&slot.number.to_be_bytes());
            json!([place, slot.kind as u8, digits.trim_start_matches('0')])
        })
        .collect();
    let error = match context.state() {
        State::Stopped(error) => error.to_word(),
        _ => 0,
    };
    json!({
        "slots": slots, "pointer": context.pointer(), "error": error,
        "count": context.retired().0,
    })
}

/// Reads and writes words, and runs the contexts after each write.
fn run_bus(case: &Value, accesses: &[Value]) -> Result<Value, Failure> {
    let contexts = usize::try_from(number(&case["count"])?)?;
    let mut machine = match case["extension"].as_bool() {
        Some(false) => Machine::published(),
        _ => Machine::new(contexts),
    };
    let (mut values, mut sent) = (Vec::new(), vec![Vec::new(); contexts]);
    for access in accesses {
        let words = list(access)?.iter().map(|word| Ok(u32::try_from(number(word)?)?));
        match words.collect::<Result<Vec<u32>, Failure>>()?[..] {
            [address] => values.push(machine.read_word(address)),
            [address, value] => {
                machine.write_word(address, value);
                for interrupt in machine.run(u32::MAX, &mut |_, _, _| ()) {
                    sent[interrupt.context].push(json!(hexadecimal(&interrupt.to_bytes())));
                }
            }
            _ => return Err("an access is an address, or an address and a value".into()),
        }
    }
    Ok(json!({ "values": values, "interrupts": sent }))
}

fn run(case: &Value) -> Result<Value, Failure> {
    if let Some(accesses) = case["bus"].as_array() {
        return run_bus(case, accesses);
    }
    let contexts = list(&case["contexts"])?;
    let mut machine = match case["extension"].as_bool() {
        Some(false) => Machine::published(),
        _ => Machine::new(contexts.len()),
    };
    for (place, context) in contexts.iter().enumerate() {
        let machine = machine.context_mut(place).ok_or("too many contexts")?;
        machine.load(&program(context)?);
        machine.set_limit(u32::try_from(number(&context["limit"])?)?);
    }
    let mut retired = vec![Vec::new(); contexts.len()];
    let interrupts = machine.run(u32::MAX, &mut |place, done, _| {
        retired[place].push(json!([
            done.pointer,
            done.next,
            hexadecimal(&done.instruction.encode())
        ]));
    });
    let mut sent = vec![Vec::new(); contexts.len()];
    for interrupt in &interrupts {
        sent[interrupt.context].push(json!(hexadecimal(&interrupt.to_bytes())));
    }
    let results: Vec<Value> = machine
        .contexts()
        .iter()
        .zip(retired.into_iter().zip(sent))
        .map(|(context, (retired, sent))| {
            let mut result = state(context);
            result["retired"] = json!(retired);
            result["interrupts"] = json!(sent);
            result
        })
        .collect();
    Ok(json!({ "contexts": results }))
}

fn main() -> Result<(), Failure> {
    let file = std::env::args_os().nth(1).ok_or("usage: coprocessor_trace OUTPUT_FILE")?;
    let mut output = BufWriter::new(File::create(file)?);
    for line in io::stdin().lock().lines() {
        let result = run(&serde_json::from_str(&line?)?)?;
        writeln!(output, "{result}")?;
    }
    output.flush()?;
    Ok(())
}
