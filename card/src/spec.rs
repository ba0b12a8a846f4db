// SPDX-License-Identifier: Apache-2.0 OR MIT
// Generated from card/spec/card.toml by `python -m card.spec.generate`: do not edit.

//! The numbers of the card's protocol: commands, registers, capabilities, limits.

// One arm a variant, even where two are equal: each line is one line of the data file.
#![allow(clippy::match_same_arms)]

/// Major version of the protocol.
pub const VERSION_MAJOR: u16 = 3;
/// Minor version of the protocol.
pub const VERSION_MINOR: u16 = 2;
/// `major << 16 | minor`, as the card reports it.
pub const VERSION: u32 = 0x0003_0002;
/// Length and command, at the start of every frame.
pub const HEADER_BYTES: usize = 8;
/// The narrowest stream's beat; a frame starts at a multiple of the card's `stream_bytes`.
pub const ALIGNMENT_BYTES: usize = 8;
/// The widest stream's beat: where a frame may start on every card.
pub const MAX_ALIGNMENT_BYTES: usize = 64;
/// Longest frame that is taken whole; a longer length is ignored.
pub const MAX_FRAME_BYTES: usize = 65_536;
/// Most message bytes in a frame, a whole number of chunks.
pub const BLAKE3_FRAME_DATA_BYTES: usize = 64_512;
/// Most output bytes of one reply, a whole number of blocks.
pub const BLAKE3_MAX_OUTPUT_BYTES: usize = 65_472;
/// One field element on the wire, little-endian, canonical.
pub const ELEMENT_BYTES: usize = 32;

/// An engine that a card may have: its bit in the capability mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Capability {
    /// Equihash solutions and the difficulty of their headers.
    Equihash = 0,
    /// ECDSA signature check over secp256k1.
    Secp256k1 = 1,
    /// Poseidon permutations over BLS12-381 Fr and the Stark field.
    Poseidon = 2,
    /// BLAKE3 hashing.
    Blake3 = 3,
    /// BLS12-381 coprocessor, driven by registers at 0x1000.
    Bls12381 = 4,
    /// CKKS homomorphic encryption programs on card memory.
    Ckks = 5,
}

impl Capability {
    /// Every variant, in the order of the data file.
    pub const ALL: [Self; 6] = [
        Self::Equihash,  // 0
        Self::Secp256k1, // 1
        Self::Poseidon,  // 2
        Self::Blake3,    // 3
        Self::Bls12381,  // 4
        Self::Ckks,      // 5
    ];

    /// The variant with this number, if there is one.
    #[must_use]
    pub const fn from_u8(value: u8) -> Option<Self> {
        match value {
            0 => Some(Self::Equihash),
            1 => Some(Self::Secp256k1),
            2 => Some(Self::Poseidon),
            3 => Some(Self::Blake3),
            4 => Some(Self::Bls12381),
            5 => Some(Self::Ckks),
            _ => None,
        }
    }

    /// The mask with this capability's bit alone.
    #[must_use]
    pub const fn mask(self) -> u32 {
        1 << self as u32
    }

    /// The name used in the documentation and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Equihash => "equihash",
            Self::Secp256k1 => "secp256k1",
            Self::Poseidon => "poseidon",
            Self::Blake3 => "blake3",
            Self::Bls12381 => "bls12_381",
            Self::Ckks => "ckks",
        }
    }
}

/// Command word of a frame sent to the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u32)]
pub enum Command {
    /// Reset the engines and empty their queues. Frames already being sent are finished whole.
    ResetFpga = 0x0000_0000,
    /// Ask what the card is and what it has done.
    GetFpgaStatus = 0x0000_0001,
    /// Read a register, for links without a register window.
    RegisterRead = 0x0000_0002,
    /// Write a register.
    RegisterWrite = 0x0000_0003,
    /// Check a block header's Equihash solution and its difficulty, every check by itself. The
    /// frame's length tells the parameter set; where it fits none, or where the solution's length
    /// field does not agree, the frame is ignored. Replies come in the order of the requests.
    VerifyEquihash = 0x0000_0100,
    /// Check an ECDSA signature over secp256k1. Replies may come in any order; the index tells them
    /// apart.
    VerifySecp256k1Sig = 0x0000_0101,
    /// Do what `verify_equihash` does, with a checksum on the request and on the reply; to be
    /// preferred where the card's minor version is at least 2. Both forms may be mixed: all replies
    /// come in the order of the requests.
    VerifyEquihashChecked = 0x0000_0102,
    /// Do what `verify_secp256k1_sig` does, with a checksum on the request and on the reply; to be
    /// preferred where the card's minor version is at least 2. Both forms may be mixed.
    VerifySecp256k1SigChecked = 0x0000_0103,
    /// Permute one Poseidon state. Replies may come in any order; the index tells them apart.
    PoseidonHash = 0x0000_0110,
    /// Hash one message, whose first bytes come with it and the rest by `blake3_data`. Replies may
    /// come in any order; the index tells them apart.
    Blake3Hash = 0x0000_0120,
    /// More bytes of the message that `blake3_hash` has begun last; answered only where they cannot
    /// be taken. What is wrong with them otherwise, the message's own reply tells.
    Blake3Data = 0x0000_0121,
    /// Write card memory.
    CkksMemoryWrite = 0x0000_0300,
    /// Read card memory.
    CkksMemoryRead = 0x0000_0301,
    /// Run a program that lies in card memory.
    CkksRun = 0x0000_0302,
}

impl Command {
    /// Every variant, in the order of the data file.
    pub const ALL: [Self; 14] = [
        Self::ResetFpga,                 // 0x0000_0000
        Self::GetFpgaStatus,             // 0x0000_0001
        Self::RegisterRead,              // 0x0000_0002
        Self::RegisterWrite,             // 0x0000_0003
        Self::VerifyEquihash,            // 0x0000_0100
        Self::VerifySecp256k1Sig,        // 0x0000_0101
        Self::VerifyEquihashChecked,     // 0x0000_0102
        Self::VerifySecp256k1SigChecked, // 0x0000_0103
        Self::PoseidonHash,              // 0x0000_0110
        Self::Blake3Hash,                // 0x0000_0120
        Self::Blake3Data,                // 0x0000_0121
        Self::CkksMemoryWrite,           // 0x0000_0300
        Self::CkksMemoryRead,            // 0x0000_0301
        Self::CkksRun,                   // 0x0000_0302
    ];

    /// The variant with this number, if there is one.
    #[must_use]
    pub const fn from_u32(value: u32) -> Option<Self> {
        match value {
            0x0000_0000 => Some(Self::ResetFpga),
            0x0000_0001 => Some(Self::GetFpgaStatus),
            0x0000_0002 => Some(Self::RegisterRead),
            0x0000_0003 => Some(Self::RegisterWrite),
            0x0000_0100 => Some(Self::VerifyEquihash),
            0x0000_0101 => Some(Self::VerifySecp256k1Sig),
            0x0000_0102 => Some(Self::VerifyEquihashChecked),
            0x0000_0103 => Some(Self::VerifySecp256k1SigChecked),
            0x0000_0110 => Some(Self::PoseidonHash),
            0x0000_0120 => Some(Self::Blake3Hash),
            0x0000_0121 => Some(Self::Blake3Data),
            0x0000_0300 => Some(Self::CkksMemoryWrite),
            0x0000_0301 => Some(Self::CkksMemoryRead),
            0x0000_0302 => Some(Self::CkksRun),
            _ => None,
        }
    }

    /// The command word on the wire.
    #[must_use]
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// The command word of this command's reply.
    #[must_use]
    pub const fn reply_code(self) -> u32 {
        match self {
            Self::ResetFpga => 0x8000_0000,
            Self::GetFpgaStatus => 0x8000_0001,
            Self::RegisterRead => 0x8000_0003,
            Self::RegisterWrite => 0x8000_0004,
            Self::VerifyEquihash => 0x8000_0100,
            Self::VerifySecp256k1Sig => 0x8000_0101,
            Self::VerifyEquihashChecked => 0x8000_0102,
            Self::VerifySecp256k1SigChecked => 0x8000_0103,
            Self::PoseidonHash => 0x8000_0110,
            Self::Blake3Hash => 0x8000_0120,
            Self::Blake3Data => 0x8000_0121,
            Self::CkksMemoryWrite => 0x8000_0300,
            Self::CkksMemoryRead => 0x8000_0301,
            Self::CkksRun => 0x8000_0302,
        }
    }

    /// What a card needs to take the command; `None`: every card takes it.
    #[must_use]
    pub const fn capability(self) -> Option<Capability> {
        match self {
            Self::ResetFpga => None,
            Self::GetFpgaStatus => None,
            Self::RegisterRead => None,
            Self::RegisterWrite => None,
            Self::VerifyEquihash => Some(Capability::Equihash),
            Self::VerifySecp256k1Sig => Some(Capability::Secp256k1),
            Self::VerifyEquihashChecked => Some(Capability::Equihash),
            Self::VerifySecp256k1SigChecked => Some(Capability::Secp256k1),
            Self::PoseidonHash => Some(Capability::Poseidon),
            Self::Blake3Hash => Some(Capability::Blake3),
            Self::Blake3Data => Some(Capability::Blake3),
            Self::CkksMemoryWrite => Some(Capability::Ckks),
            Self::CkksMemoryRead => Some(Capability::Ckks),
            Self::CkksRun => Some(Capability::Ckks),
        }
    }

    /// Least and most payload bytes of a request; the most is `None` where the payload is
    /// open-ended.
    #[must_use]
    pub const fn request_payload_bytes(self) -> (usize, Option<usize>) {
        match self {
            Self::ResetFpga => (0, Some(8)),
            Self::GetFpgaStatus => (0, Some(0)),
            Self::RegisterRead => (8, Some(8)),
            Self::RegisterWrite => (8, Some(8)),
            Self::VerifyEquihash => (8, None),
            Self::VerifySecp256k1Sig => (168, Some(168)),
            Self::VerifyEquihashChecked => (16, None),
            Self::VerifySecp256k1SigChecked => (176, Some(176)),
            Self::PoseidonHash => (24, None),
            Self::Blake3Hash => (32, None),
            Self::Blake3Data => (32, None),
            Self::CkksMemoryWrite => (16, None),
            Self::CkksMemoryRead => (24, Some(24)),
            Self::CkksRun => (16, Some(16)),
        }
    }

    /// Least and most payload bytes of the reply; the most is `None` where the payload is
    /// open-ended.
    #[must_use]
    pub const fn reply_payload_bytes(self) -> (usize, Option<usize>) {
        match self {
            Self::ResetFpga => (8, Some(8)),
            Self::GetFpgaStatus => (96, Some(96)),
            Self::RegisterRead => (16, Some(16)),
            Self::RegisterWrite => (16, Some(16)),
            Self::VerifyEquihash => (16, Some(16)),
            Self::VerifySecp256k1Sig => (16, Some(16)),
            Self::VerifyEquihashChecked => (24, Some(24)),
            Self::VerifySecp256k1SigChecked => (24, Some(24)),
            Self::PoseidonHash => (24, None),
            Self::Blake3Hash => (24, None),
            Self::Blake3Data => (24, Some(24)),
            Self::CkksMemoryWrite => (8, Some(8)),
            Self::CkksMemoryRead => (8, None),
            Self::CkksRun => (8, Some(8)),
        }
    }

    /// True while no card can have the engine: the payload is not final.
    #[must_use]
    pub const fn is_reserved(self) -> bool {
        match self {
            Self::ResetFpga => false,
            Self::GetFpgaStatus => false,
            Self::RegisterRead => false,
            Self::RegisterWrite => false,
            Self::VerifyEquihash => false,
            Self::VerifySecp256k1Sig => false,
            Self::VerifyEquihashChecked => false,
            Self::VerifySecp256k1SigChecked => false,
            Self::PoseidonHash => false,
            Self::Blake3Hash => false,
            Self::Blake3Data => false,
            Self::CkksMemoryWrite => true,
            Self::CkksMemoryRead => true,
            Self::CkksRun => true,
        }
    }

    /// True if the reply ends in a checksum, and the request too where it has a payload.
    #[must_use]
    pub const fn is_checked(self) -> bool {
        match self {
            Self::ResetFpga => false,
            Self::GetFpgaStatus => true,
            Self::RegisterRead => false,
            Self::RegisterWrite => false,
            Self::VerifyEquihash => false,
            Self::VerifySecp256k1Sig => false,
            Self::VerifyEquihashChecked => true,
            Self::VerifySecp256k1SigChecked => true,
            Self::PoseidonHash => true,
            Self::Blake3Hash => true,
            Self::Blake3Data => true,
            Self::CkksMemoryWrite => false,
            Self::CkksMemoryRead => false,
            Self::CkksRun => false,
        }
    }

    /// The name used in the documentation and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ResetFpga => "reset_fpga",
            Self::GetFpgaStatus => "get_fpga_status",
            Self::RegisterRead => "register_read",
            Self::RegisterWrite => "register_write",
            Self::VerifyEquihash => "verify_equihash",
            Self::VerifySecp256k1Sig => "verify_secp256k1_sig",
            Self::VerifyEquihashChecked => "verify_equihash_checked",
            Self::VerifySecp256k1SigChecked => "verify_secp256k1_sig_checked",
            Self::PoseidonHash => "poseidon_hash",
            Self::Blake3Hash => "blake3_hash",
            Self::Blake3Data => "blake3_data",
            Self::CkksMemoryWrite => "ckks_memory_write",
            Self::CkksMemoryRead => "ckks_memory_read",
            Self::CkksRun => "ckks_run",
        }
    }
}

/// Command word of a frame sent by the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u32)]
pub enum Reply {
    /// Answers `reset_fpga`: Reset the engines and empty their queues. Frames already being sent
    /// are finished whole.
    ResetFpga = 0x8000_0000,
    /// Answers `get_fpga_status`: Ask what the card is and what it has done.
    GetFpgaStatus = 0x8000_0001,
    /// Answers `register_read`: Read a register, for links without a register window.
    RegisterRead = 0x8000_0003,
    /// Answers `register_write`: Write a register.
    RegisterWrite = 0x8000_0004,
    /// Answers `verify_equihash`: Check a block header's Equihash solution and its difficulty,
    /// every check by itself. The frame's length tells the parameter set; where it fits none, or
    /// where the solution's length field does not agree, the frame is ignored. Replies come in the
    /// order of the requests.
    VerifyEquihash = 0x8000_0100,
    /// Answers `verify_secp256k1_sig`: Check an ECDSA signature over secp256k1. Replies may come in
    /// any order; the index tells them apart.
    VerifySecp256k1Sig = 0x8000_0101,
    /// Answers `verify_equihash_checked`: Do what `verify_equihash` does, with a checksum on the
    /// request and on the reply; to be preferred where the card's minor version is at least 2. Both
    /// forms may be mixed: all replies come in the order of the requests.
    VerifyEquihashChecked = 0x8000_0102,
    /// Answers `verify_secp256k1_sig_checked`: Do what `verify_secp256k1_sig` does, with a checksum
    /// on the request and on the reply; to be preferred where the card's minor version is at least
    /// 2. Both forms may be mixed.
    VerifySecp256k1SigChecked = 0x8000_0103,
    /// Answers `poseidon_hash`: Permute one Poseidon state. Replies may come in any order; the
    /// index tells them apart.
    PoseidonHash = 0x8000_0110,
    /// Answers `blake3_hash`: Hash one message, whose first bytes come with it and the rest by
    /// `blake3_data`. Replies may come in any order; the index tells them apart.
    Blake3Hash = 0x8000_0120,
    /// Answers `blake3_data`: More bytes of the message that `blake3_hash` has begun last; answered
    /// only where they cannot be taken. What is wrong with them otherwise, the message's own reply
    /// tells.
    Blake3Data = 0x8000_0121,
    /// Answers `ckks_memory_write`: Write card memory.
    CkksMemoryWrite = 0x8000_0300,
    /// Answers `ckks_memory_read`: Read card memory.
    CkksMemoryRead = 0x8000_0301,
    /// Answers `ckks_run`: Run a program that lies in card memory.
    CkksRun = 0x8000_0302,
    /// The card could not take a frame: unknown command, no such engine, or a bad length.
    FpgaIgnoreRpl = 0x8000_0002,
    /// The coprocessor asks for attention.
    Bls12381Interrupt = 0x8000_0200,
}

impl Reply {
    /// Every variant, in the order of the data file.
    pub const ALL: [Self; 16] = [
        Self::ResetFpga,                 // 0x8000_0000
        Self::GetFpgaStatus,             // 0x8000_0001
        Self::RegisterRead,              // 0x8000_0003
        Self::RegisterWrite,             // 0x8000_0004
        Self::VerifyEquihash,            // 0x8000_0100
        Self::VerifySecp256k1Sig,        // 0x8000_0101
        Self::VerifyEquihashChecked,     // 0x8000_0102
        Self::VerifySecp256k1SigChecked, // 0x8000_0103
        Self::PoseidonHash,              // 0x8000_0110
        Self::Blake3Hash,                // 0x8000_0120
        Self::Blake3Data,                // 0x8000_0121
        Self::CkksMemoryWrite,           // 0x8000_0300
        Self::CkksMemoryRead,            // 0x8000_0301
        Self::CkksRun,                   // 0x8000_0302
        Self::FpgaIgnoreRpl,             // 0x8000_0002
        Self::Bls12381Interrupt,         // 0x8000_0200
    ];

    /// The variant with this number, if there is one.
    #[must_use]
    pub const fn from_u32(value: u32) -> Option<Self> {
        match value {
            0x8000_0000 => Some(Self::ResetFpga),
            0x8000_0001 => Some(Self::GetFpgaStatus),
            0x8000_0003 => Some(Self::RegisterRead),
            0x8000_0004 => Some(Self::RegisterWrite),
            0x8000_0100 => Some(Self::VerifyEquihash),
            0x8000_0101 => Some(Self::VerifySecp256k1Sig),
            0x8000_0102 => Some(Self::VerifyEquihashChecked),
            0x8000_0103 => Some(Self::VerifySecp256k1SigChecked),
            0x8000_0110 => Some(Self::PoseidonHash),
            0x8000_0120 => Some(Self::Blake3Hash),
            0x8000_0121 => Some(Self::Blake3Data),
            0x8000_0300 => Some(Self::CkksMemoryWrite),
            0x8000_0301 => Some(Self::CkksMemoryRead),
            0x8000_0302 => Some(Self::CkksRun),
            0x8000_0002 => Some(Self::FpgaIgnoreRpl),
            0x8000_0200 => Some(Self::Bls12381Interrupt),
            _ => None,
        }
    }

    /// The command word on the wire.
    #[must_use]
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// The name used in the documentation and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ResetFpga => "reset_fpga",
            Self::GetFpgaStatus => "get_fpga_status",
            Self::RegisterRead => "register_read",
            Self::RegisterWrite => "register_write",
            Self::VerifyEquihash => "verify_equihash",
            Self::VerifySecp256k1Sig => "verify_secp256k1_sig",
            Self::VerifyEquihashChecked => "verify_equihash_checked",
            Self::VerifySecp256k1SigChecked => "verify_secp256k1_sig_checked",
            Self::PoseidonHash => "poseidon_hash",
            Self::Blake3Hash => "blake3_hash",
            Self::Blake3Data => "blake3_data",
            Self::CkksMemoryWrite => "ckks_memory_write",
            Self::CkksMemoryRead => "ckks_memory_read",
            Self::CkksRun => "ckks_run",
            Self::FpgaIgnoreRpl => "fpga_ignore_rpl",
            Self::Bls12381Interrupt => "bls12_381_interrupt",
        }
    }
}

/// A 32-bit register, by its byte address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u32)]
pub enum Register {
    /// "HALI" in ASCII, H in the low byte.
    Id = 0x0000_0000,
    /// Major << 16 | minor of this protocol.
    Version = 0x0000_0004,
    /// Identifies the build.
    BuildId = 0x0000_0008,
    /// Mask of capability bits: engines built in and enabled.
    Capabilities = 0x0000_000c,
    /// Longest frame that is taken whole.
    MaxFrameBytes = 0x0000_0010,
    /// Bit 0: soft reset of the engines and their queues.
    Control = 0x0000_0014,
    /// Bytes of a beat of the stream: a frame starts at a multiple of it.
    StreamBytes = 0x0000_0018,
    /// Clocks since the hardware reset, low word.
    ClocksLo = 0x0000_0020,
    /// High word, as of the last read of `clocks_lo`.
    ClocksHi = 0x0000_0024,
    /// Frames taken from the stream, ignored ones included.
    FramesIn = 0x0000_0028,
    /// Frames sent, replies of every kind.
    FramesOut = 0x0000_002c,
    /// Frames answered with `fpga_ignore_rpl`.
    FramesIgnored = 0x0000_0030,
    /// Requests that an engine answered with a status other than ok.
    EngineErrors = 0x0000_0034,
    /// Products issued by the engines' multipliers, low word.
    MultiplierBusyLo = 0x0000_0038,
    /// High word, as of the last read of `multiplier_busy_lo`.
    MultiplierBusyHi = 0x0000_003c,
    /// Clocks in which a reply waited for the host to take it, low word.
    RepliesStalledLo = 0x0000_0040,
    /// High word, as of the last read of `replies_stalled_lo`.
    RepliesStalledHi = 0x0000_0044,
    /// Mask of Poseidon instances, in the order of their table.
    PoseidonInstances = 0x0000_0100,
    /// Bits 7:0 cores over BLS12-381 Fr, 15:8 cores over the Stark field, 31:16 jobs in flight a
    /// core.
    PoseidonCores = 0x0000_0104,
    /// Clocks in which a core over BLS12-381 Fr could have begun a job and no request was there,
    /// low word.
    PoseidonStarvedFrLo = 0x0000_0108,
    /// High word, as of the last read of `poseidon_starved_fr_lo`.
    PoseidonStarvedFrHi = 0x0000_010c,
    /// The same of the cores over the Stark field, low word.
    PoseidonStarvedFeltLo = 0x0000_0110,
    /// High word, as of the last read of `poseidon_starved_felt_lo`.
    PoseidonStarvedFeltHi = 0x0000_0114,
    /// Bits 7:0 stages of the BLAKE3 pipeline, 15:8 pipelines, 31:16 chunks that wait or are at
    /// work.
    Blake3Shape = 0x0000_0200,
    /// Blocks that the BLAKE3 pipeline has begun, low word.
    Blake3BlocksLo = 0x0000_0208,
    /// High word, as of the last read of `blake3_blocks_lo`.
    Blake3BlocksHi = 0x0000_020c,
    /// Clocks in which the BLAKE3 pipeline could have begun a block and had none, low word.
    Blake3StarvedLo = 0x0000_0210,
    /// High word, as of the last read of `blake3_starved_lo`.
    Blake3StarvedHi = 0x0000_0214,
    /// Bits 7:0 mask of Equihash parameter sets, 15:8 lanes of SHA-256, 23:16 stages of the BLAKE2b
    /// pipeline.
    EquihashShape = 0x0000_0300,
    /// Bits 7:0 cores over secp256k1, 31:16 signatures in flight a core.
    Secp256k1Shape = 0x0000_0400,
}

impl Register {
    /// Every variant, in the order of the data file.
    pub const ALL: [Self; 30] = [
        Self::Id,                    // 0x0000_0000
        Self::Version,               // 0x0000_0004
        Self::BuildId,               // 0x0000_0008
        Self::Capabilities,          // 0x0000_000c
        Self::MaxFrameBytes,         // 0x0000_0010
        Self::Control,               // 0x0000_0014
        Self::StreamBytes,           // 0x0000_0018
        Self::ClocksLo,              // 0x0000_0020
        Self::ClocksHi,              // 0x0000_0024
        Self::FramesIn,              // 0x0000_0028
        Self::FramesOut,             // 0x0000_002c
        Self::FramesIgnored,         // 0x0000_0030
        Self::EngineErrors,          // 0x0000_0034
        Self::MultiplierBusyLo,      // 0x0000_0038
        Self::MultiplierBusyHi,      // 0x0000_003c
        Self::RepliesStalledLo,      // 0x0000_0040
        Self::RepliesStalledHi,      // 0x0000_0044
        Self::PoseidonInstances,     // 0x0000_0100
        Self::PoseidonCores,         // 0x0000_0104
        Self::PoseidonStarvedFrLo,   // 0x0000_0108
        Self::PoseidonStarvedFrHi,   // 0x0000_010c
        Self::PoseidonStarvedFeltLo, // 0x0000_0110
        Self::PoseidonStarvedFeltHi, // 0x0000_0114
        Self::Blake3Shape,           // 0x0000_0200
        Self::Blake3BlocksLo,        // 0x0000_0208
        Self::Blake3BlocksHi,        // 0x0000_020c
        Self::Blake3StarvedLo,       // 0x0000_0210
        Self::Blake3StarvedHi,       // 0x0000_0214
        Self::EquihashShape,         // 0x0000_0300
        Self::Secp256k1Shape,        // 0x0000_0400
    ];

    /// The variant with this number, if there is one.
    #[must_use]
    pub const fn from_u32(value: u32) -> Option<Self> {
        match value {
            0x0000_0000 => Some(Self::Id),
            0x0000_0004 => Some(Self::Version),
            0x0000_0008 => Some(Self::BuildId),
            0x0000_000c => Some(Self::Capabilities),
            0x0000_0010 => Some(Self::MaxFrameBytes),
            0x0000_0014 => Some(Self::Control),
            0x0000_0018 => Some(Self::StreamBytes),
            0x0000_0020 => Some(Self::ClocksLo),
            0x0000_0024 => Some(Self::ClocksHi),
            0x0000_0028 => Some(Self::FramesIn),
            0x0000_002c => Some(Self::FramesOut),
            0x0000_0030 => Some(Self::FramesIgnored),
            0x0000_0034 => Some(Self::EngineErrors),
            0x0000_0038 => Some(Self::MultiplierBusyLo),
            0x0000_003c => Some(Self::MultiplierBusyHi),
            0x0000_0040 => Some(Self::RepliesStalledLo),
            0x0000_0044 => Some(Self::RepliesStalledHi),
            0x0000_0100 => Some(Self::PoseidonInstances),
            0x0000_0104 => Some(Self::PoseidonCores),
            0x0000_0108 => Some(Self::PoseidonStarvedFrLo),
            0x0000_010c => Some(Self::PoseidonStarvedFrHi),
            0x0000_0110 => Some(Self::PoseidonStarvedFeltLo),
            0x0000_0114 => Some(Self::PoseidonStarvedFeltHi),
            0x0000_0200 => Some(Self::Blake3Shape),
            0x0000_0208 => Some(Self::Blake3BlocksLo),
            0x0000_020c => Some(Self::Blake3BlocksHi),
            0x0000_0210 => Some(Self::Blake3StarvedLo),
            0x0000_0214 => Some(Self::Blake3StarvedHi),
            0x0000_0300 => Some(Self::EquihashShape),
            0x0000_0400 => Some(Self::Secp256k1Shape),
            _ => None,
        }
    }

    /// The byte address.
    #[must_use]
    pub const fn address(self) -> u32 {
        self as u32
    }

    /// Value after the hardware reset; `None` where the build of the card decides.
    #[must_use]
    pub const fn reset_value(self) -> Option<u32> {
        match self {
            Self::Id => Some(0x494c_4148),
            Self::Version => Some(0x0003_0002),
            Self::BuildId => None,
            Self::Capabilities => None,
            Self::MaxFrameBytes => Some(0x0001_0000),
            Self::Control => Some(0x0000_0000),
            Self::StreamBytes => None,
            Self::ClocksLo => Some(0x0000_0000),
            Self::ClocksHi => Some(0x0000_0000),
            Self::FramesIn => Some(0x0000_0000),
            Self::FramesOut => Some(0x0000_0000),
            Self::FramesIgnored => Some(0x0000_0000),
            Self::EngineErrors => Some(0x0000_0000),
            Self::MultiplierBusyLo => Some(0x0000_0000),
            Self::MultiplierBusyHi => Some(0x0000_0000),
            Self::RepliesStalledLo => Some(0x0000_0000),
            Self::RepliesStalledHi => Some(0x0000_0000),
            Self::PoseidonInstances => None,
            Self::PoseidonCores => None,
            Self::PoseidonStarvedFrLo => Some(0x0000_0000),
            Self::PoseidonStarvedFrHi => Some(0x0000_0000),
            Self::PoseidonStarvedFeltLo => Some(0x0000_0000),
            Self::PoseidonStarvedFeltHi => Some(0x0000_0000),
            Self::Blake3Shape => None,
            Self::Blake3BlocksLo => Some(0x0000_0000),
            Self::Blake3BlocksHi => Some(0x0000_0000),
            Self::Blake3StarvedLo => Some(0x0000_0000),
            Self::Blake3StarvedHi => Some(0x0000_0000),
            Self::EquihashShape => None,
            Self::Secp256k1Shape => None,
        }
    }

    /// True if a write to it is accepted.
    #[must_use]
    pub const fn is_writable(self) -> bool {
        match self {
            Self::Id => false,
            Self::Version => false,
            Self::BuildId => false,
            Self::Capabilities => false,
            Self::MaxFrameBytes => false,
            Self::Control => true,
            Self::StreamBytes => false,
            Self::ClocksLo => false,
            Self::ClocksHi => false,
            Self::FramesIn => false,
            Self::FramesOut => false,
            Self::FramesIgnored => false,
            Self::EngineErrors => false,
            Self::MultiplierBusyLo => false,
            Self::MultiplierBusyHi => false,
            Self::RepliesStalledLo => false,
            Self::RepliesStalledHi => false,
            Self::PoseidonInstances => false,
            Self::PoseidonCores => false,
            Self::PoseidonStarvedFrLo => false,
            Self::PoseidonStarvedFrHi => false,
            Self::PoseidonStarvedFeltLo => false,
            Self::PoseidonStarvedFeltHi => false,
            Self::Blake3Shape => false,
            Self::Blake3BlocksLo => false,
            Self::Blake3BlocksHi => false,
            Self::Blake3StarvedLo => false,
            Self::Blake3StarvedHi => false,
            Self::EquihashShape => false,
            Self::Secp256k1Shape => false,
        }
    }

    /// The name used in the documentation and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Version => "version",
            Self::BuildId => "build_id",
            Self::Capabilities => "capabilities",
            Self::MaxFrameBytes => "max_frame_bytes",
            Self::Control => "control",
            Self::StreamBytes => "stream_bytes",
            Self::ClocksLo => "clocks_lo",
            Self::ClocksHi => "clocks_hi",
            Self::FramesIn => "frames_in",
            Self::FramesOut => "frames_out",
            Self::FramesIgnored => "frames_ignored",
            Self::EngineErrors => "engine_errors",
            Self::MultiplierBusyLo => "multiplier_busy_lo",
            Self::MultiplierBusyHi => "multiplier_busy_hi",
            Self::RepliesStalledLo => "replies_stalled_lo",
            Self::RepliesStalledHi => "replies_stalled_hi",
            Self::PoseidonInstances => "poseidon_instances",
            Self::PoseidonCores => "poseidon_cores",
            Self::PoseidonStarvedFrLo => "poseidon_starved_fr_lo",
            Self::PoseidonStarvedFrHi => "poseidon_starved_fr_hi",
            Self::PoseidonStarvedFeltLo => "poseidon_starved_felt_lo",
            Self::PoseidonStarvedFeltHi => "poseidon_starved_felt_hi",
            Self::Blake3Shape => "blake3_shape",
            Self::Blake3BlocksLo => "blake3_blocks_lo",
            Self::Blake3BlocksHi => "blake3_blocks_hi",
            Self::Blake3StarvedLo => "blake3_starved_lo",
            Self::Blake3StarvedHi => "blake3_starved_hi",
            Self::EquihashShape => "equihash_shape",
            Self::Secp256k1Shape => "secp256k1_shape",
        }
    }
}

/// Poseidon instance codes: `family << 4 | width`; family 0 Filecoin, 1 Filecoin strengthened, 2
/// Stark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum PoseidonInstance {
    /// BLS12-381 Fr, 3 elements wide.
    Filecoin3 = 0x03,
    /// BLS12-381 Fr, 5 elements wide.
    Filecoin5 = 0x05,
    /// BLS12-381 Fr, 9 elements wide.
    Filecoin9 = 0x09,
    /// BLS12-381 Fr, 12 elements wide.
    Filecoin12 = 0x0c,
    /// BLS12-381 Fr, 3 elements wide.
    Strengthened3 = 0x13,
    /// BLS12-381 Fr, 5 elements wide.
    Strengthened5 = 0x15,
    /// BLS12-381 Fr, 9 elements wide.
    Strengthened9 = 0x19,
    /// BLS12-381 Fr, 12 elements wide.
    Strengthened12 = 0x1c,
    /// Stark field, 3 elements wide.
    Stark3 = 0x23,
    /// Stark field, 4 elements wide.
    Stark4 = 0x24,
    /// Stark field, 5 elements wide.
    Stark5 = 0x25,
    /// Stark field, 9 elements wide.
    Stark9 = 0x29,
}

impl PoseidonInstance {
    /// Every variant, in the order of the data file.
    pub const ALL: [Self; 12] = [
        Self::Filecoin3,      // 0x03
        Self::Filecoin5,      // 0x05
        Self::Filecoin9,      // 0x09
        Self::Filecoin12,     // 0x0c
        Self::Strengthened3,  // 0x13
        Self::Strengthened5,  // 0x15
        Self::Strengthened9,  // 0x19
        Self::Strengthened12, // 0x1c
        Self::Stark3,         // 0x23
        Self::Stark4,         // 0x24
        Self::Stark5,         // 0x25
        Self::Stark9,         // 0x29
    ];

    /// The variant with this number, if there is one.
    #[must_use]
    pub const fn from_u8(value: u8) -> Option<Self> {
        match value {
            0x03 => Some(Self::Filecoin3),
            0x05 => Some(Self::Filecoin5),
            0x09 => Some(Self::Filecoin9),
            0x0c => Some(Self::Filecoin12),
            0x13 => Some(Self::Strengthened3),
            0x15 => Some(Self::Strengthened5),
            0x19 => Some(Self::Strengthened9),
            0x1c => Some(Self::Strengthened12),
            0x23 => Some(Self::Stark3),
            0x24 => Some(Self::Stark4),
            0x25 => Some(Self::Stark5),
            0x29 => Some(Self::Stark9),
            _ => None,
        }
    }

    /// The instance code on the wire.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Elements in the state.
    #[must_use]
    pub const fn width(self) -> usize {
        (self as u8 & 15) as usize
    }

    /// This instance's bit number in `poseidon_instances`.
    #[must_use]
    pub const fn bit(self) -> u32 {
        match self {
            Self::Filecoin3 => 0,
            Self::Filecoin5 => 1,
            Self::Filecoin9 => 2,
            Self::Filecoin12 => 3,
            Self::Strengthened3 => 4,
            Self::Strengthened5 => 5,
            Self::Strengthened9 => 6,
            Self::Strengthened12 => 7,
            Self::Stark3 => 8,
            Self::Stark4 => 9,
            Self::Stark5 => 10,
            Self::Stark9 => 11,
        }
    }

    /// The name used in the documentation and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Filecoin3 => "filecoin_3",
            Self::Filecoin5 => "filecoin_5",
            Self::Filecoin9 => "filecoin_9",
            Self::Filecoin12 => "filecoin_12",
            Self::Strengthened3 => "strengthened_3",
            Self::Strengthened5 => "strengthened_5",
            Self::Strengthened9 => "strengthened_9",
            Self::Strengthened12 => "strengthened_12",
            Self::Stark3 => "stark_3",
            Self::Stark4 => "stark_4",
            Self::Stark5 => "stark_5",
            Self::Stark9 => "stark_9",
        }
    }
}

/// Outcome of a register command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u32)]
pub enum RegisterStatus {
    /// Done.
    Ok = 0,
    /// No register has this address.
    NoSuchRegister = 1,
    /// The register cannot be written.
    ReadOnly = 2,
}

impl RegisterStatus {
    /// Every variant, in the order of the data file.
    pub const ALL: [Self; 3] = [
        Self::Ok,             // 0
        Self::NoSuchRegister, // 1
        Self::ReadOnly,       // 2
    ];

    /// The variant with this number, if there is one.
    #[must_use]
    pub const fn from_u32(value: u32) -> Option<Self> {
        match value {
            0 => Some(Self::Ok),
            1 => Some(Self::NoSuchRegister),
            2 => Some(Self::ReadOnly),
            _ => None,
        }
    }

    /// The name used in the documentation and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::NoSuchRegister => "no_such_register",
            Self::ReadOnly => "read_only",
        }
    }
}

/// Outcome of a `poseidon_hash` command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum PoseidonStatus {
    /// The elements follow.
    Ok = 0,
    /// This card does not have the instance.
    InstanceAbsent = 1,
    /// An element is not below the field's modulus.
    NotCanonical = 2,
    /// The frame's length does not fit the instance.
    WrongLength = 3,
    /// The checksum does not fit the frame; goes before every other status.
    Corrupt = 4,
}

impl PoseidonStatus {
    /// Every variant, in the order of the data file.
    pub const ALL: [Self; 5] = [
        Self::Ok,             // 0
        Self::InstanceAbsent, // 1
        Self::NotCanonical,   // 2
        Self::WrongLength,    // 3
        Self::Corrupt,        // 4
    ];

    /// The variant with this number, if there is one.
    #[must_use]
    pub const fn from_u8(value: u8) -> Option<Self> {
        match value {
            0 => Some(Self::Ok),
            1 => Some(Self::InstanceAbsent),
            2 => Some(Self::NotCanonical),
            3 => Some(Self::WrongLength),
            4 => Some(Self::Corrupt),
            _ => None,
        }
    }

    /// The name used in the documentation and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::InstanceAbsent => "instance_absent",
            Self::NotCanonical => "not_canonical",
            Self::WrongLength => "wrong_length",
            Self::Corrupt => "corrupt",
        }
    }
}

/// What a `poseidon_hash` command wants back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum PoseidonOutputs {
    /// Every element of the permuted state.
    State = 0,
    /// One element: 1 for Filecoin instances, 0 for Stark instances.
    Digest = 1,
}

impl PoseidonOutputs {
    /// Every variant, in the order of the data file.
    pub const ALL: [Self; 2] = [
        Self::State,  // 0
        Self::Digest, // 1
    ];

    /// The variant with this number, if there is one.
    #[must_use]
    pub const fn from_u8(value: u8) -> Option<Self> {
        match value {
            0 => Some(Self::State),
            1 => Some(Self::Digest),
            _ => None,
        }
    }

    /// The name used in the documentation and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Digest => "digest",
        }
    }
}

/// Outcome of a `blake3_hash` or `blake3_data` command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Blake3Status {
    /// The output follows.
    Ok = 0,
    /// The message's data is longer than it declared, or a frame before its last holds no whole
    /// number of chunks.
    WrongLength = 1,
    /// No mode has this number.
    UnknownMode = 2,
    /// Another message began before this one's data was complete.
    Abandoned = 3,
    /// The checksum does not fit the frame; goes before every other status.
    Corrupt = 4,
    /// Data for a message that is not open.
    NoMessage = 5,
    /// Data that does not follow what came before.
    WrongPlace = 6,
    /// No output, or more than one reply holds.
    WrongOutput = 7,
}

impl Blake3Status {
    /// Every variant, in the order of the data file.
    pub const ALL: [Self; 8] = [
        Self::Ok,          // 0
        Self::WrongLength, // 1
        Self::UnknownMode, // 2
        Self::Abandoned,   // 3
        Self::Corrupt,     // 4
        Self::NoMessage,   // 5
        Self::WrongPlace,  // 6
        Self::WrongOutput, // 7
    ];

    /// The variant with this number, if there is one.
    #[must_use]
    pub const fn from_u8(value: u8) -> Option<Self> {
        match value {
            0 => Some(Self::Ok),
            1 => Some(Self::WrongLength),
            2 => Some(Self::UnknownMode),
            3 => Some(Self::Abandoned),
            4 => Some(Self::Corrupt),
            5 => Some(Self::NoMessage),
            6 => Some(Self::WrongPlace),
            7 => Some(Self::WrongOutput),
            _ => None,
        }
    }

    /// The name used in the documentation and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::WrongLength => "wrong_length",
            Self::UnknownMode => "unknown_mode",
            Self::Abandoned => "abandoned",
            Self::Corrupt => "corrupt",
            Self::NoMessage => "no_message",
            Self::WrongPlace => "wrong_place",
            Self::WrongOutput => "wrong_output",
        }
    }
}

/// What a `blake3_hash` command computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Blake3ModeStatus {
    /// Hash.
    Hash = 0,
    /// Keyed_hash; the key is 32 bytes before the data.
    KeyedHash = 1,
    /// First stage of `derive_key`: the message is the context string.
    DeriveKeyContext = 2,
    /// Second stage of `derive_key`: the message is the key material; the context's hash is 32
    /// bytes before the data.
    DeriveKeyMaterial = 3,
}

impl Blake3ModeStatus {
    /// Every variant, in the order of the data file.
    pub const ALL: [Self; 4] = [
        Self::Hash,              // 0
        Self::KeyedHash,         // 1
        Self::DeriveKeyContext,  // 2
        Self::DeriveKeyMaterial, // 3
    ];

    /// The variant with this number, if there is one.
    #[must_use]
    pub const fn from_u8(value: u8) -> Option<Self> {
        match value {
            0 => Some(Self::Hash),
            1 => Some(Self::KeyedHash),
            2 => Some(Self::DeriveKeyContext),
            3 => Some(Self::DeriveKeyMaterial),
            _ => None,
        }
    }

    /// The name used in the documentation and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hash => "hash",
            Self::KeyedHash => "keyed_hash",
            Self::DeriveKeyContext => "derive_key_context",
            Self::DeriveKeyMaterial => "derive_key_material",
        }
    }
}

/// Outcome of a `verify_equihash_checked` or `verify_secp256k1_sig_checked` command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum VerifyStatus {
    /// The mask tells which checks failed.
    Ok = 0,
    /// The checksum does not fit the frame: nothing was checked, and the mask is 0.
    Corrupt = 4,
}

impl VerifyStatus {
    /// Every variant, in the order of the data file.
    pub const ALL: [Self; 2] = [
        Self::Ok,      // 0
        Self::Corrupt, // 4
    ];

    /// The variant with this number, if there is one.
    #[must_use]
    pub const fn from_u8(value: u8) -> Option<Self> {
        match value {
            0 => Some(Self::Ok),
            4 => Some(Self::Corrupt),
            _ => None,
        }
    }

    /// The name used in the documentation and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Corrupt => "corrupt",
        }
    }
}

/// Byte offsets of payload fields, counted from the end of the header.
pub mod offset {
    /// Request of `reset_fpga`.
    pub mod reset_fpga_request {
        /// `u64`, 8 bytes: returned by the reply, to tell it from replies of earlier resets.
        pub const NONCE: usize = 0;
    }
    /// Reply to `reset_fpga`.
    pub mod reset_fpga_reply {
        /// `u64`, 8 bytes: the request's nonce, 0 if it had none.
        pub const NONCE: usize = 0;
    }
    /// Reply to `get_fpga_status`.
    pub mod get_fpga_status_reply {
        /// `u32`, 4 bytes: `major << 16 | minor`.
        pub const VERSION: usize = 0;
        /// `u32`, 4 bytes: identifies the build.
        pub const BUILD_ID: usize = 4;
        /// `u32`, 4 bytes: mask of capability bits.
        pub const CAPABILITIES: usize = 8;
        /// `u32`, 4 bytes: longest frame the card takes.
        pub const MAX_FRAME_BYTES: usize = 12;
        /// `u64`, 8 bytes: clocks since the hardware reset.
        pub const CLOCKS: usize = 16;
        /// `u64`, 8 bytes: products issued by the engines' multipliers.
        pub const MULTIPLIER_BUSY: usize = 24;
        /// `u32`, 4 bytes: frames answered with `fpga_ignore_rpl`.
        pub const FRAMES_IGNORED: usize = 32;
        /// `u32`, 4 bytes: mask of Poseidon instances.
        pub const POSEIDON_INSTANCES: usize = 36;
        /// `u64`, 8 bytes: clocks in which a core over BLS12-381 Fr could have begun a job and no
        /// request was there.
        pub const POSEIDON_STARVED_FR: usize = 40;
        /// `u64`, 8 bytes: the same of the cores over the Stark field.
        pub const POSEIDON_STARVED_FELT: usize = 48;
        /// `u64`, 8 bytes: clocks in which a reply waited for the host.
        pub const REPLIES_STALLED: usize = 56;
        /// `u64`, 8 bytes: blocks that the BLAKE3 pipeline has begun.
        pub const BLAKE3_BLOCKS: usize = 64;
        /// `u64`, 8 bytes: clocks in which the BLAKE3 pipeline could have begun a block and had
        /// none.
        pub const BLAKE3_STARVED: usize = 72;
        /// `u32`, 4 bytes: bytes of a beat of the stream: a frame starts at a multiple of it.
        pub const STREAM_BYTES: usize = 80;
        /// `u32`, 4 bytes: mask of Equihash parameter sets (n, k): bit 0 (200, 9), 1 (144, 5), 2
        /// (96, 5), 3 (48, 5).
        pub const EQUIHASH_SETS: usize = 84;
        /// `u32`, 4 bytes: CRC-32C of the frame before it.
        pub const CHECKSUM: usize = 88;
    }
    /// Request of `register_read`.
    pub mod register_read_request {
        /// `u32`, 4 bytes: byte address.
        pub const ADDRESS: usize = 0;
    }
    /// Reply to `register_read`.
    pub mod register_read_reply {
        /// `u32`, 4 bytes: the request's address.
        pub const ADDRESS: usize = 0;
        /// `u32`, 4 bytes: register status.
        pub const STATUS: usize = 4;
        /// `u32`, 4 bytes: what was read, 0 unless ok.
        pub const VALUE: usize = 8;
    }
    /// Request of `register_write`.
    pub mod register_write_request {
        /// `u32`, 4 bytes: byte address.
        pub const ADDRESS: usize = 0;
        /// `u32`, 4 bytes: what to write.
        pub const VALUE: usize = 4;
    }
    /// Reply to `register_write`.
    pub mod register_write_reply {
        /// `u32`, 4 bytes: the request's address.
        pub const ADDRESS: usize = 0;
        /// `u32`, 4 bytes: register status.
        pub const STATUS: usize = 4;
        /// `u32`, 4 bytes: the request's value.
        pub const VALUE: usize = 8;
    }
    /// Request of `verify_equihash`.
    pub mod verify_equihash_request {
        /// `u64`, 8 bytes: returned by the reply.
        pub const INDEX: usize = 0;
        /// `data[]`, open-ended: the block header as it is hashed: 140 bytes, the solution's length
        /// (compactSize), the solution in its minimal form.
        pub const HEADER_AND_SOLUTION: usize = 8;
    }
    /// Reply to `verify_equihash`.
    pub mod verify_equihash_reply {
        /// `u64`, 8 bytes: the request's index.
        pub const INDEX: usize = 0;
        /// `u8`, 1 bytes: failures: bit 0 difficulty, 1 xor (the leaves do not XOR to zero), 2
        /// index order, 3 zero order (a level's bits do not collide), 4 duplicate; 0 is a valid
        /// solution.
        pub const MASK: usize = 8;
    }
    /// Request of `verify_secp256k1_sig`.
    pub mod verify_secp256k1_sig_request {
        /// `u64`, 8 bytes: returned by the reply.
        pub const INDEX: usize = 0;
        /// `bytes32`, 32 bytes: signature, little-endian.
        pub const S: usize = 8;
        /// `bytes32`, 32 bytes: signature, little-endian.
        pub const R: usize = 40;
        /// `bytes32`, 32 bytes: message hash, little-endian.
        pub const HASH: usize = 72;
        /// `bytes32`, 32 bytes: public key x, little-endian.
        pub const QX: usize = 104;
        /// `bytes32`, 32 bytes: public key y, little-endian.
        pub const QY: usize = 136;
    }
    /// Reply to `verify_secp256k1_sig`.
    pub mod verify_secp256k1_sig_reply {
        /// `u64`, 8 bytes: the request's index.
        pub const INDEX: usize = 0;
        /// `u8`, 1 bytes: failures: bit 0 r range, 1 s range, 2 infinity, 3 mismatch, 4 time-out, 5
        /// key not on the curve; 0 is a valid signature.
        pub const MASK: usize = 8;
        /// `u16`, 2 bytes: clocks from the check's start in the engine to its end; 65535 for that
        /// many or more, as where the whole equation is checked (some 80,000).
        pub const CYCLES: usize = 10;
    }
    /// Request of `verify_equihash_checked`.
    pub mod verify_equihash_checked_request {
        /// `u64`, 8 bytes: returned by the reply.
        pub const INDEX: usize = 0;
        /// `data[]`, open-ended: as in `verify_equihash`; the checksum stands directly behind it,
        /// wherever in a beat that is.
        pub const HEADER_AND_SOLUTION: usize = 8;
        /// `u32`, 4 bytes: CRC-32C of the frame before it.
        /// This many bytes before the payload's end.
        pub const CHECKSUM_FROM_END: usize = 8;
    }
    /// Reply to `verify_equihash_checked`.
    pub mod verify_equihash_checked_reply {
        /// `u64`, 8 bytes: the request's index.
        pub const INDEX: usize = 0;
        /// `u8`, 1 bytes: failures, as in `verify_equihash`; means something only if the status is
        /// ok.
        pub const MASK: usize = 8;
        /// `u8`, 1 bytes: verify status.
        pub const STATUS: usize = 9;
        /// `u32`, 4 bytes: CRC-32C of the frame before it.
        pub const CHECKSUM: usize = 16;
    }
    /// Request of `verify_secp256k1_sig_checked`.
    pub mod verify_secp256k1_sig_checked_request {
        /// `u64`, 8 bytes: returned by the reply.
        pub const INDEX: usize = 0;
        /// `bytes32`, 32 bytes: signature, little-endian.
        pub const S: usize = 8;
        /// `bytes32`, 32 bytes: signature, little-endian.
        pub const R: usize = 40;
        /// `bytes32`, 32 bytes: message hash, little-endian.
        pub const HASH: usize = 72;
        /// `bytes32`, 32 bytes: public key x, little-endian.
        pub const QX: usize = 104;
        /// `bytes32`, 32 bytes: public key y, little-endian.
        pub const QY: usize = 136;
        /// `u32`, 4 bytes: CRC-32C of the frame before it.
        pub const CHECKSUM: usize = 168;
    }
    /// Reply to `verify_secp256k1_sig_checked`.
    pub mod verify_secp256k1_sig_checked_reply {
        /// `u64`, 8 bytes: the request's index.
        pub const INDEX: usize = 0;
        /// `u8`, 1 bytes: failures, as in `verify_secp256k1_sig`; means something only if the
        /// status is ok.
        pub const MASK: usize = 8;
        /// `u8`, 1 bytes: verify status.
        pub const STATUS: usize = 9;
        /// `u16`, 2 bytes: as in `verify_secp256k1_sig`; 0 unless the status is ok.
        pub const CYCLES: usize = 10;
        /// `u32`, 4 bytes: CRC-32C of the frame before it.
        pub const CHECKSUM: usize = 16;
    }
    /// Request of `poseidon_hash`.
    pub mod poseidon_hash_request {
        /// `u64`, 8 bytes: returned by the reply.
        pub const INDEX: usize = 0;
        /// `u8`, 1 bytes: Poseidon instance code.
        pub const INSTANCE: usize = 8;
        /// `u8`, 1 bytes: 0 whole state, 1 digest only.
        pub const OUTPUTS: usize = 9;
        /// `element[]`, open-ended: the state: as many elements as the instance is wide.
        pub const ELEMENTS: usize = 16;
        /// `u32`, 4 bytes: CRC-32C of the frame before it.
        /// This many bytes before the payload's end.
        pub const CHECKSUM_FROM_END: usize = 8;
    }
    /// Reply to `poseidon_hash`.
    pub mod poseidon_hash_reply {
        /// `u64`, 8 bytes: the request's index.
        pub const INDEX: usize = 0;
        /// `u8`, 1 bytes: Poseidon status.
        pub const STATUS: usize = 8;
        /// `element[]`, open-ended: the permuted state or the digest; none unless the status is ok.
        pub const ELEMENTS: usize = 16;
        /// `u32`, 4 bytes: CRC-32C of the frame before it.
        /// This many bytes before the payload's end.
        pub const CHECKSUM_FROM_END: usize = 8;
    }
    /// Request of `blake3_hash`.
    pub mod blake3_hash_request {
        /// `u64`, 8 bytes: returned by the reply.
        pub const INDEX: usize = 0;
        /// `u64`, 8 bytes: bytes of the whole message.
        pub const LENGTH: usize = 8;
        /// `u8`, 1 bytes: BLAKE3 mode.
        pub const MODE: usize = 16;
        /// `u16`, 2 bytes: bytes of output, 1 to `blake3_max_output_bytes`.
        pub const OUTPUT_BYTES: usize = 18;
        /// `u32`, 4 bytes: where in the extended output that begins, in blocks of 64 bytes.
        pub const FIRST_OUTPUT_BLOCK: usize = 20;
        /// `data[]`, open-ended: 32 bytes of key in the modes that have one, then the message's
        /// first bytes: all, or a whole number of chunks of 1,024.
        pub const KEY_AND_DATA: usize = 24;
        /// `u32`, 4 bytes: CRC-32C of the frame before it.
        /// This many bytes before the payload's end.
        pub const CHECKSUM_FROM_END: usize = 8;
    }
    /// Reply to `blake3_hash`.
    pub mod blake3_hash_reply {
        /// `u64`, 8 bytes: the request's index.
        pub const INDEX: usize = 0;
        /// `u8`, 1 bytes: BLAKE3 status.
        pub const STATUS: usize = 8;
        /// `data[]`, open-ended: the output; none unless the status is ok.
        pub const OUTPUT: usize = 16;
        /// `u32`, 4 bytes: CRC-32C of the frame before it.
        /// This many bytes before the payload's end.
        pub const CHECKSUM_FROM_END: usize = 8;
    }
    /// Request of `blake3_data`.
    pub mod blake3_data_request {
        /// `u64`, 8 bytes: the message's index.
        pub const INDEX: usize = 0;
        /// `u64`, 8 bytes: bytes of the message before these.
        pub const OFFSET: usize = 8;
        /// `data[]`, open-ended: the rest of the message, or a whole number of chunks of 1,024.
        pub const DATA: usize = 24;
        /// `u32`, 4 bytes: CRC-32C of the frame before it.
        /// This many bytes before the payload's end.
        pub const CHECKSUM_FROM_END: usize = 8;
    }
    /// Reply to `blake3_data`.
    pub mod blake3_data_reply {
        /// `u64`, 8 bytes: the request's index.
        pub const INDEX: usize = 0;
        /// `u8`, 1 bytes: BLAKE3 status: `no_message`, or corrupt where no message is open.
        pub const STATUS: usize = 8;
        /// `u32`, 4 bytes: CRC-32C of the frame before it.
        pub const CHECKSUM: usize = 16;
    }
    /// Payload of `fpga_ignore_rpl`.
    pub mod fpga_ignore_rpl {
        /// `u32`, 4 bytes: length word of the ignored header.
        pub const IGNORED_LENGTH: usize = 0;
        /// `u32`, 4 bytes: command word of the ignored header.
        pub const IGNORED_COMMAND: usize = 4;
    }
}
