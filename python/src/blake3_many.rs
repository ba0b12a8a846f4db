// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3 of many messages.

use halimede_blake3::{Flat, Messages, Mode, DIGEST_BYTES};
use halimede_device::flat::{blake3, FlatError};
use halimede_device::{Device, Kind};
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::blake3::{parse_mode, BRIEF_BYTES, PIECE_BYTES};
use crate::buffers::Buffer;
use crate::device::open;
use crate::errors::{flat_error, of_whole_batch, value_error};
use crate::rows::Rows;
use crate::work::{self, Stop};

/// Most messages between which a stop is looked for: on this processor a fraction of a second, on a
/// card several times what is in flight there.
const PIECE_MESSAGES: usize = 1 << 18;
const CARD_PIECE_MESSAGES: usize = 1 << 11;

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
        return job.answer(py, &flat.map_err(|error| value_error(format!("offsets: {error}")))?);
    }
    let wanted = "a list of buffers, an array of 2 axes, or offsets beside one buffer";
    match Rows::new("messages", wanted, messages)? {
        Rows::Table { data, count } => job.answer(py, &Table { data: data.as_slice()?, count }),
        rows => job.answer(py, &rows.slices()?[..]),
    }
}

/// Messages of one length, one after another.
struct Table<'a> {
    data: &'a [u8],
    count: usize,
}

impl Messages for Table<'_> {
    fn count(&self) -> usize {
        self.count
    }

    fn message(&self, number: usize) -> &[u8] {
        let length = self.data.len() / self.count;
        &self.data[number * length..][..length]
    }
}

/// Messages from number `first` on, `count` of them.
struct Part<'m, M: ?Sized> {
    messages: &'m M,
    first: usize,
    count: usize,
}

impl<M: Messages + ?Sized> Messages for Part<'_, M> {
    fn count(&self) -> usize {
        self.count
    }

    fn message(&self, number: usize) -> &[u8] {
        self.messages.message(self.first + number)
    }
}

/// What to hash with.
#[derive(Clone, Copy)]
struct Job<'d> {
    device: &'d Device,
    mode: &'d Mode,
}

impl Job<'_> {
    fn answer<'py>(
        self,
        py: Python<'py>,
        messages: &(impl Messages + ?Sized),
    ) -> PyResult<Digests<'py>> {
        let count = messages.count();
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
    fn is_brief(self, messages: &(impl Messages + ?Sized)) -> bool {
        let most = BRIEF_BYTES / DIGEST_BYTES;
        let mut lengths = (0..messages.count()).map(|number| messages.message(number).len());
        let is_few = self.device.capabilities().kind == Kind::Processor && messages.count() <= most;
        let bytes = |sum: usize, length| sum.checked_add(length).filter(|sum| *sum <= BRIEF_BYTES);
        is_few && lengths.try_fold(0, bytes).is_some()
    }

    fn hash(
        self,
        stop: &Stop,
        messages: &(impl Messages + ?Sized),
        output: &mut [u8],
    ) -> Result<(), FlatError> {
        let count = messages.count();
        let (digests, _) = output.as_chunks_mut::<DIGEST_BYTES>();
        let mut first = 0;
        while first < count && !stop.is_requested() {
            let part = Part { messages, first, count: self.piece(messages, first) };
            let digests = &mut digests[first..first + part.count];
            blake3::hash_many(self.device, self.mode, &part, digests)
                .map_err(|error| of_whole_batch(error, first, count))?;
            first += part.count;
        }
        Ok(())
    }

    /// Messages of a piece that begins with number `first`: at least one, unless there is none.
    fn piece(self, messages: &(impl Messages + ?Sized), first: usize) -> usize {
        let most = match self.device.capabilities().kind {
            Kind::Processor => PIECE_MESSAGES,
            Kind::Card => CARD_PIECE_MESSAGES,
        };
        let end = messages.count().min(first.saturating_add(most));
        let mut bytes = 0usize;
        let fits = |number: &usize| {
            bytes = bytes.saturating_add(messages.message(*number).len());
            bytes <= PIECE_BYTES
        };
        (first..end).take_while(fits).count().max(1)
    }
}
