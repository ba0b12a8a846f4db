// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random programs of the instruction simulator, alone and as a card whose memory is short, in
//! lock-step with the processor.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::{Arc, OnceLock};

use halimede_ckks::card::Card;
use halimede_ckks::executor::{InstructionSimulator, Processor, ProgramServer};
use halimede_ckks::Parameters;
use proptest::prelude::*;

use crate::lockstep::{run, Operands};
use crate::test_card::{hash, remote, TestCard};

/// Operations of a case.
const STEPS: usize = 6;

fn operands() -> &'static Operands {
    static OPERANDS: OnceLock<Operands> = OnceLock::new();
    OPERANDS.get_or_init(|| Operands::new(&Parameters::preset("n10-insecure").unwrap()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn random_programs_give_the_processors_bits(seed in any::<u64>(), slots in 28usize..80) {
        let operands = operands();
        let parameters = operands.server.parameters();
        let server = |executor| ProgramServer::new(Arc::clone(&operands.server), executor);
        let oracle = server(Arc::new(Processor::new(parameters)));
        let card = Card { scratchpad_bytes: slots << 12, log_radix: 3, ..Card::small(3) };
        let simulator = server(Arc::new(InstructionSimulator::new(parameters, card)));
        // Not all keys and ciphertexts fit.
        let on_card = remote(&operands.server, &TestCard::new(21).place());
        run(seed, STEPS, operands, &[&oracle, &simulator, &on_card], hash);
    }
}

/// Enough of the random operations are possible, so that the comparison is of results.
#[test]
fn most_random_operations_are_done() {
    let operands = operands();
    let executor = Arc::new(Processor::new(operands.server.parameters()));
    let oracle = ProgramServer::new(Arc::clone(&operands.server), executor);
    let done: usize = (0..20).map(|seed| run(seed, STEPS, operands, &[&oracle], hash)).sum();
    assert!(done > 20 * STEPS / 2, "{done}");
}
