// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `ckks-card compile`: the program of an operation for a card, and its cost there.

use halimede_ckks::card::{chrome_trace, compile, core_clocks, listing, report, svg, Card};
use halimede_ckks::card::{CompileOptions as Options, Compiled, CoreOptions, Report};
use serde_json::{json, Value};

use crate::options::{CardSizeOptions, CompileOptions};
use crate::output::{print, text, write};
use crate::program::{recorded, Recorded};

/// Compiles the program, and writes the requested files.
pub fn run(options: &CompileOptions, json: bool) -> Result<(), String> {
    let card = card(&options.card)?;
    let Recorded { parameters, level, program } = recorded(&options.program)?;
    let how = Options { expand: card.expand_words > 0, ..Options::default() };
    let compiled = compile(&program, &card, &how).map_err(text)?;
    let core = CoreOptions::of(&card, &compiled.image);
    let clocks = core_clocks(&compiled.image, &card, &core).clocks;
    let report = report(&program, &compiled, &card, &clocks);
    let files: [(&Option<_>, &dyn Fn() -> Vec<u8>); 5] = [
        (&options.out, &|| compiled.image.to_bytes()),
        (&options.listing, &|| listing(&compiled.image).into_bytes()),
        (&options.timeline, &|| svg(&compiled.image, &clocks, &card).into_bytes()),
        (&options.trace, &|| chrome_trace(&compiled.image, &clocks, &card).to_string().into()),
        (&options.map, &|| json!(compiled.map).to_string().into_bytes()),
    ];
    for (path, content) in files {
        if let Some(path) = path {
            write(path, &content())?;
        }
    }
    let (name, operation) = (parameters.name(), options.program.operation.name());
    let file = options.out.as_ref().map(|path| path.display().to_string());
    let about = json!({
        "parameters": name, "level": level, "operation": operation, "file": file,
    });
    let object = object(&report, &compiled, about);
    let answer = format!("{operation} with {name} at level {level}\n{}", report.text());
    print(&answer, &object, json)
}

fn object(report: &Report, compiled: &Compiled, mut about: Value) -> Value {
    about["report"] = json!(report);
    let order = &compiled.order;
    about["order"] = json!({
        "block": order.block, "merges": order.merges, "is_ahead": order.is_ahead,
        "hurries": order.hurries,
    });
    about["memory_bytes"] = compiled.map.bytes().into();
    about["planned_clocks"] = compiled.planned_clocks.into();
    about
}

/// The largest number of partitions of a scratchpad.
const MOST_PARTITIONS: usize = 64;

/// Returns the card with these sizes.
pub fn card(options: &CardSizeOptions) -> Result<Card, String> {
    let lanes = options.lanes;
    let radix = options.radix.unwrap_or(lanes.min(16));
    if !lanes.is_power_of_two() || !(4..=512).contains(&lanes) {
        return Err(format!("--lanes {lanes}: a power of two from 4 to 512"));
    }
    if !radix.is_power_of_two() || !(2..=16).contains(&radix) || radix > lanes {
        return Err(format!("--radix {radix}: 2, 4, 8 or 16, and at most the lanes"));
    }
    if !(1..=4).contains(&options.columns) {
        return Err(format!("--columns {}: 1 to 4", options.columns));
    }
    check_tables(options.tables)?;
    let partitions = options.partitions;
    if !partitions.is_power_of_two() || partitions > MOST_PARTITIONS {
        return Err(format!("--partitions {partitions}: a power of two up to 64"));
    }
    let positive = [
        ("--scratchpad", options.scratchpad),
        ("--bandwidth", options.bandwidth),
        ("--clock", options.clock),
    ];
    for (name, number) in positive {
        if !(number.is_finite() && number > 0.0 && number < 1e6) {
            return Err(format!("{name} {number}: a number above 0, and below a million"));
        }
    }
    Ok(Card {
        log_lanes: lanes.trailing_zeros(),
        log_radix: radix.trailing_zeros(),
        columns: options.columns,
        tables: options.tables,
        log_partitions: partitions.trailing_zeros(),
        scratchpad_bytes: (options.scratchpad * 1e6) as usize,
        clock_mhz: options.clock,
        bytes_per_second: options.bandwidth * 1e9,
        expand_words: options.expand,
        ..Card::published(0)
    })
}

/// Checks the number of tables of factors of a transform unit.
pub fn check_tables(tables: usize) -> Result<(), String> {
    match tables {
        2 | 4 => Ok(()),
        _ => Err(format!("--tables {tables}: 2 or 4")),
    }
}
