// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The check of one signature (SEC 1, section 4.1.4). libsecp256k1 evaluates the equation, but
//! reports only whether it holds; [`reason`](crate::reason) finds why it does not.
//!
//! Keys, digests and signatures are public: the running time depends on them.

use halimede_arith::Backend;

use crate::candidate::{Candidate, VerifyRequest};
use crate::reason::{mismatch, reasons};
use crate::verdict::Mask;

/// Performs all checks of a request's numbers.
pub fn check(request: &VerifyRequest) -> Mask {
    match Candidate::new(request) {
        Ok(candidate) => mask(candidate),
        Err(mask) => mask,
    }
}

/// The result of all checks of one signature.
pub(crate) fn mask(candidate: Candidate) -> Mask {
    if candidate.holds() {
        return Mask::VALID;
    }
    reasons(Backend::active(), &[candidate]).first().copied().unwrap_or(mismatch())
}
