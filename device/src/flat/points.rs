// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of BLS12-381: pairings, sums of multiples, hashes to the groups, Ethereum's precompiles.

use std::sync::Arc;

use halimede_bls12_381::eip2537::Precompile;
use halimede_bls12_381::operations::{Call, Evaluate, Hash, PrecompileRequest, RunPrecompile};
pub use halimede_bls12_381::pairing::GT_BYTES;
use halimede_bls12_381::{reduced, Fr, Point, G1, G2};

use super::batch::answer_made;
use super::error::FlatError;
use crate::device::Device;
use crate::fork::in_pool;

/// A group of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curve {
    /// Coordinates in Fp.
    G1,
    /// Coordinates in Fp2.
    G2,
}

impl Curve {
    /// Bytes of a compressed point, and of an element of the coordinates' field.
    pub const fn point_bytes(self) -> usize {
        match self {
            Self::G1 => 48,
            Self::G2 => 96,
        }
    }
}

/// How a message is hashed to a group (RFC 9380).
#[derive(Clone, Debug)]
pub struct ToCurve {
    /// The group.
    pub curve: Curve,
    /// The domain separation tag.
    pub domain: Arc<[u8]>,
    /// `encode_to_curve`, and not `hash_to_curve`.
    pub encode: bool,
}

/// The product of the pairings of as many points of G1 as of G2, [`GT_BYTES`].
///
/// # Errors
/// [`FlatError::Point`], [`FlatError::Device`].
pub fn pairing_product(device: &Device, g1: &[&[u8]], g2: &[&[u8]]) -> Result<Vec<u8>, FlatError> {
    call(device, Call::PairingProduct(pairs(g1, g2)?))
}

/// Whether that product is 1.
///
/// # Errors
/// As [`pairing_product`].
pub fn is_pairing_product_one(
    device: &Device,
    g1: &[&[u8]],
    g2: &[&[u8]],
) -> Result<bool, FlatError> {
    Ok(call(device, Call::IsPairingProductOne(pairs(g1, g2)?))? == [1])
}

/// The sum of multiples of as many points as there are numbers, or of the points where no numbers
/// are given; compressed. A number has 256 bits, big-endian, and is reduced modulo r.
///
/// # Errors
/// [`FlatError::Point`], [`FlatError::Device`].
pub fn sum(
    device: &Device,
    curve: Curve,
    points: &[&[u8]],
    numbers: Option<&[[u8; 32]]>,
) -> Result<Vec<u8>, FlatError> {
    let numbers: Option<Vec<Fr>> = numbers.map(|numbers| numbers.iter().map(reduced).collect());
    let call_of = match (curve, numbers) {
        (Curve::G1, None) => Call::AddG1(read("points", points)?),
        (Curve::G2, None) => Call::AddG2(read("points", points)?),
        (Curve::G1, Some(numbers)) => {
            Call::SumG1(read("points", points)?.into_iter().zip(numbers).collect())
        }
        (Curve::G2, Some(numbers)) => {
            Call::SumG2(read("points", points)?.into_iter().zip(numbers).collect())
        }
    };
    call(device, call_of)
}

/// The hash of each message, compressed.
///
/// # Errors
/// [`FlatError::Hash`] for a tag of no bytes, [`FlatError::Device`].
pub fn hash_to_curve(
    device: &Device,
    to: &ToCurve,
    messages: &[&[u8]],
) -> Result<Vec<Vec<u8>>, FlatError> {
    let call_of = |row: usize| {
        let message = messages[row].to_vec();
        let hash = Hash { domain: to.domain.clone(), message, encode: to.encode };
        match to.curve {
            Curve::G1 => Call::HashG1(hash),
            Curve::G2 => Call::HashG2(hash),
        }
    };
    calls(device, messages.len(), call_of)
}

/// Each element of the coordinates' field mapped to the group, compressed: [`Curve::point_bytes`]
/// of an element, constant term first.
///
/// # Errors
/// [`FlatError::Hash`] for an element of another length or above the modulus,
/// [`FlatError::Device`].
pub fn map_to_curve(
    device: &Device,
    curve: Curve,
    elements: &[&[u8]],
) -> Result<Vec<Vec<u8>>, FlatError> {
    let call_of = |row: usize| match curve {
        Curve::G1 => Call::MapG1(elements[row].to_vec()),
        Curve::G2 => Call::MapG2(elements[row].to_vec()),
    };
    calls(device, elements.len(), call_of)
}

/// The output of one of EIP-2537's precompiles.
///
/// # Errors
/// [`FlatError::Precompile`] where it fails, [`FlatError::Device`].
pub fn precompile(
    device: &Device,
    precompile: Precompile,
    input: &[u8],
) -> Result<Vec<u8>, FlatError> {
    let request = |_| PrecompileRequest { precompile, input: input.to_vec() };
    let outputs = answer_made::<RunPrecompile>(device, 1, request)?;
    Ok(outputs.into_iter().next().unwrap_or(Ok(vec![]))?)
}

fn call(device: &Device, call: Call) -> Result<Vec<u8>, FlatError> {
    Ok(calls(device, 1, |_| call.clone())?.pop().unwrap_or_default())
}

/// The results of calls; `FlatError::Hash` has the number of the first that has none.
fn calls(
    device: &Device,
    rows: usize,
    call_of: impl Fn(usize) -> Call,
) -> Result<Vec<Vec<u8>>, FlatError> {
    let results = answer_made::<Evaluate>(device, rows, call_of)?.into_iter().enumerate();
    results.map(|(row, result)| result.map_err(|error| FlatError::Hash { row, error })).collect()
}

/// Points that are paired.
type Pair = (Point<G1>, Point<G2>);

fn pairs(g1: &[&[u8]], g2: &[&[u8]]) -> Result<Vec<Pair>, FlatError> {
    Ok(read("g1", g1)?.into_iter().zip(read("g2", g2)?).collect())
}

/// Points of the group, read together.
fn read<C: halimede_bls12_381::Curve>(
    array: &'static str,
    points: &[&[u8]],
) -> Result<Vec<Point<C>>, FlatError> {
    let read = in_pool(|| Point::<C>::all_from_bytes(points));
    let at = |(row, point): (usize, Result<_, _>)| {
        point.map_err(|error| FlatError::Point { array, row, error })
    };
    read.into_iter().enumerate().map(at).collect()
}
