// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Numbers modulo n and points for this crate's tests, computed with big integers and libsecp256k1.

use halimede_arith::serial::limbs::Limbs;
use num_bigint::BigUint;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use secp256k1::{PublicKey, SecretKey};

use crate::constants::GROUP_ORDER;
use crate::digest::leftmost_bits;
use crate::quotient::limbs;

pub fn n() -> BigUint {
    BigUint::from_bytes_be(&GROUP_ORDER)
}

/// Returns a random number in [1, n).
pub fn any(random: &mut ChaCha8Rng) -> BigUint {
    BigUint::from_bytes_be(&random.gen::<[u8; 32]>()) % (n() - 1u8) + 1u8
}

/// λ, for which λ·(x, y) = (βx, y).
pub fn lambda() -> BigUint {
    let digits = b"5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72";
    BigUint::parse_bytes(digits, 16).unwrap()
}

pub fn inverse(number: &BigUint) -> BigUint {
    number.modpow(&(n() - 2u8), &n())
}

pub fn bytes(number: &BigUint) -> [u8; 32] {
    leftmost_bits(&number.to_bytes_be())
}

pub fn words(number: &BigUint) -> Limbs {
    limbs(&bytes(number))
}

/// Returns multiple·G, computed with libsecp256k1.
pub fn key(multiple: &BigUint) -> PublicKey {
    PublicKey::from_secret_key(&SecretKey::from_secret_bytes(bytes(multiple)).unwrap())
}

/// Returns x and y of multiple·G.
pub fn point(multiple: &BigUint) -> [Limbs; 2] {
    let bytes = key(multiple).serialize_uncompressed();
    [limbs(bytes[1..33].try_into().unwrap()), limbs(bytes[33..].try_into().unwrap())]
}
