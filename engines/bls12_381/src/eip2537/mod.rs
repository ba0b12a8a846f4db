// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ethereum's precompiles for BLS12-381 (EIP-2537), and the gas of a call.
//!
//! An element of Fp is 64 bytes, big-endian, the first 16 of them 0; an element of Fp2 is two of
//! these, constant term first. A point is x and y; infinity is all zeros. Additions accept any
//! points of the curves; multi-scalar multiplications and pairings accept only points of the
//! groups. Scalars are any 32 bytes.

mod gas;

use crate::hash::map_to_curve;
use crate::library::is_canonical_fp;
use crate::pairing::is_pairing_product_one;
use crate::scalar::reduced;
use crate::{sum_of_products, Curve, CurvePoint, Fr, Point, PointError, G1, G2};

const ELEMENT_BYTES: usize = 64;
const PADDING_BYTES: usize = 16;
const SCALAR_BYTES: usize = 32;

/// A precompile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precompile {
    /// `BLS12_G1ADD`, at address 0x0b.
    G1Add,
    /// `BLS12_G1MSM`, at address 0x0c.
    G1Msm,
    /// `BLS12_G2ADD`, at address 0x0d.
    G2Add,
    /// `BLS12_G2MSM`, at address 0x0e.
    G2Msm,
    /// `BLS12_PAIRING_CHECK`, at address 0x0f.
    PairingCheck,
    /// `BLS12_MAP_FP_TO_G1`, at address 0x10.
    MapFpToG1,
    /// `BLS12_MAP_FP2_TO_G2`, at address 0x11.
    MapFp2ToG2,
}

/// Why a precompile fails; a failed call burns its gas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrecompileError {
    /// The input has a wrong length.
    #[error("the input has {got} bytes, not {expected}")]
    Length {
        /// The expected number of bytes.
        expected: usize,
        /// The number of bytes given.
        got: usize,
    },
    /// The input is empty, or its length is not a multiple of an item's.
    #[error("the input has {got} bytes, which is not a positive multiple of {unit}")]
    NotMultiple {
        /// Bytes of an item.
        unit: usize,
        /// The number of bytes given.
        got: usize,
    },
    /// The first 16 bytes of an element are not 0.
    #[error("the 16 bytes from byte {offset} on are not 0")]
    Padding {
        /// The offset of the element in the input.
        offset: usize,
    },
    /// An element is not below p.
    #[error("the element from byte {offset} on is not below the modulus")]
    NotCanonical {
        /// The offset of the element in the input.
        offset: usize,
    },
    /// The coordinates are not those of a point that is allowed here.
    #[error("the point of {group} from byte {offset} on: {error}")]
    Point {
        /// `G1` or `G2`.
        group: &'static str,
        /// The offset of the point in the input.
        offset: usize,
        /// The reason.
        error: PointError,
    },
}

impl Precompile {
    /// All precompiles, in the order of their addresses.
    pub const ALL: [Self; 7] = [
        Self::G1Add,
        Self::G1Msm,
        Self::G2Add,
        Self::G2Msm,
        Self::PairingCheck,
        Self::MapFpToG1,
        Self::MapFp2ToG2,
    ];

    /// Returns the precompile's output.
    ///
    /// # Errors
    /// [`PrecompileError`].
    pub fn run(self, input: &[u8]) -> Result<Vec<u8>, PrecompileError> {
        Ok(match self.read(input)? {
            Work::AddG1([p, q]) => write(&p.plus(&q)),
            Work::AddG2([p, q]) => write(&p.plus(&q)),
            Work::SumG1(terms) => write(&sum_of(&terms)),
            Work::SumG2(terms) => write(&sum_of(&terms)),
            Work::Pairing(pairs) => write_verdict(is_pairing_product_one(&pairs)),
            Work::Map(output) => output,
        })
    }

    /// Parses and checks an input.
    ///
    /// # Errors
    /// [`PrecompileError`].
    pub(crate) fn read(self, input: &[u8]) -> Result<Work, PrecompileError> {
        Ok(match self {
            Self::G1Add => Work::AddG1(read_two(input)?),
            Self::G1Msm => Work::SumG1(read_terms(input)?),
            Self::G2Add => Work::AddG2(read_two(input)?),
            Self::G2Msm => Work::SumG2(read_terms(input)?),
            Self::PairingCheck => Work::Pairing(read_pairs(input)?),
            Self::MapFpToG1 => Work::Map(map::<G1>(input)?),
            Self::MapFp2ToG2 => Work::Map(map::<G2>(input)?),
        })
    }
}

/// The arguments of a pairing.
type PointPair = (Point<G1>, Point<G2>);

/// The parsed input of a precompile.
pub(crate) enum Work {
    AddG1([CurvePoint<G1>; 2]),
    AddG2([CurvePoint<G2>; 2]),
    SumG1(Vec<(Point<G1>, Fr)>),
    SumG2(Vec<(Point<G2>, Fr)>),
    Pairing(Vec<PointPair>),
    /// The output of a map.
    Map(Vec<u8>),
}

const fn point_bytes<C: Curve>() -> usize {
    2 * ELEMENT_BYTES * C::DEGREE
}

fn read_two<C: Curve>(input: &[u8]) -> Result<[CurvePoint<C>; 2], PrecompileError> {
    check_length(input, 2 * point_bytes::<C>())?;
    Ok([read::<C>(input, 0)?, read::<C>(input, point_bytes::<C>())?])
}

fn read_terms<C: Curve>(input: &[u8]) -> Result<Vec<(Point<C>, Fr)>, PrecompileError> {
    let unit = point_bytes::<C>() + SCALAR_BYTES;
    let offsets = offsets(input, unit)?;
    let points = read_in_group::<C>(input, offsets.clone())?;
    let scalars = offsets
        .filter_map(|offset| input[offset + point_bytes::<C>()..].first_chunk())
        .map(reduced);
    Ok(points.into_iter().zip(scalars).collect())
}

fn sum_of<C: Curve>(terms: &[(Point<C>, Fr)]) -> Point<C> {
    let (points, scalars): (Vec<_>, Vec<_>) = terms.iter().copied().unzip();
    sum_of_products(&points, &scalars)
}

fn read_pairs(input: &[u8]) -> Result<Vec<PointPair>, PrecompileError> {
    let unit = point_bytes::<G1>() + point_bytes::<G2>();
    let offsets = offsets(input, unit)?;
    let ps = read_in_group::<G1>(input, offsets.clone())?;
    let qs = read_in_group::<G2>(input, offsets.map(|offset| offset + point_bytes::<G1>()))?;
    Ok(ps.into_iter().zip(qs).collect())
}

/// A verdict as a word of 32 bytes: 1 or 0.
pub(crate) fn write_verdict(is_one: bool) -> Vec<u8> {
    let mut output = vec![0; 32];
    output[31] = u8::from(is_one);
    output
}

fn map<C: Curve>(input: &[u8]) -> Result<Vec<u8>, PrecompileError> {
    check_length(input, ELEMENT_BYTES * C::DEGREE)?;
    let elements = read_elements(input, 0, C::DEGREE)?;
    // An element out of range is the only possible error.
    let point = map_to_curve::<C>(&elements.concat())
        .map_err(|_| PrecompileError::NotCanonical { offset: 0 })?;
    Ok(write(&point))
}

fn check_length(input: &[u8], expected: usize) -> Result<(), PrecompileError> {
    match input.len() == expected {
        true => Ok(()),
        false => Err(PrecompileError::Length { expected, got: input.len() }),
    }
}

/// Returns the offsets of the items of `unit` bytes.
fn offsets(
    input: &[u8],
    unit: usize,
) -> Result<impl Iterator<Item = usize> + Clone, PrecompileError> {
    match !input.is_empty() && input.len().is_multiple_of(unit) {
        true => Ok((0..input.len()).step_by(unit)),
        false => Err(PrecompileError::NotMultiple { unit, got: input.len() }),
    }
}

/// Reads elements of Fp, which are in range, as 48 bytes each.
fn read_elements(
    input: &[u8],
    offset: usize,
    count: usize,
) -> Result<Vec<[u8; 48]>, PrecompileError> {
    let elements = input[offset..][..ELEMENT_BYTES * count].as_chunks::<ELEMENT_BYTES>().0;
    let read = |(number, bytes): (usize, &[u8; ELEMENT_BYTES])| {
        let offset = offset + ELEMENT_BYTES * number;
        let (padding, element) = bytes.split_at(PADDING_BYTES);
        if padding.iter().any(|byte| *byte != 0) {
            return Err(PrecompileError::Padding { offset });
        }
        let element = element.first_chunk().copied().unwrap_or([0xff; 48]);
        match is_canonical_fp(&element) {
            true => Ok(element),
            false => Err(PrecompileError::NotCanonical { offset }),
        }
    };
    elements.iter().enumerate().map(read).collect()
}

/// Reads a point of the curve.
fn read<C: Curve>(input: &[u8], offset: usize) -> Result<CurvePoint<C>, PrecompileError> {
    let mut elements = read_elements(input, offset, 2 * C::DEGREE)?;
    if elements.iter().all(|element| *element == [0; 48]) {
        return Ok(CurvePoint::default());
    }
    // In the library's encoding the constant term comes last. An element below p has zeros where
    // the flags are.
    elements.chunks_mut(C::DEGREE).for_each(<[_]>::reverse);
    let at = |error| PrecompileError::Point { group: C::NAME, offset, error };
    CurvePoint::from_uncompressed(&elements.concat()).map_err(at)
}

/// Reads points of the group.
fn read_in_group<C: Curve>(
    input: &[u8],
    offsets: impl Iterator<Item = usize> + Clone,
) -> Result<Vec<Point<C>>, PrecompileError> {
    let points = offsets.clone().map(|offset| read::<C>(input, offset));
    let points = points.collect::<Result<Vec<_>, _>>()?;
    let tested = CurvePoint::all_into_group(&points).into_iter().zip(offsets);
    tested
        .map(|(point, offset)| {
            point.map_err(|error| PrecompileError::Point { group: C::NAME, offset, error })
        })
        .collect()
}

pub(crate) fn write<C: Curve>(point: &CurvePoint<C>) -> Vec<u8> {
    let mut output = vec![0; point_bytes::<C>()];
    if !point.is_infinity() {
        let bytes = point.to_uncompressed();
        let mut elements = bytes.as_chunks::<48>().0.to_vec();
        elements.chunks_mut(C::DEGREE).for_each(<[_]>::reverse);
        for (element, output) in elements.iter().zip(output.chunks_mut(ELEMENT_BYTES)) {
            output[PADDING_BYTES..].copy_from_slice(element);
        }
    }
    output
}
