// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points and sums against the crate `pasta_curves`, in the lanes of this processor and emulated.

mod encodings;
mod fixed;
mod points;
mod sums;

use halimede_arith::field::{Modulus, PallasBase, VestaBase};
use halimede_arith::{Backend, Field};
use pasta_curves::arithmetic::{CurveAffine, CurveExt};
use pasta_curves::group::ff::PrimeField;
use pasta_curves::group::{Curve, Group, GroupEncoding};
use pasta_curves::{pallas, vesta};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

/// A curve with its reference.
pub trait Reference: Base {
    /// The modulus of the scalar field.
    type Scalars: Base;
    /// The reference.
    type Curve: CurveExt<AffineExt = Self::Point, ScalarExt: PrimeField<Repr = [u8; 32]>>
        + GroupEncoding<Repr = [u8; 32]>
        + Curve<Affine = Self::Point>;
    /// The reference's points.
    type Point: CurveAffine<
            CurveExt = Self::Curve,
            ScalarExt = <Self::Curve as CurveExt>::ScalarExt,
            Base: PrimeField<Repr = [u8; 32]>,
        > + GroupEncoding<Repr = [u8; 32]>;
}

impl Reference for PallasBase {
    type Scalars = VestaBase;
    type Curve = pallas::Point;
    type Point = pallas::Affine;
}

impl Reference for VestaBase {
    type Scalars = PallasBase;
    type Curve = vesta::Point;
    type Point = vesta::Affine;
}

/// The lanes of this processor, and the emulations of both backends with lanes.
pub fn machines() -> Vec<Machine> {
    let emulated = [Backend::Avx2, Backend::Avx512, Backend::Avx512Ifma].map(Machine::Emulation);
    Backend::available().filter_map(Machine::of).chain(emulated).collect()
}

pub fn random(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Returns an element of a field by its bytes.
fn element<M: Modulus, F: PrimeField<Repr = [u8; 32]>>(of: &F) -> Field<M> {
    Field::from_le_bytes(&of.to_repr()).unwrap()
}

/// Converts a point of the reference.
pub fn affine<M: Reference>(point: &M::Curve) -> Option<Affine<M>> {
    let coordinates = Option::from(point.to_affine().coordinates());
    let coordinates: Option<pasta_curves::arithmetic::Coordinates<M::Point>> = coordinates;
    coordinates.map(|point| Affine { x: element(point.x()), y: element(point.y()) })
}

/// Returns a random point of the reference.
pub fn point<M: Reference>(random: &mut ChaCha8Rng) -> M::Curve {
    let message: [u8; 8] = random.gen();
    M::Curve::hash_to_curve("halimede-test")(&message)
}

/// Checks that a point is that of the reference.
pub fn check<M: Reference>(got: &Projective<M>, expected: &M::Curve, what: &str) {
    assert_eq!(normalize(&[*got])[0], affine::<M>(expected), "{what}");
}

/// Returns a factor of the reference.
pub fn scalar<M: Reference>(limbs: [u64; 4]) -> <M::Curve as CurveExt>::ScalarExt {
    let bytes = Field::<M::Scalars>::from_canonical_limbs(limbs).unwrap().to_le_bytes();
    <M::Curve as CurveExt>::ScalarExt::from_repr(bytes).unwrap()
}

/// Returns factors below the order: edges, and random ones.
pub fn factors<M: Reference>(random: &mut ChaCha8Rng, count: usize) -> Vec<[u64; 4]> {
    let order = M::Scalars::VALUE;
    let edges = [
        [0; 4],
        [1, 0, 0, 0],
        [order[0] - 1, order[1], order[2], order[3]],
        [u64::MAX, u64::MAX, u64::MAX, u64::MAX >> 2],
        [0, 0, 0, 1 << 62],
        [31, 0, 0, 0],
        [order[0] >> 1 | order[1] << 63, order[1] >> 1, 0, order[3] >> 1],
    ];
    let others = std::iter::repeat_with(|| {
        let mut limbs: [u64; 4] = random.gen();
        limbs[3] >>= 2;
        limbs
    });
    edges.into_iter().chain(others).take(count).collect()
}

/// Returns the sum of multiples of the reference's points.
pub fn sum_of<M: Reference>(points: &[M::Curve], factors: &[[u64; 4]]) -> M::Curve {
    let terms = points.iter().zip(factors);
    terms.fold(M::Curve::identity(), |sum, (point, factor)| sum + *point * scalar::<M>(*factor))
}
