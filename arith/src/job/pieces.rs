// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches in pieces, so that an interrupt takes effect soon.

use std::ops::Range;

use super::{interrupt, Amount, Columns, DeviceError, Operation};

impl Amount {
    /// Returns how many of the first requests of a batch fit into this amount, at least 1.
    pub fn first_of<Op: Operation>(self, batch: Op::Batch<'_>) -> usize {
        let mut units = 0usize;
        let fits = |row: &Op::Row<'_>| {
            units = units.saturating_add(Op::units(*row));
            units <= self.units
        };
        batch.rows().take(self.requests).take_while(fits).count().max(1)
    }

    /// Returns `true` if the batch fits into this amount.
    pub fn holds_batch<Op: Operation>(self, batch: Op::Batch<'_>) -> bool {
        batch.is_empty()
            || batch.len() <= self.requests
                && self.first_of::<Op>(batch) == batch.len()
                && Op::units(batch.row(0)) <= self.units
    }
}

/// Calls `work` for the rows `0..rows`: once with all rows if nothing can interrupt this thread,
/// otherwise in pieces. `piece` returns the number of rows of the piece that begins at a row. With
/// zero rows, `work` is called once.
///
/// # Errors
/// The error of `work`, with the rows numbered as in the whole batch ([`InPiece`]), or
/// [`DeviceError::Failed`] once the thread is interrupted, with the first row that was not begun.
pub fn in_pieces<E: InPiece>(
    device: &str,
    rows: usize,
    piece: impl Fn(usize) -> usize,
    mut work: impl FnMut(Range<usize>) -> Result<(), E>,
) -> Result<(), E> {
    let mut start = 0usize;
    loop {
        let end = match interrupt::is_requested() {
            None => rows,
            Some(false) => rows.min(start.saturating_add(piece(start).max(1))),
            Some(true) => {
                let (device, reason) = (device.to_owned(), "interrupted".into());
                let error = DeviceError::Failed { device, request_index: 0, requests: 0, reason };
                return Err(E::from(error).in_whole(start, rows));
            }
        };
        work(start..end).map_err(|error| error.in_whole(start, rows))?;
        if end == rows {
            return Ok(());
        }
        start = end;
    }
}

/// The error of a piece.
pub trait InPiece: From<DeviceError> {
    /// Returns the same error for the whole batch of `rows` rows, where the piece begins at row
    /// `start`.
    #[must_use]
    fn in_whole(self, start: usize, rows: usize) -> Self;
}

impl InPiece for DeviceError {
    fn in_whole(self, start: usize, rows: usize) -> Self {
        match self {
            Self::Failed { device, request_index, reason, .. } => {
                let request_index = request_index.saturating_add(start);
                Self::Failed { device, request_index, requests: rows, reason }
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::Arc;

    use super::*;

    struct Sum;
    crate::operation_over!(Sum, Vec<u8>, u8, "test.sum", |row| row.len());

    fn pieces(rows: usize, piece: usize) -> Vec<[usize; 2]> {
        let mut found = Vec::new();
        let done = in_pieces(
            "cpu",
            rows,
            |_| piece,
            |range| {
                found.push([range.start, range.end]);
                Ok::<_, DeviceError>(())
            },
        );
        assert!(done.is_ok());
        found
    }

    #[test]
    fn work_that_can_be_interrupted_comes_in_pieces_and_other_work_at_once() {
        assert_eq!(pieces(10, 4), [[0, 10]]);
        let flag = Arc::new(AtomicBool::new(false));
        interrupt::by(&flag, || {
            assert_eq!(pieces(10, 4), [[0, 4], [4, 8], [8, 10]]);
            assert_eq!(pieces(8, 4), [[0, 4], [4, 8]]);
            assert_eq!(pieces(3, 0), [[0, 1], [1, 2], [2, 3]]);
            assert_eq!(pieces(0, 4), [[0, 0]]);
        });
    }

    #[test]
    fn errors_and_interrupts_name_the_rows_of_the_whole() {
        let flag = Arc::new(AtomicBool::new(false));
        let run = |fails_at: usize, interrupts_at: usize| {
            flag.store(false, Ordering::Relaxed);
            let done = in_pieces(
                "sim",
                100,
                |_| 10,
                |range| {
                    flag.store(range.contains(&interrupts_at), Ordering::Relaxed);
                    let request_index = fails_at.wrapping_sub(range.start);
                    if range.contains(&fails_at) {
                        let (device, reason) = ("sim".into(), "a fault".into());
                        let requests = range.len();
                        return Err(DeviceError::Failed {
                            device,
                            request_index,
                            requests,
                            reason,
                        });
                    }
                    Ok(())
                },
            );
            match done {
                Err(DeviceError::Failed { request_index, requests: 100, reason, .. }) => {
                    Some((request_index, reason))
                }
                Err(other) => panic!("{other}"),
                Ok(()) => None,
            }
        };
        interrupt::by(&flag, || {
            assert_eq!(run(73, 200), Some((73, "a fault".into())));
            assert_eq!(run(200, 41), Some((50, "interrupted".into())));
            assert_eq!(run(200, 99), None);
            assert_eq!(run(200, 200), None);
        });
    }

    #[test]
    fn an_amount_holds_requests_and_units() {
        let batch: Vec<Vec<u8>> = (1..=10).map(|bytes| vec![7; bytes]).collect();
        let first_of = |requests, units| Amount { requests, units }.first_of::<Sum>(&batch);
        assert_eq!([first_of(4, 100), first_of(100, 10), first_of(100, 9)], [4, 4, 3]);
        assert_eq!([first_of(0, 100), first_of(100, 0), first_of(100, 1000)], [1, 1, 10]);
        let holds = |requests, units| Amount { requests, units }.holds_batch::<Sum>(&batch);
        assert!(holds(10, 55) && !holds(9, 55) && !holds(10, 54));
        assert!(
            Amount::NONE.holds_batch::<Sum>(&[]) && !Amount::NONE.holds_batch::<Sum>(&batch[..1])
        );
    }
}
