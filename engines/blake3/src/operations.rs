// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations of this engine, and their executors on the processor.

use std::ops::Range;
use std::sync::Arc;

use halimede_arith::job::{interrupt, Amount, Bytes, Columns, Compute, Operation};
use rayon::prelude::*;

use crate::many::HUGE_BYTES;
use crate::outputs::Outputs;
use crate::{Digest, HashMany, Messages, Mode, CHUNK_BYTES, DIGEST_BYTES};

/// The bytes between two checks for an interrupt in a long message: some milliseconds.
const PIECE_BYTES: usize = 1 << 25;

/// Computes a message's digest, or a part of its extended output.
pub struct Hash;

/// An owned request of [`Hash`](struct@Hash).
#[derive(Clone, Debug)]
pub struct HashRequest {
    /// The mode: plain hash, keyed hash or key derivation.
    pub mode: Arc<Mode>,
    /// The message.
    pub message: Arc<[u8]>,
    /// The offset of the reply in the extended output, in bytes.
    pub output_offset: u64,
    /// The length of the reply in bytes.
    pub output_bytes: usize,
}

/// A borrowed request of [`Hash`](struct@Hash).
#[derive(Clone, Copy, Debug)]
pub struct HashRow<'a> {
    /// The mode: plain hash, keyed hash or key derivation.
    pub mode: &'a Mode,
    /// The message.
    pub message: &'a [u8],
    /// The offset of the reply in the extended output, in bytes.
    pub output_offset: u64,
    /// The length of the reply in bytes.
    pub output_bytes: usize,
}

/// A batch of [`Hash`](struct@Hash).
#[derive(Clone, Copy, Debug)]
pub enum HashBatch<'a> {
    /// One message.
    One(HashRow<'a>),
    /// Requests for the digests of messages in one mode.
    Digests {
        /// The mode: plain hash, keyed hash or key derivation.
        mode: &'a Mode,
        /// The messages.
        messages: Bytes<'a>,
    },
    /// Requests with any modes and outputs.
    Kept(&'a [HashRequest]),
}

impl HashRequest {
    /// Requests the digest of the default length.
    pub fn digest(mode: &Arc<Mode>, message: impl Into<Arc<[u8]>>) -> Self {
        Self {
            mode: Arc::clone(mode),
            message: message.into(),
            output_offset: 0,
            output_bytes: DIGEST_BYTES,
        }
    }
}

impl<'a> HashRow<'a> {
    /// Requests the digest of the default length.
    pub fn digest(mode: &'a Mode, message: &'a [u8]) -> Self {
        Self { mode, message, output_offset: 0, output_bytes: DIGEST_BYTES }
    }

    /// Returns `true` if the request is for the digest of the default length.
    fn is_digest(self) -> bool {
        self.output_offset == 0 && self.output_bytes == DIGEST_BYTES
    }
}

impl<'a> Columns for HashBatch<'a> {
    type Row = HashRow<'a>;

    fn len(self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Digests { messages, .. } => messages.len(),
            Self::Kept(requests) => requests.len(),
        }
    }

    fn row(self, number: usize) -> HashRow<'a> {
        match self {
            Self::One(row) => row,
            Self::Digests { mode, messages } => HashRow::digest(mode, messages.row(number)),
            Self::Kept(requests) => Hash::row(&requests[number]),
        }
    }

    fn slice(self, range: Range<usize>) -> Self {
        match self {
            Self::One(_) if range.is_empty() => Self::Kept(&[]),
            Self::One(row) => Self::One(row),
            Self::Digests { mode, messages } => {
                Self::Digests { mode, messages: messages.slice(range) }
            }
            Self::Kept(requests) => Self::Kept(&requests[range]),
        }
    }
}

impl Operation for Hash {
    type Request = HashRequest;
    type Row<'a> = HashRow<'a>;
    type Batch<'a> = HashBatch<'a>;
    type Reply = Vec<u8>;
    type Replies = Outputs;
    const NAME: &'static str = "blake3.hash";

    fn batch(requests: &[HashRequest]) -> HashBatch<'_> {
        HashBatch::Kept(requests)
    }

    fn row(request: &HashRequest) -> HashRow<'_> {
        let HashRequest { mode, message, output_offset, output_bytes } = request;
        let (output_offset, output_bytes) = (*output_offset, *output_bytes);
        HashRow { mode, message, output_offset, output_bytes }
    }

    fn known(row: HashRow<'_>) -> Option<Vec<u8>> {
        (row.output_bytes == 0).then(Vec::new)
    }

    fn units(row: HashRow<'_>) -> usize {
        row.message.len()
    }

    fn keep(row: HashRow<'_>) -> HashRequest {
        let HashRow { mode, message, output_offset, output_bytes } = row;
        let (mode, message) = (Arc::new(mode.clone()), message.into());
        HashRequest { mode, message, output_offset, output_bytes }
    }

    fn keep_all(batch: HashBatch<'_>) -> Vec<HashRequest> {
        match batch {
            HashBatch::Kept(requests) => requests.to_vec(),
            HashBatch::One(row) => vec![Self::keep(row)],
            HashBatch::Digests { mode, messages } => {
                let mode = Arc::new(mode.clone());
                messages.rows().map(|message| HashRequest::digest(&mode, message)).collect()
            }
        }
    }
}

/// Returns `true` if the work of this thread is interrupted.
fn is_broken_off() -> bool {
    interrupt::is_requested() == Some(true)
}

impl Compute for Hash {
    const BRIEF: Amount = Amount { requests: 1 << 15, units: 1 << 20 };
    const PIECE: Amount = Amount { requests: 1 << 18, units: PIECE_BYTES };
    const INTERRUPTIBLE: bool = true;

    /// The modes (BLAKE3's paper, section 2.3).
    fn instances() -> Vec<String> {
        ["hash", "keyed_hash", "derive_key"].map(Into::into).into()
    }

    #[inline]
    fn compute_at_once(batch: HashBatch<'_>) -> Option<Outputs> {
        match batch {
            HashBatch::One(row) if row.is_digest() && row.message.len() <= CHUNK_BYTES => {
                Some(Outputs::One(row.mode.digest(row.message)))
            }
            _ => None,
        }
    }

    /// After an interrupt, the reply is unusable.
    fn compute(row: HashRow<'_>) -> Vec<u8> {
        if row.is_digest() && row.message.len() < HUGE_BYTES {
            return row.mode.digest(row.message).to_vec();
        }
        let mut hasher = row.mode.hasher();
        for piece in row.message.chunks(PIECE_BYTES) {
            if is_broken_off() {
                break;
            }
            match piece.len() {
                HUGE_BYTES.. => hasher.update_rayon(piece),
                _ => hasher.update(piece),
            };
        }
        let mut output = vec![0; row.output_bytes];
        let mut reader = hasher.finalize_xof();
        reader.set_position(row.output_offset);
        for piece in output.chunks_mut(PIECE_BYTES) {
            if is_broken_off() {
                break;
            }
            reader.fill(piece);
        }
        output
    }

    /// Digests of the default length are computed in lanes, grouped by mode; the others are
    /// computed one by one.
    fn compute_batch(batch: HashBatch<'_>) -> Outputs {
        match batch {
            HashBatch::One(row) if row.is_digest() && row.message.len() < HUGE_BYTES => {
                Outputs::One(row.mode.digest(row.message))
            }
            HashBatch::One(row) => Outputs::Each(vec![Self::compute(row)]),
            HashBatch::Digests { mode, messages } => {
                let hasher = HashMany::new(mode.clone());
                Outputs::Digests(match messages {
                    Bytes::Each(each) => hasher.digests_parallel(each),
                    others => hasher.digests_parallel(&others),
                })
            }
            HashBatch::Kept(requests) => kept(requests),
        }
    }
}

/// Answers requests with any modes and outputs.
fn kept(requests: &[HashRequest]) -> Outputs {
    // One entry per mode: there are few, and keys need not be hashed for a map.
    let mut modes: Vec<(&Mode, Vec<usize>)> = Vec::new();
    let mut others = Vec::new();
    for (number, request) in requests.iter().enumerate() {
        if !Hash::row(request).is_digest() {
            others.push(number);
            continue;
        }
        match modes.iter_mut().find(|(mode, _)| **mode == *request.mode) {
            Some((_, numbers)) => numbers.push(number),
            None => modes.push((&request.mode, vec![number])),
        }
    }
    let mut replies = vec![Vec::new(); requests.len()];
    let outputs: Vec<Vec<u8>> =
        others.par_iter().map(|number| Hash::compute(Hash::row(&requests[*number]))).collect();
    for (number, output) in others.into_iter().zip(outputs) {
        replies[number] = output;
    }
    let outputs = modes.par_iter().map(|(mode, numbers)| {
        HashMany::new(Mode::clone(mode)).digests_parallel(&Chosen { requests, numbers })
    });
    let outputs: Vec<Vec<Digest>> = outputs.collect();
    let numbers = modes.iter().flat_map(|(_, numbers)| numbers);
    for (number, output) in numbers.zip(outputs.iter().flatten()) {
        replies[*number] = output.to_vec();
    }
    Outputs::Each(replies)
}

/// The messages of some of the requests.
struct Chosen<'r> {
    requests: &'r [HashRequest],
    numbers: &'r [usize],
}

impl Messages for Chosen<'_> {
    fn count(&self) -> usize {
        self.numbers.len()
    }

    fn message(&self, number: usize) -> &[u8] {
        &self.requests[self.numbers[number]].message
    }
}
