// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of multiples of points.

use halimede_arith::Fr;
use rayon::prelude::*;

use crate::library::{Curve, Ladder};
use crate::Point;

/// Points below which a thread's share is not worth its buckets.
const LEAST_SHARE: usize = 64;

/// The sum of multiples of points, over the threads of the current pool; of as many points as there
/// are scalars, further ones of either are left out.
pub fn sum_of_products<C: Curve>(points: &[Point<C>], scalars: &[Fr]) -> Point<C> {
    let affine: Vec<C::Affine> = points.iter().map(|point| *point.affine()).collect();
    let scalars: Vec<u8> = scalars.iter().flat_map(Fr::to_le_bytes).collect();
    sum_of_multiples::<C>(&affine, &scalars, 255)
}

/// The same of affine points and little-endian scalars of `bits` bits, each of whole bytes.
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
            _ => C::sum_of_products(&points, ladder),
        }
    };
    let sums: Vec<C::Jacobian> = match finite.len() <= share {
        true => vec![sum_of_share(&finite)],
        false => finite.par_chunks(share).map(sum_of_share).collect(),
    };
    let sum = sums.iter().fold(C::Jacobian::default(), |sum, share| C::add(&sum, share));
    Point::of_group(C::to_affine(&[sum])[0])
}
