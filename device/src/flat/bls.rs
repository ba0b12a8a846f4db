// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLS signatures in bulk, and aggregates.

use halimede_arith::interface::{Invalid, Verdict};
use halimede_bls12_381::operations::{SignatureBatch, Signatures, VerifySignature};
use halimede_bls12_381::signature;
use halimede_bls12_381::signature::{Aggregate, Group, Suite};

use super::batch::{answer, on_processor};
use super::error::FlatError;
use crate::device::Device;

/// Keys that are worked on at once where aggregates are verified.
const KEYS_AT_ONCE: usize = 1 << 10;

/// A verdict for each signature, in their order.
///
/// # Errors
/// [`FlatError::Device`].
pub fn verify(device: &Device, signatures: Signatures<'_>) -> Result<Vec<Verdict>, FlatError> {
    let found = answer::<VerifySignature>(device, SignatureBatch::Columns(signatures))?;
    Ok(found.into_iter().map(|found| found.map_err(Invalid::of)).collect())
}

/// The sum of signatures, compressed.
///
/// # Errors
/// [`FlatError::Aggregate`], [`FlatError::Device`].
pub fn aggregate(group: Group, signatures: &[&[u8]]) -> Result<Vec<u8>, FlatError> {
    let sum = on_processor(1, |_| 1, |_| vec![signature::aggregate(group, signatures)])?;
    Ok(sum.into_iter().next().unwrap_or(Ok(vec![]))?)
}

/// The verdict on the sum of signatures of a message each.
///
/// # Errors
/// [`FlatError::Device`].
pub fn aggregate_verify(
    suite: Suite,
    keys: &[&[u8]],
    messages: &[&[u8]],
    signature: &[u8],
) -> Result<Verdict, FlatError> {
    let verify = |_| vec![signature::aggregate_verify(suite, keys, messages, signature)];
    let found = on_processor(1, |_| 1, verify)?;
    Ok(found.into_iter().next().unwrap_or(Ok(())).map_err(Invalid::of))
}

/// A verdict for each sum of signatures of one message, under proof of possession.
///
/// # Errors
/// [`FlatError::Device`].
pub fn verify_aggregates(
    group: Group,
    aggregates: &[Aggregate<'_>],
) -> Result<Vec<Verdict>, FlatError> {
    let piece = |start: usize| {
        let mut keys = 0usize;
        let fits = |aggregate: &&Aggregate<'_>| {
            keys = keys.saturating_add(aggregate.keys.len() + 1);
            keys <= KEYS_AT_ONCE
        };
        aggregates[start..].iter().take_while(fits).count()
    };
    let found = on_processor(aggregates.len(), piece, |range| {
        signature::verify_aggregates(group, &aggregates[range])
    })?;
    Ok(found.into_iter().map(|found| found.map_err(Invalid::of)).collect())
}

/// A verdict for each proof of the possession of a secret key; of as many keys as proofs.
///
/// # Errors
/// [`FlatError::Device`].
pub fn verify_possessions(
    group: Group,
    keys: &[&[u8]],
    proofs: &[&[u8]],
) -> Result<Vec<Verdict>, FlatError> {
    let rows = keys.len().min(proofs.len());
    let found = on_processor(
        rows,
        |_| KEYS_AT_ONCE,
        |range| signature::verify_possessions(group, &keys[range.clone()], &proofs[range]),
    )?;
    Ok(found.into_iter().map(|found| found.map_err(Invalid::of)).collect())
}
