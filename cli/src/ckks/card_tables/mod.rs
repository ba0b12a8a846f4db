// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks card-tables`: what is published of an accelerator, beside ours.

mod chart;
mod circuits;
mod forms;
mod synthesis;
mod table;
mod work;

use serde_json::json;

use self::table::Table;
use self::work::{Work, KNOWN};
use super::card_operations::{basic_operations, bootstrap};
use super::compile::{check_tables, write};
use super::print;
use crate::arguments::{CardTablesOptions, TableFormat};
use crate::error::CommandError;

/// Prints the tables, and writes the drawing where it is asked for.
pub fn run(options: &CardTablesOptions, json: bool) -> Result<(), CommandError> {
    let tables = tables(options)?;
    if let Some(path) = &options.svg {
        write(path, chart::svg(&tables).as_bytes())?;
    }
    let text = match options.format {
        TableFormat::Markdown => forms::markdown(&tables, &KNOWN),
        TableFormat::Csv => forms::csv(&tables),
    };
    let known = KNOWN.map(|(exhibit, state)| json!({ "exhibit": exhibit, "state": state }));
    print(text.trim_end(), &json!({ "tables": tables, "known": known }), json)
}

fn tables(options: &CardTablesOptions) -> Result<Vec<Table>, CommandError> {
    check_tables(options.tables)?;
    let measure =
        |of: &super::card_operations::CardOperation| of.measure(options.tables, options.expand);
    let mut work = Work { operations: Vec::new(), bootstrap: None };
    for operation in basic_operations()? {
        let measured = options.operations.then(|| measure(&operation)).transpose()?;
        work.operations.push((operation, measured));
    }
    if options.bootstrap {
        let operation = bootstrap()?;
        let measured = measure(&operation)?;
        work.bootstrap = Some((operation, measured));
    }
    let mut tables = vec![
        circuits::sizes(),
        circuits::butterflies(),
        circuits::cores(),
        circuits::multipliers(),
        circuits::memories(),
    ];
    tables.extend(work.tables());
    Ok(tables)
}
