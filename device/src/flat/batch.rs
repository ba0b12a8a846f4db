// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches that are answered in pieces, so that an interrupt takes effect soon.

use std::ops::Range;

use halimede_arith::job::{in_pieces, Columns, DeviceError, Execute, Operation};

use super::error::FlatError;
use crate::device::{shared_processor, Device};
use crate::fork::in_pool;

/// The replies to a batch that lies in the caller's memory.
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

/// The replies to requests that own their bytes. They are made a piece at a time; the units of a
/// request are not looked at.
pub(super) fn answer_made<Op: Operation>(
    device: &Device,
    rows: usize,
    request: impl Fn(usize) -> Op::Request,
) -> Result<Vec<Op::Reply>, FlatError> {
    let piece = device.limits::<Op>().piece.requests;
    let mut replies = Vec::with_capacity(rows);
    in_pieces(
        device.name(),
        rows,
        |_| piece,
        |range| {
            let requests: Vec<Op::Request> = range.map(&request).collect();
            replies.extend(Execute::<Op>::execute(device, Op::batch(&requests))?.replies);
            Ok::<_, FlatError>(())
        },
    )?;
    Ok(replies)
}

/// The answers of this processor to what no device is asked, each piece of rows at once.
pub(super) fn on_processor<T: Send>(
    rows: usize,
    piece: impl Fn(usize) -> usize,
    work: impl Fn(Range<usize>) -> Vec<T> + Sync,
) -> Result<Vec<T>, FlatError> {
    let processor = shared_processor()?;
    let mut answers = Vec::with_capacity(rows);
    in_pieces(processor.name(), rows, piece, |range| {
        answers.extend(in_pool(|| work(range)));
        Ok::<_, DeviceError>(())
    })?;
    Ok(answers)
}
