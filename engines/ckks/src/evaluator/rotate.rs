// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rotations and conjugates.

use super::{EvaluationError, Evaluator};
use crate::ciphertext::Ciphertext;
use crate::estimate::switching_error;
use crate::keys::{Decomposed, KeyUse};
use crate::params::Parameters;

/// The exponent of X that turns the slots to the left by `steps`: 5^steps modulo 2N.
pub fn rotation_exponent(parameters: &Parameters, steps: i64) -> u64 {
    let (slots, order) = (parameters.slots() as i64, 2 * parameters.degree() as u64);
    let (mut power, mut exponent) = (5, 1);
    let mut left = steps.rem_euclid(slots) as u64;
    while left > 0 {
        if left & 1 == 1 {
            exponent = exponent * power % order;
        }
        power = power * power % order;
        left >>= 1;
    }
    exponent
}

impl Evaluator {
    /// The values turned to the left by `steps` slots: slot i takes the value of slot i + steps.
    ///
    /// Without a key for the step it is composed of the fewest for which there are keys, each a key
    /// switch.
    ///
    /// # Errors
    /// [`EvaluationError::Key`] without keys for it.
    pub fn rotate(&self, a: &Ciphertext, steps: i64) -> Result<Ciphertext, EvaluationError> {
        Ok(self.rotate_many(a, &[steps])?.remove(0))
    }

    /// The values turned by each number of slots: what all of them have in common is done once.
    ///
    /// # Errors
    /// [`EvaluationError::Key`] without the keys for them.
    pub fn rotate_many(
        &self,
        a: &Ciphertext,
        steps: &[i64],
    ) -> Result<Vec<Ciphertext>, EvaluationError> {
        // Fewer values than slots stand there several times.
        let routes = steps.iter().map(|by| self.route(*by, a.slots));
        let routes = routes.collect::<Result<Vec<_>, _>>()?;
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

    /// The complex conjugates.
    ///
    /// # Errors
    /// [`EvaluationError::Key`] without the key for it.
    pub fn conjugate(&self, a: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        let exponent = 2 * self.parameters.degree() as u64 - 1;
        Ok(self.apply(a, &[(exponent, "conjugate".to_owned())])?.remove(0))
    }

    fn apply(
        &self,
        a: &Ciphertext,
        automorphisms: &[(u64, String)],
    ) -> Result<Vec<Ciphertext>, EvaluationError> {
        for (exponent, what) in automorphisms {
            if *exponent != 1 {
                self.keys.key(KeyUse::Automorphism(*exponent), a.level, || what.clone())?;
            }
        }
        let is_work = automorphisms.iter().any(|(exponent, _)| *exponent != 1);
        let decomposed = is_work.then(|| Decomposed::new(&self.parameters, &a.parts[1]));
        let basis = &self.parameters.level(a.level).basis;
        let error = switching_error(&self.parameters, basis, a.scale);
        let ring = self.parameters.ring();
        let images = automorphisms.iter().map(|(exponent, _)| {
            let key = self.keys.automorphism(*exponent);
            let Some((key, decomposed)) = key.zip(decomposed.as_ref()) else { return a.clone() };
            let (mut b, switched) = key.switch(decomposed);
            ring.add(&mut b, &a.parts[0]);
            let parts = [&b, &switched].map(|part| ring.automorphism(part, *exponent));
            Ciphertext { parts, estimate: a.estimate.with_error(error), ..a.clone() }
        });
        Ok(images.collect())
    }
}
