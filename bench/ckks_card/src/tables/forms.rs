// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tables as Markdown and as comma-separated values.

use std::fmt::Write;

use super::table::{Cell, Row, Table};

/// All tables, with their notes. Rows and columns without a figure are omitted. The heading of
/// a column has its most frequent mark, and figures with another mark have their own.
pub fn markdown(tables: &[Table], known: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for table in tables {
        let _ = writeln!(text, "**{}** ({})\n", table.title, table.paper);
        write_rows(&mut text, table);
        for note in &table.notes {
            let _ = writeln!(text, "- {note}");
        }
        if !table.notes.is_empty() {
            text.push('\n');
        }
    }
    text.push_str("**Known parts of the published tables**\n\n| | |\n|---|---|\n");
    for (exhibit, state) in known {
        let _ = writeln!(text, "| {exhibit} | {state} |");
    }
    text
}

fn has_figure(cell: &Cell) -> bool {
    cell.figure().is_some()
}

/// Appends the headings and rows, and an empty line.
fn write_rows(text: &mut String, table: &Table) {
    let rows = table.rows.iter().filter(|row| row.cells.iter().any(has_figure));
    let rows: Vec<&Row> = rows.collect();
    if rows.is_empty() {
        return;
    }
    // The places of the columns, with the marks in their headings.
    let mut columns: Vec<(usize, &'static str)> = Vec::new();
    let mut headings: Vec<String> = Vec::new();
    for (place, name) in table.columns.iter().enumerate() {
        let cells = rows.iter().map(|row| &row.cells[place]);
        let marks: Vec<&'static str> =
            cells.filter(|cell| has_figure(cell)).map(Cell::mark).collect();
        let count = |mark: &str| marks.iter().filter(|other| **other == mark).count();
        let Some(mark) = marks.iter().copied().max_by_key(|mark| count(mark)) else {
            continue;
        };
        columns.push((place, mark));
        headings.push(match name.starts_with(mark) {
            true => name.clone(),
            false => format!("{name} ({mark})"),
        });
    }
    let _ = writeln!(text, "| | {} |", headings.join(" | "));
    let _ = writeln!(text, "|---|{}", "---|".repeat(columns.len()));
    for row in rows {
        let cells = columns.iter().map(|&(place, mark)| {
            let cell = &row.cells[place];
            match cell.number(true) {
                Some(number) if cell.mark() == mark => number,
                Some(number) => format!("{number} ({})", cell.mark()),
                None => cell.mark().to_owned(),
            }
        });
        let cells = cells.collect::<Vec<_>>().join(" | ");
        let unit = if row.unit.is_empty() { "" } else { ", " };
        let _ = writeln!(text, "| {}{unit}{} | {cells} |", row.quantity, row.unit);
    }
    text.push('\n');
}

/// Formats one line per cell.
pub fn csv(tables: &[Table]) -> String {
    let mut text = "table,published in,quantity,unit,column,figure,mark\n".to_owned();
    for table in tables {
        for row in &table.rows {
            for (column, cell) in table.columns.iter().zip(&row.cells) {
                let of_row = [table.name, table.paper, &row.quantity, row.unit, column];
                let of_row = of_row.map(|text| format!("\"{}\"", text.replace('"', "\"\"")));
                let figure = cell.number(false).unwrap_or_default();
                let _ = writeln!(text, "{},{figure},\"{}\"", of_row.join(","), cell.mark());
            }
        }
    }
    text
}
