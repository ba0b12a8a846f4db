// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random inputs, and the reference: the crate `bls12_381`.

#![allow(clippy::print_stdout, reason = "tests print their seeds")]

pub mod factors;
pub mod kzg_cases;

use halimede_bls12_381::{Curve, CurvePoint, Fr, Point, G1, G2};
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Returns a generator with a printed seed, which `HALIMEDE_SEED` sets.
pub fn generator() -> ChaCha8Rng {
    let seed = std::env::var("HALIMEDE_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = seed.unwrap_or_else(|| rand::thread_rng().gen());
    println!("HALIMEDE_SEED={seed}");
    ChaCha8Rng::seed_from_u64(seed)
}

/// Returns the number of cases of a comparison: `few`, or `many` with `HALIMEDE_SWEEP=1`.
pub fn cases(few: usize, many: usize) -> usize {
    match std::env::var("HALIMEDE_SWEEP").as_deref() {
        Ok("1") => many,
        _ => few,
    }
}

pub fn random_bytes<const N: usize>(rng: &mut impl RngCore) -> [u8; N] {
    let mut bytes = [0; N];
    rng.fill_bytes(&mut bytes);
    bytes
}

pub fn random_scalar(rng: &mut impl RngCore) -> Fr {
    loop {
        let mut bytes = random_bytes::<32>(rng);
        bytes[31] &= 0x7f;
        if let Ok(scalar) = Fr::from_le_bytes(&bytes) {
            return scalar;
        }
    }
}

/// Returns scalars at the edges, and random ones.
pub fn scalars(rng: &mut impl RngCore, random: usize) -> Vec<Fr> {
    let mut scalars = vec![Fr::from(0), Fr::from(1), Fr::from(2), -Fr::from(1), -Fr::from(2)];
    scalars.extend((1..8).map(|k| Fr::from(2).pow(&[32 * k]) - Fr::from(1)));
    scalars.extend((0..random).map(|_| random_scalar(rng)));
    scalars
}

pub fn random_point<C: Curve>(rng: &mut impl RngCore) -> Point<C> {
    Point::generator().times(&random_scalar(rng))
}

/// Returns a point of the curve that is not in the group.
pub fn stray_point<C: Curve>(rng: &mut impl RngCore) -> CurvePoint<C> {
    loop {
        let mut bytes = vec![0; C::COMPRESSED_BYTES];
        rng.fill_bytes(&mut bytes);
        bytes[0] = bytes[0] & 0x3f | 0x80;
        if let Ok(point) = CurvePoint::<C>::from_compressed(&bytes) {
            if point.into_group().is_err() {
                return point;
            }
        }
    }
}

/// Converts to the crate's scalar.
pub fn peer_scalar(scalar: &Fr) -> bls12_381::Scalar {
    bls12_381::Scalar::from_bytes(&scalar.to_le_bytes()).unwrap()
}

/// Converts to the crate's point.
pub fn peer_g1(point: &Point<G1>) -> bls12_381::G1Affine {
    let bytes: [u8; 48] = point.to_compressed().try_into().unwrap();
    bls12_381::G1Affine::from_compressed(&bytes).unwrap()
}

/// Converts to the crate's point.
pub fn peer_g2(point: &Point<G2>) -> bls12_381::G2Affine {
    let bytes: [u8; 96] = point.to_compressed().try_into().unwrap();
    bls12_381::G2Affine::from_compressed(&bytes).unwrap()
}
