// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Represents an error as a sum of shares of its sources.
//!
//! Errors of one source add up. Those of different sources add up only by their squares. A source
//! is the error that one encryption, rounding or key switch adds, identified by the [`Origin`] of
//! its polynomial: the same operation on the same ciphertext has the same source whenever it is
//! repeated. The share of a source is the root of its mean square over all slots. Products with
//! values multiply it by the bound of the values.
//!
//! A source is *white* as long as its errors in different slots are uncorrelated: initially, and
//! after operations on each slot. A rotation makes a white source uncorrelated with itself, and a
//! sum over n slots has √n times the error. Matrices and sums mix slots. After them, errors always
//! add up.
//!
//! A sum of several images of one source is no longer white: x plus all its rotations has the same
//! error in all slots. Such an error is a linear map A of independent Gaussian numbers, and two
//! norms of A are known. Images of deviations dₖ have a mean square of Σdₖ² over all slots, and
//! their largest singular value is at most Σdₖ. Together they bound a mean over n slots like one of
//! n·Σdₖ²/(Σdₖ)² independent samples.
//!
//! Errors that depend on values (the rounding of doubles, approximations of functions, products of
//! two errors) belong to no source, and always add up.

use super::origin::Origin;

/// The largest number of distinct sources.
const MOST: usize = 256;

/// The image of a source after its slots were mixed.
const MIXED: u32 = 0;

/// The factor by which the estimate allows errors after a matrix to exceed their standard
/// deviation; half a bit more is tolerated. All slots may have the same error, which leaves only
/// one sample. The rounding error of a slot is a product with the secret in that slot, hence of two
/// complex Gaussian numbers. It exceeds t with the probability 2t·K₁(2t), which is one in 280,000
/// here.
const TAIL: f64 = 5.0;

/// −ln of the probability that the mean over few slots exceeds the estimate by half a bit.
const FEW_SLOTS: f64 = 21.0;

/// The factor by which the largest of two multiplied errors may exceed its standard deviation.
const LARGEST: f64 = 8.0;

/// The shares of sources in the error of a vector.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shares {
    /// In ascending order of base and image.
    sources: Vec<Source>,
    /// The share of sources that are no longer distinct.
    merged: Merged,
    rest: f64,
}

/// The norms of a linear map of Gaussian numbers that may be correlated with all others, so that
/// the norms add up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Merged {
    /// The root of the mean square over slots.
    pub deviation: f64,
    /// The largest singular value.
    pub largest: f64,
}

impl Merged {
    fn sum(self, other: Self) -> Self {
        let (deviation, largest) = (self.deviation + other.deviation, self.largest + other.largest);
        Self { deviation, largest }
    }

    fn scaled(self, by: f64) -> Self {
        Self { deviation: self.deviation * by, largest: self.largest * by }
    }

    /// The estimated deviation over `values` values. The true mean is almost never more than half a
    /// bit larger.
    fn total(self, values: usize) -> f64 {
        self.deviation * of_few(samples(values, self.deviation, self.largest)).sqrt()
    }
}

/// The parts that [`Shares::parts`] returns: base, image and deviation of each source, and the
/// rest.
pub(crate) struct Parts {
    pub sources: Vec<(u64, u32, f64)>,
    pub merged: Merged,
    pub rest: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Source {
    base: u64,
    /// The exponent of the automorphism that was applied to a white source.
    image: u32,
    deviation: f64,
}

impl Source {
    fn key(&self) -> (u64, u32) {
        (self.base, self.image)
    }
}

impl Shares {
    /// An error that may be correlated with any other.
    pub fn rest(rest: f64) -> Self {
        Self { rest, ..Self::default() }
    }

    /// The error of one white source.
    pub fn source(base: Origin, deviation: f64) -> Self {
        let source = Source { base: base.bits(), image: 1, deviation };
        Self { sources: vec![source], ..Self::default() }
    }

    /// Returns all parts, with the sources in ascending order.
    pub fn parts(&self) -> Parts {
        let sources = self.sources.iter();
        let sources = sources.map(|source| (source.base, source.image, source.deviation));
        Parts { sources: sources.collect(), merged: self.merged, rest: self.rest }
    }

    /// Returns the shares with these parts, or `None` for parts that [`Self::parts`] never returns.
    pub fn from_parts(Parts { sources, merged, rest }: &Parts) -> Option<Self> {
        let is_size = |size: f64| size >= 0.0 && size.is_finite();
        let is_ascending =
            sources.windows(2).all(|two| (two[0].0, two[0].1) < (two[1].0, two[1].1));
        let are_sizes = [*rest, merged.deviation, merged.largest].into_iter().all(is_size)
            && sources.iter().all(|(_, _, size)| is_size(*size));
        let (merged, rest) = (*merged, *rest);
        let of = |(base, image, deviation): &(u64, u32, f64)| Source {
            base: *base,
            image: *image,
            deviation: *deviation,
        };
        (is_ascending && are_sizes && sources.len() <= MOST).then(|| Self {
            sources: sources.iter().map(of).collect(),
            merged,
            rest,
        })
    }

    /// The estimated standard deviation of the error of a vector of `values` values. The true one
    /// is almost never more than half a bit larger: the mean has one sample for each independent
    /// slot.
    pub fn total(&self, values: usize) -> f64 {
        let norms = Norms::of(self.sources.iter().filter(|source| source.image != MIXED));
        let mixed = self.sources.iter().filter(|source| source.image == MIXED);
        let mixed = mixed.map(|source| source.deviation.powi(2)).sum::<f64>();
        let white = norms.merged().total(values);
        white.hypot(mixed.sqrt()) + self.merged.total(values) + self.rest
    }

    /// The standard deviation of one slot.
    pub fn deviation(&self) -> f64 {
        let squares = self.sources.iter().map(|source| source.deviation.powi(2)).sum::<f64>();
        squares.sqrt() + self.merged.deviation + self.rest
    }

    /// The error of a sum or a difference.
    #[must_use]
    pub fn sum(&self, other: &Self) -> Self {
        let mut sources = Vec::with_capacity(self.sources.len() + other.sources.len());
        let (mut left, mut right) =
            (self.sources.iter().peekable(), other.sources.iter().peekable());
        loop {
            let next = match (left.peek(), right.peek()) {
                (Some(a), Some(b)) if a.key() == b.key() => {
                    let deviation = a.deviation + b.deviation;
                    (left.next(), right.next()).0.map(|a| Source { deviation, ..*a })
                }
                (Some(a), Some(b)) if a.key() < b.key() => left.next().copied(),
                (Some(_), None) => left.next().copied(),
                _ => right.next().copied(),
            };
            let Some(next) = next else { break };
            push(&mut sources, next);
        }
        let (merged, rest) = (self.merged.sum(other.merged), self.rest + other.rest);
        Self { sources, merged, rest }.limited()
    }

    /// The error of products with values up to `by`.
    #[must_use]
    pub fn scaled(&self, by: f64) -> Self {
        let mut scaled = self.clone();
        scaled.sources.iter_mut().for_each(|source| source.deviation *= by);
        scaled.merged = scaled.merged.scaled(by);
        scaled.rest *= by;
        scaled
    }

    /// The error of products of two vectors whose values have these bounds. `copies` is the number
    /// of copies of a vector in the slots.
    #[must_use]
    pub fn product(
        &self,
        bound: f64,
        other: &Self,
        other_bound: f64,
        [slots, copies]: [usize; 2],
    ) -> Self {
        let both = LARGEST * (copies as f64).sqrt() * self.total(slots) * other.total(slots);
        self.scaled(other_bound).sum(&other.scaled(bound)).with_rest(both)
    }

    /// The error with a further part that may be correlated with any other.
    #[must_use]
    pub fn with_rest(mut self, rest: f64) -> Self {
        self.rest += rest;
        self
    }

    /// The error of the image under X → X^`exponent`, with exponents modulo `order`.
    #[must_use]
    pub fn automorphism(&self, exponent: u64, order: u64) -> Self {
        let rotated = |source: &Source| {
            let image = u64::from(source.image) * exponent % order;
            Source { image: image as u32, ..*source }
        };
        self.mapped(rotated)
    }

    /// The error of a matrix times the vector. `root` is the largest root of the sum of squares of
    /// a row. `sum` bounds the growth of any vector, as a mean over slots.
    #[must_use]
    pub fn mixed(&self, root: f64, sum: f64) -> Self {
        let mixed = |source: &Source| {
            let gain = if source.image == MIXED { sum } else { TAIL * root };
            Source { image: MIXED, deviation: source.deviation * gain, ..*source }
        };
        let mut mixed = self.mapped(mixed);
        mixed.merged = mixed.merged.scaled(sum);
        mixed.rest *= sum;
        mixed
    }

    /// The error of the same vector read in another number of slots that hold the same values.
    #[must_use]
    pub fn of_slots(&self, from: usize, to: usize) -> Self {
        if from == to {
            return self.clone();
        }
        let root = (to as f64 / from as f64).sqrt();
        // A mixed source counts with the smaller number of samples, before or after.
        let few = of_few(from.min(to) as f64).sqrt();
        let changed = |source: &Source| {
            let by = match source.image == MIXED {
                true => root.max(1.0),
                false => root * few,
            };
            Source { image: MIXED, deviation: source.deviation * by, ..*source }
        };
        let mut changed = self.mapped(changed);
        changed.merged = changed.merged.scaled(root.max(1.0));
        changed.rest *= root.max(1.0);
        changed
    }

    /// The error of a matrix times a vector that looks random, so that its errors stay white.
    #[must_use]
    pub fn spread(&self, base: Origin, root: f64) -> Self {
        self.as_one(base).scaled(root)
    }

    /// One white source with the same deviation.
    #[must_use]
    pub fn as_one(&self, base: Origin) -> Self {
        Self::source(base, self.deviation())
    }

    /// Applies `change` to each source.
    fn mapped(&self, change: impl Fn(&Source) -> Source) -> Self {
        let mut all: Vec<Source> = self.sources.iter().map(change).collect();
        all.sort_unstable_by_key(Source::key);
        let mut sources = Vec::with_capacity(all.len());
        all.into_iter().for_each(|source| push(&mut sources, source));
        Self { sources, ..*self }
    }

    /// Merges the smaller half of the sources if there are too many.
    fn limited(mut self) -> Self {
        if self.sources.len() <= MOST {
            return self;
        }
        let mut sizes: Vec<f64> = self.sources.iter().map(|source| source.deviation).collect();
        let (_, middle, _) = sizes.select_nth_unstable_by(MOST / 2, f64::total_cmp);
        let middle = *middle;
        let (mut mixed, mut dropped) = (0.0, Norms::default());
        self.sources.retain(|source| {
            let is_kept = source.deviation > middle;
            match source.image {
                _ if is_kept => {}
                MIXED => mixed += source.deviation.powi(2),
                _ => dropped.add(source),
            }
            is_kept
        });
        self.merged = self.merged.sum(dropped.merged());
        self.rest += f64::sqrt(mixed);
        self
    }
}

/// The squares of the norms of white sources and their images, which are added in ascending order.
#[derive(Default)]
struct Norms {
    base: u64,
    /// The sum of the deviations of the last source's images.
    of_base: f64,
    squares: f64,
    /// Σ(Σd)² of all sources before the last.
    largest: f64,
}

impl Norms {
    fn of<'a>(sources: impl Iterator<Item = &'a Source>) -> Self {
        let mut norms = Self::default();
        sources.for_each(|source| norms.add(source));
        norms
    }

    fn add(&mut self, source: &Source) {
        if source.base != self.base {
            self.largest += self.of_base.powi(2);
            (self.base, self.of_base) = (source.base, 0.0);
        }
        self.of_base += source.deviation;
        self.squares += source.deviation.powi(2);
    }

    /// Returns the norms. Sources are independent, so their squares add up.
    fn merged(&self) -> Merged {
        let largest = self.largest + self.of_base.powi(2);
        Merged { deviation: self.squares.sqrt(), largest: largest.sqrt() }
    }
}

/// Adds a source after those of lower keys. Adds it to the last one if that is the same source or
/// was mixed.
fn push(sources: &mut Vec<Source>, next: Source) {
    match sources.last_mut() {
        // The mixed image of a base comes first.
        Some(last) if last.base == next.base && [next.image, MIXED].contains(&last.image) => {
            last.deviation += next.deviation;
        }
        _ => sources.push(next),
    }
}

/// The number of independent samples that the errors of `values` values are worth, at least one.
fn samples(values: usize, deviation: f64, largest: f64) -> f64 {
    let values = values.max(1) as f64;
    let samples = values * (deviation / largest).powi(2);
    // 0/0 without an error.
    if samples.is_nan() {
        values
    } else {
        samples.clamp(1.0, values)
    }
}

/// The factor by which the mean square of `samples` complex Gaussian numbers may be larger than
/// expected, beyond half a bit of its root (Laurent, Massart, "Adaptive estimation of a quadratic
/// functional by model selection", Ann. Statist. 28, 2000, lemma 1). The lemma also bounds
/// Σλᵢ|gᵢ|², where the λᵢ are the squares of singular values: Σλᵢ² ≤ λ·Σλᵢ for the largest λ.
fn of_few(samples: f64) -> f64 {
    let part = FEW_SLOTS / (2.0 * samples);
    ((1.0 + 2.0 * part.sqrt() + 2.0 * part) / 2.0).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOTS: usize = 512;

    fn of(base: u64, deviation: f64) -> Shares {
        Shares::source(Origin::new(base), deviation)
    }

    fn is(noise: &Shares, wanted: f64) {
        let total = noise.total(SLOTS);
        assert!((total / wanted - 1.0).abs() < 1e-12, "{total}, {wanted}");
    }

    #[test]
    fn the_same_source_adds_up_and_others_by_squares() {
        is(&of(1, 3.0).sum(&of(2, 4.0)), 5.0);
        is(&of(1, 3.0).sum(&of(1, 4.0)), 7.0);
        let both = of(1, 3.0).sum(&of(2, 4.0));
        is(&both.sum(&both.scaled(2.0)), 15.0);
        is(&both.clone().with_rest(1.0).sum(&both.with_rest(1.0)), 12.0);
        // Sixteen times z ← z + z.
        let z = (0..16).fold(of(1, 1.0), |z, _| z.sum(&z));
        is(&z, 65_536.0);
    }

    #[test]
    fn squares_double_and_products_of_others_do_not() {
        let product = |a: &Shares, b: &Shares| a.product(1.0, b, 1.0, [SLOTS, 1]).total(SLOTS);
        let (a, b) = (of(1, 1e-9), of(2, 1e-9));
        assert!((product(&a, &a) / 2e-9 - 1.0).abs() < 1e-6);
        assert!((product(&a, &b) / 2f64.sqrt() / 1e-9 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn white_sources_are_uncorrelated_with_their_rotations_and_mixed_ones_are_not() {
        let order = 4 * SLOTS as u64;
        let e = of(1, 1.0);
        is(&e.sum(&e.automorphism(5, order)), 2f64.sqrt());
        let back = e.automorphism(5, order).automorphism(5, order).automorphism(25, order);
        is(&e.automorphism(625, order).sum(&back), 2.0);
        let mixed = e.mixed(0.5, 2.0);
        is(&mixed, 0.5 * TAIL);
        is(&mixed.sum(&mixed.automorphism(5, order)), TAIL);
        is(&mixed.sum(&e), 0.5 * TAIL + 1.0);
        is(&e.sum(&e.automorphism(5, order)).mixed(0.5, 2.0), TAIL);
        is(&mixed.mixed(0.5, 2.0), TAIL);
    }

    #[test]
    fn sources_beyond_the_limit_add_up() {
        let many = (0..10_000).fold(Shares::default(), |sum, base| sum.sum(&of(base + 1, 1.0)));
        assert!(many.sources.len() <= MOST);
        let total = many.total(SLOTS);
        assert!((100.0..1000.0).contains(&total), "{total}");
        is(&many.sum(&many), 2.0 * total);
    }

    /// x plus rotations of it: fewer and fewer samples, and finally the same error in all slots.
    #[test]
    fn images_of_one_source_are_fewer_samples() {
        let rotations = |slots: usize, count: usize| {
            let (mut sum, mut exponent) = (Shares::default(), 1);
            for _ in 0..count {
                sum = sum.sum(&of(1, 1.0).automorphism(exponent, 4 * slots as u64));
                exponent = exponent * 5 % (4 * slots as u64);
            }
            sum
        };
        let one = of(1, 1.0).total(1);
        for slots in [64, 128] {
            let root = (slots as f64).sqrt();
            let all = rotations(slots, slots);
            assert!((all.total(slots) / (root * one) - 1.0).abs() < 1e-9, "{slots}");
            assert!((all.deviation() / root - 1.0).abs() < 1e-9);
            let half = rotations(slots, slots / 2).total(slots);
            assert!((half / ((root / 2f64.sqrt()) * of(1, 1.0).total(2)) - 1.0).abs() < 1e-9);
        }
        // Merging sources, since there are too many, keeps both norms.
        let all = rotations(512, 512);
        assert!(all.sources.len() <= MOST && all.merged.largest >= 256.0);
        assert!(all.total(512) >= 512f64.sqrt() * one, "{}", all.total(512));
        // A small source next to a large one has little effect.
        let small = rotations(64, 64).scaled(1e-3).sum(&of(2, 1.0));
        assert!(small.total(64) < 1.2 * of(2, 1.0).total(64));
    }

    #[test]
    fn few_slots_are_claimed_less_precise() {
        let one = of(1, 1.0);
        assert!(one.total(1) > 3.0 && one.total(2) < one.total(1) && one.total(1 << 15) == 1.0);
        is(&one.of_slots(512, 2048), 2.0);
        is(&one.of_slots(512, 128), 0.5);
        is(&one.mixed(1.0, 1.0).of_slots(512, 128), TAIL);
        // Repeated values provide no additional samples.
        assert!(one.of_slots(1, 512).total(512) >= 512f64.sqrt() * one.total(1));
    }
}
