// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Transforms applied to ciphertexts.

use std::collections::BTreeMap;

use super::transform::{Group, LinearTransform};
use super::LinearError;
use crate::ciphertext::Ciphertext;
use crate::estimate::{rounding_error, switching_error, Estimate};
use crate::evaluator::{rotation_exponent, EvaluationError, Server};
use crate::keys::{Decomposed, KeyUse, SwitchingKey};
use crate::pool::in_pool;
use crate::ring::{Basis, Finish, Form, Polynomial, Repeated};

/// Both parts of a ciphertext modulo Q·P, times P.
type Lazy = [Polynomial; 2];

impl Server {
    /// A matrix times a vector, at the level below the transform's.
    ///
    /// # Errors
    /// [`EvaluationError`] for a vector of another length, one at a lower level than the transform, and
    /// where a rotation's key is missing, which is named.
    pub fn linear_transform(
        &self,
        a: &Ciphertext,
        transform: &LinearTransform,
    ) -> Result<Ciphertext, EvaluationError> {
        self.check_transform(a, transform)?;
        in_pool(|| self.transformed(a, transform))
    }

    fn transformed(
        &self,
        a: &Ciphertext,
        transform: &LinearTransform,
    ) -> Result<Ciphertext, EvaluationError> {
        let a = self.at_scale(a, transform.level, transform.from)?;
        let babies = self.turned(&a, transform.babies())?;
        let mut sum: Option<Lazy> = None;
        for group in &transform.groups {
            let part = self.giant_step(&babies, group, transform)?;
            match &mut sum {
                None => sum = Some(part),
                Some(sum) => {
                    let parts = sum.iter_mut().zip(&part);
                    parts.for_each(|(sum, part)| self.parameters().ring().add(sum, part));
                }
            }
        }
        let (removed, added) = self.step_down(transform.level);
        let removed = removed.union(&self.parameters().chain().special);
        let ring = self.parameters().ring();
        let parts = sum.ok_or(LinearError::Shape { rows: 0, columns: 0, got: 0 })?;
        let parts = ring.divide_all([&parts[0], &parts[1]], &removed, &added, &Finish::NOTHING);
        let scale = a.scale * transform.scale / self.step(transform.level);
        let estimate = self.transform_estimate(&a, transform);
        let level = transform.level - 1;
        Ok(self.rounded(Ciphertext { parts, level, scale, slots: a.slots, estimate, seed: None }))
    }

    fn check_transform(
        &self,
        a: &Ciphertext,
        transform: &LinearTransform,
    ) -> Result<(), EvaluationError> {
        if !self.parameters().is_compatible(&transform.parameters) {
            return Err(LinearError::Parameters.into());
        }
        self.check_own(a)?;
        if a.slots != transform.slots {
            return Err(EvaluationError::Slots { left: a.slots, right: transform.slots });
        }
        if a.level < transform.level {
            let (got, needed) = (a.level, transform.level);
            return Err(EvaluationError::Level { what: "this transform", got, needed });
        }
        let key = |step: &i64| self.step_key(*step as usize, transform.level).map(drop);
        transform.rotations().iter().try_for_each(key)
    }

    /// The exponent of a rotation, and its key, which must go up to the level.
    fn step_key(&self, step: usize, level: usize) -> Result<(u64, &SwitchingKey), EvaluationError> {
        let exponent = rotation_exponent(self.parameters(), step as i64);
        let what = || format!("rotate by {step}");
        let key = self.keys().key(KeyUse::Automorphism(exponent), level, what)?;
        Ok((exponent, key))
    }

    /// The sum of a vector and of what turns by some steps make of it, at the same level: they share their
    /// digits, and one division.
    ///
    /// # Errors
    /// [`EvaluationError`] where a turn's key is missing.
    pub(crate) fn sum_with_turned(
        &self,
        a: &Ciphertext,
        steps: &[usize],
    ) -> Result<Ciphertext, EvaluationError> {
        let ring = self.parameters().ring();
        let mut terms = self.turned(a, steps.iter().copied())?.into_values();
        let Some(mut sum) = terms.next() else { return Ok(a.clone()) };
        for term in terms {
            sum.iter_mut().zip(&term).for_each(|(sum, part)| ring.add(sum, part));
        }
        let (special, none) = (&self.parameters().chain().special, Basis::new([]));
        let parts = ring.divide_all(sum.each_ref(), special, &none, &Finish::NOTHING);
        let error = switching_error(self.parameters(), a.parts[0].basis(), a.scale);
        let turned = a.estimate.with_error(error);
        let estimate = steps.iter().fold(a.estimate, |sum, _| sum.sum(turned));
        Ok(Ciphertext { parts, estimate, seed: None, ..a.clone() })
    }

    /// The vector turned by 0 and by some steps, from one decomposition, modulo Q·P, times P.
    fn turned(
        &self,
        a: &Ciphertext,
        steps: impl IntoIterator<Item = usize>,
    ) -> Result<BTreeMap<usize, Lazy>, EvaluationError> {
        let ring = self.parameters().ring();
        let basis = a.parts[0].basis().union(&self.parameters().chain().special);
        // P · (c₀, c₁), which is 0 modulo the primes of P.
        let whole = [0, 1].map(|part| {
            let mut scaled = a.parts[part].clone();
            self.times_special(&mut scaled);
            scaled
        });
        let turns = steps.into_iter().map(|step| {
            let (exponent, key) = self.step_key(step, a.level)?;
            Ok((step, (key, Finish { added: [Some(&whole[0]), None], exponent })))
        });
        let turns = turns.collect::<Result<Vec<_>, EvaluationError>>()?;
        let mut babies = BTreeMap::new();
        if !turns.is_empty() {
            let (steps, keys): (Vec<usize>, Vec<_>) = turns.into_iter().unzip();
            let digits = Decomposed::new(self.parameters(), &a.parts[1]);
            babies.extend(steps.into_iter().zip(digits.switch_lazily(&keys)));
        }
        let extended = whole.map(|part| {
            let mut extended = ring.zero(&basis, Form::Values);
            ring.add_part(&mut extended, &part);
            extended
        });
        babies.insert(0, extended);
        Ok(babies)
    }

    /// The sum of a giant step's products, turned by it.
    fn giant_step(
        &self,
        babies: &BTreeMap<usize, Lazy>,
        group: &Group,
        transform: &LinearTransform,
    ) -> Result<Lazy, EvaluationError> {
        let ring = self.parameters().ring();
        let special = &self.parameters().chain().special;
        let basis = self.parameters().level(transform.level).basis.union(special);
        let terms: Vec<([&Polynomial; 2], &Repeated)> = group
            .terms
            .iter()
            .filter_map(|(baby, diagonal)| Some((babies.get(baby)?.each_ref(), diagonal)))
            .collect();
        let sum = ring.sums_of_products(&basis, &terms);
        if group.giant == 0 {
            return Ok(sum);
        }
        // The second part is divided to be switched; the first stays as it is, times P.
        let (exponent, key) = self.step_key(group.giant, transform.level)?;
        let [first, second] = sum;
        let second = ring.divide(&second, special, &Basis::new([]));
        Ok(key.switch_lazily(&second, &Finish { added: [Some(&first), None], exponent }))
    }

    /// The errors of the vector and of baby steps, times a row's entries; those of the diagonals'
    /// rounding, times the vector; those of each giant step.
    fn transform_estimate(&self, a: &Ciphertext, transform: &LinearTransform) -> Estimate {
        let parameters = self.parameters();
        let (sum, root) = transform.norms;
        let basis = &parameters.level(transform.level).basis;
        let turned = a.estimate.with_error(switching_error(parameters, basis, a.scale));
        let plain = Estimate::encoded(parameters, root, transform.scale);
        let rounding = plain.error * a.estimate.magnitude;
        let product = a.scale * transform.scale;
        let giant =
            switching_error(parameters, basis, product).hypot(rounding_error(parameters, product));
        let giants = transform.giants().count() as f64;
        Estimate { error: turned.error * root, magnitude: a.estimate.magnitude * sum }
            .with_error(rounding * (transform.diagonals() as f64).sqrt())
            .with_error(giant * giants.sqrt())
    }
}
