// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Aggregate signatures: one signature for several keys (the draft, sections 2.8, 2.9 and 3.3.4).

use std::collections::HashMap;

use rayon::prelude::*;

use super::batch::{check, read_keys, Ciphersuite};
use super::suite::{Group, MinPk, MinSig, Scheme, Suite, Variant};
use super::Rejection;
use crate::hash::hashes;
use crate::library::Curve;
use crate::pairing::is_product_one;
use crate::{Point, PointError};

/// An aggregate signature of one message by several keys.
#[derive(Clone, Copy, Debug)]
pub struct Aggregate<'a> {
    /// The public keys, each with a proof of possession that was verified.
    pub keys: &'a [&'a [u8]],
    /// The message.
    pub message: &'a [u8],
    /// The sum of the signatures.
    pub signature: &'a [u8],
}

/// Returns the sum of signatures, compressed.
///
/// # Errors
/// [`Rejection::NoKeys`] if the list is empty, [`Rejection::SignatureOf`].
pub fn aggregate(group: Group, signatures: &[&[u8]]) -> Result<Vec<u8>, Rejection> {
    match group {
        Group::MinPk => Ok(sum_of::<MinPk>(signatures)?.to_compressed()),
        Group::MinSig => Ok(sum_of::<MinSig>(signatures)?.to_compressed()),
    }
}

fn sum_of<V: Variant>(signatures: &[&[u8]]) -> Result<Point<V::Signature>, Rejection> {
    if signatures.is_empty() {
        return Err(Rejection::NoKeys);
    }
    let read = Point::<V::Signature>::all_from_bytes(signatures).into_iter().enumerate();
    let points = read
        .map(|(index, read)| read.map_err(|error| Rejection::SignatureOf { index, error }))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(sum(&points))
}

/// Verifies an aggregate signature with one message per key.
///
/// # Errors
/// [`Rejection`].
pub fn aggregate_verify(
    suite: Suite,
    keys: &[&[u8]],
    messages: &[&[u8]],
    signature: &[u8],
) -> Result<(), Rejection> {
    if keys.len() != messages.len() {
        return Err(Rejection::Counts { keys: keys.len(), messages: messages.len() });
    }
    check_distinct(suite.scheme, messages)?;
    match suite.group {
        Group::MinPk => aggregate_verify_of::<MinPk>(suite, keys, messages, signature),
        Group::MinSig => aggregate_verify_of::<MinSig>(suite, keys, messages, signature),
    }
}

/// Checks that messages of an aggregate are distinct if the scheme demands it.
///
/// # Errors
/// [`Rejection::EqualMessages`], for the first message that is equal to an earlier one.
pub fn check_distinct(scheme: Scheme, messages: &[&[u8]]) -> Result<(), Rejection> {
    if scheme == Scheme::Basic {
        let mut seen = HashMap::new();
        for (second, message) in messages.iter().enumerate() {
            if let Some(first) = seen.insert(message, second) {
                return Err(Rejection::EqualMessages { first, second });
            }
        }
    }
    Ok(())
}

fn aggregate_verify_of<V: Variant>(
    suite: Suite,
    keys: &[&[u8]],
    messages: &[&[u8]],
    signature: &[u8],
) -> Result<(), Rejection> {
    let keys = valid_keys::<V>(keys)?;
    let signature = Point::<V::Signature>::from_bytes(signature).map_err(Rejection::Signature)?;
    let prefixes: Vec<Vec<u8>> = match suite.scheme {
        Scheme::Augmented => keys.iter().map(|key| key.to_compressed()).collect(),
        _ => vec![Vec::new(); keys.len()],
    };
    let contents: Vec<(&[u8], &[u8])> =
        prefixes.iter().zip(messages).map(|(prefix, message)| (&prefix[..], *message)).collect();
    let hashes = hashes::<V::Signature>(suite.domain(), &contents);
    let mut pairs: Vec<_> =
        keys.iter().zip(&hashes).map(|(key, hash)| V::pair(key.affine(), hash)).collect();
    let generator = Point::<V::Key>::generator().negated();
    pairs.push(V::pair(generator.affine(), signature.affine()));
    match is_product_one(&pairs) {
        true => Ok(()),
        false => Err(Rejection::Mismatch),
    }
}

/// Verifies an aggregate signature of one message, under proof of possession.
///
/// # Errors
/// [`Rejection`]; if the keys add up to infinity, with [`PointError::Infinity`].
pub fn fast_aggregate_verify(group: Group, aggregate: Aggregate<'_>) -> Result<(), Rejection> {
    verify_aggregates(group, &[aggregate]).pop().unwrap_or(Err(Rejection::NoKeys))
}

/// Verifies many aggregate signatures, as [`fast_aggregate_verify`] does, with a verdict for each.
pub fn verify_aggregates(group: Group, aggregates: &[Aggregate<'_>]) -> Vec<Result<(), Rejection>> {
    match group {
        Group::MinPk => verify_aggregates_of::<MinPk>(group, aggregates),
        Group::MinSig => verify_aggregates_of::<MinSig>(group, aggregates),
    }
}

fn verify_aggregates_of<V: Variant>(
    group: Group,
    aggregates: &[Aggregate<'_>],
) -> Vec<Result<(), Rejection>> {
    let signatures: Vec<&[u8]> = aggregates.iter().map(|aggregate| aggregate.signature).collect();
    let signatures = Point::<V::Signature>::all_from_bytes(&signatures);
    let rows = aggregates.par_iter().zip(signatures);
    let read = rows.map(|(aggregate, signature)| {
        let key = sum(&valid_keys::<V>(aggregate.keys)?);
        match key.is_infinity() {
            true => Err(Rejection::Key(PointError::Infinity)),
            false => Ok((key, signature.map_err(Rejection::Signature)?)),
        }
    });
    let messages: Vec<&[u8]> = aggregates.iter().map(|aggregate| aggregate.message).collect();
    let suite = Suite { group, scheme: Scheme::ProofOfPossession };
    check::<V>(Ciphersuite::of(suite), read.collect(), &messages)
}

fn valid_keys<V: Variant>(keys: &[&[u8]]) -> Result<Vec<Point<V::Key>>, Rejection> {
    if keys.is_empty() {
        return Err(Rejection::NoKeys);
    }
    let read = read_keys::<V>(keys).into_iter().enumerate();
    read.map(|(index, key)| key.map_err(|error| Rejection::KeyOf { index, error })).collect()
}

fn sum<C: Curve>(points: &[Point<C>]) -> Point<C> {
    let sum = points
        .iter()
        .fold(C::Jacobian::default(), |sum, point| C::add_affine(&sum, point.affine()));
    Point::of_group(C::to_affine(&[sum])[0])
}
