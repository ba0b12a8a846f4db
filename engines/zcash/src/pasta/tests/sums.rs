// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of multiples of points.

use super::*;

/// Returns points, some of them equal or opposite.
fn points<M: Reference>(random: &mut ChaCha8Rng, count: usize) -> Vec<M::Curve> {
    let mut points: Vec<M::Curve> = (0..count).map(|_| point::<M>(random)).collect();
    for place in (3..count).step_by(4) {
        points[place] = if place % 8 == 3 { points[place - 1] } else { -points[place - 1] };
    }
    points
}

fn check_sum<M: Reference>(long: usize, short: usize) {
    let mut random = random(long as u64 * 64 + short as u64);
    let points = points::<M>(&mut random, long + short);
    let mut factors = factors::<M>(&mut random, long + short);
    for factor in &mut factors[long..] {
        factor[2..].fill(0);
    }
    let rows = points.iter().map(|point| Row::new(&affine::<M>(point).unwrap()));
    let rows: Vec<Row> = rows.collect();
    let mut terms = Terms::<M>::default();
    terms.extend(rows.iter().copied().zip(factors.iter().copied()).take(long));
    let shorts = factors.iter().map(|[low, high, ..]| u128::from(*high) << 64 | u128::from(*low));
    terms.extend_short(rows.iter().copied().zip(shorts).skip(long));
    let expected = sum_of::<M>(&points, &factors);
    for machine in machines() {
        let got = sum(machine, &terms).unwrap();
        check::<M>(&got, &expected, &format!("{long} and {short}, {machine:?}"));
    }
}

#[test]
fn sums_of_pallas_are_those_of_the_reference() {
    for (long, short) in [(0, 0), (1, 0), (0, 1), (9, 8)] {
        check_sum::<PallasBase>(long, short);
    }
}

#[test]
fn sums_of_vesta_are_those_of_the_reference() {
    for (long, short) in [(2, 0), (30, 3)] {
        check_sum::<VestaBase>(long, short);
    }
}

#[test]
fn a_sum_of_many_terms_is_that_of_the_reference() {
    check_sum_in_lanes::<VestaBase>(700);
}

/// Checks a sum with wider windows, in the lanes of this processor.
fn check_sum_in_lanes<M: Reference>(count: usize) {
    let mut random = random(count as u64);
    let points = points::<M>(&mut random, count);
    let factors = factors::<M>(&mut random, count);
    let mut terms = Terms::<M>::default();
    let rows = points.iter().map(|point| Row::new(&affine::<M>(point).unwrap()));
    terms.extend(rows.zip(factors.iter().copied()));
    for machine in Backend::available().filter_map(Machine::of) {
        let expected = sum_of::<M>(&points, &factors);
        check::<M>(&sum(machine, &terms).unwrap(), &expected, &format!("{machine:?}"));
    }
}
