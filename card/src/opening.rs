// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of a card when it was opened.

use crate::command::Status;
use crate::error::CardError;
use crate::spec::Register;

/// The status and the registers of a card when it was opened.
#[derive(Clone, Debug)]
pub struct Opening {
    status: Status,
    /// [`Register::AT_OPENING`].
    registers: [u32; Register::AT_OPENING.len()],
}

impl Opening {
    /// Reads the registers of a card with this status. A register that the card lacks is 0.
    ///
    /// # Errors
    /// Those of `read`, except [`CardError::Register`].
    pub(crate) fn read(
        status: Status,
        mut read: impl FnMut(u32) -> Result<u32, CardError>,
    ) -> Result<Self, CardError> {
        let mut registers = [0; Register::AT_OPENING.len()];
        for (value, register) in registers.iter_mut().zip(Register::AT_OPENING) {
            *value = match read(register.address()) {
                Err(CardError::Register { .. }) => 0,
                other => other?,
            };
        }
        Ok(Self { status, registers })
    }

    /// Returns the status.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// Returns the value of one of [`Register::AT_OPENING`]; 0 on a card without the register.
    pub fn register(&self, register: Register) -> u32 {
        let place = Register::AT_OPENING.iter().position(|other| *other == register);
        place.map_or(0, |place| self.registers[place])
    }

    /// Returns `true` if another card has the same build and the same engines.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let identity = |opening: &Self| {
            let Status { version, build_id, capabilities, max_frame_bytes, stream_bytes, .. } =
                opening.status;
            ([version, build_id, capabilities, max_frame_bytes, stream_bytes], opening.registers)
        };
        identity(self) == identity(other)
    }
}
