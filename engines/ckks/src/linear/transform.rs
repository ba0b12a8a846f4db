// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Matrices encoded for a level.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::diagonals::{Diagonals, Norms};
use super::error::LinearError;
use super::split::{RotationStrategy, Split};
use crate::complex::Complex;
use crate::encoding::Encoder;
use crate::estimate::Origin;
use crate::params::{Parameters, Scale};
use crate::ring::{Named, Repeated};

/// A matrix whose diagonals are plaintexts modulo the primes of a level and of keys, rotated and
/// grouped for giant and baby steps. It can be used any number of times.
pub struct LinearTransform {
    pub(super) parameters: Parameters,
    pub(super) slots: usize,
    pub(super) level: usize,
    /// The scale of the vectors that it is applied to.
    pub(super) from: Scale,
    /// That of the plaintexts.
    pub(super) scale: Scale,
    pub(super) split: Split,
    /// In the order of their giant steps.
    pub(super) groups: Vec<Group>,
    pub(super) norms: Norms,
    /// The lengths of products and of vectors.
    pub(super) shape: (usize, usize),
    /// Whether the matrix is nearly unitary, so that errors that are white before are so after.
    pub(super) is_spreading: bool,
    /// What the diagonals are as far as everybody may know, as a number.
    pub(super) origin: Origin,
}

/// The diagonals of a giant step: the baby step of each, and its plaintext, to be multiplied by.
pub(super) struct Group {
    pub giant: usize,
    pub terms: Vec<(usize, Repeated)>,
}

impl LinearTransform {
    /// The transform of vectors at a level and on its scale to ones at the level below, on its
    /// scale.
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

    /// The transform of vectors at a level on one scale to vectors at the level below on another.
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

    /// As [`Self::with_scales`], from one to the other, by the keys of such rotations.
    pub(crate) fn with_strategy(
        encoder: &Encoder,
        diagonals: &Diagonals,
        level: usize,
        [from, to]: [Scale; 2],
        strategy: RotationStrategy,
    ) -> Result<Self, LinearError> {
        let parameters = encoder.parameters().clone();
        check_level(&parameters, level)?;
        let (slots, limit) = (diagonals.slots(), parameters.slots());
        if slots > limit {
            return Err(LinearError::TooLarge { got: slots, limit });
        }
        let [above, below] = [level, level - 1].map(|level| parameters.level(level));
        let scale = to * (above.modulus / below.modulus) / from;
        let basis = above.basis.union(&parameters.chain().special);
        let steps: Vec<usize> = diagonals.steps().collect();
        let split = Split::of(&steps, slots, strategy);
        let encode = |step: &usize| {
            let (giant, baby) = split.parts(*step);
            let mut diagonal: Vec<Complex> = diagonals.diagonal(*step).unwrap_or_default().to_vec();
            let entries = diagonal.len().max(1);
            diagonal.rotate_right(giant % entries);
            let repeats = &diagonal[..period(&diagonal)];
            let plaintext = encoder.encode_public(repeats, &basis, scale)?;
            let run = limit / plaintext.slots;
            let factor = parameters.ring().repeated(plaintext.polynomial, run);
            Ok((giant, (baby, factor), plaintext.origin))
        };
        let norms = diagonals.norms()?;
        let encoded = steps.par_iter().map(encode).collect::<Result<Vec<_>, LinearError>>()?;
        let level_origin = Origin::integer(level as i64);
        // Of entries that are nobody's business, where they are is all that shows.
        let entries =
            encoded.iter().filter(|_| diagonals.is_public()).map(|(_, _, origin)| *origin);
        let places = steps.iter().map(|step| Origin::integer(*step as i64));
        let origin = Origin::derived("matrix", places.chain(entries));
        let mut by_giant: BTreeMap<usize, Vec<(usize, Repeated)>> = BTreeMap::new();
        for (giant, term, _) in encoded {
            by_giant.entry(giant).or_default().push(term);
        }
        let groups = by_giant.into_iter().map(|(giant, terms)| Group { giant, terms }).collect();
        let shape = (diagonals.rows(), diagonals.columns());
        let origin = origin + level_origin;
        let is_spreading = false;
        Ok(Self {
            slots,
            level,
            from,
            scale,
            split,
            groups,
            norms,
            shape,
            is_spreading,
            origin,
            parameters,
        })
    }

    /// The same, which is nearly unitary and applied to vectors that look random: of a bootstrap.
    pub(crate) fn spreading(self) -> Self {
        Self { is_spreading: true, ..self }
    }

    /// The side of the square that the matrix is filled up to.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// The level that vectors are brought to; the product is one lower.
    pub fn level(&self) -> usize {
        self.level
    }

    /// The diagonals that are not zero.
    pub fn diagonals(&self) -> usize {
        self.groups.iter().map(|group| group.terms.len()).sum()
    }

    /// The rotations that a server needs keys for.
    pub fn rotations(&self) -> Vec<i64> {
        let all = self.split.rotations(&self.steps().collect::<Vec<_>>());
        all.into_iter().map(|step| step as i64).collect()
    }

    /// Bytes of the plaintexts.
    pub fn bytes(&self) -> usize {
        let terms = self.groups.iter().flat_map(|group| &group.terms);
        terms.map(|(_, factor)| factor.bytes()).sum()
    }

    /// All its plaintexts, with names in traces that begin with that of the matrix.
    pub(crate) fn named(&self, matrix: &str) -> Vec<Named<'_>> {
        let terms = self.groups.iter().flat_map(|Group { giant, terms }| {
            terms.iter().map(move |(baby, factor)| (giant, baby, factor.values()))
        });
        let name = |giant, baby| format!("{matrix}, diagonal {giant} + {baby}");
        terms.map(|(giant, baby, values)| (name(giant, baby), values)).collect()
    }

    /// The steps of its diagonals.
    fn steps(&self) -> impl Iterator<Item = usize> + '_ {
        self.groups
            .iter()
            .flat_map(|Group { giant, terms }| terms.iter().map(move |(baby, _)| giant + baby))
    }

    /// The baby steps, and 0.
    pub(super) fn babies(&self) -> BTreeSet<usize> {
        let terms = self.groups.iter().flat_map(|group| &group.terms);
        terms.map(|(baby, _)| *baby).chain([0]).collect()
    }

    /// How often giant steps rotate.
    pub(super) fn giant_rotations(&self) -> usize {
        match self.split.stride {
            None => self.groups.iter().filter(|group| group.giant != 0).count(),
            Some(_) => self.groups.last().map_or(0, |last| last.giant / self.split.modulus),
        }
    }
}

/// After how many entries they repeat themselves, a power of two of which there are a power of two.
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
