// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The numbers of equations from which lanes are faster than libsecp256k1, measured with
//! `halimede-bench ecdsa`.

use halimede_arith::lanes::{available, LANES};
use halimede_arith::{Backend, Processor};

/// Least numbers of equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worth {
    /// A batch.
    pub batch: usize,
    /// The last equations of a batch, which occupy only some of the lanes.
    pub rest: usize,
}

impl Worth {
    /// Returns the numbers for a backend on this processor, or `None` for a backend without lanes.
    pub fn here(backend: Backend) -> Option<Self> {
        available(backend).then(|| Self::of(&Processor::here(), backend)).flatten()
    }

    /// Returns the numbers for a backend on a processor. Eight equations take as long as two with
    /// libsecp256k1; with products of doubles, as long as three and a half. In registers of 256
    /// bits they take as long as six, and on Intel's processors as long as seven and a half, so
    /// that a batch of eight does not pay for its preparation.
    fn of(processor: &Processor, backend: Backend) -> Option<Self> {
        let (batch, rest) = match backend {
            Backend::Avx512Ifma => (3, 3),
            Backend::AvxIfma | Backend::Avx512 => (4, 4),
            Backend::Adx | Backend::Avx2 if processor.has_short_schedulers() => (2 * LANES, LANES),
            Backend::Adx | Backend::Avx2 => (7, 7),
            _ => return None,
        };
        Some(Self { batch, rest })
    }
}

#[cfg(test)]
mod tests {
    use halimede_arith::processor::known;

    use super::*;

    #[test]
    fn a_batch_is_worth_lanes_from_the_measured_number_on() {
        let batch = |processor: Processor, backend| {
            Worth::of(&processor, backend).map(|worth| (worth.batch, worth.rest))
        };
        assert_eq!(batch(known::ZEN_4, Backend::Adx), Some((7, 7)));
        assert_eq!(batch(known::SAPPHIRE_RAPIDS, Backend::Adx), Some((16, 8)));
        assert_eq!(batch(known::ALDER_LAKE, Backend::Avx2), Some((16, 8)));
        assert_eq!(batch(known::SAPPHIRE_RAPIDS, Backend::Avx512Ifma), Some((3, 3)));
        assert_eq!(batch(known::SAPPHIRE_RAPIDS, Backend::Portable), None);
    }
}
