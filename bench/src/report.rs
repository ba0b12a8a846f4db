// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Results as a table, for the terminal and for Markdown, and as JSON.

use serde::Serialize;

/// The results of one benchmark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchReport {
    /// The name of its block in a document, e.g. `blake3-streams`.
    pub name: &'static str,
    /// The subject of the table, and the unit.
    pub caption: String,
    /// The titles of the columns.
    pub columns: Vec<String>,
    /// The cells, one per column in each row.
    pub rows: Vec<Vec<String>>,
    /// Lines below the table.
    pub notes: Vec<String>,
    /// The same results, one JSON object per line.
    pub json: Vec<String>,
}

impl BenchReport {
    /// Formats the table in aligned columns: text to the left, numbers to the right.
    pub fn text(&self) -> String {
        let widths: Vec<usize> = (0..self.columns.len()).map(|place| self.width(place)).collect();
        let mut text = format!("{}\n", self.caption);
        for row in std::iter::once(&self.columns).chain(&self.rows) {
            let cells = row.iter().zip(&widths).enumerate().map(|(place, (cell, &width))| {
                if self.is_text(place) {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                }
            });
            text += cells.collect::<Vec<_>>().join("  ").trim_end();
            text.push('\n');
        }
        for note in &self.notes {
            text += note;
            text.push('\n');
        }
        text
    }

    /// Formats the table and its notes as Markdown, without empty lines around them.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let mut text = format!("{}\n\n", self.caption);
        text += &line(&self.columns);
        text += &format!("|{}\n", "---|".repeat(self.columns.len()));
        text.extend(self.rows.iter().map(|row| line(row)));
        if !self.notes.is_empty() {
            text += &format!("\n```text\n{}\n```\n", self.notes.join("\n"));
        }
        text
    }

    fn width(&self, place: usize) -> usize {
        let cells = self.rows.iter().map(|row| &row[place]).chain([&self.columns[place]]);
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    }

    /// Returns `true` if a column contains anything except numbers.
    fn is_text(&self, place: usize) -> bool {
        let is_number =
            |cell: &String| matches!(cell.as_str(), "" | "-") || cell.parse::<f64>().is_ok();
        !self.rows.iter().all(|row| is_number(&row[place]))
    }
}

/// Formats one JSON object per line.
///
/// # Errors
/// If a record cannot be serialized.
pub fn json_lines(records: &[impl Serialize]) -> Result<Vec<String>, String> {
    records.iter().map(serde_json::to_string).collect::<Result<_, _>>().map_err(|e| e.to_string())
}

/// Formats a number with this number of decimals, or a dash.
pub fn number_or_dash(number: Option<f64>, digits: usize) -> String {
    number.map_or_else(|| "-".into(), |number| format!("{number:.digits$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> BenchReport {
        let texts = |cells: &[&str]| cells.iter().map(|&cell| cell.to_owned()).collect::<Vec<_>>();
        BenchReport {
            name: "poseidon",
            caption: "Medians, us".into(),
            columns: texts(&["case", "ours", "theirs"]),
            rows: vec![texts(&["first µ", "1.25", "-"]), texts(&["2nd", "113.00", "7.5"])],
            notes: texts(&["A note."]),
            json: Vec::new(),
        }
    }

    #[test]
    fn columns_are_aligned_by_what_they_hold() {
        let lines = ["Medians, us", "case       ours  theirs", "first µ    1.25       -"];
        let rest = ["2nd      113.00     7.5", "A note.", ""];
        assert_eq!(report().text(), [&lines[..], &rest].concat().join("\n"));
    }

    #[test]
    fn markdown_has_a_row_for_each_row() {
        let expected = "Medians, us\n\n| case | ours | theirs |\n|---|---|---|\n\
            | first µ | 1.25 | - |\n| 2nd | 113.00 | 7.5 |\n\n```text\nA note.\n```\n";
        assert_eq!(report().markdown(), expected);
    }

    #[test]
    fn numbers_that_are_absent_are_dashes() {
        assert_eq!([number_or_dash(Some(1.255), 1), number_or_dash(None, 3)], ["1.3", "-"]);
    }
}
