// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Single operations on points on a GPU: sums, multiples, products of pairings, maps, hashes. The
//! kernels are in `kernels/bls12_381_evaluate.cu`; points and scalars are public.
//!
//! The calls of a piece are split by kind, and each kind has its own launches.

mod hashes;
mod maps;
mod products;
mod sums;

use halimede_arith::job::Amount;
use halimede_bls12_381::hash::HashError;
use halimede_bls12_381::operations::{Call, Evaluate, Hash};
use halimede_bls12_381::{G1, G2};

use self::products::Pairs;
use self::sums::List;
use crate::error::CudaError;
use crate::kernel::Kernel;
use crate::workspace::Workspace;

const ENGINE: &str = "bls12_381_evaluate";

/// The first numbers of memory of each kind, and how many numbers a kind has.
const NUMBERS: usize = 8;
const SUMS_G1: usize = 0;
const SUMS_G2: usize = NUMBERS;
const PRODUCTS: usize = 2 * NUMBERS;
const MAPS_G1: usize = 3 * NUMBERS;
const MAPS_G2: usize = 4 * NUMBERS;
const HASHES_G1: usize = 5 * NUMBERS;
const HASHES_G2: usize = 6 * NUMBERS;

/// The most points of a sum.
const MOST_POINTS: usize = 1 << 26;

/// The kernels of [`Evaluate`].
#[derive(Debug)]
pub struct EvaluateOnGpu;

/// The reply to a call.
type Reply = Result<Vec<u8>, HashError>;

/// Calls of a kind, each with its number in the batch.
type Numbered<T> = Vec<(usize, T)>;

/// Calls by kind.
#[derive(Default)]
struct Calls<'r> {
    sums_g1: Numbered<List<'r, G1>>,
    sums_g2: Numbered<List<'r, G2>>,
    products: Numbered<Pairs<'r>>,
    maps_g1: Numbered<&'r [u8]>,
    maps_g2: Numbered<&'r [u8]>,
    hashes_g1: Numbered<&'r Hash>,
    hashes_g2: Numbered<&'r Hash>,
}

impl<'r> Calls<'r> {
    fn of(batch: &'r [Call]) -> Self {
        let mut calls = Self::default();
        for (row, call) in batch.iter().enumerate() {
            match call {
                Call::PairingProduct(pairs) => calls.products.push((row, (pairs, false))),
                Call::IsPairingProductOne(pairs) => calls.products.push((row, (pairs, true))),
                Call::AddG1(points) => calls.sums_g1.push((row, List::Points(points))),
                Call::AddG2(points) => calls.sums_g2.push((row, List::Points(points))),
                Call::SumG1(terms) => calls.sums_g1.push((row, List::Terms(terms))),
                Call::SumG2(terms) => calls.sums_g2.push((row, List::Terms(terms))),
                Call::MapG1(element) => calls.maps_g1.push((row, element)),
                Call::MapG2(element) => calls.maps_g2.push((row, element)),
                Call::HashG1(hash) => calls.hashes_g1.push((row, hash)),
                Call::HashG2(hash) => calls.hashes_g2.push((row, hash)),
            }
        }
        calls
    }
}

/// The calls without their numbers.
fn rows<T: Copy>(numbered: &Numbered<T>) -> Vec<T> {
    numbered.iter().map(|(_, call)| *call).collect()
}

/// Writes the replies to calls of a kind.
fn place<T>(replies: &mut [Option<Reply>], numbered: &Numbered<T>, made: Vec<Reply>) {
    for ((row, _), reply) in numbered.iter().zip(made) {
        replies[*row] = Some(reply);
    }
}

impl Kernel for EvaluateOnGpu {
    type Operation = Evaluate;
    const ENGINE: &'static str = ENGINE;
    const PIECE: Amount = Amount { requests: 1 << 14, units: 1 << 18 };

    fn unsupported(call: &Call) -> Option<String> {
        let points = match call {
            Call::PairingProduct(pairs) | Call::IsPairingProductOne(pairs) => pairs.len(),
            Call::AddG1(points) => points.len(),
            Call::AddG2(points) => points.len(),
            Call::SumG1(terms) => terms.len(),
            Call::SumG2(terms) => terms.len(),
            Call::MapG1(_) | Call::MapG2(_) | Call::HashG1(_) | Call::HashG2(_) => 1,
        };
        (points > MOST_POINTS)
            .then(|| format!("the kernels add at most {MOST_POINTS} points, not {points}"))
    }

    fn start(workspace: &mut Workspace, batch: &[Call]) -> Result<(), CudaError> {
        let calls = Calls::of(batch);
        sums::start(workspace, SUMS_G1, &rows(&calls.sums_g1))?;
        sums::start(workspace, SUMS_G2, &rows(&calls.sums_g2))?;
        products::start(workspace, PRODUCTS, &rows(&calls.products))?;
        maps::start::<G1>(workspace, MAPS_G1, &rows(&calls.maps_g1))?;
        maps::start::<G2>(workspace, MAPS_G2, &rows(&calls.maps_g2))?;
        hashes::start::<G1>(workspace, HASHES_G1, &rows(&calls.hashes_g1))?;
        hashes::start::<G2>(workspace, HASHES_G2, &rows(&calls.hashes_g2))
    }

    fn finish(workspace: &mut Workspace, batch: &[Call]) -> Result<Vec<Reply>, CudaError> {
        let calls = Calls::of(batch);
        let mut replies: Vec<Option<Reply>> = vec![None; batch.len()];
        let made = sums::finish(workspace, SUMS_G1, &rows(&calls.sums_g1))?;
        place(&mut replies, &calls.sums_g1, made);
        let made = sums::finish(workspace, SUMS_G2, &rows(&calls.sums_g2))?;
        place(&mut replies, &calls.sums_g2, made);
        let made = products::finish(workspace, PRODUCTS, &rows(&calls.products))?;
        place(&mut replies, &calls.products, made);
        let made = maps::finish::<G1>(workspace, MAPS_G1, &rows(&calls.maps_g1))?;
        place(&mut replies, &calls.maps_g1, made);
        let made = maps::finish::<G2>(workspace, MAPS_G2, &rows(&calls.maps_g2))?;
        place(&mut replies, &calls.maps_g2, made);
        let made = hashes::finish::<G1>(workspace, HASHES_G1, &rows(&calls.hashes_g1))?;
        place(&mut replies, &calls.hashes_g1, made);
        let made = hashes::finish::<G2>(workspace, HASHES_G2, &rows(&calls.hashes_g2))?;
        place(&mut replies, &calls.hashes_g2, made);
        let missing = || not_valid("no reply to a call".to_owned());
        replies.into_iter().map(|reply| reply.ok_or_else(missing)).collect()
    }
}

/// The error of an output that no request has.
fn not_valid(reason: String) -> CudaError {
    CudaError::Reply { engine: ENGINE, reason }
}
