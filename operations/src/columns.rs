// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches as columns: the values of each field for all items, in the caller's memory.
//!
//! | [`Kind`] of a field | value |
//! |---|---|
//! | bytes | the bytes |
//! | text | UTF-8 |
//! | number | 32 bytes, least significant first |
//! | list | a range of the rows of other columns, one for each field of its records |

use std::ops::Range;

use halimede_arith::interface::{Answer, Field, Invalid, Kind, Part, Record};

use crate::form::{check_count, Item};

/// The values of one field for all items.
#[derive(Clone, Debug)]
pub enum Column<'a> {
    /// One value per item.
    Values(Vec<&'a [u8]>),
    /// One list per item.
    Lists {
        /// The end of each list, as a row of the columns. The first list begins at row 0, every
        /// other list at the end of the previous one.
        ends: Vec<usize>,
        /// One column per field of a list's records.
        columns: Vec<Vec<&'a [u8]>>,
    },
}

impl Column<'_> {
    /// Returns the number of items.
    pub fn items(&self) -> usize {
        match self {
            Self::Values(values) => values.len(),
            Self::Lists { ends, .. } => ends.len(),
        }
    }

    /// Returns the number of values and the number of their bytes.
    pub fn size(&self) -> (usize, usize) {
        let bytes = |values: &[&[u8]]| values.iter().map(|value| value.len()).sum();
        match self {
            Self::Values(values) => (values.len(), bytes(values)),
            Self::Lists { columns, .. } => {
                let rows = columns.first().map_or(0, Vec::len);
                (rows, columns.iter().map(|values| bytes(values)).sum())
            }
        }
    }
}

/// Returns the fields of a list's records; empty for any other field.
pub fn fields_of(field: &Field) -> &'static [Field] {
    match field.kind {
        Kind::List { of, .. } => of,
        _ => &[],
    }
}

/// Returns the names of a field's columns: plurals. A list whose records have one field keeps its
/// own name.
pub fn names_of(field: &Field) -> Vec<String> {
    let plural = |name: &str| match name {
        "index" => "indices".to_owned(),
        name if name.ends_with(|last: char| last.is_ascii_digit()) => name.to_owned(),
        name => format!("{name}s"),
    };
    match (field.kind, fields_of(field)) {
        (Kind::List { .. }, [_]) => vec![field.name.to_owned()],
        (Kind::List { .. }, of) => of.iter().map(|record| plural(record.name)).collect(),
        _ => vec![plural(field.name)],
    }
}

/// Returns the item with this number, with the same checks as in every other form. There is one
/// column per field, and each column has the item.
pub fn item(fields: &[Field], columns: &[Column<'_>], number: usize) -> Item {
    let parts = fields.iter().zip(columns).map(|(field, column)| {
        let part = match column {
            Column::Values(values) => values
                .get(number)
                .ok_or("no value")
                .map_err(String::from)
                .and_then(|value| part(field.kind, value)),
            Column::Lists { ends, columns } => {
                let start = number.checked_sub(1).and_then(|before| ends.get(before));
                let rows = start.copied().unwrap_or(0)..ends.get(number).copied().unwrap_or(0);
                list(field.kind, columns, rows)
            }
        };
        part.map_err(|error| field.wrong(&error))
    });
    Ok(Record(parts.collect::<Result<_, Invalid>>()?))
}

fn part(kind: Kind, value: &[u8]) -> Result<Part, String> {
    match kind {
        Kind::Bytes { least, most } => {
            check_count(value.len(), least, most, "bytes")?;
            Ok(Part::Bytes(value.to_vec()))
        }
        Kind::Text { least, most } => {
            check_count(value.len(), least, most, "bytes")?;
            let text = str::from_utf8(value).map_err(|_| "text is UTF-8")?;
            Ok(Part::Text(text.to_owned()))
        }
        Kind::Number => number(value).map(Part::Number),
        Kind::List { .. } => Err("a list is expected".into()),
    }
}

fn number(value: &[u8]) -> Result<[u8; 32], String> {
    check_count(value.len(), 32, 32, "bytes")?;
    let mut number = [0; 32];
    number.copy_from_slice(value);
    Ok(number)
}

fn list(kind: Kind, columns: &[Vec<&[u8]>], rows: Range<usize>) -> Result<Part, String> {
    let Kind::List { of, least, most } = kind else {
        return Err("a value is expected, and not a list".into());
    };
    check_count(rows.len(), least, most, "elements")?;
    let first = rows.start;
    let at = |row: usize, error: &str| format!("element {}: {error}", row - first);
    let value = |column: &[&[u8]], row: usize, kind| {
        let value = column.get(row).ok_or_else(|| at(row, "no value"))?;
        part(kind, value).map_err(|error| at(row, &error))
    };
    if let ([Field { kind: Kind::Number, .. }], [column]) = (of, columns) {
        let number = |row: usize| {
            let value = column.get(row).ok_or_else(|| at(row, "no value"))?;
            number(value).map_err(|error| at(row, &error))
        };
        return rows.map(number).collect::<Result<_, _>>().map(Part::Numbers);
    }
    let record = |row: usize| {
        let parts = of.iter().zip(columns).map(|(field, column)| value(column, row, field.kind));
        parts.collect::<Result<_, String>>().map(Record)
    };
    rows.map(record).collect::<Result<_, _>>().map(Part::List)
}

/// Returns the bytes of an answer's value: for numbers 32 each, least significant byte first.
/// `None` for an answer without a value of bytes.
pub fn value_of(answer: &Answer) -> Option<&[u8]> {
    match answer {
        Answer::Bytes(bytes) => Some(bytes),
        Answer::Numbers(numbers) => Some(numbers.as_flattened()),
        _ => None,
    }
}
