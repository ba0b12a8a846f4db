// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Work on slices with the instructions of a backend.

#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
use halimede_arith::EngineBackend;
use halimede_arith::LaneBackend;

/// Work on slices that is compiled for the instructions of each backend. It is inlined into
/// functions that have these instructions.
pub(crate) trait Work: Sized {
    /// The result.
    type Output;

    /// Runs the work. Implementations must be marked `#[inline(always)]`.
    fn run(self) -> Self::Output;

    /// Runs the work with the instructions of a backend, or portably if this processor or this
    /// build lacks them. The results are the same: operations are never contracted.
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
