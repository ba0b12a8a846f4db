// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Equihash solutions in bulk.

use halimede_arith::job::Execute;
use halimede_equihash::operations::{Verify, VerifyRequest, HEADER_BYTES};
use halimede_equihash::{mask_batch, Check, EncodingError, Job, Mask};

use super::error::FlatError;
use crate::capabilities::Kind;
use crate::device::Device;
use crate::fork;

/// Every check of each solution, but [`Check::Difficulty`], which is a header's matter. A card takes
/// inputs of [`HEADER_BYTES`], this processor those of any length.
///
/// # Errors
/// [`FlatError::Solution`] or [`FlatError::PuzzleInput`] for the first job of a wrong length,
/// [`FlatError::Device`].
pub fn verify(device: &Device, jobs: &[Job<'_>]) -> Result<Vec<Mask>, FlatError> {
    let refused = |row| move |error: EncodingError| FlatError::Solution { row, error };
    match device.capabilities().kind {
        Kind::Processor => {
            device.check_backend()?;
            let masks = fork::in_pool(|| mask_batch(jobs));
            masks.into_iter().enumerate().map(|(row, mask)| mask.map_err(refused(row))).collect()
        }
        Kind::Card => {
            let request = |(row, job): (usize, &Job<'_>)| {
                let header: [u8; HEADER_BYTES] = job.input.try_into().map_err(|_| {
                    FlatError::PuzzleInput { row, got: job.input.len(), expected: HEADER_BYTES }
                })?;
                VerifyRequest::new(job.params, header, job.solution).map_err(refused(row))
            };
            let requests = jobs.iter().enumerate().map(request).collect::<Result<Vec<_>, _>>()?;
            let replies = Execute::<Verify>::execute(device, &requests)?.replies;
            Ok(replies.into_iter().map(|mask| mask.without(Check::Difficulty)).collect())
        }
    }
}
