// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The two forms of commands that are answered by a mask of failures: the published form, and the
//! form with a checksum.

use crate::command::Status;
use crate::spec::VerifyStatus;

/// The first minor version of protocol 3 whose verify commands have a form with a checksum.
const CHECKED_SINCE: u32 = 2;

/// The offset of the status in a reply, after its index: the bytes are the mask, the status or
/// zero, and further data.
const STATUS: usize = 1;

/// The form of a verify command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandForm {
    /// The published form, byte for byte, without a checksum.
    Published,
    /// The form with a checksum on the request and on the reply.
    Checked,
}

impl CommandForm {
    /// Returns the best form that a card supports.
    pub fn of(card: &Status) -> Self {
        if card.version & 0xFFFF < CHECKED_SINCE {
            return Self::Published;
        }
        Self::Checked
    }

    /// Returns the mask of a reply, given its payload after the index.
    ///
    /// # Errors
    /// A sentence if the card reports that the request was damaged.
    pub fn mask(self, payload: &[u8]) -> Result<u8, String> {
        let &mask = payload.first().ok_or("an empty reply")?;
        let status = payload.get(STATUS).copied().unwrap_or_default();
        match self {
            Self::Published => Ok(mask),
            Self::Checked => match VerifyStatus::from_u8(status) {
                Some(VerifyStatus::Ok) => Ok(mask),
                Some(refusal) => Err(refusal.name().replace('_', " ")),
                None => Err(format!("unknown status {status}")),
            },
        }
    }
}
