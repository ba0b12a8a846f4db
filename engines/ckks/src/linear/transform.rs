// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Matrices encoded for a level.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::diagonals::{Diagonals, Norms};
use super::error::LinearError;
use super::split::{RotationStrategy, Split};
use crate::complex::Complex;
use crate::encoding::Encoder;
use crate::estimate::Origin;
use crate::keys::RotationKeys;
use crate::params::{Parameters, Scale};
use crate::ring::{repeated_bytes, Basis, Named, Repeated};

/// A matrix whose diagonals are plaintexts modulo the primes of a level and of keys, rotated and
/// grouped by giant steps. It can be used any number of times. Its plaintexts are kept in memory,
/// or encoded for each giant step whenever the matrix is applied.
pub struct LinearTransform {
    pub(super) parameters: Parameters,
    pub(super) slots: usize,
    pub(super) level: usize,
    /// The scale of the input vectors.
    pub(super) from: Scale,
    /// The scale of the plaintexts.
    pub(super) scale: Scale,
    pub(super) split: Split,
    /// The kind of keys used to apply it.
    pub(super) keys: RotationKeys,
    /// The groups in the order of their giant steps.
    pub(super) groups: Vec<Group>,
    pub(super) norms: Norms,
    /// The lengths of products and of vectors.
    pub(super) shape: (usize, usize),
    /// `true` if the matrix is nearly unitary, so that white errors stay white.
    pub(super) is_spreading: bool,
    /// A number that identifies the public properties of the diagonals.
    pub(super) origin: Origin,
}

/// The way in which a matrix is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Way {
    /// The level of vectors.
    pub level: usize,
    /// The split that several blocks share, or that of the matrix.
    pub split: Option<Split>,
    /// The keys of its rotations.
    pub keys: RotationKeys,
}

/// The diagonals of a giant step.
pub(super) struct Group {
    pub giant: usize,
    /// The baby step of each diagonal.
    pub babies: Vec<usize>,
    plaintexts: Plaintexts,
}

/// The factors of a giant step, in the order of its baby steps.
enum Plaintexts {
    Held(Vec<Repeated>),
    /// Encoded from this matrix when needed.
    Of(Arc<Diagonals>),
}

impl LinearTransform {
    /// Returns the transform of vectors at a level, on its scale, to vectors at the level below, on
    /// its scale.
    ///
    /// # Errors
    /// [`LinearError`] for a matrix with more rows or columns than slots and for level 0.
    pub fn new(
        encoder: &Encoder,
        diagonals: &Diagonals,
        level: usize,
    ) -> Result<Self, LinearError> {
        let parameters = encoder.parameters();
        check_level(parameters, level)?;
        let [from, to] = [level, level - 1].map(|level| parameters.level(level).scale);
        Self::with_scales(encoder, diagonals, level, from, to)
    }

    /// Returns the transform of vectors at a level on one scale to vectors at the level below on
    /// another.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_scales(
        encoder: &Encoder,
        diagonals: &Diagonals,
        level: usize,
        from: Scale,
        to: Scale,
    ) -> Result<Self, LinearError> {
        Self::with_strategy(encoder, diagonals, level, [from, to], RotationStrategy::Hoisted)
    }

    /// As [`Self::with_scales`], between two scales, with the keys of a rotation strategy.
    pub(crate) fn with_strategy(
        encoder: &Encoder,
        diagonals: &Diagonals,
        level: usize,
        [from, to]: [Scale; 2],
        strategy: RotationStrategy,
    ) -> Result<Self, LinearError> {
        let split = split_of(diagonals, strategy);
        let way = Way { level, split: Some(split), keys: RotationKeys::Usual };
        Self::made(encoder, diagonals, [from, to], way, None)
    }

    /// Returns [`Self::new`] for a way to apply the matrix. Its plaintexts are kept, or encoded for
    /// each giant step whenever the matrix is applied and dropped afterwards. Products have the
    /// same bits.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub(crate) fn for_way(
        encoder: &Encoder,
        diagonals: &Arc<Diagonals>,
        way: Way,
        is_on_demand: bool,
    ) -> Result<Self, LinearError> {
        let (parameters, level) = (encoder.parameters(), way.level);
        check_level(parameters, level)?;
        let scales = [level, level - 1].map(|level| parameters.level(level).scale);
        Self::made(encoder, diagonals, scales, way, is_on_demand.then_some(diagonals))
    }

    /// Returns a transform that keeps its plaintexts, or encodes them from `later` when they are
    /// needed.
    fn made(
        encoder: &Encoder,
        diagonals: &Diagonals,
        [from, to]: [Scale; 2],
        Way { level, split, keys }: Way,
        later: Option<&Arc<Diagonals>>,
    ) -> Result<Self, LinearError> {
        let parameters = encoder.parameters().clone();
        let split = split.unwrap_or_else(|| split_of(diagonals, RotationStrategy::Hoisted));
        check_level(&parameters, level)?;
        let (slots, limit) = (diagonals.slots(), parameters.slots());
        if slots > limit {
            return Err(LinearError::TooLarge { got: slots, limit });
        }
        let [above, below] = [level, level - 1].map(|level| parameters.level(level));
        let scale = to * (above.modulus / below.modulus) / from;
        let steps: Vec<usize> = diagonals.steps().collect();
        let norms = diagonals.norms()?;
        let mut by_giant: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (giant, baby) in steps.iter().map(|step| split.parts(*step)) {
            by_giant.entry(giant).or_default().push(baby);
        }
        let basis = basis_of(&parameters, level, keys);
        let encoding = Encoding { encoder, diagonals, basis: &basis, scale };
        let group = |(giant, babies): (usize, Vec<usize>)| {
            // Private entries reveal only their places.
            let entries = match diagonals.is_public() {
                true => encoding.origins(giant, &babies),
                false => Vec::new(),
            };
            let plaintexts = match later {
                Some(matrix) => Plaintexts::Of(Arc::clone(matrix)),
                None => Plaintexts::Held(encoding.of_giant_step(giant, &babies)?),
            };
            Ok((Group { giant, babies, plaintexts }, entries))
        };
        let made: Vec<_> =
            by_giant.into_par_iter().map(group).collect::<Result<_, LinearError>>()?;
        let (groups, entries): (Vec<Group>, Vec<Vec<Origin>>) = made.into_iter().unzip();
        let level_origin = Origin::integer(level as i64);
        let entries = entries.into_iter().flatten();
        let places = steps.iter().map(|step| Origin::integer(*step as i64));
        let origin = Origin::derived("matrix", places.chain(entries));
        let shape = (diagonals.rows(), diagonals.columns());
        let origin = origin + level_origin;
        let is_spreading = false;
        Ok(Self {
            slots,
            level,
            from,
            scale,
            split,
            keys,
            groups,
            norms,
            shape,
            is_spreading,
            origin,
            parameters,
        })
    }

    /// Returns the size in bytes of a matrix's plaintexts, encoded for a way to apply it.
    pub(crate) fn bytes_of(parameters: &Parameters, diagonals: &Diagonals, way: Way) -> usize {
        let limbs = basis_of(parameters, way.level, way.keys).len();
        let bytes = |step: usize| {
            let slots = period(&diagonals.diagonal(step).unwrap_or_default()).next_power_of_two();
            repeated_bytes(parameters.degree(), parameters.slots() / slots, limbs)
        };
        diagonals.steps().map(bytes).sum()
    }

    /// Returns the same transform, marked as nearly unitary and applied to vectors that look
    /// random, as in a bootstrap.
    pub(crate) fn spreading(self) -> Self {
        Self { is_spreading: true, ..self }
    }

    /// Returns the side of the square to which the matrix is padded.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Returns the level to which vectors are brought. The product is one level lower.
    pub fn level(&self) -> usize {
        self.level
    }

    /// Returns the number of nonzero diagonals.
    pub fn diagonals(&self) -> usize {
        self.groups.iter().map(|group| group.babies.len()).sum()
    }

    /// Returns the rotations whose keys a server needs.
    pub fn rotations(&self) -> Vec<i64> {
        let all = self.split.rotations(&self.steps().collect::<Vec<_>>());
        all.into_iter().map(|step| step as i64).collect()
    }

    /// Returns the size of the plaintexts in memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.groups.iter().flat_map(Group::held).map(Repeated::bytes).sum()
    }

    /// Returns the plaintexts of a giant step, in the order of its baby steps.
    ///
    /// # Errors
    /// The errors of encoding, if the plaintexts are not in memory.
    pub(super) fn plaintexts<'g>(
        &self,
        encoder: &Encoder,
        group: &'g Group,
    ) -> Result<Cow<'g, [Repeated]>, LinearError> {
        match &group.plaintexts {
            Plaintexts::Held(held) => Ok(Cow::Borrowed(held)),
            Plaintexts::Of(diagonals) => {
                let basis = &basis_of(&self.parameters, self.level, self.keys);
                let encoding = Encoding { encoder, diagonals, basis, scale: self.scale };
                Ok(Cow::Owned(encoding.of_giant_step(group.giant, &group.babies)?))
            }
        }
    }

    /// Returns all plaintexts in memory. Their names in traces begin with that of the matrix.
    pub(crate) fn named(&self, matrix: &str) -> Vec<Named<'_>> {
        let terms = self.groups.iter().flat_map(|group| {
            let factors = group.babies.iter().zip(group.held());
            factors.map(|(baby, factor)| (group.giant, baby, factor.values()))
        });
        let name = |giant, baby| format!("{matrix}, diagonal {giant} + {baby}");
        terms.map(|(giant, baby, values)| (name(giant, baby), values)).collect()
    }

    /// Returns the steps of its diagonals.
    fn steps(&self) -> impl Iterator<Item = usize> + '_ {
        let steps = |group: &'_ Group| {
            let giant = group.giant;
            group.babies.clone().into_iter().map(move |baby| giant + baby)
        };
        self.groups.iter().flat_map(steps)
    }

    /// Returns the baby steps, including 0.
    pub(super) fn babies(&self) -> BTreeSet<usize> {
        self.groups.iter().flat_map(|group| &group.babies).copied().chain([0]).collect()
    }

    /// Returns the number of rotations by giant steps.
    pub(super) fn giant_rotations(&self) -> usize {
        match self.split.stride {
            None => self.groups.iter().filter(|group| group.giant != 0).count(),
            Some(_) => self.groups.last().map_or(0, |last| last.giant / self.split.modulus),
        }
    }
}

impl Group {
    /// Returns the plaintexts in memory.
    fn held(&self) -> &[Repeated] {
        match &self.plaintexts {
            Plaintexts::Held(held) => held,
            Plaintexts::Of(_) => &[],
        }
    }
}

/// The encoding of diagonals as plaintexts.
struct Encoding<'a> {
    encoder: &'a Encoder,
    diagonals: &'a Diagonals,
    basis: &'a Basis,
    scale: Scale,
}

impl Encoding<'_> {
    /// Returns the plaintexts of a giant step, for its baby steps.
    fn of_giant_step(&self, giant: usize, babies: &[usize]) -> Result<Vec<Repeated>, LinearError> {
        let encode = |baby: &usize| {
            let entries = self.entries(giant, *baby);
            Ok(self.encoder.encode_factor(&entries, self.basis, self.scale)?)
        };
        babies.par_iter().map(encode).collect()
    }

    /// Returns the origins of those plaintexts.
    fn origins(&self, giant: usize, babies: &[usize]) -> Vec<Origin> {
        let origin = |baby: &usize| Encoder::origin_of_public(&self.entries(giant, *baby));
        babies.iter().map(origin).collect()
    }

    /// Returns one period of a diagonal, rotated back by its giant step.
    fn entries(&self, giant: usize, baby: usize) -> Vec<Complex> {
        let mut diagonal = self.diagonals.diagonal(giant + baby).unwrap_or_default();
        let entries = diagonal.len().max(1);
        diagonal.rotate_right(giant % entries);
        diagonal.truncate(period(&diagonal));
        diagonal
    }
}

/// Returns the cheapest split of a matrix.
fn split_of(diagonals: &Diagonals, strategy: RotationStrategy) -> Split {
    Split::of(&diagonals.steps().collect::<Vec<_>>(), diagonals.slots(), strategy)
}

/// Returns the primes of plaintexts for a level, with the keys of its rotations.
fn basis_of(parameters: &Parameters, level: usize, keys: RotationKeys) -> Basis {
    parameters.level(level).basis.union(&keys.gadget(parameters).special)
}

/// Returns the period of entries, a power of two. Their number is a power of two.
fn period(entries: &[Complex]) -> usize {
    let half = entries.len() / 2;
    match half > 0 && entries[..half] == entries[half..] {
        true => period(&entries[..half]),
        false => entries.len(),
    }
}

fn check_level(parameters: &Parameters, got: usize) -> Result<(), LinearError> {
    let top = parameters.top();
    if !(1..=top).contains(&got) {
        return Err(LinearError::Level { got, top });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn plaintexts_on_demand_are_those_that_are_held() {
        let parameters = Parameters::preset("n10-insecure").unwrap();
        let encoder = Encoder::new(&parameters);
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for slots in [2, 16, 64, parameters.slots()] {
            // Diagonals with the periods 1, 2, 4, …
            let steps: BTreeSet<usize> = (0..12).map(|_| random.gen_range(0..slots)).collect();
            let diagonals = steps.into_iter().map(|step| {
                let period = 1 << random.gen_range(0..=slots.trailing_zeros());
                let mut entry = || Complex::new(random.gen_range(-1.0..1.0), 0.0);
                let entries: Vec<Complex> = (0..period).map(|_| entry()).collect();
                (step as i64, entries.into_iter().cycle().take(slots).collect())
            });
            let diagonals = Diagonals::new(slots, diagonals).unwrap();
            let both = [diagonals.clone().public(), diagonals].map(Arc::new);
            let levels =
                (1..=parameters.top()).flat_map(|level| both.each_ref().map(|of| (level, of)));
            for (level, diagonals) in levels {
                let way = Way { level, split: None, keys: RotationKeys::Usual };
                let held = LinearTransform::new(&encoder, diagonals, level).unwrap();
                let on_demand = LinearTransform::for_way(&encoder, diagonals, way, true).unwrap();
                let bytes = LinearTransform::bytes_of(&parameters, diagonals, way);
                assert_eq!((held.bytes(), on_demand.bytes()), (bytes, 0), "{slots} at {level}");
                assert_eq!(held.origin, on_demand.origin);
                assert!(held.steps().eq(on_demand.steps()) && held.steps().eq(diagonals.steps()));
                for (group, later) in held.groups.iter().zip(&on_demand.groups) {
                    let equal = |of: &[Repeated]| {
                        let pairs = of.iter().zip(group.held());
                        pairs
                            .filter(|(a, b)| {
                                a.values().limbs().eq(b.values().limbs()) && a.run() == b.run()
                            })
                            .count()
                    };
                    let equal = equal(&on_demand.plaintexts(&encoder, later).unwrap());
                    assert_eq!((equal, later.giant), (group.babies.len(), group.giant));
                }
            }
        }
    }
}
