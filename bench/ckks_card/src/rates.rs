// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `ckks-card rates`: operations per second of a card of the published accelerator's size.

use std::fmt::Write;

use serde_json::json;

use crate::compile::check_tables;
use crate::operations::{
    basic_operations, bootstrap, share, title, CardOperation, Measured, CARDS,
};
use crate::options::{RatesOptions, TableFormat};
use crate::output::print;

/// Compiles and measures all operations, and prints the table.
pub fn run(options: &RatesOptions, json: bool) -> Result<(), String> {
    check_tables(options.tables)?;
    let mut operations = basic_operations()?;
    if !options.basic {
        operations.push(bootstrap()?);
    }
    let mut table = Vec::new();
    for operation in &operations {
        table.push((operation, operation.measure(options.tables, options.expand)?));
    }
    let text = match options.format {
        TableFormat::Markdown => markdown(&table),
        TableFormat::Csv => csv(&table),
    };
    let object =
        json!(table.iter().map(|(row, cells)| json!({
        "operation": row.name, "published": row.published, "aims": row.aims, "count": row.count,
        "reports": cells,
    })).collect::<Vec<_>>());
    print(text.trim_end(), &object, json)
}

fn number(operation: &CardOperation, figure: f64) -> String {
    match operation.is_time {
        true => format!("{figure:.1}"),
        false => format!("{figure:.0}"),
    }
}

fn markdown(table: &[(&CardOperation, Vec<Measured>)]) -> String {
    let titles: Vec<String> = CARDS.iter().map(|card| format!("{}, model", title(*card))).collect();
    let mut text = format!(
        "| operation | published | aim 8.4 / 31.5 MB | {} |\n|---|---|---|{}\n",
        titles.join(" | "),
        "---|".repeat(CARDS.len())
    );
    for (row, cells) in table {
        let aims = row.aims.map(|aim| number(row, aim)).join(" / ");
        let cells = cells.iter().map(|Measured { report, .. }| {
            format!(
                "{} ({} binds, formula {})",
                number(row, row.figure(report)),
                report.binds,
                number(row, row.roof(report))
            )
        });
        let cells = cells.collect::<Vec<_>>().join(" | ");
        let published = number(row, row.published);
        let _ = writeln!(text, "| {} | {published} | {aims} | {cells} |", row.name);
    }
    text.push_str(
        "\nmodel: by the cycle model of the instruction stream; formula: what the unit that binds \
         would allow if it never waited.\n",
    );
    text
}

fn csv(table: &[(&CardOperation, Vec<Measured>)]) -> String {
    let mut text =
        "operation,card,published,aim,model,formula,binds,transform,product,memory\n".to_owned();
    for (row, cells) in table {
        for (card, Measured { report, .. }) in CARDS.iter().zip(cells) {
            let aim = row.aims[usize::from(card.0 > 10.0)];
            let _ = writeln!(
                text,
                "\"{}\",\"{}\",{},{},{},{},{},{:.3},{:.3},{:.3}",
                row.name,
                title(*card),
                number(row, row.published),
                number(row, aim),
                number(row, row.figure(report)),
                number(row, row.roof(report)),
                report.binds,
                share(report, "transform"),
                share(report, "product"),
                share(report, "memory")
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::any_measured;

    #[test]
    fn the_table_has_every_operation() {
        let operations = basic_operations().unwrap();
        let table: Vec<_> = operations.iter().map(|one| (one, any_measured())).collect();
        let text = markdown(&table);
        for (name, rate) in [("HAdd", 4000), ("PMult", 4000), ("NTT", 4000), ("Rescale", 500)]
            .into_iter()
            .chain(["Keyswitch", "Rotation", "CMult"].map(|name| (name, 500)))
        {
            let line = text.lines().find(|line| line.starts_with(&format!("| {name}"))).unwrap();
            let cell = format!("| {rate} (memory binds, formula {:.0}) ", rate as f64 / 0.75);
            assert_eq!(line.matches(&cell).count(), CARDS.len(), "{line}");
        }
        assert_eq!(csv(&table).lines().count(), 1 + operations.len() * CARDS.len());
    }
}
