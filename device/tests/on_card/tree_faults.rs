// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Faults injected into a simulated card while it hashes a tree: the right root or a clean error,
//! and never a hang. 24 runs; 200 in a sweep (`make test-all`).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::common::{faulty, has_simulator, is_sweep, leaves};
use halimede_arith::Fr;
use halimede_device::Device;
use halimede_poseidon::tree::{TreeBuilder, TreeError};
use halimede_poseidon::Strength;

/// The time limit of a run. The card's own limit is [`time_limit`]. A tree takes the card a second
/// or two; each failure takes the limit, and half of it for the reset, while the simulated card's
/// clock continues to use a processor.
const RUN_LIMIT: Duration = Duration::from_secs(90);
const LEAST_TIME_LIMIT: Duration = Duration::from_millis(1500);

/// The time limit without progress: the time of a whole tree without faults, so that a busy machine
/// does not count as a fault.
fn time_limit() -> Duration {
    let start = Instant::now();
    let device = Device::open("sim").unwrap();
    let mut tree = TreeBuilder::new(&device, 2, Strength::Standard).unwrap();
    tree.push_leaves(&leaves(LEAVES[2], 7)).unwrap();
    tree.finish().unwrap();
    LEAST_TIME_LIMIT.max(start.elapsed())
}

/// The kinds of faults with their rates: about one or a few in a tree of 31 hashes.
const FAULTS: [(&str, &[&str]); 6] = [
    ("drop", &["0.04", "0.12"]),
    ("corrupt", &["0.04", "0.4"]),
    ("delay", &["0.08", "0.5"]),
    ("stall", &["0.04", "0.12"]),
    ("kill", &["0.04", "0.12"]),
    ("reset", &["0.04", "0.12"]),
];
/// The numbers of leaves of the trees, of arity 2. Each row takes the simulated card a second.
const LEAVES: [usize; 3] = [16, 8, 32];

/// The settings of a run.
#[derive(Clone, Debug)]
struct Run {
    kind: &'static str,
    fault: String,
    seed: u64,
    leaves: usize,
    fallback: bool,
    retries: usize,
}

/// Returns run `number` of the sweep: every kind with every setting, each run with another seed.
fn run_of(number: usize) -> Run {
    let (kind, rates) = FAULTS[number % FAULTS.len()];
    let round = number / FAULTS.len();
    Run {
        kind,
        fault: format!("{kind}:{}", rates[(round + round / 2 + round / 4) % rates.len()]),
        seed: 1000 + number as u64,
        leaves: LEAVES[round % LEAVES.len()],
        fallback: round.is_multiple_of(2),
        retries: round / 2 % 2,
    }
}

/// Checks that the outcome of a run is allowed, and returns a short description.
fn outcome(run: &Run, roots: &BTreeMap<usize, Fr>, time_limit: Duration) -> &'static str {
    let options = faulty(std::slice::from_ref(&run.fault), run.seed, time_limit);
    let device = match Device::open_with("sim", &options.retries(run.retries)) {
        Ok(device) => device,
        // The fault hit a reply during the opening.
        Err(error) => {
            assert!(error.to_string().contains("is not available"), "{run:?}: {error}");
            return "not opened";
        }
    };
    let device = if run.fallback { device.with_fallback(Device::cpu()) } else { device };
    let leaves = leaves(run.leaves, 7);
    let mut tree = TreeBuilder::new(&device, 2, Strength::Standard).unwrap();
    let hashed = tree.push_leaves(&leaves).and_then(|()| tree.hash_rest());
    match hashed {
        Ok(()) => {
            let timing = tree.timing().unwrap();
            assert_eq!(tree.finish().unwrap(), roots[&run.leaves], "{run:?}: a wrong root");
            match timing.fallback_requests {
                0 => "right root by the card",
                _ => "right root with the fallback",
            }
        }
        Err(TreeError::Device { progress, source }) => {
            assert!(!run.fallback, "{run:?}: {source} in spite of the fallback");
            let hashes = run.leaves as u64 - 1;
            assert_eq!(progress.leaves_read, run.leaves as u64, "{run:?}");
            assert!(progress.hashed < hashes, "{run:?}: {progress}");
            assert_eq!(progress.hashes, Some(hashes), "{run:?}");
            "clean error"
        }
        Err(error) => panic!("{run:?}: {error}"),
    }
}

#[test]
fn each_run_ends_in_the_right_root_or_a_clean_error() {
    if !has_simulator() {
        return;
    }
    // Each kind with and without a fallback and a retry, at one rate: 6 · 4 runs. Both rates would
    // be 48.
    let runs = if is_sweep() { 200 } else { 24 };
    let root = |count: usize| {
        let processor = Device::cpu();
        let mut tree = TreeBuilder::new(&processor, 2, Strength::Standard).unwrap();
        tree.push_leaves(&leaves(count, 7)).unwrap();
        (count, tree.finish().unwrap())
    };
    let roots: BTreeMap<usize, Fr> = LEAVES.into_iter().map(root).collect();
    let time_limit = time_limit();
    println!("the card's limit is {time_limit:?}");
    let next = AtomicUsize::new(0);
    let counts: Mutex<BTreeMap<(&str, bool, &str), usize>> = Mutex::default();
    let work = || loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= runs {
            return;
        }
        let run = run_of(number);
        let start = Instant::now();
        let outcome = outcome(&run, &roots, time_limit);
        let time = start.elapsed();
        assert!(time < RUN_LIMIT, "{run:?} took {time:?}");
        *counts.lock().unwrap().entry((run.kind, run.fallback, outcome)).or_default() += 1;
    };
    std::thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(work))));
    let counts = counts.into_inner().unwrap();
    for ((kind, fallback, outcome), count) in &counts {
        let fallback = if *fallback { "fallback" } else { "alone" };
        println!("{kind:8} {fallback:9} {outcome:29} {count}");
    }
    assert_eq!(counts.values().sum::<usize>(), runs);
    // Every outcome occurred: a sweep without effective faults would show nothing.
    let taken = |wanted: &str| -> usize {
        counts.iter().filter(|((_, _, outcome), _)| *outcome == wanted).map(|(_, n)| n).sum()
    };
    for wanted in ["right root by the card", "right root with the fallback", "clean error"] {
        assert!(taken(wanted) > runs / 20, "{wanted}: {} of {runs}", taken(wanted));
    }
}
