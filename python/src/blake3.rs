// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3 of one message, of bytes as they come, and what the two share with batches.

use std::sync::{Mutex, MutexGuard, PoisonError};

use halimede_blake3::operations::Hash;
use halimede_blake3::{Mode, KEY_BYTES};
use halimede_device::flat::blake3::{self, Hasher};
use halimede_device::flat::FlatError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::buffers::Buffer;
use crate::device::{open, require_backend};
use crate::errors::{count, flat_error, offset, type_error, value_error};
use crate::work::{self, in_pieces, Stop};

/// Bytes that this processor is done with before anyone presses Ctrl-C.
const BRIEF_BYTES: usize = 1 << 20;
/// Bytes between which a stop is looked for: some milliseconds.
const PIECE_BYTES: usize = 1 << 25;

/// What is computed: `keyed_hash` with a key, `derive_key` with a context, `hash` with neither.
///
/// # Errors
/// `ValueError` for a key that has not 32 bytes, or beside a context; `TypeError`.
pub fn parse_mode(
    key: Option<&Bound<'_, PyAny>>,
    context: Option<&Bound<'_, PyAny>>,
) -> PyResult<Mode> {
    match (key, context) {
        (None, None) => Ok(Mode::Hash),
        (Some(_), Some(_)) => {
            Err(value_error("key, context: got both, wanted one of them or neither"))
        }
        (Some(key), None) => {
            let key = Buffer::new(|| "key".into(), key)?;
            let key = key.as_slice()?;
            match key.try_into() {
                Ok(key) => Ok(Mode::Keyed(key)),
                Err(_) => {
                    let got = key.len();
                    Err(value_error(format!("key: got {got} bytes, wanted {KEY_BYTES}")))
                }
            }
        }
        (None, Some(context)) => match context.cast::<PyString>() {
            Ok(text) => Ok(Mode::derive_key(&text.to_cow()?)),
            Err(_) => {
                let kind = context.get_type().name()?;
                Err(type_error(format!("context: got {kind}, wanted a str")))
            }
        },
    }
}

/// `length` bytes of a message's extended output, from byte `seek` on.
#[pyfunction]
pub fn blake3_hash<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    key: Option<&Bound<'py, PyAny>>,
    context: Option<&Bound<'py, PyAny>>,
    length: &Bound<'py, PyAny>,
    seek: &Bound<'py, PyAny>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let device = open(device)?;
    let mode = parse_mode(key, context)?;
    let (seek, length) = output_place(length, seek)?;
    let data = Buffer::new(|| "data".into(), data)?;
    let data = data.as_slice()?;
    let is_brief = device.limits::<Hash>().brief.holds(1, data.len().saturating_add(length));
    answer(py, is_brief, length, |_, output| blake3::hash(&device, &mode, data, seek, output))
}

/// Where in the extended output: the first byte, and how many.
fn output_place(length: &Bound<'_, PyAny>, seek: &Bound<'_, PyAny>) -> PyResult<(u64, usize)> {
    let (seek, length) = (offset("seek", seek)?, count("length", length)?);
    blake3::require_output(seek, length).map_err(flat_error)?;
    match isize::try_from(length) {
        Ok(_) => Ok((seek, length)),
        Err(_) => Err(value_error(format!("length: got {length}, more than memory holds"))),
    }
}

/// Bytes that `fill` makes.
fn answer<'py>(
    py: Python<'py>,
    is_brief: bool,
    length: usize,
    fill: impl FnOnce(&Stop, &mut [u8]) -> Result<(), FlatError> + Send,
) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, length, |output| {
        let work = |stop: &Stop| fill(stop, output);
        let result = if is_brief { work::run_briefly(py, work) } else { work::run(py, work)? };
        result.map_err(flat_error)
    })
}

/// Absorbs bytes, unless a stop is requested: then some of them.
fn absorb(stop: &Stop, hasher: &mut Hasher, data: &[u8]) {
    let update = |piece| {
        hasher.update(&data[piece]);
        Ok::<_, std::convert::Infallible>(())
    };
    match in_pieces(stop, data.len(), PIECE_BYTES, update) {
        Ok(()) => {}
        Err(never) => match never {},
    }
}

/// Fills the output from byte `seek` on, unless a stop is requested: then some of it.
fn squeeze(stop: &Stop, hasher: &Hasher, seek: u64, output: &mut [u8]) -> Result<(), FlatError> {
    in_pieces(stop, output.len(), PIECE_BYTES, |piece| {
        hasher.finalize(seek + piece.start as u64, &mut output[piece])
    })
}

/// BLAKE3 of bytes as they come.
#[pyclass(module = "halimede._native", frozen)]
pub struct Blake3Hasher(Mutex<Hasher>);

#[pymethods]
impl Blake3Hasher {
    #[new]
    fn new(key: Option<&Bound<'_, PyAny>>, context: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        require_backend()?;
        Ok(Self(Mutex::new(Hasher::new(&parse_mode(key, context)?))))
    }

    /// Absorbs the next bytes; where it raises, nothing has been absorbed.
    fn update(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let data = Buffer::new(|| "data".into(), data)?;
        let data = data.as_slice()?;
        if data.len() <= BRIEF_BYTES {
            work::run_briefly(py, |_| self.lock().update(data));
            return Ok(());
        }
        work::run(py, |stop| {
            let mut current = self.lock();
            let mut next = current.clone();
            absorb(stop, &mut next, data);
            if !stop.is_requested() {
                *current = next;
            }
        })
    }

    /// `length` bytes of the extended output of all that was absorbed, from byte `seek` on; more
    /// may be absorbed afterwards.
    fn digest<'py>(
        &self,
        py: Python<'py>,
        length: &Bound<'py, PyAny>,
        seek: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (seek, length) = output_place(length, seek)?;
        answer(py, length <= BRIEF_BYTES, length, |stop, output| {
            let hasher = self.lock().clone();
            squeeze(stop, &hasher, seek, output)
        })
    }

    /// Another hasher that has absorbed the same.
    fn copy(&self, py: Python<'_>) -> Self {
        Self(Mutex::new(py.detach(|| self.lock().clone())))
    }

    /// Forgets all that was absorbed; the mode and its key stay.
    fn reset(&self, py: Python<'_>) {
        py.detach(|| self.lock().reset());
    }
}

impl Blake3Hasher {
    /// Never waited for with the interpreter's lock in hand: whoever holds this may need that.
    fn lock(&self) -> MutexGuard<'_, Hasher> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
