// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The backends for hashing many messages.

use std::fmt;

use halimede_arith::{Backend, EngineBackend};

/// A backend: a set of instructions for the lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HashBackend {
    /// Portable Rust, on any processor.
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

impl EngineBackend for HashBackend {
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

/// Returns `true` if the processor has AVX-512BW, and the instructions for the bits of its masks,
/// which every processor with AVX-512BW has.
fn has_bytes_of_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

impl fmt::Display for HashBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
