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

/// Work on slices that is compiled for the instructions of each level. It is inlined into functions
/// that have them.
pub(crate) trait Work {
    /// What it gives.
    type Output;

    /// Does it; marked `#[inline(always)]`.
    fn run(self) -> Self::Output;
}

impl Level {
    /// Does work with this level's instructions. Those that this processor or this build does not have
    /// are not used. The results are the same: no operations are contracted.
    pub(crate) fn run<W: Work>(self, work: W) -> W::Output {
        match self {
            #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
            Self::Avx512 if self.is_available() => {
                #[target_feature(enable = "avx512f,avx512dq")]
                unsafe fn with<W: Work>(work: W) -> W::Output {
                    work.run()
                }
                // SAFETY: the processor has the instructions.
                unsafe { with(work) }
            }
            #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
            Self::Avx2 if self.is_available() => {
                #[target_feature(enable = "avx2")]
                unsafe fn with<W: Work>(work: W) -> W::Output {
                    work.run()
                }
                // SAFETY: the processor has the instructions.
                unsafe { with(work) }
            }
            _ => work.run(),
        }
    }
}
