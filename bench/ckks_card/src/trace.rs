// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `ckks-card trace`: the steps of an operation in the ring.

use halimede_ckks::fhetch::Trace;
use serde_json::json;

use crate::options::TraceOptions;
use crate::output::{print, text, write};
use crate::program::{recorded, Recorded};

/// Records the program without arithmetic and without making keys.
pub fn run(options: &TraceOptions, json: bool) -> Result<(), String> {
    let Recorded { parameters, level, program } = recorded(&options.program)?;
    if let Some(path) = &options.out {
        let mut steps = Vec::new();
        if path.extension().is_some_and(|end| end == "fhetch") {
            steps = Trace::of_program(&program).map_err(text)?.to_text().into_bytes();
        } else {
            program.write_json(&mut steps).map_err(text)?;
        }
        write(path, &steps)?;
    }
    let notes = program.notes.iter().map(|note| format!("step {}: {}", note.step, note.text));
    let notes: Vec<String> = notes.collect();
    let (name, operation) = (parameters.name(), options.program.operation.name());
    let count = program.steps.len();
    let object = json!({
        "parameters": name, "operation": operation, "level": level, "steps": count,
        "counts": program.counts(), "notes": notes,
        "file": options.out.as_ref().map(|path| path.display().to_string()),
    });
    let counts = program.counts().to_string();
    let notes = notes.iter().map(|note| format!("\n{note}")).collect::<String>();
    let answer =
        format!("{operation} with {name} at level {level}: {count} steps\n{counts}{notes}");
    print(answer.trim_end(), &object, json)
}
