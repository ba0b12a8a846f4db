// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Logistic regression by Nesterov's accelerated gradient, on encrypted samples (Kim, Song, Kim,
//! Lee, Cheon, "Logistic regression model training based on the approximate homomorphic
//! encryption", BMC Medical Genomics 11, 2018).
//!
//! With y = ±1 by a sample's class and z = y·(x, 1), an iteration is
//! w′ = v + γ·Σ σ(−z·v)·z, v′ = w′ + μ·(w′ − w), γ being the rate over the number of samples.
//!
//! **Where values stand.** n samples and F features, powers of two, take R ciphertexts of n·F/R
//! slots: a position for each sample, of B = F/R slots. Ciphertext r has at position q the block
//! q mod R of B features of sample q + r; turned, the block q − r of sample q. The weights are a
//! vector of F values, which repeat themselves. So every sum over positions is one of rotations of
//! whole vectors, and only the sum over a position's slots leaves some to be masked: of
//! R + 2·log₂ B + R + log₂(n/R) rotations in all, 2·R have the digits of one in common.
//!
//! **Levels.** Products with the samples 1, the mask 1, the polynomial of degree 3 2, products with
//! the samples 1: five. γ and the momentum are in the polynomial's coefficients: w and v are real and
//! imaginary part of one vector, so G times γ·(1 + i·(1 + μ)) goes to both.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use halimede_ckks::evaluator::{inner_sum_rotations, replicate_rotations};
use halimede_ckks::keys::KeyUse;
use halimede_ckks::polynomial::Polynomial;
use halimede_ckks::{
    Bound, Ciphertext, CircuitError, Client, Complex, EvaluationKeys, Operations, Parameters,
    Server, Values,
};

use super::sigmoid::falling_sigmoid;
use super::table::Table;
use crate::error::NetworkError;
use crate::graph::sigmoid;

/// The levels of an iteration.
const LEVELS: usize = 5;
/// That of the polynomial.
const DEGREE: usize = 3;

/// How weights are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogisticOptions {
    /// The number of iterations.
    pub iterations: usize,
    /// The rate of learning: the factor of the gradient's mean over the samples.
    pub rate: f64,
    /// Where products of a sample with the weights lie; outside, the polynomial leaves the sigmoid.
    pub interval: f64,
    /// The largest absolute value of a weight, features being within 1.
    pub weights: f64,
}

/// 32 iterations at the rate 1, products up to 16, weights up to 4.
impl Default for LogisticOptions {
    fn default() -> Self {
        Self { iterations: 32, rate: 1.0, interval: 16.0, weights: 4.0 }
    }
}

/// What client and server agree on: how many samples and features there are, and how weights are
/// found.
#[derive(Clone, Debug)]
pub struct Logistic {
    parameters: Parameters,
    options: LogisticOptions,
    samples: usize,
    features: usize,
    /// Positions, a power of two of at least the samples.
    positions: usize,
    /// Weights, a power of two of at least the features and the constant.
    weights: usize,
    /// Slots of a position.
    block: usize,
    /// The polynomial of σ(−x) on the interval, which is [−1, 1] to it.
    polynomial: Polynomial,
}

/// The samples, encrypted, and the weights to begin with.
#[derive(Clone)]
pub struct EncryptedTable {
    samples: Vec<Ciphertext>,
    weights: Ciphertext,
}

impl EncryptedTable {
    /// The ciphertexts: as many as [`Logistic::ciphertexts`], and one more.
    pub fn into_ciphertexts(self) -> Vec<Ciphertext> {
        let mut all = self.samples;
        all.push(self.weights);
        all
    }
}

impl Logistic {
    /// Training on so many samples of so many features: those of a batch, where there are several.
    ///
    /// # Errors
    /// [`NetworkError::Training`] for parameters without bootstraps or with too few levels, more
    /// samples or features than slots, and options that are none.
    pub fn new(
        parameters: &Parameters,
        samples: usize,
        features: usize,
        options: LogisticOptions,
    ) -> Result<Self, NetworkError> {
        let wrong = |reason: String| Err(NetworkError::Training { reason });
        let (slots, level) = (parameters.slots(), parameters.fresh_level());
        if parameters.bootstrap().is_none() && options.iterations > 1 {
            return wrong(
                "the parameters have no levels for bootstraps: take some with them".to_owned(),
            );
        }
        if level < LEVELS {
            return wrong(format!(
                "an iteration takes {LEVELS} levels; the parameters have {level}: take some with more"
            ));
        }
        for (what, count) in [("samples", samples), ("features", features + 1)] {
            if count == 0 || count > slots {
                return wrong(format!(
                    "{count} {what}, the constant included: 1 to {slots} there may be"
                ));
            }
        }
        let LogisticOptions { iterations, rate, interval, weights } = options;
        let are_sizes = [rate, interval, weights].iter().all(|x| x.is_finite() && *x > 0.0);
        if iterations == 0 || !are_sizes {
            return wrong(format!(
                "{iterations} iterations, rate {rate}, products up to {interval}, weights up to \
                 {weights}: all must be above 0"
            ));
        }
        let positions = samples.next_power_of_two();
        let columns = (features + 1).next_power_of_two();
        let block = columns.min(slots / positions);
        let polynomial = falling_sigmoid(DEGREE, interval)?;
        let parameters = parameters.clone();
        Ok(Self {
            parameters,
            options,
            samples,
            features,
            positions,
            weights: columns,
            block,
            polynomial,
        })
    }

    /// How weights are found.
    pub fn options(&self) -> LogisticOptions {
        self.options
    }

    /// The number of ciphertexts that hold the samples.
    pub fn ciphertexts(&self) -> usize {
        self.weights / self.block
    }

    /// A table from its ciphertexts.
    ///
    /// # Errors
    /// [`NetworkError::Training`] for another number of them.
    pub fn table_of(
        &self,
        mut ciphertexts: Vec<Ciphertext>,
    ) -> Result<EncryptedTable, NetworkError> {
        let (got, wanted) = (ciphertexts.len(), self.ciphertexts() + 1);
        match ciphertexts.pop() {
            Some(weights) if got == wanted => Ok(EncryptedTable { samples: ciphertexts, weights }),
            _ => Err(NetworkError::Training {
                reason: format!("{got} ciphertexts, and a batch of samples has {wanted}"),
            }),
        }
    }

    /// The slots of each.
    fn length(&self) -> usize {
        self.positions * self.block
    }

    /// The operations that the server needs keys for.
    pub fn operations(&self) -> Operations {
        let (length, block) = (self.length() as i64, self.block as i64);
        let blocks = (1..self.ciphertexts() as i64).flat_map(|r| [r * block, -r * block]);
        let mut rotations: Vec<i64> = blocks.map(|by| by.rem_euclid(length)).collect();
        let sums = inner_sum_rotations(self.block, 1).into_iter();
        let copies = replicate_rotations(self.block, 1).into_iter();
        let folds = inner_sum_rotations(self.length() / self.weights, self.weights);
        rotations.extend(sums.chain(copies).chain(folds).map(|by| by.rem_euclid(length)));
        rotations.sort_unstable();
        rotations.dedup();
        let (bootstrap, bootstrap_slots) = match self.weights == self.parameters.slots() {
            true => (true, Vec::new()),
            false => (false, vec![self.weights]),
        };
        let can = self.parameters.bootstrap().is_some();
        Operations {
            multiply: true,
            conjugate: true,
            rotations,
            bootstrap: bootstrap && can,
            bootstrap_slots: if can { bootstrap_slots } else { Vec::new() },
            ..Operations::default()
        }
    }

    /// Those keys, with the highest level of each.
    pub fn keys(&self) -> BTreeMap<KeyUse, usize> {
        self.operations().keys(&self.parameters)
    }

    /// Makes the keys.
    pub fn evaluation_keys(&self, client: &mut Client) -> EvaluationKeys {
        client.evaluation_keys(&self.operations())
    }

    /// Encrypts samples whose features are within 1, and weights of 0.
    ///
    /// # Errors
    /// [`NetworkError::Training`] for a table of more samples or other features, and for larger
    /// features.
    pub fn encrypt(
        &self,
        client: &mut Client,
        table: &Table,
    ) -> Result<EncryptedTable, NetworkError> {
        self.check(table)?;
        let bound = Bound::real(1.0);
        let mut samples = Vec::new();
        for shift in 0..self.ciphertexts() {
            let values = Values::from(&self.slots_of(table, shift)).bounded(bound);
            samples.push(client.encrypt_at(values, self.parameters.fresh_level())?);
        }
        let zeros = vec![Complex::default(); self.weights];
        let bound = Bound::complex(self.largest());
        let level = self.parameters.fresh_level();
        let weights = client.encrypt_at(Values::from(&zeros).bounded(bound), level)?;
        Ok(EncryptedTable { samples, weights })
    }

    /// The values of a ciphertext.
    fn slots_of(&self, table: &Table, shift: usize) -> Vec<f64> {
        let mut slots = vec![0.0; self.length()];
        let signed: Vec<Vec<f64>> =
            (0..table.samples()).map(|of| table.signed(of).collect()).collect();
        for position in 0..self.positions {
            let sample = (position + shift) % self.positions;
            let first = position % self.ciphertexts() * self.block;
            let Some(row) = signed.get(sample) else { continue };
            let block = row.iter().skip(first).take(self.block);
            slots[position * self.block..]
                .iter_mut()
                .zip(block)
                .for_each(|(slot, value)| *slot = *value);
        }
        slots
    }

    fn check(&self, table: &Table) -> Result<(), NetworkError> {
        let (samples, features) = (table.samples(), table.features());
        if samples > self.samples || features != self.features {
            let reason = format!(
                "{samples} samples of {features} features; training was set up for {} of {}",
                self.samples, self.features
            );
            return Err(NetworkError::Training { reason });
        }
        let rows = table.rows().iter().enumerate();
        let large = |(sample, row): (usize, &Vec<f64>)| {
            let feature = row.iter().position(|value| value.abs() > 1.0)?;
            Some((sample, feature, row[feature]))
        };
        match rows.filter_map(large).next() {
            None => Ok(()),
            Some((sample, feature, value)) => Err(NetworkError::Training {
                reason: format!(
                    "feature {feature} of sample {sample} is {value}: divide features so that they \
                     are within 1"
                ),
            }),
        }
    }

    /// A bound of w + i·v.
    fn largest(&self) -> f64 {
        // v is as far from w at most as w moves in a step.
        self.options.weights * 2.0
    }

    /// The momentum after each iteration: (λ − 1)/λ′ with λ′ = (1 + √(1 + 4λ²))/2, from λ = 1 on
    /// (Nesterov, Soviet Mathematics Doklady 27, 1983).
    fn momenta(&self) -> impl Iterator<Item = f64> {
        let mut lambda = 1.0f64;
        std::iter::repeat_with(move || {
            let next = f64::midpoint(1.0, (1.0 + 4.0 * lambda * lambda).sqrt());
            let momentum = (lambda - 1.0) / next;
            lambda = next;
            momentum
        })
        .take(self.options.iterations)
    }

    /// The weights, w + i·v, after all iterations. `progress` is told of each, and may end the
    /// training.
    ///
    /// # Errors
    /// [`NetworkError::Circuit`] where keys are missing, or where `progress` breaks.
    pub fn train(
        &self,
        server: &Server,
        table: &EncryptedTable,
        progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Ciphertext, NetworkError> {
        self.train_in_turn(server, std::slice::from_ref(table), progress)
    }

    /// The same where each iteration takes another batch of samples, and the first one again after the
    /// last. The rate is that of a batch.
    ///
    /// # Errors
    /// As [`Self::train`], and [`NetworkError::Training`] for no batch.
    pub fn train_in_turn(
        &self,
        server: &Server,
        batches: &[EncryptedTable],
        mut progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Ciphertext, NetworkError> {
        let level = self.parameters.fresh_level();
        let mut ready = Vec::new();
        for batch in batches.iter().take(self.options.iterations) {
            let turned = self.turned(server, &batch.samples, level)?;
            let mut low = Vec::new();
            for sample in &batch.samples {
                low.push(server.at_level(sample, level + 1 - LEVELS)?);
            }
            ready.push((turned, low));
        }
        let mask = self.mask();
        let first = batches.first().ok_or_else(no_samples)?;
        let mut weights = first.weights.clone();
        let iterations = self.options.iterations;
        for ((done, momentum), (turned, low)) in
            self.momenta().enumerate().zip(ready.iter().cycle())
        {
            let next = self.iteration(server, [turned, low], &mask, &weights, momentum)?;
            let next = next.bounded(Bound::complex(self.largest()));
            weights = match done + 1 == iterations {
                true => next,
                false => {
                    server.bootstrap_within(&next, self.largest()).map_err(CircuitError::from)?
                }
            };
            if progress(done + 1).is_break() {
                return Err(CircuitError::Stopped { done: done + 1, steps: iterations }.into());
            }
        }
        Ok(weights)
    }

    /// The samples with ciphertext r turned by r positions to the right.
    fn turned(
        &self,
        server: &Server,
        samples: &[Ciphertext],
        level: usize,
    ) -> Result<Vec<Ciphertext>, NetworkError> {
        let turn = |(shift, sample): (usize, &Ciphertext)| {
            let by = (self.length() - shift * self.block) % self.length();
            Ok(server.at_level(&server.rotate(sample, by as i64)?, level)?)
        };
        samples.iter().enumerate().map(turn).collect()
    }

    /// The first slot of each position, over what scales the argument to the polynomial's interval.
    fn mask(&self) -> Vec<f64> {
        // The imaginary part is taken twice.
        let one = 0.5 / self.options.interval;
        (0..self.length()).map(|slot| if slot % self.block == 0 { one } else { 0.0 }).collect()
    }

    /// One step.
    fn iteration(
        &self,
        server: &Server,
        [turned, samples]: [&[Ciphertext]; 2],
        mask: &[f64],
        weights: &Ciphertext,
        momentum: f64,
    ) -> Result<Ciphertext, NetworkError> {
        let (length, blocks) = (self.length(), 0..self.ciphertexts());
        let conjugate = server.conjugate(weights)?;
        // i·(x̄ − x) is twice the imaginary part, which is real.
        let twice = server.mul_by_i(&server.sub(&conjugate, weights)?)?;
        let twice = twice.bounded(Bound::real(2.0 * self.largest()));
        let long = server.repeat(&twice, length)?;
        let shifts = |sign: i64| -> Vec<i64> {
            let by = |block: usize| sign * (block * self.block) as i64;
            blocks.clone().map(|block| by(block).rem_euclid(length as i64)).collect()
        };
        let products = sum_of_products(server, turned, &server.rotate_many(&long, &shifts(-1))?)?;
        let sums = server.inner_sum(&products, self.block, 1)?;
        let masked = server.mul_plain(&sums, mask)?;
        let arguments = server.replicate(&masked, self.block, 1)?.bounded(Bound::real(1.0));
        let rate = self.options.rate / self.samples as f64;
        let factor = Complex::new(rate, rate * (1.0 + momentum));
        let coefficients = self.polynomial.coefficients().iter().map(|c| *c * factor);
        let polynomial = Polynomial::chebyshev(&coefficients.collect::<Vec<_>>(), (-1.0, 1.0))?;
        let gradients = server.evaluate(&arguments, &polynomial).map_err(CircuitError::from)?;
        let gradients = server.rotate_many(&gradients, &shifts(1))?;
        let step = server.fold(&sum_of_products(server, samples, &gradients)?, self.weights)?;
        // v + i·(v + μ·(v − w)), of x = w + i·v and x̄.
        let along = Complex::new(1.0, 1.0 + momentum) * Complex::new(0.0, -0.5);
        let back = Complex::new(0.0, -0.5 * momentum);
        let forward = server.mul_number(weights, back + along)?;
        let backward = server.mul_number(&conjugate, back - along)?;
        let before = server.add(&forward, &backward)?;
        Ok(server.add(&server.at_level(&before, step.level())?, &step)?)
    }

    /// The weights of the features, and the constant.
    ///
    /// # Errors
    /// Where the ciphertext is not the client's.
    pub fn decrypt(&self, client: &Client, weights: &Ciphertext) -> Result<Vec<f64>, NetworkError> {
        let values = client.decrypt(weights)?;
        Ok(values.iter().take(self.features + 1).map(|value| value.re).collect())
    }

    /// The weights that the same iterations find in plaintext: by the sigmoid, or by its polynomial.
    ///
    /// # Errors
    /// [`NetworkError::Training`] for a table of another size.
    pub fn in_plaintext(&self, table: &Table, is_exact: bool) -> Result<Vec<f64>, NetworkError> {
        self.in_turn_in_plaintext(std::slice::from_ref(table), is_exact)
    }

    /// Those that [`Self::train_in_turn`] finds.
    ///
    /// # Errors
    /// As [`Self::in_plaintext`], and for no batch.
    pub fn in_turn_in_plaintext(
        &self,
        batches: &[Table],
        is_exact: bool,
    ) -> Result<Vec<f64>, NetworkError> {
        batches.iter().try_for_each(|batch| self.check(batch))?;
        if batches.is_empty() {
            return Err(no_samples());
        }
        let count = self.features + 1;
        let (mut w, mut v) = (vec![0.0; count], vec![0.0; count]);
        let rate = self.options.rate / self.samples as f64;
        let value = |x: f64| match is_exact {
            true => sigmoid(-x),
            false => self.polynomial.value(x / self.options.interval).re,
        };
        for (momentum, table) in self.momenta().zip(batches.iter().cycle()) {
            let mut next = v.clone();
            for sample in 0..table.samples() {
                let z: Vec<f64> = table.signed(sample).collect();
                let factor = rate * value(z.iter().zip(&v).map(|(z, v)| z * v).sum());
                next.iter_mut().zip(&z).for_each(|(next, z)| *next += factor * z);
            }
            let ahead = |(next, w): (&f64, &f64)| next + momentum * (next - w);
            v = next.iter().zip(&w).map(ahead).collect();
            w = next;
        }
        Ok(w)
    }
}

/// Σ aᵣ·bᵣ, a level lower, with one relinearisation.
fn sum_of_products(
    server: &Server,
    a: &[Ciphertext],
    b: &[Ciphertext],
) -> Result<Ciphertext, NetworkError> {
    let explicit = server.explicit();
    let mut sum = None;
    for (a, b) in a.iter().zip(b) {
        let b = server.at_level(b, a.level())?;
        sum = Some(match sum {
            None => explicit.mul_degree2(a, &b)?,
            Some(sum) => explicit.mul_add_degree2(sum, a, &b)?,
        });
    }
    let sum = sum.ok_or_else(no_samples)?;
    Ok(server.rescale(&explicit.relinearise(&sum)?)?)
}

fn no_samples() -> NetworkError {
    NetworkError::Training { reason: "there are no samples".to_owned() }
}
