// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a device can be asked of this engine.

use std::sync::Arc;

use halimede_arith::job::{Compute, Operation};

use crate::{batch, meets_target, Check, EncodingError, Mask, Params, Verifier};

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

impl Compute for Verify {
    fn compute(request: &VerifyRequest) -> Mask {
        let verifier = Verifier::new(request.params, &request.header);
        let mut mask = verifier.mask_of_checked(&request.solution);
        if !meets_target(&request.to_bytes()) {
            mask.set(Check::Difficulty);
        }
        mask
    }

    fn compute_batch(requests: &[VerifyRequest]) -> Vec<Mask> {
        batch::map(requests, |request| request.params, Self::compute)
    }
}
