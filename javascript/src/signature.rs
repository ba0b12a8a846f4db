// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verifies BLS signatures (draft-irtf-cfrg-bls-signature-05) with the crate `bls12_381`.
//!
//! Verdicts are those of `halimede_bls12_381::signature`, which needs a C compiler and is not for
//! WebAssembly. Keys and signatures may be compressed or uncompressed, and must be in their groups;
//! a key must not be infinity.

use std::collections::HashSet;

use bls12_381::hash_to_curve::{ExpandMsgXmd, HashToCurve};
use bls12_381::{
    multi_miller_loop, G1Affine, G1Projective, G2Affine, G2Prepared, G2Projective, Gt,
};
use sha2::Sha256;

/// The expansion of messages of all suites.
type Xmd = ExpandMsgXmd<Sha256>;

/// The group of the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyGroup {
    /// Keys in G1, signatures in G2: 48 and 96 bytes. Ethereum's.
    MinPk,
    /// Keys in G2, signatures in G1: 96 and 48 bytes.
    MinSig,
}

/// The defense against a signer who cancels another's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// The messages of an aggregate are distinct.
    Basic,
    /// The signer's key is signed before the message.
    Augmented,
    /// Each key comes with a proof of possession, which the caller has verified. Ethereum's.
    ProofOfPossession,
}

/// Verifies a signature.
pub fn verify(
    group: KeyGroup,
    scheme: Scheme,
    key: &[u8],
    message: &[u8],
    signature: &[u8],
) -> bool {
    aggregate_verify(group, scheme, &[key], &[message], signature)
}

/// Verifies an aggregate signature with one message per key. The basic scheme rejects equal
/// messages. No keys are invalid.
pub fn aggregate_verify(
    group: KeyGroup,
    scheme: Scheme,
    keys: &[&[u8]],
    messages: &[&[u8]],
    signature: &[u8],
) -> bool {
    let mut seen = HashSet::new();
    let are_distinct = messages.iter().all(|message| seen.insert(*message));
    if keys.is_empty() || keys.len() != messages.len() {
        return false;
    }
    if scheme == Scheme::Basic && !are_distinct {
        return false;
    }
    let is_valid = match group {
        KeyGroup::MinPk => aggregate_verify_of::<MinPk>(scheme, keys, messages, signature),
        KeyGroup::MinSig => aggregate_verify_of::<MinSig>(scheme, keys, messages, signature),
    };
    is_valid.unwrap_or(false)
}

/// Verifies an aggregate signature of one message by several keys, under proof of possession. No
/// keys are invalid, and so are keys that add up to infinity.
pub fn fast_aggregate_verify(
    group: KeyGroup,
    keys: &[&[u8]],
    message: &[u8],
    signature: &[u8],
) -> bool {
    let is_valid = match group {
        KeyGroup::MinPk => fast_aggregate_verify_of::<MinPk>(keys, message, signature),
        KeyGroup::MinSig => fast_aggregate_verify_of::<MinSig>(keys, message, signature),
    };
    is_valid.unwrap_or(false)
}

/// A [`KeyGroup`] as a type.
trait Suites {
    /// The group of keys.
    type Key: Group;
    /// The group of signatures and of hashes.
    type Signature: Group;

    /// The domain separation tag of signatures.
    fn domain(scheme: Scheme) -> &'static [u8];

    /// Returns the pair of a key and a signature or hash, in the order of a pairing.
    fn pair(key: &Self::Key, signature: &Self::Signature) -> (G1Affine, G2Prepared);
}

/// A group of points in their encodings.
trait Group: Sized {
    /// Returns a point of the group; `None` for an invalid encoding. May be infinity.
    fn read(bytes: &[u8]) -> Option<Self>;
    /// The compressed encoding.
    fn compressed(&self) -> Vec<u8>;
    /// `true` for the point at infinity.
    fn is_infinity(&self) -> bool;
    /// The sum of points.
    fn sum(points: &[Self]) -> Self;
    /// The generator's negative.
    fn negated_generator() -> Self;
    /// The hash of a message to the group.
    fn hash(domain: &[u8], parts: [&[u8]; 2]) -> Self;
}

macro_rules! group {
    ($affine:ident, $projective:ident, $compressed:literal, $uncompressed:literal) => {
        impl Group for $affine {
            fn read(bytes: &[u8]) -> Option<Self> {
                if let Ok(bytes) = <&[u8; $compressed]>::try_from(bytes) {
                    return Self::from_compressed(bytes).into_option();
                }
                let bytes = <&[u8; $uncompressed]>::try_from(bytes).ok()?;
                // A compressed point has the highest bit set.
                (bytes[0] & 0x80 == 0).then(|| Self::from_uncompressed(bytes).into_option())?
            }

            fn compressed(&self) -> Vec<u8> {
                self.to_compressed().to_vec()
            }

            fn is_infinity(&self) -> bool {
                bool::from(self.is_identity())
            }

            fn sum(points: &[Self]) -> Self {
                let add = |sum: $projective, point: &Self| sum + point;
                points.iter().fold($projective::identity(), add).into()
            }

            fn negated_generator() -> Self {
                -Self::generator()
            }

            fn hash(domain: &[u8], parts: [&[u8]; 2]) -> Self {
                <$projective as HashToCurve<Xmd>>::hash_to_curve(parts, domain).into()
            }
        }
    };
}
group!(G1Affine, G1Projective, 48, 96);
group!(G2Affine, G2Projective, 96, 192);

/// [`KeyGroup::MinPk`].
struct MinPk;

impl Suites for MinPk {
    type Key = G1Affine;
    type Signature = G2Affine;

    fn domain(scheme: Scheme) -> &'static [u8] {
        match scheme {
            Scheme::Basic => b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_NUL_",
            Scheme::Augmented => b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_AUG_",
            Scheme::ProofOfPossession => b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_",
        }
    }

    fn pair(key: &G1Affine, signature: &G2Affine) -> (G1Affine, G2Prepared) {
        (*key, G2Prepared::from(*signature))
    }
}

/// [`KeyGroup::MinSig`].
struct MinSig;

impl Suites for MinSig {
    type Key = G2Affine;
    type Signature = G1Affine;

    fn domain(scheme: Scheme) -> &'static [u8] {
        match scheme {
            Scheme::Basic => b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_",
            Scheme::Augmented => b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_AUG_",
            Scheme::ProofOfPossession => b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_POP_",
        }
    }

    fn pair(key: &G2Affine, signature: &G1Affine) -> (G1Affine, G2Prepared) {
        (*signature, G2Prepared::from(*key))
    }
}

/// Returns the keys; `None` if one is invalid.
fn read_keys<S: Suites>(keys: &[&[u8]]) -> Option<Vec<S::Key>> {
    let read = |key: &&[u8]| S::Key::read(key).filter(|key| !key.is_infinity());
    keys.iter().map(read).collect()
}

/// Returns the verdict; `None` for an invalid encoding.
fn aggregate_verify_of<S: Suites>(
    scheme: Scheme,
    keys: &[&[u8]],
    messages: &[&[u8]],
    signature: &[u8],
) -> Option<bool> {
    let keys = read_keys::<S>(keys)?;
    let signature = S::Signature::read(signature)?;
    let pair = |(key, message): (&S::Key, &&[u8])| {
        let prefix = if scheme == Scheme::Augmented { key.compressed() } else { Vec::new() };
        S::pair(key, &S::Signature::hash(S::domain(scheme), [&prefix, message]))
    };
    let mut pairs: Vec<_> = keys.iter().zip(messages).map(pair).collect();
    pairs.push(S::pair(&S::Key::negated_generator(), &signature));
    Some(is_product_one(&pairs))
}

/// Returns the verdict; `None` for an invalid encoding, and for no keys.
fn fast_aggregate_verify_of<S: Suites>(
    keys: &[&[u8]],
    message: &[u8],
    signature: &[u8],
) -> Option<bool> {
    let key = S::Key::sum(&read_keys::<S>(keys)?);
    let signature = S::Signature::read(signature)?;
    // The sum of no keys is infinity too.
    if key.is_infinity() {
        return None;
    }
    let hash = S::Signature::hash(S::domain(Scheme::ProofOfPossession), [&[], message]);
    let generator = S::pair(&S::Key::negated_generator(), &signature);
    Some(is_product_one(&[S::pair(&key, &hash), generator]))
}

/// Returns `true` if the product of the pairings is one.
pub(crate) fn is_product_one(pairs: &[(G1Affine, G2Prepared)]) -> bool {
    let pairs: Vec<_> = pairs.iter().map(|(first, second)| (first, second)).collect();
    multi_miller_loop(&pairs).final_exponentiation() == Gt::identity()
}
