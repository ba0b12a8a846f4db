// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Logistic regression by Nesterov's accelerated gradient, on encrypted samples (Kim, Song, Kim,
//! Lee, Cheon, "Logistic regression model training based on the approximate homomorphic
//! encryption", BMC Medical Genomics 11, 2018).
//!
//! With y = ±1 by a sample's class and z = y·(x, 1), an iteration is w′ = v + γ·Σ σ(−z·v)·z, v′ =
//! w′ + μ·(w′ − w), where γ is the rate divided by the number of samples.
//!
//! **Places of values.** n samples and F features, both powers of two, need R ciphertexts of n·F/R
//! slots: a position for each sample, of B = F/R slots. Ciphertext r has at position q the block q
//! mod R of B features of sample q + r; rotated, it has the block q − r of sample q. The weights
//! are a vector of F values that repeats. Every sum over positions is therefore a sum of rotations
//! of whole vectors, and only the sum over a position's slots leaves slots to mask: of R + 2·log₂ B
//! + R + log₂(n/R) rotations in total, 2·R share the digits of one vector.
//!
//! **Levels.** [An iteration](super::descent) needs four. The parameters' levels limit the
//! number of iterations after a bootstrap.

use std::collections::BTreeMap;

use halimede_ckks::evaluator::{inner_sum_rotations, replicate_rotations};
use halimede_ckks::keys::KeyUse;
use halimede_ckks::polynomial::Polynomial;
use halimede_ckks::{
    Bound, Ciphertext, Client, Complex, EvaluationKeys, Operations, Parameters, Values,
};

use super::sigmoid::{falling_sigmoid, OddCubic};
use super::table::Table;
use crate::error::NetworkError;
use crate::graph::sigmoid;

/// The degree of the polynomial.
const DEGREE: usize = 3;
/// The largest values that can be bootstrapped from the lowest level. Larger values need level 1.
pub(super) const LARGEST_AT_0: f64 = 4.0;

/// The number of levels of an iteration.
pub(super) const LEVELS: usize = 4;

/// The options of a training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogisticOptions {
    /// The number of iterations.
    pub iterations: usize,
    /// The rate of learning: the factor of the gradient's mean over the samples.
    pub rate: f64,
    /// The interval of the products of a sample with the weights. Outside it, the polynomial
    /// deviates from the sigmoid.
    pub interval: f64,
    /// The largest absolute value of a weight, for features within 1.
    pub weights: f64,
}

/// 32 iterations at the rate 1, products up to 16, weights up to 4.
impl Default for LogisticOptions {
    fn default() -> Self {
        Self { iterations: 32, rate: 1.0, interval: 16.0, weights: 4.0 }
    }
}

/// The properties of a training on which client and server agree: the numbers of samples and
/// features, and the options.
#[derive(Clone, Debug)]
pub struct Logistic {
    pub(super) parameters: Parameters,
    pub(super) options: LogisticOptions,
    pub(super) samples: usize,
    features: usize,
    /// The number of positions, a power of two, at least the number of samples.
    positions: usize,
    /// The number of weights, a power of two, at least the number of features and the constant.
    pub(super) weights: usize,
    /// The number of slots of a position.
    pub(super) block: usize,
    /// The polynomial of σ(−x) on the interval, scaled to [−1, 1].
    polynomial: Polynomial,
    /// The same polynomial by its powers.
    pub(super) cubic: OddCubic,
}

/// The encrypted samples, and the initial weights.
#[derive(Clone)]
pub struct EncryptedTable {
    pub(super) samples: Vec<Ciphertext>,
    pub(super) weights: Ciphertext,
}

impl EncryptedTable {
    /// Returns the ciphertexts: [`Logistic::ciphertexts`], and one more.
    pub fn into_ciphertexts(self) -> Vec<Ciphertext> {
        let mut all = self.samples;
        all.push(self.weights);
        all
    }
}

impl Logistic {
    /// Sets up training on `samples` samples of `features` features: those of a batch, if there are
    /// several.
    ///
    /// # Errors
    /// [`NetworkError::Training`] for parameters without bootstraps or with too few levels, more
    /// samples or features than slots, and invalid options.
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
                "the parameters have no levels for bootstraps: use parameters with bootstraps"
                    .to_owned(),
            );
        }
        if level < LEVELS {
            return wrong(format!(
                "an iteration needs {LEVELS} levels, but the parameters have {level}"
            ));
        }
        for (what, count) in [("samples", samples), ("features", features + 1)] {
            if count == 0 || count > slots {
                return wrong(format!(
                    "{count} {what}, including the constant: expected 1 to {slots}"
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
        let Some(cubic) = OddCubic::new(&polynomial) else {
            return wrong(format!("products up to {interval}: the sigmoid is nearly linear there"));
        };
        let parameters = parameters.clone();
        let training = Self {
            parameters,
            options,
            samples,
            features,
            positions,
            weights: columns,
            block,
            polynomial,
            cubic,
        };
        let needed = LEVELS + training.reserve();
        if iterations > 1 && level < needed {
            return wrong(format!(
                "an iteration with weights up to {weights} and its bootstrap need {needed} levels, \
                 but the parameters have {level}: use larger ones"
            ));
        }
        Ok(training)
    }

    /// Returns the options.
    pub fn options(&self) -> LogisticOptions {
        self.options
    }

    /// Returns the number of features.
    pub(super) fn features(&self) -> usize {
        self.features
    }

    /// Returns the number of ciphertexts that hold the samples.
    pub fn ciphertexts(&self) -> usize {
        self.weights / self.block
    }

    /// Returns a table from its ciphertexts.
    ///
    /// # Errors
    /// [`NetworkError::Training`] if their number is wrong.
    pub fn table_of(
        &self,
        mut ciphertexts: Vec<Ciphertext>,
    ) -> Result<EncryptedTable, NetworkError> {
        let (got, wanted) = (ciphertexts.len(), self.ciphertexts() + 1);
        match ciphertexts.pop() {
            Some(weights) if got == wanted => Ok(EncryptedTable { samples: ciphertexts, weights }),
            _ => Err(NetworkError::Training {
                reason: format!("expected {wanted} ciphertexts of a batch of samples, got {got}"),
            }),
        }
    }

    /// Returns the number of slots of each ciphertext.
    pub(super) fn length(&self) -> usize {
        self.positions * self.block
    }

    /// Returns the number of levels reserved for a bootstrap.
    pub(super) fn reserve(&self) -> usize {
        usize::from(self.largest() > LARGEST_AT_0)
    }

    /// Returns the number of iterations between two bootstraps.
    pub fn iterations_a_bootstrap(&self) -> usize {
        (self.parameters.fresh_level().saturating_sub(self.reserve()) / LEVELS).max(1)
    }

    /// Returns the level at which an iteration begins, where `left` iterations remain before a
    /// bootstrap, including this one.
    pub(super) fn level(&self, left: usize) -> usize {
        self.parameters.fresh_level().min(self.reserve() + left * LEVELS)
    }

    /// Returns the rotations of blocks: to the right or to the left, by each number of positions.
    pub(super) fn by_blocks(&self, sign: i64) -> Vec<i64> {
        let by = |place: usize| sign * (place * self.block) as i64;
        (0..self.ciphertexts()).map(|place| by(place).rem_euclid(self.length() as i64)).collect()
    }

    /// Returns the rotations of an iteration, with the number of levels below its start at which
    /// they are used.
    fn rotations(&self) -> [(usize, Vec<i64>); 4] {
        let folds = inner_sum_rotations(self.length() / self.weights, self.weights);
        let mut late = replicate_rotations(self.block, 1);
        late.extend(self.by_blocks(1));
        let early = self.by_blocks(-1);
        [(0, early), (1, inner_sum_rotations(self.block, 1)), (LEVELS - 1, late), (LEVELS, folds)]
    }

    /// Returns the operations that the server needs keys for.
    pub fn operations(&self) -> Operations {
        let length = self.length() as i64;
        let all = self.rotations().into_iter().flat_map(|(_, rotations)| rotations);
        let mut rotations: Vec<i64> =
            all.map(|by| by.rem_euclid(length)).filter(|by| *by != 0).collect();
        rotations.sort_unstable();
        rotations.dedup();
        Operations { multiply: true, conjugate: true, rotations, ..self.bootstraps() }
    }

    fn bootstraps(&self) -> Operations {
        let none = Operations::default();
        if self.parameters.bootstrap().is_none() {
            return none;
        }
        match self.weights == self.parameters.slots() {
            true => Operations { bootstrap: true, ..none },
            false => Operations { bootstrap_slots: vec![self.weights], ..none },
        }
    }

    /// Returns those keys, each up to the level at which it is used.
    pub fn keys(&self) -> BTreeMap<KeyUse, usize> {
        let parameters = &self.parameters;
        let first = self.level(self.iterations_a_bootstrap().min(self.options.iterations));
        let both = Operations { multiply: true, conjugate: true, ..self.bootstraps() };
        let mut keys = both.keys_to_level(parameters, first);
        for (down, rotations) in self.rotations() {
            let length = self.length() as i64;
            let rotations = rotations.into_iter().map(|by| by.rem_euclid(length)).collect();
            let some = Operations { rotations, ..Operations::default() };
            for (of, level) in some.keys_to_level(parameters, first - down) {
                let highest = keys.entry(of).or_default();
                *highest = level.max(*highest);
            }
        }
        keys
    }

    /// Creates the keys.
    pub fn evaluation_keys(&self, client: &mut Client) -> EvaluationKeys {
        let mut keys = EvaluationKeys::new(&self.parameters);
        for (of, level) in self.keys() {
            keys.insert(of, client.evaluation_key(of, level));
        }
        keys
    }

    /// Encrypts samples whose features are within 1, and initial weights of 0.
    ///
    /// # Errors
    /// [`NetworkError::Training`] for a table with more samples or other features, and for larger
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

    /// Returns the values of a ciphertext.
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
                "{samples} samples of {features} features, but training was set up for {} of {}",
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
                    "feature {feature} of sample {sample} is {value}: scale features so that they \
                     are within 1"
                ),
            }),
        }
    }

    /// Returns a bound of w + i·v.
    pub(super) fn largest(&self) -> f64 {
        // The distance of v from w is at most the distance that w moves in a step.
        self.options.weights * 2.0
    }

    /// Returns the momentum after each iteration: (λ − 1)/λ′ with λ′ = (1 + √(1 + 4λ²))/2, from λ =
    /// 1 on (Nesterov, Soviet Mathematics Doklady 27, 1983).
    pub(super) fn momenta(&self) -> impl Iterator<Item = f64> {
        let mut lambda = 1.0f64;
        std::iter::repeat_with(move || {
            let next = f64::midpoint(1.0, (1.0 + 4.0 * lambda * lambda).sqrt());
            let momentum = (lambda - 1.0) / next;
            lambda = next;
            momentum
        })
        .take(self.options.iterations)
    }

    /// Returns the weights of the features, and the constant, only for the owner of the key:
    /// together with the encrypted weights they reveal something about the key. Use
    /// [`Self::decrypt_for_sharing`] to publish weights.
    ///
    /// # Errors
    /// If the ciphertext does not belong to the client.
    pub fn decrypt(&self, client: &Client, weights: &Ciphertext) -> Result<Vec<f64>, NetworkError> {
        let values = client.decrypt(weights)?;
        Ok(values.iter().take(self.features + 1).map(|value| value.re).collect())
    }

    /// Returns the weights that the same iterations find in plaintext: by the sigmoid, or by its
    /// polynomial.
    ///
    /// # Errors
    /// [`NetworkError::Training`] for a table of another size.
    pub fn in_plaintext(&self, table: &Table, is_exact: bool) -> Result<Vec<f64>, NetworkError> {
        self.in_turn_in_plaintext(std::slice::from_ref(table), is_exact)
    }

    /// Returns the weights that [`Self::train_in_turn`] finds.
    ///
    /// # Errors
    /// As [`Self::in_plaintext`], and without a batch.
    pub fn in_turn_in_plaintext(
        &self,
        batches: &[Table],
        is_exact: bool,
    ) -> Result<Vec<f64>, NetworkError> {
        self.steps_in_plaintext(batches, is_exact).map(|(weights, _)| weights)
    }

    /// Returns the weights, and the weights with momentum, after all steps in plaintext.
    pub(super) fn steps_in_plaintext(
        &self,
        batches: &[Table],
        is_exact: bool,
    ) -> Result<(Vec<f64>, Vec<f64>), NetworkError> {
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
        Ok((w, v))
    }
}

pub(super) fn no_samples() -> NetworkError {
    NetworkError::Training { reason: "the list of samples is empty".to_owned() }
}
