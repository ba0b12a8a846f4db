// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Composes rotations without a key from rotations that have one.

use std::collections::VecDeque;

use super::error::EvaluationError;
use super::evaluator::Evaluator;
use super::exponents::rotation_exponent;
use crate::keys::KeyUse;

/// The first way to reach a step.
#[derive(Clone, Copy)]
struct Reached {
    from: usize,
    exponent: u64,
    length: u32,
}

impl Evaluator {
    /// Returns the exponents of a rotation of vectors of `slots` slots: one if the rotation has a
    /// key, or else the shortest composition from rotations with keys. It has at most log₂(`slots`)
    /// rotations, for which keys of powers of two suffice.
    pub(crate) fn route(&self, steps: i64, slots: usize) -> Result<Vec<u64>, EvaluationError> {
        let target = steps.rem_euclid(slots as i64) as usize;
        let direct = rotation_exponent(&self.parameters, target as i64);
        if target == 0 {
            return Ok(Vec::new());
        }
        if self.has_rotation(direct) {
            return Ok(vec![direct]);
        }
        let what = || format!("rotate by {steps}");
        self.search(target, slots).ok_or_else(|| EvaluationError::Key { what: what() })
    }

    fn has_rotation(&self, exponent: u64) -> bool {
        self.keys.get(KeyUse::Automorphism(exponent)).is_some()
    }

    /// Searches breadth first, starting from step 0.
    fn search(&self, target: usize, slots: usize) -> Option<Vec<u64>> {
        let keys = self.key_steps(slots);
        let mut reached: Vec<Option<Reached>> = vec![None; slots];
        reached[0] = Some(Reached { from: 0, exponent: 1, length: 0 });
        let mut queue = VecDeque::from([0]);
        while let (Some(place), None) = (queue.pop_front(), reached[target]) {
            let length = reached[place]?.length + 1;
            if length > slots.trailing_zeros() {
                return None;
            }
            for (step, exponent) in &keys {
                let next = (place + step) % slots;
                if reached[next].is_none() {
                    reached[next] = Some(Reached { from: place, exponent: *exponent, length });
                    queue.push_back(next);
                }
            }
        }
        let (mut place, mut route) = (target, Vec::new());
        while place != 0 {
            let step = reached[place]?;
            route.push(step.exponent);
            place = step.from;
        }
        Some(route)
    }

    /// Describes the composition of a rotation of vectors of `slots` slots.
    pub(super) fn composition(&self, steps: i64, route: &[u64], slots: usize) -> String {
        let keys = self.key_steps(slots);
        let step = |by: &u64| keys.iter().find(|(_, exponent)| exponent == by).map(|key| key.0);
        let text = |by: &u64| match step(by).unwrap_or_default() {
            step if step > slots / 2 => format!("{}", step as i64 - slots as i64),
            step => format!("{step}"),
        };
        let parts: Vec<String> = route.iter().map(text).collect();
        format!("rotate by {steps} = {}", parts.join(" + "))
    }

    /// Returns the number of slots by which each key rotates, and its exponent.
    fn key_steps(&self, slots: usize) -> Vec<(usize, u64)> {
        let order = 2 * self.parameters.degree() as u64;
        let mut exponent = 1;
        let mut keys = Vec::new();
        for step in 0..self.parameters.slots() {
            let by = step % slots;
            let is_new = keys.iter().all(|(other, _)| *other != by);
            if by != 0 && self.has_rotation(exponent) && is_new {
                keys.push((by, exponent));
            }
            exponent = exponent * 5 % order;
        }
        keys
    }
}
