// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The coprocessor's simulator, assembler and window.

mod fields;
mod machine;
mod pairings;
mod points;
mod random_programs;
mod stops;
mod text;
mod window;

use ark_bls12_381::{Fq, Fq12, Fq2};
use ark_ff::{BigInteger, Field, PrimeField};
use halimede_bls12_381::coprocessor::isa::Kind;
use halimede_bls12_381::coprocessor::{assemble, Interrupt, Machine, Message, Number, Slot};
use rand::RngCore;

/// The maximum number of instructions of a context.
const LIMIT: u32 = 10_000;

fn loaded(text: &str) -> Machine {
    let mut machine = Machine::new(1);
    machine.context_mut(0).unwrap().load(&assemble(text).unwrap().program);
    machine
}

/// Returns a machine after a program, and the interrupts that it sent.
fn run(text: &str) -> (Machine, Vec<Interrupt>) {
    let mut machine = loaded(text);
    let interrupts = machine.run(LIMIT, &mut |_, _, _| ());
    (machine, interrupts)
}

/// Returns the slots of an interrupt with an element.
fn slots_of(interrupt: &Interrupt) -> &[Slot] {
    match &interrupt.message {
        Message::Element { slots, .. } => slots,
        Message::Stopped(error) => panic!("{error:?}"),
    }
}

/// Returns the numbers of the only interrupt, big-endian, concatenated.
fn sent_bytes(text: &str) -> Vec<u8> {
    let (_, interrupts) = run(text);
    assert_eq!(interrupts.len(), 1, "{interrupts:?}");
    slots_of(&interrupts[0]).iter().flat_map(|slot| slot.number.to_be_bytes()).collect()
}

fn number_of(element: &Fq) -> Number {
    let bytes = element.into_bigint().to_bytes_le();
    Number::from_le_bytes(bytes.try_into().unwrap()).unwrap()
}

fn fq_of(number: &Number) -> Fq {
    Fq::from_le_bytes_mod_order(&number.to_le_bytes())
}

/// Returns the coefficients of an element, in the order of slots.
fn numbers_of<F: Field<BasePrimeField = Fq>>(element: &F) -> Vec<Number> {
    element.to_base_prime_field_elements().map(|one| number_of(&one)).collect()
}

fn fe12_of(slots: &[Slot]) -> Fq12 {
    Fq12::from_base_prime_field_elems(slots.iter().map(|slot| fq_of(&slot.number))).unwrap()
}

/// Returns the `.data` line of an element.
fn data(place: usize, kind: Kind, numbers: &[Number]) -> String {
    let numbers: Vec<String> = numbers.iter().map(Number::to_string).collect();
    format!(".data {place} {} {}\n", kind.name(), numbers.join(" "))
}

/// Returns a random element, or an edge case.
fn random_fq(rng: &mut impl RngCore) -> Fq {
    match rng.next_u32() % 8 {
        0 => Fq::from(0u64),
        1 => Fq::from(1u64),
        2 => -Fq::from(1u64),
        _ => {
            let mut bytes = [0; 64];
            rng.fill_bytes(&mut bytes);
            Fq::from_le_bytes_mod_order(&bytes)
        }
    }
}

fn random_field<F: Field<BasePrimeField = Fq>>(rng: &mut impl RngCore) -> F {
    let count = F::extension_degree() as usize;
    F::from_base_prime_field_elems((0..count).map(|_| random_fq(rng))).unwrap()
}

/// ξ = 1 + u.
fn xi() -> Fq2 {
    Fq2::new(Fq::from(1u64), Fq::from(1u64))
}
