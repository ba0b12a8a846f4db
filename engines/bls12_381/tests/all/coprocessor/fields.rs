// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares field arithmetic in programs with that of arkworks.

use ark_bls12_381::{Fq, Fq12, Fq2, Fq6};
use ark_ff::Field;
use halimede_bls12_381::coprocessor::isa::Kind;
use halimede_bls12_381::coprocessor::Number;
use rand::{Rng, RngCore};

use super::{data, numbers_of, random_field, run, slots_of};
use crate::common::{generator, random_bytes};

/// Returns a random number of 381 bits, or a small one.
fn random_number(rng: &mut impl RngCore) -> Number {
    let mut bytes = random_bytes::<48>(rng);
    bytes[47] &= 0x1f;
    match rng.gen_range(0..3) {
        0 => Number::from(rng.gen_range(0..4)),
        _ => Number::from_le_bytes(bytes).unwrap(),
    }
}

fn words(number: &Number) -> Vec<u64> {
    number.to_le_bytes().as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

fn operations_are_those_of_the_peer<F: Field<BasePrimeField = Fq>>(kind: Kind) {
    let mut rng = generator();
    let [a, b]: [F; 2] = [(); 2].map(|()| random_field(&mut rng));
    let (exponent, power) = (random_number(&mut rng), rng.gen_range(0..12));
    let unit = F::one() + F::one();
    let invertible = if a.is_zero() { unit } else { a };
    let text = data(0, kind, &numbers_of(&a))
        + &data(20, kind, &numbers_of(&b))
        + &data(40, kind, &numbers_of(&invertible))
        + &data(60, Kind::Scalar, &[exponent])
        + &format!(
            "ADD_ELEMENT 0, 20, 100\nSEND_INTERRUPT 100, 0
             SUB_ELEMENT 0, 20, 100\nSEND_INTERRUPT 100, 1
             MUL_ELEMENT 0, 20, 100\nSEND_INTERRUPT 100, 2
             INV_ELEMENT 40, 100\nSEND_INTERRUPT 100, 3
             NEG_ELEMENT 0, 100\nSEND_INTERRUPT 100, 4
             SQR_ELEMENT 0, 100\nSEND_INTERRUPT 100, 5
             EXP_ELEMENT 0, 60, 100\nSEND_INTERRUPT 100, 6
             FROBENIUS 0, {power}, 100\nSEND_INTERRUPT 100, 7
             COPY_ELEMENT 0, 3\nMUL_ELEMENT 3, 3, 3\nSEND_INTERRUPT 3, 8"
        );
    let expected = [
        a + b,
        a - b,
        a * b,
        invertible.inverse().unwrap(),
        -a,
        a.square(),
        a.pow(words(&exponent)),
        a.frobenius_map(power),
        a.square(),
    ];
    let (_, interrupts) = run(&text);
    assert_eq!(interrupts.len(), expected.len(), "{kind:?}: {interrupts:?}");
    for (interrupt, expected) in interrupts.iter().zip(expected) {
        let slots = slots_of(interrupt);
        assert!(slots.iter().all(|slot| slot.kind == kind));
        let numbers: Vec<Number> = slots.iter().map(|slot| slot.number).collect();
        assert_eq!(numbers, numbers_of(&expected), "{kind:?} {:?}", interrupt.message);
    }
}

#[test]
fn operations_on_every_field_are_those_of_arkworks() {
    for _ in 0..8 {
        operations_are_those_of_the_peer::<Fq>(Kind::Fe);
        operations_are_those_of_the_peer::<Fq2>(Kind::Fe2);
        operations_are_those_of_the_peer::<Fq6>(Kind::Fe6);
        operations_are_those_of_the_peer::<Fq12>(Kind::Fe12);
    }
}

#[test]
fn inverses_of_a_batch_may_lie_on_its_numbers() {
    let mut rng = generator();
    let numbers: Vec<Fq2> = (0..5)
        .map(|_| random_field::<Fq2>(&mut rng))
        .map(|number| if number == Fq2::from(0u64) { Fq2::from(7u64) } else { number })
        .collect();
    let mut text = String::new();
    for (place, number) in numbers.iter().enumerate() {
        text += &data(2 * place, Kind::Fe2, &numbers_of(number));
    }
    text += "INV_BATCH 0, 5, 3\n";
    let (machine, interrupts) = run(&text);
    assert!(interrupts.is_empty());
    for (place, number) in numbers.iter().enumerate() {
        let slots = &machine.contexts()[0].slots()[3 + 2 * place..][..2];
        let numbers: Vec<Number> = slots.iter().map(|slot| slot.number).collect();
        assert_eq!(numbers, numbers_of(&number.inverse().unwrap()));
    }
}

#[test]
fn elements_are_compared() {
    let text = "
        .data 0 FE2 5 6
        .data 2 FE2 5 6
        .data 4 FE2 5 7
        .data 6 SCALAR 9
        .data 7 SCALAR 9
        .data 8 SCALAR 8
        IS_EQUAL 0, 2, 10
        IS_EQUAL 0, 4, 11
        IS_EQUAL 6, 7, 12
        IS_EQUAL 6, 8, 13";
    let (machine, _) = run(text);
    let answers = machine.contexts()[0].slots()[10..14].iter().map(|slot| slot.number);
    assert_eq!(answers.collect::<Vec<_>>(), [1, 0, 1, 0].map(Number::from));
}
