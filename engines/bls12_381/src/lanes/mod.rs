// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Pairings of many points, eight side by side with AVX-512 IFMA; by blst without it, and where
//! there are too few for lanes to gain.
//!
//! Values are blst's. Points are on their curves and in their groups: the caller checks that first,
//! and other points give values without meaning, as blst's functions do. Infinity is allowed in
//! either place, and pairs to 1. All data is public: time depends on it.
//!
//! - `fp2`, `fp12`: the tower of fields. `cyclotomic`: squares and powers after the easy part.
//! - `miller`: Miller's loop. `final_exponentiation`: the power that follows it.
//! - `curve`: points in Jacobian coordinates. `groups`: which of them are in G1 or G2.
//!   `multiples`: each point times a number. `buckets`: sums of multiples of many points.
//! - `powers`, `roots`: square roots, and points from compressed encodings.
//! - `maps`, `isogenies`, `hashes`: hashes to the groups.
//! - `batches`: the functions for callers. `transfer`: into lanes and out of them. `library`: what
//!   blst does.

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
pub mod repeated;
mod roots;
mod transfer;

#[cfg(test)]
mod tests;

pub(crate) use batches::has_lanes;
pub use batches::{
    final_exponentiations, miller_product, miller_products, multi_pairing_check, pairings,
};
pub use buckets::{sum_g1, sum_g2, Factors};
pub use groups::{in_g1, in_g2};
pub use hashes::{hashes_g1, hashes_g2};
pub(crate) use miller::X;
pub use multiples::{multiples_g1, multiples_g2};
pub use roots::{uncompress_g1, uncompress_g2};
pub use transfer::{Pair, POINTS_OF_G1};
