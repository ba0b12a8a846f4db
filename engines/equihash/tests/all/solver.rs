// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares the solver with the crate `equihash`, and with an exhaustive search.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

use halimede_equihash::{
    indices_from_minimal, minimal_from_indices, Params, SolveError, Solver, Watch,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// An input, of Zcash's or another length, and a nonce.
fn random_input(rng: &mut ChaCha8Rng) -> (Vec<u8>, Vec<u8>) {
    let bytes = [108, 0, 1, 95, 140, 300][rng.gen_range(0..6)];
    ((0..bytes).map(|_| rng.gen()).collect(), (0..32).map(|_| rng.gen()).collect())
}

fn params(n: u32, k: u32) -> Params {
    Params::new(n, k).unwrap()
}

/// Solves, has the crate verify each solution, and counts them.
fn solve_verified(params: Params, input: &[u8], nonce: &[u8]) -> usize {
    let solutions = Solver::new(params).solve(&[input, nonce].concat()).unwrap();
    for (number, indices) in solutions.iter().enumerate() {
        let minimal = minimal_from_indices(params, indices).unwrap();
        assert_eq!(indices_from_minimal(params, &minimal).as_ref(), Ok(indices));
        let verdict = equihash::is_valid_solution(params.n(), params.k(), input, nonce, &minimal);
        assert!(verdict.is_ok(), "{params}, solution {number}: {verdict:?}");
        // The solution is valid only for this nonce.
        let mut other = nonce.to_vec();
        other[number % nonce.len()] ^= 1;
        equihash::is_valid_solution(params.n(), params.k(), input, &other, &minimal).unwrap_err();
    }
    assert!(solutions.windows(2).all(|pair| pair[0] < pair[1]));
    solutions.len()
}

fn mean(params: Params) -> f64 {
    Solver::new(params).mean_solutions()
}

/// Solves `puzzles` puzzles; the number of solutions must be plausible, within five standard
/// deviations of a Poisson distribution.
fn solve_many(params: Params, puzzles: u32, seed: u64) -> usize {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let solutions = (0..puzzles).map(|_| {
        let (input, nonce) = random_input(&mut rng);
        solve_verified(params, &input, &nonce)
    });
    let (solutions, mean): (usize, f64) = (solutions.sum(), f64::from(puzzles) * mean(params));
    let difference = (solutions as f64 - mean).abs();
    assert!(difference < 5.0 * mean.sqrt(), "{solutions} solutions, expected {mean:.0}");
    solutions
}

#[test]
fn the_crate_accepts_every_solution_of_small_puzzles() {
    assert!((mean(params(48, 5)) - 0.75).abs() < 0.02);
    assert!(solve_many(params(48, 5), 600, 485) > 300);
}

#[test]
fn the_crate_accepts_every_solution_of_larger_puzzles() {
    assert!(mean(params(96, 5)) > 1.99);
    solve_many(params(96, 5), 30, 965);
}

/// Fewer and more levels, hashes that do not fill their BLAKE2b outputs, odd widths.
#[test]
fn the_crate_accepts_solutions_of_other_parameters() {
    for (n, k, puzzles) in [(40, 4, 60), (48, 3, 30), (72, 5, 40), (88, 7, 40), (120, 7, 4)] {
        solve_many(params(n, k), puzzles, u64::from(n));
    }
}

/// Finds all solutions of a puzzle by trying every pair on every level, except pairs with a common
/// leaf.
fn search(params: Params, input: &[u8]) -> Vec<Vec<u32>> {
    let leaf = |index: u32| {
        let hash = blake2b_simd::Params::new()
            .hash_length(params.output_bytes())
            .personal(&params.personalisation())
            .to_state()
            .update(input)
            .update(&(index / params.leaves_per_hash()).to_le_bytes())
            .finalize();
        let part = (index % params.leaves_per_hash()) as usize * params.hash_bytes();
        hash.as_bytes()[part..part + params.hash_bytes()]
            .iter()
            .fold(0u128, |value, byte| value << 8 | u128::from(*byte))
    };
    let bits = params.collision_bits();
    let mut rows: Vec<(u128, Vec<u32>)> =
        (0..1 << params.index_bits()).map(|index| (leaf(index), vec![index])).collect();
    for level in 1..=params.k() {
        let zero_bits = if level == params.k() { params.n() } else { level * bits };
        let mut next = Vec::new();
        for (one, left) in &rows {
            for (other, right) in &rows {
                let sum = one ^ other;
                let collides = sum >> (params.n() - zero_bits) == 0;
                if collides && left[0] < right[0] && left.iter().all(|leaf| !right.contains(leaf)) {
                    next.push((sum, [&left[..], right].concat()));
                }
            }
        }
        rows = next;
    }
    let mut solutions: Vec<Vec<u32>> = rows.into_iter().map(|(_, indices)| indices).collect();
    solutions.sort();
    solutions
}

#[test]
fn no_solution_is_missed() {
    let mut rng = ChaCha8Rng::seed_from_u64(0xa11);
    let mut solutions = 0;
    for (n, k, puzzles) in [(16, 3, 200), (24, 3, 60), (24, 5, 60), (32, 3, 12), (40, 4, 6)] {
        let params = params(n, k);
        for _ in 0..puzzles {
            let (input, nonce) = random_input(&mut rng);
            let input = [input, nonce].concat();
            let expected = search(params, &input);
            assert_eq!(Solver::new(params).solve(&input).unwrap(), expected, "{params}");
            solutions += expected.len();
        }
    }
    assert!(solutions > 100, "{solutions}");
}

#[test]
fn what_takes_too_much_memory_is_refused_before_any_is_taken() {
    let solver = Solver::new(Params::N144_K5);
    let needed = solver.memory_bytes();
    assert!((1_700_000_000..2_100_000_000).contains(&needed), "{needed}");
    let limit = needed - 1;
    let error = solver.with_memory_limit(limit).solve(b"input").unwrap_err();
    assert_eq!(error, SolveError::MemoryLimit { params: Params::N144_K5, needed, limit });
    assert!(error.to_string().contains(&needed.to_string()));
    let small = Solver::new(Params::REGTEST);
    assert!(small.with_memory_limit(small.memory_bytes()).solve(b"input").is_ok());
    // The widest parameters: rejected for their number of rows, or for lack of memory.
    let wide = Solver::new(params(248, 7));
    assert!(matches!(wide.solve(b"input"), Err(SolveError::TooManyRows { .. })));
    let error = Solver::new(params(120, 3)).with_memory_limit(1 << 30).solve(b"input").unwrap_err();
    assert!(matches!(error, SolveError::MemoryLimit { .. }));
}

/// Records the progress reports; cancels at the call with the given number.
#[derive(Default)]
struct Notes {
    told: Mutex<Vec<f64>>,
    asked: AtomicUsize,
    cancel_at: Option<usize>,
}

impl Watch for Notes {
    fn progress(&self, done: f64) {
        self.told.lock().unwrap().push(done);
    }

    fn is_cancelled(&self) -> bool {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        self.cancel_at.is_some_and(|at| asked >= at)
    }
}

#[test]
fn a_watcher_sees_how_far_it_is_and_may_end_it() {
    let solver = Solver::new(params(96, 5));
    let notes = Notes::default();
    let solutions = solver.solve_watched(b"watched", &notes).unwrap();
    assert_eq!(solutions, solver.solve(b"watched").unwrap());
    let told = notes.told.into_inner().unwrap();
    assert!(told.len() > 100 && told.iter().all(|done| (0.0..=1.0).contains(done)));
    assert!(told.iter().any(|done| *done < 0.1) && told.contains(&1.0));
    let asked = notes.asked.into_inner();
    for cancel_at in [0, 1, asked / 4, asked / 2, asked - 1] {
        let notes = Notes { cancel_at: Some(cancel_at), ..Notes::default() };
        assert_eq!(solver.solve_watched(b"watched", &notes), Err(SolveError::Cancelled));
        let more = notes.asked.into_inner() - cancel_at;
        assert!(more <= 2_100, "{more} parts after it was cancelled");
    }
}

/// The order of threads does not change the result.
#[test]
fn any_number_of_threads_finds_the_same() {
    let mut rng = ChaCha8Rng::seed_from_u64(0x7ead);
    for _ in 0..3 {
        let (input, _) = random_input(&mut rng);
        let solve = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Solver::new(params(96, 5)).solve(&input)).unwrap()
        };
        let one: BTreeSet<Vec<u32>> = solve(1).into_iter().collect();
        assert_eq!(one.into_iter().collect::<Vec<_>>(), solve(7));
    }
}

/// (200, 9) as block 346's miner solved it, and (144, 5): slow, so only in sweeps.
#[test]
fn the_largest_puzzles() {
    if std::env::var_os("HALIMEDE_SWEEP").is_none() {
        eprintln!("skipped: HALIMEDE_SWEEP=1 runs it");
        return;
    }
    let block = hex::decode(include_str!("../../vectors/zcash_block_346.hex").trim()).unwrap();
    let solutions = Solver::new(Params::ZCASH).solve(&block[..140]).unwrap();
    let minimal: Vec<Vec<u8>> = solutions
        .iter()
        .map(|indices| minimal_from_indices(Params::ZCASH, indices).unwrap())
        .collect();
    assert!(minimal.iter().any(|solution| *solution == block[143..1_487]));
    let mut rng = ChaCha8Rng::seed_from_u64(0x2009);
    for params in [Params::ZCASH, Params::N144_K5] {
        let (input, nonce) = random_input(&mut rng);
        let found = solve_verified(params, &input, &nonce);
        assert!(found < 15, "{params}: {found}");
    }
}
