// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The groups of keys and signatures. A piece may have rows of both; each group has its launches
//! and its memory.

use halimede_bls12_381::signature::{Group, Scheme, Suite};
use halimede_bls12_381::{Curve, G1, G2};

use super::reply::not_valid;
use crate::error::CudaError;

/// The schemes in the order of their domains.
const SCHEMES: [Scheme; 3] = [Scheme::Basic, Scheme::Augmented, Scheme::ProofOfPossession];

/// A [`Group`] as a type.
pub(super) trait Variant {
    const GROUP: Group;
    /// The first number of the memory of the group's rows.
    const MEMORY: usize;
    /// The name of the group's first table; others follow.
    const TABLES: u64;
    /// The group of keys.
    type Key: Curve;
    /// The group of signatures and hashes.
    type Signature: Curve;

    /// `true` if multiples of keys are cheaper than multiples of hashes.
    const CHEAP_KEYS: bool;

    /// Returns what belongs to G1 and what belongs to G2.
    fn ordered<T>(key: T, signature: T) -> [T; 2];

    /// Returns the domains of signatures, in the order of [`domain_of`].
    fn domains() -> [&'static [u8]; 3] {
        SCHEMES.map(|scheme| Suite { group: Self::GROUP, scheme }.domain())
    }
}

/// [`Group::MinPk`].
pub(super) struct MinPk;

impl Variant for MinPk {
    const GROUP: Group = Group::MinPk;
    const MEMORY: usize = 0;
    const TABLES: u64 = 0;
    type Key = G1;
    type Signature = G2;
    const CHEAP_KEYS: bool = true;

    fn ordered<T>(key: T, signature: T) -> [T; 2] {
        [key, signature]
    }
}

/// [`Group::MinSig`].
pub(super) struct MinSig;

impl Variant for MinSig {
    const GROUP: Group = Group::MinSig;
    const MEMORY: usize = 64;
    const TABLES: u64 = 8;
    type Key = G2;
    type Signature = G1;
    const CHEAP_KEYS: bool = false;

    fn ordered<T>(key: T, signature: T) -> [T; 2] {
        [signature, key]
    }
}

/// Returns the index of a scheme's domain.
pub(super) fn domain_of(scheme: Scheme) -> usize {
    SCHEMES.iter().position(|known| *known == scheme).unwrap_or_default()
}

/// Returns the replies to the rows of both groups in the order of the rows.
pub(super) fn merged<Row, Reply>(
    batch: &[Row],
    group_of: impl Fn(&Row) -> Group,
    (min_pk, min_sig): (Vec<Reply>, Vec<Reply>),
) -> Result<Vec<Reply>, CudaError> {
    let (mut min_pk, mut min_sig) = (min_pk.into_iter(), min_sig.into_iter());
    let next = |row| match group_of(row) {
        Group::MinPk => min_pk.next(),
        Group::MinSig => min_sig.next(),
    };
    let replies: Option<Vec<Reply>> = batch.iter().map(next).collect();
    replies.ok_or_else(|| not_valid("fewer replies than requests".to_owned()))
}
