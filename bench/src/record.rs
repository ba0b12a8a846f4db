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
    /// Threads of either side.
    pub threads: usize,
    /// Our median, in `unit`.
    pub ours: f64,
    /// What `ours` and `theirs` count; less is better.
    pub unit: &'static str,
    /// The peer and its version.
    pub peer: &'static str,
    /// The peer's median, in `unit`.
    pub theirs: f64,
    /// theirs / ours: above 1 ours is better by that factor.
    pub ratio: f64,
    /// The ratio that is aimed at.
    pub aim: f64,
}

/// Prints the records: one JSON object a line, or a table.
pub fn print(records: &[Record], json: bool) {
    if json {
        for record in records {
            match serde_json::to_string(record) {
                Ok(line) => println!("{line}"),
                Err(error) => eprintln!("halimede-bench: {error}"),
            }
        }
        return;
    }
    println!(
        "{:<34} {:>7} {:>12} {:>12} {:<10} {:>6} {:>6}  peer",
        "case", "threads", "ours", "theirs", "unit", "ratio", "aim"
    );
    for r in records {
        println!(
            "{:<34} {:>7} {:>12.3} {:>12.3} {:<10} {:>6.2} {:>6.2}  {}",
            r.case, r.threads, r.ours, r.theirs, r.unit, r.ratio, r.aim, r.peer
        );
    }
}
