// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products of matrices and encrypted vectors.
//!
//! With u_k the k-th diagonal of a matrix M of n rows, u_k(i) = M(i, i + k mod n), the product M·x
//! is Σ u_k ⊙ rot_k(x). Steps are split into k = G + b with few *giant* steps G and few *baby*
//! steps b, Σ_G rot_G(Σ_b rot_−G(u_G+b) ⊙ rot_b(x)), which needs one rotation per giant and baby
//! step (Halevi, Shoup, "Faster homomorphic linear transformations in HElib", CRYPTO 2018). Baby
//! steps share the digits of x. Sums are taken modulo Q·P, before the division of a key switch, and
//! divided once per giant step (Bossuat, Mouchet, Troncoso-Pastoriza, Hubaux, "Efficient
//! bootstrapping for approximate homomorphic encryption with non-sparse keys", EUROCRYPT 2021,
//! section 5).
//!
//! A matrix of blocks maps several vectors to several ([`BlockMatrix`]).
//!
//! With few keys, one repeated rotation reaches all baby steps, and another all giant steps, which
//! follow Horner's rule: Σ_G rot_G(y_G) = y₀ + rot_g(y_g + rot_g(y_2g + …)).

mod apply;
mod blocks;
mod diagonals;
mod entries;
mod error;
mod split;
mod transform;

pub use blocks::{Block, BlockMatrix};
pub use diagonals::Diagonals;
pub(crate) use diagonals::Norms;
pub use error::LinearError;
pub(crate) use split::{rotations_of, RotationStrategy, Split};
pub use transform::LinearTransform;
pub(crate) use transform::Way;
