// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares the lanes with blst.

use blst::*;
use halimede_arith::lanes::{available, emulate, run, Kernel, LANES};
use halimede_arith::Backend;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::batches::{FinalExponentiations, MillerLoops, Row, Runner};
use super::final_exponentiation::frobenius_constants;
use super::groups::{beta, psi, Answer, InG1, InG2};
use super::repeated::{Fp12Operations, FpPowers, Operation, FP_ELEMENTS};
use super::worth::{Worth, INTEGERS};
use super::*;

mod hashes;
mod roots;
mod spread;

/// Returns the backend of this process if it has lanes, otherwise the one whose lanes are emulated.
fn backend() -> Backend {
    match Backend::active() {
        active if available(active) => active,
        _ => Backend::Avx512Ifma,
    }
}

/// Returns the kernel's answer with this process's lanes, or with the emulation if it has none.
pub(super) fn computed<K: Kernel>(kernel: impl Fn() -> K) -> K::Output {
    run(backend(), kernel()).unwrap_or_else(|| emulate(backend(), kernel()))
}

/// Returns the kernel's answer, after checking that all backends of this processor and the
/// emulation of one agree.
fn all<K: Kernel<Output: PartialEq + std::fmt::Debug>>(kernel: impl Fn() -> K) -> K::Output {
    let answer = emulate(backend(), kernel());
    for other in Backend::available() {
        if let Some(fast) = run(other, kernel()) {
            assert_eq!(fast, answer, "{other}, and the emulation of {}", backend());
        }
    }
    answer
}

/// Runs kernels in this process's lanes, or in the emulation if it has none.
struct Processor;

impl Runner for Processor {
    fn worth(&self) -> &'static Worth {
        &INTEGERS
    }

    fn run<K: Kernel>(&self, kernel: K) -> Option<K::Output> {
        match available(backend()) {
            true => run(backend(), kernel),
            false => Some(emulate(backend(), kernel)),
        }
    }
}

/// Returns `few`, or `many` with `HALIMEDE_SWEEP=1`.
pub(super) fn cases(few: usize, many: usize) -> usize {
    match std::env::var("HALIMEDE_SWEEP").as_deref() {
        Ok("1") => many,
        _ => few,
    }
}

pub(super) fn random() -> ChaCha20Rng {
    let seed = match std::env::var("HALIMEDE_SEED") {
        Ok(seed) => seed.parse().unwrap(),
        Err(_) => rand::random(),
    };
    println!("HALIMEDE_SEED={seed}");
    ChaCha20Rng::seed_from_u64(seed)
}

fn g1(scalar: &[u8; 32]) -> blst_p1_affine {
    let (mut point, mut affine) = (blst_p1::default(), blst_p1_affine::default());
    // SAFETY: all are valid.
    unsafe {
        blst_p1_mult(&mut point, blst_p1_generator(), scalar.as_ptr(), 255);
        blst_p1_to_affine(&mut affine, &point);
    }
    affine
}

fn g2(scalar: &[u8; 32]) -> blst_p2_affine {
    let (mut point, mut affine) = (blst_p2::default(), blst_p2_affine::default());
    // SAFETY: all are valid.
    unsafe {
        blst_p2_mult(&mut point, blst_p2_generator(), scalar.as_ptr(), 255);
        blst_p2_to_affine(&mut affine, &point);
    }
    affine
}

fn random_pair(random: &mut impl Rng) -> Pair {
    (g1(&random.gen()), g2(&random.gen()))
}

/// Returns the Miller loop computed by blst.
fn miller_loop(pair: &Pair) -> blst_fp12 {
    library::miller_product(&[pair])
}

/// Returns the pairing computed by blst.
fn pairing(pair: &Pair) -> blst_fp12 {
    match library::has_infinity(pair) {
        true => library::one_12(),
        false => library::final_exponentiation(&miller_loop(pair)),
    }
}

/// Returns a random element of Fp, or an edge case.
fn element(random: &mut impl Rng) -> blst_fp {
    let mut bytes = [0; 48];
    match random.gen_range(0..8) {
        0 => {}
        1 => bytes[47] = 1,
        2 => return negated(&library::one()),
        3 => bytes[1..].fill(0xff),
        _ => random.fill(&mut bytes[..]),
    }
    let mut element = blst_fp::default();
    // Below p.
    bytes[0] &= 0x0f;
    // SAFETY: all are valid.
    unsafe { blst_fp_from_bendian(&mut element, bytes.as_ptr()) };
    element
}

fn negated(a: &blst_fp) -> blst_fp {
    let mut result = blst_fp::default();
    // SAFETY: all are valid.
    unsafe { blst_fp_cneg(&mut result, a, true) };
    result
}

/// Returns numbers in Fp12 with edge cases in their parts.
fn numbers(random: &mut impl Rng) -> [blst_fp12; LANES] {
    let mut numbers = [blst_fp12::default(); LANES];
    for number in &mut numbers {
        for part in number.fp6.iter_mut().flat_map(|fp6| &mut fp6.fp2).flat_map(|fp2| &mut fp2.fp) {
            *part = element(random);
        }
    }
    numbers
}

fn operation_by_library(operation: Operation, a: &blst_fp12, b: &blst_fp12) -> blst_fp12 {
    let mut result = blst_fp12::default();
    // SAFETY: all are valid.
    unsafe {
        match operation {
            Operation::Product => blst_fp12_mul(&mut result, a, b),
            Operation::Square => blst_fp12_sqr(&mut result, a),
            Operation::CyclotomicSquare => blst_fp12_cyclotomic_sqr(&mut result, a),
        }
    }
    result
}

#[test]
fn operations_of_fields_equal_the_librarys() {
    let mut random = random();
    for round in 0..20 {
        let elements: [blst_fp; FP_ELEMENTS] = [(); FP_ELEMENTS].map(|()| element(&mut random));
        let b = element(&mut random);
        let powers = all(|| FpPowers { a: &elements, b: &b, times: 2 });
        for (a, power) in elements.iter().zip(powers) {
            let (mut once, mut twice) = (blst_fp::default(), blst_fp::default());
            // SAFETY: all are valid.
            unsafe {
                blst_fp_mul(&mut once, a, &b);
                blst_fp_mul(&mut twice, &once, &b);
            }
            assert_eq!(power, twice, "round {round}");
        }
        let (a, b) = (numbers(&mut random), numbers(&mut random));
        // The formula of the cyclotomic square is defined for any number.
        for operation in [Operation::Product, Operation::Square, Operation::CyclotomicSquare] {
            let results = all(|| Fp12Operations { operation, a: &a, b: &b, times: 2 });
            for lane in 0..LANES {
                let once = operation_by_library(operation, &a[lane], &b[lane]);
                let twice = operation_by_library(operation, &once, &b[lane]);
                assert_eq!(results[lane], twice, "{operation:?} in lane {lane}, round {round}");
            }
        }
    }
}

#[test]
fn miller_loops_equal_the_librarys() {
    let mut random = random();
    let filler = library::filler();
    for length in 1..=3 {
        let pairs: Vec<[Pair; LANES]> =
            (0..length).map(|_| [(); LANES].map(|()| random_pair(&mut random))).collect();
        let mut rows: Vec<Row> = pairs.iter().map(|row| row.each_ref().map(Some)).collect();
        rows[length - 1][length] = None;
        let products = computed(|| MillerLoops { rows: &rows, filler: &filler });
        for lane in 0..LANES {
            let pairs: Vec<&Pair> = rows.iter().filter_map(|row| row[lane]).collect();
            let expected = library::final_exponentiation(&library::miller_product(&pairs));
            assert_eq!(library::final_exponentiation(&products[lane]), expected, "lane {lane}");
        }
    }
}

#[test]
fn final_exponentiations_equal_the_librarys() {
    let mut random = random();
    let pairs: [Pair; LANES] = [(); LANES].map(|()| random_pair(&mut random));
    let numbers = pairs.each_ref().map(miller_loop);
    let constants = frobenius_constants();
    let results = computed(|| FinalExponentiations { numbers: &numbers, constants });
    assert_eq!(results, numbers.each_ref().map(library::final_exponentiation));
}

#[test]
fn pairings_equal_the_librarys() {
    let mut random = random();
    for batch in [1, 2, 3, 8, 11, cases(64, 10_000)] {
        let pairs: Vec<Pair> = (0..batch).map(|_| random_pair(&mut random)).collect();
        let expected: Vec<blst_fp12> = pairs.iter().map(pairing).collect();
        assert!(pairings(&pairs) == expected, "batch of {batch}");
    }
    assert!(pairings(&[]).is_empty());
}

#[test]
fn infinity_pairs_to_one_in_every_lane() {
    let mut random = random();
    let pairs: Vec<Pair> = (0..LANES).map(|_| random_pair(&mut random)).collect();
    for lane in 0..LANES {
        let mut pairs = pairs.clone();
        match lane % 2 {
            0 => pairs[lane].0 = blst_p1_affine::default(),
            _ => pairs[lane].1 = blst_p2_affine::default(),
        }
        let expected: Vec<blst_fp12> = pairs.iter().map(pairing).collect();
        assert!(pairings(&pairs) == expected, "lane {lane}");
        let product = expected.iter().fold(library::one_12(), |a, b| library::product_12(&a, b));
        let pairs: Vec<Pair> = pairs.iter().chain(&pairs).copied().collect();
        let squared = library::final_exponentiation(&miller_product(&pairs));
        assert!(squared == library::product_12(&product, &product), "lane {lane}");
    }
    assert!(multi_pairing_check(&[Pair::default(); 17]));
    assert!(multi_pairing_check(&[]));
}

#[test]
fn products_of_pairings_are_compared_with_one() {
    let mut random = random();
    for half in [1, 3, 6, 7, 20] {
        let mut pairs: Vec<Pair> = (0..half).map(|_| random_pair(&mut random)).collect();
        for number in 0..half {
            let (mut p, q) = pairs[number];
            p.y = negated(&p.y);
            pairs.push((p, q));
        }
        assert!(multi_pairing_check(&pairs), "{half}");
        pairs[half] = random_pair(&mut random);
        assert!(!multi_pairing_check(&pairs), "{half}");
    }
}

#[test]
fn pairings_are_bilinear() {
    let mut random = random();
    for _ in 0..4 {
        let (a, b): (u64, u64) = (random.gen_range(0..1 << 40), random.gen_range(0..1 << 20));
        let scalar = |number: u64| {
            let mut bytes = [0; 32];
            bytes[..8].copy_from_slice(&number.to_le_bytes());
            bytes
        };
        let pairs = [
            (g1(&scalar(a)), g2(&scalar(b))),
            (g1(&scalar(b)), g2(&scalar(a))),
            (g1(&scalar(a * b)), g2(&scalar(1))),
            (g1(&scalar(1)), g2(&scalar(a * b))),
        ];
        let values = pairings(&pairs);
        assert!(values.iter().all(|value| *value == values[0]), "{a} {b}");
    }
}

#[test]
fn lists_of_pairs_have_their_own_products() {
    let mut random = random();
    let pairs: Vec<Pair> = (0..40).map(|_| random_pair(&mut random)).collect();
    let lists: Vec<&[Pair]> = (0..19).map(|number| &pairs[number..2 * number]).collect();
    for (list, product) in lists.iter().zip(miller_products(&lists)) {
        let pairs: Vec<&Pair> = list.iter().collect();
        let expected = library::final_exponentiation(&library::miller_product(&pairs));
        assert!(library::final_exponentiation(&product) == expected, "{} pairs", list.len());
    }
}

/// Returns a point of the curve with a random x.
fn curve_point(random: &mut impl Rng) -> blst_p1_affine {
    loop {
        let mut point = blst_p1_affine { x: element(random), ..Default::default() };
        if point.x == blst_fp::default() {
            continue; // it has order three
        }
        let mut right = blst_fp::default();
        // SAFETY: all are valid.
        unsafe {
            blst_fp_sqr(&mut right, &point.x);
            let square = right;
            blst_fp_mul(&mut right, &square, &point.x);
            for _ in 0..4 {
                let sum = right;
                blst_fp_add(&mut right, &sum, &library::one());
            }
            if blst_fp_sqrt(&mut point.y, &right) && blst_p1_affine_on_curve(&point) {
                return point;
            }
        }
    }
}

/// Returns a point of the twist with a random x.
fn twist_point(random: &mut impl Rng) -> blst_p2_affine {
    loop {
        let x = blst_fp2 { fp: [element(random), element(random)] };
        let mut point = blst_p2_affine { x, ..Default::default() };
        let mut right = blst_fp2::default();
        let one = blst_fp2 { fp: [library::one(), library::one()] };
        // SAFETY: all are valid.
        unsafe {
            blst_fp2_sqr(&mut right, &point.x);
            let square = right;
            blst_fp2_mul(&mut right, &square, &point.x);
            for _ in 0..4 {
                let sum = right;
                blst_fp2_add(&mut right, &sum, &one);
            }
            if blst_fp2_sqrt(&mut point.y, &right) && blst_p2_affine_on_curve(&point) {
                return point;
            }
        }
    }
}

/// Returns the point (0, 2) of order three.
fn point_of_order_three() -> blst_p1_affine {
    let mut two = blst_fp::default();
    // SAFETY: all are valid.
    unsafe { blst_fp_add(&mut two, &library::one(), &library::one()) };
    let point = blst_p1_affine { x: blst_fp::default(), y: two };
    // SAFETY: all are valid.
    assert!(unsafe { blst_p1_affine_on_curve(&point) });
    point
}

#[test]
fn points_are_told_from_those_of_the_groups() {
    let mut random = random();
    for count in [1, 5, 16, 40, cases(41, 10_000)] {
        let mut firsts: Vec<blst_p1_affine> = Vec::new();
        let mut seconds: Vec<blst_p2_affine> = Vec::new();
        for number in 0..count {
            let (p, q) = random_pair(&mut random);
            firsts.push([p, curve_point(&mut random)][usize::from(random.gen::<bool>())]);
            seconds.push([q, twist_point(&mut random)][usize::from(random.gen::<bool>())]);
            match (number + count) % 7 {
                0 => (firsts[number], seconds[number]) = Pair::default(),
                1 => firsts[number] = point_of_order_three(),
                _ => {}
            }
        }
        let expected: Vec<bool> = firsts.iter().map(library::in_g1).collect();
        assert_eq!(in_g1(&firsts), expected);
        let expected: Vec<bool> = seconds.iter().map(library::in_g2).collect();
        assert_eq!(in_g2(&seconds), expected);
    }
    assert!(in_g1(&[]).is_empty() && in_g2(&[]).is_empty());
}

#[test]
fn what_lanes_cannot_tell_is_left_to_the_library() {
    let mut random = random();
    let (p, q) = random_pair(&mut random);
    let mut points = [p; 2 * LANES];
    points[3] = blst_p1_affine::default();
    points[9] = point_of_order_three();
    points[10] = curve_point(&mut random);
    let answers = computed(|| InG1 { points: &points, beta: beta() });
    for (number, answer) in answers.as_flattened().iter().enumerate() {
        let expected = match number {
            3 | 9 => Answer::Unknown,
            10 => Answer::Different,
            _ => Answer::Equal,
        };
        assert_eq!(*answer, expected, "point {number}");
    }
    let mut points = [q; LANES];
    points[2] = blst_p2_affine::default();
    points[5] = twist_point(&mut random);
    let answers = computed(|| InG2 { points: &points, constants: psi() });
    for (number, answer) in answers.iter().enumerate() {
        let expected = match number {
            2 => Answer::Unknown,
            5 => Answer::Different,
            _ => Answer::Equal,
        };
        assert_eq!(*answer, expected, "point {number}");
    }
}

#[test]
fn multiples_equal_the_librarys() {
    let mut random = random();
    let edges = [0, 1, 2, 3, 15, 16, 17, 1 << 64, u128::MAX, u128::MAX - 1, 1 << 127];
    for count in [1, 7, 16, 45, cases(46, 10_000)] {
        let (mut firsts, mut seconds): (Vec<_>, Vec<_>) =
            (0..count).map(|_| random_pair(&mut random)).unzip();
        // The period differs from the number of a kernel's points by one, so that each edge case
        // occurs in each lane.
        let number = |place: usize| edges.get(place % 17).copied();
        let numbers: Vec<u128> =
            (0..count).map(|place| number(place).unwrap_or_else(|| random.gen())).collect();
        firsts[count / 2] = blst_p1_affine::default();
        seconds[count / 3] = blst_p2_affine::default();
        let results = multiples_g1(&firsts, &numbers);
        for (place, (point, number)) in firsts.iter().zip(&numbers).enumerate() {
            let expected = library::multiple_g1(point, *number);
            // SAFETY: all are valid.
            let is_equal = unsafe { blst_p1_is_equal(&results[place], &expected) };
            assert!(is_equal, "{number} times point {place} of G1");
        }
        let results = multiples_g2(&seconds, &numbers);
        for (place, (point, number)) in seconds.iter().zip(&numbers).enumerate() {
            let expected = library::multiple_g2(point, *number);
            // SAFETY: all are valid.
            let is_equal = unsafe { blst_p2_is_equal(&results[place], &expected) };
            assert!(is_equal, "{number} times point {place} of G2");
        }
    }
    assert!(multiples_g1(&[], &[]).is_empty() && multiples_g2(&[], &[]).is_empty());
}
