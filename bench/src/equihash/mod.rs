// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Equihash: verification of single solutions and of batches, and early rejections, against the
//! crate `equihash` in its fastest build.

mod cases;

use std::hint::black_box;
use std::sync::Arc;

use halimede_arith::EngineBackend;
use halimede_equihash::{verify_batch, LaneBackend, Params, Rejection, Verifier, VerifyRow};

use crate::card_table::figure;
use crate::comparison::{in_a_loop, Comparison};
use cases::Solution;

const PEER: &str = "equihash 0.3, unsafe-verifier";

const README: &str = include_str!("../../../engines/equihash/rtl/README.md");

/// The note below the table: a published engine's rate, and the simulated card's clocks.
pub fn note() -> String {
    let clocks = figure(README, "(200, 9)", "clocks a solution").unwrap_or("not measured");
    format!(
        "published FPGA engine, (200, 9): 207,000 solutions a second, 4.83 us each\n\
         the card, simulated, (200, 9): {clocks} clocks a solution"
    )
}

/// The parameters, the solutions of a batch, and the target ratios with AVX-512 and with AVX2.
const PARAMETERS: [(Params, usize, [f64; 2]); 4] = [
    (Params::ZCASH, 16, [5.5, 1.3]),
    (Params::N144_K5, 512, [1.0, 1.0]),
    (Params::N96_K5, 512, [1.0, 1.0]),
    (Params::REGTEST, 512, [1.0, 1.0]),
];

/// All comparisons, batches on the current pool of `threads`.
///
/// # Errors
/// If ours and the peer give different verdicts on a solution.
pub fn comparisons(threads: usize) -> Result<Vec<Comparison>, String> {
    let mut all = Vec::new();
    for (params, count, aims) in PARAMETERS {
        let valid = cases::valid(params)?;
        for backend in LaneBackend::available() {
            let aim = match backend {
                LaneBackend::Avx512 => aims[0],
                LaneBackend::Avx2 => aims[1],
                LaneBackend::Portable => 1.0,
            };
            let name = format!("{params} one");
            all.push(one(name, &valid[0], backend, aim)?);
        }
        let many: Arc<[Solution]> = valid.into_iter().cycle().take(count).collect();
        all.push(batch(params, many, threads, aims)?);
    }
    for (name, spoilt) in cases::spoilt()? {
        for backend in LaneBackend::available() {
            all.push(one(format!("(200, 9) {name}"), &spoilt, backend, 1.0)?);
        }
    }
    Ok(all)
}

fn is_valid_to_the_peer(solution: &Solution) -> bool {
    let (n, k) = (solution.params.n(), solution.params.k());
    equihash::is_valid_solution(n, k, &solution.input, &[], &solution.minimal).is_ok()
}

fn verify(solution: &Solution, backend: LaneBackend) -> Result<(), Rejection> {
    let verifier = Verifier::with_backend(solution.params, &solution.input, backend);
    verifier.map_or(Ok(()), |verifier| verifier.verify(&solution.minimal))
}

/// One solution with its own header, on one thread.
fn one(
    case: String,
    solution: &Solution,
    backend: LaneBackend,
    aim: f64,
) -> Result<Comparison, String> {
    if verify(solution, backend).is_ok() != is_valid_to_the_peer(solution) {
        return Err(format!("{case}, {backend}: the verdicts differ"));
    }
    let (ours, theirs) = (solution.clone(), solution.clone());
    Ok(Comparison {
        engine: "equihash",
        case,
        threads: 1,
        units_a_call: 1,
        unit: "us/solution",
        unit_ns: 1e3,
        backend: backend.name(),
        ours: Box::new(move || {
            let _ = black_box(verify(black_box(&ours), backend));
        }),
        peer: PEER,
        theirs: Some(Box::new(move || {
            black_box(is_valid_to_the_peer(black_box(&theirs)));
        })),
        theirs_factor: 1.0,
        aim: Some(aim),
    })
}

/// Many solutions, each with its header, on all threads.
fn batch(
    params: Params,
    solutions: Arc<[Solution]>,
    threads: usize,
    aims: [f64; 2],
) -> Result<Comparison, String> {
    let case = format!("{params} batch of {}", solutions.len());
    let theirs = Arc::clone(&solutions);
    let answer = move |solutions: &[Solution]| {
        let rows: Vec<VerifyRow<'_>> = solutions.iter().filter_map(Solution::row).collect();
        verify_batch(&rows)
    };
    let by_the_peer = solutions.iter().map(is_valid_to_the_peer);
    if !answer(&solutions).iter().map(Result::is_ok).eq(by_the_peer) {
        return Err(format!("{case}: the verdicts differ"));
    }
    let backend = LaneBackend::active();
    Ok(Comparison {
        engine: "equihash",
        case,
        threads,
        units_a_call: solutions.len(),
        unit: "us/solution",
        unit_ns: 1e3,
        backend: backend.name(),
        ours: Box::new(move || {
            black_box(answer(black_box(&solutions)));
        }),
        peer: PEER,
        theirs: Some(Box::new(move || {
            black_box(in_a_loop(black_box(&theirs), is_valid_to_the_peer));
        })),
        theirs_factor: 1.0,
        aim: match backend {
            LaneBackend::Avx512 => Some(aims[0]),
            LaneBackend::Avx2 => Some(aims[1]),
            LaneBackend::Portable => None,
        },
    })
}
