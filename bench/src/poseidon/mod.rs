// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Poseidon: single hashes and batches, with Filecoin's and StarkWare's parameters; batches of
//! Poseidon2 and of circom's Poseidon.

mod circuits;
mod filecoin;
mod stark;

use std::hint::black_box;

use generic_array::typenum::{U11, U2, U4, U8};
use halimede_arith::Backend;

use crate::Comparison;

/// The number of hashes of a batch.
const BATCH: usize = 1024;

/// All comparisons, batches on the current thread pool of `threads`.
///
/// # Errors
/// If ours and a peer give different answers.
pub fn comparisons(threads: usize) -> Result<Vec<Comparison>, String> {
    let mut all = Vec::new();
    all.extend(filecoin::comparisons::<U2>(threads, [2.7, 3.8])?);
    all.extend(filecoin::comparisons::<U4>(threads, [3.2, 4.5])?);
    all.extend(filecoin::comparisons::<U8>(threads, [3.8, 5.5])?);
    all.extend(filecoin::comparisons::<U11>(threads, [4.3, 6.0])?);
    all.extend(stark::comparisons(threads)?);
    all.extend(circuits::comparisons(threads)?);
    Ok(all)
}

/// A comparison of single hashes, which cycles through the inputs of the batch.
fn one_at_a_time<A: 'static, B: 'static>(
    case: &str,
    peer: &'static str,
    aim: Option<f64>,
    ours: impl Fn(usize) -> A + 'static,
    theirs: impl Fn(usize) -> B + 'static,
) -> Comparison {
    Comparison {
        engine: "poseidon",
        case: format!("{case}, one at a time"),
        threads: 1,
        units_a_call: 1,
        unit: "us/hash",
        unit_ns: 1e3,
        backend: Backend::active().name(),
        ours: Box::new(in_turn(ours)),
        peer,
        theirs: Some(Box::new(in_turn(theirs))),
        theirs_factor: 1.0,
        aim,
    }
}

/// A comparison of whole batches.
fn batch<A: 'static, B: 'static>(
    case: &str,
    threads: usize,
    peer: &'static str,
    aim: Option<f64>,
    ours: impl Fn() -> A + 'static,
    theirs: impl Fn() -> B + 'static,
) -> Comparison {
    Comparison {
        engine: "poseidon",
        case: format!("{case}, batch of {BATCH}"),
        threads,
        units_a_call: BATCH,
        unit: "us/hash",
        unit_ns: 1e3,
        backend: Backend::active().name(),
        ours: Box::new(move || drop(black_box(ours()))),
        peer,
        theirs: Some(Box::new(move || drop(black_box(theirs())))),
        theirs_factor: 1.0,
        aim,
    }
}

/// Calls the function with the next index of the batch each time.
fn in_turn<A>(function: impl Fn(usize) -> A) -> impl FnMut() {
    let mut turn = 0;
    move || {
        turn = (turn + 1) % BATCH;
        drop(black_box(function(black_box(turn))));
    }
}
