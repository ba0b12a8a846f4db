// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Security: the largest modulus for a ring and a kind of secret.

use std::fmt;

/// The security level of parameters, against classical computers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SecurityLevel {
    /// 128 bits.
    #[default]
    Bits128,
    /// 192 bits.
    Bits192,
    /// 256 bits.
    Bits256,
}

/// The hamming weight of a sparse main secret.
pub const SPARSE_WEIGHT: usize = 192;

/// The minimal Hamming weight of the sparse secret of bootstraps, for 128 bits of security.
pub const LEAST_ENCAPSULATED_WEIGHT: usize = 32;
/// log₂ of the minimal N for the sparse secret.
pub const LEAST_ENCAPSULATED_LOG_DEGREE: u32 = 16;
/// The maximal size in bits of the product of the primes of the key to the sparse secret.
pub const MOST_ENCAPSULATED_MODULUS_BITS: u32 = 120;

/// The distribution of a secret's coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SecretKind {
    /// Each of −1, 0 and 1 with probability 1/3.
    Ternary,
    /// [`SPARSE_WEIGHT`] coefficients of ±1 at random positions.
    Sparse,
}

/// The reason why the sparse secret of bootstraps is not secure.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum EncapsulationError {
    /// The requested security is more than the sparse secret has.
    #[error(
        "parameters with bootstraps have at most {} of security, but {got} were requested: \
        request {}, or parameters without bootstraps",
        SecurityLevel::Bits128,
        SecurityLevel::Bits128
    )]
    Level { got: SecurityLevel },
    /// The secret has too few nonzero coefficients.
    #[error(
        "a bootstrap's sparse secret of weight {got} has less than {} of security: take a weight \
        of {least} or more, and a range that fits it",
        SecurityLevel::Bits128
    )]
    Weight { got: usize, least: usize },
    /// The ring is too small.
    #[error(
        "a bootstrap's sparse secret with N = 2^{got} has less than {} of security: take N = \
        2^{least} or larger, or no bootstraps",
        SecurityLevel::Bits128
    )]
    Ring {
        /// log₂ N.
        got: u32,
        least: u32,
    },
    /// The key to the secret has too many primes.
    #[error(
        "the key to a bootstrap's sparse secret has a modulus of {got:.1} bits, and may have at \
        most {most} for {} of security: take a smaller lowest level",
        SecurityLevel::Bits128
    )]
    Modulus {
        /// log₂ of the product of its primes.
        got: f64,
        most: u32,
    },
}

impl SecurityLevel {
    /// All security levels in ascending order.
    pub const ALL: [Self; 3] = [Self::Bits128, Self::Bits192, Self::Bits256];

    /// The number of bits of security.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Bits128 => 128,
            Self::Bits192 => 192,
            Self::Bits256 => 256,
        }
    }

    /// The security level with this number of bits: 128, 192 or 256.
    pub fn from_bits(bits: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.bits() == bits)
    }
}

impl fmt::Display for SecurityLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bits", self.bits())
    }
}

/// Returns the maximal size in bits of the product of all moduli, those of keys included, for a
/// security level with errors of standard deviation 3.2. `None` for a ring without an entry.
///
/// Ternary secrets: Bossuat et al., "Security guidelines for implementing homomorphic encryption"
/// (2024, IACR ePrint 2024/463), classical attacks. Sparse secrets: Bossuat, Troncoso-Pastoriza,
/// Hubaux, "Bootstrapping for approximate homomorphic encryption with negligible
/// failure-probability by using sparse-secret encapsulation" (ACNS 2022), only for N = 2¹⁶ and 128
/// bits.
pub fn most_modulus_bits(
    log_degree: u32,
    secret: SecretKind,
    security: SecurityLevel,
) -> Option<u32> {
    use SecurityLevel::{Bits128, Bits192, Bits256};
    // From N = 2¹⁰ or 2¹¹ on.
    let (first, table): (u32, &[u32]) = match (secret, security) {
        (SecretKind::Ternary, Bits128) => (10, &[26, 53, 106, 214, 430, 868, 1747, 3523]),
        (SecretKind::Ternary, Bits192) => (11, &[36, 73, 147, 297, 597, 1199, 2411]),
        (SecretKind::Ternary, Bits256) => (11, &[27, 56, 114, 230, 462, 929]),
        (SecretKind::Sparse, Bits128) => (16, &[1550]),
        (SecretKind::Sparse, Bits192 | Bits256) => (16, &[]),
    };
    table.get(log_degree.checked_sub(first)? as usize).copied()
}

/// Checks the security of the sparse secret of bootstraps, for a key to it with a modulus of
/// `modulus_bits` and no other ciphertexts under it.
///
/// The best attacks on such a secret combine lattice reduction and meet-in-the-middle search
/// (Cheon, Hhan, Hong, Son, "A hybrid of dual and meet-in-the-middle attack on sparse and ternary
/// secret LWE", IEEE Access 2019). Estimates of their cost with a modulus of 120 bits:
///
/// | N | 2¹⁶ | 2¹⁶ | 2¹⁶ | 2¹⁵ | 2¹⁴ |
/// |---|---|---|---|---|---|
/// | weight | 32 | 24 | 20 | 32 | 32 |
/// | cost | 2¹⁶⁶ | 2¹³⁷ | 2¹²¹ | 2¹⁴¹ | 2¹¹⁶ |
///
/// The margin above 2¹²⁸ allows for better attacks, as those on sparse secrets keep improving. It
/// is not enough for 192 bits.
pub(super) fn check_encapsulation(
    log_degree: u32,
    weight: usize,
    modulus_bits: f64,
    security: SecurityLevel,
) -> Result<(), EncapsulationError> {
    if security > SecurityLevel::Bits128 {
        return Err(EncapsulationError::Level { got: security });
    }
    let (got, least) = (weight, LEAST_ENCAPSULATED_WEIGHT);
    if got < least {
        return Err(EncapsulationError::Weight { got, least });
    }
    let (got, least) = (log_degree, LEAST_ENCAPSULATED_LOG_DEGREE);
    if got < least {
        return Err(EncapsulationError::Ring { got, least });
    }
    let (got, most) = (modulus_bits, MOST_ENCAPSULATED_MODULUS_BITS);
    match got <= f64::from(most) {
        true => Ok(()),
        false => Err(EncapsulationError::Modulus { got, most }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_those_of_the_guidelines() {
        let of = |security| {
            let of = |log_degree| most_modulus_bits(log_degree, SecretKind::Ternary, security);
            (9..=18).map(of).collect::<Vec<_>>()
        };
        let some = |numbers: &[u32]| numbers.iter().copied().map(Some).collect::<Vec<_>>();
        let [bits128, bits192, bits256] = SecurityLevel::ALL.map(of);
        let table = some(&[26, 53, 106, 214, 430, 868, 1747, 3523]);
        assert_eq!(bits128, [vec![None], table, vec![None]].concat());
        let table = some(&[36, 73, 147, 297, 597, 1199, 2411]);
        assert_eq!(bits192, [vec![None; 2], table, vec![None]].concat());
        let table = some(&[27, 56, 114, 230, 462, 929]);
        assert_eq!(bits256, [vec![None; 2], table, vec![None; 2]].concat());
        for log_degree in 0..20 {
            for security in SecurityLevel::ALL {
                let most = most_modulus_bits(log_degree, SecretKind::Sparse, security);
                let is_tabled = (log_degree, security) == (16, SecurityLevel::Bits128);
                assert_eq!(most, is_tabled.then_some(1550));
            }
        }
        assert_eq!(SecurityLevel::ALL.map(SecurityLevel::bits), [128, 192, 256]);
        let known = [0, 127, 128, 192, 255, 256].map(SecurityLevel::from_bits);
        assert_eq!(known.map(|level| level.is_some()), [false, false, true, true, false, true]);
    }

    #[test]
    fn a_sparse_secret_is_of_a_weight_a_ring_and_a_modulus() {
        let check = |log_degree, weight, bits| {
            check_encapsulation(log_degree, weight, bits, SecurityLevel::Bits128)
        };
        for (log_degree, weight, bits) in [(16, 32, 120.0), (17, 255, 119.9), (16, 33, 60.0)] {
            assert_eq!(check(log_degree, weight, bits), Ok(()));
            for level in [SecurityLevel::Bits192, SecurityLevel::Bits256] {
                let error = check_encapsulation(log_degree, weight, bits, level).unwrap_err();
                assert!(error.to_string().contains("at most 128 bits"), "{error}");
            }
        }
        for weight in [0, 1, 8, 31] {
            let error = check(16, weight, 120.0).unwrap_err();
            assert_eq!(error, EncapsulationError::Weight { got: weight, least: 32 });
        }
        let error = check(15, 32, 120.0).unwrap_err();
        assert_eq!(error, EncapsulationError::Ring { got: 15, least: 16 });
        for bits in [120.1, 150.0, f64::INFINITY, f64::NAN] {
            let error = check(16, 32, bits).unwrap_err();
            assert!(matches!(error, EncapsulationError::Modulus { most: 120, .. }), "{error}");
        }
    }
}
