// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How operations travel: requests as frames to the card, frames from it as replies.

mod poseidon;

use halimede_arith::job::Operation;

pub(crate) use poseidon::longest_request_bytes;
pub use poseidon::{poseidon_instances, Sponge};

use crate::command::Status;
use crate::frame::FrameWriter;
use crate::spec::Command;

/// An operation that a card can do.
///
/// A request is a small state machine of one or more *steps*. Each step is one frame to the card
/// and one from it; all steps use the same command. Both frames begin with an index, by which
/// the card device tells steps apart, and end in a checksum. Thousands of requests are under way at
/// once.
pub trait WireOperation: Operation {
    /// The command of every step.
    const COMMAND: Command;

    /// How far a request has come.
    type Progress: Send;

    /// A request before its first step.
    ///
    /// # Errors
    /// What this card lacks for it, in words.
    fn begin(request: &Self::Request, card: &Status) -> Result<Self::Progress, String>;

    /// Appends the next step's payload, without the index before it and the checksum behind it.
    fn write_step(request: &Self::Request, progress: &Self::Progress, frame: &mut FrameWriter<'_>);

    /// Takes the step's reply, given its payload between index and checksum: the request's reply
    /// where that was the last step, `None` where another step follows. The payload is at least as
    /// long as the command's reply must be.
    ///
    /// # Errors
    /// Why this cannot be the reply to that step, in words.
    fn accept_reply(
        request: &Self::Request,
        progress: &mut Self::Progress,
        payload: &[u8],
    ) -> Result<Option<Self::Reply>, String>;
}
