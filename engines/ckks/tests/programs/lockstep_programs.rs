// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random programs on a card with little memory, in lock-step with the processor.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::{Arc, OnceLock};

use halimede_ckks::executor::{CardSize, ProcessorPrograms, ProgramServer};
use halimede_ckks::Parameters;
use proptest::prelude::*;

use crate::lockstep::{run, Operands};
use crate::test_card::{hash, remote, size, TestCard};

/// The number of operations of a case.
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
        let executor = Arc::new(ProcessorPrograms::new(parameters));
        let oracle = ProgramServer::new(Arc::clone(&operands.server), executor);
        // Not all keys and ciphertexts fit.
        let card = CardSize { slots, log_rows: 14, ..size(21) };
        let on_card = remote(&operands.server, &TestCard::of_size(card).place());
        run(seed, STEPS, operands, &[&oracle, &on_card], hash);
    }
}

/// Enough of the random operations are possible, so that results are compared.
#[test]
fn most_random_operations_are_done() {
    let operands = operands();
    let executor = Arc::new(ProcessorPrograms::new(operands.server.parameters()));
    let oracle = ProgramServer::new(Arc::clone(&operands.server), executor);
    let done: usize = (0..20).map(|seed| run(seed, STEPS, operands, &[&oracle], hash)).sum();
    assert!(done > 20 * STEPS / 2, "{done}");
}
