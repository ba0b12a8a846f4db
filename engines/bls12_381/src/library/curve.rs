// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The two curves of BLS12-381: E1 over Fp with the group G1, E2 over Fp2 with the group G2.

use std::fmt::Debug;
use std::ptr;

use blst::{blst_fp, blst_fp2, BLST_ERROR};

use crate::lanes::Factors;

/// A scalar's bits for a multiplication: little-endian bytes, and how many bits of them count.
#[derive(Clone, Copy, Debug)]
pub struct Ladder<'a> {
    /// Scalars, one behind the other, of `bits / 8` bytes each, rounded up.
    pub scalars: &'a [u8],
    /// Bits of each, from 1 to 256.
    pub bits: usize,
}

impl Ladder<'_> {
    fn bytes_each(self) -> usize {
        self.bits.div_ceil(8)
    }

    /// What the library relies on.
    fn assert_holds(self, scalars: usize) {
        assert!(
            (1..=256).contains(&self.bits) && self.scalars.len() == scalars * self.bytes_each()
        );
    }
}

/// A curve of BLS12-381 with its group of order r: [`G1`] or [`G2`].
///
/// Functions take any point of the curve, unless they say that it must be of the group.
pub trait Curve: sealed::Sealed + Copy + Debug + Default + Eq + Send + Sync + 'static {
    /// An affine point, infinity all zero.
    type Affine: Copy + Debug + Default + PartialEq + Send + Sync + 'static;
    /// A point X/Z², Y/Z³.
    type Jacobian: Copy + Debug + Default + Send + Sync + 'static;
    /// An element of the field of the coordinates.
    type Coordinate: Copy + Send + Sync + 'static;

    /// `G1` or `G2`.
    const NAME: &'static str;
    /// Elements of Fp in a coordinate: 1 or 2.
    const DEGREE: usize;
    /// Bytes of a compressed point, which has one coordinate.
    const COMPRESSED_BYTES: usize = 48 * Self::DEGREE;
    /// Bytes of an uncompressed point, which has two.
    const UNCOMPRESSED_BYTES: usize = 96 * Self::DEGREE;

    /// The group's generator.
    fn generator() -> Self::Affine;
    /// Reads a compressed point whose flags and ranges were checked; none off the curve.
    fn uncompress(bytes: &[u8]) -> Option<Self::Affine>;
    /// Reads compressed points whose flags and ranges were checked, none of them infinity; none off
    /// the curve.
    fn uncompress_all(encodings: &[&[u8]]) -> Vec<Option<Self::Affine>>;
    /// Reads an uncompressed point whose flags and ranges were checked; none off the curve.
    fn deserialize(bytes: &[u8]) -> Option<Self::Affine>;
    /// Writes [`Self::COMPRESSED_BYTES`].
    fn compress(point: &Self::Affine) -> Vec<u8>;
    /// Writes [`Self::UNCOMPRESSED_BYTES`].
    fn serialize(point: &Self::Affine) -> Vec<u8>;
    /// Which points of the curve have an order that divides r; infinity has.
    fn in_group(points: &[Self::Affine]) -> Vec<bool>;
    /// Whether it is the point at infinity.
    fn is_infinity(point: &Self::Affine) -> bool;
    /// −P.
    fn negate(point: &Self::Affine) -> Self::Affine;
    /// The same point with Z = 1.
    fn to_jacobian(point: &Self::Affine) -> Self::Jacobian;
    /// The points with Z divided out, by one inversion for all.
    fn to_affine(points: &[Self::Jacobian]) -> Vec<Self::Affine>;
    /// P + Q, also where they are equal or opposite.
    fn add(p: &Self::Jacobian, q: &Self::Jacobian) -> Self::Jacobian;
    /// P + Q, also where they are equal or opposite.
    fn add_affine(p: &Self::Jacobian, q: &Self::Affine) -> Self::Jacobian;
    /// The sum of multiples of points of the group, by buckets, on this thread. One scalar a point.
    fn sum_of_products(points: &[Self::Affine], ladder: Ladder<'_>) -> Self::Jacobian;
    /// The multiple of a point of the group.
    fn multiply(point: &Self::Affine, ladder: Ladder<'_>) -> Self::Jacobian;
    /// Each point of the group times its number.
    fn multiples(points: &[Self::Affine], numbers: &[u128]) -> Vec<Self::Jacobian>;
    /// The sum of points of the group, none of them infinity, times their factors, in lanes on this
    /// thread; `None` where [`Self::sum_of_products`] takes no longer.
    fn sum_in_lanes(points: &[Self::Affine], factors: Factors<'_>) -> Option<Self::Jacobian>;
    /// `hash_to_curve` of RFC 9380, of `prefix` and `message`, one behind the other.
    fn hash(domain: &[u8], prefix: &[u8], message: &[u8]) -> Self::Jacobian;
    /// `hash_to_curve` of many messages, each with its prefix.
    fn hashes(domain: &[u8], messages: &[(&[u8], &[u8])]) -> Vec<Self::Jacobian>;
    /// `encode_to_curve` of RFC 9380.
    fn encode(domain: &[u8], message: &[u8]) -> Self::Jacobian;
    /// `clear_cofactor(map_to_curve(u))` of RFC 9380.
    fn map(u: &Self::Coordinate) -> Self::Jacobian;
    /// An element of the coordinates' field, its elements of Fp constant term first.
    fn coordinate(elements: &[blst_fp]) -> Self::Coordinate;
}

/// Whether the library read a point of the curve. It reads (0, ±2) of E1, and says of them alone
/// that they are not in the group.
fn was_read(error: BLST_ERROR) -> bool {
    matches!(error, BLST_ERROR::BLST_SUCCESS | BLST_ERROR::BLST_POINT_NOT_IN_GROUP)
}

/// A curve by the library's functions for it.
macro_rules! curve {
    (
        $curve:ident, $name:literal, $degree:literal, $coordinate:ty,
        $affine:ident, $jacobian:ident, $generator:ident,
        $uncompress:ident, $uncompress_all:ident, $deserialize:ident, $compress:ident, $serialize:ident,
        $in_group:ident, $is_infinity:ident, $negate:ident, $from_affine:ident, $to_affine:ident,
        $add:ident, $add_affine:ident, $multiply:ident, $multiples:ident, $sum_in_lanes:ident, $sum:ident,
        $scratch_bytes:ident, $hash:ident, $hashes:ident, $encode:ident, $map:ident, |$elements:ident| $from_elements:expr
    ) => {
        #[doc = concat!("The curve of the group ", $name, ".")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $curve;

        impl sealed::Sealed for $curve {}

        impl Curve for $curve {
            type Affine = blst::$affine;
            type Jacobian = blst::$jacobian;
            type Coordinate = $coordinate;
            const NAME: &'static str = $name;
            const DEGREE: usize = $degree;

            fn generator() -> Self::Affine {
                // SAFETY: the library points to a constant that lives for ever.
                let generator = unsafe { *blst::$generator() };
                Self::to_affine(&[generator])[0]
            }

            fn uncompress(bytes: &[u8]) -> Option<Self::Affine> {
                assert_eq!(bytes.len(), Self::COMPRESSED_BYTES);
                let mut point = Self::Affine::default();
                // SAFETY: the library reads a compressed point's bytes and writes one point.
                was_read(unsafe { blst::$uncompress(&mut point, bytes.as_ptr()) }).then_some(point)
            }

            fn uncompress_all(encodings: &[&[u8]]) -> Vec<Option<Self::Affine>> {
                crate::lanes::$uncompress_all(encodings)
            }

            fn deserialize(bytes: &[u8]) -> Option<Self::Affine> {
                assert_eq!(bytes.len(), Self::UNCOMPRESSED_BYTES);
                let mut point = Self::Affine::default();
                // SAFETY: the library reads an uncompressed point's bytes and writes one point.
                was_read(unsafe { blst::$deserialize(&mut point, bytes.as_ptr()) }).then_some(point)
            }

            fn compress(point: &Self::Affine) -> Vec<u8> {
                let mut bytes = vec![0; Self::COMPRESSED_BYTES];
                // SAFETY: the library writes a compressed point's bytes.
                unsafe { blst::$compress(bytes.as_mut_ptr(), point) };
                bytes
            }

            fn serialize(point: &Self::Affine) -> Vec<u8> {
                let mut bytes = vec![0; Self::UNCOMPRESSED_BYTES];
                // SAFETY: the library writes an uncompressed point's bytes.
                unsafe { blst::$serialize(bytes.as_mut_ptr(), point) };
                bytes
            }

            fn in_group(points: &[Self::Affine]) -> Vec<bool> {
                crate::lanes::$in_group(points)
            }

            fn is_infinity(point: &Self::Affine) -> bool {
                // SAFETY: the library reads one point.
                unsafe { blst::$is_infinity(point) }
            }

            fn negate(point: &Self::Affine) -> Self::Affine {
                let mut negated = *point;
                // SAFETY: the library reads one element and writes one.
                unsafe { blst::$negate(&mut negated.y, &point.y, true) };
                negated
            }

            fn to_jacobian(point: &Self::Affine) -> Self::Jacobian {
                let mut jacobian = Self::Jacobian::default();
                // SAFETY: the library reads one point and writes one.
                unsafe { blst::$from_affine(&mut jacobian, point) };
                jacobian
            }

            fn to_affine(points: &[Self::Jacobian]) -> Vec<Self::Affine> {
                let mut affine = vec![Self::Affine::default(); points.len()];
                if !points.is_empty() {
                    let list = [points.as_ptr(), ptr::null()];
                    // SAFETY: after a null pointer the library takes points that follow the last,
                    // as many as it is told, and writes as many.
                    unsafe {
                        blst::$to_affine(affine.as_mut_ptr(), list.as_ptr(), points.len());
                    }
                }
                affine
            }

            fn add(p: &Self::Jacobian, q: &Self::Jacobian) -> Self::Jacobian {
                let mut sum = Self::Jacobian::default();
                // SAFETY: the library reads two points and writes one.
                unsafe { blst::$add(&mut sum, p, q) };
                sum
            }

            fn add_affine(p: &Self::Jacobian, q: &Self::Affine) -> Self::Jacobian {
                let mut sum = Self::Jacobian::default();
                // SAFETY: the library reads two points and writes one.
                unsafe { blst::$add_affine(&mut sum, p, q) };
                sum
            }

            fn multiply(point: &Self::Affine, ladder: Ladder<'_>) -> Self::Jacobian {
                ladder.assert_holds(1);
                let (mut scalar, mut multiple) = ([0; 32], Self::Jacobian::default());
                scalar[..ladder.bytes_each()].copy_from_slice(ladder.scalars);
                let point = Self::to_jacobian(point);
                // SAFETY: the library reads one point and 32 bytes at most, and writes one point.
                unsafe { blst::$multiply(&mut multiple, &point, scalar.as_ptr(), ladder.bits) };
                multiple
            }

            fn multiples(points: &[Self::Affine], numbers: &[u128]) -> Vec<Self::Jacobian> {
                crate::lanes::$multiples(points, numbers)
            }

            fn sum_in_lanes(
                points: &[Self::Affine],
                factors: Factors<'_>,
            ) -> Option<Self::Jacobian> {
                crate::lanes::$sum_in_lanes(points, factors)
            }

            fn sum_of_products(points: &[Self::Affine], ladder: Ladder<'_>) -> Self::Jacobian {
                ladder.assert_holds(points.len());
                let mut sum = Self::Jacobian::default();
                if points.is_empty() {
                    return sum;
                }
                // SAFETY: the library computes a size.
                let bytes = unsafe { blst::$scratch_bytes(points.len()) };
                let mut scratch = vec![0u64; bytes.div_ceil(8)];
                let list = [points.as_ptr(), ptr::null()];
                let scalars = [ladder.scalars.as_ptr(), ptr::null()];
                // SAFETY: after a null pointer the library takes points and scalars that follow the
                // last, as many as it is told; the scratch has the size that it asked for.
                unsafe {
                    blst::$sum(
                        &mut sum,
                        list.as_ptr(),
                        points.len(),
                        scalars.as_ptr(),
                        ladder.bits,
                        scratch.as_mut_ptr(),
                    );
                }
                sum
            }

            fn hash(domain: &[u8], prefix: &[u8], message: &[u8]) -> Self::Jacobian {
                let mut point = Self::Jacobian::default();
                // SAFETY: the library reads three byte strings of these lengths, writes one point.
                unsafe {
                    blst::$hash(
                        &mut point,
                        message.as_ptr(),
                        message.len(),
                        domain.as_ptr(),
                        domain.len(),
                        prefix.as_ptr(),
                        prefix.len(),
                    );
                }
                point
            }

            fn hashes(domain: &[u8], messages: &[(&[u8], &[u8])]) -> Vec<Self::Jacobian> {
                crate::lanes::$hashes(domain, messages)
            }

            fn encode(domain: &[u8], message: &[u8]) -> Self::Jacobian {
                let mut point = Self::Jacobian::default();
                // SAFETY: the library reads two byte strings of these lengths, writes one point.
                unsafe {
                    blst::$encode(
                        &mut point,
                        message.as_ptr(),
                        message.len(),
                        domain.as_ptr(),
                        domain.len(),
                        ptr::null(),
                        0,
                    );
                }
                point
            }

            fn map(u: &Self::Coordinate) -> Self::Jacobian {
                let mut point = Self::Jacobian::default();
                // SAFETY: the library reads one element, the other being null, writes one point.
                unsafe { blst::$map(&mut point, u, ptr::null()) };
                point
            }

            fn coordinate($elements: &[blst_fp]) -> Self::Coordinate {
                assert_eq!($elements.len(), Self::DEGREE);
                $from_elements
            }
        }
    };
}

curve!(
    G1,
    "G1",
    1,
    blst_fp,
    blst_p1_affine,
    blst_p1,
    blst_p1_generator,
    blst_p1_uncompress,
    uncompress_g1,
    blst_p1_deserialize,
    blst_p1_affine_compress,
    blst_p1_affine_serialize,
    in_g1,
    blst_p1_affine_is_inf,
    blst_fp_cneg,
    blst_p1_from_affine,
    blst_p1s_to_affine,
    blst_p1_add_or_double,
    blst_p1_add_or_double_affine,
    blst_p1_mult,
    multiples_g1,
    sum_g1,
    blst_p1s_mult_pippenger,
    blst_p1s_mult_pippenger_scratch_sizeof,
    blst_hash_to_g1,
    hashes_g1,
    blst_encode_to_g1,
    blst_map_to_g1,
    |elements| elements[0]
);

curve!(
    G2,
    "G2",
    2,
    blst_fp2,
    blst_p2_affine,
    blst_p2,
    blst_p2_generator,
    blst_p2_uncompress,
    uncompress_g2,
    blst_p2_deserialize,
    blst_p2_affine_compress,
    blst_p2_affine_serialize,
    in_g2,
    blst_p2_affine_is_inf,
    blst_fp2_cneg,
    blst_p2_from_affine,
    blst_p2s_to_affine,
    blst_p2_add_or_double,
    blst_p2_add_or_double_affine,
    blst_p2_mult,
    multiples_g2,
    sum_g2,
    blst_p2s_mult_pippenger,
    blst_p2s_mult_pippenger_scratch_sizeof,
    blst_hash_to_g2,
    hashes_g2,
    blst_encode_to_g2,
    blst_map_to_g2,
    |elements| blst_fp2 { fp: [elements[0], elements[1]] }
);

mod sealed {
    /// No curve but those of this crate.
    pub trait Sealed {}
}
