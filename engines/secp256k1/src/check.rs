// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One signature's check (SEC 1, section 4.1.4), and the reason of its failure.
//!
//! Keys, digests and signatures are public: time depends on them.

use halimede_arith::Backend;

use crate::candidate::{Candidate, VerifyRequest};
use crate::reason::{mismatch, reasons};
use crate::verdict::Mask;

/// Makes every check of a request's numbers.
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
