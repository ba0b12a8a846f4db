// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The client: holds the secret key, encrypts, decrypts, and makes the keys of servers.

use std::io::Write;

use super::statement::Budget;
use crate::complex::Complex;
use crate::encoding::{Encoder, EncodingError, Plaintext, Values};
use crate::estimate::Origin;
use crate::evaluator::{Ciphertext, EvaluationError, EvaluationKeys};
use crate::files::{FileError, KeyWriter};
use crate::keys::{error, KeyUse, PublicKey, SecretKey, SwitchingKey};
use crate::operations::Operations;
use crate::params::{fresh_error, Parameters};
use crate::sampling::{uniform, Random, RandomError, FRESH_INDEX};
use crate::server::Server;

/// The holder of a secret key.
pub struct Client {
    parameters: Parameters,
    encoder: Encoder,
    secret: SecretKey,
    /// The sparse secret of bootstraps, the same for all keys that this client makes.
    sparse: Option<SecretKey>,
    random: Random,
    /// Counts the decryptions that were shared with others.
    budget: Budget,
}

impl Client {
    /// Creates a client with a new secret key.
    ///
    /// # Errors
    /// [`RandomError`] if the operating system returns no random bytes.
    pub fn new(parameters: &Parameters) -> Result<Self, RandomError> {
        Ok(Self::with_random(parameters, Random::new()?))
    }

    /// Creates a deterministic client for tests: the same for equal numbers.
    #[cfg(any(test, feature = "test"))]
    pub fn of_test(parameters: &Parameters, number: u64) -> Self {
        Self::with_random(parameters, Random::of_test(number))
    }

    fn with_random(parameters: &Parameters, mut random: Random) -> Self {
        let secret = SecretKey::generate(parameters, &mut random);
        Self::of_parts(secret, random)
    }

    /// Creates a client with an existing secret key.
    ///
    /// # Errors
    /// [`RandomError`] if the operating system returns no random bytes.
    pub fn with_secret(secret: SecretKey) -> Result<Self, RandomError> {
        Ok(Self::of_parts(secret, Random::new()?))
    }

    fn of_parts(secret: SecretKey, random: Random) -> Self {
        let parameters = secret.parameters().clone();
        let (encoder, budget) = (Encoder::new(&parameters), Budget::default());
        Self { encoder, parameters, secret, sparse: None, random, budget }
    }

    /// The secret key.
    pub fn secret(&self) -> &SecretKey {
        &self.secret
    }

    /// The sparse secret of bootstraps if a key for one was made. For tests.
    #[cfg(any(test, feature = "test"))]
    pub fn sparse_secret(&self) -> Option<&SecretKey> {
        self.sparse.as_ref()
    }

    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The encoder.
    pub fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    /// Encrypts a vector at the [level of fresh ciphertexts](Parameters::fresh_level).
    ///
    /// # Errors
    /// As [`Encoder::encode`].
    pub fn encrypt<'a>(
        &mut self,
        values: impl Into<Values<'a>>,
    ) -> Result<Ciphertext, EncodingError> {
        self.encrypt_at(values, self.parameters.fresh_level())
    }

    /// Encrypts a vector at a level.
    ///
    /// # Errors
    /// As [`Encoder::encode`].
    pub fn encrypt_at<'a>(
        &mut self,
        values: impl Into<Values<'a>>,
        level: usize,
    ) -> Result<Ciphertext, EncodingError> {
        self.encrypt_values(&values.into(), level)
    }

    /// Like [`Self::encrypt_at`], compiled once for all types of vectors.
    fn encrypt_values(
        &mut self,
        values: &Values<'_>,
        level: usize,
    ) -> Result<Ciphertext, EncodingError> {
        let plaintext = self.encoder.encode_secret(values, level, &mut self.random)?;
        let (ring, basis) = (self.parameters.ring(), &self.parameters.level(level).basis);
        let seed = self.random.seed();
        let c1 = uniform(ring, basis, &seed, FRESH_INDEX);
        let mut c0 = c1.clone();
        ring.mul(&mut c0, self.secret.values());
        ring.neg(&mut c0);
        ring.add(&mut c0, plaintext.polynomial());
        ring.add(&mut c0, &error(&self.parameters, basis, &mut self.random));
        // The error and c₁·s hide the message.
        c0.declassify();
        let error = fresh_error(plaintext.scale, plaintext.slots);
        let second = Origin::of_seed(&seed);
        let parts = [c0, c1];
        let fresh = Ciphertext::fresh(&plaintext, parts, level, self.secret.id(), second, error);
        Ok(fresh.with_seed(seed))
    }

    /// Decrypts a ciphertext, for the owner of the secret key only.
    ///
    /// Decrypted values together with the ciphertext reveal something about the secret key (Li,
    /// Micciancio, "On the security of homomorphic encryption on approximate numbers", EUROCRYPT
    /// 2021), so do not pass them on. Use [`decrypt_for_sharing`](Self::decrypt_for_sharing) for
    /// values that others see.
    ///
    /// # Errors
    /// [`EvaluationError`] for a ciphertext of other parameters or of another secret key, or if its
    /// values do not fit the modulus of its level.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Vec<Complex>, EvaluationError> {
        self.check_own(ciphertext)?;
        let mut values = self.encoder.decode(&self.message(ciphertext));
        if ciphertext.bound().is_real() {
            values.iter_mut().for_each(|value| value.im = 0.0);
        }
        Ok(values)
    }

    /// Checks that a ciphertext belongs to this client and can be decrypted.
    pub(crate) fn check_own(&self, a: &Ciphertext) -> Result<(), EvaluationError> {
        a.check_parameters(&self.parameters)?;
        a.check_owner(self.secret.id())?;
        a.metadata().check_decodable(&self.parameters)
    }

    /// Returns the decrypted polynomial, marked secret like the secret key.
    pub(crate) fn message(&self, ciphertext: &Ciphertext) -> Plaintext {
        let (scale, bound) = (ciphertext.scale(), ciphertext.bound());
        let (slots, length) = (ciphertext.slots(), ciphertext.length());
        let [first, second] = ciphertext.parts();
        let (mut polynomial, secret) = (first.clone(), self.secret.values());
        self.parameters.ring().mul_add(&mut polynomial, second, secret);
        Plaintext { polynomial, scale, slots, length, bound, origin: Origin::ZERO }
    }

    pub(crate) fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    pub(crate) fn budget(&mut self) -> &mut Budget {
        &mut self.budget
    }

    /// Makes a public key, with which anyone can encrypt.
    pub fn public_key(&mut self) -> PublicKey {
        PublicKey::generate(&self.secret, &mut self.random)
    }

    /// Makes the keys that a server needs for these operations.
    pub fn evaluation_keys(&mut self, operations: &Operations) -> EvaluationKeys {
        let mut keys = EvaluationKeys::new(&self.parameters);
        for (of, level) in operations.keys(&self.parameters) {
            keys.insert(of, self.evaluation_key(of, level));
        }
        keys
    }

    /// Makes the key for one operation on ciphertexts up to `level`. Keys of bootstraps and of low
    /// levels have fixed levels instead.
    ///
    /// # Panics
    /// Panics for an automorphism with an even exponent, a level above the highest, or the key of a
    /// bootstrap if the parameters have no levels for one.
    pub fn evaluation_key(&mut self, of: KeyUse, level: usize) -> SwitchingKey {
        let (secret, random) = (&self.secret, &mut self.random);
        match of {
            KeyUse::Multiply => SwitchingKey::relinearization(secret, level, random),
            KeyUse::Automorphism(exponent) => {
                SwitchingKey::automorphism(secret, exponent, level, random)
            }
            KeyUse::LowAutomorphism(exponent) => {
                SwitchingKey::low_automorphism(secret, exponent, random)
            }
            KeyUse::ToSparse | KeyUse::FromSparse => {
                let weight = self.parameters.bootstrap().map(|shape| shape.weight);
                assert!(weight.is_some(), "the parameters have no levels for a bootstrap");
                let sparse = || secret.sparse(weight.unwrap_or(0), random);
                let sparse = &*self.sparse.get_or_insert_with(sparse);
                SwitchingKey::of_bootstrap(of, secret, sparse, &mut self.random)
            }
        }
    }

    /// Makes the keys that a server needs for these operations on ciphertexts up to a level, and
    /// writes each key before it makes the next. Calls `progress` with the number of keys done and
    /// the total.
    ///
    /// # Errors
    /// [`FileError`] if writing fails.
    ///
    /// # Panics
    /// Panics for a level above the highest.
    pub fn save_evaluation_keys(
        &mut self,
        operations: &Operations,
        level: usize,
        output: impl Write,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<(), FileError> {
        let keys = operations.keys_to_level(&self.parameters, level);
        let mut writer = KeyWriter::new(output, &self.parameters, self.secret.id())?;
        for (done, (of, level)) in keys.iter().enumerate() {
            progress(done, keys.len());
            writer.write(*of, &self.evaluation_key(*of, *level), *level)?;
        }
        progress(keys.len(), keys.len());
        writer.finish().map(drop)
    }

    /// Creates a server with the keys for these operations.
    pub fn server(&mut self, operations: &Operations) -> Server {
        Server::new(self.evaluation_keys(operations))
    }
}
