// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shared parts of the tests of this crate: numbers, the reference, constructed signatures.

#![allow(dead_code, clippy::unwrap_used)] // no test uses all of it
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests report measurements and skipped parts"
)]

pub mod cases;
pub mod reference;

pub use halimede_secp256k1::constants::{FIELD_ORDER, GROUP_ORDER};
use halimede_secp256k1::operations::VerifyRequest;
use num_bigint::BigUint;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use reference::Point;

/// secp256k1 (SEC 2, section 2.4.1).
pub struct Curve {
    /// The field's order.
    pub p: BigUint,
    /// The group's order.
    pub n: BigUint,
    /// The base point.
    pub g: Point,
}

impl Curve {
    pub fn new() -> Self {
        let x = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
        let y = "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8";
        Self { p: number(&FIELD_ORDER), n: number(&GROUP_ORDER), g: Some((hex(x), hex(y))) }
    }

    /// Returns a point with this x, if there is one: p is 3 modulo 4.
    pub fn lift(&self, x: &BigUint) -> Point {
        let y = (x * x * x + 7u8).modpow(&((&self.p + 1u8) >> 2), &self.p);
        self.has(x, &y).then(|| (x.clone(), y))
    }

    pub fn negate(&self, point: &Point) -> Point {
        point.as_ref().map(|(x, y)| (x.clone(), &self.p - y))
    }

    /// Returns the key under which (r, s) is a signature of `e` that leads to the point `big_r`:
    /// (s·R − e·G) / r.
    pub fn key_for(&self, r: &BigUint, s: &BigUint, e: &BigUint, big_r: &Point) -> Point {
        let minus_e = (&self.n - e % &self.n) % &self.n;
        let sum = self.add(&self.multiply(s, big_r), &self.multiply(&minus_e, &self.g));
        self.multiply(&r.modinv(&self.n).unwrap(), &sum)
    }

    /// Returns a signature under a key of unknown logarithm: u₁ and u₂ are chosen, and the digest
    /// follows.
    pub fn forge(&self, u1: &BigUint, u2: &BigUint, key: &Point) -> VerifyRequest {
        let sum = self.add(&self.multiply(u1, &self.g), &self.multiply(u2, key));
        let r = sum.unwrap().0 % &self.n;
        let s = &r * u2.modinv(&self.n).unwrap() % &self.n;
        let e = u1 * &s % &self.n;
        request(&r, &s, &e, key)
    }
}

pub fn number(bytes: &[u8]) -> BigUint {
    BigUint::from_bytes_be(bytes)
}

pub fn hex(digits: &str) -> BigUint {
    BigUint::parse_bytes(digits.as_bytes(), 16).unwrap()
}

/// Returns the big-endian bytes of a number of at most 256 bits.
pub fn bytes(number: &BigUint) -> [u8; 32] {
    let digits = number.to_bytes_be();
    let mut bytes = [0; 32];
    bytes[32 - digits.len()..].copy_from_slice(&digits);
    bytes
}

pub fn request(r: &BigUint, s: &BigUint, e: &BigUint, key: &Point) -> VerifyRequest {
    let (x, y) = key.as_ref().unwrap();
    VerifyRequest { r: bytes(r), s: bytes(s), digest: bytes(e), x: bytes(x), y: bytes(y) }
}

pub fn random(seed: u64) -> ChaCha8Rng {
    println!("seed {seed}");
    ChaCha8Rng::seed_from_u64(seed)
}

/// Returns a number from 1 to n − 1; it is out of range less than once in 2¹²⁷ tries.
pub fn random_scalar(random: &mut ChaCha8Rng) -> BigUint {
    number(&random.gen::<[u8; 32]>()) % number(&GROUP_ORDER)
}

/// Returns a uniform 256-bit number as bytes.
pub fn random_bytes(random: &mut ChaCha8Rng) -> [u8; 32] {
    random.gen()
}
