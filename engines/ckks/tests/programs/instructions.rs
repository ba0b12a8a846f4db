// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs compiled for the card: its instructions give the replay's bits.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashMap;
use std::sync::Arc;

use halimede_arith::EngineBackend;
use halimede_ckks::card::{compile, simulate, Card, CardMemory, CompileOptions, Compiled};
use halimede_ckks::executor::{CardSize, ProcessorPrograms, ProgramServer, Routine};
use halimede_ckks::ring::{Basis, LaneBackend, Program, Repeated};
use proptest::prelude::*;

use crate::setting::Setting;
use crate::test_card::{remote, size, TestCard};

use super::replay::{inputs, named, record, ring, Inputs};

/// Returns a card of 8 lanes with this many slots for limbs of 64 residues.
fn card(slots: usize, columns: usize) -> Card {
    Card { log_lanes: 3, log_radix: 3, columns, scratchpad_bytes: 4 * 64 * slots, ..Card::small(3) }
}

fn memory(program: &Program, compiled: &Compiled, inputs: &Inputs) -> CardMemory {
    let mut all = named("in", &inputs.polynomials);
    all.extend(named("factor", inputs.factors.iter().map(Repeated::values)));
    let of: HashMap<_, _> = all.into_iter().collect();
    let limb = |external: usize, place: u16| {
        let polynomial = of.get(&program.externals[external].name)?;
        Some(polynomial.limb(polynomial.basis().limb_of(place)?))
    };
    CardMemory::new(program, compiled, limb, |_| None).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_instructions_give_the_bits_of_the_replay(
        seed in any::<u64>(), kinds in 0usize..60, slots in 20usize..200, columns in 1usize..=4,
    ) {
        let ring = ring(LaneBackend::active());
        let inputs = inputs(&ring, seed);
        let (expected, program) = record(&ring, &inputs, seed, kinds);
        let compiled = compile(&program, &card(slots, columns), &CompileOptions::default()).unwrap();
        prop_assert!(compiled.image.slots <= slots);
        let mut memory = memory(&program, &compiled, &inputs);
        simulate(&mut memory, |_, _, _| {}).unwrap();
        for (index, expected) in expected.iter().enumerate() {
            let limbs = memory.output(&compiled, index).unwrap();
            prop_assert_eq!(&compiled.basis_of(index), expected.basis());
            prop_assert!(limbs.iter().map(Vec::as_slice).eq(expected.limbs()), "output {}", index);
        }
        let bases: Vec<Basis> = (0..expected.len()).map(|k| compiled.basis_of(k)).collect();
        prop_assert_eq!(bases.len(), compiled.outputs.len());
    }
}

/// Products, rotations, hoisted rotations, divisions and sums over slots in a ring of 2¹³, on cards
/// of 8 and 32 lanes with room for few limbs and for many.
#[test]
fn operations_of_a_larger_ring() {
    let mut setting = Setting::new("n13-insecure", &[1, 2, 4]);
    let [x, y] = [0, 1].map(|_| setting.pair(4096, 8).ciphertext);
    let server = Arc::new(setting.server);
    let parameters = server.parameters();
    let expected =
        ProgramServer::new(Arc::clone(&server), Arc::new(ProcessorPrograms::new(parameters)));
    for (log_lanes, slots) in [(3, 32), (5, 128)] {
        let card = CardSize { log_lanes, slots, max_log_degree: 13, log_rows: 15, ..size(27) };
        let ours = remote(&server, &TestCard::of_size(card).place());
        for routine in [
            Routine::Multiply,
            Routine::Rotate(vec![1]),
            Routine::Rotate(vec![1, 2, 4]),
            Routine::Rescale,
            Routine::InnerSum { count: 4, batch: 1 },
        ] {
            let results = [&ours, &expected].map(|place| {
                let operands = [&x, &y].map(|x| place.upload(x).unwrap());
                let operands: Vec<_> = operands.iter().take(routine.takes()).collect();
                let results = place.call(&routine, &operands).unwrap();
                results.iter().map(|one| place.download(one).unwrap()).collect::<Vec<_>>()
            });
            assert_eq!(results[0].len(), results[1].len());
            for (ours, expected) in results[0].iter().zip(&results[1]) {
                for (ours, expected) in ours.parts().iter().zip(expected.parts()) {
                    assert_eq!(ours.basis(), expected.basis());
                    assert!(ours.limbs().eq(expected.limbs()), "{}", routine.name());
                }
            }
        }
    }
}
