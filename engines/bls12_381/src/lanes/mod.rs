// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Pairings of many points, in eight lanes with AVX2 or AVX-512. blst computes them on other
//! processors, and if there are too few for lanes to be faster.
//!
//! Values have blst's format. Points must be on their curves and in their groups, which the caller
//! checks first: other points give meaningless values, as with blst's functions. Infinity is
//! allowed on either side, and pairs to 1. All data are public: the running time depends on them.
//!
//! - `fp2`, `fp12`: the tower of fields. `cyclotomic`: squares and powers after the easy part.
//! - `miller`: the Miller loop. `final_exponentiation`: the power that follows it.
//! - `spread`: the same for one product of few pairs, with one number over all lanes.
//! - `curve`: points in Jacobian coordinates. `groups`: tests for membership of G1 and G2.
//!   `multiples`: each point times a number. `products`: each point times a scalar. `buckets`:
//!   multi-scalar multiplication.
//! - `powers`, `roots`: square roots, and points from compressed encodings.
//! - `maps`, `isogenies`, `hashes`: hashing to the groups.
//! - `batches`: the functions for callers. `worth`: the numbers of items from which lanes are
//!   faster. `transfer`: loads and stores of lanes. `library`: the functions of blst.

mod batches;
mod buckets;
mod curve;
mod cyclotomic;
mod final_exponentiation;
mod fp12;
mod fp2;
mod groups;
mod hashes;
mod isogenies;
mod isogeny_of_e1;
pub(crate) mod library;
mod maps;
mod miller;
mod multiples;
mod powers;
mod products;
pub mod repeated;
mod roots;
pub(crate) mod spread;
mod transfer;
mod worth;

#[cfg(test)]
mod tests;

pub(crate) use batches::has_lanes;
pub use batches::{
    final_exponentiation, final_exponentiations, miller_product, miller_products,
    multi_pairing_check, pairings,
};
pub(crate) use buckets::split;
pub use buckets::{fixed_points, sum_g1, sum_g2, Factors, FixedPoints};
pub(crate) use groups::beta;
pub use groups::{in_g1, in_g2};
pub use hashes::{hashes_g1, hashes_g2};
pub(crate) use miller::{miller_loop, Steps, X};
pub use multiples::{multiples_g1, multiples_g2};
pub use products::products_g1;
pub use roots::{uncompress_g1, uncompress_g2};
pub(crate) use spread::LinesAt;
pub use transfer::{Pair, POINTS_OF_G1};
pub(crate) use worth::worth;
