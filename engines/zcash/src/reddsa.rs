// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parts of RedDSA signatures (Zcash protocol specification, section 5.4.7) that RedJubjub and
//! RedPallas share, and the random multipliers of batches (section B.1).

use blake2b_simd::many::{hash_many, HashManyJob};
use blake2b_simd::Params;
use halimede_arith::field::Modulus;
use halimede_arith::Field;

use crate::numbers::reduced;

/// The role of a key, which determines the generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Spend authorization (section 5.4.7.1).
    SpendAuthorization,
    /// Binding (section 5.4.7.2): the generator of the randomness of value commitments.
    Binding,
}

/// The number of roles.
pub const ROLES: usize = 2;

/// A signature with its key and message, not yet verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signed {
    /// The role of the key.
    pub role: Role,
    /// The encoding of the key.
    pub key: [u8; 32],
    /// R and s.
    pub signature: [u8; 64],
    /// The message: the digest of a transaction.
    pub message: [u8; 32],
}

impl Signed {
    /// Returns the encoding of R.
    pub fn nonce(&self) -> [u8; 32] {
        self.half(0)
    }

    /// Returns s; `None` if it is not below the order.
    pub fn response<M: Modulus>(&self) -> Option<Field<M>> {
        Field::from_le_bytes(&self.half(1)).ok()
    }

    fn half(&self, number: usize) -> [u8; 32] {
        let mut half = [0; 32];
        half.copy_from_slice(&self.signature[32 * number..][..32]);
        half
    }
}

/// A random multiplier: ±magnitude, from 1 to 2¹²⁷ − 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiplier {
    pub magnitude: u128,
    pub is_negative: bool,
}

/// The multiplier 1.
pub const ONE: Multiplier = Multiplier { magnitude: 1, is_negative: false };

/// Returns random multipliers from the operating system, which the author of the batch cannot
/// predict. `None` if the system has no random numbers.
pub fn multipliers(count: usize) -> Option<Vec<Multiplier>> {
    let mut multipliers = Vec::with_capacity(count);
    while multipliers.len() < count {
        let mut numbers = vec![[0; 16]; count - multipliers.len()];
        getrandom::fill(numbers.as_flattened_mut()).ok()?;
        let numbers = numbers.iter().map(|bytes| u128::from_le_bytes(*bytes));
        let numbers = numbers
            .map(|number| Multiplier { magnitude: number >> 1, is_negative: number % 2 == 1 });
        multipliers.extend(numbers.filter(|multiplier| multiplier.magnitude != 0));
    }
    Some(multipliers)
}

/// Returns the challenges: BLAKE2b-512 of R, the key and the message, modulo the order (section
/// 5.4.7). The encodings are canonical, or the signature is refused anyway.
pub fn challenges<M: Modulus>(personalization: &[u8; 16], signed: &[Signed]) -> Vec<Field<M>> {
    let mut parameters = Params::new();
    parameters.hash_length(64).personal(personalization);
    let input = |signed: &Signed| {
        let mut input = [0; 96];
        input[..32].copy_from_slice(&signed.signature[..32]);
        input[32..64].copy_from_slice(&signed.key);
        input[64..].copy_from_slice(&signed.message);
        input
    };
    let inputs: Vec<[u8; 96]> = signed.iter().map(input).collect();
    let mut jobs: Vec<_> =
        inputs.iter().map(|input| HashManyJob::new(&parameters, input)).collect();
    hash_many(&mut jobs);
    jobs.iter().map(|job| reduced(job.to_hash().as_array())).collect()
}
