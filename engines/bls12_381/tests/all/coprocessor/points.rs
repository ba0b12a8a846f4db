// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares points in programs with the manual's formulas on the fields of arkworks.

use ark_bls12_381::{Fq, Fq2};
use ark_ff::{AdditiveGroup, Field};
use halimede_bls12_381::coprocessor::isa::Kind;
use halimede_bls12_381::coprocessor::{Machine, Number};
use halimede_bls12_381::{Curve, CurvePoint, Fr, Point, G1, G2};

use super::{data, fq_of, numbers_of, random_field, run, slots_of};
use crate::common::{generator, random_scalar, stray_point};

/// A curve, with the peer's field of its coordinates.
trait Peer: Curve {
    type Field: Field<BasePrimeField = Fq>;
    const AFFINE: Kind;
    const JACOBIAN: Kind;
}

impl Peer for G1 {
    type Field = Fq;
    const AFFINE: Kind = Kind::FpAf;
    const JACOBIAN: Kind = Kind::FpJb;
}

impl Peer for G2 {
    type Field = Fq2;
    const AFFINE: Kind = Kind::Fp2Af;
    const JACOBIAN: Kind = Kind::Fp2Jb;
}

/// Returns x and y of a finite point.
fn affine<C: Peer>(point: &CurvePoint<C>) -> [C::Field; 2] {
    let bytes = point.to_uncompressed();
    let number = |bytes: &[u8]| fq_of(&Number::from_be_bytes(bytes.try_into().unwrap()).unwrap());
    // The encoding has the coefficient of u first.
    let part = |bytes: &[u8]| {
        C::Field::from_base_prime_field_elems(bytes.chunks_exact(48).rev().map(number)).unwrap()
    };
    let (x, y) = bytes.split_at(48 * C::DEGREE);
    [part(x), part(y)]
}

fn numbers<F: Field<BasePrimeField = Fq>>(elements: &[F]) -> Vec<Number> {
    elements.iter().flat_map(numbers_of).collect()
}

/// Returns the same point with another Z.
fn scaled<F: Field>([x, y]: [F; 2], z: F) -> [F; 3] {
    [x * z.square(), y * z.square() * z, z]
}

/// The manual's formulas for the sum of two distinct points.
fn added<F: Field>([x1, y1, z1]: [F; 3], [x2, y2, z2]: [F; 3]) -> [F; 3] {
    let (u1, u2) = (x1 * z2.square(), x2 * z1.square());
    let (s1, s2) = (y1 * z2.square() * z2, y2 * z1.square() * z1);
    let (h, r) = (u2 - u1, s2 - s1);
    let x3 = r.square() - h.square() * (u1 + u2);
    [x3, r * (h.square() * u1 - x3) - h.square() * h * s1, h * z1 * z2]
}

/// The manual's formulas for a double.
fn doubled<F: Field>([x, y, z]: [F; 3]) -> [F; 3] {
    let (e, d) = (x.square() + x.square().double(), (x * y.square()).double().double());
    let x3 = e.square() - d.double();
    [x3, e * (d - x3) - y.square().square().double().double().double(), (y * z).double()]
}

fn points_are_those_of_the_manual<C: Peer>() {
    let mut rng = generator();
    // Any points of the curve, not only those of the group.
    let (p, q) = (affine(&stray_point::<C>(&mut rng)), affine(&stray_point::<C>(&mut rng)));
    let z = || C::Field::from(rand::random::<u64>() | 1);
    let one = C::Field::ONE;
    let (p3, q3) = (scaled(p, z()), scaled(q, z()));
    let with_one = |[x, y]: [C::Field; 2]| [x, y, one];
    let opposite = [p3[0], -p3[1], p3[2]];
    let text = data(0, C::AFFINE, &numbers(&p))
        + &data(10, C::AFFINE, &numbers(&q))
        + &data(20, C::JACOBIAN, &numbers(&p3))
        + &data(30, C::JACOBIAN, &numbers(&q3))
        + &data(40, C::JACOBIAN, &numbers(&opposite))
        + &format!(
            ".data 50 {} infinity\n.data 60 {} infinity\n",
            C::AFFINE.name(),
            C::JACOBIAN.name()
        );
    let sum = |a: u16, b: u16| format!("POINT_ADD {a}, {b}, 100\nSEND_INTERRUPT 100, 0\n");
    let double = |a: u16| format!("POINT_DOUBLE {a}, 100\nSEND_INTERRUPT 100, 0\n");
    let cases = [
        (sum(0, 10), added(with_one(p), with_one(q))),
        (sum(0, 30), added(with_one(p), q3)),
        (sum(20, 10), added(p3, with_one(q))),
        (sum(20, 30), added(p3, q3)),
        (sum(20, 0), doubled(p3)),
        (sum(0, 20), doubled(with_one(p))),
        (sum(20, 40), [one, one, C::Field::ZERO]),
        (sum(20, 50), p3),
        (sum(60, 20), p3),
        (sum(50, 10), with_one(q)),
        (sum(50, 60), [one, one, C::Field::ZERO]),
        (double(20), doubled(p3)),
        (double(60), [one, one, C::Field::ZERO]),
        ("NEG_ELEMENT 20, 100\nSEND_INTERRUPT 100, 0\n".into(), opposite),
    ];
    let body: String = cases.iter().map(|(body, _)| body.as_str()).collect();
    let (_, interrupts) = run(&(text.clone() + &body));
    assert_eq!(interrupts.len(), cases.len(), "{interrupts:?}");
    for (interrupt, (body, expected)) in interrupts.iter().zip(cases) {
        let slots = slots_of(interrupt);
        assert!(slots.iter().all(|slot| slot.kind == C::JACOBIAN));
        let sent: Vec<Number> = slots.iter().map(|slot| slot.number).collect();
        assert_eq!(sent, numbers(&expected), "{} {body}", C::NAME);
    }
    let questions = [
        ("IS_EQUAL 0, 20, 200", 1),
        ("IS_EQUAL 20, 0, 200", 1),
        ("IS_EQUAL 20, 30, 200", 0),
        ("IS_EQUAL 20, 40, 200", 0),
        ("IS_EQUAL 50, 60, 200", 1),
        ("IS_EQUAL 0, 50, 200", 0),
        ("CHECK_CURVE 0, 200", 1),
        ("CHECK_CURVE 60, 200", 1),
        ("CHECK_SUBGROUP 20, 200", 0),
        ("CHECK_SUBGROUP 50, 200", 1),
        ("CHECK_SUBGROUP 60, 200", 1),
        ("POINT_AFFINE 20, 100\nIS_EQUAL 100, 0, 200", 1),
        ("POINT_AFFINE 60, 100\nIS_EQUAL 100, 50, 200", 1),
    ];
    for (question, answer) in questions {
        let (machine, interrupts) = run(&(text.clone() + question));
        assert_eq!(interrupts, []);
        assert_eq!(scalar(&machine), answer, "{} {question}", C::NAME);
    }
}

/// Returns the scalar in slot 200.
fn scalar(machine: &Machine) -> u64 {
    let slot = machine.contexts()[0].slots()[200];
    assert_eq!(slot.kind, Kind::Scalar);
    u64::from_le_bytes(slot.number.to_le_bytes()[..8].try_into().unwrap())
}

#[test]
fn points_of_both_curves_are_those_of_the_manual() {
    points_are_those_of_the_manual::<G1>();
    points_are_those_of_the_manual::<G2>();
}

fn multiples_are_right<C: Peer>() {
    let mut rng = generator();
    let scalar = random_scalar(&mut rng);
    let bytes = |scalar: &Fr| {
        let mut bytes = [0; 48];
        bytes[..32].copy_from_slice(&scalar.to_le_bytes());
        Number::from_le_bytes(bytes).unwrap()
    };
    let r_minus_1 = bytes(&-Fr::from(1));
    let generator_point = Point::<C>::generator();
    let multiple = |number: &Number, kind: Kind, point: &str| {
        let text = data(0, Kind::Scalar, &[*number])
            + &format!(
                ".data 1 {} {point}\nPOINT_MULT 0, 1, 100\nSEND_INTERRUPT 100, 0",
                kind.name()
            );
        let (_, interrupts) = run(&text);
        slots_of(&interrupts[0]).iter().map(|slot| slot.number).collect::<Vec<_>>()
    };
    let with_one = |point: &CurvePoint<C>| {
        let [x, y] = affine(point);
        numbers(&[x, y, C::Field::ONE])
    };
    for kind in [C::AFFINE, C::JACOBIAN] {
        let expected = with_one(&generator_point.times(&scalar));
        assert_eq!(multiple(&bytes(&scalar), kind, "generator"), expected);
    }
    let opposite = with_one(&generator_point.negated());
    assert_eq!(multiple(&r_minus_1, C::AFFINE, "generator"), opposite);
    let infinity = numbers(&[C::Field::ONE, C::Field::ONE, C::Field::ZERO]);
    assert_eq!(multiple(&Number::default(), C::AFFINE, "generator"), infinity);
    assert_eq!(multiple(&Number::from(5), C::JACOBIAN, "infinity"), infinity);
    // Outside the group, with a number above r: 2^256 P by 256 additions.
    let stray = stray_point::<C>(&mut rng);
    let power = (0..256).fold(stray, |sum, _| sum.plus(&sum));
    let number = Number::parse(&format!("0x1{}", "0".repeat(64))).unwrap();
    let words: Vec<String> = numbers(&affine(&stray)).iter().map(Number::to_string).collect();
    assert_eq!(multiple(&number, C::AFFINE, &words.join(" ")), with_one(&power));
}

#[test]
fn multiples_of_any_point_by_any_number_are_right() {
    multiples_are_right::<G1>();
    multiples_are_right::<G2>();
}

#[test]
fn points_off_the_curve_are_told_apart() {
    let mut rng = generator();
    let [x, y]: [Fq2; 2] = [(); 2].map(|()| random_field(&mut rng));
    let text = data(0, Kind::Fp2Af, &numbers(&[x, y + Fq2::from(3u64)])) + "CHECK_CURVE 0, 200";
    assert_eq!(scalar(&run(&text).0), 0);
    let text = data(0, Kind::FpJb, &[1, 2, 3].map(Number::from)) + "CHECK_SUBGROUP 0, 200";
    assert_eq!(scalar(&run(&text).0), 0);
    let text = ".data 0 FP2_AF generator\nCHECK_SUBGROUP 0, 200";
    assert_eq!(scalar(&run(text).0), 1);
}
