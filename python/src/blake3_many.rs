// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3 of many messages.

use halimede_arith::job::{Bytes, Columns};
use halimede_blake3::operations::{Hash, HashBatch};
use halimede_blake3::{Flat, Mode, DIGEST_BYTES};
use halimede_device::flat::blake3;
use halimede_device::Device;
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::blake3::parse_mode;
use crate::buffers::Buffer;
use crate::device::open;
use crate::errors::{flat_error, value_error};
use crate::rows::Rows;
use crate::work::{self, Stop};

type Digests<'py> = Bound<'py, PyArray2<u8>>;

/// Returns the digests, `uint8[n, 32]`, of n messages: buffers, the rows of an array, or the parts
/// of one buffer between n + 1 offsets.
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

/// A job on one device in one mode.
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
        let (digest_rows, _) = output.as_chunks_mut::<DIGEST_BYTES>();
        let work = |_: &Stop| blake3::hash_many(self.device, self.mode, messages, digest_rows);
        let batch = HashBatch::Digests { mode: self.mode, messages };
        // Small batches end before a user could press Ctrl-C.
        let result = match self.device.limits::<Hash>().brief.holds_batch::<Hash>(batch) {
            true => work::run_briefly(py, work),
            false => work::run(py, work)?,
        };
        result.map_err(flat_error)?;
        drop(digests);
        Ok(answer)
    }
}
