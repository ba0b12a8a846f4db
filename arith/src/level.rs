// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The backends for which an engine that computes in lanes has separate code.

use std::fmt;

use crate::Backend;

/// The backends for which the lanes of an engine have separate code. Each corresponds to a
/// [`Backend`], so the environment variable that forces a backend also forces a level.
pub trait LaneLevel: Copy + 'static {
    /// All levels of the engine, the portable one first, each after those that its backend
    /// includes.
    const ALL: &'static [Self];
    /// The level that runs on any processor.
    const PORTABLE: Self;

    /// Returns the backend with the same instructions.
    fn backend(self) -> Backend;

    /// Returns `true` if this processor and this build can run the level. An engine whose code
    /// needs more instructions than the backend overrides this.
    fn is_available(self) -> bool {
        self.backend().is_available()
    }

    /// Returns the name, which is that of the backend.
    fn name(self) -> &'static str {
        self.backend().name()
    }

    /// Returns the best level within a backend that this processor and this build can run.
    fn of(backend: Backend) -> Self {
        Self::available().rfind(|level| backend.includes(level.backend())).unwrap_or(Self::PORTABLE)
    }

    /// Returns the level of this process: that of [`Backend::active`].
    fn active() -> Self {
        Self::of(Backend::active())
    }

    /// Returns the levels that this processor and this build can run, the best last.
    fn available() -> impl DoubleEndedIterator<Item = Self> {
        Self::ALL.iter().copied().filter(|level| level.is_available())
    }
}

/// The backends of lanes that have code for vectors of 256 and 512 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneBackend {
    /// Pure Rust, on any processor.
    Portable,
    /// AVX2: vectors of 256 bits.
    Avx2,
    /// AVX-512F and AVX-512DQ: vectors of 512 bits.
    Avx512,
}

impl LaneLevel for LaneBackend {
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

impl fmt::Display for LaneBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels of an engine, on a processor that may lack the AVX-512 instructions it needs.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Level<const HAS_AVX512: bool>(Backend);

    impl<const HAS_AVX512: bool> LaneLevel for Level<HAS_AVX512> {
        const ALL: &'static [Self] = &[
            Self(Backend::Portable),
            Self(Backend::Neon),
            Self(Backend::Avx2),
            Self(Backend::Avx512),
        ];
        const PORTABLE: Self = Self(Backend::Portable);

        fn backend(self) -> Backend {
            self.0
        }

        fn is_available(self) -> bool {
            self.0.is_available() && (HAS_AVX512 || self.0 != Backend::Avx512)
        }
    }

    fn check<const HAS_AVX512: bool>() {
        let mut available = Level::<HAS_AVX512>::available();
        assert_eq!(available.next(), Some(Level::PORTABLE));
        assert!(available.all(|level| level.0.is_available()));
        for backend in Backend::ALL {
            let level = Level::<HAS_AVX512>::of(backend);
            assert!(level.is_available() && backend.includes(level.0), "{backend}: {level:?}");
            // No better level would be allowed.
            for other in Level::<HAS_AVX512>::available() {
                let is_better = other.0 > level.0 && backend.includes(other.0);
                assert!(!is_better, "{backend}: {level:?} and {other:?}");
            }
        }
        for level in Level::<HAS_AVX512>::available() {
            assert_eq!(Level::of(level.0), level);
            assert_eq!(level.name().parse(), Ok(level.0));
        }
        assert_eq!(Level::<HAS_AVX512>::active(), Level::of(Backend::active()));
    }

    #[test]
    fn a_backends_level_is_the_best_that_is_here() {
        check::<true>();
        check::<false>();
    }

    #[test]
    fn what_an_engine_lacks_is_done_by_the_one_below() {
        let level = Level::<false>::of(Backend::Avx512Ifma);
        assert_eq!(level, Level::of(Backend::Avx2));
        assert_eq!(Level::<true>::of(Backend::Sse41), Level::PORTABLE);
    }
}
