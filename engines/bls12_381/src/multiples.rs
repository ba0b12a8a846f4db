// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Multi-scalar multiplication.

use halimede_arith::Fr;
use rayon::prelude::*;

use crate::lanes::{Factors, POINTS_OF_G1};
use crate::library::{Curve, Ladder};
use crate::multipliers::{Multiplier, MULTIPLIER_BYTES};
use crate::Point;

/// The minimum number of points of a thread's share; fewer do not pay for the buckets.
const LEAST_SHARE: usize = 64;

/// Returns the sum of multiples of points, computed on the threads of the current pool. If there
/// are more points than scalars or the reverse, the surplus is ignored.
pub fn sum_of_products<C: Curve>(points: &[Point<C>], scalars: &[Fr]) -> Point<C> {
    let affine: Vec<C::Affine> = points.iter().map(|point| *point.affine()).collect();
    let scalars: Vec<u8> = scalars.iter().flat_map(Fr::to_le_bytes).collect();
    sum_of_multiples::<C>(&affine, &scalars, 255)
}

/// As [`sum_of_products`], for affine points and little-endian scalars of `bits` bits, each in
/// whole bytes.
pub(crate) fn sum_of_multiples<C: Curve>(
    points: &[C::Affine],
    scalars: &[u8],
    bits: usize,
) -> Point<C> {
    let bytes_each = bits.div_ceil(8);
    let finite: Vec<(C::Affine, &[u8])> = points
        .iter()
        .copied()
        .zip(scalars.chunks_exact(bytes_each))
        .filter(|(point, _)| !C::is_infinity(point))
        .collect();
    if let [(point, [1, zeros @ ..])] = finite[..] {
        if zeros.iter().all(|byte| *byte == 0) {
            return Point::of_group(point);
        }
    }
    let share = finite.len().div_ceil(rayon::current_num_threads()).max(LEAST_SHARE);
    let sum_of_share = |rows: &[(C::Affine, &[u8])]| {
        let points: Vec<C::Affine> = rows.iter().map(|(point, _)| *point).collect();
        let scalars = rows.iter().map(|(_, scalar)| *scalar).collect::<Vec<_>>().concat();
        let ladder = Ladder { scalars: &scalars, bits };
        match points[..] {
            [point] => C::multiply(&point, ladder),
            _ => sum_in_lanes::<C>(&points, ladder)
                .unwrap_or_else(|| C::sum_of_products(&points, ladder)),
        }
    };
    let sums: Vec<C::Jacobian> = match finite.len() <= share {
        true => vec![sum_of_share(&finite)],
        false => finite.par_chunks(share).map(sum_of_share).collect(),
    };
    let sum = sums.iter().fold(C::Jacobian::default(), |sum, share| C::add(&sum, share));
    Point::of_group(C::to_affine(&[sum])[0])
}

/// Returns the sum computed in lanes, or `None` if the library is at least as fast.
fn sum_in_lanes<C: Curve>(points: &[C::Affine], ladder: Ladder<'_>) -> Option<C::Jacobian> {
    let bytes_each = ladder.bits.div_ceil(8);
    match bytes_each {
        MULTIPLIER_BYTES => {
            let (multipliers, _) = ladder.scalars.as_chunks::<MULTIPLIER_BYTES>();
            C::sum_in_lanes(points, Factors::Numbers(&numbers(multipliers)))
        }
        32 => C::sum_in_lanes(points, Factors::Scalars(ladder.scalars.as_chunks().0)),
        _ => None,
    }
}

fn numbers(multipliers: &[Multiplier]) -> Vec<u128> {
    multipliers.iter().map(|multiplier| u128::from_le_bytes(*multiplier)).collect()
}

/// Multiplies each affine point of the group by its multiplier, on the threads of the current pool.
pub(crate) fn multiples<C: Curve>(
    points: &[C::Affine],
    multipliers: &[Multiplier],
) -> Vec<C::Affine> {
    // One inversion divides out the Zs of a piece, which several runs of lanes share.
    let piece = points.len().div_ceil(rayon::current_num_threads()).next_multiple_of(POINTS_OF_G1);
    let of_piece = |(points, multipliers): (&[C::Affine], &[Multiplier])| {
        C::to_affine(&C::multiples(points, &numbers(multipliers)))
    };
    match points.len() <= piece.max(1) {
        true => of_piece((points, multipliers)),
        false => points
            .par_chunks(piece)
            .zip(multipliers.par_chunks(piece))
            .flat_map_iter(of_piece)
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multipliers::MULTIPLIER_BITS;
    use crate::{G1, G2};

    /// Returns points 3ⁱ times the generator, infinity, an equal and an opposite point, with
    /// multipliers at the edges and others.
    fn rows<C: Curve>(count: usize) -> (Vec<C::Affine>, Vec<Multiplier>) {
        let mut point = Point::<C>::generator();
        let row = |number: usize| {
            let multiplier = match number % 5 {
                0 => u128::MAX - number as u128,
                1 => 1 << (number % 128),
                2 => 0,
                _ => 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef_u128.wrapping_mul(number as u128),
            };
            match number % 7 {
                3 => return (C::Affine::default(), multiplier.to_le_bytes()),
                4 => (),
                5 => point = point.negated(),
                _ => point = point.times(&Fr::from(3)),
            }
            (*point.affine(), multiplier.to_le_bytes())
        };
        (0..count).map(row).unzip()
    }

    fn multiples_and_their_sum_are_the_librarys<C: Curve>() {
        for count in [0, 1, 2, 3, 15, 16, 17, 40, 255, 256, 257, 300] {
            let (points, multipliers) = rows::<C>(count);
            let each = |(point, scalars): (&C::Affine, &Multiplier)| {
                C::multiply(point, Ladder { scalars, bits: MULTIPLIER_BITS })
            };
            let expected: Vec<C::Jacobian> = points.iter().zip(&multipliers).map(each).collect();
            assert_eq!(multiples::<C>(&points, &multipliers), C::to_affine(&expected), "{count}");
            let sum = expected.iter().fold(C::Jacobian::default(), |a, b| C::add(&a, b));
            let found = sum_of_multiples::<C>(&points, multipliers.as_flattened(), MULTIPLIER_BITS);
            assert_eq!(*found.affine(), C::to_affine(&[sum])[0], "{count}");
        }
    }

    #[test]
    fn multiples_in_g1_and_their_sum_are_the_librarys() {
        multiples_and_their_sum_are_the_librarys::<G1>();
    }

    #[test]
    fn multiples_in_g2_and_their_sum_are_the_librarys() {
        multiples_and_their_sum_are_the_librarys::<G2>();
    }
}
