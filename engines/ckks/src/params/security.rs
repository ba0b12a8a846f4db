// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How large a modulus may be for its ring.

/// The security that parameters are held to, in bits, against classical computers.
pub const SECURITY_BITS: u32 = 128;

/// The hamming weight of a sparse main secret.
pub const SPARSE_WEIGHT: usize = 192;

/// The distribution of a secret's coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SecretKind {
    /// Each of −1, 0 and 1 with probability 1/3.
    Ternary,
    /// [`SPARSE_WEIGHT`] coefficients of ±1, at random places.
    Sparse,
}

/// The most bits that the product of all moduli, those of keys included, may have for 128 bits of
/// security with errors of standard deviation 3.2. `None` for a ring that has no entry.
///
/// Ternary secrets: up to N = 2¹⁵ the table of the Homomorphic Encryption Standard (Albrecht et al.,
/// 2018); from there Bossuat et al., "Security guidelines for implementing homomorphic encryption"
/// (2024). Sparse secrets: Bossuat, Troncoso-Pastoriza, Hubaux, "Bootstrapping for approximate
/// homomorphic encryption with negligible failure-probability by using sparse-secret
/// encapsulation" (2022), for N = 2¹⁶ alone.
pub fn most_modulus_bits(log_degree: u32, secret: SecretKind) -> Option<u32> {
    match (secret, log_degree) {
        (SecretKind::Ternary, 10) => Some(27),
        (SecretKind::Ternary, 11) => Some(54),
        (SecretKind::Ternary, 12) => Some(109),
        (SecretKind::Ternary, 13) => Some(218),
        (SecretKind::Ternary, 14) => Some(438),
        (SecretKind::Ternary, 15) => Some(881),
        (SecretKind::Ternary, 16) => Some(1747),
        (SecretKind::Ternary, 17) => Some(3523),
        (SecretKind::Sparse, 16) => Some(1550),
        _ => None,
    }
}
