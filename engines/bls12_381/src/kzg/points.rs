// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Transforms of points of G1, as [`halimede_arith::transform`] computes those of scalars: values
//! are in bit-reversed order, and each block has one root.
//!
//! A transform of n = 2^k points takes (k/2)·n − n + 1 products of points and roots.

use std::sync::LazyLock;

use blst::blst_p1_affine;
use halimede_arith::transform::roots::block_roots;
use halimede_arith::transform::Generator;
use rayon::prelude::*;

use crate::lanes::{products_g1, POINTS_OF_G1};
use crate::library::{Curve, G1};

type Affine = blst_p1_affine;
type Scalar = [u8; 32];

/// The largest transform has 2 to this power points.
const MOST_LOG_SIZE: u32 = 7;

/// The roots of blocks as little-endian scalars, and their inverses.
static ROOTS: LazyLock<[Vec<Scalar>; 2]> = LazyLock::new(|| {
    let roots = block_roots(Generator::Seven, MOST_LOG_SIZE - 1);
    let inverses = roots.iter().map(|root| root.inverse().unwrap_or_default().to_le_bytes());
    [roots.iter().map(|root| root.to_le_bytes()).collect(), inverses.collect()]
});

/// Returns the products of points and scalars, on the threads of the current pool.
fn products(points: &[Affine], scalars: &[Scalar]) -> Vec<Affine> {
    let products: Vec<_> = match points.len() <= POINTS_OF_G1 {
        true => products_g1(points, scalars),
        false => {
            let rows = points.par_chunks(POINTS_OF_G1).zip(scalars.par_chunks(POINTS_OF_G1));
            rows.flat_map_iter(|(points, scalars)| products_g1(points, scalars)).collect()
        }
    };
    G1::to_affine(&products)
}

/// Multiplies the second half of each block of `size` points by the block's root; that of the first
/// block is 1.
fn multiply_halves(points: &mut [Affine], size: usize, roots: &[Scalar]) {
    let half = size / 2;
    let (mut factors, mut scalars) = (Vec::new(), Vec::new());
    for (block, root) in points.chunks(size).zip(roots).skip(1) {
        factors.extend_from_slice(&block[half..]);
        scalars.extend(std::iter::repeat_n(*root, half));
    }
    let products = products(&factors, &scalars);
    for (block, products) in points.chunks_mut(size).skip(1).zip(products.chunks(half)) {
        block[half..].copy_from_slice(products);
    }
}

/// Replaces each pair of points at the same index of the halves of a block by its sum and
/// difference.
fn add_and_subtract(points: &mut [Affine], size: usize) {
    let half = size / 2;
    let mut results = vec![Default::default(); points.len()];
    for (block, results) in points.chunks(size).zip(results.chunks_mut(size)) {
        for index in 0..half {
            let (first, second) = (G1::to_jacobian(&block[index]), block[half + index]);
            results[index] = G1::add_affine(&first, &second);
            results[half + index] = G1::add_affine(&first, &G1::negate(&second));
        }
    }
    points.copy_from_slice(&G1::to_affine(&results));
}

/// Replaces coefficients by values in bit-reversed order.
///
/// # Panics
/// If their number is not a power of two, at most 128.
pub(super) fn evaluate(points: &mut [Affine]) {
    assert!(points.len().is_power_of_two() && points.len().ilog2() <= MOST_LOG_SIZE);
    let mut size = points.len();
    while size > 1 {
        multiply_halves(points, size, &ROOTS[0]);
        add_and_subtract(points, size);
        size /= 2;
    }
}

/// Replaces n values in bit-reversed order by n times the coefficients.
///
/// # Panics
/// As [`evaluate`].
pub(super) fn interpolate(points: &mut [Affine]) {
    assert!(points.len().is_power_of_two() && points.len().ilog2() <= MOST_LOG_SIZE);
    let mut size = 2;
    while size <= points.len() {
        add_and_subtract(points, size);
        multiply_halves(points, size, &ROOTS[1]);
        size *= 2;
    }
}

#[cfg(test)]
mod tests {
    use halimede_arith::transform::{Domain, Ring};
    use halimede_arith::Fr;

    use super::*;
    use crate::Point;

    fn multiples(scalars: &[Fr]) -> Vec<Affine> {
        let generator = Point::<G1>::generator();
        scalars.iter().map(|scalar| *generator.times(scalar).affine()).collect()
    }

    /// The transforms of multiples of the generator are the multiples by the transforms.
    #[test]
    fn points_are_transformed_as_scalars() {
        for log_size in 0..=MOST_LOG_SIZE {
            let domain = Domain::new(Generator::Seven, log_size).unwrap();
            let mut scalars: Vec<Fr> = (0..domain.size() as u64)
                .map(|number| Fr::from(number + 3).pow(&[number * number + 77]))
                .collect();
            // Infinity, equal and opposite points.
            for (number, scalar) in scalars.iter_mut().enumerate() {
                match number % 11 {
                    3 => *scalar = Fr::ZERO,
                    5 => *scalar = Fr::from(9),
                    7 => *scalar = -Fr::from(9),
                    _ => (),
                }
            }
            let mut points = multiples(&scalars);
            domain.evaluate_reversed(Ring::Cyclic, &mut scalars);
            evaluate(&mut points);
            assert_eq!(points, multiples(&scalars), "{log_size}");
            domain.interpolate_reversed(Ring::Cyclic, &mut scalars);
            interpolate(&mut points);
            assert_eq!(points, multiples(&scalars), "{log_size}");
        }
    }
}
