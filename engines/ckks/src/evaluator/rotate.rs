// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rotations and conjugates.

use super::{EvaluationError, Server};
use crate::ciphertext::Ciphertext;
use crate::estimate::switching_error;
use crate::keys::{Decomposed, KeyUse};
use crate::params::Parameters;
use crate::pool::in_pool;

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

/// The exponent of X that conjugates the slots: −1 modulo 2N.
pub fn conjugation_exponent(parameters: &Parameters) -> u64 {
    2 * parameters.degree() as u64 - 1
}

impl Server {
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
        for (route, by) in routes.iter().zip(steps).filter(|(route, _)| route.len() > 1) {
            self.parameters.ring().note(|| self.composition(*by, route, a.slots));
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

    /// The complex conjugates.
    ///
    /// # Errors
    /// [`EvaluationError::Key`] without the key for it.
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
                self.keys.key(KeyUse::Automorphism(*exponent), a.level, || what.clone())?;
            }
        }
        in_pool(|| Ok(self.applied(a, automorphisms)))
    }

    /// The images under automorphisms that there are keys for.
    fn applied(&self, a: &Ciphertext, automorphisms: &[(u64, String)]) -> Vec<Ciphertext> {
        // What several have in common is done once; one alone is switched digit by digit.
        let switches = automorphisms.iter().filter(|(exponent, _)| *exponent != 1).count();
        let decomposed = (switches > 1).then(|| Decomposed::new(&self.parameters, &a.parts[1]));
        let basis = &self.parameters.level(a.level).basis;
        let error = switching_error(&self.parameters, basis, a.scale);
        let ring = self.parameters.ring();
        let images = automorphisms.iter().map(|(exponent, _)| {
            let key = self.keys.get(KeyUse::Automorphism(*exponent));
            let Some(key) = key else { return a.clone() };
            let [b, switched] = match &decomposed {
                Some(decomposed) => {
                    let (mut b, switched) = key.switch(decomposed);
                    ring.add(&mut b, &a.parts[0]);
                    [b, switched]
                }
                None => key.switch_parts(a.parts()),
            };
            let parts = [&b, &switched].map(|part| ring.automorphism(part, *exponent));
            Ciphertext { parts, estimate: a.estimate.with_error(error), ..a.clone() }
        });
        images.collect()
    }
}
