// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The error if no parameters meet the requirements.

use super::parameters::ParametersError;

/// No parameters meet the requirements.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum BuilderError {
    /// No ring has this number of slots.
    #[error("{got} slots: a ciphertext has between 1 and {limit}; split the vector")]
    Slots { got: usize, limit: usize },
    /// No level is large enough.
    #[error(
        "{got} bits of precision after {depth} levels of products: at most {most:.1} are possible \
         at N = 2^{log_degree}; request less precision{instead}"
    )]
    Precision {
        got: f64,
        depth: usize,
        most: f64,
        /// log₂ of the largest N.
        log_degree: u32,
        instead: String,
    },
    /// No ring admits a modulus of this size.
    #[error(
        "depth {depth} at {precision_bits} bits of precision needs log2 QP = {needed:.0}, and \
         N = 2^{log_degree} allows at most {most}: {instead}"
    )]
    Depth {
        depth: usize,
        precision_bits: f64,
        /// log₂ of the product of all primes.
        needed: f64,
        most: u32,
        /// log₂ of the largest N.
        log_degree: u32,
        instead: String,
    },
    /// No ring allows this number of digits.
    #[error(transparent)]
    Parameters(#[from] ParametersError),
}
