// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ciphertexts, and arithmetic on them.

mod align;
mod block_numbers;
mod ciphertext;
mod degree2;
mod error;
#[allow(clippy::module_inception, reason = "the folder contains the evaluator")]
mod evaluator;
mod explicit;
mod exponents;
mod inner_sums;
mod keys;
mod metadata;
mod multiply;
mod numbers;
mod rotate;
mod route;
mod sums;
mod vectors;

pub(crate) use align::SAME_SCALE;
pub(crate) use block_numbers::BlockNumbers;
pub use ciphertext::Ciphertext;
pub use degree2::Degree2;
pub use error::EvaluationError;
pub use evaluator::Evaluator;
pub use explicit::Explicit;
pub use exponents::{conjugation_exponent, rotation_exponent};
pub use inner_sums::{inner_sum_rotations, replicate_rotations};
pub use keys::EvaluationKeys;
pub(crate) use metadata::{check_room, Metadata};
pub(crate) use numbers::Number;
pub use vectors::{roll_rotations, slice_rotations};
