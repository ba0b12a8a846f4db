// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede bls run`: runs programs in the instruction-set simulator, or on a device.

use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use halimede_arith::job::Execute;
use halimede_bls12_381::coprocessor::isa::CONTEXTS;
use halimede_bls12_381::coprocessor::{
    Assembly, Context, ErrorWord, Instruction, Interrupt, Machine, Message, Retired, Slot, State,
    Word,
};
use halimede_bls12_381::operations::{End, Outcome, ProgramRequest, RunProgram};
use serde_json::{json, Value};

use super::data::{elements, Data};
use super::read_program;
use crate::arguments::BlsRunOptions;
use crate::devices::open;
use crate::error::CommandError;
use crate::output::print_line;

/// Runs programs, and prints what they send and how they end.
pub fn run(options: &BlsRunOptions, json: bool) -> Result<(), CommandError> {
    if options.device.device != "cpu" {
        return run_on_device(options, json);
    }
    let assemblies = assemblies(options)?;
    let mut machine = loaded(options, &assemblies);
    let mut watch = Watch::new(options, json);
    machine.run_while(options.limit, &mut |program, retired, context, interrupt| {
        watch.step(program, retired, context);
        watch.sent(interrupt.as_ref());
        watch.goes_on()
    });
    let Watch { steps, sent, printed, is_ended_by, .. } = watch;
    printed?;
    let ends: Vec<Value> = machine
        .contexts()
        .iter()
        .zip(&options.programs)
        .zip(&assemblies)
        .map(|((context, path), assembly)| end_of(context, path, assembly, options.dump))
        .collect();
    print_all(&sent, &ends, options.step.then_some(steps), json)?;
    is_ended_by.map_or(Ok(()), |reason| Err(CommandError::ProgramStopped(reason)))
}

/// Collects the steps and the sent values of programs, within the limits of time and output.
struct Watch<'o> {
    options: &'o BlsRunOptions,
    json: bool,
    start: Instant,
    /// The printed form of the steps, which takes less memory than the steps.
    steps: Vec<String>,
    sent: Vec<String>,
    /// The number of bytes of both, and of the steps printed so far.
    bytes: u64,
    printed: Result<(), CommandError>,
    /// The message about the limit that ended the run.
    is_ended_by: Option<String>,
}

impl<'o> Watch<'o> {
    fn new(options: &'o BlsRunOptions, json: bool) -> Self {
        let (steps, sent, start) = (Vec::new(), Vec::new(), Instant::now());
        Self { options, json, start, steps, sent, bytes: 0, printed: Ok(()), is_ended_by: None }
    }

    fn step(&mut self, program: usize, retired: Option<&Retired>, context: &Context) {
        let Some(retired) = retired.filter(|_| self.options.step) else { return };
        let step = step_of(program, retired, context);
        let text = if self.json { step.to_string() } else { step_text(&step) };
        self.bytes += text.len() as u64;
        match self.json {
            true => self.steps.push(text),
            false => self.printed = print_line(&text),
        }
    }

    fn sent(&mut self, interrupt: Option<&Interrupt>) {
        if let Some(sent) = interrupt.and_then(interrupt_of) {
            let text = sent_text(&sent, self.json);
            self.bytes += text.len() as u64;
            self.sent.push(text);
        }
    }

    fn goes_on(&mut self) -> ControlFlow<()> {
        let BlsRunOptions { time, most_output, .. } = self.options;
        if self.start.elapsed() >= *time {
            let reason =
                format!("the programs were stopped after {time:?}: raise the limit with --time");
            self.is_ended_by = Some(reason);
        } else if self.bytes > *most_output {
            let reason = format!(
                "the programs were stopped, because they printed more than {most_output} bytes: \
                 raise the limit with --most-output"
            );
            self.is_ended_by = Some(reason);
        }
        match self.printed.is_ok() && self.is_ended_by.is_none() {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }
}

/// Runs each program separately on a device.
fn run_on_device(options: &BlsRunOptions, json: bool) -> Result<(), CommandError> {
    if options.step || options.dump || !options.breakpoints.is_empty() {
        let reason = "--step, --dump and --break need --device cpu";
        return Err(CommandError::BadInput(reason.into()));
    }
    let assemblies = assemblies(options)?;
    let limit = NonZeroU32::new(options.limit).unwrap_or(NonZeroU32::MIN);
    let requests: Vec<ProgramRequest> = assemblies
        .iter()
        .map(|assembly| ProgramRequest { program: assembly.program.clone(), limit })
        .collect();
    let device = open(&options.device)?;
    let replies = Execute::<RunProgram>::execute(&device, &requests)?.replies;
    let (mut sent, mut ends) = (Vec::new(), Vec::new());
    for (number, reply) in replies.into_iter().enumerate() {
        let (path, assembly) = (&options.programs[number], &assemblies[number]);
        let at = |error| CommandError::BadInput(format!("{}: {error}", path.display()));
        let outcome = reply.map_err(at)?;
        let elements = outcome.results.iter();
        sent.extend(
            elements
                .map(|element| sent_text(&sent_of(number, element.index, &element.slots), json)),
        );
        ends.push(end_of_outcome(&outcome, path, assembly));
    }
    print_all(&sent, &ends, None, json)
}

/// Prints the sent values and the ends of the programs. Fails if a program stopped with an error.
fn print_all(
    sent: &[String],
    ends: &[Value],
    steps: Option<Vec<String>>,
    json: bool,
) -> Result<(), CommandError> {
    if json {
        let (sent, ends) = (sent.join(","), json!(ends));
        let mut object = format!("{{\"interrupts\":[{sent}],\"programs\":{ends}");
        if let Some(steps) = steps {
            object += &format!(",\"steps\":[{}]", steps.join(","));
        }
        print_line(&(object + "}"))?;
    } else {
        let ends: Vec<String> = ends.iter().map(end_text).collect();
        print_line(&[sent, &ends].concat().join("\n"))?;
    }
    let mut stopped = ends.iter().filter_map(|end| end["error"]["text"].as_str());
    match stopped.next() {
        Some(first) => Err(CommandError::ProgramStopped(first.into())),
        None => Ok(()),
    }
}

/// Assembles the programs and adds their data.
fn assemblies(options: &BlsRunOptions) -> Result<Vec<Assembly>, CommandError> {
    let (programs, data) = (options.programs.len(), options.data.len());
    if programs > CONTEXTS || data > programs {
        let reason = match data > programs {
            true => format!("{data} files of data for {programs} programs"),
            false => format!("{programs} programs; the maximum is {CONTEXTS}"),
        };
        return Err(CommandError::BadInput(reason));
    }
    let mut assemblies = Vec::with_capacity(programs);
    for (number, path) in options.programs.iter().enumerate() {
        let mut assembly = read_program(path)?;
        if let Some(path) = options.data.get(number) {
            Data::read(path)?.add_to(&mut assembly.program);
        }
        assemblies.push(assembly);
    }
    Ok(assemblies)
}

fn loaded(options: &BlsRunOptions, assemblies: &[Assembly]) -> Machine {
    let mut machine = Machine::new(assemblies.len());
    for (number, assembly) in assemblies.iter().enumerate() {
        if let Some(context) = machine.context_mut(number) {
            context.load(&assembly.program);
            for place in &options.breakpoints {
                context.set_breakpoint(*place, true);
            }
        }
    }
    machine
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

/// Describes an element in a line; only its first value is printed.
fn element_text(element: &Value) -> String {
    let values: Vec<&str> =
        element["values"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let kind = element["kind"].as_str().unwrap_or_default();
    let more =
        if values.len() > 1 { format!(" and {} more", values.len() - 1) } else { String::new() };
    let first = values.first().copied().unwrap_or_default();
    format!("{}: {kind} {first}{more}", element["slot"])
}

/// Returns the printed form of a sent element.
fn sent_text(sent: &Value, json: bool) -> String {
    match json {
        true => sent.to_string(),
        false => interrupt_text(sent),
    }
}

fn interrupt_of(interrupt: &Interrupt) -> Option<Value> {
    let Message::Element { index, slots } = &interrupt.message else { return None };
    Some(sent_of(interrupt.context, *index, slots))
}

fn sent_of(program: usize, index: u16, slots: &[Slot]) -> Value {
    let values: Vec<String> = slots.iter().map(|slot| slot.number.to_string()).collect();
    let kind = slots.first().map_or("", |slot| slot.kind.name());
    json!({ "program": program, "index": index, "kind": kind, "values": values })
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
        let instruction = context.instruction(error.pointer.into());
        end["error"] = error_of(&error, instruction, path, assembly);
    }
    if dump {
        let slots = context.slots().iter().copied().enumerate();
        let written: Vec<(usize, Slot)> =
            slots.filter(|(_, slot)| *slot != Slot::default()).collect();
        end["slots"] = elements(&written).into();
    }
    end
}

fn end_of_outcome(outcome: &Outcome, path: &Path, assembly: &Assembly) -> Value {
    let (state, place) = match outcome.end {
        End::Waiting(place) => ("waiting", place),
        End::Stopped(error) => ("stopped", error.pointer),
    };
    let mut end = json!({
        "file": path.display().to_string(), "state": state, "place": place,
        "instructions": outcome.instructions, "clocks": outcome.clocks,
    });
    if let End::Stopped(error) = outcome.end {
        let instruction = assembly.program.instructions.get(usize::from(error.pointer));
        end["error"] = error_of(&error, instruction.copied(), path, assembly);
    }
    end
}

fn error_of(
    error: &ErrorWord,
    instruction: Option<Word>,
    path: &Path,
    assembly: &Assembly,
) -> Value {
    let line = assembly.lines.get(&error.pointer);
    let instruction = instruction.and_then(Instruction::decode);
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
        format!("{file}: {state} at {} after {} instructions", end["place"], end["instructions"]);
    let clocks = &end["published_clocks"];
    if let Some(clocks) = end["clocks"].as_u64() {
        text += &format!(" in {clocks} clocks");
    }
    if clocks["instructions"].as_u64().is_some_and(|instructions| instructions != 0) {
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
