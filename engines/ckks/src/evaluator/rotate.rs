// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rotations and conjugation.

use super::ciphertext::Ciphertext;
use super::error::EvaluationError;
use super::evaluator::Evaluator;
use super::exponents::conjugation_exponent;
use crate::keys::{Decomposed, Gadget, KeyUse, SwitchingKey};
use crate::pool::in_pool;
use crate::ring::{Finish, Polynomial};

/// The number of rotations that share one pass over the digits. Their sums with keys are in memory
/// at the same time.
const SWITCHED_TOGETHER: usize = 4;

impl Evaluator {
    /// Rotates the slots by each of `steps`, including slots that do not belong to the vector.
    pub(crate) fn rotate_slots(
        &self,
        a: &Ciphertext,
        steps: &[i64],
    ) -> Result<Vec<Ciphertext>, EvaluationError> {
        // With fewer values than slots, the slots repeat them.
        let routes = steps.iter().map(|by| self.route(*by, a.slots()));
        let routes = routes.collect::<Result<Vec<_>, _>>()?;
        for (route, by) in routes.iter().zip(steps).filter(|(route, _)| route.len() > 1) {
            self.parameters.ring().note(|| self.composition(*by, route, a.slots()));
        }
        let first = |(route, by): (&Vec<u64>, &i64)| {
            (route.first().copied().unwrap_or(1), format!("rotate by {by}"))
        };
        let firsts: Vec<_> = routes.iter().zip(steps).map(first).collect();
        let mut images = self.apply(a, &firsts)?;
        for (image, route) in images.iter_mut().zip(&routes) {
            for exponent in route.iter().skip(1) {
                *image = self.apply(image, &[(*exponent, String::new())])?.remove(0);
            }
        }
        Ok(images)
    }

    /// The complex conjugate.
    ///
    /// # Errors
    /// [`EvaluationError::Key`] if the key is missing.
    pub fn conjugate(&self, a: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        let exponent = conjugation_exponent(&self.parameters);
        Ok(self.apply(a, &[(exponent, "conjugate".to_owned())])?.remove(0))
    }

    fn apply(
        &self,
        a: &Ciphertext,
        automorphisms: &[(u64, String)],
    ) -> Result<Vec<Ciphertext>, EvaluationError> {
        self.check_own(a)?;
        for (exponent, what) in automorphisms {
            if *exponent != 1 {
                self.keys.key(KeyUse::Automorphism(*exponent), a.level(), || what.clone())?;
            }
        }
        in_pool(|| Ok(self.applied(a, automorphisms)))
    }

    /// Applies automorphisms that have keys.
    fn applied(&self, a: &Ciphertext, automorphisms: &[(u64, String)]) -> Vec<Ciphertext> {
        let key = |(exponent, _): &(u64, String)| {
            Some((self.keys.get(KeyUse::Automorphism(*exponent))?, *exponent))
        };
        let keys: Vec<_> = automorphisms.iter().map(key).collect();
        let switches: Vec<_> = keys.iter().flatten().copied().collect();
        let mut images = match switches[..] {
            [(key, exponent)] => vec![key.switch_parts(a.parts(), exponent)],
            // The shared part of several rotations is computed once.
            _ => self.switched_together(a, &switches),
        }
        .into_iter();
        let image = |key: Option<(_, u64)>| {
            let parts = key.and_then(|(_, exponent)| Some((exponent, images.next()?)));
            parts.map_or_else(|| a.clone(), |(exponent, parts)| self.image(a, exponent, parts))
        };
        keys.into_iter().map(image).collect()
    }

    /// Creates the image of a ciphertext from its parts.
    fn image(&self, a: &Ciphertext, exponent: u64, parts: [Polynomial; 2]) -> Ciphertext {
        a.with_parts(parts, a.metadata().automorphism(exponent, &self.parameters))
    }

    fn switched_together(
        &self,
        a: &Ciphertext,
        switches: &[(&SwitchingKey, u64)],
    ) -> Vec<[Polynomial; 2]> {
        let digits = Decomposed::new(&self.parameters, &Gadget::of(&self.parameters), a.parts()[1]);
        let groups = switches.chunks(SWITCHED_TOGETHER).flat_map(|group| {
            let keys: Vec<_> = group.iter().map(|(key, _)| (*key, Finish::NOTHING)).collect();
            digits.gadget_products(&keys).into_iter().zip(group)
        });
        let image = |(switched, (key, exponent)): ([Polynomial; 2], &(&SwitchingKey, u64))| {
            let finish = Finish { added: [Some(a.parts()[0]), None], exponent: *exponent };
            key.mod_down(&switched, &finish)
        };
        groups.map(image).collect()
    }
}
