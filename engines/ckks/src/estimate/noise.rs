// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The noise of a ciphertext: its error by sources, both for typical values and for all values
//! within their bounds.
//!
//! The two differ after a sign function. Beyond its threshold, errors of the argument almost
//! vanish. Below the threshold, the slope of the sign amplifies them. Users see the error for
//! typical values. Shared decryptions are flooded according to the error for all values, since an
//! attacker may choose values below the threshold.

use super::origin::Origin;
use super::shares::{Parts, Shares};

/// The error of a vector.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Noise {
    /// The error if arguments of signs are beyond their thresholds.
    usual: Shares,
    /// The error for all values, if it differs.
    anywhere: Option<Box<Shares>>,
    /// `true` if a part of the error is a claim in a file.
    is_claimed: bool,
}

/// The parts of a noise: the usual shares and those for all values.
pub(crate) struct NoiseParts {
    pub usual: Parts,
    pub anywhere: Option<Parts>,
    pub is_claimed: bool,
}

impl Noise {
    /// The noise of one white source.
    pub fn source(base: Origin, deviation: f64) -> Self {
        Self { usual: Shares::source(base, deviation), ..Self::default() }
    }

    /// The noise that a file claims, which may be correlated with any other: the usual one, and
    /// that for all values.
    pub fn claimed(usual: f64, anywhere: f64) -> Self {
        let more = (anywhere > usual).then(|| Box::new(Shares::rest(anywhere)));
        Self { anywhere: more, is_claimed: true, ..Self::rest(usual) }
    }

    /// Noise that may be correlated with any other.
    pub fn rest(rest: f64) -> Self {
        Self { usual: Shares::rest(rest), ..Self::default() }
    }

    /// Returns the parts of the noise.
    pub fn parts(&self) -> NoiseParts {
        let anywhere = self.anywhere.as_ref().map(|shares| shares.parts());
        NoiseParts { usual: self.usual.parts(), anywhere, is_claimed: self.is_claimed }
    }

    /// Returns the noise with these parts, or `None` for parts that [`Self::parts`] never returns.
    pub fn from_parts(parts: &NoiseParts) -> Option<Self> {
        let usual = Shares::from_parts(&parts.usual)?;
        let anywhere = match &parts.anywhere {
            Some(parts) => Some(Box::new(Shares::from_parts(parts)?)),
            None => None,
        };
        Some(Self { usual, anywhere, is_claimed: parts.is_claimed })
    }

    /// Returns `true` if a part of the noise is a claim in a file.
    pub fn is_claimed(&self) -> bool {
        self.is_claimed
    }

    /// The estimated standard deviation of the error of a vector of `values` values. The true one
    /// is almost never more than half a bit larger.
    pub fn total(&self, values: usize) -> f64 {
        self.usual.total(values)
    }

    /// Like [`Self::total`], for all values within their bounds.
    pub fn total_anywhere(&self, values: usize) -> f64 {
        let usual = self.usual.total(values);
        let anywhere = self.anywhere.as_ref().map(|shares| shares.total(values));
        anywhere.filter(|anywhere| *anywhere > usual).unwrap_or(usual)
    }

    /// The standard deviation of one slot.
    pub fn deviation(&self) -> f64 {
        self.usual.deviation()
    }

    /// The noise of a sum or a difference.
    #[must_use]
    pub fn sum(&self, other: &Self) -> Self {
        self.with_other(other, Shares::sum)
    }

    /// The noise of products with values up to `by`.
    #[must_use]
    pub fn scaled(&self, by: f64) -> Self {
        self.each(|shares| shares.scaled(by))
    }

    /// The noise after a function with at most these slopes: `usual` in the range in which it is
    /// meant to be evaluated, and `anywhere` in general.
    #[must_use]
    pub fn through_slopes(&self, usual: f64, anywhere: f64) -> Self {
        let mut through = self.scaled(usual);
        if anywhere != usual {
            let shares = self.anywhere.as_deref().unwrap_or(&self.usual);
            through.anywhere = Some(Box::new(shares.scaled(anywhere)));
        }
        through
    }

    /// The noise of products of two vectors whose values have these bounds. `copies` is the number
    /// of copies of a vector in the slots.
    #[must_use]
    pub fn product(
        &self,
        bound: f64,
        other: &Self,
        other_bound: f64,
        [slots, copies]: [usize; 2],
    ) -> Self {
        let product = |a: &Shares, b: &Shares| a.product(bound, b, other_bound, [slots, copies]);
        self.with_other(other, product)
    }

    /// The noise with a further white source.
    #[must_use]
    pub fn with(&self, base: Origin, deviation: f64) -> Self {
        self.sum(&Self::source(base, deviation))
    }

    /// The noise with a further part that may be correlated with any other.
    #[must_use]
    pub fn with_rest(self, rest: f64) -> Self {
        self.each(|shares| shares.clone().with_rest(rest))
    }

    /// The noise of the image under X → X^`exponent`, with exponents modulo `order`.
    #[must_use]
    pub fn automorphism(&self, exponent: u64, order: u64) -> Self {
        self.each(|shares| shares.automorphism(exponent, order))
    }

    /// The noise of a matrix times the vector, with [the same norms](Shares::mixed).
    #[must_use]
    pub fn mixed(&self, root: f64, sum: f64) -> Self {
        self.each(|shares| shares.mixed(root, sum))
    }

    /// The noise of the same vector read in another number of slots that hold the same values.
    #[must_use]
    pub fn of_slots(&self, from: usize, to: usize) -> Self {
        self.each(|shares| shares.of_slots(from, to))
    }

    /// The noise of a matrix times a vector that looks random, so that its errors stay white.
    #[must_use]
    pub fn spread(&self, base: Origin, root: f64) -> Self {
        self.each(|shares| shares.spread(base, root))
    }

    /// One white source with the same deviation.
    #[must_use]
    pub fn as_one(&self, base: Origin) -> Self {
        self.each(|shares| shares.as_one(base))
    }

    fn each(&self, of: impl Fn(&Shares) -> Shares) -> Self {
        let anywhere = self.anywhere.as_ref().map(|shares| Box::new(of(shares)));
        Self { usual: of(&self.usual), anywhere, is_claimed: self.is_claimed }
    }

    fn with_other(&self, other: &Self, of: impl Fn(&Shares, &Shares) -> Shares) -> Self {
        let anywhere = |noise: &Self| noise.anywhere.is_some();
        let all = (anywhere(self) || anywhere(other)).then(|| {
            let [a, b] = [self, other].map(|of| of.anywhere.as_deref().unwrap_or(&of.usual));
            Box::new(of(a, b))
        });
        let is_claimed = self.is_claimed || other.is_claimed;
        Self { usual: of(&self.usual, &other.usual), anywhere: all, is_claimed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOTS: usize = 512;

    #[test]
    fn what_a_sign_does_to_errors_goes_along() {
        let e = Noise::source(Origin::new(1), 1.0);
        assert_eq!(e.total_anywhere(SLOTS), e.total(SLOTS));
        let sign = e.through_slopes(0.25, 64.0);
        let both = |noise: &Noise| (noise.total(SLOTS), noise.total_anywhere(SLOTS));
        assert_eq!(both(&sign), (0.25, 64.0));
        assert_eq!(both(&sign.scaled(2.0)), (0.5, 128.0));
        // The same source again, on either side.
        assert_eq!(both(&sign.sum(&e)), (1.25, 65.0));
        assert_eq!(both(&e.sum(&sign)), (1.25, 65.0));
        assert_eq!(both(&sign.through_slopes(2.0, 2.0)), (0.5, 128.0));
        let product = sign.product(1.0, &Noise::default(), 3.0, [SLOTS, 1]);
        assert_eq!(both(&product), (0.75, 192.0));
        assert_eq!(both(&sign.with_rest(1.0)), (1.25, 65.0));
    }

    #[test]
    fn a_claim_is_never_forgotten() {
        let claimed = Noise::claimed(1.0, 4.0);
        let own = Noise::source(Origin::new(1), 1.0);
        assert!(claimed.is_claimed() && !own.is_claimed());
        assert_eq!((claimed.total(SLOTS), claimed.total_anywhere(SLOTS)), (1.0, 4.0));
        let all = [
            own.sum(&claimed),
            claimed.sum(&own),
            own.product(1.0, &claimed, 1.0, [SLOTS, 1]),
            claimed.scaled(0.0),
            claimed.through_slopes(0.0, 0.0),
            claimed.mixed(1.0, 1.0),
            claimed.as_one(Origin::new(2)),
            claimed.automorphism(5, 2048).with_rest(1.0),
        ];
        assert!(all.iter().all(Noise::is_claimed));
        assert_eq!(Noise::from_parts(&claimed.parts()), Some(claimed));
    }
}
