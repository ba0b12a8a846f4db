// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The subject of a message: the key or the ciphertext to which it contributes.

use std::fmt;

use crate::keys::KeyUse;

/// Bytes of a subject in a message.
pub(super) const SUBJECT_BYTES: usize = 40;

const PUBLIC_KEY: u8 = 1;
const PRODUCTS: u8 = 2;
const REPLY: u8 = 3;
const AUTOMORPHISM: u8 = 4;
const LOW_AUTOMORPHISM: u8 = 5;
const SHARE: u8 = 6;
const DECRYPTION: u8 = 7;
const SWITCH: u8 = 8;
const REFRESH: u8 = 9;
const HAND_OVER: u8 = 10;

/// The hash of a ciphertext, of the quorum, and of the receiver of a key switch.
pub(super) type Digest = [u8; 32];

/// The key or the ciphertext to which a message contributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject {
    PublicKey,
    /// The first round of the key for products, up to a level.
    Products(u16),
    /// The second round.
    Reply(u16),
    /// The key for an automorphism, up to a level.
    Automorphism(u32, u16),
    /// The same with few primes.
    LowAutomorphism(u32),
    /// The share of the sender's secret for the party at a place.
    Share(u16),
    Decryption(Digest),
    Switch(Digest),
    Refresh(Digest),
    /// The share of the sender's summand for the party at a place of the next session.
    HandOver(u16),
}

impl Subject {
    /// The subject of the first messages for a key. `None` for keys of bootstraps.
    pub fn of_key(of: KeyUse, level: usize) -> Option<Self> {
        match of {
            KeyUse::Multiply => Some(Self::Products(level as u16)),
            KeyUse::Automorphism(exponent) => {
                Some(Self::Automorphism(exponent as u32, level as u16))
            }
            KeyUse::LowAutomorphism(exponent) => Some(Self::LowAutomorphism(exponent as u32)),
            KeyUse::ToSparse | KeyUse::FromSparse => None,
        }
    }

    /// Tag, exponent, level or place, and hash. Unused fields are 0.
    pub fn to_bytes(self) -> [u8; SUBJECT_BYTES] {
        let none = [0; 32];
        let (tag, exponent, number, digest) = match self {
            Self::PublicKey => (PUBLIC_KEY, 0, 0, none),
            Self::Products(level) => (PRODUCTS, 0, level, none),
            Self::Reply(level) => (REPLY, 0, level, none),
            Self::Automorphism(exponent, level) => (AUTOMORPHISM, exponent, level, none),
            Self::LowAutomorphism(exponent) => (LOW_AUTOMORPHISM, exponent, 0, none),
            Self::Share(place) => (SHARE, 0, place, none),
            Self::Decryption(digest) => (DECRYPTION, 0, 0, digest),
            Self::Switch(digest) => (SWITCH, 0, 0, digest),
            Self::Refresh(digest) => (REFRESH, 0, 0, digest),
            Self::HandOver(place) => (HAND_OVER, 0, place, none),
        };
        let mut bytes = [0; SUBJECT_BYTES];
        bytes[0] = tag;
        bytes[1..5].copy_from_slice(&u32::to_le_bytes(exponent));
        bytes[5..7].copy_from_slice(&u16::to_le_bytes(number));
        bytes[8..].copy_from_slice(&digest);
        bytes
    }

    /// Returns the subject with these bytes, or `None` for bytes that [`Self::to_bytes`] never
    /// returns.
    pub fn from_bytes(bytes: &[u8; SUBJECT_BYTES]) -> Option<Self> {
        let exponent = u32::from_le_bytes([bytes[1], bytes[2], bytes[3], bytes[4]]);
        let number = u16::from_le_bytes([bytes[5], bytes[6]]);
        let mut digest = [0; 32];
        digest.copy_from_slice(&bytes[8..]);
        let subject = match bytes[0] {
            PUBLIC_KEY => Self::PublicKey,
            PRODUCTS => Self::Products(number),
            REPLY => Self::Reply(number),
            AUTOMORPHISM => Self::Automorphism(exponent, number),
            LOW_AUTOMORPHISM => Self::LowAutomorphism(exponent),
            SHARE => Self::Share(number),
            DECRYPTION => Self::Decryption(digest),
            SWITCH => Self::Switch(digest),
            REFRESH => Self::Refresh(digest),
            HAND_OVER => Self::HandOver(number),
            _ => return None,
        };
        (subject.to_bytes() == *bytes).then_some(subject)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PublicKey => f.write_str("a share of the public key"),
            Self::Products(level) => {
                write!(f, "the first round of the key for products up to level {level}")
            }
            Self::Reply(level) => {
                write!(f, "the second round of the key for products up to level {level}")
            }
            Self::Automorphism(exponent, level) => {
                write!(f, "a share of the key for the automorphism X^{exponent} to level {level}")
            }
            Self::LowAutomorphism(exponent) => {
                write!(f, "a share of the key for the automorphism X^{exponent} at low levels")
            }
            Self::Share(place) => write!(f, "a share of a secret for party {place}"),
            Self::Decryption(_) => f.write_str("a share of a decryption"),
            Self::Switch(_) => f.write_str("a share of a key switch"),
            Self::Refresh(_) => f.write_str("a share of a refresh"),
            Self::HandOver(place) => {
                write!(f, "a share of the key for party {place} of the next session")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn subjects_are_read_as_they_are_written() {
        let digest = std::array::from_fn(|byte| byte as u8 * 7 + 1);
        let all = [
            Subject::PublicKey,
            Subject::Products(3),
            Subject::Reply(4),
            Subject::Automorphism(32_767, 5),
            Subject::LowAutomorphism(25),
            Subject::Share(255),
            Subject::Decryption(digest),
            Subject::Switch(digest),
            Subject::Refresh(digest),
            Subject::HandOver(254),
        ];
        for subject in all {
            assert_eq!(Subject::from_bytes(&subject.to_bytes()), Some(subject));
        }
    }

    proptest! {
        #[test]
        fn each_subject_has_one_form(
            tag in 0u8..14,
            mut bytes in prop::array::uniform32(any::<u8>()),
            rest in prop::array::uniform7(0u8..3),
        ) {
            if tag % 2 == 0 {
                bytes = [0; 32];
            }
            let mut whole = [0; SUBJECT_BYTES];
            (whole[0], whole[8]) = (tag, 0);
            whole[1..8].copy_from_slice(&rest);
            whole[8..].copy_from_slice(&bytes);
            if let Some(subject) = Subject::from_bytes(&whole) {
                prop_assert_eq!(subject.to_bytes(), whole);
            }
        }
    }
}
