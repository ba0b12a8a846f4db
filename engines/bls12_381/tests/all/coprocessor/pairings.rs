// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares pairings in programs with those of blst.

use ark_bls12_381::{Fq, Fq12, Fq2, Fq6};
use ark_ff::{AdditiveGroup, Field};
use halimede_bls12_381::coprocessor::isa::Kind;
use halimede_bls12_381::coprocessor::{assemble, Machine, Number};
use halimede_bls12_381::pairing::pairing_product;
use halimede_bls12_381::{Curve, Fr, Point, G1, G2};

use super::{data, fe12_of, numbers_of, random_fq, run, sent_bytes, slots_of, xi, LIMIT};
use crate::common::{generator, random_point, random_scalar};

const TWO_PAIRINGS: &str = include_str!("../../../coprocessor/examples/two_pairings.s");
const MULTI_PAIRING: &str = include_str!("../../../coprocessor/examples/multi_pairing.s");

/// The positions of the slots' elements in blst's big-endian encoding.
const ORDER: [usize; 12] = [0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11];

/// Returns the affine coordinates of a point, in the order of slots.
fn coordinates<C: Curve>(point: &Point<C>) -> Vec<Number> {
    let bytes = point.to_uncompressed();
    let parts = bytes.chunks_exact(48 * C::DEGREE);
    // The encoding has the coefficient of u first.
    parts
        .flat_map(|part| part.chunks_exact(48).rev())
        .map(|bytes| Number::from_be_bytes(bytes.try_into().unwrap()).unwrap())
        .collect()
}

fn pair_data(place: usize, p: &Point<G1>, q: &Point<G2>) -> String {
    let (kind_p, kind_q) = (Kind::FpAf, Kind::Fp2Af);
    data(place, kind_p, &coordinates(p)) + &data(place + 2, kind_q, &coordinates(q))
}

#[test]
fn the_pairing_of_the_generators_is_blsts() {
    // SAFETY: the library points to constants that live forever.
    let (p, q) = unsafe { (*blst::blst_p1_affine_generator(), *blst::blst_p2_affine_generator()) };
    let expected = blst::blst_fp12::miller_loop(&q, &p).final_exp().to_bendian();
    let data = ".data 0 FP_AF generator\n.data 2 FP2_AF generator\n";
    for body in [
        "ATE_PAIRING 0, 2, 6\nSEND_INTERRUPT 6, 0",
        "MILLER_LOOP 0, 2, 6\nFINAL_EXP 6, 20\nSEND_INTERRUPT 20, 0",
    ] {
        let sent = sent_bytes(&format!("{data}{body}"));
        for (slot, place) in sent.chunks_exact(48).zip(ORDER) {
            assert_eq!(slot, &expected[48 * place..48 * (place + 1)]);
        }
    }
}

#[test]
fn the_published_sample_runs_unchanged() {
    let mut machine = Machine::published();
    let program = assemble(TWO_PAIRINGS).unwrap().program;
    machine.context_mut(0).unwrap().load(&program);
    let interrupts = machine.run(LIMIT, &mut |_, _, _| ());
    assert_eq!(interrupts.len(), 1);
    let frame = interrupts[0].to_bytes();
    assert_eq!(frame.len(), 16 + 12 * 48);
    assert_eq!(frame[..8], [0x50, 2, 0, 0, 0, 2, 0, 0x80]);
    assert_eq!(frame[8..16], [0xc8, 1, 0, 0, 3, 0, 0, 0]);
    let pair = (Point::<G1>::generator(), Point::<G2>::generator());
    let expected = pairing_product(&[pair, pair]);
    for (slot, expected) in frame[16..].chunks_exact(48).zip(expected.chunks_exact(48)) {
        assert!(slot.iter().rev().eq(expected));
    }
    // Two loops, a final exponentiation, and two instructions without a published figure.
    let (retired, clocks) = machine.contexts()[0].retired();
    assert_eq!((retired, clocks.clocks, clocks.others), (5, 2 * 38_844 + 87_800, 2));
}

#[test]
fn the_pairing_is_bilinear() {
    let mut rng = generator();
    let (a, b) = (random_scalar(&mut rng), random_scalar(&mut rng));
    let scalar = |scalar: &Fr| {
        Number::from_le_bytes({
            let mut bytes = [0; 48];
            bytes[..32].copy_from_slice(&scalar.to_le_bytes());
            bytes
        })
    };
    let text = data(0, Kind::Scalar, &[scalar(&a).unwrap()])
        + &data(1, Kind::Scalar, &[scalar(&b).unwrap()])
        + &pair_data(2, &Point::generator(), &Point::generator())
        + "POINT_MULT 0, 2, 10
           POINT_AFFINE 10, 10
           POINT_MULT 1, 4, 20
           POINT_AFFINE 20, 20
           ATE_PAIRING 10, 20, 30      ; e(aP, bQ)
           ATE_PAIRING 2, 4, 50
           EXP_ELEMENT 50, 0, 50
           EXP_ELEMENT 50, 1, 50       ; e(P, Q)^(ab)
           IS_EQUAL 30, 50, 100
           SEND_INTERRUPT 100, 1
           SEND_INTERRUPT 30, 2";
    let (_, interrupts) = run(&text);
    assert_eq!(slots_of(&interrupts[0])[0].number, Number::from(1));
    let pair = (Point::generator().times(&a), Point::generator().times(&b));
    let sent: Vec<u8> =
        slots_of(&interrupts[1]).iter().flat_map(|slot| slot.number.to_be_bytes()).collect();
    assert_eq!(sent, pairing_product(&[pair]));
}

#[test]
fn a_multi_pairing_is_the_product() {
    let mut rng = generator();
    for count in [1, 2, 5] {
        let mut pairs: Vec<(Point<G1>, Point<G2>)> =
            (0..count).map(|_| (random_point(&mut rng), random_point(&mut rng))).collect();
        if count == 5 {
            pairs[1].0 = Point::default();
            pairs[3].1 = Point::default();
        }
        let mut text = String::from(".data 100 FE12 one\n");
        for (number, (p, q)) in pairs.iter().enumerate() {
            // The encoding of infinity has a flag.
            let [p_numbers, q_numbers] = [coordinates_or_zero(p), coordinates_or_zero(q)];
            text += &(data(6 * number, Kind::FpAf, &p_numbers)
                + &data(6 * number + 2, Kind::Fp2Af, &q_numbers));
        }
        text += &format!("MULTI_MILLER 0, {count}, 100\nFINAL_EXP 100, 100\nSEND_INTERRUPT 100, 0");
        assert_eq!(sent_bytes(&text), pairing_product(&pairs), "{count}");
    }
    assert_eq!(sent_bytes(MULTI_PAIRING)[47], 1);
}

fn coordinates_or_zero<C: Curve>(point: &Point<C>) -> Vec<Number> {
    match point.is_infinity() {
        true => vec![Number::default(); 2 * C::DEGREE],
        false => coordinates(point),
    }
}

#[test]
fn opposite_pairings_cancel() {
    let mut rng = generator();
    let (p, q) = (random_point(&mut rng), random_point(&mut rng));
    let text = pair_data(0, &p, &q)
        + "NEG_ELEMENT 0, 6
           ATE_PAIRING 0, 2, 20
           ATE_PAIRING 6, 2, 40
           MUL_ELEMENT 20, 40, 20
           SEND_INTERRUPT 20, 0";
    let (_, interrupts) = run(&text);
    assert_eq!(fe12_of(slots_of(&interrupts[0])), Fq12::ONE);
}

/// The manual's formulas, step by step, on the fields of another library.
fn miller_loop_of_the_manual(p: [Fq; 2], q: [Fq2; 2]) -> Fq12 {
    let line = |c0: Fq2, c1: Fq2, c2: Fq2| {
        let [x, y] = p.map(|coordinate| Fq2::new(coordinate, Fq::from(0u64)));
        let zero = Fq2::ZERO;
        Fq12::new(Fq6::new(c0, c1 * x, zero), Fq6::new(zero, -c2 * y, zero))
    };
    let small = |number: u64| Fq2::from(number);
    let [x_q, y_q] = q;
    let (mut x, mut y, mut z) = (x_q, y_q, Fq2::ONE);
    let mut f = Fq12::ONE;
    for bit in (0..63).rev() {
        let (b, c) = (y * y, z * z);
        let (e, h) = (small(12) * xi() * c, small(2) * y * z);
        let tangent = line(e - b, small(3) * x * x, h);
        let f3 = small(3) * e;
        (x, y, z) = (
            small(2) * x * y * (b - f3),
            (b + f3) * (b + f3) - small(12) * e * e,
            small(4) * b * h,
        );
        f = f * f * tangent;
        if 0xd201_0000_0001_0000u64 >> bit & 1 == 1 {
            let (theta, lambda) = (y - y_q * z, x - x_q * z);
            let e = lambda * lambda * lambda;
            let g = x * lambda * lambda;
            let h = e + z * theta * theta - small(2) * g;
            (x, y, z) = (lambda * h, theta * (g - h) - e * y, z * e);
            f *= line(lambda * y_q - theta * x_q, theta, lambda);
        }
    }
    f.conjugate_in_place();
    f
}

#[test]
fn miller_loops_are_those_of_the_manual() {
    let mut rng = generator();
    let (p, q) = (random_point::<G1>(&mut rng), random_point::<G2>(&mut rng));
    let text = pair_data(0, &p, &q) + "MILLER_LOOP 0, 2, 6\nSEND_INTERRUPT 6, 0";
    let (_, interrupts) = run(&text);
    let fq = |numbers: &[Number]| -> Vec<Fq> { numbers.iter().map(super::fq_of).collect() };
    let (p, q) = (fq(&coordinates(&p)), fq(&coordinates(&q)));
    let q = [Fq2::new(q[0], q[1]), Fq2::new(q[2], q[3])];
    let expected = miller_loop_of_the_manual([p[0], p[1]], q);
    assert_eq!(fe12_of(slots_of(&interrupts[0])), expected);
    // The previous value of the product remains a factor.
    let factor = Fq12::from_base_prime_field_elems((0..12).map(|_| random_fq(&mut rng))).unwrap();
    let text = data(0, Kind::FpAf, &[super::number_of(&p[0]), super::number_of(&p[1])])
        + &data(2, Kind::Fp2Af, &[numbers_of(&q[0]), numbers_of(&q[1])].concat())
        + &data(6, Kind::Fe12, &numbers_of(&factor))
        + "MULTI_MILLER 0, 1, 6\nSEND_INTERRUPT 6, 0";
    let (_, interrupts) = run(&text);
    assert_eq!(fe12_of(slots_of(&interrupts[0])), factor * expected);
}
