// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Single operations on points: sums, multiples, pairings, hashes, precompiles.

use std::sync::Arc;

use halimede_arith::job::{Amount, Compute};
use halimede_arith::{operation_over, Fr};

use crate::eip2537::{Precompile, PrecompileError};
use crate::hash::{encode_to_curve, hash_to_curve, map_to_curve, HashError};
use crate::library::Curve;
use crate::pairing::{is_pairing_product_one, pairing_product};
use crate::{sum_of_products, Point, G1, G2};

/// An operation on points.
pub struct Evaluate;

/// A request of [`Evaluate`]. Its reply is the encoding of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// The product of pairings.
    PairingProduct(Vec<(Point<G1>, Point<G2>)>),
    /// The check that a product of pairings is 1. The reply is one byte, 1 or 0.
    IsPairingProductOne(Vec<(Point<G1>, Point<G2>)>),
    /// The sum of points of G1, compressed.
    AddG1(Vec<Point<G1>>),
    /// The sum of points of G2, compressed.
    AddG2(Vec<Point<G2>>),
    /// The sum of multiples of points of G1, compressed.
    SumG1(Vec<(Point<G1>, Fr)>),
    /// The sum of multiples of points of G2, compressed.
    SumG2(Vec<(Point<G2>, Fr)>),
    /// An element of Fp mapped to G1, compressed.
    MapG1(Vec<u8>),
    /// An element of Fp2 mapped to G2, compressed.
    MapG2(Vec<u8>),
    /// A hash to G1, compressed.
    HashG1(Hash),
    /// A hash to G2, compressed.
    HashG2(Hash),
}

/// A message to hash to a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hash {
    /// The domain separation tag.
    pub domain: Arc<[u8]>,
    /// The message.
    pub message: Vec<u8>,
    /// Use `encode_to_curve` instead of `hash_to_curve`.
    pub encode: bool,
}

impl Hash {
    fn point<C: Curve>(&self) -> Result<Point<C>, HashError> {
        match self.encode {
            true => encode_to_curve(&self.domain, &self.message),
            false => hash_to_curve(&self.domain, &self.message),
        }
    }
}

impl Call {
    /// The number of points that are read or computed.
    fn points(&self) -> usize {
        match self {
            Self::PairingProduct(pairs) | Self::IsPairingProductOne(pairs) => pairs.len(),
            Self::AddG1(points) => points.len(),
            Self::AddG2(points) => points.len(),
            Self::SumG1(terms) => terms.len(),
            Self::SumG2(terms) => terms.len(),
            Self::MapG1(_) | Self::MapG2(_) | Self::HashG1(_) | Self::HashG2(_) => 1,
        }
    }
}

operation_over!(Evaluate, Call, Result<Vec<u8>, HashError>, "bls12_381.evaluate", |row| row
    .points());

impl Compute for Evaluate {
    const BRIEF: Amount = Amount { requests: 16, units: 64 };
    const PIECE: Amount = Amount { requests: 256, units: 1 << 12 };

    fn compute(call: &Call) -> Result<Vec<u8>, HashError> {
        Ok(match call {
            Call::PairingProduct(pairs) => pairing_product(pairs).to_vec(),
            Call::IsPairingProductOne(pairs) => vec![u8::from(is_pairing_product_one(pairs))],
            Call::AddG1(points) => sum(points),
            Call::AddG2(points) => sum(points),
            Call::SumG1(terms) => sum_of_terms(terms),
            Call::SumG2(terms) => sum_of_terms(terms),
            Call::MapG1(element) => map_to_curve::<G1>(element)?.to_compressed(),
            Call::MapG2(element) => map_to_curve::<G2>(element)?.to_compressed(),
            Call::HashG1(hash) => hash.point::<G1>()?.to_compressed(),
            Call::HashG2(hash) => hash.point::<G2>()?.to_compressed(),
        })
    }
}

fn sum<C: Curve>(points: &[Point<C>]) -> Vec<u8> {
    points.iter().fold(Point::<C>::default(), |sum, point| sum.plus(point)).to_compressed()
}

fn sum_of_terms<C: Curve>(terms: &[(Point<C>, Fr)]) -> Vec<u8> {
    let (points, scalars): (Vec<_>, Vec<_>) = terms.iter().copied().unzip();
    sum_of_products(&points, &scalars).to_compressed()
}

/// The run of a precompile.
pub struct RunPrecompile;

/// A request of [`RunPrecompile`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrecompileRequest {
    /// The precompile.
    pub precompile: Precompile,
    /// The input.
    pub input: Vec<u8>,
}

operation_over!(
    RunPrecompile,
    PrecompileRequest,
    Result<Vec<u8>, PrecompileError>,
    "bls12_381.precompile",
    |row| row.input.len().div_ceil(128)
);

impl Compute for RunPrecompile {
    const BRIEF: Amount = Amount { requests: 16, units: 64 };
    const PIECE: Amount = Amount { requests: 256, units: 1 << 12 };

    fn compute(row: &PrecompileRequest) -> Result<Vec<u8>, PrecompileError> {
        row.precompile.run(&row.input)
    }
}
