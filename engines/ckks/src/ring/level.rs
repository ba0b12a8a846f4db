// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which instructions polynomials are computed with.

use std::fmt;

use halimede_arith::{Backend, LaneLevel};

/// A set of instructions that the ring's kernels are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Rust alone, on any processor.
    Portable,
    /// AVX2: eight residues.
    Avx2,
    /// AVX-512F and AVX-512DQ: sixteen residues.
    Avx512,
}

impl LaneLevel for Level {
    const ALL: &'static [Self] = &[Self::Portable, Self::Avx2, Self::Avx512];
    const PORTABLE: Self = Self::Portable;

    fn backend(self) -> Backend {
        match self {
            Self::Portable => Backend::Portable,
            Self::Avx2 => Backend::Avx2,
            Self::Avx512 => Backend::Avx512,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
