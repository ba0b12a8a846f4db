// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Encodes vectors of complex numbers as polynomials with integer coefficients, and decodes them.

mod embedding;
mod encoder;
mod error;
mod parts;
mod values;

pub use embedding::Embedding;
pub(crate) use encoder::{Draft, MOST_BITS};
pub use encoder::{Encoder, Plaintext};
pub use error::EncodingError;
pub(crate) use values::number_text;
pub use values::Values;
