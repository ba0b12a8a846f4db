// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parameters: the ring, the moduli and the distribution of secrets.

mod bootstrap;
mod builder;
mod builder_error;
mod chain;
mod errors;
mod parameters;
mod precision;
mod scale;
mod security;

pub use bootstrap::{BootstrapShape, BootstrapShapeError};
pub use builder::ParametersBuilder;
pub use builder_error::BuilderError;
pub use chain::{Chain, ChainError, ChainLevel, ChainShape, LEAST_LOG_ORDER};
pub(crate) use errors::{
    double_error, fresh_error, integer_error, public_error, relinearization_error, rounding_error,
    size_of_error, switching_error, switching_error_by,
};
pub use parameters::{Parameters, ParametersError, Shape, MOST_PARTIES};
pub use precision::ExpectedPrecision;
pub use scale::Scale;
pub use security::{
    most_modulus_bits, EncapsulationError, SecretKind, SecurityLevel,
    LEAST_ENCAPSULATED_LOG_DEGREE, LEAST_ENCAPSULATED_WEIGHT, MOST_ENCAPSULATED_MODULUS_BITS,
    SPARSE_WEIGHT,
};
