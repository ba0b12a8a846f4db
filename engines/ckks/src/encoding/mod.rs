// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Vectors of complex numbers as polynomials with integer coefficients, and back.

mod complex;
mod embedding;
mod encoder;
mod values;

pub use complex::Complex;
pub use embedding::Embedding;
pub(crate) use encoder::MOST_BITS;
pub use encoder::{Encoder, EncodingError, Plaintext};
pub(crate) use values::number_text;
pub use values::Values;
