// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3 of many messages.

use halimede_arith::job::{Bytes, Columns};
use halimede_blake3::operations::Hash;
use halimede_blake3::{Flat, Mode, DIGEST_BYTES};
use halimede_device::flat::{blake3, FlatError};
use halimede_device::Device;
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::blake3::parse_mode;
use crate::buffers::Buffer;
use crate::device::open;
use crate::errors::{flat_error, of_whole_batch, value_error};
use crate::rows::Rows;
use crate::work::{self, Stop};

type Digests<'py> = Bound<'py, PyArray2<u8>>;

/// The digests, `uint8[n, 32]`, of n messages: buffers, the rows of an array, or what n + 1 offsets
/// cut one buffer into.
#[pyfunction]
pub fn blake3_hash_many<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    offsets: Option<PyReadonlyArray1<'py, u64>>,
    key: Option<&Bound<'py, PyAny>>,
    context: Option<&Bound<'py, PyAny>>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Digests<'py>> {
    let job = Job { device: &*open(device)?, mode: &parse_mode(key, context)? };
    if let Some(offsets) = offsets {
        let data = Buffer::new(|| "messages".into(), messages)?;
        let offsets = offsets.as_slice().map_err(value_error)?;
        let flat = Flat::new(data.as_slice()?, offsets);
        let flat = flat.map_err(|error| value_error(format!("offsets: {error}")))?;
        return job.answer(py, flat.into());
    }
    let wanted = "a list of buffers, an array of 2 axes, or offsets beside one buffer";
    match Rows::new("messages", wanted, messages)? {
        Rows::Table { data, count } => {
            let data = data.as_slice()?;
            let length = data.len().checked_div(count).unwrap_or(0);
            job.answer(py, Bytes::Equal { data, length, count })
        }
        rows => job.answer(py, (&rows.slices()?[..]).into()),
    }
}

/// What to hash with.
#[derive(Clone, Copy)]
struct Job<'d> {
    device: &'d Device,
    mode: &'d Mode,
}

impl Job<'_> {
    fn answer<'py>(self, py: Python<'py>, messages: Bytes<'_>) -> PyResult<Digests<'py>> {
        let count = messages.len();
        let answer = PyArray2::<u8>::zeros(py, [count, DIGEST_BYTES], false);
        let mut digests = answer.try_readwrite().map_err(value_error)?;
        let output = digests.as_slice_mut().map_err(value_error)?;
        let work = |stop: &Stop| self.hash(stop, messages, output);
        let result = match self.is_brief(messages) {
            true => work::run_briefly(py, work),
            false => work::run(py, work)?,
        };
        result.map_err(flat_error)?;
        drop(digests);
        Ok(answer)
    }

    /// Whether it is done before anyone presses Ctrl-C.
    fn is_brief(self, messages: Bytes<'_>) -> bool {
        let brief = self.device.limits::<Hash>().brief;
        let bytes = |sum: usize, message: &[u8]| {
            sum.checked_add(message.len()).filter(|sum| *sum <= brief.units)
        };
        messages.len() <= brief.requests && messages.rows().try_fold(0, bytes).is_some()
    }

    fn hash(self, stop: &Stop, messages: Bytes<'_>, output: &mut [u8]) -> Result<(), FlatError> {
        let count = messages.len();
        let (digests, _) = output.as_chunks_mut::<DIGEST_BYTES>();
        let mut first = 0;
        while first < count && !stop.is_requested() {
            let piece = first..first + self.piece(messages.slice(first..count));
            let digests = &mut digests[piece.clone()];
            blake3::hash_many(self.device, self.mode, messages.slice(piece.clone()), digests)
                .map_err(|error| of_whole_batch(error, first, count))?;
            first = piece.end;
        }
        Ok(())
    }

    /// Messages of a piece that begins with the first of these: at least one.
    fn piece(self, messages: Bytes<'_>) -> usize {
        let most = self.device.limits::<Hash>().piece;
        let mut bytes = 0usize;
        let fits = |message: &&[u8]| {
            bytes = bytes.saturating_add(message.len());
            bytes <= most.units
        };
        messages.rows().take(most.requests).take_while(fits).count().max(1)
    }
}
