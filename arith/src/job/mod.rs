// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Jobs: the common contract of engines and the places that run them.
//!
//! | trait | implemented by |
//! |---|---|
//! | [`Operation`] | an engine, for each operation that it offers |
//! | [`Compute`] | the same engine, for this processor |
//! | [`Executor`] | a place, for each operation that it can run |
//! | [`Attempts`] | a place whose replies come later over a link that may fail |
//! | [`Execute`], [`Session`] | a device, for its callers |
//!
//! A place implements only [`Executor`]; the device adds fallback, retries and sample checks on
//! top. Callers ask for [`Execute::limits`], never for the kind of their device.

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
pub use ledger::{Ledger, RequestPosition, Trust};
pub use pieces::{in_pieces, InPiece};
pub use timing::{Answered, Timing};

/// An operation of an accelerator, e.g. a Poseidon permutation.
///
/// A request is valid by construction: the types of an engine refuse inputs that cannot be
/// computed. A device therefore fails only for its own reasons.
pub trait Operation: Sized + 'static {
    /// A request that owns its parts, so that it can be stored.
    type Request: Clone + Send + Sync + 'static;
    /// A request whose parts are borrowed.
    type Row<'a>: Copy;
    /// The requests of one call.
    type Batch<'a>: Columns<Row = Self::Row<'a>>;
    /// The reply to one request.
    type Reply: Clone + Debug + PartialEq + Send + 'static;
    /// The replies to a batch, in the order of its requests.
    type Replies: Replies<Self::Reply>;
    /// The name for messages and tables, e.g. `poseidon.permute`.
    const NAME: &'static str;

    /// Returns stored requests as a batch.
    fn batch(requests: &[Self::Request]) -> Self::Batch<'_>;

    /// Returns a stored request as a row.
    fn row(request: &Self::Request) -> Self::Row<'_>;

    /// Returns the reply to a request that needs no computation. Such a request is never sent to a
    /// place that may fail.
    fn known(_row: Self::Row<'_>) -> Option<Self::Reply> {
        None
    }

    /// Returns the number of units of a request, for [`Amount`]s.
    fn units(_row: Self::Row<'_>) -> usize {
        1
    }

    /// Copies the borrowed parts of a row.
    fn keep(row: Self::Row<'_>) -> Self::Request;

    /// Copies the borrowed parts of a batch. Parts that are already stored are shared if possible.
    fn keep_all(batch: Self::Batch<'_>) -> Vec<Self::Request> {
        batch.rows().map(Self::keep).collect()
    }
}

/// A collection of replies, which can also be consumed one by one.
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

/// Implements an operation whose requests are stored contiguously, for these types of requests and
/// replies: `operation_over!(Permute, State, State, "poseidon.permute", |state| state.width())`.
/// The closure returns the units of a request.
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

/// The implementation of an operation on this processor.
pub trait Compute: Operation {
    /// Work that ends before anyone would interrupt it.
    const BRIEF: Amount;
    /// Work that takes some tens of milliseconds.
    const PIECE: Amount;

    /// `true` if a request that takes long ends early when it is interrupted
    /// ([`interrupt::is_requested`]).
    const INTERRUPTIBLE: bool = false;

    /// Returns the names of the published instances, modes or parameter sets, if the operation has
    /// any.
    fn instances() -> Vec<String> {
        Vec::new()
    }

    /// Returns the replies to a batch that is so small that even reading the clock would take long.
    #[inline]
    fn compute_at_once(_batch: Self::Batch<'_>) -> Option<Self::Replies> {
        None
    }

    /// Answers one request on the calling thread.
    fn compute(row: Self::Row<'_>) -> Self::Reply;

    /// Answers a batch on all cores of the current thread pool. The replies are in the order of the
    /// requests.
    fn compute_batch(batch: Self::Batch<'_>) -> Self::Replies {
        let replies = (0..batch.len()).into_par_iter();
        let replies = replies.map(|number| Self::compute(batch.row(number)));
        replies.collect::<Vec<_>>().into_iter().collect()
    }
}
