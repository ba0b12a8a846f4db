// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3 of one message and of a stream, and their common code with batches.

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

/// The number of bytes that this processor hashes before a user could press Ctrl-C.
const BRIEF_BYTES: usize = 1 << 20;
/// The number of bytes between two checks for a stop: some milliseconds.
const PIECE_BYTES: usize = 1 << 25;

/// Returns the mode: `keyed_hash` with a key, `derive_key` with a context, `hash` with neither.
///
/// # Errors
/// `ValueError` for a key that does not have 32 bytes and for a key with a context; `TypeError`.
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

/// Returns `length` bytes of a message's extended output, starting at byte `seek`.
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

/// Returns the first byte in the extended output, and the number of bytes.
fn output_place(length: &Bound<'_, PyAny>, seek: &Bound<'_, PyAny>) -> PyResult<(u64, usize)> {
    let (seek, length) = (offset("seek", seek)?, count("length", length)?);
    blake3::require_output(seek, length).map_err(flat_error)?;
    match isize::try_from(length) {
        Ok(_) => Ok((seek, length)),
        Err(_) => Err(value_error(format!("length: got {length}, more than memory holds"))),
    }
}

/// Returns the bytes that `fill` writes.
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

/// Absorbs bytes; only a part of them if a stop is requested.
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

/// Fills the output, starting at byte `seek`; only a part of it if a stop is requested.
fn squeeze(stop: &Stop, hasher: &Hasher, seek: u64, output: &mut [u8]) -> Result<(), FlatError> {
    in_pieces(stop, output.len(), PIECE_BYTES, |piece| {
        hasher.finalize(seek + piece.start as u64, &mut output[piece])
    })
}

/// Incremental BLAKE3.
#[pyclass(module = "halimede._native", frozen)]
pub struct Blake3Hasher(Mutex<Hasher>);

#[pymethods]
impl Blake3Hasher {
    #[new]
    fn new(key: Option<&Bound<'_, PyAny>>, context: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        require_backend()?;
        Ok(Self(Mutex::new(Hasher::new(&parse_mode(key, context)?))))
    }

    /// Absorbs the next bytes; if it raises, it has absorbed nothing.
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

    /// Returns `length` bytes of the extended output of all absorbed bytes, starting at byte
    /// `seek`. More bytes may follow.
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

    /// Returns a hasher in the same state.
    fn copy(&self, py: Python<'_>) -> Self {
        Self(Mutex::new(py.detach(|| self.lock().clone())))
    }

    /// Forgets all absorbed bytes; keeps the mode and its key.
    fn reset(&self, py: Python<'_>) {
        py.detach(|| self.lock().reset());
    }
}

impl Blake3Hasher {
    /// Never call this while holding the interpreter's lock: the holder of this lock may need it.
    fn lock(&self) -> MutexGuard<'_, Hasher> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
