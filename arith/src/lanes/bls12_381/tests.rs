// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The base field of BLS12-381 in lanes against `num-bigint`, up to the bounds of the types. A
//! number that is reduced may differ between backends by a multiple of p, so each backend is
//! checked.

use num_bigint::BigUint;
use proptest::prelude::*;

use super::*;
use crate::lanes::tests::{everywhere, results};
use crate::lanes::{Kernel, LANES};

type Limbs = [u64; LIMBS];
type Elements = [Limbs; LANES];

/// The largest bound of both factors of a product.
const FACTOR: u64 = 1 << 13;
/// A bound of which a sum may have five terms.
const TERM: u64 = 100;

fn load<L: Lanes, const B: u64>(elements: &Elements) -> Fp<L, B> {
    Fp(std::array::from_fn(|limb| L::load(&elements.map(|element| element[limb]))))
}

fn store<L: Lanes, const B: u64>(element: Fp<L, B>) -> Elements {
    let limbs = element.0.map(L::store);
    std::array::from_fn(|lane| limbs.map(|limb| limb[lane]))
}

crate::outlined! {
    fn product<L: Lanes, const A: u64, const B: u64>(a: &Fp<L, A>, b: &Factor<L, B>) -> Wide<L, 1> {
        a.factor().product(b)
    }
    fn squared<L: Lanes>(a: &Fp<L, FACTOR>) -> Fp<L, 3> {
        a.squared()
    }
    fn reduced<L: Lanes, const N: u32>(a: &Wide<L, N>) -> Fp<L, 3> {
        a.reduced()
    }
    fn both_reduced<L: Lanes, const N: u32, const M: u32>(
        a: &Wide<L, N>,
        b: &Wide<L, M>,
    ) -> [Fp<L, 3>; 2] {
        reduced_pair(a, b)
    }
    fn both_reduced_to_sums<L: Lanes>(a: &Wide<L, 62>, b: &Wide<L, 62>) -> [Sum<L, 504>; 2] {
        reduced_pair_of_sums(a, b)
    }
    fn sum_reduced<L: Lanes, const A: u64>(a: &Sum<L, A>) -> Fp<L, 2> {
        a.reduced()
    }
}

/// Products of four numbers in [0, 2¹³·p].
struct Products([Elements; 4]);

impl Kernel for Products {
    type Output = [Elements; 10];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let [a, b, c, d] = [0, 1, 2, 3].map(|number| load::<L, FACTOR>(&self.0[number]));
        let (ab, cd) = (product::<L, FACTOR, FACTOR>(&a, &b.factor()), product(&c, &d.factor()));
        let most = ab.times::<126, 126>();
        let least: Wide<L, 126> = Wide::<L, 0>::zero().minus(&most);
        let mixed: Wide<L, 64> = ab.plus::<1, 2>(&cd).minus(&ab.times::<62, 62>());
        let wide: Wide<L, 62> = Wide::<L, 0>::zero().minus(&cd.times::<62, 62>());
        let [third, fourth] = both_reduced_to_sums(&ab.times::<62, 62>(), &wide);
        let [first, second] = both_reduced(&most, &mixed);
        [
            store(reduced(&ab)),
            store(squared(&a)),
            store(reduced(&most)),
            store(reduced(&least)),
            store(reduced(&mixed)),
            store(reduced(&ab.widened::<126>())),
            store(first),
            store(second),
            store(third.carried()),
            store(fourth.carried()),
        ]
    }
}

/// Sums of three numbers in [0, 100p].
struct Sums([Elements; 3]);

impl Kernel for Sums {
    type Output = [Elements; 7];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let [a, b, c] = [0, 1, 2].map(|number| load::<L, TERM>(&self.0[number]));
        let sum: Sum<L, 511> = a.minus::<_, 200>(&b).minus::<_, 300>(&c).plus::<_, 511>(&a);
        let difference: Sum<L, 400> = a.minus::<_, 400>(&c.times::<2, 200>().plus::<_, 300>(&b));
        let opposite: Sum<L, 300> = b.negated::<100>().times::<3, 300>();
        // A product by 1 divides by 2⁴¹⁶. The columns are not masked.
        let one = Fp::<L, 1>(std::array::from_fn(|k| L::splat(u64::from(k == 0))));
        let product = reduced(&product(&one, &sum.factor()));
        [
            store(sum.carried()),
            store(difference.carried()),
            store(opposite.carried()),
            store(sum_reduced(&sum)),
            store(sum_reduced(&difference)),
            store(sum_reduced(&opposite)),
            store(product),
        ]
    }
}

/// One number in [0, 510p], reduced to [0, 2p] and to [0, p), and compared with 0.
struct Reduced(Elements);

impl Kernel for Reduced {
    type Output = (Elements, Elements, [bool; LANES]);

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let a = load::<L, 510>(&self.0);
        (store(a.sum::<510>().reduced()), store(a.canonical()), a.is_zero())
    }
}

/// Converts words to elements and back, after a product by 1 and by p − 1.
struct RoundTrip([Words; LANES]);

impl Kernel for RoundTrip {
    type Output = [[Words; LANES]; 2];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let a = of_montgomery_384::<L>(self.0.each_ref());
        let opposite = a.times_reduced(&Fp::<L, 1>::one().negated::<1>().carried());
        [to_montgomery_384(&a), to_montgomery_384(&opposite)]
    }
}

/// Converts numbers below 2³⁸⁴ and numbers below 2⁵¹² in halves, and computes whether a number and
/// its double are odd modulo p.
struct OfNumbers {
    numbers: [Words; LANES],
    halves: [[Words; LANES]; 2],
}

impl Kernel for OfNumbers {
    type Output = ([[Words; LANES]; 2], [[u64; LANES]; 2]);

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let number = of_numbers::<L>(self.numbers.each_ref());
        let [lower, upper] = &self.halves;
        let joined = of_halves::<L>([lower.each_ref(), upper.each_ref()]);
        let signs = [number.odd_multiple_signs::<1>(), number.odd_multiple_signs::<2>()];
        ([to_montgomery_384(&number), to_montgomery_384(&joined)], signs.map(L::store))
    }
}

fn modulus() -> BigUint {
    MODULUS.iter().rev().fold(BigUint::ZERO, |sum, limb| (sum << 64) + limb)
}

fn integer(limbs: &Limbs) -> BigUint {
    assert!(limbs.iter().all(|limb| *limb <= LIMB_MASK), "{limbs:x?}");
    limbs.iter().rev().fold(BigUint::ZERO, |sum, limb| (sum << 52) + limb)
}

fn limbs(number: &BigUint) -> Limbs {
    std::array::from_fn(|limb| {
        ((number >> (52 * limb)) & BigUint::from(LIMB_MASK)).try_into().unwrap()
    })
}

/// Reduces any number into [0, bound·p]. The largest limbs become the bound.
fn within(bound: u64, elements: &Elements) -> Elements {
    let bound = modulus() * bound;
    elements.map(|element| match element == [LIMB_MASK; LIMBS] {
        true => limbs(&bound),
        false => limbs(&(integer(&element) % (&bound + 1u8))),
    })
}

fn check_products(numbers: [Elements; 4]) {
    let numbers = numbers.each_ref().map(|elements| within(FACTOR, elements));
    for (backend, results) in results(|| Products(numbers)) {
        check_results_of_products(&backend, &numbers, &results);
    }
}

fn check_results_of_products(backend: &str, numbers: &[Elements; 4], results: &[Elements; 10]) {
    let (p, r) = (modulus(), BigUint::from(1u8) << 416u32);
    for lane in 0..LANES {
        let [a, b, c, d] = numbers.each_ref().map(|elements| integer(&elements[lane]));
        let (ab, cd) = (&a * &b, &c * &d);
        let (many, offset) = (&ab * 126u32, &p * (BigUint::from(1u8) << 416u32));
        let mixed = &offset + &ab + &cd - &ab * 62u32;
        let least = &offset - &many;
        let [third, fourth] = [&ab * 62u32, &offset - &cd * 62u32];
        let expected =
            [&ab, &(&a * &a), &many, &least, &mixed, &ab, &many, &mixed, &third, &fourth];
        for (step, expected) in expected.into_iter().enumerate() {
            let got = integer(&results[step][lane]);
            let place = format!("{backend}: step {step} of {a:x} {b:x} {c:x} {d:x}");
            assert_eq!((&got * &r) % &p, expected % &p, "{place}");
            assert!(got <= &p * 3u8, "{place}: {got:x}");
        }
    }
}

fn check_sums(numbers: [Elements; 3]) {
    let numbers = numbers.each_ref().map(|elements| within(TERM, elements));
    for (backend, results) in results(|| Sums(numbers)) {
        check_results_of_sums(&backend, &numbers, &results);
    }
}

fn check_results_of_sums(backend: &str, numbers: &[Elements; 3], results: &[Elements; 7]) {
    let (p, r) = (modulus(), BigUint::from(1u8) << 416u32);
    for lane in 0..LANES {
        let [a, b, c] = numbers.each_ref().map(|elements| integer(&elements[lane]));
        let sum = &a + &p * 200u32 - &b - &c + &a;
        let difference = &a + &p * 300u32 - 2u8 * &c - &b;
        let opposite = (&p * 100u32 - &b) * 3u8;
        let got = results.each_ref().map(|elements| integer(&elements[lane]));
        let expected = [&sum, &difference, &opposite];
        for (step, expected) in expected.into_iter().enumerate() {
            let place = format!("{backend}: step {step} of {a:x} {b:x} {c:x}");
            assert_eq!(&got[step], expected, "{place}");
            assert_eq!(&got[3 + step] % &p, expected % &p, "{place}");
            assert!(got[3 + step] <= &p * 2u8, "{place}: {:x}", got[3 + step]);
        }
        assert_eq!((&got[6] * &r) % &p, &sum % &p, "{backend}");
    }
}

fn check_reduced(elements: &Elements) {
    let p = modulus();
    let elements = within(510, elements);
    for (backend, (reduced, canonical, zero)) in results(|| Reduced(elements)) {
        for lane in 0..LANES {
            let (number, got) = (integer(&elements[lane]), integer(&reduced[lane]));
            assert_eq!(&got % &p, &number % &p, "{backend}");
            assert!(got <= &p * 2u8, "{backend}: {number:x}: {got:x}");
            assert_eq!(integer(&canonical[lane]), &number % &p, "{backend}");
            assert_eq!(zero[lane], &number % &p == BigUint::ZERO, "{backend}");
        }
    }
}

fn check_round_trip(elements: &Elements) {
    let p = modulus();
    let words = |number: &BigUint| -> Words {
        let mut digits = number.to_u64_digits();
        digits.resize(6, 0);
        digits.try_into().unwrap()
    };
    let numbers = elements.each_ref().map(|element| integer(element) >> 32u32);
    let [same, opposite] = everywhere(|| RoundTrip(numbers.each_ref().map(words)));
    for lane in 0..LANES {
        let number = &numbers[lane] % &p;
        assert_eq!(same[lane], words(&number));
        assert_eq!(opposite[lane], words(&((&p - &number) % &p)));
    }
}

fn check_numbers(elements: &Elements) {
    let p = modulus();
    let words = |number: &BigUint| -> Words {
        let mut digits = number.to_u64_digits();
        digits.resize(6, 0);
        digits.try_into().unwrap()
    };
    let numbers = elements.each_ref().map(|element| integer(element) >> 32u32);
    // The number of this lane, with the number of the next lane above it.
    let part = |number: &BigUint| number & ((BigUint::from(1u8) << 256u32) - 1u8);
    let lower = numbers.each_ref().map(part);
    let upper: [BigUint; LANES] =
        std::array::from_fn(|lane| part(&(&numbers[(lane + 1) % LANES] >> 128u32)));
    let ([same, joined], [odd, double_odd]) = everywhere(|| OfNumbers {
        numbers: numbers.each_ref().map(words),
        halves: [lower.each_ref().map(words), upper.each_ref().map(words)],
    });
    for lane in 0..LANES {
        let number = &numbers[lane] % &p;
        assert_eq!(same[lane], words(&((&number << 384u32) % &p)));
        let expected: BigUint = ((&upper[lane] << 256u32) + &lower[lane]) << 384u32;
        assert_eq!(joined[lane], words(&(expected % &p)));
        assert_eq!(odd[lane], u64::from(number.bit(0)) << 63);
        assert_eq!(double_odd[lane], u64::from(&number * 2u8 > p) << 63);
    }
}

/// Numbers at the edges of carries, comparisons and divisions.
fn edges() -> Vec<Limbs> {
    let (p, one) = (modulus(), BigUint::from(1u8));
    let mut edges: Vec<BigUint> = vec![BigUint::ZERO, one.clone()];
    for multiple in (1..=16u64).chain([99, 100, 255, 256, 300, 509, 510, 4095, 8192]) {
        edges.extend([&p * multiple - 1u8, &p * multiple, &p * multiple + 1u8]);
        // The nearest number below whose lower limbs are all ones.
        edges.push((((&p * multiple) >> 364u32) << 364u32) - 1u8);
    }
    edges.extend((1..8u32).map(|limb| (&one << (52 * limb)) - 1u8));
    edges.push((&one << 416u32) - 1u8);
    edges.iter().map(limbs).collect()
}

fn check(numbers: [Elements; 4]) {
    check_products(numbers);
    check_sums([numbers[0], numbers[1], numbers[2]]);
    check_reduced(&numbers[3]);
    check_round_trip(&numbers[0]);
    check_numbers(&numbers[1]);
}

#[test]
fn edges_are_right_in_every_lane() {
    let edges = edges();
    let of = |number: usize| -> Elements {
        std::array::from_fn(|lane| edges[(number + lane) % edges.len()])
    };
    for number in 0..edges.len() {
        check([of(number), of(3 * number), of(edges.len() - 1 - number), of(number)]);
        check([[edges[number]; LANES]; 4]);
    }
}

#[test]
fn the_largest_and_the_smallest_numbers() {
    let (ones, zeros) = ([[LIMB_MASK; LIMBS]; LANES], [[0; LIMBS]; LANES]);
    for mask in 0..16 {
        check([0, 1, 2, 3].map(|bit| if mask >> bit & 1 == 1 { ones } else { zeros }));
    }
}

#[test]
fn quotients_in_the_middle_of_their_range() {
    // Column `lane` of the product is 2⁵¹, and so is its quotient: the nearest integers to the high
    // half of its product by the lowest limb of p are two.
    let halves: Elements = std::array::from_fn(|lane| {
        std::array::from_fn(|limb| if limb == lane { 1 << 51 } else { 0 })
    });
    let ones = [std::array::from_fn(|limb| u64::from(limb == 0)); LANES];
    check_products([halves, ones, ones, halves]);
    check_products([ones, halves, halves, halves]);
}

/// The limbs of four times eight elements. Arrays of strategies would need a large stack.
fn numbers() -> impl Strategy<Value = Vec<u64>> {
    let limb = prop_oneof![
        4 => 0..=LIMB_MASK,
        1 => Just(0),
        2 => Just(LIMB_MASK),
    ];
    prop::collection::vec(limb, 4 * LANES * LIMBS)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn steps_agree_with_integers(limbs in numbers()) {
        let mut limbs = limbs.into_iter();
        let mut elements = || [[0; LIMBS]; LANES].map(|row| row.map(|_| limbs.next().unwrap()));
        check([elements(), elements(), elements(), elements()]);
    }
}
