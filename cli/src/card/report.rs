// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede card report`: what the windows of a card's engines tell.

use halimede_arith::job::DeviceError;
use halimede_card::spec::{Capability, WINDOWS};
use halimede_card::{Card, CardError, EngineReport};
use halimede_device::Device;
use serde_json::{json, Map, Value};

use crate::arguments::SelftestOptions;
use crate::devices::settings;
use crate::error::CommandError;
use crate::output::{print_line, print_table};

/// Runs the command.
pub fn run(options: &SelftestOptions, json: bool) -> Result<(), CommandError> {
    let device = Device::open_with(&options.device, &settings(options.time_limit))?;
    let Some(card) = device.card() else {
        let reason = format!("{} is no card: only cards have registers", options.device);
        return Err(CommandError::BadInput(reason));
    };
    let reports = reports(card).map_err(|error| DeviceError::Unavailable {
        device: options.device.clone(),
        reason: error.to_string(),
    })?;
    if json {
        let engines: Map<String, Value> = reports
            .iter()
            .map(|(engine, report)| (engine.name().to_owned(), report_json(report)))
            .collect();
        return print_line(&json!({ "device": options.device, "engines": engines }).to_string());
    }
    let rows: Vec<Vec<String>> = reports.iter().flat_map(|(e, report)| rows(*e, report)).collect();
    print_table(&["engine", "what", "value"], &rows)
}

/// The reports of all engines that the card has.
fn reports(card: &Card) -> Result<Vec<(Capability, EngineReport)>, CardError> {
    let engines = WINDOWS.iter().map(|window| window.capability);
    engines
        .filter(|engine| card.opening_status().has(*engine))
        .map(|engine| Ok((engine, card.engine_report(engine)?)))
        .collect()
}

/// The counters that every engine has.
fn common(report: &EngineReport) -> [(&'static str, u64); 6] {
    [
        ("requests", report.requests),
        ("replies", report.replies),
        ("errors", report.errors),
        ("busy clocks", report.busy),
        ("starved clocks", report.starved),
        ("blocked clocks", report.blocked),
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
    let names = report.pending.iter().map(|interrupt| interrupt.name());
    add("interrupts", names.collect::<Vec<_>>().join(", "));
    rows
}

fn report_json(report: &EngineReport) -> Value {
    let named = |pairs: &[(&'static str, u64)]| {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect()
    };
    let shape: Map<String, Value> =
        report.shape.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    let counters: Map<String, Value> = named(&report.counters);
    let pending: Vec<&str> = report.pending.iter().map(|interrupt| interrupt.name()).collect();
    let enabled: Vec<&str> = report.enabled.iter().map(|interrupt| interrupt.name()).collect();
    let EngineReport { requests, replies, errors, busy, starved, blocked, queue_bytes, .. } =
        report;
    json!({
        "requests": requests, "replies": replies, "errors": errors, "busy_clocks": busy,
        "starved_clocks": starved, "blocked_clocks": blocked, "queue_bytes": queue_bytes,
        "counters": counters, "shape": shape, "interrupts_pending": pending,
        "interrupts_enabled": enabled,
    })
}
