// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede bls run`: programs in the instruction-set simulator.

use std::path::Path;

use halimede_bls12_381::coprocessor::isa::CONTEXTS;
use halimede_bls12_381::coprocessor::{
    Assembly, Context, ErrorWord, Instruction, Interrupt, Machine, Message, Retired, Slot, State,
};
use serde_json::{json, Value};

use super::data::{elements, Data};
use super::read_program;
use crate::arguments::BlsRunOptions;
use crate::error::CommandError;
use crate::output::print_line;

/// Runs programs, and prints what they send and how they end.
pub fn run(options: &BlsRunOptions, json: bool) -> Result<(), CommandError> {
    let (mut machine, assemblies) = loaded(options)?;
    let mut steps = Vec::new();
    let mut printed = Ok(());
    let mut step = |program: usize, retired: &Retired, context: &Context| {
        let step = step_of(program, retired, context);
        match json {
            true => steps.push(step),
            false if printed.is_ok() => printed = print_line(&step_text(&step)),
            false => {}
        }
    };
    let mut nothing = |_: usize, _: &Retired, _: &Context| ();
    let interrupts = match options.step {
        true => machine.run(options.limit, &mut step),
        false => machine.run(options.limit, &mut nothing),
    };
    printed?;
    let sent: Vec<Value> = interrupts.iter().filter_map(interrupt_of).collect();
    let ends: Vec<Value> = machine
        .contexts()
        .iter()
        .zip(&options.programs)
        .zip(&assemblies)
        .map(|((context, path), assembly)| end_of(context, path, assembly, options.dump))
        .collect();
    if json {
        let mut object = json!({ "programs": ends, "interrupts": sent });
        if options.step {
            object["steps"] = steps.into();
        }
        print_line(&object.to_string())?;
    } else {
        let lines: Vec<String> =
            sent.iter().map(interrupt_text).chain(ends.iter().map(end_text)).collect();
        print_line(&lines.join("\n"))?;
    }
    let mut stopped = ends.iter().filter_map(|end| end["error"]["text"].as_str());
    match stopped.next() {
        Some(first) => Err(CommandError::ProgramStopped(first.into())),
        None => Ok(()),
    }
}

fn loaded(options: &BlsRunOptions) -> Result<(Machine, Vec<Assembly>), CommandError> {
    let (programs, data) = (options.programs.len(), options.data.len());
    if programs > CONTEXTS || data > programs {
        let reason = match data > programs {
            true => format!("{data} files of data for {programs} programs"),
            false => format!("{programs} programs; {CONTEXTS} are the most"),
        };
        return Err(CommandError::BadInput(reason));
    }
    let mut machine = Machine::new(programs);
    let mut assemblies = Vec::with_capacity(programs);
    for (number, path) in options.programs.iter().enumerate() {
        let mut assembly = read_program(path)?;
        if let Some(path) = options.data.get(number) {
            Data::read(path)?.add_to(&mut assembly.program);
        }
        if let Some(context) = machine.context_mut(number) {
            context.load(&assembly.program);
            for place in &options.breakpoints {
                context.set_breakpoint(*place, true);
            }
        }
        assemblies.push(assembly);
    }
    Ok((machine, assemblies))
}

fn step_of(program: usize, retired: &Retired, context: &Context) -> Value {
    let written: Vec<(usize, Slot)> =
        retired.written.clone().map(|place| (place, context.slots()[place])).collect();
    json!({
        "program": program, "place": retired.pointer, "next": retired.next,
        "instruction": retired.instruction.to_string(), "written": elements(&written),
    })
}

fn step_text(step: &Value) -> String {
    let written = step["written"].as_array().into_iter().flatten().map(element_text);
    let written = written.collect::<Vec<_>>().join("; ");
    let [program, place] = ["program", "place"].map(|name| step[name].as_u64().unwrap_or(0));
    let instruction = step["instruction"].as_str().unwrap_or_default();
    format!("{program}:{place:<3} {instruction:<32} {written}").trim_end().to_owned()
}

/// An element in a line, which is cut where it is long.
fn element_text(element: &Value) -> String {
    let values: Vec<&str> =
        element["values"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let kind = element["kind"].as_str().unwrap_or_default();
    let more =
        if values.len() > 1 { format!(" and {} more", values.len() - 1) } else { String::new() };
    let first = values.first().copied().unwrap_or_default();
    format!("{}: {kind} {first}{more}", element["slot"])
}

fn interrupt_of(interrupt: &Interrupt) -> Option<Value> {
    let Message::Element { index, slots } = &interrupt.message else { return None };
    let values: Vec<String> = slots.iter().map(|slot| slot.number.to_string()).collect();
    let kind = slots.first().map_or("", |slot| slot.kind.name());
    Some(json!({ "program": interrupt.context, "index": index, "kind": kind, "values": values }))
}

fn interrupt_text(interrupt: &Value) -> String {
    let values = interrupt["values"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let kind = interrupt["kind"].as_str().unwrap_or_default();
    let head =
        format!("interrupt {} of program {}: {kind}", interrupt["index"], interrupt["program"]);
    std::iter::once(head)
        .chain(values.map(|value| format!("  {value}")))
        .collect::<Vec<_>>()
        .join("\n")
}

fn end_of(context: &Context, path: &Path, assembly: &Assembly, dump: bool) -> Value {
    let (retired, clocks) = context.retired();
    let state = match context.state() {
        State::Waiting => "waiting",
        State::Stopped(_) => "stopped",
        State::Running => "paused",
    };
    let mut end = json!({
        "file": path.display().to_string(), "state": state, "place": context.pointer(),
        "instructions": retired,
        "published_clocks": { "clocks": clocks.clocks, "instructions": u64::from(retired) - clocks.others },
    });
    if let State::Stopped(error) = context.state() {
        end["error"] = error_of(&error, context, path, assembly);
    }
    if dump {
        let slots = context.slots().iter().copied().enumerate();
        let written: Vec<(usize, Slot)> =
            slots.filter(|(_, slot)| *slot != Slot::default()).collect();
        end["slots"] = elements(&written).into();
    }
    end
}

fn error_of(error: &ErrorWord, context: &Context, path: &Path, assembly: &Assembly) -> Value {
    let line = assembly.lines.get(&error.pointer);
    let instruction = context.instruction(error.pointer.into()).and_then(Instruction::decode);
    let place = match (line, instruction) {
        (Some(line), Some(instruction)) => format!("line {line}, {instruction}"),
        (Some(line), None) => format!("line {line}"),
        (None, _) => format!("place {}", error.pointer),
    };
    let meaning = error.fault.meaning();
    json!({
        "name": error.fault.name(), "code": error.fault as u8, "word": error.to_word(), "line": line,
        "text": format!("{}: {place}: {meaning}", path.display()),
    })
}

fn end_text(end: &Value) -> String {
    let [file, state] = ["file", "state"].map(|name| end[name].as_str().unwrap_or_default());
    let mut text =
        format!("{file}: {state} at {} behind {} instructions", end["place"], end["instructions"]);
    let clocks = &end["published_clocks"];
    if clocks["instructions"] != 0 {
        text += &format!(
            "; clocks of {} of them in the published coprocessor: {}",
            clocks["instructions"], clocks["clocks"]
        );
    }
    for element in end["slots"].as_array().into_iter().flatten() {
        text += &format!("\n  {}", element_text(element));
    }
    text
}
