// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What commands print: plain tables for people.

/// Prints rows under a header, columns padded to their widest cell; the last column is not.
pub fn print_table(header: &[&str], rows: &[Vec<String>]) {
    let columns = header.len();
    let cells = |column: usize| {
        rows.iter().filter_map(move |row| row.get(column)).map(|cell| cell.chars().count())
    };
    let widths: Vec<usize> = (0..columns)
        .map(|column| cells(column).max().unwrap_or(0).max(header[column].chars().count()))
        .collect();
    let print_row = |row: &[String]| {
        let padded: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        println!("{}", padded.join("  ").trim_end());
    };
    print_row(&header.iter().map(ToString::to_string).collect::<Vec<_>>());
    rows.iter().for_each(|row| print_row(row));
}

/// A count a second with a unit prefix, e.g. `51.3 k/s`.
pub fn rate(count: usize, seconds: f64) -> String {
    if seconds <= 0.0 {
        return "-".into();
    }
    let per_second = count as f64 / seconds;
    match per_second {
        value if value >= 1e6 => format!("{:.2} M/s", value / 1e6),
        value if value >= 1e3 => format!("{:.1} k/s", value / 1e3),
        value => format!("{value:.1} /s"),
    }
}
