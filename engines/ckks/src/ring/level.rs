// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which instructions polynomials are computed with.

use std::fmt;

use halimede_arith::Backend;

/// A set of instructions that the ring's kernels are written for. [`Backend`], which the
/// environment forces, has levels that are the same here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Rust alone, on any processor.
    Portable,
    /// AVX2: eight residues.
    Avx2,
    /// AVX-512F and AVX-512DQ: sixteen residues.
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
            Self::Avx2 => Backend::Avx2.is_available(),
            Self::Avx512 => Backend::Avx512.is_available(),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
