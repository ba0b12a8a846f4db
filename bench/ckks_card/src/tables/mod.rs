// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `ckks-card tables`: the published figures of an accelerator next to ours.

mod chart;
mod circuits;
mod forms;
mod synthesis;
mod table;
mod work;

use serde_json::json;

use self::table::Table;
use self::work::{Work, KNOWN};
use crate::compile::check_tables;
use crate::operations::{basic_operations, bootstrap, CardOperation};
use crate::options::{TableFormat, TablesOptions};
use crate::output::{print, write};

/// Prints the tables, and writes the drawing on request.
pub fn run(options: &TablesOptions, json: bool) -> Result<(), String> {
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

fn tables(options: &TablesOptions) -> Result<Vec<Table>, String> {
    check_tables(options.tables)?;
    let measure = |of: &CardOperation| of.measure(options.tables, options.expand);
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
