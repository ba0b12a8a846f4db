// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Aggregate signatures and proofs of possession in batches.

use halimede_arith::job::{Amount, Compute};
use halimede_arith::operation_over;

use super::grouped;
use crate::signature::{
    aggregate_verify, verify_aggregates, verify_possessions, Aggregate, Group, Rejection, Suite,
};

/// The check of an aggregate signature of one message by several keys (FastAggregateVerify).
pub struct VerifyAggregate;

/// A request of [`VerifyAggregate`], under proof of possession.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AggregateRequest {
    /// The group of the keys.
    pub group: Group,
    /// The public keys, each with a proof of possession that was verified.
    pub keys: Vec<Vec<u8>>,
    /// The message.
    pub message: Vec<u8>,
    /// The sum of the signatures.
    pub signature: Vec<u8>,
}

operation_over!(
    VerifyAggregate,
    AggregateRequest,
    Result<(), Rejection>,
    "bls12_381.verify_aggregate",
    |row| row.keys.len() + 1
);

impl Compute for VerifyAggregate {
    const BRIEF: Amount = Amount { requests: 16, units: 64 };
    const PIECE: Amount = Amount { requests: 256, units: 1 << 10 };

    fn compute(row: &AggregateRequest) -> Result<(), Rejection> {
        let alone = std::slice::from_ref(row);
        Self::compute_batch(alone).pop().unwrap_or(Err(Rejection::NoKeys))
    }

    /// The rows of a group are verified together.
    fn compute_batch(batch: &[AggregateRequest]) -> Vec<Result<(), Rejection>> {
        grouped(
            batch,
            |a, b| a.group == b.group,
            |rows| {
                let keys = rows.iter().map(|row| row.keys.iter().map(|key| &key[..]).collect());
                let keys: Vec<Vec<&[u8]>> = keys.collect();
                let aggregates = rows.iter().zip(&keys).map(|(row, keys)| Aggregate {
                    keys,
                    message: &row.message,
                    signature: &row.signature,
                });
                verify_aggregates(rows[0].group, &aggregates.collect::<Vec<_>>())
            },
        )
    }
}

/// The check of an aggregate signature with one message per key (AggregateVerify).
pub struct VerifyAggregateOfMessages;

/// A request of [`VerifyAggregateOfMessages`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessagesRequest {
    /// The suite.
    pub suite: Suite,
    /// The public key and the message of each signer.
    pub signers: Vec<(Vec<u8>, Vec<u8>)>,
    /// The sum of the signatures.
    pub signature: Vec<u8>,
}

operation_over!(
    VerifyAggregateOfMessages,
    MessagesRequest,
    Result<(), Rejection>,
    "bls12_381.verify_aggregate_of_messages",
    |row| row.signers.len() + 1
);

impl Compute for VerifyAggregateOfMessages {
    const BRIEF: Amount = Amount { requests: 16, units: 64 };
    const PIECE: Amount = Amount { requests: 256, units: 1 << 10 };

    fn compute(row: &MessagesRequest) -> Result<(), Rejection> {
        let (keys, messages): (Vec<&[u8]>, Vec<&[u8]>) =
            row.signers.iter().map(|(key, message)| (&key[..], &message[..])).unzip();
        aggregate_verify(row.suite, &keys, &messages, &row.signature)
    }
}

/// The check of a proof that a signer has the secret key of a public key (PopVerify).
pub struct VerifyPossession;

/// A request of [`VerifyPossession`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PossessionRequest {
    /// The group of the keys.
    pub group: Group,
    /// The public key.
    pub key: Vec<u8>,
    /// The proof: a signature of the key.
    pub proof: Vec<u8>,
}

operation_over!(
    VerifyPossession,
    PossessionRequest,
    Result<(), Rejection>,
    "bls12_381.verify_possession",
    |_row| 1
);

impl Compute for VerifyPossession {
    const BRIEF: Amount = Amount::of_requests(16);
    const PIECE: Amount = Amount::of_requests(256);

    fn compute(row: &PossessionRequest) -> Result<(), Rejection> {
        let found = verify_possessions(row.group, &[&row.key], &[&row.proof]);
        found.into_iter().next().unwrap_or(Err(Rejection::NoKeys))
    }

    /// The rows of a group are verified together.
    fn compute_batch(batch: &[PossessionRequest]) -> Vec<Result<(), Rejection>> {
        grouped(
            batch,
            |a, b| a.group == b.group,
            |rows| {
                let keys: Vec<&[u8]> = rows.iter().map(|row| &row.key[..]).collect();
                let proofs: Vec<&[u8]> = rows.iter().map(|row| &row.proof[..]).collect();
                verify_possessions(rows[0].group, &keys, &proofs)
            },
        )
    }
}
