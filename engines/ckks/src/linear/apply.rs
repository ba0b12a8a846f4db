// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Linear transforms of ciphertexts.

use std::collections::{BTreeMap, BTreeSet};

use super::diagonals::Norms;
use super::error::LinearError;
use super::split::RotationStrategy;
use super::transform::{Group, LinearTransform};
use crate::estimate::{Bound, Noise};
use crate::evaluator::{rotation_exponent, Ciphertext, EvaluationError, Evaluator, Metadata};
use crate::keys::{Decomposed, Gadget, RotationKeys, SwitchingKey};
use crate::params::{
    double_error, integer_error, rounding_error, switching_error, switching_error_by,
};
use crate::pool::in_pool;
use crate::ring::{Basis, Finish, Form, Polynomial, Repeated};

/// Both parts of a ciphertext modulo Q·P, multiplied by P.
type Lazy = [Polynomial; 2];

/// The number of giant steps whose products are computed together. From the second on, they find
/// the baby steps in the cache instead of in memory, but each needs memory for its diagonals and
/// its sum.
const GIANTS_AT_ONCE: usize = 2;

/// A vector at the level of its blocks, and its baby steps.
type Column = (Ciphertext, BTreeMap<usize, Lazy>);

/// Products of matrices and encrypted vectors.
impl Evaluator {
    /// Returns the number of giant steps whose products are computed together. A recorded program
    /// computes them one at a time: a card reads each baby step again in any case, and has less
    /// memory.
    fn giants_at_once(&self) -> usize {
        if self.parameters().ring().is_recording() {
            1
        } else {
            GIANTS_AT_ONCE
        }
    }

    /// Multiplies a vector by a matrix. The product is at the level below the transform's.
    ///
    /// # Errors
    /// [`LinearError`] for a vector of another length, for a vector at a lower level than the
    /// transform, and for a missing rotation key, which the error names.
    pub fn linear_transform(
        &self,
        a: &Ciphertext,
        transform: &LinearTransform,
    ) -> Result<Ciphertext, LinearError> {
        self.check_transform(a, transform)?;
        in_pool(|| self.transformed(a, transform))
    }

    fn transformed(
        &self,
        a: &Ciphertext,
        transform: &LinearTransform,
    ) -> Result<Ciphertext, LinearError> {
        let a = self.at_scale(a, transform.level, transform.from)?;
        // Vectors of fewer values are repeated in the slots.
        let a = a.seen_as(transform.slots);
        let stride = transform.split.stride;
        let babies = self.rotations(&a, &transform.babies(), stride, transform.keys)?;
        let sum = match transform.split.stride {
            None => self.giant_steps(&babies, transform)?,
            Some(_) => self.giant_steps_by_one(&babies, transform)?,
        };
        self.divided(sum, transform, self.metadata_of_product_with(&a, transform))
    }

    /// Multiplies vectors by a matrix of blocks, row by row. Each block is encoded with the split
    /// that all blocks share, or is `None`. Products are at the level below the transforms'.
    ///
    /// # Errors
    /// As [`Self::linear_transform`], for any of the blocks; [`LinearError::Vectors`] if the number
    /// of vectors is not the number of blocks in a row; and [`LinearError::MixedBlocks`].
    pub(crate) fn transform_blocks(
        &self,
        vectors: &[&Ciphertext],
        rows: &[Vec<Option<&LinearTransform>>],
    ) -> Result<Vec<Ciphertext>, LinearError> {
        let mut blocks = rows.iter().flatten().flatten();
        let alike = |of: &LinearTransform| (of.level, of.split, of.keys);
        let first = blocks.next().map(|first| alike(first));
        if !blocks.all(|block| Some(alike(block)) == first) {
            return Err(LinearError::MixedBlocks);
        }
        for row in rows {
            if row.len() != vectors.len() {
                let (got, wanted) = (vectors.len(), row.len());
                return Err(LinearError::Vectors { got, wanted });
            }
            let pairs = vectors.iter().zip(row);
            let mut with_blocks = pairs.filter_map(|(a, block)| Some((a, (*block)?)));
            with_blocks.try_for_each(|(a, block)| self.check_transform(a, block))?;
        }
        in_pool(|| {
            let column = |(column, a): (usize, &&Ciphertext)| {
                self.column(a, rows.iter().filter_map(|row| row[column]))
            };
            let columns = vectors.iter().enumerate().map(column).collect::<Result<Vec<_>, _>>()?;
            rows.iter().map(|row| self.row(&columns, row)).collect()
        })
    }

    /// Returns a vector at the level of its blocks, with the baby steps of all of them.
    fn column<'t>(
        &self,
        a: &Ciphertext,
        blocks: impl Iterator<Item = &'t LinearTransform> + Clone,
    ) -> Result<Option<Column>, LinearError> {
        let Some(first) = blocks.clone().next() else { return Ok(None) };
        let a = self.at_scale(a, first.level, first.from)?;
        let a = a.seen_as(first.slots);
        let steps = blocks.flat_map(LinearTransform::babies).collect();
        let babies = self.rotations(&a, &steps, None, first.keys)?;
        Ok(Some((a, babies)))
    }

    /// Returns the sum of a row's products. Each giant step is summed over all vectors and rotated
    /// once.
    fn row(
        &self,
        columns: &[Option<Column>],
        row: &[Option<&LinearTransform>],
    ) -> Result<Ciphertext, LinearError> {
        let blocks: Vec<(&Ciphertext, &BTreeMap<usize, Lazy>, &LinearTransform)> = columns
            .iter()
            .zip(row)
            .filter_map(|(column, block)| {
                let (a, babies) = column.as_ref()?;
                Some((a, babies, (*block)?))
            })
            .collect();
        let products = blocks.iter().map(|(a, _, block)| self.metadata_of_product_with(a, block));
        let metadata = products.reduce(|sum, product| sum.sum(&product));
        let (Some(metadata), Some((_, _, first))) = (metadata, blocks.first()) else {
            return Err(LinearError::Shape { rows: 0, columns: 0, got: 0 });
        };
        let groups = blocks.iter().flat_map(|(_, _, block)| &block.groups);
        let giants: BTreeSet<usize> = groups.map(|group| group.giant).collect();
        let giants: Vec<usize> = giants.into_iter().collect();
        let mut sum = None;
        for giants in giants.chunks(self.giants_at_once()) {
            let mut products: BTreeMap<usize, Lazy> = BTreeMap::new();
            for (_, babies, block) in &blocks {
                let groups = block.groups.iter().filter(|group| giants.contains(&group.giant));
                let groups: Vec<&Group> = groups.collect();
                for (group, product) in groups.iter().zip(self.products(babies, &groups, block)?) {
                    let so_far = products.remove(&group.giant);
                    products.insert(group.giant, self.with(so_far, product));
                }
            }
            for (giant, products) in products {
                sum = Some(self.with(sum, self.rotate_products(products, giant, first)?));
            }
        }
        self.divided(sum, first, metadata)
    }

    /// Returns the metadata of the product with a vector at the transform's level, before rounding.
    fn metadata_of_product_with(&self, a: &Ciphertext, transform: &LinearTransform) -> Metadata<2> {
        let scale = a.scale() * transform.scale / self.step(transform.level);
        let noise = self.noise_of_product_with(a, transform);
        let gain = transform.norms.sum;
        let by = if transform.norms.is_real { Bound::real(gain) } else { Bound::complex(gain) };
        a.metadata().clone().times_matrix(transform.origin, noise, by, scale)
    }

    /// Divides a sum modulo Q·P to the level below the transform's.
    fn divided(
        &self,
        sum: Option<Lazy>,
        transform: &LinearTransform,
        metadata: Metadata<2>,
    ) -> Result<Ciphertext, LinearError> {
        let (removed, added) = self.step_down(transform.level);
        let removed = removed.union(&transform.keys.gadget(self.parameters()).special);
        let ring = self.parameters().ring();
        let parts = sum.ok_or(LinearError::Shape { rows: 0, columns: 0, got: 0 })?;
        let parts = ring.divide_all([&parts[0], &parts[1]], &removed, &added, &Finish::NOTHING);
        let length = transform.shape.0;
        let metadata = metadata.with_length(length).rounded(self.parameters());
        let metadata = metadata.seen_as(length.next_power_of_two());
        Ok(self.fitting(Ciphertext::new(parts, metadata))?)
    }

    fn check_transform(
        &self,
        a: &Ciphertext,
        transform: &LinearTransform,
    ) -> Result<(), LinearError> {
        if !self.parameters().is_compatible(&transform.parameters) {
            return Err(LinearError::Parameters);
        }
        self.check_own(a)?;
        if a.length() != transform.shape.1 {
            let (left, right) = (a.length(), transform.shape.1);
            return Err(EvaluationError::Length { left, right }.into());
        }
        if a.level() < transform.level {
            let (got, needed) = (a.level(), transform.level);
            let what = "this transform";
            return Err(EvaluationError::Level { what, got, needed }.into());
        }
        let (level, keys) = (transform.level, transform.keys);
        let key = |step: &i64| self.step_key(*step as usize, level, keys).map(drop);
        transform.rotations().iter().try_for_each(key)
    }

    /// Returns the exponent of a rotation and its key, which must reach the level.
    fn step_key(
        &self,
        step: usize,
        level: usize,
        keys: RotationKeys,
    ) -> Result<(u64, &SwitchingKey), LinearError> {
        let exponent = rotation_exponent(self.parameters(), step as i64);
        let what = || format!("rotate by {step}{}", keys.when());
        let key = self.keys().key(keys.of(exponent), level, what)?;
        Ok((exponent, key))
    }

    /// Sums `count` vectors at the same level, each the previous one rotated by a step, with one
    /// division.
    ///
    /// # Errors
    /// [`LinearError`] if a rotation's key is missing.
    pub(crate) fn rotate_and_sum(
        &self,
        a: &Ciphertext,
        step: usize,
        count: usize,
        strategy: RotationStrategy,
    ) -> Result<Ciphertext, LinearError> {
        let (ring, parameters) = (self.parameters().ring(), self.parameters());
        let steps: BTreeSet<usize> = (0..count).map(|rotation| rotation * step).collect();
        let one = (strategy == RotationStrategy::Repeated).then_some(step);
        let terms = self.rotations(a, &steps, one, RotationKeys::Usual)?.into_values();
        let sum = terms.fold(None, |sum, term| Some(self.with(sum, term)));
        let Some([first, second]) = sum else { return Ok(a.clone()) };
        let (special, none) = (&parameters.chain().special, Basis::new([]));
        let parts = ring.divide_all([&first, &second], special, &none, &Finish::NOTHING);
        let error = switching_error(parameters, a.parts()[0].basis(), a.scale(), a.slots());
        let switches: usize = if one.is_some() { (1..count).sum() } else { count - 1 };
        let switching = error * (switches as f64).sqrt();
        Ok(Ciphertext::new(parts, a.metadata().sum_of_rotations(step, count, switching)))
    }

    /// Returns the vector rotated by each of the steps, modulo Q·P, multiplied by P: from one
    /// decomposition, or by repeated rotations by one step of which all steps are multiples.
    fn rotations(
        &self,
        a: &Ciphertext,
        steps: &BTreeSet<usize>,
        one: Option<usize>,
        keys: RotationKeys,
    ) -> Result<BTreeMap<usize, Lazy>, LinearError> {
        let (ring, special) = (self.parameters().ring(), keys.gadget(self.parameters()).special);
        let basis = a.parts()[0].basis().union(&special);
        // P · (c₀, c₁), which is 0 modulo the primes of P.
        let whole = a.parts().map(|part| {
            let mut scaled = part.clone();
            self.times_primes(&mut scaled, &special);
            scaled
        });
        let others = steps.iter().copied().filter(|step| *step != 0);
        let mut rotated = match one {
            None => self.rotate_each(a, &whole[0], others, keys)?,
            Some(one) => self.rotate_by_one(a, &whole[0], steps, one, keys)?,
        };
        if steps.contains(&0) {
            let extended = whole.map(|part| {
                let mut extended = ring.zero(&basis, Form::Values);
                ring.add_part(&mut extended, &part);
                extended
            });
            rotated.insert(0, extended);
        }
        Ok(rotated)
    }

    /// Rotates the vector, whose first part times P is `first`, by steps with a key each.
    fn rotate_each(
        &self,
        a: &Ciphertext,
        first: &Polynomial,
        steps: impl IntoIterator<Item = usize>,
        of: RotationKeys,
    ) -> Result<BTreeMap<usize, Lazy>, LinearError> {
        let rotations = steps.into_iter().map(|step| {
            let (exponent, key) = self.step_key(step, a.level(), of)?;
            Ok((step, (key, Finish { added: [Some(first), None], exponent })))
        });
        let rotations = rotations.collect::<Result<Vec<_>, LinearError>>()?;
        if rotations.is_empty() {
            return Ok(BTreeMap::new());
        }
        let (steps, keys): (Vec<usize>, Vec<_>) = rotations.into_iter().unzip();
        let gadget = of.gadget(self.parameters());
        let digits = Decomposed::new(self.parameters(), &gadget, a.parts()[1]);
        Ok(steps.into_iter().zip(digits.gadget_products(&keys)).collect())
    }

    /// Rotates the vector, whose first part times P is `first`, by multiples of one step with the
    /// key of that step: each rotation starts from the previous one.
    fn rotate_by_one(
        &self,
        a: &Ciphertext,
        first: &Polynomial,
        steps: &BTreeSet<usize>,
        one: usize,
        keys: RotationKeys,
    ) -> Result<BTreeMap<usize, Lazy>, LinearError> {
        let last = steps.last().copied().unwrap_or(0);
        let mut rotated: BTreeMap<usize, Lazy> = BTreeMap::new();
        let mut latest: Option<Lazy> = None;
        for step in (one..=last).step_by(one) {
            let next = match latest.take() {
                Some(latest) => self.rotate_lazy(latest, one, a.level(), keys)?,
                None => {
                    let (exponent, key) = self.step_key(one, a.level(), keys)?;
                    let finish = Finish { added: [Some(first), None], exponent };
                    key.gadget_product(a.parts()[1], &finish)
                }
            };
            if steps.contains(&step) {
                rotated.insert(step, next.clone());
            }
            latest = Some(next);
        }
        Ok(rotated)
    }

    /// Rotates a vector modulo Q·P, multiplied by P, by a step. The second part is divided before
    /// its key switch. The first part stays multiplied by P.
    fn rotate_lazy(
        &self,
        [first, second]: Lazy,
        step: usize,
        level: usize,
        keys: RotationKeys,
    ) -> Result<Lazy, LinearError> {
        let special = keys.gadget(self.parameters()).special;
        let (exponent, key) = self.step_key(step, level, keys)?;
        let second = self.parameters().ring().divide(&second, &special, &Basis::new([]));
        Ok(key.gadget_product(&second, &Finish { added: [Some(&first), None], exponent }))
    }

    /// Returns the sum of all giant steps' products, each rotated by its own key.
    fn giant_steps(
        &self,
        babies: &BTreeMap<usize, Lazy>,
        transform: &LinearTransform,
    ) -> Result<Option<Lazy>, LinearError> {
        let mut sum = None;
        for groups in transform.groups.chunks(self.giants_at_once()) {
            let groups: Vec<&Group> = groups.iter().collect();
            for (group, products) in groups.iter().zip(self.products(babies, &groups, transform)?) {
                sum = Some(self.with(sum, self.rotate_products(products, group.giant, transform)?));
            }
        }
        Ok(sum)
    }

    /// Rotates a giant step's products by that step.
    fn rotate_products(
        &self,
        products: Lazy,
        giant: usize,
        transform: &LinearTransform,
    ) -> Result<Lazy, LinearError> {
        match giant {
            0 => Ok(products),
            giant => self.rotate_lazy(products, giant, transform.level, transform.keys),
        }
    }

    /// Returns the same sum with the key of the smallest giant step: starting at the largest giant
    /// step, the partial sum is rotated once for each multiple.
    fn giant_steps_by_one(
        &self,
        babies: &BTreeMap<usize, Lazy>,
        transform: &LinearTransform,
    ) -> Result<Option<Lazy>, LinearError> {
        let one = transform.split.modulus;
        let mut groups = transform.groups.iter().rev().peekable();
        let mut sum: Option<Lazy> = None;
        for rotation in (0..=transform.giant_rotations()).rev() {
            if let Some(so_far) = sum.take() {
                sum = Some(self.rotate_lazy(so_far, one, transform.level, transform.keys)?);
            }
            if let Some(group) = groups.next_if(|group| group.giant == rotation * one) {
                for products in self.products(babies, &[group], transform)? {
                    sum = Some(self.with(sum, products));
                }
            }
        }
        Ok(sum)
    }

    /// Adds a term to a sum, if there is a sum yet.
    fn with(&self, sum: Option<Lazy>, term: Lazy) -> Lazy {
        let Some(mut sum) = sum else { return term };
        let ring = self.parameters().ring();
        sum.iter_mut().zip(&term).for_each(|(sum, part)| ring.add(sum, part));
        sum
    }

    /// Returns the sums of the products of some giant steps. The baby steps are read once for all
    /// of them.
    fn products(
        &self,
        babies: &BTreeMap<usize, Lazy>,
        groups: &[&Group],
        transform: &LinearTransform,
    ) -> Result<Vec<Lazy>, LinearError> {
        let special = transform.keys.gadget(self.parameters()).special;
        let basis = self.parameters().level(transform.level).basis.union(&special);
        let encoder = self.encoder();
        let plaintexts = groups.iter().map(|group| transform.plaintexts(encoder, group));
        let plaintexts = plaintexts.collect::<Result<Vec<_>, _>>()?;
        let terms = groups.iter().zip(&plaintexts).map(|(group, plaintexts)| {
            let terms = group.babies.iter().zip(plaintexts.iter());
            terms.filter_map(|(baby, by)| Some((babies.get(baby)?.each_ref(), by))).collect()
        });
        let terms: Vec<Vec<([&Polynomial; 2], &Repeated)>> = terms.collect();
        Ok(self.parameters().ring().sums_of_products(&basis, &terms))
    }

    /// Returns the noise of a product: the errors of the vector and of baby steps, times a row's
    /// entries; the rounding errors of the diagonals, times the vector; and those of each giant
    /// step. The last of repeated baby steps has the errors of all.
    fn noise_of_product_with(&self, a: &Ciphertext, transform: &LinearTransform) -> Noise {
        let parameters = self.parameters();
        let Norms { sum, root, .. } = transform.norms;
        let basis = &parameters.level(transform.level).basis;
        let Gadget { special, digits } = transform.keys.gadget(parameters);
        let switching_error =
            |scale| switching_error_by(parameters, (&special, &digits), basis, scale, a.slots());
        let switches = match transform.split.stride {
            None => 1,
            Some(one) => transform.babies().last().copied().unwrap_or(0) / one,
        };
        let switching = switching_error(a.scale()) * (switches as f64).sqrt();
        let encoded = integer_error(transform.scale, a.slots()) + double_error(root, a.slots());
        let rounding = encoded * a.bound().magnitude() * (transform.diagonals() as f64).sqrt();
        let product = a.scale() * transform.scale;
        let giant = switching_error(product).hypot(rounding_error(parameters, product, a.slots()));
        let giants = (transform.giant_rotations() as f64).sqrt();
        // Baby steps of the same vector have the same errors, for every matrix.
        let rotated = a.noise().with(a.error_origin("baby steps"), switching);
        let mixed = match transform.is_spreading {
            true => rotated.spread(a.error_origin("matrix"), root),
            false => rotated.mixed(root, sum),
        };
        let by = a.metadata().error_origin_after("giant steps", transform.origin, "giant steps");
        mixed.with(by, giant * giants).with_rest(rounding)
    }
}
