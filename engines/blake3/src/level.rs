// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which instructions many messages are hashed with.

use std::fmt;

use halimede_arith::Backend;

/// A set of instructions that the lanes are written for. [`Backend`], which the environment
/// forces, has levels that are the same for BLAKE3.
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

impl Level {
    /// All levels.
    pub const ALL: [Self; 5] = [Self::Portable, Self::Neon, Self::Sse41, Self::Avx2, Self::Avx512];

    /// Its name, which is that of a backend.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Neon => "neon",
            Self::Sse41 => "sse41",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// The best of a backend that this processor and this build can run.
    pub fn of(backend: Backend) -> Self {
        let level = match backend {
            Backend::Portable => Self::Portable,
            Backend::Neon => Self::Neon,
            Backend::Sse41 => Self::Sse41,
            Backend::Avx2 | Backend::Adx => Self::Avx2,
            Backend::Avx512 | Backend::Avx512Ifma => Self::Avx512,
        };
        match level {
            Self::Avx512 if !level.is_available() => Self::of(Backend::Avx2),
            _ if !level.is_available() => Self::Portable,
            _ => level,
        }
    }

    /// What this process uses: that of [`Backend::active`].
    pub fn active() -> Self {
        Self::of(Backend::active())
    }

    /// Those that this processor and this build can run, the best last.
    pub fn available() -> impl DoubleEndedIterator<Item = Self> {
        Self::ALL.into_iter().filter(|level| level.is_available())
    }

    /// Whether this processor and this build can run it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
            Self::Sse41 => is_x86_feature_detected!("sse4.1"),
            #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
            Self::Avx512 => {
                is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw")
            }
            #[cfg(all(target_arch = "aarch64", target_endian = "little", not(feature = "pure")))]
            Self::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            _ => false,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
