// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The record of an answer in the state of a party.

use super::subject::Subject;

/// The answer of a party for a second part of ciphertexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub subject: Subject,
    /// The bits of the standard deviation of the noise.
    pub deviation: u64,
}
