// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of multiples of points, against blst's buckets.

use std::hint::black_box;
use std::sync::Arc;

use blst::*;
use halimede_bls12_381::lanes::{self, Factors};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::case;
use crate::comparison::Comparison;

/// Random factors of points: scalars of 255 bits, or numbers of 128.
enum Random {
    Scalars(Vec<[u8; 32]>),
    Numbers(Vec<u128>),
}

impl Random {
    fn new(count: usize, bits: usize) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(count as u64);
        match bits {
            128 => Self::Numbers((0..count).map(|_| random.gen()).collect()),
            _ => {
                let mut scalar = || {
                    let mut scalar: [u8; 32] = random.gen();
                    scalar[31] &= 0x3f;
                    scalar
                };
                Self::Scalars((0..count).map(|_| scalar()).collect())
            }
        }
    }

    fn factors(&self) -> Factors<'_> {
        match self {
            Self::Scalars(scalars) => Factors::Scalars(scalars),
            Self::Numbers(numbers) => Factors::Numbers(numbers),
        }
    }

    /// The factors in the library's encoding.
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Scalars(scalars) => scalars.concat(),
            Self::Numbers(numbers) => {
                numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
            }
        }
    }
}

/// A function that sums with the library's buckets, and one that returns the points P, 2P, 3P, … .
macro_rules! by_the_library {
    (
        $name:ident, $affine:ty, $jacobian:ty, $scratch:ident, $sum:ident,
        $points:ident, $generator:ident, $multiply:ident, $add:ident, $to_affine:ident
    ) => {
        fn $points(count: usize) -> Vec<$affine> {
            let step: [u8; 32] = ChaCha8Rng::seed_from_u64(count as u64).gen();
            let mut points = vec![<$jacobian>::default(); count + 1];
            let mut affine = vec![<$affine>::default(); count];
            // SAFETY: all are valid, a scalar of 255 bits has 32 bytes, and the list after a null
            // pointer has the number of points that the library gets.
            unsafe {
                let mut first = <$jacobian>::default();
                $multiply(&mut first, $generator(), step.as_ptr(), 255);
                for number in 0..count {
                    let before = points[number];
                    $add(&mut points[number + 1], &before, &first);
                }
                let list = [points[1..].as_ptr(), std::ptr::null()];
                $to_affine(affine.as_mut_ptr(), list.as_ptr(), count);
            }
            affine
        }

        fn $name(points: &[$affine], scalars: &[u8], bits: usize) -> $jacobian {
            let mut sum = <$jacobian>::default();
            let points_list = [points.as_ptr(), std::ptr::null()];
            let scalars_list = [scalars.as_ptr(), std::ptr::null()];
            // SAFETY: after a null pointer the library reads consecutive points and scalars, whose
            // number it gets; the scratch has the size that it requests.
            unsafe {
                let mut scratch = vec![0u64; $scratch(points.len()).div_ceil(8)];
                $sum(
                    &mut sum,
                    points_list.as_ptr(),
                    points.len(),
                    scalars_list.as_ptr(),
                    bits,
                    scratch.as_mut_ptr(),
                );
            }
            sum
        }
    };
}

by_the_library!(
    g1_by_the_library,
    blst_p1_affine,
    blst_p1,
    blst_p1s_mult_pippenger_scratch_sizeof,
    blst_p1s_mult_pippenger,
    points_of_g1,
    blst_p1_generator,
    blst_p1_mult,
    blst_p1_add_or_double,
    blst_p1s_to_affine
);
by_the_library!(
    g2_by_the_library,
    blst_p2_affine,
    blst_p2,
    blst_p2s_mult_pippenger_scratch_sizeof,
    blst_p2s_mult_pippenger,
    points_of_g2,
    blst_p2_generator,
    blst_p2_mult,
    blst_p2_add_or_double,
    blst_p2s_to_affine
);

/// The cases of one group.
macro_rules! cases {
    ($comparisons:ident, $group:literal, $points:expr, $sum:path, $library:ident, $is_equal:ident) => {
        for (count, bits) in COUNTS {
            let points = Arc::new($points[..*count].to_vec());
            let random = Arc::new(Random::new(*count, *bits));
            let suffix = if *bits == 128 { "-128-bits" } else { "" };
            let name = format!("sum-{}{suffix}-{count}", $group);
            let bytes = random.bytes();
            let ours = |points: &[_], random: &Random, bytes: &[u8]| {
                // `None` if the engine itself uses the library, or without lanes.
                $sum(points, random.factors()).unwrap_or_else(|| $library(points, bytes, *bits))
            };
            let sum = ours(&points, &random, &bytes);
            let expected = $library(&points, &bytes, *bits);
            // SAFETY: both are valid.
            if !unsafe { $is_equal(&sum, &expected) } {
                return Err(format!("{name}: the sums differ"));
            }
            let (their_points, their_bytes) = (Arc::clone(&points), bytes.clone());
            $comparisons.push(case(
                name,
                *count,
                (*count >= 1024).then_some(3.5),
                move || {
                    black_box(ours(black_box(&points), &random, &bytes));
                },
                move || {
                    black_box($library(black_box(&their_points), &their_bytes, *bits));
                },
            ));
        }
    };
}

/// Points and bits of their factors.
const COUNTS: &[(usize, usize)] = &[
    (4, 255),
    (16, 255),
    (32, 255),
    (64, 255),
    (256, 255),
    (1024, 255),
    (1 << 14, 255),
    (16, 128),
    (32, 128),
    (64, 128),
    (256, 128),
    (1024, 128),
];

/// Sums in both groups.
///
/// # Errors
/// If the sums differ.
pub(super) fn comparisons(comparisons: &mut Vec<Comparison>) -> Result<(), String> {
    let most = COUNTS.iter().map(|(count, _)| *count).max().unwrap_or(0);
    let (ps, qs) = (points_of_g1(most), points_of_g2(most));
    cases!(comparisons, "g1", ps, lanes::sum_g1, g1_by_the_library, blst_p1_is_equal);
    cases!(comparisons, "g2", qs, lanes::sum_g2, g2_by_the_library, blst_p2_is_equal);
    Ok(())
}
