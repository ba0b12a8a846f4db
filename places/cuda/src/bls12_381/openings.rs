// SPDX-License-Identifier: Apache-2.0 OR MIT
//! KZG openings on a GPU: e(y·g₁ − C − z·π, g₂)·e(π, τ·g₂) = 1 for each.
//!
//! The host hashes and evaluates blobs, on the threads of the current pool: only z and y are sent.

use halimede_arith::job::Amount;
use halimede_bls12_381::kzg::{Opening, OpeningError};
use halimede_bls12_381::operations::{OpeningRequest, VerifyOpening};
use halimede_bls12_381::{Curve, CurvePoint, Point, PointError, G1, G2};
use rayon::prelude::*;

use super::combination::send;
use super::parts::{checked_by, count_of, read_points, verdict_of, words_of};
use super::reply::not_valid;
use super::ENGINE;
use crate::error::CudaError;
use crate::kernel::Kernel;
use crate::memory::Argument;
use crate::workspace::Workspace;

/// Numbers of memory; points use several from these on.
const COMMITMENTS: usize = 0;
const PROOFS: usize = 2;
const SCALARS: usize = 4;
const SETUPS: usize = 5;
const PAIRS: usize = 6;
const PRODUCTS: usize = 7;
/// Outputs.
const STATUSES: usize = 4;
const VERDICTS: usize = 5;
/// The name of the table of the generator of G2.
const GENERATOR: u64 = 16;
/// Bytes of z and y.
const SCALAR_BYTES: usize = 64;

/// The kernels of [`VerifyOpening`].
#[derive(Debug)]
pub struct VerifyOpeningOnGpu;

/// Encodings of this length are read.
fn only_compressed(encoding: &[u8]) -> &[u8] {
    match encoding.len() == G1::COMPRESSED_BYTES {
        true => encoding,
        false => &[],
    }
}

/// Returns y and −z, little-endian. The kernel reports 2²⁵⁶ − 1, which replaces those of an opening
/// without scalars.
fn scalars(opening: Opening<'_>) -> [u8; SCALAR_BYTES] {
    let mut bytes = [u8::MAX; SCALAR_BYTES];
    if let Ok((z, y)) = opening.scalars() {
        bytes[..32].copy_from_slice(&y.to_le_bytes());
        bytes[32..].copy_from_slice(&(-z).to_le_bytes());
    }
    bytes
}

/// Returns the different points τ·g₂, and the number of each row's.
fn setups(batch: &[OpeningRequest]) -> (Vec<Point<G2>>, Vec<u32>) {
    let mut different: Vec<Point<G2>> = Vec::new();
    let number_of = batch.iter().map(|row| {
        let tau = row.setup.tau();
        let known = different.iter().position(|other| *other == tau);
        known.unwrap_or_else(|| {
            different.push(tau);
            different.len() - 1
        }) as u32
    });
    let number_of = number_of.collect();
    (different, number_of)
}

/// Sends points of G2 for the kernels: word w of point i is at w · count + i.
fn send_points(workspace: &mut Workspace, points: &[Point<G2>]) -> Result<Argument, CudaError> {
    let rows: Vec<Vec<u32>> =
        points.iter().map(|point| words_of::<G2>(&point.to_uncompressed())).collect();
    let words = G2::UNCOMPRESSED_BYTES / size_of::<u32>();
    let columns: Vec<u32> =
        (0..words).flat_map(|word| rows.iter().map(move |row| row[word])).collect();
    send(workspace, SETUPS, &columns)
}

impl Kernel for VerifyOpeningOnGpu {
    type Operation = VerifyOpening;
    const ENGINE: &'static str = ENGINE;
    const PIECE: Amount = Amount::of_requests(1 << 14);

    fn start(workspace: &mut Workspace, batch: &[OpeningRequest]) -> Result<(), CudaError> {
        let count = batch.len();
        let openings = batch.iter().map(|row| row.opening.borrow());
        let (commitments, proofs): (Vec<&[u8]>, Vec<&[u8]>) = openings
            .map(|opening| {
                (only_compressed(opening.commitment()), only_compressed(opening.proof()))
            })
            .unzip();
        let commitments = read_points::<G1>(workspace, COMMITMENTS, &commitments)?;
        let proofs = read_points::<G1>(workspace, PROOFS, &proofs)?;
        let scalars = workspace.input(SCALARS, SCALAR_BYTES * count, |memory: &mut [u8]| {
            let places = memory.par_chunks_exact_mut(SCALAR_BYTES);
            places.zip(batch).for_each(|(place, row)| {
                place.copy_from_slice(&scalars(row.opening.borrow()));
            });
        })?;
        let lefts = workspace.scratch::<u8>(SCALARS, G1::UNCOMPRESSED_BYTES * count)?;
        let statuses = workspace.output::<u32>(STATUSES, count)?;
        let arguments = [commitments, proofs, scalars, lefts, statuses, count_of(count)];
        workspace.launch("bls12_381_open", count as u64, &arguments)?;
        workspace.fetch::<u32>(STATUSES, count)?;
        let (setups, setup_of) = setups(batch);
        let taus = send_points(workspace, &setups)?;
        let pairs: Vec<[u32; 2]> = (0..).zip(setup_of).map(|(row, setup)| [row, setup]).collect();
        let pairs = send(workspace, PAIRS, pairs.as_flattened())?;
        // All rows are checked: none is in a product that is 1.
        let products = send(workspace, PRODUCTS, &[0])?;
        let generator = workspace
            .table(GENERATOR, || words_of::<G2>(&Point::<G2>::generator().to_uncompressed()))?;
        let verdicts = workspace.output::<u32>(VERDICTS, count)?;
        let (stride, setups) = (count_of(count), count_of(setups.len()));
        let arguments = [
            products,
            stride,
            proofs,
            stride,
            taus,
            setups,
            pairs,
            lefts,
            generator,
            Argument::U32(0),
            verdicts,
            stride,
        ];
        workspace.launch("bls12_381_check_rows", count as u64, &arguments)?;
        workspace.fetch::<u32>(VERDICTS, count)
    }

    fn finish(
        workspace: &mut Workspace,
        batch: &[OpeningRequest],
    ) -> Result<Vec<Result<bool, OpeningError>>, CudaError> {
        let errors = |number, encodings: Vec<&[u8]>| {
            let read = |encoding: &[u8]| CurvePoint::<G1>::from_compressed(encoding).err();
            checked_by(workspace, number, &encodings, (true, read))
        };
        let openings: Vec<Opening<'_>> = batch.iter().map(|row| row.opening.borrow()).collect();
        let commitments = errors(COMMITMENTS, openings.iter().map(Opening::commitment).collect())?;
        let proofs = errors(PROOFS, openings.iter().map(Opening::proof).collect())?;
        let statuses = workspace.fetched::<u32>(STATUSES)?;
        let verdicts = workspace.fetched::<u32>(VERDICTS)?;
        let rows = openings.iter().zip(commitments).zip(proofs).zip(statuses).zip(verdicts);
        rows.map(|((((opening, commitment), proof), status), verdict)| {
            reply(opening, (commitment, proof), *status, *verdict)
        })
        .collect()
    }
}

/// Returns the reply to an opening: its first error, in the order of the processor, or its verdict.
fn reply(
    opening: &Opening<'_>,
    (commitment, proof): (Option<PointError>, Option<PointError>),
    status: u32,
    verdict: u32,
) -> Result<Result<bool, OpeningError>, CudaError> {
    if let Some(error) = commitment {
        return Ok(Err(OpeningError::Commitment(error)));
    }
    if let Some(error) = proof {
        return Ok(Err(OpeningError::Proof(error)));
    }
    match status {
        0 => Ok(Ok(verdict_of(verdict)?)),
        _ => match opening.scalars() {
            Err(error) => Ok(Err(error)),
            Ok(_) => Err(not_valid("rejects correct scalars".to_owned())),
        },
    }
}
