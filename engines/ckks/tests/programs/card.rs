// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs as tasks of the card's units.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;

use halimede_arith::EngineBackend;
use halimede_ckks::card::{lower, CardError, Factor, Tasks, Work, MAX_TERMS};
use halimede_ckks::ring::{
    primes_below, Basis, Form, LaneBackend, Polynomial, Program, ProgramError, Ring,
};
use proptest::prelude::*;

use super::replay::{inputs, record, ring};

/// Checks the properties of tasks on which the hardware relies.
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
    fn tasks_are_what_the_units_take(seed in any::<u64>(), kinds in 0usize..60) {
        let ring = ring(LaneBackend::active());
        let inputs = inputs(&ring, seed);
        let (expected, program) = record(&ring, &inputs, seed, kinds);
        let tasks = lower(&program).unwrap();
        check(&program, &tasks);
        prop_assert_eq!(tasks.outputs.len(), expected.len());
        for (places, expected) in tasks.outputs.iter().zip(&expected) {
            let places = Basis::new(places.iter().map(|(place, _)| *place));
            prop_assert_eq!(&places, expected.basis());
        }
    }
}

#[test]
fn what_the_card_cannot_run_is_named() {
    let ring = ring(LaneBackend::Portable);
    let inputs = inputs(&ring, 5);
    let (_, program) = record(&ring, &inputs, 5, 20);
    let mut damaged = program.clone();
    damaged.steps[0].inputs.clear();
    assert!(matches!(lower(&damaged), Err(CardError::Program(ProgramError::Step { .. }))));

    let prime = primes_below(1 << 30, 8).find(|prime| prime % (1 << 17) != 1).unwrap();
    let other = Ring::new(6, &[prime], LaneBackend::Portable).unwrap();
    let recording = other.start_recording();
    let mut sum: Polynomial = other.zero(&other.all(), Form::Values);
    other.neg(&mut sum);
    let program = recording.end().identified(&[], [], &[("out".to_owned(), &sum)]).unwrap();
    assert_eq!(lower(&program), Err(CardError::Prime { got: prime }));
}
