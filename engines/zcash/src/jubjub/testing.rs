// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Inputs of tests, and the crate `jubjub` as their reference.

use jubjub::{AffinePoint, ExtendedPoint};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::points::{Affine, Extended, Niels};
use super::scalars::Order;
use super::terms::{Term, Terms};
use halimede_arith::field::Modulus;
use halimede_arith::Fr;

/// Returns a generator of random inputs.
pub fn random(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Returns words as bytes.
pub fn bytes(words: [u64; 4]) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (chunk, word) in bytes.chunks_exact_mut(8).zip(words) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// Returns a random point of the whole curve.
pub fn point(random: &mut ChaCha8Rng) -> AffinePoint {
    loop {
        let point = AffinePoint::from_bytes(random.gen());
        if point.is_some().into() {
            return point.unwrap();
        }
    }
}

/// Returns the eight points of small order, the neutral one among them.
pub fn small_order_points() -> Vec<AffinePoint> {
    let mut random = random(8);
    let mut points: Vec<AffinePoint> = Vec::new();
    while points.len() < 8 {
        let multiple =
            ExtendedPoint::from(point(&mut random)).to_niels().multiply_bits(&bytes(Order::VALUE));
        let multiple = AffinePoint::from(multiple);
        if !points.contains(&multiple) {
            points.push(multiple);
        }
    }
    points
}

/// Converts a point of the reference.
pub fn affine(point: &AffinePoint) -> Affine {
    let element = |bytes: [u8; 32]| Fr::from_le_bytes(&bytes).unwrap();
    Affine { u: element(point.get_u().to_bytes()), v: element(point.get_v().to_bytes()) }
}

/// Returns the coordinates of a point.
pub fn normalized(point: &Extended) -> Affine {
    let inverse = point.z.inverse().unwrap();
    assert_eq!(point.u * point.v, point.z * point.t, "T is UV/Z");
    Affine { u: point.u * inverse, v: point.v * inverse }
}

/// Terms with the sum that the reference computes.
#[derive(Default)]
pub struct Sum {
    pub terms: Terms,
    expected: ExtendedPoint,
}

impl Sum {
    fn add(&mut self, point: &AffinePoint, factor: [u64; 4]) -> Term {
        self.expected += ExtendedPoint::from(*point).to_niels().multiply_bits(&bytes(factor));
        let niels: Niels = affine(point).niels();
        Term { point: niels, factor }
    }

    pub fn add_short(&mut self, point: &AffinePoint, factor: u128) {
        let term = self.add(point, [factor as u64, (factor >> 64) as u64, 0, 0]);
        self.terms.short.push(term);
    }

    pub fn add_long(&mut self, point: &AffinePoint, factor: [u64; 4]) {
        let term = self.add(point, factor);
        self.terms.long.push(term);
    }

    pub fn check(&self, got: &Extended, context: &str) {
        let expected = affine(&AffinePoint::from(self.expected));
        assert_eq!(normalized(got), expected, "{context}");
    }

    /// Returns a sum of random points and factors.
    pub fn random(seed: u64, short: usize, long: usize) -> Self {
        let (mut random, mut sum) = (random(seed), Self::default());
        for _ in 0..short {
            sum.add_short(&point(&mut random), random.gen::<u128>() >> 1);
        }
        for _ in 0..long {
            let mut factor: [u64; 4] = random.gen();
            factor[3] >>= 4;
            sum.add_long(&point(&mut random), factor);
        }
        sum
    }

    /// Returns a sum with extreme factors, and points that are equal, opposite or of small order.
    pub fn extreme() -> Self {
        let (mut random, mut sum) = (random(5), Self::default());
        let one = point(&mut random);
        let opposite = AffinePoint::from(-ExtendedPoint::from(one));
        let mut points = small_order_points();
        points.extend([one, opposite, one]);
        let [a, b, c, d] = Order::VALUE;
        for point in &points {
            for factor in [0, 1, 2, 7, 8, 9, 128, 255, u128::MAX >> 1, 1 << 126] {
                sum.add_short(point, factor);
            }
            let most = [u64::MAX, u64::MAX, u64::MAX, u64::MAX >> 4];
            for factor in [[0; 4], [1, 0, 0, 0], [a, b, c, d], [a - 1, b, c, d], most] {
                sum.add_long(point, factor);
            }
        }
        sum
    }
}
