// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The arithmetic of lanes against `num-bigint`, up to the largest inputs. All available backends
//! and all emulations return the same limbs.

use num_bigint::BigUint;
use proptest::prelude::*;

use super::element::{
    add_columns, add_product, carry, factors, folded, limbs_52, multiply, reduce, splat_factors,
    square, start, ProductSum, LIMBS,
};
use super::quotient::reduce_below;
use super::vector::LIMB_MASK;
use super::*;
use crate::field::{Bls12381Scalar, Bn254Scalar, Modulus, PallasBase, StarkPrime, VestaBase};
use crate::{Backend, Felt, Field, Fr};

pub(super) type Limbs = [u64; LIMBS];
pub(super) type Elements = [Limbs; LANES];

/// The computation of a test on two rows of eight elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Multiply,
    Square,
    /// Σ of this number of equal products, with low and high halves separate, plus the third
    /// element.
    Sum(u64),
    /// The product by one constant in all lanes: the first lane's element of the second row.
    Constant,
}

struct Products<M> {
    step: Step,
    a: Elements,
    b: Elements,
    modulus: std::marker::PhantomData<M>,
}

pub(super) fn load_limbs<L: Lanes>(elements: &Elements) -> Columns<L> {
    std::array::from_fn(|limb| L::load(&elements.map(|element| element[limb])))
}

pub(super) fn store_limbs<L: Lanes>(columns: Columns<L>) -> Elements {
    let limbs = columns.map(L::store);
    std::array::from_fn(|lane| limbs.map(|limb| limb[lane]))
}

impl<M: LaneModulus> Kernel for Products<M> {
    type Output = Elements;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Elements {
        let (a, b) = (factors(load_limbs::<L>(&self.a)), factors(load_limbs::<L>(&self.b)));
        let mut wide = start::<L, M>(1);
        match self.step {
            Step::Multiply => add_product(&mut wide, &a, &b),
            Step::Constant => add_product(&mut wide, &splat_factors::<L>(&self.b[0]), &a),
            Step::Square => wide = square::<L, M>(&a),
            Step::Sum(products) => {
                let mut sum = ProductSum::new();
                for _ in 0..products {
                    sum.add_product(&a, &b);
                }
                wide = sum.finish::<M>(products);
                add_columns(&mut wide[5..], &self.a[0]);
            }
        }
        store_limbs(carry(reduce::<L, M>(wide)))
    }
}

/// [`Products`] with the functions of [`fr`].
struct QuickProducts {
    step: Step,
    a: Elements,
    b: Elements,
}

impl Kernel for QuickProducts {
    type Output = Elements;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Elements {
        let (a, b) = (factors(load_limbs::<L>(&self.a)), factors(load_limbs::<L>(&self.b)));
        store_limbs(carry(match self.step {
            Step::Multiply => fr::multiply::<L>(&a, &b),
            Step::Square => fr::square::<L>(&a),
            Step::Constant => fr::multiply::<L>(&splat_factors::<L>(&self.b[0]), &a),
            Step::Sum(products) => {
                let mut sum = ProductSum::<L>::new();
                for _ in 0..products {
                    sum.add_product(&a, &b);
                }
                let mut wide = sum.finish::<Bls12381Scalar>(products);
                add_columns(&mut wide[5..], &self.a[0]);
                fr::reduce::<L>(wide)
            }
        }))
    }
}

/// Rows in memory as the input, registers as the output.
struct Rows([[u64; LANES]; LANES]);

impl Kernel for Rows {
    type Output = [[u64; LANES]; LANES];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        L::load_rows(self.0.each_ref()).map(L::store)
    }
}

/// Signed columns reduced by [`reduce_below`].
struct Below<M>([[i64; LIMBS]; LANES], std::marker::PhantomData<M>);

impl<M: LaneModulus> Kernel for Below<M> {
    type Output = Elements;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Elements {
        let columns = load_limbs::<L>(&self.0.map(|element| element.map(|limb| limb as u64)));
        store_limbs(carry(reduce_below::<L, M>(columns)))
    }
}

/// Signed columns reduced by [`folded`].
struct Fold([[i64; LIMBS]; LANES]);

impl Kernel for Fold {
    type Output = Elements;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Elements {
        let columns = load_limbs::<L>(&self.0.map(|element| element.map(|column| column as u64)));
        store_limbs(carry(folded(columns)))
    }
}

/// Eight elements, converted to lanes and back.
struct RoundTrip<M: Modulus>([Field<M>; LANES]);

impl<M: LaneModulus> Kernel for RoundTrip<M> {
    type Output = [Field<M>; LANES];

    #[inline(always)]
    fn run<L: Lanes>(self) -> [Field<M>; LANES] {
        let out = splat_factors::<L>(&limbs_52(M::R));
        let loaded = factors(transfer::load::<L, M>(self.0.each_ref()));
        transfer::store::<L, M>(multiply::<L, M>(&loaded, &out))
    }
}

/// A number in [0, 4·p), reduced to [0, p).
struct Canonical<M>(Elements, std::marker::PhantomData<M>);

impl<M: LaneModulus> Kernel for Canonical<M> {
    type Output = [Field<M>; LANES];

    #[inline(always)]
    fn run<L: Lanes>(self) -> [Field<M>; LANES] {
        transfer::store::<L, M>(load_limbs(&self.0))
    }
}

/// Returns the results of a kernel in each emulation and on each available backend.
pub(super) fn results<K: Kernel>(kernel: impl Fn() -> K) -> Vec<(String, K::Output)> {
    let emulated = [Backend::Avx512Ifma, Backend::Avx512, Backend::Avx2]
        .map(|backend| (format!("{backend}, emulated"), emulate(backend, kernel())));
    let lanes = Backend::available_for_fields()
        .filter_map(|backend| Some((backend.to_string(), run(backend, kernel())?)));
    emulated.into_iter().chain(lanes).chain(twin(kernel())).collect()
}

/// The result with the instructions of AVX-IFMA in the encoding of AVX-512VL.
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
fn twin<K: Kernel>(kernel: K) -> Option<(String, K::Output)> {
    Some(("avxifma in its other encoding".to_string(), avx_ifma::twin(kernel)?))
}

/// Other architectures have none.
#[cfg(not(all(target_arch = "x86_64", not(feature = "pure"))))]
fn twin<K: Kernel>(_: K) -> Option<(String, K::Output)> {
    None
}

/// Returns the kernel's result, after a check that all backends and emulations agree.
pub(super) fn everywhere<K: Kernel<Output: PartialEq + std::fmt::Debug>>(
    kernel: impl Fn() -> K,
) -> K::Output {
    let mut results = results(kernel).into_iter();
    let (_, answer) = results.next().unwrap();
    for (backend, result) in results {
        assert_eq!(result, answer, "{backend}");
    }
    answer
}

pub(super) fn integer(limbs: &Limbs) -> BigUint {
    limbs.iter().rev().fold(BigUint::ZERO, |sum, limb| (sum << 52) + limb)
}

fn modulus<M: Modulus>() -> BigUint {
    M::VALUE.iter().rev().fold(BigUint::ZERO, |sum, limb| (sum << 64) + limb)
}

fn below_2_256(value: &BigUint) -> [u64; 4] {
    let mut limbs = [0; 4];
    for (limb, digit) in limbs.iter_mut().zip(value.iter_u64_digits()) {
        *limb = digit;
    }
    limbs
}

/// Any five limbs; all zeros and all ones are frequent.
fn element() -> impl Strategy<Value = Limbs> {
    let limb = prop_oneof![
        4 => 0..=LIMB_MASK,
        1 => Just(0),
        1 => Just(1),
        2 => Just(LIMB_MASK),
        1 => Just(1 << 51),
        1 => Just(LIMB_MASK - (1 << 32)),
    ];
    prop_oneof![
        8 => prop::array::uniform5(limb),
        1 => Just([LIMB_MASK; LIMBS]),
        1 => Just(Bls12381Scalar::LIMBS_52),
        1 => Just(StarkPrime::LIMBS_52),
        1 => Just([0; LIMBS]),
    ]
}

pub(super) fn elements() -> impl Strategy<Value = Elements> {
    prop::array::uniform8(element())
}

fn check_products<M: LaneModulus>(step: Step, a: Elements, b: Elements) {
    let kernel = || Products::<M> { step, a, b, modulus: std::marker::PhantomData };
    check_reduced::<M>(step, a, b, everywhere(kernel));
}

fn check_quick_products(step: Step, a: Elements, b: Elements) {
    let results = everywhere(|| QuickProducts { step, a, b });
    check_reduced::<Bls12381Scalar>(step, a, b, results);
}

fn check_reduced<M: LaneModulus>(step: Step, a: Elements, b: Elements, results: Elements) {
    let p = modulus::<M>();
    for (lane, got) in results.iter().enumerate() {
        let (x, y, first) = (integer(&a[lane]), integer(&b[lane]), integer(&b[0]));
        let (product, added) = match step {
            Step::Multiply => (x * y, BigUint::ZERO),
            Step::Constant => (x * first, BigUint::ZERO),
            Step::Square => (x.pow(2), BigUint::ZERO),
            Step::Sum(products) => (x * y * products, integer(&a[0])),
        };
        let got = integer(got);
        assert_eq!(((&got + &p * 4096u32 - &added) << 260u32) % &p, &product % &p, "{step:?}");
        assert!(got <= (product >> 260u32) + &p + added, "{step:?}: {got:x}");
    }
}

fn check_round_trip<M: LaneModulus>(values: [Limbs; LANES]) {
    let p = modulus::<M>();
    let fields: [Field<M>; LANES] = values
        .map(|value| Field::from_canonical_limbs(below_2_256(&(integer(&value) % &p))).unwrap());
    assert_eq!(everywhere(|| RoundTrip(fields)), fields);
    let below_4p = values.map(|value| integer(&value) % (&p * 4u32));
    let limbs = below_4p.clone().map(|value| {
        std::array::from_fn(|limb| {
            let digit = (&value >> (52 * limb)) & BigUint::from(LIMB_MASK);
            digit.try_into().unwrap()
        })
    });
    for (field, value) in
        everywhere(|| Canonical::<M>(limbs, std::marker::PhantomData)).iter().zip(below_4p)
    {
        assert_eq!(field.montgomery_limbs(), below_2_256(&(value % &p)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn products_agree_with_integers(a in elements(), b in elements(), products in 1..=200u64) {
        for step in [Step::Multiply, Step::Square, Step::Constant, Step::Sum(products)] {
            check_products::<Bls12381Scalar>(step, a, b);
            check_products::<StarkPrime>(step, a, b);
            check_quick_products(step, a, b);
        }
    }

    #[test]
    fn products_of_pallas_agree_with_integers(
        a in elements(),
        b in elements(),
        products in 1..=200u64,
    ) {
        for step in [Step::Multiply, Step::Square, Step::Constant, Step::Sum(products)] {
            check_products::<PallasBase>(step, a, b);
        }
    }

    #[test]
    fn products_of_vesta_agree_with_integers(
        a in elements(),
        b in elements(),
        products in 1..=200u64,
    ) {
        for step in [Step::Multiply, Step::Square, Step::Constant, Step::Sum(products)] {
            check_products::<VestaBase>(step, a, b);
        }
    }

    #[test]
    fn products_of_bn254_agree_with_integers(
        a in elements(),
        b in elements(),
        products in 1..=200u64,
    ) {
        for step in [Step::Multiply, Step::Square, Step::Constant, Step::Sum(products)] {
            check_products::<Bn254Scalar>(step, a, b);
        }
    }

    #[test]
    fn reduced_sums_are_congruent_and_small(
        columns in prop::array::uniform8(prop::array::uniform5(-(1i64 << 61)..1 << 61)),
        top in 1i64..1 << 58,
    ) {
        let columns = columns.map(|[a, b, c, d, e]| [a, b, c, d, (e & ((1 << 58) - 1)) | 1 << 12]);
        check_below::<Bn254Scalar>(columns);
        check_below::<Bls12381Scalar>(columns);
        check_below::<PallasBase>(columns);
        check_below::<VestaBase>(columns);
        check_below::<Bn254Scalar>([[0, 0, 0, 0, top]; LANES]);
    }

    #[test]
    fn elements_go_in_and_out(values in elements()) {
        check_round_trip::<Bls12381Scalar>(values);
        check_round_trip::<StarkPrime>(values);
        check_round_trip::<PallasBase>(values);
        check_round_trip::<VestaBase>(values);
        check_round_trip::<Bn254Scalar>(values);
    }

    #[test]
    fn folded_columns_are_congruent_and_small(
        columns in prop::array::uniform8(prop::array::uniform5(-(1i64 << 62)..1 << 62)),
    ) {
        check_fold(columns);
    }
}

fn check_below<M: LaneModulus>(columns: [[i64; LIMBS]; LANES]) {
    let p = modulus::<M>();
    let offset = &p << 40u32; // makes all numbers positive
    let results = everywhere(|| Below::<M>(columns, std::marker::PhantomData));
    for (got, columns) in results.iter().zip(columns) {
        let value = signed(&offset, columns);
        let got = integer(got);
        assert_eq!(&got % &p, value % &p);
        assert!(got < &p * 11u32 / 10u32, "{got:x}");
    }
}

/// Returns the number of these columns plus an offset.
fn signed(offset: &BigUint, columns: [i64; LIMBS]) -> BigUint {
    let mut sum = offset.clone();
    for (place, column) in columns.into_iter().enumerate() {
        let magnitude = BigUint::from(column.unsigned_abs()) << (52 * place);
        if column < 0 {
            sum -= magnitude
        } else {
            sum += magnitude
        }
    }
    sum
}

fn check_fold(columns: [[i64; LIMBS]; LANES]) {
    let p = modulus::<StarkPrime>();
    let offset = &p << 40u32; // makes all numbers positive
    for (got, columns) in everywhere(|| Fold(columns)).iter().zip(columns) {
        let expected = signed(&offset, columns);
        let got = integer(got);
        assert_eq!(&got % &p, expected % &p);
        assert!(got < &p * 201u32 / 100u32, "{got:x}");
    }
}

#[test]
fn the_largest_and_the_smallest_of_everything() {
    let ones = [[LIMB_MASK; LIMBS]; LANES];
    for products in [1, 2, 7, 73, 200] {
        check_products::<Bls12381Scalar>(Step::Sum(products), ones, ones);
        check_quick_products(Step::Sum(products), ones, ones);
        check_products::<StarkPrime>(Step::Sum(products), ones, ones);
    }
    for step in [Step::Multiply, Step::Square, Step::Constant] {
        for b in [ones, [[0; LIMBS]; LANES]] {
            check_products::<Bls12381Scalar>(step, ones, b);
            check_products::<StarkPrime>(step, ones, b);
        }
    }
    let largest = (1 << 62) - 1;
    for column in [0, 1, -1, largest, -largest, 1 << 51, -(1 << 51)] {
        check_fold([[column; LIMBS]; LANES]);
        check_fold([[column, -column, column, -column, column]; LANES]);
    }
    let edges =
        [Fr::ZERO, Fr::ONE, -Fr::ONE, -Fr::from(2), Fr::from(3), Fr::ONE, Fr::ZERO, -Fr::ONE];
    assert_eq!(everywhere(|| RoundTrip(edges)), edges);
    let edges = edges.map(|edge| if edge == -Fr::ONE { -Felt::ONE } else { Felt::from(7) });
    assert_eq!(everywhere(|| RoundTrip(edges)), edges);
}

/// Checks the largest sums and products of a modulus.
fn check_extremes<M: LaneModulus>() {
    let ones = [[LIMB_MASK; LIMBS]; LANES];
    for products in [1, 2, 7, 73, 200] {
        check_products::<M>(Step::Sum(products), ones, ones);
    }
    for step in [Step::Multiply, Step::Square, Step::Constant] {
        for b in [ones, [[0; LIMBS]; LANES]] {
            check_products::<M>(step, ones, b);
        }
    }
}

#[test]
fn the_largest_and_the_smallest_of_pallas() {
    check_extremes::<PallasBase>();
}

#[test]
fn the_largest_and_the_smallest_of_vesta() {
    check_extremes::<VestaBase>();
}

#[test]
fn the_largest_and_the_smallest_of_bn254() {
    check_extremes::<Bn254Scalar>();
}

#[test]
fn reduced_sums_at_their_bounds() {
    // 2¹²·p is at least 2²⁶⁵, and the last limb has the weight 2²⁰⁸.
    for top in [0, 1, 1 << 46, (1 << 57) - 1] {
        check_below::<Bn254Scalar>([[0, 0, 0, 0, top]; LANES]);
        let ones = LIMB_MASK as i64;
        check_below::<Bls12381Scalar>([[ones, ones, ones, ones, top]; LANES]);
    }
}

#[test]
fn rows_become_lanes() {
    let rows: [[u64; LANES]; LANES] = std::array::from_fn(|row| {
        std::array::from_fn(|number| {
            (row as u64 * 8 + number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    });
    let registers = everywhere(|| Rows(rows));
    for (number, register) in registers.iter().enumerate() {
        assert_eq!(*register, rows.map(|row| row[number]), "number {number}");
    }
}

/// Moves values between lanes.
struct Moves([u64; LANES], [u64; LANES]);

impl Kernel for Moves {
    type Output = [[u64; LANES]; 4];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let (a, b) = (L::load(&self.0), L::load(&self.1));
        [
            a.permuted::<0x0123_4567>().store(),
            a.permuted::<0x7003_1266>().store(),
            a.with_lanes::<0b1010_0110>(b).store(),
            a.broadcast(5).store(),
        ]
    }
}

#[test]
fn values_move_between_lanes() {
    let a: [u64; LANES] = std::array::from_fn(|lane| u64::MAX - lane as u64);
    let b: [u64; LANES] = std::array::from_fn(|lane| (lane as u64) << 52);
    let [same, moved, mixed, spread] = everywhere(|| Moves(a, b));
    assert_eq!(same, a);
    assert_eq!(moved, [7, 0, 0, 3, 1, 2, 6, 6].map(|lane: usize| a[lane]));
    assert_eq!(mixed, [a[0], b[1], b[2], a[3], a[4], b[5], a[6], b[7]]);
    assert_eq!(spread, [a[5]; LANES]);
}

/// The first quotient is 2⁵¹, and half of its product by p₀ is a tie of the rounding.
#[test]
fn a_tie_of_the_rounding_is_reduced_right() {
    let mut a = [[0; LIMBS]; LANES];
    let mut b = [[1, 0, 0, 0, 0]; LANES];
    for lane in 0..LANES {
        a[lane][0] = 1 << 51;
        // Other limbs follow, in half of the lanes as a tie as well.
        a[lane][1] = (lane as u64 % 2) << 51;
        b[lane][3] = lane as u64 / 4;
    }
    for step in [Step::Multiply, Step::Square, Step::Sum(3), Step::Constant] {
        check_products::<Bls12381Scalar>(step, a, b);
        check_products::<Bn254Scalar>(step, a, b);
        check_products::<PallasBase>(step, a, b);
        check_products::<VestaBase>(step, a, b);
        check_products::<StarkPrime>(step, a, b);
        check_quick_products(step, a, b);
    }
}

#[test]
fn a_backend_without_lanes_runs_nothing() {
    for backend in [Backend::Portable, Backend::Sse41, Backend::Neon] {
        assert!(!available(backend));
        assert_eq!(run(backend, RoundTrip([Fr::ONE; LANES])), None);
    }
}
