// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the solver allocates, against what it says that it takes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use halimede_equihash::{Params, Solver};

/// The system's allocator, which notes how much is held.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST.fetch_max(held, Relaxed);
        // SAFETY: the caller's promises are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promises are the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One test, so that no other allocates at the same time.
#[test]
fn no_more_memory_is_taken_than_is_said() {
    let all = [(72, 5), (96, 5), (112, 6), (120, 7), (64, 3)];
    let all = all.map(|(n, k)| Params::new(n, k).unwrap());
    let large = std::env::var_os("HALIMEDE_SWEEP").map(|_| Params::ZCASH);
    for params in all.into_iter().chain(large) {
        let solver = Solver::new(params);
        for round in 0..2u8 {
            let before = HELD.load(Relaxed);
            MOST.store(before, Relaxed);
            let solutions = solver.solve(&[round; 140]).unwrap();
            let most = MOST.load(Relaxed) - before;
            drop(solutions);
            let said = usize::try_from(solver.memory_bytes()).unwrap();
            // Counters of the buckets and what threads keep come on top, a megabyte at most.
            assert!(most < said + (1 << 20), "{params}: {most} bytes, where {said} were said");
            assert!(most * 10 > said * 6, "{params}: {most} bytes of {said}");
        }
    }
}
