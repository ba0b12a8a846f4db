// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations of a device on half-aggregate signatures.

use halimede_arith::job::{Amount, Compute};
use halimede_arith::operation_over;
use rayon::prelude::*;

use super::{extend, verify, Rejection, Signer};
use crate::schnorr::{SchnorrRequest, Signed};

/// The check of a half-aggregate signature.
pub struct VerifyHalfAggregate;

/// The aggregation of Schnorr signatures.
pub struct HalfAggregate;

/// A signer, with owned bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedSigner {
    /// x of the key.
    pub key: Vec<u8>,
    /// The message.
    pub message: Vec<u8>,
}

/// A request of [`VerifyHalfAggregate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HalfAggregateRequest {
    /// The signers, in the order of their signatures.
    pub signers: Vec<OwnedSigner>,
    /// All r, and s.
    pub aggregate: Vec<u8>,
}

/// A request of [`HalfAggregate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HalfAggregation {
    /// The aggregate that is extended, and its signers.
    pub before: HalfAggregateRequest,
    /// The signatures that are added.
    pub signatures: Vec<SchnorrRequest>,
}

impl HalfAggregateRequest {
    /// Verifies the aggregate.
    ///
    /// # Errors
    /// [`Rejection`] if it is not valid.
    pub fn verify(&self) -> Result<(), Rejection> {
        verify(&self.aggregate, &self.borrowed())
    }

    fn borrowed(&self) -> Vec<Signer<'_>> {
        self.signers.iter().map(|OwnedSigner { key, message }| Signer { key, message }).collect()
    }
}

impl HalfAggregation {
    /// Returns the extended aggregate.
    ///
    /// # Errors
    /// [`Rejection`], as for [`extend`].
    pub fn extend(&self) -> Result<Vec<u8>, Rejection> {
        let signed: Vec<Signed<'_>> = self.signatures.iter().map(SchnorrRequest::signed).collect();
        extend(&self.before.aggregate, &self.before.borrowed(), &signed)
    }
}

operation_over!(
    VerifyHalfAggregate,
    HalfAggregateRequest,
    Result<(), Rejection>,
    "secp256k1.verify_half_aggregate",
    |request| request.signers.len() + 1
);

impl Compute for VerifyHalfAggregate {
    const BRIEF: Amount = Amount { requests: 64, units: 1 << 11 };
    const PIECE: Amount = Amount { requests: 512, units: 1 << 14 };

    fn compute(request: &HalfAggregateRequest) -> Result<(), Rejection> {
        request.verify()
    }

    fn compute_batch(requests: &[HalfAggregateRequest]) -> Vec<Result<(), Rejection>> {
        requests.par_iter().map(HalfAggregateRequest::verify).collect()
    }
}

operation_over!(
    HalfAggregate,
    HalfAggregation,
    Result<Vec<u8>, Rejection>,
    "secp256k1.half_aggregate",
    |request| request.before.signers.len() + request.signatures.len() + 1
);

impl Compute for HalfAggregate {
    const BRIEF: Amount = Amount { requests: 1 << 10, units: 1 << 14 };
    const PIECE: Amount = Amount { requests: 1 << 13, units: 1 << 17 };

    fn compute(request: &HalfAggregation) -> Result<Vec<u8>, Rejection> {
        request.extend()
    }

    fn compute_batch(requests: &[HalfAggregation]) -> Vec<Result<Vec<u8>, Rejection>> {
        requests.par_iter().map(HalfAggregation::extend).collect()
    }
}
