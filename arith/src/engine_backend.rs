// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The backends for which an engine that computes in lanes has separate code.

use std::fmt;

use crate::Backend;

/// The backends for which the lanes of an engine have separate code. Each corresponds to a
/// [`Backend`], so the environment variable that forces one also forces the other.
pub trait EngineBackend: Copy + 'static {
    /// All backends of the engine, the portable one first, each after those that its backend
    /// includes.
    const ALL: &'static [Self];
    /// The backend that runs on any processor.
    const PORTABLE: Self;

    /// Returns the [`Backend`] with the same instructions.
    fn backend(self) -> Backend;

    /// Returns `true` if this processor and this build can run the backend. An engine whose
    /// code needs more instructions than the [`Backend`] overrides this.
    fn is_available(self) -> bool {
        self.backend().is_available()
    }

    /// Returns the name, which is that of the [`Backend`].
    fn name(self) -> &'static str {
        self.backend().name()
    }

    /// Returns the best one within a [`Backend`] that this processor and this build can run.
    fn of(backend: Backend) -> Self {
        Self::available().rfind(|own| backend.includes(own.backend())).unwrap_or(Self::PORTABLE)
    }

    /// Returns the backend of this process: that of [`Backend::active`].
    fn active() -> Self {
        Self::of(Backend::active())
    }

    /// Returns the backends that this processor and this build can run, the best last.
    fn available() -> impl DoubleEndedIterator<Item = Self> {
        Self::ALL.iter().copied().filter(|backend| backend.is_available())
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

impl EngineBackend for LaneBackend {
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

    /// Backends of an engine, on a processor that may lack the AVX-512 instructions it needs.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Engine<const HAS_AVX512: bool>(Backend);

    impl<const HAS_AVX512: bool> EngineBackend for Engine<HAS_AVX512> {
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
        let mut available = Engine::<HAS_AVX512>::available();
        assert_eq!(available.next(), Some(Engine::PORTABLE));
        assert!(available.all(|own| own.0.is_available()));
        for backend in Backend::ALL {
            let own = Engine::<HAS_AVX512>::of(backend);
            assert!(own.is_available() && backend.includes(own.0), "{backend}: {own:?}");
            // No better one would be allowed.
            for other in Engine::<HAS_AVX512>::available() {
                let is_better = other.0 > own.0 && backend.includes(other.0);
                assert!(!is_better, "{backend}: {own:?} and {other:?}");
            }
        }
        for own in Engine::<HAS_AVX512>::available() {
            assert_eq!(Engine::of(own.0), own);
            assert_eq!(own.name().parse(), Ok(own.0));
        }
        assert_eq!(Engine::<HAS_AVX512>::active(), Engine::of(Backend::active()));
    }

    #[test]
    fn the_best_backend_within_another_is_chosen() {
        check::<true>();
        check::<false>();
    }

    #[test]
    fn what_an_engine_lacks_is_done_by_the_one_below() {
        let own = Engine::<false>::of(Backend::Avx512Ifma);
        assert_eq!(own, Engine::of(Backend::Avx2));
        assert_eq!(Engine::<true>::of(Backend::Sse41), Engine::PORTABLE);
    }
}
