// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Iterations of logistic regression on encrypted samples: the server's part.
//!
//! **Levels.** The products with the samples need 1 level, the polynomial of degree 3 with the mask
//! 2, and the second products with the samples 1: four in total. A sum over a position's slots is
//! in its first slot, and the other slots hold sums of parts of two samples. The polynomial itself
//! masks these: p(x) − ½ = (m·a·x)·(x² + b) with the mask m of zeros and ones, both factors at one
//! level. γ and the momentum are part of a: w and v are the real and imaginary part of one vector,
//! so that the sum of gradients times γ·(1 + i·(1 + μ)) updates both.
//!
//! **Scales.** a is as small as γ over the square of the interval, and x² + b as large as that
//! square. To keep the bits of the first factor, its scale is 2^k times that of its level, and so
//! is that of the gradients. The samples that multiply the gradients have a scale 2^(k − h) times
//! smaller, so that the new weights have a scale 2^h times that of their level; and the samples
//! that multiply these weights have a scale 2^h times smaller. Samples lose k/2 bits in both cases.
//! A bootstrap only accepts weights whose scale is near the usual one.

use std::collections::btree_map::{BTreeMap, Entry};
use std::ops::ControlFlow;

use halimede_ckks::executor::ProgramServer;
use halimede_ckks::params::Scale;
use halimede_ckks::{Bound, Ciphertext, CircuitError, Complex, Server, Values};

use super::iteration::{IterationScales, RotatedBatch};
use super::logistic::{no_samples, EncryptedTable, Logistic, LARGEST_AT_0, LEVELS};
use super::place::Place;
use crate::error::NetworkError;

/// The assumed bound, in intervals, of the sum of parts of two samples. Beyond it, estimates of
/// errors are too small.
const PARTS: f64 = 4.0;
/// log₂ of the largest factor between scales.
const MOST_SHIFT: i32 = 12;
/// The share of the bits by which the first factor of the polynomial is below 1 that its scale
/// compensates.
const SHIFTED: f64 = 0.6;
/// The number of bits by which values and scale together may exceed the usual ones of a bootstrap.
const BOOTSTRAP_SHIFT: i32 = 5;

impl Logistic {
    /// Returns the weights, w + i·v, after all iterations, at the level of a bootstrap's input.
    /// `progress` is called after each iteration, and may end the training.
    ///
    /// # Errors
    /// [`NetworkError::Circuit`] if keys are missing, or where `progress` breaks.
    pub fn train(
        &self,
        server: &Server,
        table: &EncryptedTable,
        progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Ciphertext, NetworkError> {
        self.train_in_turn(server, std::slice::from_ref(table), progress)
    }

    /// As [`Self::train`], where each iteration uses another batch of samples, and starts again
    /// with the first after the last. The rate is that of a batch.
    ///
    /// # Errors
    /// As [`Self::train`], and [`NetworkError::Training`] without a batch.
    pub fn train_in_turn(
        &self,
        server: &Server,
        batches: &[EncryptedTable],
        progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Ciphertext, NetworkError> {
        let first = batches.first().ok_or_else(no_samples)?;
        let samples: Vec<&[Ciphertext]> = batches.iter().map(|of| &of.samples[..]).collect();
        self.descend(server, &samples, first.weights.clone(), progress)
    }

    /// As [`Self::train_in_turn`], on an executor of programs. The samples are uploaded and the
    /// weights downloaded; all between stays on the executor. Each iteration is one program. On
    /// [this processor](halimede_ckks::executor::ProgramExecutor::is_host), the server's own code
    /// runs. The weights have the same bits everywhere.
    ///
    /// # Errors
    /// As [`Self::train_in_turn`], and [`NetworkError::Executor`] if the executor fails.
    pub fn train_on(
        &self,
        programs: &ProgramServer,
        batches: &[EncryptedTable],
        progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Ciphertext, NetworkError> {
        if programs.is_host() {
            return self.train_in_turn(programs.server(), batches, progress);
        }
        let first = batches.first().ok_or_else(no_samples)?;
        let upload = |batch: &EncryptedTable| {
            batch.samples.iter().map(|sample| programs.upload(sample)).collect()
        };
        let samples = batches.iter().map(upload).collect::<Result<Vec<Vec<_>>, _>>()?;
        let samples: Vec<&[_]> = samples.iter().map(|of| &of[..]).collect();
        let weights = programs.upload(&first.weights)?;
        Ok(programs.download(&self.descend(programs, &samples, weights, progress)?)?)
    }

    /// Returns the weights after all iterations on batches of samples.
    fn descend<P: Place>(
        &self,
        place: &P,
        batches: &[&[P::Value]],
        mut weights: P::Value,
        mut progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<P::Value, NetworkError> {
        let (iterations, together) = (self.options.iterations, self.iterations_a_bootstrap());
        // The batches, placed as an iteration needs them.
        let mut placed = BTreeMap::new();
        for (done, momentum) in self.momenta().enumerate() {
            let left = (together - done % together).min(iterations - done);
            let is_last = done + 1 == iterations;
            let scales = self.setting(done % together == 0, left, is_last);
            let batch = done % batches.len();
            let samples = match placed.entry((batch, scales)) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => entry.insert(place.placed(self, batches[batch], scales)?),
            };
            let next = place.iterated(self, samples, scales, &weights, momentum)?;
            let next = place.bounded(&next, Bound::complex(self.largest()));
            weights = match left == 1 && !is_last {
                true => place.bootstrapped(&next, self.largest())?,
                false => next,
            };
            if progress(done + 1).is_break() {
                return Err(CircuitError::Stopped { done: done + 1, steps: iterations }.into());
            }
        }
        Ok(weights)
    }

    /// Returns the setting of an iteration, where `left` iterations remain before a bootstrap,
    /// including this one.
    fn setting(&self, is_first: bool, left: usize, is_last: bool) -> IterationScales {
        let half = self.shift() / 2;
        let before = if is_first { 0 } else { half };
        let after = match (is_last, left) {
            (true, _) => 0,
            (false, 1) => half.min(self.bootstrap_shift()),
            (false, _) => half,
        };
        IterationScales { level: self.level(left), before, after }
    }

    /// Returns log₂ of the ratio of the largest scale of weights that can be bootstrapped to the
    /// usual one.
    fn bootstrap_shift(&self) -> i32 {
        match self.reserve() {
            0 => 0,
            _ => (BOOTSTRAP_SHIFT - (self.largest() / LARGEST_AT_0).log2().ceil() as i32).max(0),
        }
    }

    /// Returns the samples of a batch for an iteration.
    pub(super) fn placed(
        &self,
        server: &Server,
        samples: &[&Ciphertext],
        IterationScales { level, before, after }: IterationScales,
    ) -> Result<RotatedBatch<Ciphertext>, CircuitError> {
        let at = |sample: &Ciphertext, level: usize, smaller: i32| {
            let scale = self.parameters.level(level).scale / Scale::power_of_two(smaller);
            server.at_scale(sample, level, scale)
        };
        let rotate = |(sample, by): (&&Ciphertext, &i64)| {
            Ok(server.rotate(&at(sample, level, before)?, *by)?)
        };
        let by = self.by_blocks(-1);
        let rotated = samples.iter().zip(&by).map(rotate).collect::<Result<_, CircuitError>>()?;
        let low = |sample: &&Ciphertext| at(sample, level + 1 - LEVELS, self.shift() - after);
        Ok(RotatedBatch { rotated, samples: samples.iter().map(low).collect::<Result<_, _>>()? })
    }

    /// Computes one step.
    pub(super) fn iteration(
        &self,
        server: &Server,
        RotatedBatch { rotated, samples }: &RotatedBatch<&Ciphertext>,
        IterationScales { level, after, .. }: IterationScales,
        weights: &Ciphertext,
        momentum: f64,
    ) -> Result<Ciphertext, CircuitError> {
        let length = self.length();
        let weights = match weights.level() > level {
            true => &server.at_level(weights, level)?,
            false => weights,
        };
        let conjugate = server.conjugate(weights)?;
        // i·(x̄ − x) is twice the imaginary part, as a real number.
        let twice = server.mul_by_i(&server.sub(&conjugate, weights)?)?;
        let twice = twice.bounded(Bound::real(2.0 * self.largest()));
        let long = server.repeat(&twice, length)?;
        let long = server.rotate_many(&long, &self.by_blocks(-1))?;
        let products = sum_of_products(server, rotated, &long)?;
        let sums = server.inner_sum(&products, self.block, 1)?;
        let rate = self.options.rate / self.samples as f64;
        let gradients =
            self.sigmoids(server, &sums, Complex::new(rate, rate * (1.0 + momentum)))?;
        let gradients = server.replicate(&gradients, self.block, 1)?;
        let gradients = server.rotate_many(&gradients, &self.by_blocks(1))?;
        let step = sum_of_products(server, samples, &gradients)?;
        let step = server.fold(&step, self.weights)?;
        // v + i·(v + μ·(v − w)), of x = w + i·v and x̄.
        let along = Complex::new(1.0, 1.0 + momentum) * Complex::new(0.0, -0.5);
        let back = Complex::new(0.0, -0.5 * momentum);
        let below = step.level();
        let scale = self.parameters.level(below).scale * Scale::power_of_two(after);
        let term = |of: &Ciphertext, factor: Complex| {
            server.mul_number_to(&server.at_level(of, below + 1)?, factor, scale)
        };
        let (forward, backward) = (term(weights, back + along)?, term(&conjugate, back - along)?);
        Ok(server.explicit().add(&server.add(&forward, &backward)?, &step)?)
    }

    /// Returns a factor times the polynomial of σ(−x), where the first slot of each position holds
    /// 2x, and 0 in the other slots. The result is two levels lower, on a scale 2^[`Self::shift`]
    /// times larger than that of the level.
    fn sigmoids(
        &self,
        server: &Server,
        twice: &Ciphertext,
        factor: Complex,
    ) -> Result<Ciphertext, CircuitError> {
        let (explicit, cubic, unit) = (server.explicit(), self.cubic, self.unit());
        let times = |number: f64| factor * Complex::from(number);
        let twice = &twice.bounded(Bound::real(2.0 * PARTS * self.options.interval));
        let scale = twice.scale() * Scale::power_of_two(self.shift());
        let first = self.masked(times(cubic.factor * unit.powi(3)));
        let first = server.rescale(&explicit.mul_plain(twice, &first, scale)?)?;
        let addend = Complex::from(cubic.addend / unit.powi(2));
        let second = server.add_number(&server.mul(twice, twice)?, addend)?;
        let odd = server.rescale(&explicit.mul(&first, &second)?)?;
        let all = server.add_plain(&odd, self.masked(times(cubic.constant)))?;
        Ok(all.bounded(Bound::complex(factor.abs() * cubic.largest)))
    }

    /// Returns the factor that maps twice an argument to the polynomial's interval.
    fn unit(&self) -> f64 {
        0.5 / self.options.interval
    }

    /// Returns a number in the first slot of each position.
    fn masked(&self, number: Complex) -> Values<'static> {
        let at = |slot: usize| match slot.is_multiple_of(self.block) {
            true => number,
            false => Complex::default(),
        };
        let slots: Vec<Complex> = (0..self.length()).map(at).collect();
        Values::from(&slots).bounded(Bound::complex(number.abs())).into_owned()
    }

    /// Returns log₂ of the ratio of the scale of gradients to that of their level.
    fn shift(&self) -> i32 {
        let rate = self.options.rate / self.samples as f64;
        let first = rate * self.cubic.factor.abs() * self.unit().powi(2);
        ((-SHIFTED * first.log2()).round() as i32).clamp(0, MOST_SHIFT)
    }
}

/// Returns Σ aᵣ·bᵣ, a level lower, with one relinearization.
fn sum_of_products(
    server: &Server,
    a: &[&Ciphertext],
    b: &[Ciphertext],
) -> Result<Ciphertext, CircuitError> {
    let explicit = server.explicit();
    let mut sum = None;
    for (a, b) in a.iter().zip(b) {
        sum = Some(match sum {
            None => explicit.mul_degree2(a, b)?,
            Some(sum) => explicit.mul_add_degree2(sum, a, b)?,
        });
    }
    let sum = sum.ok_or(CircuitError::NothingEncrypted)?;
    Ok(server.rescale(&explicit.relinearize(&sum)?)?)
}
