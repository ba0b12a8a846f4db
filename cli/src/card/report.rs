// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede card report`: prints the counters and settings in the register windows of a card's
//! engines.

use halimede_device::{Capability, Device, EngineReport, Interrupt};
use serde_json::{json, Map, Value};

use crate::arguments::SelftestOptions;
use crate::devices::settings;
use crate::error::CommandError;
use crate::output::{print_line, print_table};

/// Runs the command.
pub fn run(options: &SelftestOptions, json: bool) -> Result<(), CommandError> {
    let device = Device::open_with(&options.device, &settings(options.time_limit))?;
    let windows = device.windows()?;
    let mut reports = Vec::new();
    for engine in windows.engines() {
        reports.push((engine, windows.report(engine)?));
    }
    if json {
        let engines: Map<String, Value> = reports
            .iter()
            .map(|(engine, report)| (engine.name().to_owned(), json!(report)))
            .collect();
        return print_line(&json!({ "device": options.device, "engines": engines }).to_string());
    }
    let rows: Vec<Vec<String>> = reports.iter().flat_map(|(e, report)| rows(*e, report)).collect();
    print_table(&["engine", "name", "value"], &rows)
}

/// The counters that every engine has.
fn common(report: &EngineReport) -> [(&'static str, u64); 8] {
    [
        ("requests", report.requests),
        ("replies", report.replies),
        ("errors", report.errors),
        ("memory errors", report.memory_errors),
        ("time-outs", report.time_outs),
        ("busy clocks", report.busy_clocks),
        ("starved clocks", report.starved_clocks),
        ("blocked clocks", report.blocked_clocks),
    ]
}

fn rows(engine: Capability, report: &EngineReport) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut add = |what: &str, value: String| {
        rows.push(vec![engine.name().to_owned(), what.to_owned(), value]);
    };
    for (name, value) in common(report) {
        add(name, value.to_string());
    }
    for (name, value) in &report.counters {
        add(name, value.to_string());
    }
    for (name, value) in &report.shape {
        add(name, format!("{value:#010x}"));
    }
    add("queue bytes", report.queue_bytes.to_string());
    let names = report.interrupts_pending.iter().copied().map(Interrupt::name);
    add("interrupts", names.collect::<Vec<_>>().join(", "));
    rows
}
