// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which instructions solutions are checked with.

use std::fmt;

use halimede_arith::Backend;

/// A set of instructions that the lanes are written for. [`Backend`], which the environment
/// forces, has levels that are the same for Equihash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Rust alone, on any processor: a hash at a time.
    Portable,
    /// AVX2: twice four hashes.
    Avx2,
    /// AVX-512F: twice eight hashes.
    Avx512,
}

impl Level {
    /// All levels.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// Its name, which is that of a backend.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// The best of a backend that this processor and this build can run.
    pub fn of(backend: Backend) -> Self {
        let level = match backend {
            Backend::Portable | Backend::Neon | Backend::Sse41 => Self::Portable,
            Backend::Avx2 | Backend::Adx => Self::Avx2,
            Backend::Avx512 | Backend::Avx512Ifma => Self::Avx512,
        };
        if level.is_available() {
            level
        } else {
            Self::Portable
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
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
            Self::Avx512 => is_x86_feature_detected!("avx512f") && Self::Avx2.is_available(),
            #[cfg(not(all(target_arch = "x86_64", not(feature = "pure"))))]
            _ => false,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
