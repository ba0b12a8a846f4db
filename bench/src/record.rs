// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The result of one comparison.

use serde::Serialize;

use crate::report::{json_lines, number_or_dash, BenchReport};

/// One comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Record {
    /// The engine.
    pub bench: &'static str,
    /// The case.
    pub case: String,
    /// The device of ours.
    pub device: &'static str,
    /// The processor's backend that ours used.
    pub backend: &'static str,
    /// The number of threads of each side.
    pub threads: usize,
    /// Our median, in `unit`.
    pub ours: f64,
    /// The unit of `ours` and `theirs`; less is better.
    pub unit: &'static str,
    /// The peer and its version.
    pub peer: &'static str,
    /// The peer's median, in `unit`, if the peer is available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theirs: Option<f64>,
    /// theirs / ours: above 1, ours is faster by this factor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// The target ratio, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aim: Option<f64>,
}

/// The report of these records.
///
/// # Errors
/// If a record cannot be serialized.
pub fn report(
    name: &'static str,
    records: &[Record],
    note: Option<String>,
) -> Result<BenchReport, String> {
    let titles = ["case", "backend", "threads", "ours", "theirs", "ratio", "aim", "peer"];
    let row = |record: &Record| {
        vec![
            record.case.clone(),
            record.backend.to_owned(),
            record.threads.to_string(),
            number_or_dash(Some(record.ours), 3),
            number_or_dash(record.theirs, 3),
            number_or_dash(record.ratio, 2),
            number_or_dash(record.aim, 2),
            record.peer.to_owned(),
        ]
    };
    let unit = records.first().map_or("", |record| record.unit);
    Ok(BenchReport {
        name,
        caption: format!("Medians, {unit}; less is better."),
        columns: titles.map(str::to_owned).to_vec(),
        rows: records.iter().map(row).collect(),
        notes: note.into_iter().collect(),
        json: json_lines(records)?,
    })
}
