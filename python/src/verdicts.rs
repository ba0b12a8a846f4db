// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verdicts on many items: their outcomes as an array, and the reasons of invalid items.

use std::fmt::Display;

use halimede_arith::interface::Outcome;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::value_error;
use crate::rows::Rows;

/// The expected kind of a column of a batch, for errors.
pub const WANTED: &str = "a list of buffers or an array of 2 axes";

/// The outcomes, `uint8[n]`, and the reasons of rows that are not valid, by the number of the row.
pub type Verdicts<'py> = (Bound<'py, PyArray1<u8>>, Bound<'py, PyDict>);

/// Converts outcomes and the reasons of invalid rows to Python objects.
///
/// # Errors
/// Python's exception if memory runs out.
pub fn of_rows<'py, R: Display>(
    py: Python<'py>,
    rows: impl Iterator<Item = (u8, Option<R>)>,
) -> PyResult<Verdicts<'py>> {
    let (mut outcomes, reasons) = (Vec::with_capacity(rows.size_hint().0), PyDict::new(py));
    for (row, (outcome, reason)) in rows.enumerate() {
        outcomes.push(outcome);
        if let Some(reason) = reason {
            reasons.set_item(row, reason.to_string())?;
        }
    }
    Ok((PyArray1::from_vec(py, outcomes), reasons))
}

/// Checks that all columns have the same number of rows.
///
/// # Errors
/// `ValueError`, with the number of rows of each.
pub fn require_as_many(columns: &[(&str, usize)]) -> PyResult<()> {
    if columns.windows(2).all(|pair| pair[0].1 == pair[1].1) {
        return Ok(());
    }
    let got: Vec<String> = columns.iter().map(|(name, rows)| format!("{rows} {name}")).collect();
    let got = match got.split_last() {
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    };
    Err(value_error(format!("got {got}, wanted equal numbers")))
}

/// Returns the columns of a batch, by name; all have one row per item.
///
/// # Errors
/// As [`Rows::new`] and [`require_as_many`].
pub fn columns<'py, const COLUMNS: usize>(
    given: [(&str, &Bound<'py, PyAny>); COLUMNS],
) -> PyResult<[Rows<'py>; COLUMNS]> {
    let rows = given.iter().map(|(name, column)| Rows::new(name, WANTED, column));
    let rows: Vec<Rows<'py>> = rows.collect::<PyResult<_>>()?;
    let counts: Vec<(&str, usize)> =
        given.iter().zip(&rows).map(|((name, _), rows)| (*name, rows.count())).collect();
    require_as_many(&counts)?;
    rows.try_into().map_err(|_| value_error("columns were lost"))
}

/// Returns the names of outcomes, in the order of their numbers.
pub fn outcome_names() -> Vec<&'static str> {
    Outcome::ALL.into_iter().map(Outcome::name).collect()
}
