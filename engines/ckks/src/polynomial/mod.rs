// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Polynomials of encrypted vectors, slot by slot.
//!
//! A polynomial is divided by the powers (or Chebyshev polynomials) of degree 2ⁱ, down to parts of
//! few terms (Paterson, Stockmeyer, "On the number of nonscalar multiplications necessary to
//! evaluate polynomials", SIAM J. Comput. 2, 1973). A polynomial of degree d needs ⌈log₂(d + 1)⌉
//! levels and about 2·√d key switches. Each part receives its level and scale, so that sums have
//! equal scales without an approximation (Bossuat, Mouchet, Troncoso-Pastoriza, Hubaux, EUROCRYPT
//! 2021, section 4).
//!
//! Different polynomials in different blocks of slots use the same powers: their coefficients are
//! plaintext vectors.

mod allowance;
mod basis;
mod blocks;
mod bounds;
mod coefficient;
mod error;
mod evaluate;
mod interpolate;
mod plan;
#[allow(clippy::module_inception, reason = "polynomials are what the folder is about")]
mod polynomial;
mod powers;
mod terms;

pub use allowance::Allowance;
pub use basis::PolynomialBasis;
pub use blocks::BlockPolynomials;
pub(crate) use bounds::{check_argument, derivative, Bounds};
pub use error::{PolynomialError, MAX_DEGREE};
pub(crate) use evaluate::check_levels;
pub use interpolate::Accuracy;
pub use plan::Cost;
pub(crate) use polynomial::clenshaw as chebyshev_value;
pub use polynomial::Polynomial;
