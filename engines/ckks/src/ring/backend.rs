// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Work on slices with the instructions of a backend.

use halimede_arith::{LaneBackend, LaneLevel};

/// Work on slices that is compiled for the instructions of each backend. It is inlined into functions
/// that have them.
pub(crate) trait Work: Sized {
    /// What it gives.
    type Output;

    /// Does it; marked `#[inline(always)]`.
    fn run(self) -> Self::Output;

    /// Does it with a backend's instructions. Those that this processor or this build does not have
    /// are not used. The results are the same: no operations are contracted.
    fn run_on(self, backend: LaneBackend) -> Self::Output {
        match backend {
            #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
            LaneBackend::Avx512 if backend.is_available() => {
                #[target_feature(enable = "avx512f,avx512dq")]
                unsafe fn with<W: Work>(work: W) -> W::Output {
                    work.run()
                }
                // SAFETY: the processor has the instructions.
                unsafe { with(self) }
            }
            #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
            LaneBackend::Avx2 if backend.is_available() => {
                #[target_feature(enable = "avx2")]
                unsafe fn with<W: Work>(work: W) -> W::Output {
                    work.run()
                }
                // SAFETY: the processor has the instructions.
                unsafe { with(self) }
            }
            _ => self.run(),
        }
    }
}
