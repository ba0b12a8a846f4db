// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The two curves of BLS12-381: E1 over Fp with the group G1, E2 over Fp2 with the group G2.

use std::fmt::Debug;
use std::ptr;

use blst::{blst_fp, blst_fp2, BLST_ERROR};

use crate::lanes::Factors;

/// Scalars as little-endian bytes, of which a number of bits count.
#[derive(Clone, Copy, Debug)]
pub struct Ladder<'a> {
    /// The scalars, consecutive, of `bits / 8` bytes each, rounded up.
    pub scalars: &'a [u8],
    /// The number of bits of each scalar, from 1 to 256.
    pub bits: usize,
}

impl Ladder<'_> {
    fn bytes_each(self) -> usize {
        self.bits.div_ceil(8)
    }

    /// Checks the sizes that the library relies on.
    fn assert_holds(self, scalars: usize) {
        assert!(
            (1..=256).contains(&self.bits) && self.scalars.len() == scalars * self.bytes_each()
        );
    }
}

/// A curve of BLS12-381 with its group of order r: [`G1`] or [`G2`].
///
/// Functions accept any point of the curve, unless they say that it must be in the group.
pub trait Curve: sealed::Sealed + Copy + Debug + Default + Eq + Send + Sync + 'static {
    /// An affine point; infinity is all zeros.
    type Affine: Copy + Debug + Default + PartialEq + Send + Sync + 'static;
    /// A point (X/Z², Y/Z³).
    type Jacobian: Copy + Debug + Default + Send + Sync + 'static;
    /// An element of the coordinate field.
    type Coordinate: Copy + Send + Sync + 'static;

    /// `G1` or `G2`.
    const NAME: &'static str;
    /// The number of elements of Fp in a coordinate: 1 or 2.
    const DEGREE: usize;
    /// Bytes of a compressed point, which has one coordinate.
    const COMPRESSED_BYTES: usize = 48 * Self::DEGREE;
    /// Bytes of an uncompressed point, which has two.
    const UNCOMPRESSED_BYTES: usize = 96 * Self::DEGREE;

    /// Returns the group's generator.
    fn generator() -> Self::Affine;
    /// Decodes a compressed point whose flags and ranges were checked; `None` if it is off the
    /// curve.
    fn uncompress(bytes: &[u8]) -> Option<Self::Affine>;
    /// Decodes compressed points whose flags and ranges were checked, and which are not infinity;
    /// `None` for those off the curve.
    fn uncompress_all(encodings: &[&[u8]]) -> Vec<Option<Self::Affine>>;
    /// Decodes an uncompressed point whose flags and ranges were checked; `None` if it is off the
    /// curve.
    fn deserialize(bytes: &[u8]) -> Option<Self::Affine>;
    /// Encodes a point in [`Self::COMPRESSED_BYTES`].
    fn compress(point: &Self::Affine) -> Vec<u8>;
    /// Encodes a point in [`Self::UNCOMPRESSED_BYTES`].
    fn serialize(point: &Self::Affine) -> Vec<u8>;
    /// Returns, for each point of the curve, `true` if its order divides r, as that of infinity
    /// does.
    fn in_group(points: &[Self::Affine]) -> Vec<bool>;
    /// Returns `true` for the point at infinity.
    fn is_infinity(point: &Self::Affine) -> bool;
    /// Returns −P.
    fn negate(point: &Self::Affine) -> Self::Affine;
    /// Converts the point to Jacobian coordinates with Z = 1.
    fn to_jacobian(point: &Self::Affine) -> Self::Jacobian;
    /// Converts points to affine coordinates, with one inversion for all.
    fn to_affine(points: &[Self::Jacobian]) -> Vec<Self::Affine>;
    /// Returns P + Q, which may be equal or opposite.
    fn add(p: &Self::Jacobian, q: &Self::Jacobian) -> Self::Jacobian;
    /// Returns P + Q, which may be equal or opposite.
    fn add_affine(p: &Self::Jacobian, q: &Self::Affine) -> Self::Jacobian;
    /// Returns the sum of points of the group times their scalars, computed with buckets on this
    /// thread. Each point has one scalar.
    fn sum_of_products(points: &[Self::Affine], ladder: Ladder<'_>) -> Self::Jacobian;
    /// Returns the sum of points, none of them infinity.
    fn sum(points: &[Self::Affine]) -> Self::Jacobian;
    /// Returns a point of the group times a scalar.
    fn multiply(point: &Self::Affine, ladder: Ladder<'_>) -> Self::Jacobian;
    /// Multiplies each point of the group by its number.
    fn multiples(points: &[Self::Affine], numbers: &[u128]) -> Vec<Self::Jacobian>;
    /// Returns the sum of points of the group, none of them infinity, times their factors, computed
    /// in lanes on this thread; `None` if [`Self::sum_of_products`] is at least as fast.
    fn sum_in_lanes(points: &[Self::Affine], factors: Factors<'_>) -> Option<Self::Jacobian>;
    /// Hashes the concatenation of `prefix` and `message` with `hash_to_curve` of RFC 9380.
    fn hash(domain: &[u8], prefix: &[u8], message: &[u8]) -> Self::Jacobian;
    /// Hashes many messages, each with its prefix, with `hash_to_curve`.
    fn hashes(domain: &[u8], messages: &[(&[u8], &[u8])]) -> Vec<Self::Jacobian>;
    /// Hashes a message with `encode_to_curve` of RFC 9380.
    fn encode(domain: &[u8], message: &[u8]) -> Self::Jacobian;
    /// Maps u to the group: `clear_cofactor(map_to_curve(u))` of RFC 9380.
    fn map(u: &Self::Coordinate) -> Self::Jacobian;
    /// Returns the words of x and y in the library's format, those of a constant term first, and of
    /// each element the lowest first.
    fn words(point: &Self::Affine) -> &[u64];
    /// Returns points from the words of X, Y and Z.
    fn of_words(words: &[u64]) -> Vec<Self::Jacobian>;
    /// Creates an element of the coordinate field from its elements of Fp, constant term first.
    fn coordinate(elements: &[blst_fp]) -> Self::Coordinate;
}

/// Returns `true` if the library read a point of the curve. For the points (0, ±2) of E1, and only
/// those, it reports that they are not in the group.
fn was_read(error: BLST_ERROR) -> bool {
    matches!(error, BLST_ERROR::BLST_SUCCESS | BLST_ERROR::BLST_POINT_NOT_IN_GROUP)
}

/// Implements a curve with the library's functions for it.
macro_rules! curve {
    (
        $curve:ident, $name:literal, $degree:literal, $coordinate:ty,
        $affine:ident, $jacobian:ident, $generator:ident,
        $uncompress:ident, $uncompress_all:ident, $deserialize:ident, $compress:ident, $serialize:ident,
        $in_group:ident, $is_infinity:ident, $negate:ident, $from_affine:ident, $to_affine:ident,
        $add:ident, $add_affine:ident, $multiply:ident, $multiples:ident, $sum_in_lanes:ident, $sum_all:ident, $sum:ident,
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
                // SAFETY: the library points to a constant that lives forever.
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
                    // SAFETY: after a null pointer, the library expects the points contiguous with
                    // the last pointer; it reads and writes `points.len()` of them.
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

            fn sum(points: &[Self::Affine]) -> Self::Jacobian {
                let mut sum = Self::Jacobian::default();
                if !points.is_empty() {
                    let list = [points.as_ptr(), ptr::null()];
                    // SAFETY: after a null pointer, the library expects the points contiguous with
                    // the last pointer; it reads `points.len()` of them and writes one point.
                    unsafe { blst::$sum_all(&mut sum, list.as_ptr(), points.len()) };
                }
                sum
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
                // SAFETY: after a null pointer, the library expects the points and scalars
                // contiguous with the last pointers, and reads `points.len()` of each; the scratch
                // has the size that it requires.
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

            fn words(point: &Self::Affine) -> &[u64] {
                let words = size_of::<Self::Affine>() / size_of::<u64>();
                // SAFETY: the library's point consists of words of 64 bits, and lives as long.
                unsafe { std::slice::from_raw_parts(ptr::from_ref(point).cast(), words) }
            }

            fn of_words(words: &[u64]) -> Vec<Self::Jacobian> {
                let elements: Vec<blst_fp> =
                    words.as_chunks::<6>().0.iter().map(|words| blst_fp { l: *words }).collect();
                let coordinates: Vec<Self::Coordinate> =
                    elements.chunks_exact(Self::DEGREE).map(Self::coordinate).collect();
                let points = coordinates.as_chunks::<3>().0.iter();
                points.map(|&[x, y, z]| blst::$jacobian { x, y, z }).collect()
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
    blst_p1s_add,
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
    blst_p2s_add,
    blst_p2s_mult_pippenger,
    blst_p2s_mult_pippenger_scratch_sizeof,
    blst_hash_to_g2,
    hashes_g2,
    blst_encode_to_g2,
    blst_map_to_g2,
    |elements| blst_fp2 { fp: [elements[0], elements[1]] }
);

mod sealed {
    /// Only the curves of this crate implement `Curve`.
    pub trait Sealed {}
}
