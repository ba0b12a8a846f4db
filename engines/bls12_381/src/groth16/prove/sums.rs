// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of points times secret scalars. Terms with the scalars 0 and 1 are separated, since most
//! variables of a circuit are bits: the former are dropped, the latter only added.
//!
//! The time depends on the scalars: on the number of zeros and ones, and on the buckets.

use rayon::prelude::*;
use zeroize::Zeroizing;

use crate::lanes::Factors;
use crate::library::{Curve, Ladder};

use super::secrets::SCALAR_BYTES;

/// The number of bits of a scalar.
pub const SCALAR_BITS: usize = 255;

/// The minimum number of points of a thread's share.
const LEAST_SHARE: usize = 256;

type ScalarBytes = [u8; SCALAR_BYTES];

const ZERO: ScalarBytes = [0; SCALAR_BYTES];
const ONE: ScalarBytes = {
    let mut one = ZERO;
    one[0] = 1;
    one
};

/// Adds points in parallel shares.
fn sum_of_shares<C: Curve>(
    count: usize,
    share_sum: impl Fn(std::ops::Range<usize>) -> C::Jacobian + Sync,
) -> C::Jacobian {
    let share = count.div_ceil(rayon::current_num_threads()).max(LEAST_SHARE);
    if count <= share {
        return share_sum(0..count);
    }
    let starts: Vec<usize> = (0..count).step_by(share).collect();
    let sums: Vec<C::Jacobian> =
        starts.into_par_iter().map(|start| share_sum(start..(start + share).min(count))).collect();
    sums.iter().fold(C::Jacobian::default(), |sum, share| C::add(&sum, share))
}

/// Returns Σ sᵢ·Pᵢ for points of the group, none of them infinity, each with one scalar.
pub fn sum_of_products<C: Curve>(points: &[C::Affine], scalars: &[ScalarBytes]) -> C::Jacobian {
    assert_eq!(points.len(), scalars.len(), "a scalar for each point");
    sum_of_shares::<C>(points.len(), |share| {
        let (points, scalars) = (&points[share.clone()], &scalars[share]);
        C::sum_in_lanes(points, Factors::Scalars(scalars)).unwrap_or_else(|| {
            let ladder = Ladder { scalars: scalars.as_flattened(), bits: SCALAR_BITS };
            match points {
                [point] => C::multiply(point, ladder),
                _ => C::sum_of_products(points, ladder),
            }
        })
    })
}

/// As [`sum_of_products`], for any terms, also of infinity, most of them with the scalars 0 and 1.
pub fn sum_of_terms<'a, C: Curve>(
    terms: impl Iterator<Item = (&'a C::Affine, &'a ScalarBytes)>,
) -> C::Jacobian {
    let (mut ones, mut points, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for (point, scalar) in terms {
        match *scalar {
            ZERO => (),
            _ if C::is_infinity(point) => (),
            ONE => ones.push(*point),
            _ => {
                points.push(*point);
                rows.push(scalar);
            }
        }
    }
    let mut scalars = Zeroizing::new(Vec::with_capacity(rows.len()));
    scalars.extend(rows.into_iter().copied());
    let sum = sum_of_products::<C>(&points, &scalars);
    C::add(&sum, &sum_of_shares::<C>(ones.len(), |share| C::sum(&ones[share])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Point, G1, G2};
    use halimede_arith::Fr;

    /// Sums of Pᵢ = 3ⁱ·G, whose logarithms are known.
    fn sums_are_the_multiple_of_the_generator<C: Curve>() {
        for count in [0, 1, 2, 3, 40, 300, 700] {
            let mut power = Fr::ONE;
            let (mut points, mut scalars) = (Vec::new(), Vec::new());
            let mut expected = Fr::ZERO;
            for number in 0..count {
                points.push(*Point::<C>::generator().times(&power).affine());
                let scalar = match number % 5 {
                    0 | 1 => Fr::ONE,
                    2 => Fr::ZERO,
                    3 => -Fr::from(number),
                    _ => (power + Fr::from(7)).square(),
                };
                expected += scalar * power;
                scalars.push(scalar.to_le_bytes());
                power *= Fr::from(3);
            }
            let expected = *Point::<C>::generator().times(&expected).affine();
            let all = sum_of_products::<C>(&points, &scalars);
            let terms = sum_of_terms::<C>(points.iter().zip(&scalars));
            assert_eq!(C::to_affine(&[all, terms]), [expected, expected], "{count}");
        }
    }

    #[test]
    fn sums_in_both_groups() {
        sums_are_the_multiple_of_the_generator::<G1>();
        sums_are_the_multiple_of_the_generator::<G2>();
    }

    #[test]
    fn equal_and_opposite_points_are_added() {
        let point = *Point::<G1>::generator().affine();
        let opposite = G1::negate(&point);
        let terms = [point, opposite, point, point, opposite, opposite];
        let sum = sum_of_terms::<G1>(terms.iter().map(|point| (point, &ONE)));
        assert!(G1::is_infinity(&G1::to_affine(&[sum])[0]));
        let sum = sum_of_terms::<G1>(terms[2..5].iter().map(|point| (point, &ONE)));
        assert_eq!(G1::to_affine(&[sum])[0], point);
    }
}
