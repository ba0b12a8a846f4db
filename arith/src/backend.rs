// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The set of processor instructions that the arithmetic uses, chosen once at run time.
//!
//! The choice is the best set that the processor has, unless the environment variable [`VARIABLE`]
//! names another. The feature `pure` compiles only the portable path.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use crate::Processor;

/// `true` if this build has the kernels of these lanes (`build.rs`).
macro_rules! compiled {
    ($lanes:literal) => {
        cfg!(any(not(native_lanes), native_lanes = $lanes))
    };
}
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
pub(crate) use compiled;

/// The environment variable that forces a backend by its name.
pub const VARIABLE: &str = "HALIMEDE_BACKEND";

/// A set of instructions with its own code. Each includes the sets before it, except
/// [`Self::Neon`] and [`Self::AvxIfma`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Backend {
    /// Pure Rust: runs on any processor, and is the reference for the other backends.
    Portable,
    /// ARM's Advanced SIMD, for BLAKE3 only. The backends below are for x86-64.
    Neon,
    /// x86-64 with SSE4.1, for BLAKE3 only.
    Sse41,
    /// x86-64 with AVX2 and FMA: eight jobs of a batch in lanes, with 52-bit limbs in doubles.
    Avx2,
    /// The same with MULX (BMI2), ADCX and ADOX (ADX) for single jobs.
    Adx,
    /// AVX-IFMA: eight jobs of a batch in lanes, with 52-bit integer products in registers of 256
    /// bits. No backend below includes it.
    AvxIfma,
    /// AVX-512F and AVX-512DQ: eight jobs of a batch in lanes, with 52-bit limbs in doubles.
    Avx512,
    /// AVX-512 IFMA: eight jobs of a batch in lanes, with 52-bit integer products.
    Avx512Ifma,
}

/// The reason why a backend cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// No backend has this name.
    #[error(
        "no backend is called {got:?}; the backends are portable, neon, sse41, avx2, adx, \
             avxifma, avx512 and avx512ifma"
    )]
    Name {
        /// The given value.
        got: String,
    },
    /// This processor or this build lacks the backend's instructions.
    #[error(
        "this processor or build cannot run the backend {backend}; the best available one is {best}"
    )]
    Unavailable {
        /// The requested backend.
        backend: Backend,
        /// The best backend available.
        best: Backend,
    },
    /// The environment variable requests a backend that cannot be used.
    #[error("{VARIABLE}: {0}")]
    Environment(Box<BackendError>),
}

impl Backend {
    /// All backends. Each includes those before it, except [`Self::Neon`], which includes only the
    /// portable one, and [`Self::AvxIfma`], which the ones after it lack.
    pub const ALL: [Self; 8] = [
        Self::Portable,
        Self::Neon,
        Self::Sse41,
        Self::Avx2,
        Self::Adx,
        Self::AvxIfma,
        Self::Avx512,
        Self::Avx512Ifma,
    ];

    /// The name of the backend, as [`VARIABLE`] spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Neon => "neon",
            Self::Sse41 => "sse41",
            Self::Avx2 => "avx2",
            Self::Adx => "adx",
            Self::AvxIfma => "avxifma",
            Self::Avx512 => "avx512",
            Self::Avx512Ifma => "avx512ifma",
        }
    }

    /// Returns the backends that this processor and this build can run, the best last.
    pub fn available() -> impl DoubleEndedIterator<Item = Self> {
        Self::ALL.into_iter().filter(|backend| backend.is_available())
    }

    /// Returns the available backends that have their own kernels for the prime fields. Every other
    /// backend uses the kernels of the one before it.
    pub fn available_for_fields() -> impl DoubleEndedIterator<Item = Self> {
        Self::available().filter(|backend| *backend == Self::Portable || backend.has_lanes())
    }

    /// Returns `true` if the backend computes eight jobs of prime fields in lanes. A build with
    /// `HALIMEDE_LANES=native` has lanes for the best backend of the machine that built it, and no
    /// others.
    pub fn has_lanes(self) -> bool {
        match self {
            Self::Avx2 | Self::Adx => compiled!("nearest"),
            Self::AvxIfma => compiled!("avx_ifma"),
            Self::Avx512 => compiled!("doubles"),
            Self::Avx512Ifma => compiled!("ifma"),
            Self::Portable | Self::Neon | Self::Sse41 => false,
        }
    }

    /// Returns `true` if eight lanes are two registers, so that they take about twice as long as in
    /// one register.
    pub fn has_lanes_in_pairs(self) -> bool {
        matches!(self, Self::Avx2 | Self::Adx | Self::AvxIfma)
    }

    /// Returns `true` if every processor that can run this backend can also run the other.
    pub fn includes(self, other: Self) -> bool {
        self == other || other < self && !matches!(other, Self::Neon | Self::AvxIfma)
    }

    /// Returns `true` if this processor and this build can run the backend.
    pub fn is_available(self) -> bool {
        let processor = Processor::here();
        Self::best().includes(self) || self == Self::AvxIfma && Self::has_avxifma(&processor)
    }

    /// Returns `true` if a processor has AVX-IFMA and what [`Self::AvxIfma`] includes.
    fn has_avxifma(processor: &Processor) -> bool {
        let has = processor.instructions;
        has.avxifma && has.adx && has.avx2 && has.sse41
    }

    /// Returns the best backend that this processor and this build can run.
    pub fn best() -> Self {
        static BEST: OnceLock<Backend> = OnceLock::new();
        *BEST.get_or_init(|| Self::best_of(&Processor::here()))
    }

    /// Returns the best backend that a processor can run.
    pub fn best_of(processor: &Processor) -> Self {
        let has = processor.instructions;
        if has.neon {
            return Self::Neon;
        }
        let steps = [
            (Self::Sse41, has.sse41),
            (Self::Avx2, has.avx2),
            (Self::Adx, has.adx),
            (Self::Avx512, has.avx512),
            (Self::Avx512Ifma, has.avx512ifma),
        ];
        let here = steps.into_iter().take_while(|(_, is_here)| *is_here);
        match here.last() {
            Some((Self::Adx, _)) if Self::has_avxifma(processor) => Self::AvxIfma,
            Some((backend, _)) => backend,
            None => Self::Portable,
        }
    }

    /// Reads [`VARIABLE`]; returns [`Self::best`] if the variable is unset or empty. Unlike
    /// [`Self::chosen`], it reads the variable at each call.
    ///
    /// # Errors
    /// [`BackendError`] for an unknown name and for a backend that cannot run here.
    pub fn from_environment() -> Result<Self, BackendError> {
        let Some(name) = std::env::var_os(VARIABLE).filter(|name| !name.is_empty()) else {
            return Ok(Self::best());
        };
        let backend: Self = name.to_string_lossy().parse()?;
        if !backend.is_available() {
            return Err(BackendError::Unavailable { backend, best: Self::best() });
        }
        Ok(backend)
    }

    /// Returns the backend of this process: the result of [`Self::from_environment`] at the first
    /// call. Every fallible computation calls this first, so that an invalid [`VARIABLE`] is an
    /// error and never a silent change of backend.
    ///
    /// # Errors
    /// [`BackendError::Environment`].
    pub fn chosen() -> Result<Self, BackendError> {
        static CHOSEN: OnceLock<Result<Backend, BackendError>> = OnceLock::new();
        let chosen = CHOSEN.get_or_init(Self::from_environment).clone();
        chosen.map_err(|error| BackendError::Environment(Box::new(error)))
    }

    /// Returns [`Self::chosen`], or the portable backend if that is an error. For computations that
    /// cannot fail.
    #[inline]
    pub fn active() -> Self {
        static ACTIVE: OnceLock<Backend> = OnceLock::new();
        *ACTIVE.get_or_init(|| Self::chosen().unwrap_or(Self::Portable))
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Backend {
    type Err = BackendError;

    fn from_str(name: &str) -> Result<Self, BackendError> {
        Self::ALL
            .into_iter()
            .find(|backend| backend.name() == name)
            .ok_or_else(|| BackendError::Name { got: name.chars().take(40).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processor::known;

    #[test]
    fn names_are_read_back_and_others_are_refused() {
        for backend in Backend::ALL {
            assert_eq!(backend.name().parse(), Ok(backend));
        }
        for name in ["", "AVX512", "adx ", "avx3"] {
            assert_eq!(name.parse::<Backend>(), Err(BackendError::Name { got: name.into() }));
        }
    }

    #[test]
    fn the_available_ones_begin_portable_and_end_with_the_best() {
        let available: Vec<Backend> = Backend::available().collect();
        assert_eq!(available.first(), Some(&Backend::Portable));
        assert_eq!(available.last(), Some(&Backend::best()));
        assert!(available.contains(&Backend::active()));
        let for_fields: Vec<Backend> = Backend::available_for_fields().collect();
        assert!(for_fields.iter().all(|backend| available.contains(backend)));
        assert_eq!(for_fields.first(), Some(&Backend::Portable));
    }

    #[test]
    fn a_backend_includes_those_of_its_architecture_before_it() {
        for (place, backend) in Backend::ALL.into_iter().enumerate() {
            for (other_place, other) in Backend::ALL.into_iter().enumerate() {
                let is_apart = matches!(other, Backend::Neon | Backend::AvxIfma);
                let is_before = other_place <= place && (!is_apart || other_place == place);
                assert_eq!(backend.includes(other), is_before, "{backend}, {other}");
            }
        }
    }

    #[test]
    fn the_best_of_a_processor_is_the_last_that_it_has_without_a_gap() {
        for (processor, best) in [
            (known::ZEN_3, Backend::Adx),
            (known::ZEN_4, Backend::Avx512Ifma),
            (known::ZEN_5, Backend::Avx512Ifma),
            (known::ALDER_LAKE, Backend::Adx),
            (known::ARROW_LAKE, Backend::AvxIfma),
            (known::SKYLAKE_SERVER, Backend::Avx512),
            (known::ICE_LAKE, Backend::Avx512Ifma),
            (known::SAPPHIRE_RAPIDS, Backend::Avx512Ifma),
            (known::OLDEST, Backend::Portable),
            (known::ARM, Backend::Neon),
        ] {
            assert_eq!(Backend::best_of(&processor), best, "{processor:?}");
        }
        let mut without_adx = known::ZEN_5;
        without_adx.instructions.adx = false;
        assert_eq!(Backend::best_of(&without_adx), Backend::Avx2);
    }

    #[test]
    fn no_processor_is_of_two_architectures() {
        assert!(!(Backend::Neon.is_available() && Backend::Sse41.is_available()));
    }
}
