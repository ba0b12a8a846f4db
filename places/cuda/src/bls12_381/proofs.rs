// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proofs of Groth16 on a GPU, each with its own product of pairings. What a key has in common for
//! its proofs is computed once for each piece of a batch: the Miller loop of −α and β, the lines of
//! γ and δ, and multiples of the terms (`kernels/bls12_381_proofs.cu`).

use std::ops::Range;
use std::sync::Arc;

use halimede_arith::job::Amount;
use halimede_bls12_381::groth16::{Rejection, VerifyingKey, PROOF_BYTES};
use halimede_bls12_381::operations::{ProofRequest, VerifyProof};
use halimede_bls12_381::{PointError, G1, G2};

use super::parts::{checked, count_of};
use crate::error::CudaError;
use crate::groups::by_key;
use crate::kernel::Kernel;
use crate::memory::Argument;
use crate::workspace::Workspace;

const ENGINE: &str = "bls12_381_proofs";

/// Words of 64 bits of a point of G1 and of G2.
const G1_WORDS: usize = 12;
const G2_WORDS: usize = 24;
/// Bytes of the lines of a point, of the multiples of a term, and of a value in F_p¹².
const LINES_BYTES: usize = 68 * 288;
const MULTIPLES_BYTES: usize = WINDOWS * 15 * 96;
const VALUE_BYTES: usize = 576;
/// Windows of an input.
const WINDOWS: usize = 64;
/// The most public inputs of a key: its multiples need 92 KB for each.
const MOST_INPUTS: usize = 2047;

/// Numbers of outputs: points of G1 with their statuses, of G2, and verdicts.
const FIRST: usize = 0;
const SECOND: usize = 1;
const VERDICTS: usize = 2;

/// The places of A, B and C in a proof.
const PLACES: [Range<usize>; 3] = [0..48, 48..144, 144..PROOF_BYTES];

/// The kernels of [`VerifyProof`].
#[derive(Debug)]
pub struct VerifyProofOnGpu;

/// The different keys of a batch, and the number of each request's key.
fn keys_of(batch: &[ProofRequest]) -> (Vec<&VerifyingKey>, Vec<usize>) {
    let groups = by_key(batch.iter().map(|request| Arc::as_ptr(&request.key)));
    let mut numbers = vec![0; batch.len()];
    for (number, (_, rows)) in groups.iter().enumerate() {
        rows.iter().for_each(|row| numbers[*row] = number);
    }
    (groups.iter().map(|(_, rows)| &*batch[rows[0]].key).collect(), numbers)
}

/// Parts of proofs; a proof of another length has none.
fn parts<'r>(batch: &'r [ProofRequest], places: &[Range<usize>]) -> Vec<&'r [u8]> {
    let part = |request: &'r ProofRequest, place: &Range<usize>| {
        let bytes: &[u8] = if request.proof.len() == PROOF_BYTES { &request.proof } else { &[] };
        bytes.get(place.clone()).unwrap_or_default()
    };
    batch.iter().flat_map(|row| places.iter().map(move |place| part(row, place))).collect()
}

/// The parts of products that keys have in common for their proofs.
struct Prepared {
    lines: Argument,
    values: Argument,
    multiples: Argument,
}

/// Begins to compute what keys have in common for their proofs.
fn prepare(workspace: &mut Workspace, keys: &[&VerifyingKey]) -> Result<Prepared, CudaError> {
    let count = keys.len();
    let twists = workspace.input(0, 2 * G2_WORDS * count, |memory: &mut [u64]| {
        for (place, key) in memory.chunks_exact_mut(2 * G2_WORDS).zip(keys) {
            let (gamma, delta) = key.gamma_delta();
            place[..G2_WORDS].copy_from_slice(gamma.montgomery_words());
            place[G2_WORDS..].copy_from_slice(delta.montgomery_words());
        }
    })?;
    let lines = workspace.scratch::<u8>(0, 2 * LINES_BYTES * count)?;
    let arguments = [twists, lines, count_of(2 * count)];
    workspace.launch("bls12_381_proofs_prepare_lines", 2 * count as u64, &arguments)?;
    let pair_words = G1_WORDS + G2_WORDS;
    let pairs = workspace.input(1, pair_words * count, |memory: &mut [u64]| {
        for (place, key) in memory.chunks_exact_mut(pair_words).zip(keys) {
            let (alpha, beta) = key.alpha_beta();
            place[..G1_WORDS].copy_from_slice(alpha.negated().montgomery_words());
            place[G1_WORDS..].copy_from_slice(beta.montgomery_words());
        }
    })?;
    let values = workspace.scratch::<u8>(1, VALUE_BYTES * count)?;
    let arguments = [pairs, values, count_of(count)];
    workspace.launch("bls12_381_proofs_prepare_pairs", count as u64, &arguments)?;
    let terms = || keys.iter().flat_map(|key| key.terms());
    let count = terms().count();
    let points = workspace.input(2, G1_WORDS * count, |memory: &mut [u64]| {
        for (place, term) in memory.chunks_exact_mut(G1_WORDS).zip(terms()) {
            place.copy_from_slice(term.montgomery_words());
        }
    })?;
    let multiples = workspace.scratch::<u8>(2, MULTIPLES_BYTES * count)?;
    let arguments = [points, multiples, count_of(WINDOWS * count)];
    workspace.launch("bls12_381_proofs_prepare_multiples", (WINDOWS * count) as u64, &arguments)?;
    Ok(Prepared { lines, values, multiples })
}

/// Begins to decode the points of proofs. Returns where those of G1 and of G2 are.
fn read(workspace: &mut Workspace, batch: &[ProofRequest]) -> Result<[Argument; 2], CudaError> {
    let count = batch.len();
    let proofs = workspace.input(3, PROOF_BYTES * count, |memory: &mut [u8]| {
        memory.fill(0);
        for (place, request) in memory.chunks_exact_mut(PROOF_BYTES).zip(batch) {
            if request.proof.len() == PROOF_BYTES {
                place.copy_from_slice(&request.proof);
            }
        }
    })?;
    let first = workspace.scratch::<u64>(3, 2 * G1_WORDS * count)?;
    let statuses = workspace.output::<u32>(FIRST, 2 * count)?;
    let arguments = [proofs, first, statuses, count_of(2 * count)];
    workspace.launch("bls12_381_proofs_read_g1", 2 * count as u64, &arguments)?;
    workspace.fetch::<u32>(FIRST, 2 * count)?;
    let second = workspace.scratch::<u64>(4, G2_WORDS * count)?;
    let statuses = workspace.output::<u32>(SECOND, count)?;
    let arguments = [proofs, second, statuses, count_of(count)];
    workspace.launch("bls12_381_proofs_read_g2", count as u64, &arguments)?;
    workspace.fetch::<u32>(SECOND, count)?;
    Ok([first, second])
}

/// Uploads the inputs of proofs, and what each proof belongs to: its key, the key's first term, its
/// first input, and how many it has. Proofs with a wrong number of inputs have none.
fn upload_rows(
    workspace: &mut Workspace,
    batch: &[ProofRequest],
    keys: &[&VerifyingKey],
    numbers: &[usize],
) -> Result<[Argument; 2], CudaError> {
    let right = |request: &&ProofRequest| request.inputs.len() == request.key.inputs();
    let first_terms: Vec<usize> = keys
        .iter()
        .scan(0, |end, key| {
            let start = *end;
            *end += key.terms().len();
            Some(start)
        })
        .collect();
    let rows = workspace.input(4, 4 * batch.len(), |memory: &mut [u32]| {
        let mut input = 0;
        let places = memory.chunks_exact_mut(4);
        for ((place, request), key) in places.zip(batch).zip(numbers) {
            let inputs = if right(&request) { request.inputs.len() } else { 0 };
            let row = [*key, first_terms[*key], input, inputs];
            place.iter_mut().zip(row).for_each(|(word, number)| *word = number as u32);
            input += inputs;
        }
    })?;
    let inputs = || batch.iter().filter(right).flat_map(|request| &request.inputs);
    let scalars = workspace.input(5, 32 * inputs().count(), |memory: &mut [u8]| {
        for (place, input) in memory.chunks_exact_mut(32).zip(inputs()) {
            place.copy_from_slice(&input.to_le_bytes());
        }
    })?;
    Ok([rows, scalars])
}

impl Kernel for VerifyProofOnGpu {
    type Operation = VerifyProof;
    const ENGINE: &'static str = ENGINE;
    const PIECE: Amount = Amount::of_requests(1 << 14);

    fn unsupported(row: &ProofRequest) -> Option<String> {
        let inputs = row.key.inputs();
        (inputs > MOST_INPUTS).then(|| {
            format!(
                "the kernels support keys with at most {MOST_INPUTS} public inputs, not {inputs}"
            )
        })
    }

    fn start(workspace: &mut Workspace, batch: &[ProofRequest]) -> Result<(), CudaError> {
        let (keys, numbers) = keys_of(batch);
        let prepared = prepare(workspace, &keys)?;
        let [first, second] = read(workspace, batch)?;
        let [rows, scalars] = upload_rows(workspace, batch, &keys, &numbers)?;
        let count = batch.len();
        let sums = workspace.scratch::<u64>(5, G1_WORDS * count)?;
        let arguments = [prepared.multiples, rows, scalars, sums, count_of(count)];
        workspace.launch("bls12_381_proofs_sum_inputs", count as u64, &arguments)?;
        let verdicts = workspace.output::<u32>(VERDICTS, count)?;
        let Prepared { lines, values, .. } = prepared;
        let arguments = [first, second, sums, rows, lines, values, verdicts, count_of(count)];
        workspace.launch("bls12_381_proofs_check", count as u64, &arguments)?;
        workspace.fetch::<u32>(VERDICTS, count)
    }

    fn finish(
        workspace: &mut Workspace,
        batch: &[ProofRequest],
    ) -> Result<Vec<Result<(), Rejection>>, CudaError> {
        let [a, b, c] = PLACES;
        let first = checked::<G1>(workspace, FIRST, &parts(batch, &[a, c]), false)?;
        let second = checked::<G2>(workspace, SECOND, &parts(batch, &[b]), false)?;
        let verdicts = workspace.fetched::<u32>(VERDICTS)?;
        let rows = batch.iter().zip(first.chunks_exact(2)).zip(&second).zip(verdicts);
        rows.map(|(((request, first), second), verdict)| {
            let errors = [("A", &first[0]), ("B", second), ("C", &first[1])];
            reply(request, errors, *verdict)
        })
        .collect()
    }
}

/// The reply to a request, from the errors of its parts and its verdict.
fn reply(
    request: &ProofRequest,
    errors: [(&'static str, &Option<PointError>); 3],
    verdict: u32,
) -> Result<Result<(), Rejection>, CudaError> {
    let (expected, got) = (request.key.inputs(), request.inputs.len());
    if expected != got {
        return Ok(Err(Rejection::Inputs { expected, got }));
    }
    if request.proof.len() != PROOF_BYTES {
        return Ok(Err(Rejection::Length { got: request.proof.len() }));
    }
    for (part, error) in errors {
        if let Some(error) = error {
            return Ok(Err(Rejection::Point { part, error: *error }));
        }
    }
    match verdict {
        0 => Ok(Err(Rejection::Mismatch)),
        1 => Ok(Ok(())),
        other => Err(CudaError::Reply { engine: ENGINE, reason: format!("the verdict {other}") }),
    }
}
