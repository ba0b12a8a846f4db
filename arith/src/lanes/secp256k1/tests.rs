// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The field of secp256k1 in lanes against `num-bigint`, up to the largest inputs of each function.
//! The values of backends differ by multiples of p, so each is checked.

use num_bigint::BigUint;
use proptest::prelude::*;

use super::*;
use crate::lanes::tests::{elements, integer, load_limbs, results, store_limbs, Elements};
use crate::lanes::transfer::{limbs_of_words, words_of_limbs};
use crate::lanes::vector::LIMB_MASK;
use crate::lanes::{Kernel, LANES};

#[derive(Clone, Copy, Debug)]
enum Step {
    Multiply,
    Square,
    /// a·b + c·d.
    MultiplyAdd,
    /// a + b + c.
    Sum,
    /// 8p + a − b.
    Difference,
    /// 12p + a − b − 2c.
    DifferenceOfThree,
    /// 12p + ab − c² − 2cd, from columns that are not carried.
    Loose,
    Canonical,
    /// Conversion to words and back.
    Words,
}

const STEPS: [Step; 9] = [
    Step::Multiply,
    Step::Square,
    Step::MultiplyAdd,
    Step::Sum,
    Step::Difference,
    Step::DifferenceOfThree,
    Step::Loose,
    Step::Canonical,
    Step::Words,
];

/// The step of this number. Each step has its own kernel, since one kernel for all would need a
/// large stack.
struct Computed<const STEP: usize>([Elements; 4]);

impl<const STEP: usize> Kernel for Computed<STEP> {
    type Output = (Elements, [bool; LANES]);

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let [a, b, c, d] = self.0.each_ref().map(load_limbs::<L>);
        let [fa, fb, fc, fd] = [&a, &b, &c, &d].map(factors::<L>);
        let result = match STEPS[STEP] {
            Step::Multiply => multiply(&fa, &fb),
            Step::Square => square(&fa),
            Step::MultiplyAdd => multiply_add(&fa, &fb, &fc, &fd),
            Step::Sum => sum([&a, &b, &c]),
            Step::Difference => difference(DIFFERENCE, &a, &b),
            Step::DifferenceOfThree => difference_of_three(DIFFERENCE_OF_THREE, &a, &b, &c),
            Step::Loose => difference_of_three(
                DIFFERENCE_OF_THREE,
                &multiply_loose(&fa, &fb),
                &square_loose(&fc),
                &multiply_loose(&fc, &fd),
            ),
            Step::Canonical => canonical(&a),
            Step::Words => limbs_of_words(words_of_limbs(canonical(&a))),
        };
        (store_limbs(result), is_zero(&result))
    }
}

const DIFFERENCE: u64 = 8;
const DIFFERENCE_OF_THREE: u64 = 12;

fn modulus() -> BigUint {
    MODULUS.iter().rev().fold(BigUint::ZERO, |sum, limb| (sum << 64) + limb)
}

/// A bound of a product, slightly above the largest value.
fn reduced_bound() -> BigUint {
    (BigUint::from(1u8) << 256u32) + (BigUint::from(1u8) << 214u32)
}

/// Converts a number below 2²⁶⁰ to limbs.
fn limbs(number: &BigUint) -> [u64; LIMBS] {
    std::array::from_fn(|limb| {
        ((number >> (52 * limb)) & BigUint::from(LIMB_MASK)).try_into().unwrap()
    })
}

/// Reduces the numbers into the range of the step. The largest number becomes the upper end.
fn within(step: Step, numbers: [Elements; 4]) -> [Elements; 4] {
    let p = modulus();
    let bound = match step {
        Step::Multiply | Step::Square | Step::Loose | Step::Canonical | Step::Words => {
            return numbers;
        }
        // Twice the square is below 2⁵²⁰.
        Step::MultiplyAdd => (BigUint::from(1u8) << 260u32) * 707u32 / 1000u32,
        Step::Sum => &p * 5u8,
        Step::Difference => &p * DIFFERENCE,
        Step::DifferenceOfThree => reduced_bound() * 3u8,
    };
    let brought = |number: &[u64; LIMBS]| match integer(number) {
        number if number < bound => limbs(&number),
        number if number == (BigUint::from(1u8) << 260u32) - 1u8 => limbs(&(&bound - 1u8)),
        number => limbs(&(number % &bound)),
    };
    numbers.map(|elements| elements.each_ref().map(brought))
}

/// The results of each emulation and backend, and the lanes in which they are 0.
type Results = Vec<(String, (Elements, [bool; LANES]))>;

fn computed(step: Step, numbers: [Elements; 4]) -> Results {
    match step as usize {
        0 => one_step::<0>(numbers),
        1 => one_step::<1>(numbers),
        2 => one_step::<2>(numbers),
        3 => one_step::<3>(numbers),
        4 => one_step::<4>(numbers),
        5 => one_step::<5>(numbers),
        6 => one_step::<6>(numbers),
        7 => one_step::<7>(numbers),
        _ => one_step::<8>(numbers),
    }
}

#[inline(never)]
fn one_step<const STEP: usize>(numbers: [Elements; 4]) -> Results {
    results(|| Computed::<STEP>(numbers))
}

fn check(step: Step, numbers: [Elements; 4]) {
    let numbers = within(step, numbers);
    for (backend, results) in computed(step, numbers) {
        check_results(&backend, step, &numbers, results);
    }
}

fn check_results(
    backend: &str,
    step: Step,
    numbers: &[Elements; 4],
    (results, zeros): (Elements, [bool; LANES]),
) {
    let p = modulus();
    for lane in 0..LANES {
        let [a, b, c, d] = numbers.each_ref().map(|elements| integer(&elements[lane]));
        let got = integer(&results[lane]);
        assert_eq!(zeros[lane], &got % &p == BigUint::ZERO, "{backend}: {got:x} is 0");
        let are_limbs = results[lane].iter().all(|limb| *limb <= LIMB_MASK);
        assert!(are_limbs, "{backend}: {step:?}: {got:x}");
        let (expected, bound) = match step {
            Step::Multiply => (&a * &b, reduced_bound()),
            Step::Square => (&a * &a, reduced_bound()),
            Step::MultiplyAdd => (&a * &b + &c * &d, reduced_bound()),
            Step::Sum => (&a + &b + &c, BigUint::from(1u8) << 260u32),
            Step::Difference => (&a + &p * DIFFERENCE - &b, BigUint::from(1u8) << 260u32),
            Step::DifferenceOfThree => {
                let sum = &a + &p * DIFFERENCE_OF_THREE;
                (sum - &b - 2u8 * &c, BigUint::from(1u8) << 260u32)
            }
            Step::Loose => {
                let sum = &a * &b + &p * &p * 1024u32;
                (sum - &c * &c - 2u8 * &c * &d, BigUint::from(1u8) << 260u32)
            }
            Step::Canonical | Step::Words => (a.clone(), p.clone()),
        };
        assert_eq!(&got % &p, expected % &p, "{backend}: {step:?} of {a:x} {b:x} {c:x} {d:x}");
        assert!(got < bound, "{backend}: {step:?}: {got:x}");
    }
}

/// Numbers at the edges of carries and comparisons.
fn edges() -> Vec<[u64; LIMBS]> {
    let (p, one) = (modulus(), BigUint::from(1u8));
    let mut edges: Vec<BigUint> = vec![BigUint::ZERO, one.clone(), &one << 255u32, &one << 256u32];
    for multiple in 1..=16u8 {
        edges.extend([&p * multiple - 1u8, &p * multiple, &p * multiple + 1u8]);
        edges.push((&one << 256u32) * multiple - 1u8);
    }
    edges.push(reduced_bound());
    let top = &one << 260u32;
    edges.extend([&top - 1u8, &top - 2u8, &top - (&one << 208u32)]);
    edges.iter().filter(|edge| **edge < top).map(limbs).collect()
}

#[test]
fn edges_are_right_in_every_lane() {
    let edges = edges();
    let of = |number: usize| -> Elements {
        std::array::from_fn(|lane| edges[(number + lane) % edges.len()])
    };
    for number in 0..edges.len() {
        for other in [0, 1, 3, edges.len() - 1, edges.len() - 3] {
            let numbers = [of(number), of(number + other), of(other), of(2 * number)];
            STEPS.into_iter().for_each(|step| check(step, numbers));
        }
        let alike = [[edges[number]; LANES]; 4];
        STEPS.into_iter().for_each(|step| check(step, alike));
    }
}

#[test]
fn the_largest_product_is_reduced() {
    let ones = [[LIMB_MASK; LIMBS]; LANES];
    for step in STEPS {
        check(step, [ones; 4]);
        check(step, [ones, [[0; LIMBS]; LANES], ones, [[0; LIMBS]; LANES]]);
        check(step, [[[0; LIMBS]; LANES], ones, ones, ones]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn steps_agree_with_integers(a in elements(), b in elements()) {
        let (mut c, mut d) = (b, a);
        c.rotate_left(3);
        d.rotate_left(5);
        STEPS.into_iter().for_each(|step| check(step, [a, b, c, d]));
    }
}
