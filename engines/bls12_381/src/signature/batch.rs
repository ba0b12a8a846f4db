// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verifies batches of signatures: e(key, H(message))·e(−g, signature) = 1 for each, where g is the
//! generator of the keys' group.

use std::collections::HashMap;
use std::hash::Hash;

use rayon::prelude::*;

use super::suite::{Group, MinPk, MinSig, Scheme, Suite, Variant};
use super::{Rejection, Signed};
use crate::equations::{which_hold, Equations};
use crate::hash::hashes;
use crate::lanes::worth;
use crate::library::Curve;
use crate::multiples::{multiples, sum_of_multiples};
use crate::multipliers::{Multiplier, MULTIPLIER_BITS};
use crate::pairing::Pair;
use crate::{Point, PointError};

/// The parameters of a [`Suite`], or of proofs of possession.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ciphersuite {
    pub(super) group: Group,
    domain: &'static [u8],
    /// `true` if the compressed key is signed before the message.
    augmented: bool,
}

impl Ciphersuite {
    pub(super) fn of(suite: Suite) -> Self {
        let augmented = suite.scheme == Scheme::Augmented;
        Self { group: suite.group, domain: suite.domain(), augmented }
    }

    /// The ciphersuite of proofs of possession, in which only the compressed key is signed.
    pub(super) fn of_possession(group: Group) -> Self {
        Self { group, domain: group.possession_domain(), augmented: true }
    }
}

/// Returns a verdict for each row.
pub(super) fn verdicts(suite: Ciphersuite, rows: &[Signed<'_>]) -> Vec<Result<(), Rejection>> {
    match suite.group {
        Group::MinPk => verdicts_of::<MinPk>(suite, rows),
        Group::MinSig => verdicts_of::<MinSig>(suite, rows),
    }
}

fn verdicts_of<V: Variant>(suite: Ciphersuite, rows: &[Signed<'_>]) -> Vec<Result<(), Rejection>> {
    let (distinct, number_of) = number(rows.iter().map(|row| row.key));
    let keys = read_keys::<V>(&distinct);
    let keys = number_of.iter().map(|&number| keys[number]);
    let signatures: Vec<&[u8]> = rows.iter().map(|row| row.signature).collect();
    let signatures = Point::<V::Signature>::all_from_bytes(&signatures);
    let read = keys.zip(signatures).map(|(key, signature)| {
        Ok((key.map_err(Rejection::Key)?, signature.map_err(Rejection::Signature)?))
    });
    let messages: Vec<&[u8]> = rows.iter().map(|row| row.message).collect();
    check::<V>(suite, read.collect(), &messages)
}

/// Returns the pairs whose product of pairings is 1 if a signature is valid.
pub(super) fn pairs(suite: Ciphersuite, row: Signed<'_>) -> Result<[Pair; 2], Rejection> {
    match suite.group {
        Group::MinPk => pairs_of::<MinPk>(suite, row),
        Group::MinSig => pairs_of::<MinSig>(suite, row),
    }
}

fn pairs_of<V: Variant>(suite: Ciphersuite, row: Signed<'_>) -> Result<[Pair; 2], Rejection> {
    let key = Point::<V::Key>::from_bytes(row.key);
    let key = key.and_then(finite_key).map_err(Rejection::Key)?;
    let signature = Point::<V::Signature>::from_bytes(row.signature);
    let signature = signature.map_err(Rejection::Signature)?;
    let prefix = if suite.augmented { key.to_compressed() } else { Vec::new() };
    let hash = hashes::<V::Signature>(suite.domain, &[(&prefix, row.message)])[0];
    let generator = Point::<V::Key>::generator().negated();
    Ok([V::pair(key.affine(), &hash), V::pair(generator.affine(), signature.affine())])
}

/// A row's key and signature.
pub(super) type Read<V> =
    Result<(Point<<V as Variant>::Key>, Point<<V as Variant>::Signature>), Rejection>;

/// Returns verdicts of rows with parsed keys and signatures.
pub(super) fn check<V: Variant>(
    suite: Ciphersuite,
    read: Vec<Read<V>>,
    messages: &[&[u8]],
) -> Vec<Result<(), Rejection>> {
    let mut verdicts: Vec<Result<(), Rejection>> = Vec::with_capacity(read.len());
    let (mut rows, mut items) = (Vec::new(), Vec::new());
    for (row, read) in read.into_iter().enumerate() {
        verdicts.push(read.map(|(key, signature)| {
            let prefix = if suite.augmented { key.to_compressed() } else { Vec::new() };
            rows.push(row);
            items.push((key, signature, (prefix, messages[row])));
        }));
    }
    let (contents, message_of) = number(items.iter().map(|(_, _, signed)| signed));
    let contents: Vec<(&[u8], &[u8])> =
        contents.iter().map(|(prefix, message)| (&prefix[..], *message)).collect();
    let equations = Signatures::<V> {
        hashes: hashes::<V::Signature>(suite.domain, &contents),
        key_of: number(items.iter().map(|(key, _, _)| key.to_compressed())).1,
        message_of,
        keys: items.iter().map(|(key, _, _)| *key.affine()).collect(),
        signatures: items.iter().map(|(_, signature, _)| *signature.affine()).collect(),
    };
    for (row, holds) in rows.into_iter().zip(which_hold(&equations)) {
        verdicts[row] = if holds { Ok(()) } else { Err(Rejection::Mismatch) };
    }
    verdicts
}

/// Decodes keys: points of the group except infinity.
pub(super) fn read_keys<V: Variant>(keys: &[&[u8]]) -> Vec<Result<Point<V::Key>, PointError>> {
    let keys = Point::<V::Key>::all_from_bytes(keys).into_iter();
    keys.map(|key| key.and_then(finite_key)).collect()
}

fn finite_key<C: Curve>(key: Point<C>) -> Result<Point<C>, PointError> {
    match key.is_infinity() {
        true => Err(PointError::Infinity),
        false => Ok(key),
    }
}

/// Returns the distinct items, and for each item its index among them.
fn number<T: Hash + Eq + Clone>(all: impl Iterator<Item = T>) -> (Vec<T>, Vec<usize>) {
    let (mut numbers, mut distinct) = (HashMap::new(), Vec::new());
    let number_of = all.map(|one| {
        *numbers.entry(one).or_insert_with_key(|one| {
            distinct.push(one.clone());
            distinct.len() - 1
        })
    });
    let number_of = number_of.collect();
    (distinct, number_of)
}

/// Signatures whose keys and signatures are points of their groups.
struct Signatures<V: Variant> {
    keys: Vec<<V::Key as Curve>::Affine>,
    signatures: Vec<<V::Signature as Curve>::Affine>,
    /// The hashes of the distinct messages.
    hashes: Vec<<V::Signature as Curve>::Affine>,
    /// A number for each key; equal keys have equal numbers.
    key_of: Vec<usize>,
    /// For each row, the index of its message's hash.
    message_of: Vec<usize>,
}

impl<V: Variant> Signatures<V> {
    /// Returns `true` if rows with an equal message are merged, and `false` if rows with an equal
    /// key are. In merged rows the multiplier applies to the other point, whose multiples are added
    /// up.
    fn merges_messages(&self) -> bool {
        let distinct_keys = self.key_of.iter().max().map_or(0, |last| last + 1);
        match self.hashes.len().cmp(&distinct_keys) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Equal => V::CHEAP_KEYS,
            std::cmp::Ordering::Greater => false,
        }
    }

    /// Returns the pairs of groups of rows with an equal message or an equal key: one pair per
    /// group, with the sum of the multiples of the other points.
    fn merged<C: Curve>(
        groups: &[Vec<usize>],
        point_of: impl Fn(usize) -> C::Affine + Sync,
        pair: impl Fn(usize, &C::Affine) -> Pair + Sync,
        multipliers: &[Multiplier],
    ) -> Vec<Pair> {
        let least = worth().large_group;
        let (small, large): (Vec<_>, Vec<_>) = groups.iter().partition(|rows| rows.len() < least);
        let rows: Vec<usize> = small.iter().copied().flatten().copied().collect();
        let points: Vec<C::Affine> = rows.iter().map(|&row| point_of(row)).collect();
        let of_rows: Vec<Multiplier> = rows.iter().map(|&row| multipliers[row]).collect();
        let sums = sums_of_groups::<C>(&small, &multiples::<C>(&points, &of_rows));
        let mut pairs: Vec<Pair> =
            small.iter().zip(&sums).map(|(rows, sum)| pair(rows[0], sum)).collect();
        pairs.par_extend(large.par_iter().map(|rows| {
            let points: Vec<C::Affine> = rows.iter().map(|&row| point_of(row)).collect();
            let scalars = join(rows, multipliers);
            pair(rows[0], sum_of_multiples::<C>(&points, &scalars, MULTIPLIER_BITS).affine())
        }));
        pairs
    }

    /// Returns the pair of all signatures.
    fn with_generator(
        signatures: &[<V::Signature as Curve>::Affine],
        multipliers: &[Multiplier],
    ) -> Pair {
        let scalars = multipliers.as_flattened();
        let sum = sum_of_multiples::<V::Signature>(signatures, scalars, MULTIPLIER_BITS);
        V::pair(Point::<V::Key>::generator().negated().affine(), sum.affine())
    }
}

impl<V: Variant> Equations for Signatures<V> {
    fn len(&self) -> usize {
        self.keys.len()
    }

    fn pairs(&self, multipliers: &[Multiplier]) -> Vec<Pair> {
        let merges_messages = self.merges_messages();
        let group_of = if merges_messages { &self.message_of } else { &self.key_of };
        let mut groups = vec![Vec::new(); group_of.iter().max().map_or(0, |last| last + 1)];
        for (row, &group) in group_of.iter().enumerate() {
            groups[group].push(row);
        }
        let (key, hash) =
            (|row: usize| self.keys[row], |row: usize| self.hashes[self.message_of[row]]);
        let mut pairs = match merges_messages {
            true => Self::merged::<V::Key>(
                &groups,
                key,
                |row, sum| V::pair(sum, &hash(row)),
                multipliers,
            ),
            false => Self::merged::<V::Signature>(
                &groups,
                hash,
                |row, sum| V::pair(&key(row), sum),
                multipliers,
            ),
        };
        pairs.push(Self::with_generator(&self.signatures, multipliers));
        pairs
    }

    fn pairs_of(&self, row: usize, multiplier: &Multiplier) -> Vec<Pair> {
        let signature = Self::with_generator(&self.signatures[row..=row], &[*multiplier]);
        // Only this row's multiplier is read.
        let scalars = multiplier.as_slice();
        let pair = match V::CHEAP_KEYS {
            true => {
                let key =
                    sum_of_multiples::<V::Key>(&self.keys[row..=row], scalars, MULTIPLIER_BITS);
                V::pair(key.affine(), &self.hashes[self.message_of[row]])
            }
            false => {
                let hash = [self.hashes[self.message_of[row]]];
                let hash = sum_of_multiples::<V::Signature>(&hash, scalars, MULTIPLIER_BITS);
                V::pair(&self.keys[row], hash.affine())
            }
        };
        vec![pair, signature]
    }
}

/// Returns the sum of the points of each group, which are consecutive.
fn sums_of_groups<C: Curve>(groups: &[&Vec<usize>], points: &[C::Affine]) -> Vec<C::Affine> {
    if points.len() == groups.len() {
        return points.to_vec();
    }
    let mut rest = points;
    let sums = groups.iter().map(|rows| {
        let (own, others) = rest.split_at(rows.len());
        rest = others;
        own.iter().fold(C::Jacobian::default(), |sum, point| C::add_affine(&sum, point))
    });
    C::to_affine(&sums.collect::<Vec<_>>())
}

/// Concatenates the multipliers of some rows.
fn join(rows: &[usize], multipliers: &[Multiplier]) -> Vec<u8> {
    rows.iter().flat_map(|&row| multipliers[row]).collect()
}
