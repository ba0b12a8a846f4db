// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The secret key.

use std::fmt;

use zeroize::Zeroizing;

use super::identity::KeyId;
use crate::params::{Parameters, SecretKind, SPARSE_WEIGHT};
use crate::ring::{Basis, Polynomial};
use crate::sampling::{gaussian, sparse, ternary, Random};

/// A polynomial with coefficients −1, 0 and 1. It is wiped on drop.
pub struct SecretKey {
    parameters: Parameters,
    id: KeyId,
    coefficients: Zeroizing<Vec<i8>>,
    /// The values modulo all primes, those of keys included. Marked secret.
    values: Polynomial,
}

impl SecretKey {
    /// Generates a new key.
    pub fn generate(parameters: &Parameters, random: &mut Random) -> Self {
        let id = KeyId::generate(random);
        let degree = parameters.degree();
        let coefficients = match parameters.secret_kind() {
            SecretKind::Ternary => ternary(random, degree),
            SecretKind::Sparse => sparse(random, degree, Self::sparse_weight(degree)),
        };
        Self::of_coefficients(parameters, id, coefficients)
    }

    /// Generates a sparse secret of this weight, for bootstraps of ciphertexts under this key.
    pub(crate) fn sparse(&self, weight: usize, random: &mut Random) -> Self {
        let coefficients = sparse(random, self.parameters.degree(), weight);
        Self::of_coefficients(&self.parameters, self.id, coefficients)
    }

    /// The weight of a sparse secret. Small rings, which are for tests, use a smaller one.
    pub(crate) fn sparse_weight(degree: usize) -> usize {
        SPARSE_WEIGHT.min(degree / 2)
    }

    pub(crate) fn of_coefficients(
        parameters: &Parameters,
        id: KeyId,
        coefficients: Zeroizing<Vec<i8>>,
    ) -> Self {
        let ring = parameters.ring();
        let mut values = ring.from_small(&ring.all(), &coefficients);
        ring.forward(&mut values);
        Self { parameters: parameters.clone(), id, coefficients, values }
    }

    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The identity of the key.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// The values modulo all primes.
    pub(crate) fn values(&self) -> &Polynomial {
        &self.values
    }

    /// The coefficients.
    pub(crate) fn coefficients(&self) -> &[i8] {
        &self.coefficients
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretKey")
            .field("id", &self.id)
            .field("parameters", &self.parameters)
            .finish_non_exhaustive()
    }
}

/// Samples an error polynomial, as values. It is marked secret.
pub(crate) fn error(parameters: &Parameters, basis: &Basis, random: &mut Random) -> Polynomial {
    let ring = parameters.ring();
    let coefficients = gaussian(random, ring.degree());
    let mut error = ring.from_small(basis, &coefficients);
    ring.forward(&mut error);
    error
}

/// Samples a ternary polynomial, as values. It is marked secret.
pub(crate) fn ternary_values(
    parameters: &Parameters,
    basis: &Basis,
    random: &mut Random,
) -> Polynomial {
    let ring = parameters.ring();
    let coefficients = ternary(random, ring.degree());
    let mut values = ring.from_small(basis, &coefficients);
    ring.forward(&mut values);
    values
}
