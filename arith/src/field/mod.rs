// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Prime fields of four 64-bit limbs in Montgomery form (R = 2²⁵⁶).
//!
//! [`Field<M>`] is generic over the modulus `M`. [`Fr`] is the scalar field of BLS12-381 and
//! [`Felt`] is StarkWare's field. All arithmetic here is portable Rust on 128-bit products, and the
//! reference for every faster path. Moduli are below 2²⁵⁵, so one spare bit of the top limb holds
//! the carry of a sum.
//!
//! Timing: `add`, `sub`, `neg`, `mul`, `square`, `inner_product`, [`LazySum`] and `inverse` do not
//! branch on values. Parsing, formatting, comparison and `batch_inverse` do; use these only on
//! public data.

mod arithmetic;
mod bytes;
mod inner_product;
mod inverse;
mod lazy_sum;
mod limbs;
mod modulus;
#[cfg(feature = "neptune")]
mod neptune;
#[cfg(feature = "starknet")]
mod starknet;
mod wipe;

#[cfg(test)]
mod tests;

pub use arithmetic::Field;
pub use bytes::FieldError;
pub use inverse::batch_inverse;
pub use lazy_sum::LazySum;
pub use modulus::{Bls12381Scalar, Bn254Scalar, Modulus, PallasBase, StarkPrime, VestaBase};

/// The scalar field of BLS12-381, r = 0x73eda753…00000001 (255 bits).
pub type Fr = Field<Bls12381Scalar>;
/// StarkWare's field, p = 2²⁵¹ + 17·2¹⁹² + 1 (252 bits).
pub type Felt = Field<StarkPrime>;
