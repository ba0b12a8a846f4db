// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs of every step, recorded from operations of a ring rather than of ciphertexts.

use std::collections::BTreeSet;
use std::sync::Arc;

use halimede_ckks::executor::{ProgramConstants, ProgramExecutor, ProgramPlace, Resident};
use halimede_ckks::ring::{Basis, Finish, Form, Modulus, Named, Polynomial, Program, Ring, Role};
use halimede_ckks::sampling::uniform;
use halimede_ckks::Parameters;

use crate::common::standin::TestGpu;
use crate::setting::place;

/// The names of all operations of the ring.
const OPERATIONS: [&str; 17] = [
    "forward",
    "inverse",
    "add",
    "subtract",
    "negate",
    "multiply",
    "multiply_add",
    "scale",
    "subtract_scale",
    "add_number",
    "combine",
    "sum_of_products",
    "key_product",
    "convert",
    "permute",
    "select",
    "zero",
];

/// A polynomial of residues that differ, with the bounds among them.
fn polynomial(ring: &Ring, basis: &Basis, seed: u64) -> Polynomial {
    ring.from_limbs(basis, Form::Values, |modulus, limb| {
        let q = u64::from(modulus.value());
        let mut word = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ q;
        for residue in limb.iter_mut() {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *residue = ((word >> 33) % q) as u32;
        }
        (limb[0], limb[1]) = ((q - 1) as u32, 0);
    })
}

/// The external values of the program.
struct Values {
    inputs: Vec<Polynomial>,
    /// Digits' keys: the second half of each comes from a seed.
    keys: Vec<[Polynomial; 2]>,
    plain: Polynomial,
}

impl Values {
    fn new(ring: &Ring) -> Self {
        let all = ring.all();
        let key = |index: u32| {
            [polynomial(ring, &all, 50 + u64::from(index)), uniform(ring, &all, &[7; 32], index)]
        };
        Self {
            inputs: (0..4).map(|index| polynomial(ring, &all, index)).collect(),
            keys: (0..3).map(key).collect(),
            plain: polynomial(ring, &all, 90),
        }
    }

    fn named(&self) -> Vec<Named<'_>> {
        let halves = self.keys.iter().flatten().enumerate();
        let keys = halves.map(|(index, half)| (format!("half {index}"), half));
        keys.chain([("plain".to_owned(), &self.plain)]).collect()
    }
}

/// Records every operation, and combinations that the compiler fuses.
fn recorded(ring: &Ring, values: &Values) -> Program {
    let Values { inputs, keys, plain } = values;
    let (all, half) = (ring.all(), ring.degree() / 2);
    let count = all.len() as u16;
    let removed = Basis::new([1, count - 1]);
    let kept = all.without(&removed);
    let factors = [ring.repeated(plain.clone(), 1), ring.repeated(plain.clone(), 4)];
    let recording = ring.start_recording();
    let number = |modulus: Modulus| [modulus.value() / 3, modulus.value() - 1];
    let [mut a, mut b] = [0, 1].map(|index| inputs[index].clone());
    ring.inverse(&mut a);
    ring.scale(&mut a, |modulus| modulus.value() - 5);
    ring.forward(&mut a);
    ring.add(&mut a, &inputs[2]);
    ring.mul(&mut b, &inputs[3]);
    ring.mul_add(&mut b, &a, plain);
    ring.neg(&mut b);
    ring.sub(&mut b, &inputs[0]);
    ring.add_number(&mut b, number);
    let terms: Vec<&Polynomial> = inputs.iter().cycle().take(14).collect();
    let c = ring.combine(&all, &terms, |term, modulus| {
        number(modulus).map(|part| modulus.reduce(u64::from(part) * (term as u64 + 3)))
    });
    // A quotient whose remainder, sum and automorphism are a transform's epilogue.
    let finish = Finish { added: [Some(&inputs[1]), None], exponent: 2 * half as u64 - 1 };
    let [d, e] = ring.divide_all([&c, &b], &removed, &Basis::new([]), &finish);
    // Digits, with two keys: one sum is added to and rotated, the other stays.
    let parts = [0..2, 2..count - 1, count - 1..count].map(Basis::new);
    let digits = ring.extend(&b, &parts, &all);
    let digits: Vec<&Polynomial> = digits.iter().collect();
    let pairs = || keys.iter().map(|[a, b]| [a, b]).collect::<Vec<_>>();
    let finish = Finish { added: [Some(&d), Some(&e)], exponent: 5 };
    let switches = [(pairs(), finish), (pairs(), Finish::NOTHING)];
    let sums = ring.inner_products(&all, &digits, &switches);
    let terms = factors.iter().map(|factor| ([&inputs[2], &b], factor)).collect();
    let [[mut f, g]] =
        <[_; 1]>::try_from(ring.sums_of_products(&kept, &[terms])).unwrap_or_else(|_| panic!());
    ring.add(&mut f, &ring.zero(&kept, Form::Values));
    let g = ring.automorphism(&g, 3);
    let part = ring.restrict(&inputs[3], &kept);
    let program = recording.end();
    // The same value twice, an input, and a part of an input: limbs that outputs do not own.
    let [[h, i], [j, k]] = [&sums[0], &sums[1]];
    let outputs = [h, i, j, k, &f, &g, &d, &d, &inputs[2], &part, &e, &b];
    let named = |name: &str, all: &[&'_ Polynomial]| -> Vec<(String, Polynomial)> {
        let name = |(index, of): (usize, &&Polynomial)| (format!("{name} {index}"), (*of).clone());
        all.iter().enumerate().map(name).collect()
    };
    let inputs = named("input", &inputs.iter().collect::<Vec<_>>());
    let outputs = named("output", &outputs);
    let [inputs, outputs] = [&inputs, &outputs]
        .map(|all| all.iter().map(|(name, of)| (name.clone(), of)).collect::<Vec<Named<'_>>>());
    // The factors are constants without names.
    program.identified(&inputs, values.named(), &outputs).unwrap()
}

#[test]
fn every_step_has_the_bits_of_a_replay() {
    let Some(test) = TestGpu::next() else { return };
    let place = place(test.open().unwrap());
    for preset in ["n10-insecure", "n13-insecure"] {
        let parameters = Parameters::preset(preset).unwrap();
        let ring = parameters.ring();
        let values = Values::new(ring);
        let program = Arc::new(recorded(ring, &values));
        let names: BTreeSet<&str> =
            program.steps.iter().map(|step| step.operation.name()).collect();
        assert_eq!(names, BTreeSet::from(OPERATIONS));
        // Factors without names: those of the recording.
        let factors = [1, 4].map(|run| ring.repeated(values.plain.clone(), run));
        let mut named = values.named();
        for external in &program.externals {
            if external.role == Role::Constant && external.name.starts_with("constant") {
                let factor = &factors[usize::from(external.run != 1)];
                named.push((external.name.clone(), factor.values()));
            }
        }
        let held = ProgramConstants::of_program(&program, named);
        let inputs = |name: &str| {
            let index = (0..values.inputs.len()).find(|index| name == format!("input {index}"));
            index.map(|index| &values.inputs[index])
        };
        let expected =
            program.replay(ring, |of| inputs(&of.name).or_else(|| held.get(of))).unwrap();
        let executor = place.executor(&parameters).unwrap();
        let pairs = values.inputs.chunks_exact(2);
        let uploaded: Vec<Resident> =
            pairs.map(|pair| executor.upload([&pair[0], &pair[1]]).unwrap()).collect();
        let uploaded: Vec<&Resident> = uploaded.iter().collect();
        for run in 0..2 {
            let got = executor.run(&program, &held, &uploaded).unwrap();
            let got: Vec<Polynomial> =
                got.iter().flat_map(|pair| executor.download(pair).unwrap()).collect();
            assert_eq!(got.len(), expected.len());
            for (index, (expected, got)) in expected.iter().zip(&got).enumerate() {
                let what = format!("{preset}, run {run}, output {index}");
                assert_eq!(
                    (expected.basis(), expected.form()),
                    (got.basis(), got.form()),
                    "{what}"
                );
                assert!(expected.limbs().eq(got.limbs()), "{what}");
            }
        }
        check_refusals(&*executor, &program, &held, &uploaded);
    }
}

/// A damaged program, a missing key and a missing input.
fn check_refusals(
    executor: &dyn ProgramExecutor,
    program: &Arc<Program>,
    held: &ProgramConstants,
    inputs: &[&Resident],
) {
    let error = executor.run(program, held, &inputs[..1]).err().unwrap().to_string();
    assert!(error.contains("no polynomial for \"input 2\""), "{error}");
    let none = ProgramConstants::of_program(program, []);
    let error = executor.run(program, &none, inputs).err().unwrap().to_string();
    assert!(error.starts_with("no polynomial for"), "{error}");
    let mut damaged = Program::clone(program);
    damaged.steps.swap(0, 1);
    let error = executor.run(&Arc::new(damaged), held, inputs).err().unwrap().to_string();
    assert!(error.starts_with("step 0"), "{error}");
    let mut other = Program::clone(program);
    other.primes.pop();
    let error = executor.run(&Arc::new(other), held, inputs).err().unwrap().to_string();
    assert!(error.starts_with("the program is not of this ring"), "{error}");
}
