// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why no parameters meet a demand.

use super::parameters::ParametersError;

/// Why no parameters meet the demand.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum BuilderError {
    /// No ring has as many slots.
    #[error("{got} slots: a ciphertext has between 1 and {limit}; split the vector")]
    Slots { got: usize, limit: usize },
    /// No level is large enough.
    #[error(
        "{got} bits of precision after {depth} levels of products: {most:.1} are to be had at \
         N = 2^{log_degree}; ask for less precision{instead}"
    )]
    Precision {
        got: f64,
        depth: usize,
        most: f64,
        /// log₂ of the largest N.
        log_degree: u32,
        instead: String,
    },
    /// No ring admits as large a modulus.
    #[error(
        "depth {depth} at {precision_bits} bits of precision needs log2 QP = {needed:.0}, and \
         N = 2^{log_degree} may have {most}: {instead}"
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
