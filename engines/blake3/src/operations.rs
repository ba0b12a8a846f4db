// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a device can be asked of this engine, and this processor's answers.

use std::collections::HashMap;
use std::sync::Arc;

use halimede_arith::job::{Compute, Operation};
use rayon::prelude::*;

use crate::many::HUGE_BYTES;
use crate::{Digest, HashMany, Messages, Mode, DIGEST_BYTES};

/// A message's digest, or more of its extended output.
pub struct Hash;

/// What [`Hash`] hashes.
#[derive(Clone, Debug)]
pub struct HashRequest {
    /// What is computed.
    pub mode: Arc<Mode>,
    /// The message.
    pub message: Arc<[u8]>,
    /// Where in the extended output the reply begins, in bytes.
    pub output_offset: u64,
    /// Bytes of the reply.
    pub output_bytes: usize,
}

impl HashRequest {
    /// Asks for the digest of the default length.
    pub fn digest(mode: &Arc<Mode>, message: impl Into<Arc<[u8]>>) -> Self {
        Self {
            mode: Arc::clone(mode),
            message: message.into(),
            output_offset: 0,
            output_bytes: DIGEST_BYTES,
        }
    }
}

impl Operation for Hash {
    type Request = HashRequest;
    type Reply = Vec<u8>;
    const NAME: &'static str = "blake3.hash";
}

impl HashRequest {
    /// Whether it asks for the digest of the default length.
    fn is_digest(&self) -> bool {
        self.output_offset == 0 && self.output_bytes == DIGEST_BYTES
    }
}

impl Compute for Hash {
    fn compute(request: &HashRequest) -> Vec<u8> {
        let mut hasher = request.mode.hasher();
        if request.message.len() >= HUGE_BYTES {
            hasher.update_rayon(&request.message);
        } else {
            hasher.update(&request.message);
        }
        let mut output = vec![0; request.output_bytes];
        let mut reader = hasher.finalize_xof();
        reader.set_position(request.output_offset);
        reader.fill(&mut output);
        output
    }

    /// Digests of the default length go through the lanes, those of one mode together; the others
    /// are answered one by one.
    fn compute_batch(requests: &[HashRequest]) -> Vec<Vec<u8>> {
        let mut digests: HashMap<*const Mode, Vec<usize>> = HashMap::new();
        let mut others = Vec::new();
        for (number, request) in requests.iter().enumerate() {
            if request.is_digest() {
                digests.entry(Arc::as_ptr(&request.mode)).or_default().push(number);
            } else {
                others.push(number);
            }
        }
        let mut replies = vec![Vec::new(); requests.len()];
        let outputs: Vec<Vec<u8>> =
            others.par_iter().map(|number| Self::compute(&requests[*number])).collect();
        for (number, output) in others.into_iter().zip(outputs) {
            replies[number] = output;
        }
        let groups: Vec<Vec<usize>> = digests.into_values().collect();
        let outputs = groups.par_iter().map(|numbers| {
            let many = HashMany::new(Mode::clone(&requests[numbers[0]].mode));
            many.digests_parallel(&Chosen { requests, numbers })
        });
        let outputs: Vec<Vec<Digest>> = outputs.collect();
        for (number, output) in groups.iter().flatten().zip(outputs.iter().flatten()) {
            replies[*number] = output.to_vec();
        }
        replies
    }
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
