// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations of the table, which generated Python functions call by name.

use halimede_arith::interface::{self, Answer, Field, Kind, ObjectKind, Settings};
use halimede_device::call::{self, fields_of, names_of, Call, Column};
use halimede_device::in_pool;
use numpy::{PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyMemoryView};

use crate::buffers::Buffer;
use crate::device::{open, require_backend};
use crate::errors::{device_error, type_error, value_error, DeviceError};
use crate::rows::Rows;
use crate::sources::Source;
use crate::verdicts::{of_rows, require_as_many, Verdicts, WANTED};
use crate::work::{self, Stop};

/// Bytes of a number.
const NUMBER_BYTES: usize = 32;
/// The number of bytes of an item that may cost as much as one point: those of a precompile's
/// input.
const BYTES_A_UNIT: usize = 128;
/// The number of bytes that are processed before a user could interrupt the work.
const BRIEF_BYTES: usize = 1 << 20;

/// A file that operations need in addition to their items, read and checked.
#[pyclass(module = "halimede._native", frozen)]
pub struct Object {
    kind: &'static ObjectKind,
    object: interface::Object,
}

#[pymethods]
impl Object {
    #[new]
    fn new(py: Python<'_>, kind: &str, source: &Bound<'_, PyAny>) -> PyResult<Self> {
        require_backend()?;
        let found = call::OBJECT_KINDS.into_iter().find(|known| known.name == kind);
        let Some(kind) = found else {
            let known = call::OBJECT_KINDS.map(|kind| kind.name).join(", ");
            return Err(value_error(format!("kind: got {kind:?}, wanted one of {known}")));
        };
        let read = |content: &[u8]| in_pool(|| (kind.read)(content));
        let object = Source::new(source)?.parse(py, kind.most_bytes, read)?;
        let wrong = |error| value_error(format!("source: not a {}: {error}", kind.name));
        Ok(Self { kind, object: object.map_err(wrong)? })
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.kind.name
    }

    #[getter]
    fn numbers(&self) -> Vec<(&'static str, u64)> {
        (self.kind.facts)(&self.object)
    }
}

/// Verdicts, and an array of values for operations with values.
type Answered<'py> = (Verdicts<'py>, Option<Bound<'py, PyArray2<u8>>>);

/// Returns the answers of an operation to items in columns.
#[pyfunction]
pub fn answer<'py>(
    py: Python<'py>,
    operation: &str,
    settings: Vec<(String, String)>,
    objects: Vec<(String, Bound<'py, Object>)>,
    columns: &Bound<'py, PyList>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Answered<'py>> {
    let device = &*open(device)?;
    let about = call::description(operation).map_err(value_error)?;
    let call = prepare(operation, settings, objects)?;
    let mut left = columns.iter();
    let given = about.item.iter().map(|field| ColumnValues::new(field, &mut left));
    let given: Vec<ColumnValues<'_>> = given.collect::<PyResult<_>>()?;
    let counts: Vec<(&str, usize)> =
        given.iter().map(|given| (&given.name[..], given.items())).collect();
    require_as_many(&counts)?;
    let items = counts.first().map_or(0, |(_, items)| *items);
    let columns: Vec<Column<'_>> =
        given.iter().map(ColumnValues::column).collect::<PyResult<_>>()?;
    let sizes = columns.iter().map(Column::size);
    let (values, bytes) =
        sizes.fold((items, 0), |(values, bytes), (more, most)| (values.max(more), bytes + most));
    let work = |_: &Stop| call.answer(device, &columns, items);
    let units = values.max(bytes / BYTES_A_UNIT);
    let answered = match call.is_brief(device, units) && bytes <= BRIEF_BYTES {
        true => work::run_briefly(py, work),
        false => work::run(py, work)?,
    };
    answers(py, &*call, &answered.map_err(|error| device_error(&error))?)
}

fn prepare(
    operation: &str,
    words: Vec<(String, String)>,
    objects: Vec<(String, Bound<'_, Object>)>,
) -> PyResult<Box<dyn Call>> {
    let about = call::description(operation).map_err(value_error)?;
    let mut settings = Settings::of(about.settings);
    for (name, value) in words {
        settings.set(&name, value).map_err(value_error)?;
    }
    for (name, object) in objects {
        let object = object.get();
        let wanted = settings.named_kind(&name).map_err(value_error)?.name;
        if object.kind.name != wanted {
            let got = object.kind.name;
            return Err(value_error(format!("{name}: got a {got}, wanted a {wanted}")));
        }
        let object = interface::Object::clone(&object.object);
        settings.attach(&name, object).map_err(value_error)?;
    }
    let settings = settings.complete().map_err(value_error)?;
    call::prepare(operation, &settings).map_err(value_error)
}

/// Converts answers to Python objects.
fn answers<'py, 'a>(
    py: Python<'py>,
    call: &dyn Call,
    found: &'a [Answer],
) -> PyResult<Answered<'py>> {
    let verdict = |answer: &'a Answer| (answer.outcome() as u8, answer.fault());
    let verdicts = of_rows(py, found.iter().map(verdict))?;
    if matches!(call.about().reply, interface::Reply::Verdict) {
        return Ok((verdicts, None));
    }
    let length = call.reply_bytes();
    let values = PyArray2::zeros(py, [found.len(), length], false);
    let mut places = values.try_readwrite().map_err(value_error)?;
    let rows = places.as_slice_mut().map_err(value_error)?.chunks_exact_mut(length.max(1));
    for (place, answer) in rows.zip(found) {
        match call::value_of(answer) {
            Some(bytes) if bytes.len() == length => place.copy_from_slice(bytes),
            Some(bytes) => {
                let got = bytes.len();
                let wrong = format!("a value has {got} bytes, expected {length}");
                return Err(DeviceError::new_err(wrong));
            }
            None => {}
        }
    }
    drop(places);
    Ok((verdicts, Some(values)))
}

/// The values of a field, from Python.
struct ColumnValues<'py> {
    /// The name of its first column.
    name: String,
    values: Values<'py>,
}

enum Values<'py> {
    Rows(Rows<'py>),
    /// The ends of the lists, and their columns.
    Lists(Vec<usize>, Vec<Listed<'py>>),
}

/// One column of the records of lists.
enum Listed<'py> {
    /// The rows of each list.
    Rows(Vec<Rows<'py>>),
    /// The numbers of all lists.
    Numbers(Vec<[u8; NUMBER_BYTES]>),
}

impl<'py> ColumnValues<'py> {
    /// Takes the columns of a field.
    fn new(field: &Field, columns: &mut impl Iterator<Item = Bound<'py, PyAny>>) -> PyResult<Self> {
        let mut named = names_of(field).into_iter().map(|name| {
            let column = columns.next();
            column.map(|column| (name, column)).ok_or_else(|| value_error("a column is missing"))
        });
        let of = fields_of(field);
        if of.is_empty() {
            let (name, column) =
                named.next().ok_or_else(|| value_error("a column is missing"))??;
            let values = Values::Rows(Rows::new(&name, WANTED, &column)?);
            return Ok(Self { name, values });
        }
        let (mut first, mut ends, mut listed) = (None, Vec::new(), Vec::new());
        for (named, record) in named.zip(of) {
            let (name, column) = named?;
            let (own, read) = Listed::new(&name, &column, record.kind)?;
            if let Some(first) = &first {
                let row = own.iter().zip(&ends).position(|(own, other)| own != other);
                if row.is_some() || own.len() != ends.len() {
                    let row = row.unwrap_or(own.len().min(ends.len()));
                    return Err(value_error(format!(
                        "item {row}: wanted equal numbers of {first} and {name}"
                    )));
                }
            }
            first.get_or_insert(name);
            ends = own;
            listed.push(read);
        }
        Ok(Self { name: first.unwrap_or_default(), values: Values::Lists(ends, listed) })
    }

    fn items(&self) -> usize {
        match &self.values {
            Values::Rows(rows) => rows.count(),
            Values::Lists(ends, _) => ends.len(),
        }
    }

    fn column(&self) -> PyResult<Column<'_>> {
        Ok(match &self.values {
            Values::Rows(rows) => Column::Values(rows.slices()?),
            Values::Lists(ends, listed) => Column::Lists {
                ends: ends.clone(),
                columns: listed.iter().map(Listed::slices).collect::<PyResult<_>>()?,
            },
        })
    }
}

impl<'py> Listed<'py> {
    /// Returns the end of each list, and the column of all lists.
    fn new(name: &str, lists: &Bound<'py, PyAny>, kind: Kind) -> PyResult<(Vec<usize>, Self)> {
        let wanted = || type_error(format!("{name}: wanted a list for each item"));
        let (mut ends, mut end) = (Vec::new(), 0);
        let (mut rows, mut numbers) = (Vec::new(), Vec::new());
        let is_of_numbers = matches!(kind, Kind::Number);
        let lists = lists.try_iter().map_err(|error| instead(lists.py(), error, wanted))?;
        for (item, list) in lists.enumerate() {
            let (name, list) = (format!("{name}[{item}]"), list?);
            if is_of_numbers {
                read_numbers(&name, &list, &mut numbers)?;
                end = numbers.len();
            } else {
                let read = Rows::new(&name, WANTED, &list)?;
                end += read.count();
                rows.push(read);
            }
            ends.push(end);
        }
        Ok((ends, if is_of_numbers { Self::Numbers(numbers) } else { Self::Rows(rows) }))
    }

    fn slices(&self) -> PyResult<Vec<&[u8]>> {
        match self {
            Self::Numbers(numbers) => Ok(numbers.iter().map(|number| &number[..]).collect()),
            Self::Rows(lists) => {
                let mut slices = Vec::new();
                for rows in lists {
                    slices.extend(rows.slices()?);
                }
                Ok(slices)
            }
        }
    }
}

/// Replaces a `TypeError` by our own error. Any other exception comes from the caller's objects,
/// and is kept.
fn instead(py: Python<'_>, error: PyErr, ours: impl FnOnce() -> PyErr) -> PyErr {
    match error.is_instance_of::<PyTypeError>(py) {
        true => ours(),
        false => error,
    }
}

/// The number of axes of a buffer of single bytes; `None` for other objects and for arrays of wider
/// items.
fn axes_of_bytes(object: &Bound<'_, PyAny>) -> Option<usize> {
    let view = PyMemoryView::from(object).ok()?;
    let number = |name| view.getattr(name).and_then(|value| value.extract::<usize>()).ok();
    (number("itemsize")? == 1).then(|| number("ndim"))?
}

/// Reads a list of numbers: integers, 32 bytes each, or one buffer with the bytes of all numbers.
/// Bytes are big-endian.
fn read_numbers(
    name: &str,
    list: &Bound<'_, PyAny>,
    numbers: &mut Vec<[u8; NUMBER_BYTES]>,
) -> PyResult<()> {
    let buffer = match axes_of_bytes(list) {
        Some(0 | 1) => Some(Buffer::new(|| name.into(), list)?),
        Some(_) => Buffer::new(|| name.into(), list).ok(),
        None => None,
    };
    if let Some(buffer) = buffer {
        let (all, rest) = buffer.as_slice()?.as_chunks::<NUMBER_BYTES>();
        if !rest.is_empty() {
            let got = all.len() * NUMBER_BYTES + rest.len();
            return Err(value_error(format!("{name}: got {got} bytes, wanted 32 for each number")));
        }
        numbers.extend(all.iter().map(of_bytes));
        return Ok(());
    }
    let wanted = || type_error(format!("{name}: wanted a list of integers, or of 32 bytes each"));
    let values = list.try_iter().map_err(|error| instead(list.py(), error, wanted))?;
    for (row, value) in values.enumerate() {
        numbers.push(read_number(&format!("{name}[{row}]"), &value?)?);
    }
    Ok(())
}

fn of_bytes(bytes: &[u8; NUMBER_BYTES]) -> [u8; NUMBER_BYTES] {
    let mut number = *bytes;
    number.reverse();
    number
}

/// Reads an integer, or the bytes of a number.
fn read_number(name: &str, value: &Bound<'_, PyAny>) -> PyResult<[u8; NUMBER_BYTES]> {
    let py = value.py();
    let is_number =
        value.hasattr("__index__")? && axes_of_bytes(value).is_none_or(|axes| axes == 0);
    let index = match is_number {
        true => value.call_method0("__index__").map(Some).or_else(|error| {
            match error.is_instance_of::<PyTypeError>(py) {
                true => Ok(None),
                false => Err(error),
            }
        })?,
        false => None,
    };
    let Some(index) = index else {
        if axes_of_bytes(value).is_none() {
            let kind = value.get_type().name()?;
            let wanted = format!("{name}: got {kind}, wanted bytes or another buffer");
            return Err(type_error(wanted));
        }
        let buffer = Buffer::new(|| name.into(), value)?;
        let bytes = buffer.as_slice()?;
        let wrong = |_| value_error(format!("{name}: got {} bytes, wanted 32", bytes.len()));
        return Ok(of_bytes(bytes.try_into().map_err(wrong)?));
    };
    let integer = index.cast_into::<PyInt>()?;
    let bytes = integer.call_method1("to_bytes", (NUMBER_BYTES, "little"));
    let out_of_range = |error: PyErr| match error.is_instance_of::<PyOverflowError>(py) {
        true => {
            value_error(format!("{name}: got {integer}, wanted an integer from 0 to 2**256 - 1"))
        }
        false => error,
    };
    bytes.map_err(out_of_range)?.extract()
}
