// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Jobs: the one contract between an engine and a place to run it.
//!
//! | trait | who has it |
//! |---|---|
//! | [`Operation`] | an engine, for each thing that it can be asked |
//! | [`Compute`] | the same, on this processor |
//! | [`Executor`] | a place to run, for each operation that it has |
//! | [`Attempts`] | such a place, where replies come later and the link may fail |
//! | [`Execute`], [`Session`] | a device, for its callers |
//!
//! A place implements [`Executor`] alone: fallback, retries and samples stand in front of it, in
//! the device. Callers ask [`Execute::limits`] and never what kind of device they have.

mod columns;
mod error;
mod execute;
mod executor;
pub mod interrupt;
mod ledger;
mod pieces;
mod timing;

use std::fmt::Debug;

use rayon::prelude::*;

pub use columns::{Bytes, Columns};
pub use error::DeviceError;
pub use execute::{batch_by_batch, Execute, Session};
pub use executor::{
    Amount, AtOnce, Attempts, Executor, Failure, FailureKind, Limits, Offer, Unsupported,
};
pub use ledger::{Ledger, Place, Trust};
pub use pieces::{in_pieces, InPiece};
pub use timing::{Answered, Timing};

/// One thing an accelerator can be asked to do, e.g. a Poseidon permutation.
///
/// A request is valid by construction: an engine's types refuse what cannot be computed, so that
/// a device fails only for its own reasons.
pub trait Operation: Sized + 'static {
    /// A request that owns its parts, for whoever keeps it.
    type Request: Clone + Send + Sync + 'static;
    /// A request whose parts are borrowed.
    type Row<'a>: Copy;
    /// The requests of one call.
    type Batch<'a>: Columns<Row = Self::Row<'a>>;
    /// The reply to one request.
    type Reply: Clone + Debug + PartialEq + Send + 'static;
    /// The replies to a batch, in the order of its requests.
    type Replies: Replies<Self::Reply>;
    /// Name for messages and tables, e.g. `poseidon.permute`.
    const NAME: &'static str;

    /// Kept requests as a batch.
    fn batch(requests: &[Self::Request]) -> Self::Batch<'_>;

    /// A kept request as a row.
    fn row(request: &Self::Request) -> Self::Row<'_>;

    /// The reply to a request that leaves nothing to compute: such a request is kept, and never
    /// sent to a place that may fail.
    fn known(_row: Self::Row<'_>) -> Option<Self::Reply> {
        None
    }

    /// The units that a request is made of, for [`Amount`]s.
    fn units(_row: Self::Row<'_>) -> usize {
        1
    }

    /// Copies what a row borrows.
    fn keep(row: Self::Row<'_>) -> Self::Request;

    /// Copies what a batch borrows; what is kept already is shared where it can be.
    fn keep_all(batch: Self::Batch<'_>) -> Vec<Self::Request> {
        batch.rows().map(Self::keep).collect()
    }
}

/// Replies by number, collected and given out one by one where they are not used as a whole.
pub trait Replies<Reply>:
    FromIterator<Reply>
    + IntoIterator<Item = Reply, IntoIter: ExactSizeIterator>
    + Clone
    + Debug
    + Default
    + PartialEq
    + Send
    + 'static
{
}

impl<Reply, R> Replies<Reply> for R where
    R: FromIterator<Reply>
        + IntoIterator<Item = Reply, IntoIter: ExactSizeIterator>
        + Clone
        + Debug
        + Default
        + PartialEq
        + Send
        + 'static
{
}

/// An operation whose requests lie one behind the other: `operation_over!(Permute, State, State,
/// "poseidon.permute", |state| state.width())` for requests and replies of these types, and the
/// units of a request.
#[macro_export]
macro_rules! operation_over {
    ($operation:ty, $request:ty, $reply:ty, $name:literal, |$row:ident| $units:expr) => {
        impl $crate::job::Operation for $operation {
            type Request = $request;
            type Row<'a> = &'a $request;
            type Batch<'a> = &'a [$request];
            type Reply = $reply;
            type Replies = ::std::vec::Vec<$reply>;
            const NAME: &'static str = $name;

            fn batch(requests: &[$request]) -> &[$request] {
                requests
            }

            fn row(request: &$request) -> &$request {
                request
            }

            fn units($row: &$request) -> usize {
                $units
            }

            fn keep(row: &$request) -> $request {
                row.clone()
            }
        }
    };
}

/// An operation's implementation on this processor.
pub trait Compute: Operation {
    /// The work that is done before anyone would break it off.
    const BRIEF: Amount;
    /// The work of some tens of milliseconds.
    const PIECE: Amount;

    /// Whether a request that takes long ends early once it is interrupted
    /// ([`interrupt::is_requested`]).
    const INTERRUPTIBLE: bool = false;

    /// The published instances, modes or parameter sets by name, of an operation that has such.
    fn instances() -> Vec<String> {
        Vec::new()
    }

    /// The replies to a batch for which even reading the clock would be long.
    #[inline]
    fn compute_at_once(_batch: Self::Batch<'_>) -> Option<Self::Replies> {
        None
    }

    /// Answers one request on the calling thread.
    fn compute(row: Self::Row<'_>) -> Self::Reply;

    /// Answers a batch over all cores of the current thread pool; replies stand in the order of
    /// the requests.
    fn compute_batch(batch: Self::Batch<'_>) -> Self::Replies {
        let replies = (0..batch.len()).into_par_iter();
        let replies = replies.map(|number| Self::compute(batch.row(number)));
        replies.collect::<Vec<_>>().into_iter().collect()
    }
}
