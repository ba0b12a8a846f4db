// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The loopback: a device sends data back unchanged. It measures and checks a link (`halimede card
//! bench`), and is the smallest possible engine (`docs/adding-an-engine.md`).

use std::ops::Range;

use halimede_arith::job::{Amount, Bytes, Columns, Compute, Operation};

/// Bytes of a word; on a card, data are a whole number of words.
pub const WORD_BYTES: usize = 8;

/// The maximum number of bytes of data that a card echoes at once.
pub const MOST_DATA_BYTES: usize = 4064;

/// Sends data back.
pub struct Echo;

/// A batch of [`Echo`].
#[derive(Clone, Copy, Debug)]
pub enum EchoBatch<'a> {
    /// Data, in a column.
    Data(Bytes<'a>),
    /// Kept requests.
    Kept(&'a [Vec<u8>]),
}

impl<'a> Columns for EchoBatch<'a> {
    type Row = &'a [u8];

    fn len(self) -> usize {
        match self {
            Self::Data(data) => data.len(),
            Self::Kept(requests) => requests.len(),
        }
    }

    fn row(self, number: usize) -> &'a [u8] {
        match self {
            Self::Data(data) => data.row(number),
            Self::Kept(requests) => &requests[number],
        }
    }

    fn slice(self, range: Range<usize>) -> Self {
        match self {
            Self::Data(data) => Self::Data(data.slice(range)),
            Self::Kept(requests) => Self::Kept(&requests[range]),
        }
    }
}

impl Operation for Echo {
    type Request = Vec<u8>;
    type Row<'a> = &'a [u8];
    type Batch<'a> = EchoBatch<'a>;
    type Reply = Vec<u8>;
    type Replies = Vec<Vec<u8>>;
    const NAME: &'static str = "loopback.echo";

    fn batch(requests: &[Vec<u8>]) -> EchoBatch<'_> {
        EchoBatch::Kept(requests)
    }

    fn row(request: &Vec<u8>) -> &[u8] {
        request
    }

    fn keep(row: &[u8]) -> Vec<u8> {
        row.to_vec()
    }
}

impl Compute for Echo {
    const BRIEF: Amount = Amount::of_requests(1 << 12);
    const PIECE: Amount = Amount::of_requests(1 << 14);

    fn compute(row: &[u8]) -> Vec<u8> {
        row.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_the_same_however_it_lies_in_memory() {
        let kept: Vec<Vec<u8>> = (0u8..7).map(|length| (0..length).collect()).collect();
        let rows: Vec<&[u8]> = kept.iter().map(Vec::as_slice).collect();
        let (kept_batch, data) = (Echo::batch(&kept), EchoBatch::Data(rows.as_slice().into()));
        assert_eq!(kept_batch.len(), data.len());
        for range in [0..7, 2..5, 6..7, 3..3] {
            let replies = |batch: EchoBatch<'_>| {
                batch.slice(range.clone()).rows().map(Echo::compute).collect()
            };
            let (one, other): (Vec<_>, Vec<_>) = (replies(kept_batch), replies(data));
            assert_eq!(one, other);
            assert_eq!(one, kept[range.clone()]);
        }
    }
}
