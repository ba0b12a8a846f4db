// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tables as Markdown and as comma-separated values.

use std::fmt::Write;

use super::table::Table;

/// All tables, with their notes.
pub fn markdown(tables: &[Table], known: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for table in tables {
        let _ = writeln!(text, "**{}** ({})\n", table.title, table.paper);
        if !table.rows.is_empty() {
            let _ = writeln!(text, "| | {} |", table.columns.join(" | "));
            let _ = writeln!(text, "|---|{}", "---|".repeat(table.columns.len()));
        }
        for row in &table.rows {
            let cells = row.cells.iter().map(|cell| match cell.number(true) {
                Some(number) => format!("{number} ({})", cell.mark()),
                None => cell.mark().to_owned(),
            });
            let cells = cells.collect::<Vec<_>>().join(" | ");
            let unit = if row.unit.is_empty() { "" } else { ", " };
            let _ = writeln!(text, "| {}{unit}{} | {cells} |", row.quantity, row.unit);
        }
        if !table.rows.is_empty() {
            text.push('\n');
        }
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
