// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A plan as a table.

use std::fmt;

use super::plan::Plan;

impl Plan {
    /// Returns the names of the operations that need a key: bootstraps by number of slots, and each
    /// rotation.
    pub fn keys(&self) -> Vec<String> {
        let operations = self.operations();
        let others = [
            (operations.multiply, "products"),
            (operations.conjugate, "conjugates"),
            (operations.bootstrap, "bootstraps"),
        ];
        let others = others.iter().filter(|(is_needed, _)| *is_needed);
        let few = operations.bootstrap_slots.iter();
        let few = few.map(|slots| format!("bootstraps of {slots} slots"));
        let rotations = operations.rotations.iter().map(|by| format!("rotation by {by}"));
        others.map(|(_, name)| (*name).to_owned()).chain(few).chain(rotations).collect()
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = ["step", "what", "of", "level", "values up to", "called"].map(str::to_owned);
        let rows = self.steps().iter().enumerate().map(|(place, step)| {
            let operands: Vec<String> =
                step.operands().iter().map(|operand| (operand + 1).to_string()).collect();
            [
                (place + 1).to_string(),
                step.description(),
                operands.join(", "),
                step.level().to_string(),
                magnitude(step.magnitude()),
                step.label().unwrap_or_default().to_owned(),
            ]
        });
        let rows: Vec<[String; 6]> = std::iter::once(header).chain(rows).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
        let widths: Vec<usize> = (0..6).map(|column| width(column).unwrap_or(0)).collect();
        for row in &rows {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            writeln!(f, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        let least = if self.is_least() { "" } else { ", perhaps more than needed" };
        writeln!(f, "depth       {}", self.depth())?;
        writeln!(f, "bootstraps  {}{least}", self.bootstraps())?;
        let keys = self.keys();
        let keys = if keys.is_empty() { "none".to_owned() } else { keys.join(", ") };
        write!(f, "keys        {keys}")
    }
}

/// Returns the number with three digits.
fn magnitude(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value) {
        let digits = if value >= 100.0 { 0 } else { 3 };
        return format!("{value:.digits$}");
    }
    format!("{value:.2e}")
}
