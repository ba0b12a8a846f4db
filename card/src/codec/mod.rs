// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The frames of operations: requests to the card, replies from it.

mod form;

use halimede_arith::job::{Offer, Operation};

pub use form::Form;

use crate::command::Status;
use crate::frame::FrameWriter;
use crate::opening::Opening;
use crate::spec::Command;

/// The index at the start of every request's and reply's payload, which codecs do not see.
pub const INDEX_BYTES: usize = 8;

/// A request of the operation that a codec is of.
pub type Row<'r, C> = <<C as Codec>::Operation as Operation>::Row<'r>;

/// The requests of a call.
pub type Batch<'b, C> = <<C as Codec>::Operation as Operation>::Batch<'b>;

/// The replies to a batch.
pub type Replies<C> = <<C as Codec>::Operation as Operation>::Replies;

/// The reply to a request.
pub type ReplyOf<C> = <<C as Codec>::Operation as Operation>::Reply;

/// How an operation travels to a card and back. Each engine has the codecs of its operations in a
/// crate of its own folder, `engines/NAME/wire`, as types without values.
///
/// A request is a small state machine of one or more *steps*. Each step is one or more frames to
/// the card and one from it; all steps use the same commands. Every frame begins with an index, by
/// which the card device tells steps apart, and ends in a checksum where its command has one
/// ([`Command::is_checked`]). Thousands of requests are under way at once.
pub trait Codec: Send + Sync + 'static {
    /// The operation that travels.
    type Operation: Operation;

    /// The command of every step's first frame.
    const COMMAND: Command;

    /// Most requests of a call that shall not hold up whoever waits for it to be broken off:
    /// several times what is in flight.
    const PIECE_REQUESTS: usize = 1 << 10;

    /// The command of a step's further frames. Those of one step are sent in a row, and a reply to
    /// one of them is a failure.
    const CONTINUATION: Command = Self::COMMAND;

    /// How far a request has come.
    type Progress: Send;

    /// The command of the next step's first frame, and the one that its reply answers: where a card
    /// has a form of [`Self::COMMAND`] with a checksum, that one.
    fn command(_: &Self::Progress) -> Command {
        Self::COMMAND
    }

    /// What a card has of the operation; `None` where it lacks the engine or every instance.
    fn offer(opening: &Opening) -> Option<Offer> {
        let engine = Self::COMMAND.capability()?;
        opening.status().has(engine).then(Offer::default)
    }

    /// Whether a card can do a request.
    ///
    /// # Errors
    /// What it lacks for it, in words.
    fn supports(request: Row<'_, Self>, card: &Status) -> Result<(), String> {
        Self::begin(request, card).map(drop)
    }

    /// A request before its first step.
    ///
    /// # Errors
    /// What this card lacks for it, in words.
    fn begin(request: Row<'_, Self>, card: &Status) -> Result<Self::Progress, String>;

    /// How many frames the next step has, at least 1.
    fn frames(_: Row<'_, Self>, _: &Self::Progress) -> u64 {
        1
    }

    /// Bytes of the next step's frames, at most, their padding included.
    fn step_bytes(request: Row<'_, Self>, progress: &Self::Progress) -> usize;

    /// Appends the payload of the next step's first frame, without the index before it and the
    /// checksum behind it.
    fn write_step(request: Row<'_, Self>, progress: &Self::Progress, frame: &mut FrameWriter<'_>);

    /// The same of the frame of this number in the step, from 1 on, for steps of several.
    fn write_continuation(
        _: Row<'_, Self>,
        _: &Self::Progress,
        _number: u64,
        _frame: &mut FrameWriter<'_>,
    ) {
    }

    /// Takes the step's reply, given its payload between index and checksum: the request's reply
    /// where that was the last step, `None` where another step follows. The payload is at least as
    /// long as the command's reply must be.
    ///
    /// # Errors
    /// Why this cannot be the reply to that step, in words.
    fn accept_reply(
        request: Row<'_, Self>,
        progress: &mut Self::Progress,
        payload: &[u8],
    ) -> Result<Option<ReplyOf<Self>>, String>;

    /// What the reply to a [`Self::CONTINUATION`] says, in words, given as to
    /// [`Self::accept_reply`].
    fn refusal(_payload: &[u8]) -> String {
        "a later frame of it was answered".into()
    }

    /// Clocks between two statuses in which the card could have begun a request of this operation
    /// and had none; `None` where its counters were reset between, or it does not count them.
    fn starved_clocks(first: &Status, last: &Status) -> Option<u64>;
}
