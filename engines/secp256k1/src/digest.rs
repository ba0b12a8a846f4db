// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Digests of messages, and the integer that a digest encodes (SEC 1, section 4.1.4, step 3; FIPS
//! 186-5, section 6.4.2).

use std::borrow::Cow;

use sha2::{Digest, Sha256, Sha512};
use sha3::{Keccak256, Sha3_256};

/// The length of a given digest. Without this check, a message passed as a digest would be
/// truncated, and its signature rejected.
pub const DIGEST_BYTES: usize = 32;

/// The hash function that computes the digest of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    /// No function: the input is the digest, 32 bytes.
    None,
    /// No function: the input is a digest of any length, of which the leftmost 256 bits count.
    AnyLength,
    /// SHA-256.
    Sha256,
    /// SHA-512, of which the leftmost 256 bits count.
    Sha512,
    /// SHA3-256.
    Sha3_256,
    /// Keccak-256, as used by Ethereum.
    Keccak256,
}

/// A given digest has a wrong length or is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("got {got} bytes, wanted a digest of {DIGEST_BYTES}; for a message, set its hash function")]
pub struct DigestLength {
    /// The number of bytes given.
    pub got: usize,
}

impl Hash {
    /// The names of all functions.
    pub const NAMES: [&'static str; 6] =
        ["none", "any-length", "sha256", "sha512", "sha3-256", "keccak256"];

    /// Returns the function with this name.
    pub fn named(name: &str) -> Option<Self> {
        let all = [
            Self::None,
            Self::AnyLength,
            Self::Sha256,
            Self::Sha512,
            Self::Sha3_256,
            Self::Keccak256,
        ];
        Self::NAMES.into_iter().zip(all).find(|(known, _)| *known == name).map(|(_, hash)| hash)
    }

    /// Returns the digest of the signed input.
    ///
    /// # Errors
    /// [`DigestLength`] if a given digest does not have [`DIGEST_BYTES`], or is empty.
    pub fn digest(self, signed: &[u8]) -> Result<Cow<'_, [u8]>, DigestLength> {
        Ok(match self {
            Self::None if signed.len() == DIGEST_BYTES => Cow::Borrowed(signed),
            Self::AnyLength if !signed.is_empty() => Cow::Borrowed(signed),
            Self::None | Self::AnyLength => return Err(DigestLength { got: signed.len() }),
            Self::Sha256 => Sha256::digest(signed).to_vec().into(),
            Self::Sha512 => Sha512::digest(signed).to_vec().into(),
            Self::Sha3_256 => Sha3_256::digest(signed).to_vec().into(),
            Self::Keccak256 => Keccak256::digest(signed).to_vec().into(),
        })
    }
}

/// The digest's leftmost 256 bits as a big-endian number; a shorter digest is used whole. The
/// number may be n or more.
pub fn leftmost_bits(digest: &[u8]) -> [u8; 32] {
    let mut number = [0; 32];
    match digest.first_chunk::<32>() {
        Some(leftmost) => number = *leftmost,
        None => number[32 - digest.len()..].copy_from_slice(digest),
    }
    number
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn digests_are_those_of_the_named_function() {
        let signed = *b"a message of more than 32 bytes, to be hashed";
        for (name, first) in [
            ("sha256", Sha256::digest(signed)[0]),
            ("sha512", Sha512::digest(signed)[0]),
            ("sha3-256", Sha3_256::digest(signed)[0]),
            ("keccak256", Keccak256::digest(signed)[0]),
        ] {
            assert_eq!(Hash::named(name).unwrap().digest(&signed).unwrap()[0], first, "{name}");
        }
        let none = Hash::named("none").unwrap();
        assert_eq!(none.digest(&signed), Err(DigestLength { got: signed.len() }));
        assert_eq!(none.digest(&signed[..32]).unwrap(), &signed[..32]);
        assert_eq!(Hash::named("md5"), None);
        let any = Hash::named("any-length").unwrap();
        assert_eq!(any.digest(&signed).unwrap(), &signed[..]);
        assert_eq!(any.digest(b""), Err(DigestLength { got: 0 }));
    }

    #[test]
    fn any_length_is_the_number_that_the_standards_say() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for length in 0..=70 {
            let digest: Vec<u8> = (0..length).map(|_| random.gen()).collect();
            let mut expected = BigUint::from_bytes_be(&digest);
            if length > 32 {
                expected >>= 8 * (length - 32);
            }
            assert_eq!(BigUint::from_bytes_be(&leftmost_bits(&digest)), expected, "{length} bytes");
        }
    }
}
