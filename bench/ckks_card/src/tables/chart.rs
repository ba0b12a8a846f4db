// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tables as bars: one self-contained drawing. Each row has its own scale.

use std::fmt::Write;

use super::table::{Cell, Mark, Row, Table};
use crate::output::escaped;

/// Sizes in pixels: the longest bar, the labels left of it, the whole width, the height of a bar,
/// and the distance between rows.
const BAR: f64 = 420.0;
const LEFT: f64 = 420.0;
const WIDTH: f64 = 1200.0;
const HEIGHT: f64 = 15.0;
const GAP: f64 = 10.0;
const TITLE: f64 = 34.0;

/// Draws all rows with figures.
pub fn svg(tables: &[Table]) -> String {
    let mut body = String::new();
    let mut y = GAP;
    for table in tables {
        let rows: Vec<&Row> = table.rows.iter().filter(|row| figures(row).count() > 0).collect();
        if rows.is_empty() {
            continue;
        }
        y += TITLE;
        let title = escaped(&format!("{} ({})", table.title, table.paper));
        let _ = writeln!(
            body,
            "<text x=\"{GAP}\" y=\"{:.0}\" font-weight=\"bold\">{title}</text>",
            y - GAP
        );
        for row in rows {
            y = bars(&mut body, table, row, y) + GAP;
        }
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH:.0} {y:.0}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{body}</svg>\n"
    )
}

fn figures(row: &Row) -> impl Iterator<Item = f64> + '_ {
    row.cells.iter().filter_map(Cell::figure)
}

/// Draws the bars of a row from this height on, and returns their end.
fn bars(body: &mut String, table: &Table, row: &Row, mut y: f64) -> f64 {
    let most = figures(row).fold(0.0, f64::max);
    let unit = if row.unit.is_empty() { String::new() } else { format!(", {}", row.unit) };
    let _ = writeln!(
        body,
        "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{}</text>",
        LEFT - GAP,
        y + HEIGHT - 3.0,
        escaped(&format!("{}{unit}", row.quantity))
    );
    for (column, cell) in table.columns.iter().zip(&row.cells) {
        let (Cell::Figure { figure, mark, .. }, Some(number)) = (cell, cell.number(true)) else {
            continue;
        };
        let width = if most > 0.0 { BAR * figure / most } else { 0.0 };
        let label = escaped(&format!("{number} {column} ({})", mark.name()));
        let _ = writeln!(
            body,
            "<rect x=\"{LEFT}\" y=\"{y:.0}\" width=\"{:.1}\" height=\"{:.0}\" fill=\"{}\"/>\
             <text x=\"{:.1}\" y=\"{:.0}\">{label}</text>",
            width.max(1.0),
            HEIGHT - 2.0,
            color(*mark),
            LEFT + width + 6.0,
            y + HEIGHT - 3.0
        );
        y += HEIGHT;
    }
    y
}

fn color(mark: Mark) -> &'static str {
    match mark {
        Mark::Published => "#b2182b",
        Mark::Formula => "#9ecae9",
        Mark::Model => "#4c78a8",
        Mark::Synthesis => "#54a24b",
        Mark::Estimate => "#f58518",
    }
}
