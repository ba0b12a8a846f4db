// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a device can be asked of this engine.

use std::sync::Arc;

use halimede_arith::job::{Compute, Operation};
use sha2::{Digest, Sha256};

use crate::{batch, Check, EncodingError, Mask, Params, Verifier};

/// Bytes of a block header without its solution: version, three hashes, time, target, nonce.
pub const HEADER_BYTES: usize = 140;

/// A block header's proof of work: solution and difficulty, every check.
pub struct Verify;

/// A header and its solution in the minimal form, of the right size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyRequest {
    params: Params,
    header: [u8; HEADER_BYTES],
    solution: Arc<[u8]>,
}

impl VerifyRequest {
    /// A header, nonce included, and its solution.
    ///
    /// # Errors
    /// [`EncodingError::Bytes`] for a solution of another length than the parameters want.
    pub fn new(
        params: Params,
        header: [u8; HEADER_BYTES],
        solution: impl Into<Arc<[u8]>>,
    ) -> Result<Self, EncodingError> {
        let (solution, expected) = (solution.into(), params.solution_bytes());
        if solution.len() != expected {
            return Err(EncodingError::Bytes { got: solution.len(), expected });
        }
        Ok(Self { params, header, solution })
    }

    /// n and k.
    pub fn params(&self) -> Params {
        self.params
    }

    /// The header without its solution.
    pub fn header(&self) -> &[u8; HEADER_BYTES] {
        &self.header
    }

    /// The solution in its minimal form.
    pub fn solution(&self) -> &[u8] {
        &self.solution
    }
}

impl Operation for Verify {
    type Request = VerifyRequest;
    type Reply = Mask;
    const NAME: &'static str = "equihash.verify";
}

impl VerifyRequest {
    /// The header, the solution's length as consensus encodes it, and the solution: what the
    /// block's hash is of.
    fn header_and_solution(&self) -> Vec<u8> {
        let mut bytes = self.header.to_vec();
        match (u8::try_from(self.solution.len()), u16::try_from(self.solution.len())) {
            (Ok(length @ 0..=252), _) => bytes.push(length),
            (_, Ok(length)) => {
                bytes.push(0xfd);
                bytes.extend(length.to_le_bytes());
            }
            // Params allow of 2^22 indices of 32 bits at most.
            _ => {
                bytes.push(0xfe);
                bytes.extend((self.solution.len() as u32).to_le_bytes());
            }
        }
        bytes.extend_from_slice(&self.solution);
        bytes
    }
}

impl Compute for Verify {
    fn compute(request: &VerifyRequest) -> Mask {
        let verifier = Verifier::new(request.params, &request.header);
        let mut mask = verifier.mask_of_checked(&request.solution);
        if !meets_target(&request.header_and_solution()) {
            mask.set(Check::Difficulty);
        }
        mask
    }

    fn compute_batch(requests: &[VerifyRequest]) -> Vec<Mask> {
        batch::map(requests, |request| request.params, Self::compute)
    }
}

/// Whether the double SHA-256 of a header is at most the target that it names in its compact form
/// (bytes 104 to 107), and that is a target: positive and below 2^256.
fn meets_target(header_and_solution: &[u8]) -> bool {
    let mut hash: [u8; 32] = Sha256::digest(Sha256::digest(header_and_solution)).into();
    hash.reverse();
    let Some(&[low, middle, high, size]) = header_and_solution[104..].first_chunk() else {
        return false;
    };
    let (is_negative, size) = (high & 0x80 != 0, usize::from(size));
    // The mantissa's lowest byte has the weight 256^(size - 3); the target is big-endian.
    let mut target = [0; 32];
    for (place, byte) in [low, middle, high & 0x7f].into_iter().enumerate() {
        match (size + place).checked_sub(3) {
            Some(place) if place < 32 => target[31 - place] = byte,
            Some(_) if byte != 0 => return false,
            _ => {}
        }
    }
    !is_negative && target != [0; 32] && hash <= target
}
