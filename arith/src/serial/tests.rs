// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every operation of every backend against `num-bigint`, over its whole stated range.

use num_bigint::BigUint;
use proptest::prelude::*;

use super::limbs::{self, Limbs};
use super::{felt, fr, run, secp256k1, Arithmetic, Kernel};
use crate::field::{Bls12381Scalar, Modulus, StarkPrime};
use crate::Backend;

/// A kernel that calls one function.
macro_rules! kernel {
    ($name:ident($($argument:ident: $type:ty),+) -> $output:ty, $call:expr) => {
        struct $name<'a> { $($argument: $type,)+ lifetime: std::marker::PhantomData<&'a ()> }

        impl<'a> $name<'a> {
            fn on(backend: Backend, $($argument: $type),+) -> $output {
                run(backend, Self { $($argument,)+ lifetime: std::marker::PhantomData })
            }

            /// Returns the result, after a check that all backends agree.
            #[allow(dead_code)] // tests whose ranges allow two results do not use it
            fn everywhere($($argument: $type),+) -> $output {
                let portable = Self::on(Backend::Portable $(, $argument)+);
                for backend in Backend::available_for_fields() {
                    assert_eq!(Self::on(backend $(, $argument)+), portable, "{backend}");
                }
                portable
            }
        }

        impl Kernel for $name<'_> {
            type Output = $output;
            #[inline(always)]
            fn compute<A: Arithmetic>(self) -> $output {
                let Self { $($argument,)+ .. } = self;
                $call
            }
        }
    };
}

kernel!(Product(a: Limbs, b: Limbs) -> [u64; 8], limbs::multiply_wide::<A>(a, b));
kernel!(Square(a: Limbs) -> [u64; 8], limbs::square_wide::<A>(a));
kernel!(Cube(x: Limbs) -> Limbs, A::cube(x));
kernel!(FoldFelt(x: Limbs) -> Limbs, felt::fold::<A>(x));
kernel!(Halve(x: Limbs) -> Limbs, felt::halve::<A>(x));
kernel!(CanonicalFelt(x: Limbs) -> Limbs, felt::canonical::<A>(x).montgomery_limbs());
kernel!(FifthPower(x: Limbs) -> Limbs, A::fifth_power(x));
kernel!(FoldFr(x: fr::Sum) -> Limbs, fr::fold::<A>(x));
kernel!(FoldLongFr(x: fr::Sum) -> Limbs, fr::fold_long::<A>(x));
kernel!(AddWrapping(a: Limbs, b: Limbs) -> Limbs, fr::add_wrapping::<A>(a, b));
kernel!(SubWrapping(a: Limbs, b: Limbs) -> Limbs, fr::sub_wrapping::<A>(a, b));
kernel!(CanonicalFr(x: Limbs) -> Limbs, fr::canonical::<A>(x).montgomery_limbs());
kernel!(InnerProduct(constant: Limbs, first: fr::Terms<'a>, second: fr::Terms<'a>) -> fr::Sum,
    fr::inner_product::<A>(constant, first, second));

kernel!(CurveProduct(a: Limbs, b: Limbs) -> Limbs, secp256k1::multiply::<A>(a, b));
kernel!(CurveSquare(a: Limbs) -> Limbs, secp256k1::square::<A>(a));
kernel!(CurveSum(a: Limbs, b: Limbs) -> Limbs, secp256k1::add::<A>(a, b));
kernel!(CurveDifference(a: Limbs, b: Limbs) -> Limbs, secp256k1::sub::<A>(a, b));
kernel!(CurveCanonical(a: Limbs) -> Limbs, secp256k1::canonical::<A>(a));
kernel!(CurveInverse(a: Limbs) -> Limbs, secp256k1::inverse::<A>(a));

fn integer(limbs: &[u64]) -> BigUint {
    let digits: Vec<u32> = limbs.iter().flat_map(|l| [*l as u32, (l >> 32) as u32]).collect();
    BigUint::from_slice(&digits)
}

fn limbs_of<const N: usize>(value: &BigUint) -> [u64; N] {
    let digits: Vec<u64> = value.iter_u64_digits().collect();
    let mut limbs = [0; N];
    limbs[..digits.len()].copy_from_slice(&digits);
    limbs
}

fn p() -> BigUint {
    integer(&StarkPrime::VALUE)
}

fn r() -> BigUint {
    integer(&Bls12381Scalar::VALUE)
}

/// x·2⁻ᵇⁱᵗˢ mod m.
fn unscale(x: BigUint, bits: u32, m: &BigUint) -> BigUint {
    let inverse = (BigUint::from(1u8) << bits).modpow(&(m - 2u8), m);
    x * inverse % m
}

/// Five limbs: random ones, and ones of which each is 0, 1, all ones, or all ones minus 1.
fn seed() -> impl Strategy<Value = [u64; 5]> {
    let limb = prop_oneof![Just(0), Just(1), Just(u64::MAX), Just(u64::MAX - 1), any::<u64>()];
    prop_oneof![any::<[u64; 5]>(), prop::array::uniform5(limb)]
}

/// Maps the seed into `low..high`. Seeds of all ones give the largest numbers, zeros the smallest.
fn within(seed: [u64; 5], low: &BigUint, high: &BigUint) -> BigUint {
    if seed[3] == u64::MAX {
        return high - 1u8 - BigUint::from(!seed[0]).min(high - low - 1u8);
    }
    low + integer(&seed) % (high - low)
}

/// Residues modulo the prime of the curve; all 256-bit integers are allowed.
fn check_curve_field(a: Limbs, b: Limbs) {
    let p = integer(&secp256k1::MODULUS);
    let (x, y) = (integer(&a), integer(&b));
    let canonical = |limbs| integer(&CurveCanonical::everywhere(limbs));
    assert_eq!(canonical(CurveProduct::everywhere(a, b)), &x * &y % &p, "{x:x} * {y:x}");
    assert_eq!(canonical(CurveSquare::everywhere(a)), &x * &x % &p, "{x:x}");
    assert_eq!(canonical(CurveSum::everywhere(a, b)), (&x + &y) % &p, "{x:x} + {y:x}");
    let difference = (&x + &p * 2u8 - &y) % &p;
    assert_eq!(canonical(CurveDifference::everywhere(a, b)), difference, "{x:x} - {y:x}");
    assert_eq!(canonical(CurveInverse::everywhere(a)), x.modpow(&(&p - 2u8), &p), "1 / {x:x}");
}

#[test]
fn the_curves_field_is_right_at_its_edges() {
    let (p, top) = (integer(&secp256k1::MODULUS), BigUint::from(1u8) << 256u32);
    let c = &top - &p;
    let mut edges: Vec<BigUint> = (0..3u8).map(BigUint::from).collect();
    edges.extend((1..4u8).flat_map(|step| [&top - step, &p - step, &p + step, &c + step]));
    edges.extend([p.clone(), c.clone(), &c - 1u8, &top - &c - 1u8, &top - &c * 2u8]);
    edges.extend([64, 128, 192, 255].map(|bit| BigUint::from(1u8) << bit));
    for a in &edges {
        for b in &edges {
            check_curve_field(limbs_of(a), limbs_of(b));
        }
    }
}

proptest! {
    #[test]
    fn the_curves_field_agrees_with_integers(a in seed(), b in seed()) {
        check_curve_field([a[0], a[1], a[2], a[3]], [b[0], b[1], b[2], b[3]]);
    }

    #[test]
    fn products_are_exact(a in seed(), b in seed()) {
        let (a, b) = ([a[0], a[1], a[2], a[3]], [b[0], b[1], b[2], b[3]]);
        prop_assert_eq!(integer(&Product::everywhere(a, b)), integer(&a) * integer(&b));
        prop_assert_eq!(integer(&Square::everywhere(a)), integer(&a) * integer(&a));
    }

    #[test]
    fn cubes_are_right_and_in_range(seed in seed()) {
        let x = within(seed, &BigUint::ZERO, &(p() * 19u8));
        let cube = integer(&Cube::everywhere(limbs_of(&x)));
        let square_bound = ((&x * &x) >> 256u32) + p() * 2u8 + 1u8;
        prop_assert!(cube > p() && cube <= ((square_bound * &x) >> 256u32) + p() * 2u8 + 1u8);
        prop_assert_eq!(cube % p(), unscale(x.pow(3), 512, &p()));
    }

    #[test]
    fn felts_fold_halve_and_end_reduced(seed in seed()) {
        let one = BigUint::from(1u8);
        let x = within(seed, &(&one << 251u32), &(&one << 256u32));
        let folded = integer(&FoldFelt::everywhere(limbs_of(&x)));
        prop_assert!(folded < p() * 2u8 && folded > BigUint::ZERO);
        prop_assert_eq!(&folded % p(), x % p());
        let reduced = CanonicalFelt::everywhere(limbs_of(&folded));
        prop_assert_eq!(integer(&reduced), folded % p());
        let x = within(seed, &BigUint::ZERO, &((one << 256u32) - p()));
        let half = integer(&Halve::everywhere(limbs_of(&x)));
        prop_assert!(half <= (&x + p()) / 2u8);
        prop_assert_eq!(half * 2u8 % p(), x % p());
    }

    #[test]
    fn fifth_powers_are_right_and_in_range(seed in seed()) {
        let x = within(seed, &BigUint::ZERO, &(r() * 102u8 / 100u8));
        for backend in Backend::available_for_fields() {
            // The power of zero is 0 or r.
            let power = integer(&FifthPower::on(backend, limbs_of(&x)));
            prop_assert!(power < r() * 193u8 / 100u8);
            prop_assert_eq!(power % r(), unscale(x.pow(5), 1024, &r()));
        }
    }

    #[test]
    fn sums_fold_and_end_reduced(seed in seed()) {
        let x = within(seed, &BigUint::ZERO, &(r() * 64u8));
        let folded = integer(&FoldFr::everywhere(limbs_of(&x)));
        prop_assert!(folded < r() + (r() >> 25u32));
        prop_assert_eq!(&folded % r(), x % r());
        let x = within(seed, &BigUint::ZERO, &(r() * 2u8));
        let reduced = CanonicalFr::everywhere(limbs_of(&x));
        prop_assert_eq!(integer(&reduced), x % r());
    }

    #[test]
    fn long_sums_fold(seed in seed(), bits in 250..=313u32) {
        let x = within(seed, &BigUint::ZERO, &(BigUint::from(1u8) << bits));
        let folded = integer(&FoldLongFr::everywhere(limbs_of(&x)));
        prop_assert!(folded < r() * 102u8 / 100u8);
        prop_assert_eq!(folded % r(), x % r());
    }

    #[test]
    fn wrapping_sums_are_modulo_two_to_the_256(a in seed(), b in seed()) {
        let (a, b) = ([a[0], a[1], a[2], a[3]], [b[0], b[1], b[2], b[3]]);
        let modulus = BigUint::from(1u8) << 256u32;
        let sum = integer(&AddWrapping::everywhere(a, b));
        prop_assert_eq!(&sum, &((integer(&a) + integer(&b)) % &modulus));
        let difference = integer(&SubWrapping::everywhere(a, b));
        prop_assert_eq!(difference, (&modulus + integer(&a) - integer(&b)) % modulus);
    }

    #[test]
    fn inner_products_are_right_and_in_range(
        constant in seed(),
        pairs in prop::collection::vec((seed(), seed()), 0..72),
        split in 0..72usize,
    ) {
        let constant = within(constant, &BigUint::ZERO, &r());
        let factor = |seed: &[u64; 5]| within(*seed, &BigUint::ZERO, &(r() * 193u8 / 100u8));
        let values: Vec<BigUint> = pairs.iter().map(|(a, _)| factor(a)).collect();
        let coefficients: Vec<BigUint> =
            pairs.iter().map(|(_, b)| within(*b, &BigUint::ZERO, &r())).collect();
        let sum: BigUint = values.iter().zip(&coefficients).map(|(a, b)| a * b).sum();
        let a: Vec<Limbs> = values.iter().map(limbs_of).collect();
        let b: Vec<Limbs> = coefficients.iter().map(limbs_of).collect();
        let split = split.min(a.len());
        let (first, second) = ((&a[..split], &b[..split]), (&a[split..], &b[split..]));
        let result = integer(&InnerProduct::everywhere(limbs_of(&constant), first, second));
        prop_assert!(result <= (&sum >> 256u32) + r() + &constant);
        prop_assert_eq!(result % r(), (unscale(sum, 256, &r()) + constant) % r());
    }
}
