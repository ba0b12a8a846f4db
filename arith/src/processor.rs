// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The properties of this processor that a choice of kernels may depend on.
//!
//! The choices are functions of a [`Processor`], so that each can be tested for other processors.
//! Every kernel returns the same bytes; a choice affects only the time.

use std::sync::OnceLock;

/// The properties of a processor that decide which kernels run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Processor {
    /// The maker.
    pub maker: Maker,
    /// The family that CPUID reports, including the extended family: 0x1A is Zen 5. 0 on other
    /// architectures.
    pub family: u32,
    /// The instruction sets that the processor has and this build uses.
    pub instructions: Instructions,
}

/// The maker of a processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Maker {
    /// AMD.
    Amd,
    /// Intel.
    Intel,
    /// Any other maker, or a processor that is not x86-64.
    #[default]
    Other,
}

/// Sets of instructions. A set is present only if the operating system also allows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instructions {
    /// ARM's Advanced SIMD.
    pub neon: bool,
    /// SSE4.1.
    pub sse41: bool,
    /// AVX2 and FMA.
    pub avx2: bool,
    /// MULX (BMI2), ADCX and ADOX (ADX).
    pub adx: bool,
    /// AVX-IFMA: the products of AVX-512 IFMA for registers of 256 bits, without AVX-512.
    pub avxifma: bool,
    /// AVX-512F and AVX-512DQ.
    pub avx512: bool,
    /// AVX-512 IFMA.
    pub avx512ifma: bool,
}

/// AMD's family of Zen 5.
const ZEN_5: u32 = 0x1A;

impl Processor {
    /// Returns the processor that this program runs on.
    pub fn here() -> Self {
        static HERE: OnceLock<Processor> = OnceLock::new();
        *HERE.get_or_init(detect)
    }

    /// Returns `true` if the rounds of one message are faster in general registers than in vectors
    /// of four words. The result of a vector operation takes two clocks on Zen 5, that of a general
    /// register one clock. On other processors both take one clock, and vectors do four operations
    /// at a time.
    pub fn has_slow_vectors(&self) -> bool {
        self.maker == Maker::Amd && self.family == ZEN_5
    }

    /// Returns `true` if the sums of products in a partial round of Poseidon take fewer clocks
    /// sequentially than with one sum per lane. A processor whose scheduler holds only a few dozen
    /// instructions, such as Intel's, profits from fewer instructions; Zen 5 does not.
    pub fn has_short_schedulers(&self) -> bool {
        self.maker == Maker::Intel
    }
}

#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
fn detect() -> Processor {
    let (maker, family) = maker_and_family();
    let instructions = Instructions {
        neon: false,
        sse41: is_x86_feature_detected!("sse4.1"),
        avx2: is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
        adx: is_x86_feature_detected!("adx") && is_x86_feature_detected!("bmi2"),
        avxifma: is_x86_feature_detected!("avxifma"),
        avx512: is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq"),
        avx512ifma: is_x86_feature_detected!("avx512ifma"),
    };
    Processor { maker, family, instructions }
}

/// Reads the leaves 0 and 1 of CPUID.
#[cfg(all(target_arch = "x86_64", not(feature = "pure"), not(miri)))]
fn maker_and_family() -> (Maker, u32) {
    use std::arch::x86_64::__cpuid;

    let vendor = __cpuid(0);
    let name = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes);
    let maker = match name.as_flattened() {
        b"GenuineIntel" => Maker::Intel,
        b"AuthenticAMD" => Maker::Amd,
        _ => Maker::Other,
    };
    (maker, family(__cpuid(1).eax))
}

/// Miri has no CPUID.
#[cfg(all(target_arch = "x86_64", not(feature = "pure"), miri))]
fn maker_and_family() -> (Maker, u32) {
    (Maker::Other, 0)
}

/// Returns the family from EAX of leaf 1. The extended family is added if the base family is 15.
#[cfg_attr(any(miri, feature = "pure", not(target_arch = "x86_64")), allow(dead_code))]
const fn family(signature: u32) -> u32 {
    let base = signature >> 8 & 0xF;
    if base == 0xF {
        base + (signature >> 20 & 0xFF)
    } else {
        base
    }
}

#[cfg(all(target_arch = "aarch64", target_endian = "little", not(feature = "pure")))]
fn detect() -> Processor {
    let neon = std::arch::is_aarch64_feature_detected!("neon");
    Processor {
        instructions: Instructions { neon, ..Instructions::default() },
        ..Processor::default()
    }
}

#[cfg(any(
    feature = "pure",
    not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))
))]
fn detect() -> Processor {
    Processor::default()
}

/// Descriptions of processors, for tests of the choices that depend on them.
pub mod known {
    use super::{Instructions, Maker, Processor};

    const UP_TO_AVX2: Instructions = Instructions {
        neon: false,
        sse41: true,
        avx2: true,
        adx: true,
        avxifma: false,
        avx512: false,
        avx512ifma: false,
    };
    const UP_TO_AVX512: Instructions = Instructions { avx512: true, ..UP_TO_AVX2 };
    const ALL: Instructions = Instructions { avx512ifma: true, ..UP_TO_AVX512 };

    /// AMD's Zen 3: no AVX-512.
    pub const ZEN_3: Processor =
        Processor { maker: Maker::Amd, family: 0x19, instructions: UP_TO_AVX2 };
    /// AMD's Zen 4.
    pub const ZEN_4: Processor = Processor { maker: Maker::Amd, family: 0x19, instructions: ALL };
    /// AMD's Zen 5.
    pub const ZEN_5: Processor = Processor { maker: Maker::Amd, family: 0x1A, instructions: ALL };
    /// Intel's desktop processors since Haswell and Alder Lake: no AVX-512.
    pub const ALDER_LAKE: Processor =
        Processor { maker: Maker::Intel, family: 6, instructions: UP_TO_AVX2 };
    /// Intel's Arrow Lake and Sierra Forest: no AVX-512, but its products for 256 bits.
    pub const ARROW_LAKE: Processor = Processor {
        maker: Maker::Intel,
        family: 6,
        instructions: Instructions { avxifma: true, ..UP_TO_AVX2 },
    };
    /// Intel's Skylake with AVX-512, without IFMA.
    pub const SKYLAKE_SERVER: Processor =
        Processor { maker: Maker::Intel, family: 6, instructions: UP_TO_AVX512 };
    /// Intel's Ice Lake.
    pub const ICE_LAKE: Processor = Processor { maker: Maker::Intel, family: 6, instructions: ALL };
    /// Intel's Sapphire Rapids.
    pub const SAPPHIRE_RAPIDS: Processor = ICE_LAKE;
    /// An x86-64 processor with only the baseline instructions.
    pub const OLDEST: Processor = Processor {
        maker: Maker::Intel,
        family: 6,
        instructions: Instructions { sse41: false, avx2: false, adx: false, ..UP_TO_AVX2 },
    };
    /// ARM with Advanced SIMD.
    pub const ARM: Processor = Processor {
        maker: Maker::Other,
        family: 0,
        instructions: Instructions { neon: true, ..OLDEST.instructions },
    };

    /// All of the above.
    pub const ALL_OF_THEM: [Processor; 10] = [
        ZEN_3,
        ZEN_4,
        ZEN_5,
        ALDER_LAKE,
        ARROW_LAKE,
        SKYLAKE_SERVER,
        ICE_LAKE,
        SAPPHIRE_RAPIDS,
        OLDEST,
        ARM,
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_read_from_signatures() {
        // Zen 5 (Turin), Zen 4 (Genoa), Sapphire Rapids, Pentium 4.
        let signatures = [(0x00B0_0F21, 0x1A), (0x00A1_0F11, 0x19), (0x000C_06F8, 6), (0xF41, 15)];
        for (signature, expected) in signatures {
            assert_eq!(family(signature), expected, "{signature:#x}");
        }
    }

    #[test]
    fn only_zen_5_has_slow_vectors() {
        for processor in known::ALL_OF_THEM {
            assert_eq!(processor.has_slow_vectors(), processor == known::ZEN_5, "{processor:?}");
        }
    }

    #[test]
    fn what_is_here_has_what_its_best_backend_needs() {
        let here = Processor::here();
        assert_eq!(crate::Backend::best(), crate::Backend::best_of(&here));
        if cfg!(feature = "pure") {
            assert_eq!(here, Processor::default());
        }
    }
}
