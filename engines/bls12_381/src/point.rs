// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points and their encodings, which are those of Zcash and of the IETF
//! (draft-irtf-cfrg-pairing-friendly-curves, appendix C): elements of Fp are big-endian, elements
//! of Fp2 have the coefficient of u first, and three flags are in the highest bits of the first
//! byte.

use std::ops::Deref;

use halimede_arith::Fr;
use rayon::prelude::*;

use crate::lanes::POINTS_OF_G1;
use crate::library::{is_canonical_fp, Curve, Ladder};
use crate::pairing::in_group;
use crate::PointError;

const COMPRESSED: u8 = 0b100;
const INFINITY: u8 = 0b010;
const SIGN: u8 = 0b001;

/// A point of a curve, which need not be in the group of order r.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint<C: Curve>(C::Affine);

impl<C: Curve> Eq for CurvePoint<C> {}

/// A point of the group of order r.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point<C: Curve>(CurvePoint<C>);

impl<C: Curve> Default for CurvePoint<C> {
    /// Infinity.
    fn default() -> Self {
        Self(C::Affine::default())
    }
}

impl<C: Curve> CurvePoint<C> {
    /// Decodes a compressed point.
    ///
    /// # Errors
    /// [`PointError`], unless the bytes are a point of the curve; it need not be in the group.
    pub fn from_compressed(bytes: &[u8]) -> Result<Self, PointError> {
        match check_compressed::<C>(bytes)? {
            Checked::Infinity => Ok(Self::default()),
            Checked::Finite => C::uncompress(bytes).map(Self).ok_or(PointError::NotOnCurve),
        }
    }

    /// Decodes an uncompressed point.
    ///
    /// # Errors
    /// [`PointError`], unless the bytes are a point of the curve; it need not be in the group.
    pub fn from_uncompressed(bytes: &[u8]) -> Result<Self, PointError> {
        check_length::<C>(bytes, C::UNCOMPRESSED_BYTES)?;
        let flags = bytes[0] >> 5;
        if flags & (COMPRESSED | SIGN) != 0 {
            return Err(PointError::Flags { flags, form: "an uncompressed" });
        }
        if is_infinity(flags, bytes)? {
            return Ok(Self::default());
        }
        check_elements(bytes)?;
        C::deserialize(bytes).map(Self).ok_or(PointError::NotOnCurve)
    }

    /// Decodes a point in either form, which the length determines.
    ///
    /// # Errors
    /// [`PointError`], unless the bytes are a point of the curve; it need not be in the group.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PointError> {
        match bytes.len() == C::UNCOMPRESSED_BYTES {
            true => Self::from_uncompressed(bytes),
            false => Self::from_compressed(bytes),
        }
    }

    /// Returns the compressed form, [`Curve::COMPRESSED_BYTES`] long.
    pub fn to_compressed(&self) -> Vec<u8> {
        C::compress(&self.0)
    }

    /// Returns the uncompressed form, [`Curve::UNCOMPRESSED_BYTES`] long.
    pub fn to_uncompressed(&self) -> Vec<u8> {
        C::serialize(&self.0)
    }

    /// Returns `true` for the point at infinity.
    pub fn is_infinity(&self) -> bool {
        C::is_infinity(&self.0)
    }

    /// Converts the point to a point of the group.
    ///
    /// # Errors
    /// [`PointError::WrongSubgroup`].
    pub fn into_group(self) -> Result<Point<C>, PointError> {
        match in_group::<C>(&[self.0])[0] {
            true => Ok(Point(self)),
            false => Err(PointError::WrongSubgroup),
        }
    }

    /// Converts points to points of the group, testing them together.
    pub fn all_into_group(points: &[Self]) -> Vec<Result<Point<C>, PointError>> {
        let affine: Vec<C::Affine> = points.iter().map(|point| point.0).collect();
        let tested = points.iter().zip(in_group::<C>(&affine));
        tested
            .map(|(point, is_in)| is_in.then_some(Point(*point)).ok_or(PointError::WrongSubgroup))
            .collect()
    }

    /// Returns P + Q.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let sum = C::add_affine(&C::to_jacobian(&self.0), &other.0);
        Self(C::to_affine(&[sum])[0])
    }

    /// Returns −P.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self(C::negate(&self.0))
    }

    /// Returns x and y in Montgomery form with R = 2³⁸⁴: 12·[`Curve::DEGREE`] words, those of a
    /// constant term first, and of each element of Fp the lowest first. Infinity is all zeros.
    pub fn montgomery_words(&self) -> &[u64] {
        C::words(&self.0)
    }

    /// The library's point.
    pub(crate) fn affine(&self) -> &C::Affine {
        &self.0
    }
}

impl<C: Curve> Default for Point<C> {
    /// Infinity.
    fn default() -> Self {
        Self(CurvePoint::default())
    }
}

impl<C: Curve> Deref for Point<C> {
    type Target = CurvePoint<C>;

    fn deref(&self) -> &CurvePoint<C> {
        &self.0
    }
}

impl<C: Curve> Point<C> {
    /// Returns the group's generator.
    pub fn generator() -> Self {
        Self::of_group(C::generator())
    }

    /// Decodes a compressed point of the group.
    ///
    /// # Errors
    /// [`PointError`].
    pub fn from_compressed(bytes: &[u8]) -> Result<Self, PointError> {
        CurvePoint::from_compressed(bytes)?.into_group()
    }

    /// Decodes an uncompressed point of the group.
    ///
    /// # Errors
    /// [`PointError`].
    pub fn from_uncompressed(bytes: &[u8]) -> Result<Self, PointError> {
        CurvePoint::from_uncompressed(bytes)?.into_group()
    }

    /// Decodes a point of the group in either form, which the length determines.
    ///
    /// # Errors
    /// [`PointError`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PointError> {
        CurvePoint::from_bytes(bytes)?.into_group()
    }

    /// Decodes compressed points of the group, testing them together.
    pub fn all_from_compressed(bytes: &[&[u8]]) -> Vec<Result<Self, PointError>> {
        read_all(bytes, false)
    }

    /// Decodes points of the group in either form, testing them together.
    pub fn all_from_bytes(bytes: &[&[u8]]) -> Vec<Result<Self, PointError>> {
        read_all(bytes, true)
    }

    /// Returns points from Jacobian coordinates in the words of [`CurvePoint::montgomery_words`],
    /// with Z after x and y; infinity has Z = 0. Nothing is checked: the words are of points that
    /// were computed from points of the group.
    pub fn all_from_jacobian(words: &[u64]) -> Vec<Self> {
        C::to_affine(&C::of_words(words)).into_iter().map(Self::of_group).collect()
    }

    /// Returns the sum of two points of the group.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self(self.0.plus(&other.0))
    }

    /// Returns the opposite point.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self(self.0.negated())
    }

    /// Returns the product with a scalar.
    #[must_use]
    pub fn times(&self, scalar: &Fr) -> Self {
        let bytes = scalar.to_le_bytes();
        let multiple = C::multiply(self.affine(), Ladder { scalars: &bytes, bits: 255 });
        Self::of_group(C::to_affine(&[multiple])[0])
    }

    /// Wraps a point that was computed from points of the group.
    pub(crate) fn of_group(affine: C::Affine) -> Self {
        Self(CurvePoint(affine))
    }
}

/// Decodes points of the group, compressed or, with `any_form`, in either form.
fn read_all<C: Curve>(bytes: &[&[u8]], any_form: bool) -> Vec<Result<Point<C>, PointError>> {
    let read_some = |bytes: &[&[u8]]| read_points::<C>(bytes, any_form);
    let read = match bytes.len() <= POINTS_OF_G1 {
        true => read_some(bytes),
        false => bytes.par_chunks(POINTS_OF_G1).flat_map_iter(read_some).collect(),
    };
    let points: Vec<CurvePoint<C>> = read.iter().filter_map(|read| read.ok()).collect();
    let mut tested = CurvePoint::all_into_group(&points).into_iter();
    read.into_iter()
        .map(|read| read.and_then(|_| tested.next().unwrap_or(Err(PointError::WrongSubgroup))))
        .collect()
}

/// Decodes points of the curve, computing the roots of compressed points together.
fn read_points<C: Curve>(
    bytes: &[&[u8]],
    any_form: bool,
) -> Vec<Result<CurvePoint<C>, PointError>> {
    // `None` marks a missing root.
    let checked =
        bytes.iter().map(|bytes| match any_form && bytes.len() == C::UNCOMPRESSED_BYTES {
            true => CurvePoint::from_uncompressed(bytes).map(Some),
            false => match check_compressed::<C>(bytes)? {
                Checked::Infinity => Ok(Some(CurvePoint::default())),
                Checked::Finite => Ok(None),
            },
        });
    let checked: Vec<Result<Option<CurvePoint<C>>, PointError>> = checked.collect();
    let rows = bytes.iter().zip(&checked);
    let finite: Vec<&[u8]> =
        rows.filter(|(_, checked)| **checked == Ok(None)).map(|(bytes, _)| *bytes).collect();
    let mut found = C::uncompress_all(&finite).into_iter();
    checked
        .into_iter()
        .map(|checked| match checked? {
            Some(point) => Ok(point),
            None => found.next().flatten().map(CurvePoint).ok_or(PointError::NotOnCurve),
        })
        .collect()
}

/// The contents of a compressed encoding with valid flags and ranges.
enum Checked {
    Infinity,
    /// A finite point with this x, which need not be that of a point.
    Finite,
}

/// Checks everything except that a point with this x exists.
fn check_compressed<C: Curve>(bytes: &[u8]) -> Result<Checked, PointError> {
    check_length::<C>(bytes, C::COMPRESSED_BYTES)?;
    let flags = bytes[0] >> 5;
    if flags & COMPRESSED == 0 || flags & (INFINITY | SIGN) == INFINITY | SIGN {
        return Err(PointError::Flags { flags, form: "a compressed" });
    }
    if is_infinity(flags, bytes)? {
        return Ok(Checked::Infinity);
    }
    check_elements(bytes)?;
    Ok(Checked::Finite)
}

fn check_length<C: Curve>(bytes: &[u8], expected: usize) -> Result<(), PointError> {
    match bytes.len() == expected {
        true => Ok(()),
        false => Err(PointError::Length { group: C::NAME, expected, got: bytes.len() }),
    }
}

/// Returns `true` if the infinity flag is set; then all other bits must be 0.
fn is_infinity(flags: u8, bytes: &[u8]) -> Result<bool, PointError> {
    if flags & INFINITY == 0 {
        return Ok(false);
    }
    match bytes[0] & 0x1f == 0 && bytes[1..].iter().all(|&byte| byte == 0) {
        true => Ok(true),
        false => Err(PointError::BadInfinity),
    }
}

/// Checks that the elements of Fp are below p, ignoring the flags.
fn check_elements(bytes: &[u8]) -> Result<(), PointError> {
    let (elements, _) = bytes.as_chunks::<48>();
    for (element, bytes) in elements.iter().enumerate() {
        let mut bytes = *bytes;
        bytes[0] &= if element == 0 { 0x1f } else { 0xff };
        if !is_canonical_fp(&bytes) {
            return Err(PointError::NotCanonical { element });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::fp_of_montgomery;
    use crate::{G1, G2};
    use proptest::prelude::*;

    fn words_are_the_coordinates<C: Curve>() {
        for multiple in [0, 1, 2, 77] {
            let point = Point::<C>::generator().times(&Fr::from(multiple));
            let words = point.montgomery_words();
            let numbers = words.chunks_exact(6).map(|element| {
                let bytes: Vec<u8> = element.iter().flat_map(|word| word.to_le_bytes()).collect();
                fp_of_montgomery(bytes[..].try_into().unwrap()).unwrap()
            });
            // The coefficient of u is first in an encoding.
            let numbers: Vec<_> = numbers.collect();
            let elements = numbers.chunks(C::DEGREE).flat_map(|numbers| numbers.iter().rev());
            let bytes: Vec<u8> = elements.flatten().copied().collect();
            match point.is_infinity() {
                true => assert!(words.iter().all(|word| *word == 0)),
                false => assert_eq!(bytes, point.to_uncompressed()),
            }
        }
    }

    #[test]
    fn words_of_points_are_their_coordinates() {
        words_are_the_coordinates::<G1>();
        words_are_the_coordinates::<G2>();
    }

    /// 2³⁸⁴ modulo p.
    const ONE: [u64; 6] = [
        0x7609_0000_0002_fffd,
        0xebf4_000b_c40c_0002,
        0x5f48_9857_53c7_58ba,
        0x77ce_5853_7052_5745,
        0x5c07_1a97_a256_ec6d,
        0x15f6_5ec3_fa80_e493,
    ];

    fn points_are_read_from_jacobian_coordinates<C: Curve>() {
        let points: Vec<Point<C>> =
            [3, 0, 5].map(|multiple| Point::generator().times(&Fr::from(multiple))).to_vec();
        let mut words = Vec::new();
        for point in &points {
            words.extend(point.montgomery_words());
            let z = if point.is_infinity() { [0; 6] } else { ONE };
            words.extend(z);
            words.extend(vec![0; 6 * (C::DEGREE - 1)]);
        }
        assert_eq!(Point::<C>::all_from_jacobian(&words), points);
        assert!(Point::<C>::all_from_jacobian(&[]).is_empty());
    }

    #[test]
    fn points_have_jacobian_coordinates() {
        points_are_read_from_jacobian_coordinates::<G1>();
        points_are_read_from_jacobian_coordinates::<G2>();
    }

    /// Returns an encoding of a multiple of the generator, of a small x, or of infinity, in either
    /// form, mutated or not.
    fn encoding<C: Curve>((multiple, kind, place, mask): (u64, u8, usize, u8)) -> Vec<u8> {
        let point = Point::<C>::generator().times(&Fr::from(multiple));
        let mut bytes = match kind % 8 {
            0 => point.to_uncompressed(),
            1 => CurvePoint::<C>::default().to_compressed(),
            2 => CurvePoint::<C>::default().to_uncompressed(),
            3 | 4 => {
                let mut x = vec![0; C::COMPRESSED_BYTES];
                x[0] = if multiple % 2 == 0 { 0x80 } else { 0xa0 };
                x[C::COMPRESSED_BYTES - 1] = (multiple % 8) as u8;
                x
            }
            5 => {
                let mut bytes = point.to_compressed();
                bytes[1..].fill(0xff);
                bytes
            }
            _ => point.to_compressed(),
        };
        match kind / 8 {
            0 => bytes[0] ^= mask,
            1 => {
                let place = place % bytes.len();
                bytes[place] ^= mask;
            }
            2 => bytes.truncate(place % bytes.len()),
            _ => {}
        }
        bytes
    }

    fn read_together_and_alone<C: Curve>(rows: &[(u64, u8, usize, u8)]) {
        let encodings: Vec<Vec<u8>> = rows.iter().map(|row| encoding::<C>(*row)).collect();
        let encodings: Vec<&[u8]> = encodings.iter().map(Vec::as_slice).collect();
        let alone: Vec<_> = encodings.iter().map(|bytes| Point::<C>::from_bytes(bytes)).collect();
        assert_eq!(Point::all_from_bytes(&encodings), alone);
        let alone: Vec<_> =
            encodings.iter().map(|bytes| Point::<C>::from_compressed(bytes)).collect();
        assert_eq!(Point::all_from_compressed(&encodings), alone);
        let alone: Vec<_> =
            encodings.iter().map(|bytes| CurvePoint::<C>::from_bytes(bytes)).collect();
        assert_eq!(read_points::<C>(&encodings, true), alone);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(30))]

        /// Batches give the same points and errors as single decodings, at every position.
        #[test]
        fn batches_are_read_as_each_alone(
            rows in prop::collection::vec((1u64.., 0u8..64, any::<usize>(), any::<u8>()), 0..40),
        ) {
            read_together_and_alone::<G1>(&rows);
            read_together_and_alone::<G2>(&rows);
        }
    }
}
