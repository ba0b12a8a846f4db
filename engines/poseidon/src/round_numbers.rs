// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Round numbers: a search for the fewest S-boxes that security bounds allow, and Filecoin's bounds
//! (Poseidon paper, section 5.5; Filecoin specification, Poseidon, "Round numbers").

/// The numbers of rounds of a permutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoundNumbers {
    /// The number R_F of full rounds, which is even.
    pub full: usize,
    /// The number R_P of partial rounds.
    pub partial: usize,
}

impl RoundNumbers {
    /// Adds the paper's security margin: 2 full rounds and 7.5 % of the partial ones, rounded up.
    #[must_use]
    pub fn with_margin(self) -> Self {
        Self { full: self.full + 2, partial: (self.partial * 43).div_ceil(40) }
    }

    /// Adds Filecoin's strengthening: a quarter more partial rounds, rounded up.
    #[must_use]
    pub fn strengthened(self) -> Self {
        Self { partial: (self.partial * 5).div_ceil(4), ..self }
    }

    /// The number of S-boxes of a permutation of this width: t·R_F + R_P.
    pub fn sboxes(self, width: usize) -> usize {
        width * self.full + self.partial
    }
}

/// The largest number of full rounds that the search tries.
const MAX_FULL: usize = 100;
/// The largest number of partial rounds that the search tries.
const MAX_PARTIAL: usize = 500;

/// Returns the round numbers with the fewest S-boxes among those that `secure` accepts, after
/// `finish` is applied (for example a margin). Ties go to the fewest full rounds. `None` if no
/// round numbers with R_F ≤ 100 and R_P ≤ 500 are secure.
pub(crate) fn fewest_sboxes(
    width: usize,
    secure: impl Fn(RoundNumbers) -> bool,
    finish: impl Fn(RoundNumbers) -> RoundNumbers,
) -> Option<RoundNumbers> {
    // For a given R_F, the smallest secure R_P is the cheapest.
    let cheapest = |full| {
        (1..=MAX_PARTIAL)
            .map(|partial| RoundNumbers { full, partial })
            .find(|&rounds| secure(rounds))
    };
    let candidates = (4..=MAX_FULL).step_by(2).filter_map(cheapest).map(finish);
    candidates.min_by_key(|rounds| (rounds.sboxes(width), rounds.full))
}

/// The rounds of the standard Filecoin instance; `None` if no round numbers are secure.
///
/// Filecoin rounds the paper's logarithms for x⁵ to two digits, log₅2 ≈ 0.43, and assumes a field
/// of 256 bits and 128 bits of security.
pub(crate) fn filecoin(width: usize) -> Option<RoundNumbers> {
    const SECURITY_BITS: f64 = 128.0;
    const FIELD_BITS: f64 = 256.0;
    let t = width as f64;
    let secure = |rounds: RoundNumbers| {
        let partial = rounds.partial as f64;
        let statistical = if SECURITY_BITS <= (FIELD_BITS - 3.0) * (t + 1.0) { 6.0 } else { 10.0 };
        let interpolation = 0.43 * SECURITY_BITS + t.log2() - partial;
        let groebner_first = 0.21 * FIELD_BITS - partial;
        let groebner_second = (0.14 * FIELD_BITS - 1.0 - partial) / (t - 1.0);
        [statistical, interpolation, groebner_first, groebner_second]
            .iter()
            .all(|bound| rounds.full as f64 >= *bound)
    };
    fewest_sboxes(width, secure, RoundNumbers::with_margin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filecoins_published_widths_come_out() {
        for (width, partial) in [(3, 55), (5, 56), (9, 57), (12, 57)] {
            assert_eq!(filecoin(width), Some(RoundNumbers { full: 8, partial }), "width {width}");
        }
        let strengthened = [3, 5, 9, 12].map(|width| filecoin(width).unwrap().strengthened());
        assert_eq!(strengthened.map(|rounds| rounds.partial), [69, 70, 72, 72]);
    }

    #[test]
    fn more_width_never_needs_fewer_rounds() {
        let rounds: Vec<_> = (3..=37).map(|width| filecoin(width).unwrap()).collect();
        assert!(rounds.iter().all(|rounds| rounds.full == 8));
        assert!(rounds.windows(2).all(|pair| pair[0].partial <= pair[1].partial));
        // The interpolation bound: 0.43·128 + log₂ 37 − 6 = 54.2, so 55, and the margin: 60.
        assert_eq!(rounds.last().unwrap().partial, 60);
    }

    #[test]
    fn the_search_finds_the_cheapest() {
        // R_F + R_P ≥ 20: a full round costs `width` S-boxes, a partial one costs one.
        let secure = |rounds: RoundNumbers| rounds.full + rounds.partial >= 20;
        let found = fewest_sboxes(3, secure, |rounds| rounds).unwrap();
        assert_eq!(found, RoundNumbers { full: 4, partial: 16 });
        assert_eq!(fewest_sboxes(3, |_| false, |rounds| rounds), None);
        // An exact multiple of 40 is not rounded up further.
        let margin = RoundNumbers { full: 4, partial: 40 }.with_margin();
        assert_eq!(margin, RoundNumbers { full: 6, partial: 43 });
    }
}
