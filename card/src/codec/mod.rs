// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The frames of operations: requests to the card, replies from it.

mod form;

use halimede_arith::job::{Offer, Operation};

pub use form::CommandForm;

use crate::command::Status;
use crate::frame::FrameWriter;
use crate::opening::Opening;
use crate::spec::Command;

/// The size of the index at the start of every payload, which codecs do not see.
pub const INDEX_BYTES: usize = 8;

/// A request of the codec's operation.
pub type Row<'r, C> = <<C as Codec>::Operation as Operation>::Row<'r>;

/// The requests of a call.
pub type Batch<'b, C> = <<C as Codec>::Operation as Operation>::Batch<'b>;

/// The replies to a batch.
pub type Replies<C> = <<C as Codec>::Operation as Operation>::Replies;

/// The reply to a request.
pub type ReplyOf<C> = <<C as Codec>::Operation as Operation>::Reply;

/// The encoding of an operation for a card. Each engine has the codecs of its operations in a crate
/// in its folder, `engines/NAME/wire`, as types without values.
///
/// A request is a small state machine of one or more *steps*. Each step is one or more frames to
/// the card and one frame from it; all steps use the same commands. Every frame begins with an
/// index, by which the card device assigns replies to steps, and ends with a checksum if its
/// command has one ([`Command::is_checked`]). Thousands of requests are in progress at the same
/// time.
pub trait Codec: Send + Sync + 'static {
    /// The operation that the codec encodes.
    type Operation: Operation;

    /// The command of the first frame of every step.
    const COMMAND: Command;

    /// The maximum number of requests of a call that must react to an interrupt soon: several times
    /// the number in flight.
    const PIECE_REQUESTS: usize = 1 << 10;

    /// The command of the further frames of a step. The frames of one step are sent in sequence,
    /// and a reply to a further frame is a failure.
    const CONTINUATION: Command = Self::COMMAND;

    /// The progress of a request through its steps.
    type Progress: Send;

    /// Returns the command of the first frame of the next step, which is also the one that its
    /// reply answers. If the card has a form of [`Self::COMMAND`] with a checksum, it is that form.
    fn command(_: &Self::Progress) -> Command {
        Self::COMMAND
    }

    /// Returns the capabilities of a card for the operation; `None` if it lacks the engine or every
    /// instance.
    fn offer(opening: &Opening) -> Option<Offer> {
        let engine = Self::COMMAND.capability()?;
        opening.status().has(engine).then(Offer::default)
    }

    /// Checks that a card can execute a request.
    ///
    /// # Errors
    /// A sentence about the missing capability.
    fn supports(request: Row<'_, Self>, card: &Status) -> Result<(), String> {
        Self::begin(request, card).map(drop)
    }

    /// Returns the progress of a request before its first step.
    ///
    /// # Errors
    /// A sentence about the missing capability.
    fn begin(request: Row<'_, Self>, card: &Status) -> Result<Self::Progress, String>;

    /// Returns the number of frames of the next step, at least 1.
    fn frames(_: Row<'_, Self>, _: &Self::Progress) -> u64 {
        1
    }

    /// Returns the maximum size of the next step's frames in bytes, including their padding.
    fn step_bytes(request: Row<'_, Self>, progress: &Self::Progress) -> usize;

    /// Appends the payload of the first frame of the next step, without its index and checksum.
    fn write_step(request: Row<'_, Self>, progress: &Self::Progress, frame: &mut FrameWriter<'_>);

    /// Appends the payload of frame `_number`, from 1 on, of a step with several frames.
    fn write_continuation(
        _: Row<'_, Self>,
        _: &Self::Progress,
        _number: u64,
        _frame: &mut FrameWriter<'_>,
    ) {
    }

    /// Processes the reply to a step, given its payload between index and checksum. Returns the
    /// reply to the request after the last step, and `None` if another step follows. The payload is
    /// at least as long as the command's reply must be.
    ///
    /// # Errors
    /// A sentence about why this cannot be the reply to that step.
    fn accept_reply(
        request: Row<'_, Self>,
        progress: &mut Self::Progress,
        payload: &[u8],
    ) -> Result<Option<ReplyOf<Self>>, String>;

    /// Describes the reply to a [`Self::CONTINUATION`], given the same payload as
    /// [`Self::accept_reply`].
    fn refusal(_payload: &[u8]) -> String {
        "the card answered a later frame of the request".into()
    }

    /// Returns the clocks between two statuses in which the card could have begun a request of this
    /// operation and had none. `None` if the counters were reset in between or do not exist.
    fn starved_clocks(first: &Status, last: &Status) -> Option<u64>;
}
