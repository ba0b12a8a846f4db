// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Equihash solutions in bulk.

use halimede_arith::job::{in_pieces, Bytes, Columns, DeviceError, Execute};
use halimede_equihash::operations::{Solutions, Verify, VerifyBatch, HEADER_BYTES};
use halimede_equihash::{Mask, Params};

use super::error::FlatError;
use crate::device::Device;

/// Every check of each solution, but the difficulty, which is a header's matter. A card takes
/// inputs of [`HEADER_BYTES`], this processor those of any length.
///
/// # Errors
/// [`FlatError::Solution`] for the first solution of a wrong length, [`FlatError::PuzzleInput`] for
/// the first input that the device does not take, [`FlatError::Device`].
pub fn verify(
    device: &Device,
    params: Params,
    inputs: Bytes<'_>,
    solutions: Bytes<'_>,
) -> Result<Vec<Mask>, FlatError> {
    let refused = |(row, error)| FlatError::Solution { row, error };
    let solutions = Solutions::new(params, inputs, solutions).map_err(refused)?;
    let (batch, piece) = (VerifyBatch::Solutions(solutions), device.limits::<Verify>().piece);
    let rows = batch.len();
    let mut masks = Vec::with_capacity(rows);
    let first_of = |start| piece.first_of::<Verify>(batch.slice(start..rows));
    let verified = in_pieces(device.name(), rows, first_of, |range| {
        masks.extend(Execute::<Verify>::execute(device, batch.slice(range))?.replies);
        Ok(())
    });
    match verified {
        Ok(()) => Ok(masks),
        Err(error) => Err(unsupported_input(inputs, error)),
    }
}

/// The error, which names an input where the device does not take its length.
fn unsupported_input(inputs: Bytes<'_>, error: DeviceError) -> FlatError {
    let mut rows = inputs.rows().enumerate();
    match (rows.find(|(_, input)| input.len() != HEADER_BYTES), &error) {
        (Some((row, input)), DeviceError::Unsupported { .. }) => {
            FlatError::PuzzleInput { row, got: input.len(), expected: HEADER_BYTES }
        }
        _ => error.into(),
    }
}
