// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arithmetic on ciphertexts.

mod align;
mod ciphertext;
mod degree2;
mod error;
mod explicit;
mod keys;
mod metadata;
mod multiply;
mod numbers;
mod rotate;
mod route;
mod sums;
mod trace;
mod vectors;

pub use ciphertext::Ciphertext;
pub use degree2::Degree2;
pub use error::EvaluationError;
pub use explicit::Explicit;
pub use keys::EvaluationKeys;
pub(crate) use metadata::{check_room, Metadata};
pub(crate) use numbers::Number;
pub use rotate::{conjugation_exponent, rotation_exponent};
pub use vectors::{roll_rotations, slice_rotations};

use crate::bootstrap::Bootstrappers;
use crate::encoding::Encoder;
use crate::params::Parameters;

/// Whoever computes on ciphertexts: it has evaluation keys, and no secret.
///
/// Operands of different levels are brought to the lower one; each level has its scale, on which
/// every result lies. A ciphertext of other parameters is an error; `neg`, `mul_integer` and `mul_by_i`, which
/// have none, make nothing sensible of it.
pub struct Server {
    parameters: Parameters,
    pub(crate) encoder: Encoder,
    keys: EvaluationKeys,
    /// What bootstraps have in common.
    pub(crate) bootstrappers: Bootstrappers,
}

impl Server {
    /// A server with these keys.
    pub fn new(keys: EvaluationKeys) -> Self {
        let parameters = keys.parameters().clone();
        let encoder = Encoder::new(&parameters);
        let bootstrappers = Bootstrappers::new(&parameters);
        Self { parameters, encoder, keys, bootstrappers }
    }

    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The encoder.
    pub fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    /// The keys.
    pub fn keys(&self) -> &EvaluationKeys {
        &self.keys
    }
}
