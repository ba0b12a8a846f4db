// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches in pieces, so that an interrupt takes effect soon.

use halimede_arith::job::{in_pieces, Columns, Execute, Operation};

use super::error::FlatError;
use crate::device::Device;

/// Returns the replies to a batch in the caller's memory.
pub(super) fn answer<Op: Operation>(
    device: &Device,
    batch: Op::Batch<'_>,
) -> Result<Vec<Op::Reply>, FlatError> {
    let (piece, rows) = (device.limits::<Op>().piece, batch.len());
    let mut replies = Vec::with_capacity(rows);
    let first_of = |start| piece.first_of::<Op>(batch.slice(start..rows));
    in_pieces(device.name(), rows, first_of, |range| {
        replies.extend(Execute::<Op>::execute(device, batch.slice(range))?.replies);
        Ok::<_, FlatError>(())
    })?;
    Ok(replies)
}
