// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs as tasks of the card's units: the simulator gives the replay's bits.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeSet, HashMap};

use halimede_arith::LaneLevel;
use halimede_ckks::card::{lower, CardError, Factor, Machine, Tasks, Work, MAX_TERMS};
use halimede_ckks::ring::{
    primes_below, Basis, Form, Level, Polynomial, Program, ProgramError, Repeated, Ring,
};
use proptest::prelude::*;

use super::replay::{inputs, named, record, ring, Inputs};

/// The outputs of a program's tasks, limb by limb.
fn simulated(program: &Program, tasks: &Tasks, inputs: &Inputs) -> Vec<Vec<Vec<u32>>> {
    let mut all = named("in", &inputs.polynomials);
    all.extend(named("factor", inputs.factors.iter().map(Repeated::values)));
    let of: HashMap<_, _> = all.into_iter().collect();
    let limb = |external: usize, place: u16| {
        let polynomial = of.get(&program.externals[external].name)?;
        Some(polynomial.limb(polynomial.basis().limb_of(place)?))
    };
    Machine::new(program, tasks, limb).unwrap().run().unwrap()
}

/// What the hardware takes for granted of tasks.
fn check(program: &Program, tasks: &Tasks) {
    let mut given: BTreeSet<_> = tasks.externals.iter().map(|(limb, _)| *limb).collect();
    for task in &tasks.tasks {
        assert!(task.work.takes().iter().all(|limb| given.contains(limb)), "{task:?}");
        let prime = program.primes[usize::from(task.place)].modulus;
        if let Work::Sum(terms) = &task.work {
            assert!((1..=MAX_TERMS).contains(&terms.len()));
            for term in terms {
                if let Factor::Numbers(numbers) = term.factor {
                    assert!(numbers.iter().all(|number| *number < prime));
                }
            }
        }
        assert!(given.insert(task.to), "a limb is given twice");
    }
    assert!(given.len() <= tasks.limbs as usize);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_units_give_the_bits_of_the_replay(seed in any::<u64>(), kinds in 0usize..60) {
        let ring = ring(Level::active());
        let inputs = inputs(&ring, seed);
        let (expected, program) = record(&ring, &inputs, seed, kinds);
        let tasks = lower(&program).unwrap();
        check(&program, &tasks);
        let outputs = simulated(&program, &tasks, &inputs);
        prop_assert_eq!(outputs.len(), expected.len());
        for ((limbs, places), expected) in outputs.iter().zip(&tasks.outputs).zip(&expected) {
            let places = Basis::new(places.iter().map(|(place, _)| *place));
            prop_assert_eq!(&places, expected.basis());
            prop_assert!(limbs.iter().map(Vec::as_slice).eq(expected.limbs()));
        }
    }
}

#[test]
fn what_the_card_cannot_run_is_named() {
    let ring = ring(Level::Portable);
    let inputs = inputs(&ring, 5);
    let (_, program) = record(&ring, &inputs, 5, 20);
    let mut damaged = program.clone();
    damaged.steps[0].inputs.clear();
    assert!(matches!(lower(&damaged), Err(CardError::Program(ProgramError::Step { .. }))));

    let tasks = lower(&program).unwrap();
    let missing = Machine::new(&program, &tasks, |_, _| None).err();
    let short = Machine::new(&program, &tasks, |_, _| Some(&[1, 2, 3])).err();
    for error in [missing, short] {
        assert!(matches!(error, Some(CardError::Limb { .. })), "{error:?}");
    }

    let prime = primes_below(1 << 30, 8).find(|prime| prime % (1 << 17) != 1).unwrap();
    let other = Ring::new(6, &[prime], Level::Portable).unwrap();
    other.start_recording();
    let mut sum: Polynomial = other.zero(&other.all(), Form::Values);
    other.neg(&mut sum);
    let program = other.end_recording().identified(&[], [], &[("out".to_owned(), &sum)]).unwrap();
    assert_eq!(lower(&program), Err(CardError::Prime { got: prime }));
}
