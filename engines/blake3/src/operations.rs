// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a device can be asked of this engine, and this processor's answers.

use std::sync::Arc;

use halimede_arith::job::{Compute, Operation};

use crate::{Mode, DIGEST_BYTES};

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

impl Compute for Hash {
    fn compute(request: &HashRequest) -> Vec<u8> {
        let mut hasher = request.mode.hasher();
        let mut output = vec![0; request.output_bytes];
        let mut reader = hasher.update(&request.message).finalize_xof();
        reader.set_position(request.output_offset);
        reader.fill(&mut output);
        output
    }
}
