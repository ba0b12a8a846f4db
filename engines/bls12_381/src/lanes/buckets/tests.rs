// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares sums by buckets with the library's multiples, and tests the parts separately.

use halimede_arith::Fr;
use rand::Rng;
use rand_chacha::ChaCha20Rng;

use super::additions::{Pair, PointUnit};
use super::lists::{halves, of_shapes, Lists, Slots, Sums, Weighted};
use super::numbers::{split, Digits, Multiplied};
use super::*;
use crate::lanes::has_lanes;
use crate::lanes::miller::X;
use crate::lanes::tests::{cases, random};
use crate::library::{Curve, Ladder};

/// This processor's lanes, or the emulation if it has none.
fn machine() -> Machine {
    match has_lanes() {
        true => Machine::Lanes,
        false => Machine::Emulation,
    }
}

fn scalar(random: &mut ChaCha20Rng) -> [u8; 32] {
    let mut scalar: [u8; 32] = random.gen();
    let minus = |number: u64| (-Fr::from(number)).to_le_bytes();
    match random.gen_range(0..24) {
        0 => scalar = [0; 32],
        1 => scalar = [0xff; 32],
        2 => scalar = Fr::from(1).to_le_bytes(),
        3 => scalar = minus(1),
        // r and r + 3.
        4 => {
            scalar = minus(1);
            scalar[0] = 1;
        }
        5 => {
            scalar = minus(1);
            scalar[0] = 4;
        }
        // Multiples of x² and numbers close to them.
        6 => {
            scalar = (Fr::from(X).square() * Fr::from(7) - Fr::from(random.gen_range(0..3)))
                .to_le_bytes()
        }
        7 => scalar = minus(random.gen()),
        8 => scalar[random.gen_range(0..32)..].fill(0),
        _ => {}
    }
    scalar
}

#[test]
fn scalars_are_split() {
    let mut random = random();
    let square = Fr::from(X).square();
    let fr = |number: u128| {
        let word = |number: u128| Fr::from(number as u64);
        word(number) + word(number >> 64) * word(1 << 32).square()
    };
    for round in 0..cases(5_000, 1_000_000) {
        let scalar = scalar(&mut random);
        let [low, high] = split(&scalar);
        let limit = u128::from(X) * u128::from(X);
        assert!(low < limit && high < limit, "{scalar:?} in round {round}");
        let mut bytes = scalar;
        bytes.reverse();
        assert_eq!(fr(low) + fr(high) * square, crate::reduced(&bytes), "{scalar:?}");
    }
}

#[test]
fn windows_hold_every_number_once() {
    let mut random = random();
    for width in 3..16 {
        let mut numbers: Vec<u128> = vec![0, 1, u128::MAX, u128::MAX - 1, 1 << 127, u128::MAX / 3];
        numbers.extend((0..40).map(|_| random.gen::<u128>() >> random.gen_range(0..128)));
        for multiplied in [Multiplied::Points, Multiplied::Halves] {
            let digits = Digits::of_width(&numbers, multiplied, width);
            let place = |number: usize, negative: bool| match multiplied {
                Multiplied::Points => PointUnit::new(4 * number as u32, negative),
                Multiplied::Halves => PointUnit::new(2 * number as u32, negative),
            };
            let buckets = digits.buckets();
            assert_eq!(buckets, 1 << (width - 1));
            // For each number, Σ digit·2^(width·window) modulo 2¹²⁸, and the size of the sum.
            let mut found = vec![(0u128, 0f64); numbers.len()];
            // All windows at once, and window by window.
            let windows = digits.windows();
            let all = digits.buckets_of(0..windows);
            let single: Vec<Lists> =
                (0..windows).map(|window| digits.buckets_of(window..window + 1)).collect();
            let entries: Vec<PointUnit> =
                single.iter().flat_map(|lists| lists.entries.clone()).collect();
            assert_eq!(all.entries, entries);
            let mut first = 0;
            for (list, end) in all.ends.iter().enumerate() {
                let (window, digit) = (list / buckets, list % buckets + 1);
                for entry in &all.entries[first..*end as usize] {
                    let negative = place(0, true).y() == place(0, true).x() + 3
                        && entry.y().wrapping_sub(entry.x()) != 1;
                    let number = (0..numbers.len())
                        .find(|number| place(*number, negative) == *entry)
                        .unwrap();
                    let power = 2f64.powi((width as usize * window) as i32) * digit as f64;
                    let value = (digit as u128).checked_shl(width * window as u32).unwrap_or(0);
                    let (modulo, size) = &mut found[number];
                    match negative {
                        true => (*modulo, *size) = (modulo.wrapping_sub(value), *size - power),
                        false => (*modulo, *size) = (modulo.wrapping_add(value), *size + power),
                    }
                }
                first = *end as usize;
            }
            for (number, (modulo, size)) in numbers.iter().zip(found) {
                assert_eq!(*number, modulo, "width {width}");
                assert!((size - *number as f64).abs() <= *number as f64 / 1e6, "width {width}");
            }
        }
    }
}

/// Sums lists of numbers instead of points, however they are paired, and checks that every entry is
/// used once.
#[test]
fn lists_are_summed_up() {
    let mut random = random();
    for round in 0..cases(200, 20_000) {
        let floor = 4 * random.gen_range(1..100u32);
        let mut values = std::collections::HashMap::new();
        for unit in (0..floor).step_by(2) {
            values.insert(PointUnit::new(unit, false), random.gen_range(-3..4i64));
        }
        let mut lists = Lists::default();
        let mut expected = Vec::new();
        for _ in 0..random.gen_range(0..40) {
            let mut sum = 0;
            for _ in 0..[0, 1, 2, 3, 9, random.gen_range(0..200)][random.gen_range(0..6)] {
                let place = PointUnit::new(2 * random.gen_range(0..floor / 2), false);
                // 0 is infinity.
                if values[&place] != 0 {
                    lists.entries.push(place);
                    sum += values[&place];
                }
            }
            lists.end();
            expected.push((sum != 0).then_some(sum));
        }
        let (mut slots, mut pairs) = (Slots::after(floor), Vec::new());
        let before = lists.entries.len();
        let mut lists = Sums::new(lists);
        let (mut additions, mut rounds) = (0, 0);
        loop {
            pairs.clear();
            lists.pair_up(&mut slots, &mut pairs);
            let (mut read, mut written) = (Vec::new(), Vec::new());
            for Pair { points, sum } in &pairs {
                read.extend(points.iter().filter(|point| point.x() >= floor));
                written.push(*sum);
                assert!(sum.x() >= floor && sum.y() == sum.x() + 1 && sum.x() < slots.next());
            }
            read.sort();
            written.sort();
            let unique = |places: &[PointUnit]| places.windows(2).all(|two| two[0] != two[1]);
            assert!(unique(&read) && unique(&written), "round {round}");
            let mut infinite = Vec::new();
            // In any order.
            for Pair { points, sum } in pairs.iter().rev() {
                let value = values[&points[0]] + values[&points[1]];
                values.insert(*sum, value);
                if value == 0 {
                    infinite.push(*sum);
                }
            }
            if pairs.is_empty() {
                break;
            }
            additions += pairs.len();
            rounds += 1;
            lists.remove(infinite);
        }
        assert!(rounds <= 8 && additions <= before, "round {round}");
        let sums: Vec<Option<i64>> =
            lists.finish().iter().map(|place| place.map(|place| values[&place])).collect();
        assert_eq!(sums, expected, "round {round}");
    }
}

/// Factors are halved down to bits, and their sum is unchanged.
#[test]
fn factors_come_down_to_bits() {
    let mut random = random();
    for most in 1..300usize {
        let mut values = vec![0i64];
        let mut place = |value: i64| {
            values.push(value);
            PointUnit::new(2 * (values.len() as u32 - 1), false)
        };
        let weighted = |shift: u32,
                        place: &mut dyn FnMut(i64) -> PointUnit,
                        random: &mut ChaCha20Rng| {
            let mut sums = vec![None];
            sums.extend(
                (1..=most).map(|_| random.gen::<bool>().then(|| place(random.gen_range(-9..10)))),
            );
            Weighted { shift, sums }
        };
        let mut all =
            vec![weighted(0, &mut place, &mut random), weighted(20, &mut place, &mut random)];
        let total = |all: &[Weighted], values: &[i64]| -> i64 {
            let of = |weighted: &Weighted| -> i64 {
                let value = |(factor, place): (usize, &Option<PointUnit>)| {
                    place.map_or(0, |place| factor as i64 * values[place.x() as usize / 2])
                };
                weighted.sums.iter().enumerate().map(value).sum::<i64>() << weighted.shift
            };
            all.iter().map(of).sum()
        };
        let expected = total(&all, &values);
        while all.iter().any(|weighted| !weighted.is_one_bit()) {
            let (lists, shapes) = halves(&all);
            let mut sums = Vec::new();
            let mut first = 0;
            for end in &lists.ends {
                let entries = &lists.entries[first..*end as usize];
                let sum = entries.iter().map(|place| values[place.x() as usize / 2]).sum();
                values.push(sum);
                sums.push(
                    (!entries.is_empty())
                        .then(|| PointUnit::new(2 * (values.len() as u32 - 1), false)),
                );
                first = *end as usize;
            }
            all.retain(Weighted::is_one_bit);
            all.extend(of_shapes(&shapes, &sums));
            assert_eq!(total(&all, &values), expected, "{most}");
        }
        let mut shifts: Vec<u32> = all.iter().map(|weighted| weighted.shift).collect();
        shifts.sort_unstable();
        shifts.dedup();
        assert_eq!(shifts.len(), all.len(), "{most}");
    }
}

/// Returns points with a few discrete logarithms, so that equal and opposite points meet, or with
/// random ones.
fn points<C: LaneCurve>(random: &mut ChaCha20Rng, count: usize, few: bool) -> Vec<C::Affine> {
    let mut jacobian = Vec::new();
    let mut current = C::to_jacobian(&C::generator());
    let step =
        C::multiply(&C::generator(), Ladder { scalars: &random.gen::<[u8; 32]>(), bits: 255 });
    for _ in 0..count {
        let point = match few {
            true => {
                let scalar = [random.gen_range(1..4)];
                C::multiply(&C::generator(), Ladder { scalars: &scalar, bits: 8 })
            }
            false => {
                current = C::add(&current, &step);
                current
            }
        };
        jacobian.push(point);
    }
    let mut points = C::to_affine(&jacobian);
    for point in &mut points {
        if random.gen_range(0..4) == 0 {
            *point = C::negate(point);
        }
    }
    points
}

/// Returns the sum computed by the library, each multiple separately.
fn expected<C: LaneCurve>(points: &[C::Affine], scalars: &[u8], bits: usize) -> C::Affine {
    let mut sum = C::Jacobian::default();
    for (point, scalars) in points.iter().zip(scalars.chunks(bits / 8)) {
        sum = C::add(&sum, &C::multiply(point, Ladder { scalars, bits }));
    }
    C::to_affine(&[sum])[0]
}

fn sums_equal_the_librarys<C: LaneCurve>(counts: &[usize]) {
    let mut random = random();
    for count in counts {
        for few in [false, true] {
            let points = points::<C>(&mut random, *count, few);
            let scalars: Vec<[u8; 32]> = points.iter().map(|_| scalar(&mut random)).collect();
            let found = |factors: Factors<'_>| {
                let sum = sum::<C>(machine(), &points, factors).unwrap();
                C::to_affine(&[sum])[0]
            };
            let name = format!("{} of {count} points, few: {few}", C::NAME);
            let one = expected::<C>(&points, scalars.as_flattened(), 256);
            assert_eq!(found(Factors::Scalars(&scalars)), one, "scalars, {name}");
            let few = C::to_affine(&[sum_of_few::<C>(&points, Factors::Scalars(&scalars))]);
            assert_eq!(few[0], one, "multiples by scalars, {name}");
            // The same scalar for all points: one bucket has all of them.
            let same = scalar(&mut random);
            let scalars = vec![same; *count];
            let one = expected::<C>(&points, scalars.as_flattened(), 256);
            assert_eq!(found(Factors::Scalars(&scalars)), one, "{same:?}, {name}");
            let mut numbers: Vec<u128> =
                points.iter().map(|_| random.gen::<u128>() >> random.gen_range(0..40)).collect();
            if let [first, .., last] = &mut numbers[..] {
                (*first, *last) = (0, u128::MAX);
            }
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            let one = expected::<C>(&points, &bytes, 128);
            assert_eq!(found(Factors::Numbers(&numbers)), one, "numbers, {name}");
            let few = C::to_affine(&[sum_of_few::<C>(&points, Factors::Numbers(&numbers))]);
            assert_eq!(few[0], one, "multiples by numbers, {name}");
        }
    }
}

/// Returns counts of points; includes `many` if there are lanes, or with `HALIMEDE_SWEEP=1`.
fn counts(few: &[usize], many: usize) -> Vec<usize> {
    let many = if has_lanes() { many } else { cases(0, many) };
    few.iter().copied().chain((many > 0).then_some(many)).collect()
}

#[test]
fn sums_in_g1_equal_the_librarys() {
    sums_equal_the_librarys::<G1>(&counts(&[0, 1, 2, 3, 8, 17, 100], 1000));
}

#[test]
fn sums_in_g2_equal_the_librarys() {
    sums_equal_the_librarys::<G2>(&counts(&[0, 1, 2, 5, 9, 40], 500));
}

/// More points than fit in memory at once, so that windows are summed one by one.
fn large_sums_equal_the_librarys<C: LaneCurve>(most: usize) {
    let mut random = random();
    for count in counts(&[], most).into_iter().flat_map(|most| [most / 5, most]) {
        let points = points::<C>(&mut random, count, false);
        let scalars: Vec<[u8; 32]> = points.iter().map(|_| scalar(&mut random)).collect();
        let ladder = Ladder { scalars: scalars.as_flattened(), bits: 256 };
        let expected = C::sum_of_products(&points, ladder);
        let found = sum::<C>(machine(), &points, Factors::Scalars(&scalars)).unwrap();
        let both = C::to_affine(&[found, expected]);
        assert_eq!(both[0], both[1], "{} of {count} points", C::NAME);
    }
}

#[test]
fn large_sums_in_g1_equal_the_librarys() {
    large_sums_equal_the_librarys::<G1>(MOST_POINTS + 9);
}

#[test]
fn large_sums_in_g2_equal_the_librarys() {
    large_sums_equal_the_librarys::<G2>(MOST_POINTS / 4);
}

/// Sums of fixed points, in lanes and without: some of the points are infinity, equal or opposite.
#[test]
fn sums_of_fixed_points_equal_the_librarys() {
    let mut random = random();
    for (points_a_sum, sums, width) in [(1, 3, 3), (7, 4, 5), (64, 3, 9), (200, 2, 13)] {
        for few in [false, true] {
            let mut points = points::<G1>(&mut random, points_a_sum * sums, few);
            if points_a_sum > 1 {
                for place in points.iter_mut().step_by(5) {
                    *place = Default::default();
                }
            }
            let mut scalars: Vec<[u8; 32]> = points.iter().map(|_| scalar(&mut random)).collect();
            scalars[points_a_sum..2 * points_a_sum].fill([0; 32]);
            let rows = points.chunks(points_a_sum).zip(scalars.chunks(points_a_sum));
            let expected: Vec<_> = rows
                .map(|(points, scalars)| expected::<G1>(points, scalars.as_flattened(), 256))
                .collect();
            for machine in [None, Some(machine())] {
                let table = FixedPoints::new(machine, &points, points_a_sum, width).unwrap();
                let found = G1::to_affine(&table.sums(&scalars).unwrap());
                let name = format!("{machine:?}, {points_a_sum} points, few: {few}");
                assert_eq!(found, expected, "{name}");
                // The first sums only.
                let found = G1::to_affine(&table.sums(&scalars[..2 * points_a_sum]).unwrap());
                assert_eq!(found, expected[..2], "{name}");
            }
        }
    }
}
