// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs of operations of the ring: all of them are replayed with other polynomials, and damaged
//! ones are rejected.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::sync::LazyLock;

use halimede_arith::EngineBackend;
use halimede_ckks::ring::{
    primes_below, Basis, Conversion, Finish, Flaw, Form, LaneBackend, Modulus, Named, Operation,
    Polynomial, Program, ProgramError, Repeated, Ring,
};
use proptest::prelude::*;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

const LOG_DEGREE: u32 = 6;
/// Values and coefficients that programs begin with.
const INPUTS: usize = 4;

static PRIMES: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let sizes = [(30, 7), (25, 3)];
    // As in parameters, for devices.
    let of = |(bits, count)| primes_below(1u32 << bits, 17).take(count);
    sizes.into_iter().flat_map(of).collect()
});

pub(super) fn ring(backend: LaneBackend) -> Ring {
    Ring::new(LOG_DEGREE, &PRIMES, backend).unwrap()
}

fn random(ring: &Ring, basis: &Basis, form: Form, rng: &mut ChaCha8Rng) -> Polynomial {
    let seed: u64 = rng.gen();
    ring.from_places(basis, form, |place, modulus, limb| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ u64::from(place));
        limb.fill_with(|| rng.gen_range(0..modulus.value()));
    })
}

/// Polynomials and factors.
pub(super) struct Inputs {
    /// Half values, half coefficients, modulo all primes.
    pub polynomials: Vec<Polynomial>,
    /// Some repeat themselves.
    pub factors: Vec<Repeated>,
}

pub(super) fn inputs(ring: &Ring, seed: u64) -> Inputs {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let form =
        |index: usize| if index.is_multiple_of(2) { Form::Values } else { Form::Coefficients };
    let all = ring.all();
    let polynomials = (0..INPUTS).map(|index| random(ring, &all, form(index), &mut rng)).collect();
    let factor = |run| ring.repeated(random(ring, &all, Form::Values, &mut rng), run);
    Inputs { polynomials, factors: [1, 2, 4, 64].map(factor).into_iter().collect() }
}

/// Returns a part of a basis, with at least one prime.
fn part(basis: &Basis, rng: &mut ChaCha8Rng) -> Basis {
    let count = rng.gen_range(1..=basis.len());
    Basis::new(basis.places().choose_multiple(rng, count).copied())
}

/// Returns a residue that depends on the prime.
fn number(seed: u32) -> impl Fn(Modulus) -> u32 + Sync + Copy {
    move |modulus| modulus.pow(modulus.reduce(u64::from(seed) + 3), 7)
}

/// Runs operations of each kind on random polynomials so far: `kinds` of them.
pub(super) fn program(ring: &Ring, inputs: &Inputs, seed: u64, kinds: usize) -> Vec<Polynomial> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut all = inputs.polynomials.clone();
    for _ in 0..kinds {
        let made = operation(ring, &all, &inputs.factors, &mut rng);
        all.extend(made);
    }
    let count = rng.gen_range(1..5);
    all.choose_multiple(&mut rng, count).cloned().collect()
}

fn operation(
    ring: &Ring,
    all: &[Polynomial],
    factors: &[Repeated],
    rng: &mut ChaCha8Rng,
) -> Vec<Polynomial> {
    let mut a = all.choose(rng).unwrap().clone();
    let contains = |of: &&Polynomial| of.form() == a.form() && of.basis().contains(a.basis());
    let like: Vec<&Polynomial> = all.iter().filter(contains).collect();
    let (b, c) = (*like.choose(rng).unwrap(), *like.choose(rng).unwrap());
    let (basis, seed) = (a.basis().clone(), rng.gen::<u32>());
    let is_values = a.form() == Form::Values;
    match rng.gen_range(0..18) {
        0 if is_values => ring.inverse(&mut a),
        0 => ring.forward(&mut a),
        1 => ring.add(&mut a, b),
        2 => ring.sub(&mut a, b),
        3 => ring.neg(&mut a),
        4 => ring.scale(&mut a, number(seed)),
        5 => return vec![ring.restrict(b, &part(b.basis(), rng))],
        6 => ring.add_part(&mut a, &ring.restrict(b, &part(&basis, rng))),
        7 => return vec![ring.zero(&part(&ring.all(), rng), a.form())],
        8 if is_values => ring.mul(&mut a, b),
        9 if is_values => ring.mul_add(&mut a, b, c),
        10 if is_values => {
            ring.add_number(&mut a, |modulus| [number(seed)(modulus), number(!seed)(modulus)]);
        }
        11 if is_values => {
            let terms = &[b, &a, c][..rng.gen_range(0..=3)];
            let number = |term, modulus| [number(seed ^ term as u32)(modulus), term as u32];
            return vec![ring.combine(&part(&basis, rng), terms, number)];
        }
        12 if is_values => {
            let count = rng.gen_range(0..30);
            let terms: Vec<_> =
                (0..count).map(|_| ([b, c], factors.choose(rng).unwrap())).collect();
            let (some, others) = terms.split_at(rng.gen_range(0..=count));
            let all = [some.to_vec(), others.to_vec()];
            let sums = ring.sums_of_products(&part(&basis, rng), &all);
            return sums.into_iter().flatten().collect();
        }
        13 if is_values => {
            let digits: Vec<_> = (0..rng.gen_range(1..=12)).map(|_| b).collect();
            let part = ring.restrict(c, &part(&basis, rng));
            let exponent = u64::from(seed) | 1;
            let finishes = [
                Finish::NOTHING,
                Finish { added: [Some(&part), None], exponent },
                Finish { added: [Some(c), Some(&part)], exponent: 1 },
                Finish { added: [None; 2], exponent },
            ];
            let keys = finishes.map(|finish| (vec![[c, &a]; digits.len()], finish));
            let count = rng.gen_range(0..=keys.len());
            return ring.inner_products(&basis, &digits, &keys[..count]).into_flattened();
        }
        14 if is_values => return vec![ring.automorphism(&a, u64::from(seed) | 1)],
        15 if is_values => {
            let removed = part(&basis, rng);
            let others = ring.all().without(&basis);
            let added = if others.is_empty() { others } else { part(&others, rng) };
            if basis.without(&removed).union(&added).is_empty() {
                return Vec::new();
            }
            let dividends = [&a, &ring.restrict(b, &basis)];
            let exponent = [1, u64::from(seed) | 1][rng.gen_range(0..2)];
            let finish = Finish { added: [None, Some(c)], exponent };
            return ring.divide_all(dividends, &removed, &added, &finish).to_vec();
        }
        16 if is_values => {
            let part = part(&basis, rng);
            return match ring.all().without(&part).is_empty() {
                true => vec![ring.coefficients(&a, &part)],
                false => ring.extend(&a, &[part], &ring.all()),
            };
        }
        17 if !is_values => {
            let to = part(&ring.all(), rng);
            let [from, moduli] = [&basis, &to].map(|basis| ring.moduli(basis));
            let conversion = Conversion::new(&from, &moduli, number(seed), number(!seed));
            return vec![ring.convert(&a, &conversion, &to)];
        }
        _ => return Vec::new(),
    }
    vec![a]
}

pub(super) fn named<'a>(
    name: &str,
    of: impl IntoIterator<Item = &'a Polynomial>,
) -> Vec<Named<'a>> {
    of.into_iter().enumerate().map(|(k, polynomial)| (format!("{name} {k}"), polynomial)).collect()
}

pub(super) fn record(
    ring: &Ring,
    inputs: &Inputs,
    seed: u64,
    kinds: usize,
) -> (Vec<Polynomial>, Program) {
    let recording = ring.start_recording();
    let outputs = program(ring, inputs, seed, kinds);
    let trace = recording.end();
    let (polynomials, outputs_named) = (named("in", &inputs.polynomials), named("out", &outputs));
    let factors = named("factor", inputs.factors.iter().map(Repeated::values));
    let trace = trace.identified(&polynomials, factors, &outputs_named).unwrap();
    (outputs, trace)
}

fn replay(ring: &Ring, trace: &Program, inputs: &Inputs) -> Result<Vec<Polynomial>, ProgramError> {
    let mut inputs_named = named("in", &inputs.polynomials);
    inputs_named.extend(named("factor", inputs.factors.iter().map(Repeated::values)));
    trace.replay(ring, |external| {
        inputs_named.iter().find(|(name, _)| *name == external.name).map(|(_, it)| *it)
    })
}

#[test]
fn programs_have_every_operation() {
    let ring = ring(LaneBackend::active());
    let inputs = inputs(&ring, 7);
    let steps = (0..20).flat_map(|seed| record(&ring, &inputs, seed, 60).1.steps);
    let names: BTreeSet<&str> = steps.map(|step| step.operation.name()).collect();
    let all = "add add_number combine convert forward inverse key_product multiply multiply_add \
               negate permute scale select subtract subtract_scale sum_of_products zero";
    assert_eq!(names.into_iter().collect::<Vec<_>>().join(" "), all);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_program_is_replayed_with_other_inputs(seed in any::<u64>(), kinds in 0usize..60) {
        let ring_of_trace = ring(LaneBackend::active());
        let (first, others) = (inputs(&ring_of_trace, seed), inputs(&ring_of_trace, !seed));
        let (recorded, trace) = record(&ring_of_trace, &first, seed, kinds);
        let trace = Program::from_json(&trace.to_json()).unwrap();
        let expected = program(&ring_of_trace, &others, seed, kinds);
        for backend in LaneBackend::available() {
            let ring = ring(backend);
            for (inputs, expected) in [(&first, &recorded), (&others, &expected)] {
                let replayed = replay(&ring, &trace, inputs).unwrap();
                prop_assert_eq!(replayed.len(), expected.len());
                for (ours, expected) in replayed.iter().zip(expected) {
                    prop_assert_eq!(ours.basis(), expected.basis());
                    prop_assert_eq!(ours.form(), expected.form());
                    prop_assert!(ours.limbs().eq(expected.limbs()), "{}", backend);
                }
            }
        }
    }

    #[test]
    fn a_ring_without_arithmetic_records_the_same(seed in any::<u64>(), kinds in 1usize..60) {
        let ring = ring(LaneBackend::active());
        let (_, program) = record(&ring, &inputs(&ring, seed), seed, kinds);
        let dry = ring.to_dry();
        prop_assert_eq!(dry.id(), ring.id());
        let (outputs, recorded) = record(&dry, &inputs(&dry, seed), seed, kinds);
        prop_assert_eq!(recorded, program);
        prop_assert!(outputs.iter().all(|output| output.limbs().len() == 0));
    }

    #[test]
    fn a_damaged_trace_is_refused_or_replayed(seed in any::<u64>(), damage in any::<u64>()) {
        let ring = ring(LaneBackend::active());
        let inputs = inputs(&ring, seed);
        let (_, trace) = record(&ring, &inputs, seed, 30);
        let mut document: Value = serde_json::from_str(&trace.to_json()).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(damage);
        for _ in 0..rng.gen_range(1..4) {
            damaged(&mut document, &mut rng);
        }
        if let Ok(trace) = Program::from_json(&document.to_string()) {
            // A text that is accepted as a trace runs or gives an error.
            let _ = replay(&ring, &trace, &inputs);
        }
        let mut text = trace.to_json();
        text.truncate(rng.gen_range(0..text.len()));
        prop_assert!(Program::from_json(&text).is_err());
    }
}

/// Changes a random part.
fn damaged(value: &mut Value, rng: &mut ChaCha8Rng) {
    match value {
        Value::Object(fields) if !fields.is_empty() && rng.gen_bool(0.98) => {
            let index = rng.gen_range(0..fields.len());
            damaged(fields.values_mut().nth(index).unwrap(), rng);
        }
        Value::Array(items) if !items.is_empty() => match rng.gen_range(0..20) {
            0 => drop(items.remove(rng.gen_range(0..items.len()))),
            1 => items.push(items[rng.gen_range(0..items.len())].clone()),
            2 => items.shuffle(rng),
            _ => damaged(items.choose_mut(rng).unwrap(), rng),
        },
        Value::Number(number) => {
            let number = number.as_u64().unwrap();
            let choices = [number ^ 1, number + 1, number / 2, rng.gen(), rng.gen_range(0..70), 0];
            *value = choices[rng.gen_range(0..choices.len())].into();
        }
        Value::String(text) => {
            let names = ["add", "forward", "select", "convert", "zero", "values", "coefficients"];
            *text = names.choose(rng).unwrap().to_string();
        }
        _ => *value = Value::Null,
    }
}

/// Changes a trace with a sum, a product with numbers and a transform. Returns the reason of its
/// rejection.
fn refused(change: impl FnOnce(&mut Program)) -> ProgramError {
    let ring = ring(LaneBackend::Portable);
    let inputs = inputs(&ring, 5);
    let recording = ring.start_recording();
    let mut sum = inputs.polynomials[0].clone();
    ring.add(&mut sum, &inputs.polynomials[2]);
    ring.scale(&mut sum, number(9));
    ring.inverse(&mut sum);
    let trace = recording.end();
    let outputs = [("out".to_owned(), &sum)];
    let mut trace = trace.identified(&named("in", &inputs.polynomials), [], &outputs).unwrap();
    change(&mut trace);
    let error = replay(&ring, &trace, &inputs).err().unwrap();
    assert_eq!(Program::from_json(&trace.to_json()).err().unwrap(), error);
    error
}

#[test]
fn damage_is_named() {
    let flaw = |change: fn(&mut Program)| match refused(change) {
        ProgramError::Step { flaw, .. } | ProgramError::External { flaw, .. } => flaw,
        error => panic!("{error}"),
    };
    assert_eq!(flaw(|trace| trace.steps[1].inputs[0] = 77), Flaw::Unknown { value: 77 });
    assert_eq!(flaw(|trace| trace.steps.swap(0, 1)), Flaw::Unknown { value: 4 });
    assert_eq!(flaw(|trace| trace.steps[1].output = 4), Flaw::Again { value: 4 });
    assert_eq!(flaw(|trace| trace.steps[0].inputs.truncate(1)), Flaw::Inputs { got: 1 });
    assert_eq!(flaw(|trace| trace.steps[0].inputs[1] = 1), Flaw::Form { value: 1 });
    assert_eq!(flaw(|trace| trace.steps[2].form = Form::Values), Flaw::Form { value: 6 });
    assert_eq!(flaw(|trace| trace.steps[0].basis = Basis::new([])), Flaw::Primes);
    assert_eq!(flaw(|trace| trace.steps[0].basis = Basis::new([1, 99])), Flaw::Primes);
    let few = |trace: &mut Program| trace.externals[0].basis = Basis::new([0, 1]);
    assert_eq!(flaw(few), Flaw::Basis { value: 0 });
    let same = |trace: &mut Program| trace.externals[1].name = "in 0".into();
    assert_eq!(flaw(same), Flaw::Name);
    assert_eq!(flaw(|trace| trace.externals[2].run = 2), Flaw::Run { value: 2 });
    assert_eq!(flaw(|trace| trace.externals[2].run = 3), Flaw::Run { value: 2 });
    let factors = |trace: &mut Program| match &mut trace.steps[1].operation {
        Operation::Scale { factors } => factors[3] = u32::MAX,
        operation => panic!("{operation:?}"),
    };
    assert_eq!(flaw(factors), Flaw::Numbers);
    let even = |trace: &mut Program| {
        trace.steps[0].operation = Operation::Permute { exponent: 6 };
        trace.steps[0].inputs.pop();
    };
    assert_eq!(flaw(even), Flaw::Exponent { exponent: 6 });
}

#[test]
fn what_is_no_trace_of_the_ring_is_refused() {
    let error = refused(|trace| trace.outputs[0].value = 90);
    assert_eq!(error, ProgramError::NoOutput { name: "out".into() });
    let error = refused(|trace| trace.degree = 65);
    assert_eq!(error, ProgramError::Degree { got: 65 });
    let ring = ring(LaneBackend::Portable);
    let inputs = inputs(&ring, 5);
    let (_, mut trace) = record(&ring, &inputs, 1, 5);
    let text = trace.to_json();
    for (from, to, said) in [
        ("halimede-ckks-trace", "another", "its format is"),
        ("\"version\":1", "\"version\":2", "of version 2"),
        ("\"steps\"", "\"step\"", "missing field"),
    ] {
        let error = Program::from_json(&text.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    trace.primes[2].root += 1;
    let error = replay(&ring, &trace, &inputs).err().unwrap();
    assert_eq!(error, ProgramError::Ring { degree: 64, primes: 10 });
}

#[test]
fn a_change_gives_a_polynomial_another_name_and_a_copy_keeps_it() {
    let ring = ring(LaneBackend::Portable);
    let first = &inputs(&ring, 6).polynomials[0];
    let mut copy = first.clone();
    assert_eq!(copy.name(), first.name());
    assert_eq!(ring.restrict(first, first.basis()).name(), first.name());
    ring.neg(&mut copy);
    assert_ne!(copy.name(), first.name());
    let before = copy.name();
    copy.limb_mut(2)[5] ^= 1;
    assert_ne!(copy.name(), before);
}
