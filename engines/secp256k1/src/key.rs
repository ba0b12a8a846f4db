// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Public keys as bytes (SEC 1, section 2.3.4): compressed, uncompressed, and the hybrid form of
//! X9.62, whose prefix also encodes the parity of y.

use secp256k1::PublicKey;

use crate::constants::FIELD_ORDER;

/// Bytes of a compressed key: prefix and x.
pub const COMPRESSED_BYTES: usize = 33;
/// Bytes of an uncompressed or hybrid key: prefix, x and y.
pub const UNCOMPRESSED_BYTES: usize = 65;

/// Why bytes are not a public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum KeyError {
    /// The length belongs to no form.
    #[error("a key has {COMPRESSED_BYTES} bytes (compressed) or {UNCOMPRESSED_BYTES}, got {got}")]
    Length {
        /// The number of bytes found.
        got: usize,
    },
    /// The encoding of the point at infinity, which is not a key.
    #[error("the key is the point at infinity")]
    Infinity,
    /// The first byte does not match the length.
    #[error("a key of {bytes} bytes does not begin with {got:#04x}")]
    Prefix {
        /// The first byte.
        got: u8,
        /// The key's length.
        bytes: usize,
    },
    /// x is not below p.
    #[error("the key's x is not below p")]
    XRange,
    /// y is not below p.
    #[error("the key's y is not below p")]
    YRange,
    /// A hybrid key's prefix does not match the parity of its y.
    #[error("the key's y is {}, its prefix says {}", parity(!says_odd), parity(*says_odd))]
    Parity {
        /// `true` if the prefix says that y is odd.
        says_odd: bool,
    },
    /// The curve has no such point.
    #[error("the key is not a point of the curve")]
    NotOnCurve,
}

/// x and y of a key.
pub(crate) fn coordinates(key: &PublicKey) -> [[u8; 32]; 2] {
    let bytes = key.serialize_uncompressed();
    let (mut x, mut y) = ([0; 32], [0; 32]);
    x.copy_from_slice(&bytes[1..33]);
    y.copy_from_slice(&bytes[33..]);
    [x, y]
}

/// Returns the key with these coordinates, if they lie below p and are a point of the curve.
pub(crate) fn of_coordinates([x, y]: [&[u8; 32]; 2]) -> Option<PublicKey> {
    let mut bytes = [4; UNCOMPRESSED_BYTES];
    bytes[1..33].copy_from_slice(x);
    bytes[33..].copy_from_slice(y);
    PublicKey::from_byte_array_uncompressed(bytes).ok()
}

fn parity(is_odd: bool) -> &'static str {
    if is_odd {
        "odd"
    } else {
        "even"
    }
}

/// Parses a public key: 33 bytes starting with 02 or 03 (compressed), or 65 bytes starting with 04
/// (uncompressed) or with 06 or 07 (hybrid).
///
/// # Errors
/// [`KeyError`] says which rule the bytes break.
pub fn parse_key(bytes: &[u8]) -> Result<PublicKey, KeyError> {
    let parsed = match *bytes {
        [2 | 3, ..] if bytes.len() == COMPRESSED_BYTES => PublicKey::from_slice(bytes),
        [4 | 6 | 7, ..] if bytes.len() == UNCOMPRESSED_BYTES => PublicKey::from_slice(bytes),
        _ => return Err(wrong_form(bytes)),
    };
    parsed.map_err(|_| wrong_point(bytes))
}

fn wrong_form(bytes: &[u8]) -> KeyError {
    match *bytes {
        [0] => KeyError::Infinity,
        [got, ..] if matches!(bytes.len(), COMPRESSED_BYTES | UNCOMPRESSED_BYTES) => {
            KeyError::Prefix { got, bytes: bytes.len() }
        }
        _ => KeyError::Length { got: bytes.len() },
    }
}

/// Finds why libsecp256k1 rejected a key of a correct form.
fn wrong_point(bytes: &[u8]) -> KeyError {
    let (Some((prefix, x)), Some(y)) = (bytes.split_first(), bytes.get(33..)) else {
        return KeyError::Length { got: bytes.len() };
    };
    let is_too_high = |number: &[u8]| number >= &FIELD_ORDER[..];
    let says_odd = *prefix == 7;
    if is_too_high(&x[..32]) {
        KeyError::XRange
    } else if is_too_high(y) && !y.is_empty() {
        KeyError::YRange
    } else if *prefix >= 6 && y.last().is_some_and(|last| (last & 1 == 1) != says_odd) {
        KeyError::Parity { says_odd }
    } else {
        KeyError::NotOnCurve
    }
}
