// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The control commands of every card as types: reset, status and registers.

use crate::error::CardError;
use crate::frame::{u32_at, u64_at, Frame, FrameError, FrameWriter};
use crate::spec::offset::{
    engine_failed_rpl, fpga_ignore_rpl, get_fpga_status_reply as status, register_read_reply,
};
use crate::spec::{
    Capability, Command, FailureStatus, RegisterStatus, Reply, ALIGNMENT_BYTES, HEADER_BYTES,
    MAX_ALIGNMENT_BYTES, MAX_FRAME_BYTES, VERSION_MAJOR,
};

/// The status of a card: its build, engines and counters (`get_fpga_status`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Protocol version, `major << 16 | minor`.
    pub version: u32,
    /// The identifier of the build.
    pub build_id: u32,
    /// A mask of [`Capability`] bits.
    pub capabilities: u32,
    /// The longest frame that the card accepts, in bytes.
    pub max_frame_bytes: u32,
    /// The clocks since the hardware reset.
    pub clocks: u64,
    /// The products that the engines' multipliers issued since the hardware reset.
    pub multiplier_busy: u64,
    /// The number of frames answered with *ignore*.
    pub frames_ignored: u32,
    /// The clocks in which a reply waited for the host to receive it.
    pub replies_stalled: u64,
    /// The bytes of one beat of the stream. Every frame starts at a multiple of this number.
    pub stream_bytes: u32,
    /// The payload of the status, which also holds the values of the engines.
    payload: [u8; STATUS_BYTES],
}

/// The size of a status before its checksum, in bytes.
const STATUS_BYTES: usize = status::CHECKSUM;

/// A value of the status that belongs to an engine (`engines/NAME/wire`).
#[derive(Clone, Copy, Debug)]
pub struct StatusField {
    offset: usize,
    is_wide: bool,
}

impl StatusField {
    /// A 32-bit value at this offset in the payload.
    pub const fn u32(offset: usize) -> Self {
        Self { offset, is_wide: false }
    }

    /// A 64-bit value at this offset in the payload.
    pub const fn u64(offset: usize) -> Self {
        Self { offset, is_wide: true }
    }
}

impl Status {
    /// Returns `true` if the card has the engine.
    pub fn has(&self, capability: Capability) -> bool {
        self.capabilities & capability.mask() != 0
    }

    /// Returns a value that belongs to an engine.
    pub fn get(&self, field: StatusField) -> u64 {
        match field.is_wide {
            true => u64_at(&self.payload, field.offset),
            false => u32_at(&self.payload, field.offset).into(),
        }
    }

    /// Returns by how much a counter of an engine has grown since an earlier status; `None` if it
    /// was reset in between.
    pub fn growth(&self, first: &Self, field: StatusField) -> Option<u64> {
        self.get(field).checked_sub(first.get(field))
    }

    /// Returns the version of the protocol, `major.minor`.
    pub fn protocol(&self) -> String {
        format!("{}.{}", self.version >> 16, self.version & 0xFFFF)
    }

    /// Checks that this library supports the card, and returns the number of bytes to whose
    /// multiples the card's frames are padded.
    ///
    /// # Errors
    /// [`CardError::Version`], [`CardError::StreamBytes`].
    pub(crate) fn require_alignment(&self) -> Result<usize, CardError> {
        if is_another_version(self.version) {
            return Err(CardError::Version { got: self.version });
        }
        let bytes = usize::try_from(self.stream_bytes).unwrap_or(usize::MAX);
        if (ALIGNMENT_BYTES..=MAX_ALIGNMENT_BYTES).contains(&bytes) && bytes.is_power_of_two() {
            return Ok(bytes);
        }
        Err(CardError::StreamBytes { got: self.stream_bytes })
    }

    /// Parses a reply whose length has been checked.
    ///
    /// # Errors
    /// [`FrameError::Checksum`].
    pub(crate) fn of_reply(frame: &Frame<'_>) -> Result<Self, FrameError> {
        frame.checked_payload().map(Self::parse)
    }

    /// Parses the payload of a status without its checksum. Missing bytes are 0.
    pub fn parse(payload: &[u8]) -> Self {
        let mut kept = [0; STATUS_BYTES];
        kept.iter_mut().zip(payload).for_each(|(kept, byte)| *kept = *byte);
        let payload = &kept;
        Self {
            version: u32_at(payload, status::VERSION),
            build_id: u32_at(payload, status::BUILD_ID),
            capabilities: u32_at(payload, status::CAPABILITIES),
            max_frame_bytes: u32_at(payload, status::MAX_FRAME_BYTES),
            clocks: u64_at(payload, status::CLOCKS),
            multiplier_busy: u64_at(payload, status::MULTIPLIER_BUSY),
            frames_ignored: u32_at(payload, status::FRAMES_IGNORED),
            replies_stalled: u64_at(payload, status::REPLIES_STALLED),
            stream_bytes: u32_at(payload, status::STREAM_BYTES),
            payload: kept,
        }
    }
}

/// Returns `true` if the frames of this version are incompatible with this library.
fn is_another_version(version: u32) -> bool {
    version >> 16 != u32::from(VERSION_MAJOR)
}

/// Returns a `reset_fpga` frame with a nonce, padded to beats of `alignment` bytes.
pub(crate) fn reset_frame(nonce: u64, alignment: usize) -> Result<Vec<u8>, FrameError> {
    nonce_frame(Command::ResetFpga.code(), nonce, alignment)
}

/// Returns the reply to [`reset_frame`], without padding.
pub(crate) fn reset_reply(nonce: u64) -> Result<Vec<u8>, FrameError> {
    nonce_frame(Command::ResetFpga.reply_code(), nonce, ALIGNMENT_BYTES)
}

fn nonce_frame(command: u32, nonce: u64, alignment: usize) -> Result<Vec<u8>, FrameError> {
    let mut bytes = Vec::new();
    let mut frame = FrameWriter::aligned(&mut bytes, command, alignment);
    frame.u64(nonce);
    frame.finish(MAX_FRAME_BYTES)?;
    Ok(bytes)
}

/// Completes a `register_read`.
pub(crate) fn write_register_read(
    mut frame: FrameWriter<'_>,
    address: u32,
) -> Result<(), FrameError> {
    frame.u32(address).u32(0);
    frame.finish(MAX_FRAME_BYTES)
}

/// Completes a `register_write`.
pub(crate) fn write_register_write(
    mut frame: FrameWriter<'_>,
    address: u32,
    value: u32,
) -> Result<(), FrameError> {
    frame.u32(address).u32(value);
    frame.finish(MAX_FRAME_BYTES)
}

/// Returns the value in a register reply whose length has been checked. Read and write replies have
/// the same format.
pub(crate) fn parse_register_reply(payload: &[u8], address: u32) -> Result<u32, CardError> {
    let got = u32_at(payload, register_read_reply::ADDRESS);
    if got != address {
        return Err(CardError::Unexpected(format!(
            "expected a reply about register {address:#06x}, got {got:#06x}"
        )));
    }
    let status = u32_at(payload, register_read_reply::STATUS);
    match RegisterStatus::from_u32(status) {
        Some(RegisterStatus::Ok) => Ok(u32_at(payload, register_read_reply::VALUE)),
        Some(refusal) => {
            Err(CardError::Register { address, reason: refusal.name().replace('_', " ") })
        }
        None => Err(CardError::Register { address, reason: format!("unknown status {status}") }),
    }
}

/// Converts the notice of a failed engine to an error.
fn engine_failed(payload: &[u8]) -> CardError {
    let number = u32_at(payload, engine_failed_rpl::CAPABILITY);
    let engine = Capability::ALL.iter().find(|capability| **capability as u32 == number);
    let reason = u32_at(payload, engine_failed_rpl::REASON);
    let known = FailureStatus::ALL.iter().find(|status| **status as u32 == reason);
    CardError::EngineFailed {
        engine: engine.map_or_else(|| number.to_string(), |engine| engine.name().to_owned()),
        reason: match known {
            Some(reason) => reason.name().replace('_', " "),
            None => format!("unknown reason {reason}"),
        },
    }
}

/// Checks that a frame is the reply to this command, including its length.
///
/// # Errors
/// [`CardError::Ignored`] for an ignore reply, [`CardError::EngineFailed`] for the notice of a
/// failed engine, [`CardError::Version`] for a status of another version of the protocol,
/// [`CardError::Unexpected`] for anything else.
pub(crate) fn require_reply(frame: &Frame<'_>, command: Command) -> Result<(), CardError> {
    if frame.command == Reply::FpgaIgnoreRpl.code() {
        return Err(CardError::Ignored {
            length: u32_at(frame.payload, fpga_ignore_rpl::IGNORED_LENGTH),
            command: u32_at(frame.payload, fpga_ignore_rpl::IGNORED_COMMAND),
        });
    }
    if frame.command == Reply::EngineFailedRpl.code() {
        return Err(engine_failed(frame.payload));
    }
    if frame.command != command.reply_code() {
        let got = match Reply::from_u32(frame.command) {
            Some(reply) => reply.name().to_owned(),
            None => format!("command {:#010x}", frame.command),
        };
        return Err(CardError::Unexpected(format!("{got} instead of a {} reply", command.name())));
    }
    let (least, most) = command.reply_payload_bytes();
    let length = frame.payload.len();
    if length < least || most.is_some_and(|most| length > most) {
        // The status of every version begins with the version, whatever its length.
        let version = u32_at(frame.payload, status::VERSION);
        if command == Command::GetFpgaStatus && is_another_version(version) {
            return Err(CardError::Version { got: version });
        }
        return Err(CardError::Unexpected(format!(
            "a {} reply of {} bytes",
            command.name(),
            length + HEADER_BYTES
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a payload of which all bytes differ.
    fn payload(first: u8) -> Vec<u8> {
        (0..STATUS_BYTES as u8).map(|byte| byte.wrapping_mul(3).wrapping_add(first)).collect()
    }

    #[test]
    fn numbers_of_engines_are_read_at_their_places() {
        let (bytes, status) = (payload(1), Status::parse(&payload(1)));
        for offset in (0..=STATUS_BYTES - 8).step_by(4) {
            let number = u64::from_le_bytes(bytes[offset..offset + 8].try_into().unwrap());
            assert_eq!(status.get(StatusField::u64(offset)), number);
            assert_eq!(status.get(StatusField::u32(offset)), number & 0xFFFF_FFFF);
        }
        assert_eq!(status.clocks, status.get(StatusField::u64(status::CLOCKS)));
        // Shorter and longer payloads keep their values.
        let short = Status::parse(&bytes[..40]);
        assert_eq!(short.get(StatusField::u32(36)), status.get(StatusField::u32(36)));
        assert_eq!(short.get(StatusField::u32(40)), 0);
        assert_eq!(Status::parse(&[&bytes[..], &[9; 8]].concat()), status);
    }

    #[test]
    fn a_counter_that_was_reset_has_not_grown() {
        let [first, last] = [1, 2].map(|first| Status::parse(&payload(first)));
        let field = StatusField::u64(40);
        assert_eq!(last.growth(&first, field), Some(last.get(field) - first.get(field)));
        assert_eq!(first.growth(&last, field), None);
    }
}
