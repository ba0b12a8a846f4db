// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which instructions many messages are hashed with.

use std::fmt;

use halimede_arith::{Backend, LaneLevel};

/// A set of instructions that the lanes are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Rust alone, on any processor.
    Portable,
    /// ARM's Advanced SIMD: four lanes.
    Neon,
    /// x86-64 with SSE4.1: four lanes.
    Sse41,
    /// AVX2: eight lanes.
    Avx2,
    /// AVX-512F and AVX-512BW: twice sixteen lanes.
    Avx512,
}

impl LaneLevel for Level {
    const ALL: &'static [Self] =
        &[Self::Portable, Self::Neon, Self::Sse41, Self::Avx2, Self::Avx512];
    const PORTABLE: Self = Self::Portable;

    fn backend(self) -> Backend {
        match self {
            Self::Portable => Backend::Portable,
            Self::Neon => Backend::Neon,
            Self::Sse41 => Backend::Sse41,
            Self::Avx2 => Backend::Avx2,
            Self::Avx512 => Backend::Avx512,
        }
    }

    fn is_available(self) -> bool {
        self.backend().is_available() && (self != Self::Avx512 || has_bytes_of_avx512())
    }
}

/// Whether the processor has AVX-512BW, and what the bits of its masks are looked at with, which
/// every processor with it has.
fn has_bytes_of_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
