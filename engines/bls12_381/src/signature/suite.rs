// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ciphersuites of the draft, section 4.2, and the groups of keys and signatures.

use blst::{blst_p1_affine, blst_p2_affine};

use crate::library::{Curve, G1, G2};
use crate::pairing::Pair;

/// The group of the keys. The default is that of Ethereum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Group {
    /// Keys in G1, signatures in G2: 48 and 96 bytes.
    #[default]
    MinPk,
    /// Keys in G2, signatures in G1: 96 and 48 bytes.
    MinSig,
}

/// The defense against a signer who cancels another's key. The default is that of Ethereum; a
/// signature of one scheme is not valid under another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// The messages of an aggregate are distinct.
    Basic,
    /// The signer's key is signed before the message.
    Augmented,
    /// Each key comes with a proof that its signer has the secret key.
    #[default]
    ProofOfPossession,
}

impl Scheme {
    /// The name in all interfaces: `basic`, `aug` or `pop`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Augmented => "aug",
            Self::ProofOfPossession => "pop",
        }
    }
}

/// A scheme over a group. The default is Ethereum's: keys in G1, proof of possession.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Suite {
    /// The group of the keys.
    pub group: Group,
    /// The scheme.
    pub scheme: Scheme,
}

impl Suite {
    /// All suites.
    pub const ALL: [Self; 6] = {
        use Group::{MinPk, MinSig};
        use Scheme::{Augmented, Basic, ProofOfPossession};
        [
            Self { group: MinPk, scheme: Basic },
            Self { group: MinPk, scheme: Augmented },
            Self { group: MinPk, scheme: ProofOfPossession },
            Self { group: MinSig, scheme: Basic },
            Self { group: MinSig, scheme: Augmented },
            Self { group: MinSig, scheme: ProofOfPossession },
        ]
    };

    /// The domain separation tag of signatures.
    pub fn domain(self) -> &'static [u8] {
        match (self.group, self.scheme) {
            (Group::MinPk, Scheme::Basic) => b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_NUL_",
            (Group::MinPk, Scheme::Augmented) => b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_AUG_",
            (Group::MinPk, Scheme::ProofOfPossession) => {
                b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_"
            }
            (Group::MinSig, Scheme::Basic) => b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_",
            (Group::MinSig, Scheme::Augmented) => b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_AUG_",
            (Group::MinSig, Scheme::ProofOfPossession) => {
                b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_POP_"
            }
        }
    }
}

impl Group {
    /// The name in all interfaces: `min-pk` or `min-sig`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MinPk => "min-pk",
            Self::MinSig => "min-sig",
        }
    }

    /// The domain separation tag of proofs of possession.
    pub fn possession_domain(self) -> &'static [u8] {
        match self {
            Self::MinPk => b"BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_",
            Self::MinSig => b"BLS_POP_BLS12381G1_XMD:SHA-256_SSWU_RO_POP_",
        }
    }
}

/// A [`Group`] as a type.
pub(super) trait Variant: Send + Sync + 'static {
    /// The group of keys.
    type Key: Curve;
    /// The group of signatures and of hashes.
    type Signature: Curve;
    /// `true` if multiples of keys are cheaper than multiples of hashes.
    const CHEAP_KEYS: bool;

    /// Returns the pair of a key and a signature or hash.
    fn pair(
        key: &<Self::Key as Curve>::Affine,
        signature: &<Self::Signature as Curve>::Affine,
    ) -> Pair;
}

/// [`Group::MinPk`].
pub(super) struct MinPk;

impl Variant for MinPk {
    type Key = G1;
    type Signature = G2;
    const CHEAP_KEYS: bool = true;

    fn pair(key: &blst_p1_affine, signature: &blst_p2_affine) -> Pair {
        (*key, *signature)
    }
}

/// [`Group::MinSig`].
pub(super) struct MinSig;

impl Variant for MinSig {
    type Key = G2;
    type Signature = G1;
    const CHEAP_KEYS: bool = false;

    fn pair(key: &blst_p2_affine, signature: &blst_p1_affine) -> Pair {
        (*signature, *key)
    }
}
