// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares the solver's allocations with the memory that it declares.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/memory.rs"]
mod memory;

use halimede_equihash::{Params, Solver};
use memory::most_held;

/// The only test, so that no other allocates at the same time.
#[test]
fn no_more_memory_is_taken_than_is_said() {
    let all = [(72, 5), (96, 5), (112, 6), (120, 7), (64, 3)];
    let all = all.map(|(n, k)| Params::new(n, k).unwrap());
    let large = std::env::var_os("HALIMEDE_SWEEP").map(|_| Params::ZCASH);
    for params in all.into_iter().chain(large) {
        let solver = Solver::new(params);
        for round in 0..2u8 {
            let (_, most) = most_held(|| solver.solve(&[round; 140]).unwrap());
            let said = usize::try_from(solver.memory_bytes()).unwrap();
            // Counters of the buckets and thread-local buffers come on top, at most a megabyte.
            assert!(most < said + (1 << 20), "{params}: {most} bytes, declared {said}");
            assert!(most * 10 > said * 6, "{params}: {most} bytes of {said}");
        }
    }
}
