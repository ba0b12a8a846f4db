// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The promise of estimates: over random and adversarial circuits, the root mean square of the true
//! error is never more than half a bit above the claim, and the claim is not far above it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests print what they measured or skipped"
)]

mod adversarial;
mod bootstraps;
mod functions;
mod random;
mod setting;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

use halimede_ckks::params::{ChainShape, SecretKind};
use halimede_ckks::Parameters;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use setting::{Machine, Report};

/// The number of bits by which the truth may exceed a claim.
const TOLERANCE_BITS: f64 = 0.5;
/// The number of bits by which the median claim may exceed the truth.
const MEDIAN_BITS: f64 = 3.0;

/// Rings of the small circuits: log₂ N, units of a level, levels.
const RINGS: [(u32, u32, usize); 4] = [(9, 8, 6), (10, 8, 6), (8, 11, 5), (9, 6, 4)];

/// Runs circuits on all cores, each of which reports its values.
fn run(
    count: u64,
    first_seed: u64,
    machines: impl Fn() -> Vec<Machine> + Sync,
    circuit: impl Fn(&mut Machine, &mut ChaCha8Rng) -> Report + Sync,
) {
    let next = AtomicU64::new(first_seed);
    let short = Mutex::new(Vec::new());
    let nearest = Mutex::new((f64::NEG_INFINITY, String::new()));
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(4);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut machines = machines();
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first_seed + count {
                        break;
                    }
                    let mut rng = ChaCha8Rng::seed_from_u64(seed);
                    let which = rng.gen_range(0..machines.len());
                    let report = circuit(&mut machines[which], &mut rng);
                    assert!(
                        report.worst_bits <= TOLERANCE_BITS,
                        "seed {seed}: {} is {:.2} bits worse than claimed",
                        report.worst_step,
                        report.worst_bits
                    );
                    short.lock().unwrap().extend(report.last_short_bits);
                    let mut nearest = nearest.lock().unwrap();
                    if report.worst_bits > nearest.0 {
                        *nearest =
                            (report.worst_bits, format!("seed {seed}, {}", report.worst_step));
                    }
                }
            });
        }
    });
    let (mut short, nearest) = (short.into_inner().unwrap(), nearest.into_inner().unwrap());
    short.sort_unstable_by(f64::total_cmp);
    let quantile = |part: f64| short[((short.len() - 1) as f64 * part) as usize];
    println!(
        "{} circuits: claims fall short of the truth by {:.2} bits in the median, {:.2} in nine of \
        ten; the worst is {:.2} bits above it: {}",
        short.len(),
        quantile(0.5),
        quantile(0.9),
        nearest.0,
        nearest.1
    );
    assert!(short.len() as u64 > count / 2, "{} of {count}", short.len());
    assert!(quantile(0.5) <= MEDIAN_BITS, "the median claim is {:.2} bits short", quantile(0.5));
}

fn small() -> Vec<Machine> {
    let machine = |(log_degree, units, levels): (u32, u32, usize)| {
        let base_units = 12.max(units + 4);
        let steps = vec![units; levels];
        let shape = ChainShape { log_degree, base_units, steps, digits: 3 };
        Machine::new(&Parameters::insecure(shape, SecretKind::Ternary).unwrap())
    };
    RINGS.map(machine).into()
}

/// Returns the full number of circuits, or a part if time is short.
fn count(all: u64) -> u64 {
    if std::env::var_os("HALIMEDE_SWEEP").is_some() {
        all
    } else {
        all / 5
    }
}

#[test]
fn random_circuits_keep_the_promise() {
    run(count(5000), 1, small, random::circuit);
}

#[test]
fn adversarial_circuits_keep_the_promise() {
    run(count(5000), 1_000_000, small, adversarial::circuit);
}

/// 64 values whose slots all have the same error in the end: without a factor for that, 9 to 15
/// sums of 100 are worse than claimed by more than half a bit.
#[test]
fn sums_made_by_hand_keep_the_promise() {
    let mut machine = small().remove(0);
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for by_doubling in [true, false] {
        let (runs, mut worse, mut worst) = (count(1000), 0, f64::NEG_INFINITY);
        for _ in 0..runs {
            let x = adversarial::one_large_source(&mut machine, &mut rng, 64).unwrap();
            let sum = adversarial::sum_by_hand(&machine, &x, 64, by_doubling).unwrap();
            let mut report = Report::new();
            report.check(&machine, &sum, "a sum by hand");
            worse += u32::from(report.worst_bits > TOLERANCE_BITS);
            worst = report.worst_bits.max(worst);
        }
        println!(
            "{runs} sums of 64 by hand, by doubling: {by_doubling}: {worse} are worse than claimed; \
            the worst by {worst:.2} bits"
        );
        assert_eq!(worse, 0, "the worst by {worst:.2} bits");
    }
}

#[test]
fn circuits_of_a_secure_ring_keep_the_promise() {
    let machines = || vec![Machine::new(&Parameters::preset("n14").unwrap())];
    run(count(50), 2_000_000, machines, random::circuit);
    run(count(50), 3_000_000, machines, adversarial::circuit);
}

#[test]
fn functions_keep_the_promise() {
    run(count(500), 5_000_000, functions::machines, functions::circuit);
}

#[test]
fn bootstraps_keep_the_promise() {
    run(count(100), 4_000_000, bootstraps::machines, bootstraps::circuit);
}
