// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A table: figures side by side, each with a mark that names its source.

use serde::Serialize;

/// The source of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// Published by others.
    Published,
    /// Arithmetic on sizes or on published figures.
    Formula,
    /// The model of the card: its sizes, or an operation that is compiled and simulated.
    Model,
    /// A single core, synthesized by Yosys.
    Synthesis,
    /// An estimate; a note below the table has its assumption.
    Estimate,
}

impl Mark {
    pub fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Formula => "formula",
            Self::Model => "model",
            Self::Synthesis => "synthesis",
            Self::Estimate => "estimate",
        }
    }
}

/// A figure, or the reason why it is missing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    Figure { figure: f64, decimals: usize, mark: Mark },
    Missing { missing: &'static str },
}

/// No source at hand has the figure.
pub const UNKNOWN: Cell = Cell::Missing { missing: "unknown" };
/// The quantity does not apply there.
pub const NOTHING: Cell = Cell::Missing { missing: "–" };
/// Nothing computes it yet.
pub const NOT_YET: Cell = Cell::Missing { missing: "none yet" };
/// Computed only with an option.
pub const BY_OPERATIONS: Cell = Cell::Missing { missing: "by --operations" };
pub const BY_BOOTSTRAP: Cell = Cell::Missing { missing: "by --bootstrap" };

impl Cell {
    /// Creates a figure with this number of decimals.
    pub fn new(figure: f64, decimals: usize, mark: Mark) -> Self {
        Self::Figure { figure, decimals, mark }
    }

    /// A whole number.
    pub fn whole(number: usize, mark: Mark) -> Self {
        Self::new(number as f64, 0, mark)
    }

    /// The figure.
    pub fn figure(&self) -> Option<f64> {
        match self {
            Self::Figure { figure, .. } => Some(*figure),
            Self::Missing { .. } => None,
        }
    }

    /// Formats the figure with its decimals, with separated thousands if `groups`.
    pub fn number(&self, groups: bool) -> Option<String> {
        let Self::Figure { figure, decimals, .. } = self else {
            return None;
        };
        let text = format!("{figure:.decimals$}");
        Some(if groups { with_commas(&text) } else { text })
    }

    /// The mark, or the reason why the figure is missing.
    pub fn mark(&self) -> &'static str {
        match self {
            Self::Figure { mark, .. } => mark.name(),
            Self::Missing { missing } => missing,
        }
    }
}

/// A whole number with commas between thousands.
pub fn grouped(number: usize) -> String {
    with_commas(&number.to_string())
}

fn with_commas(text: &str) -> String {
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::new();
    for (place, digit) in whole.char_indices() {
        if place > 0 && (whole.len() - place) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}

/// A quantity: the figures of a row share its unit.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub quantity: String,
    pub unit: &'static str,
    pub cells: Vec<Cell>,
}

/// Rows of figures, with notes.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// The name for programs.
    pub name: &'static str,
    pub title: &'static str,
    /// The published tables with such figures.
    pub paper: &'static str,
    pub columns: Vec<String>,
    pub rows: Vec<Row>,
    /// Inconsistencies of the publication, and assumptions.
    pub notes: Vec<String>,
}

impl Table {
    /// A table without rows.
    pub fn new(
        name: &'static str,
        title: &'static str,
        paper: &'static str,
        columns: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let columns = columns.into_iter().map(Into::into).collect();
        Self { name, title, paper, columns, rows: Vec::new(), notes: Vec::new() }
    }

    /// Adds a row, with a cell for each column.
    pub fn row(&mut self, quantity: impl Into<String>, unit: &'static str, cells: &[Cell]) {
        debug_assert_eq!(cells.len(), self.columns.len());
        self.rows.push(Row { quantity: quantity.into(), unit, cells: cells.to_vec() });
    }

    /// Adds a note.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_cells() {
        let of = |figure, decimals| Cell::new(figure, decimals, Mark::Model).number(true).unwrap();
        assert_eq!(of(0.0, 0), "0");
        assert_eq!(of(999.0, 0), "999");
        assert_eq!(of(1000.0, 0), "1,000");
        assert_eq!(of(1_234_567.891, 2), "1,234,567.89");
        assert_eq!(Cell::whole(42_403, Mark::Formula).number(false).unwrap(), "42403");
        assert_eq!(UNKNOWN.number(true), None);
    }
}
