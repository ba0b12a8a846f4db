// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Matrices times encrypted vectors.
//!
//! With u_k the k-th diagonal of a matrix M of n rows, u_k(i) = M(i, i + k mod n), the product M·x
//! is Σ u_k ⊙ rot_k(x). Steps are split into k = G + b with few *giant* steps G and few *baby*
//! steps b, Σ_G rot_G(Σ_b rot_−G(u_G+b) ⊙ rot_b(x)): as many rotations as there are giant and baby
//! steps (Halevi, Shoup, "Faster homomorphic linear transformations in HElib", CRYPTO 2018). Baby
//! steps share the digits of x, sums are taken modulo Q·P, before a key switch's division, and
//! divided once a giant step (Bossuat, Mouchet, Troncoso-Pastoriza, Hubaux, "Efficient
//! bootstrapping for approximate homomorphic encryption with non-sparse keys", EUROCRYPT 2021,
//! section 5).
//!
//! A matrix of blocks takes several vectors to several ([`BlockMatrix`]).
//!
//! With few keys all baby steps are reached by one rotation, and all giant steps by another,
//! repeated: giant steps in Horner's way, Σ_G rot_G(y_G) = y₀ + rot_g(y_g + rot_g(y_2g + …)).

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
