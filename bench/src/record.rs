// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A line of a result, as JSON or in a table.

use serde::Serialize;

/// One comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Record {
    /// The engine.
    pub bench: &'static str,
    /// What was done.
    pub case: String,
    /// Where ours ran.
    pub device: &'static str,
    /// The processor's backend that ours used.
    pub backend: &'static str,
    /// Threads of either side.
    pub threads: usize,
    /// Our median, in `unit`.
    pub ours: f64,
    /// What `ours` and `theirs` count; less is better.
    pub unit: &'static str,
    /// The peer and its version.
    pub peer: &'static str,
    /// The peer's median, in `unit`, where the peer is here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theirs: Option<f64>,
    /// theirs / ours: above 1 ours is better by that factor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// The ratio that is aimed at, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aim: Option<f64>,
}

/// Prints one JSON object a line.
pub fn print_json(records: &[impl Serialize]) {
    for record in records {
        match serde_json::to_string(record) {
            Ok(line) => println!("{line}"),
            Err(error) => eprintln!("halimede-bench: {error}"),
        }
    }
}

/// Prints the records: one JSON object a line, or a table.
pub fn print(records: &[Record], json: bool) {
    if json {
        return print_json(records);
    }
    if let Some(record) = records.first() {
        println!("device {}, medians of one {}", record.device, record.unit);
    }
    println!(
        "{:<34} {:<10} {:>7} {:>9} {:>9} {:>6} {:>6}  peer",
        "case", "backend", "threads", "ours", "theirs", "ratio", "aim"
    );
    for r in records {
        let or_none = |number: Option<f64>, digits: usize| {
            number.map_or_else(|| "-".into(), |number| format!("{number:.digits$}"))
        };
        let [theirs, ratio, aim] = [(r.theirs, 3), (r.ratio, 2), (r.aim, 2)]
            .map(|(number, digits)| or_none(number, digits));
        println!(
            "{:<34} {:<10} {:>7} {:>9.3} {theirs:>9} {ratio:>6} {aim:>6}  {}",
            r.case, r.backend, r.threads, r.ours, r.peer
        );
    }
}
