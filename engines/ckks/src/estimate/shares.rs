// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An error as a sum of shares of its sources.
//!
//! Errors of one source add up, those of different ones only by their squares. A source is what one
//! encryption, rounding or key switch adds, by the [`Origin`] of the polynomial that it happens to:
//! the same operation on the same ciphertext has the same source, wherever it is repeated. What is
//! known is the root of the mean square over all slots of a source's share; products with values
//! multiply it by their bound.
//!
//! A source is *white* as long as its errors in different slots are uncorrelated: at first, and
//! after operations on each slot. Then a rotation makes it uncorrelated with itself, and a sum over
//! n slots has √n times the error. Matrices and sums mix slots: after them, errors add up whatever
//! is done.
//!
//! A sum of several images of one source is white no longer: x and all its rotations leave the same
//! error in all slots. Such an error is a linear map A of independent Gaussian numbers, known by two
//! norms. Images of deviations dₖ have a mean square of Σdₖ² over all slots, and their largest
//! singular value is at most Σdₖ. By both a mean over n slots is bounded as one of n·Σdₖ²/(Σdₖ)²
//! independent samples.
//!
//! What depends on values (the rounding of doubles, approximations of functions, products of two
//! errors) is in no source, and always adds up.

use super::origin::Origin;

/// The most sources that are told apart.
const MOST: usize = 256;

/// The image of a source that slots were mixed of.
const MIXED: u32 = 0;

/// By how much the errors that a matrix makes may exceed their standard deviation, and the claim by
/// half a bit more: all slots may have the same error, of which there is one sample then. A
/// rounding's is a product with the secret in that slot, of two Gaussian complex numbers, which
/// exceeds t with the probability 2t·K₁(2t): once in 280,000 times here.
const TAIL: f64 = 5.0;

/// −ln of the probability that the mean over few slots exceeds what is claimed by half a bit.
const FEW_SLOTS: f64 = 21.0;

/// By how much the largest of two errors that are multiplied may exceed its standard deviation.
const LARGEST: f64 = 8.0;

/// The shares of sources in the error of a vector.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shares {
    /// In ascending order of base and image.
    sources: Vec<Source>,
    /// What sources have that are not told apart any more.
    merged: Merged,
    rest: f64,
}

/// The norms of a linear map of Gaussian numbers that may be correlated with all others, so that
/// norms add up.
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

    /// The same, chosen so that the true mean over so many values is half a bit larger hardly ever.
    fn total(self, values: usize) -> f64 {
        self.deviation * of_few(samples(values, self.deviation, self.largest)).sqrt()
    }
}

/// What [`Shares::parts`] gives: base, image and deviation of each source; and the rest.
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
    /// An error that is correlated with any other.
    pub fn rest(rest: f64) -> Self {
        Self { rest, ..Self::default() }
    }

    /// The error of one white source.
    pub fn source(base: Origin, deviation: f64) -> Self {
        let source = Source { base: base.bits(), image: 1, deviation };
        Self { sources: vec![source], ..Self::default() }
    }

    /// All that it is made of; sources in ascending order.
    pub fn parts(&self) -> Parts {
        let sources = self.sources.iter();
        let sources = sources.map(|source| (source.base, source.image, source.deviation));
        Parts { sources: sources.collect(), merged: self.merged, rest: self.rest }
    }

    /// Shares from their parts. `None` for what [`Self::parts`] does not give.
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

    /// Standard deviation of the error of a vector of so many values, chosen so that the true one is
    /// half a bit larger hardly ever: the mean is one of as many samples as slots are independent.
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

    /// The error of products with values up to a bound.
    #[must_use]
    pub fn scaled(&self, by: f64) -> Self {
        let mut scaled = self.clone();
        scaled.sources.iter_mut().for_each(|source| source.deviation *= by);
        scaled.merged = scaled.merged.scaled(by);
        scaled.rest *= by;
        scaled
    }

    /// The error of products of two vectors, whose values have these bounds. `copies` is how often
    /// a vector stands in all slots.
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

    /// The error with a further part that is correlated with any other.
    #[must_use]
    pub fn with_rest(mut self, rest: f64) -> Self {
        self.rest += rest;
        self
    }

    /// The error of the image under X → X^`exponent`, exponents counting modulo `order`.
    #[must_use]
    pub fn automorphism(&self, exponent: u64, order: u64) -> Self {
        let rotated = |source: &Source| {
            let image = u64::from(source.image) * exponent % order;
            Source { image: image as u32, ..*source }
        };
        self.mapped(rotated)
    }

    /// The error of a matrix times the vector: `root` is the largest root of a row's sum of
    /// squares, and `sum` bounds by how much the matrix makes any vector larger, in the mean over
    /// slots.
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

    /// The error of the same vector read in another number of slots, which hold the same values.
    #[must_use]
    pub fn of_slots(&self, from: usize, to: usize) -> Self {
        if from == to {
            return self.clone();
        }
        let root = (to as f64 / from as f64).sqrt();
        // What is mixed counts as it is afterwards: as few samples as there ever were.
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

    /// The error of a matrix times a vector that looks random, whose errors stay white.
    #[must_use]
    pub fn spread(&self, base: Origin, root: f64) -> Self {
        self.as_one(base).scaled(root)
    }

    /// The same deviation as one white source.
    #[must_use]
    pub fn as_one(&self, base: Origin) -> Self {
        Self::source(base, self.deviation())
    }

    /// Each source changed.
    fn mapped(&self, change: impl Fn(&Source) -> Source) -> Self {
        let mut all: Vec<Source> = self.sources.iter().map(change).collect();
        all.sort_unstable_by_key(Source::key);
        let mut sources = Vec::with_capacity(all.len());
        all.into_iter().for_each(|source| push(&mut sources, source));
        Self { sources, ..*self }
    }

    /// With the smaller half of the sources merged, where there are too many.
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

/// The squares of norms of white sources and their images, in ascending order.
#[derive(Default)]
struct Norms {
    base: u64,
    /// The sum of deviations of the last source's images.
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

    /// The norms: sources are independent, so that squares add up.
    fn merged(&self) -> Merged {
        let largest = self.largest + self.of_base.powi(2);
        Merged { deviation: self.squares.sqrt(), largest: largest.sqrt() }
    }
}

/// Adds a source behind those of lower keys: to one that is the same, or that has been mixed.
fn push(sources: &mut Vec<Source>, next: Source) {
    match sources.last_mut() {
        // A mixed image comes first of its base.
        Some(last) if last.base == next.base && [next.image, MIXED].contains(&last.image) => {
            last.deviation += next.deviation;
        }
        _ => sources.push(next),
    }
}

/// As how many independent samples the errors of so many values count: one at least.
fn samples(values: usize, deviation: f64, largest: f64) -> f64 {
    let values = values.max(1) as f64;
    let samples = values * (deviation / largest).powi(2);
    // Without an error there is no quotient.
    if samples.is_nan() {
        values
    } else {
        samples.clamp(1.0, values)
    }
}

/// How many times larger the mean square of as many complex Gaussian numbers may be (Laurent,
/// Massart, "Adaptive estimation of a quadratic functional by model selection", Ann. Statist. 28,
/// 2000, lemma 1), beyond half a bit of its root. The lemma bounds Σλᵢ|gᵢ|² as well, whose λ are the
/// squares of singular values: Σλᵢ² ≤ λ·Σλᵢ with λ the largest.
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

    /// x and rotations of it: as many samples as are left, and the same error in all slots in the end.
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
        // Sources that are merged, since they are too many, keep both norms.
        let all = rotations(512, 512);
        assert!(all.sources.len() <= MOST && all.merged.largest >= 256.0);
        assert!(all.total(512) >= 512f64.sqrt() * one, "{}", all.total(512));
        // Two sources of which one is small count for little.
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
        // What repeats itself is as few samples as before.
        assert!(one.of_slots(1, 512).total(512) >= 512f64.sqrt() * one.total(1));
    }
}
