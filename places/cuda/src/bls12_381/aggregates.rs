// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Aggregate signatures on a GPU: of one message by a sum of keys, and of a message for each key,
//! which is a product of many pairings.

use halimede_arith::job::Amount;
use halimede_bls12_381::operations::{
    AggregateRequest, MessagesRequest, VerifyAggregate, VerifyAggregateOfMessages,
};
use halimede_bls12_381::signature::{check_distinct, Rejection, Scheme};
use halimede_bls12_381::PointError;

use super::lists::{check_products, sum_lists, Lists, PairLists, Points};
use super::parts::{
    check_pairs, checked, distinct_contents, hash_points, minus_generator, read_points, verdict_of,
    Content, Signed, FINITE,
};
use super::variants::{domain_of, merged, MinPk, MinSig, Variant};
use super::ENGINE;
use crate::error::CudaError;
use crate::groups::numbered;
use crate::kernel::Kernel;
use crate::workspace::Workspace;

/// Numbers of memory after [`Variant::MEMORY`]; each part uses several from its number on.
const KEYS: usize = 0;
const SIGNATURES: usize = 2;
const HASHES: usize = 4;
const SUMS: usize = 8;
const PRODUCTS: usize = 12;
/// The name of the table of tails after [`Variant::TABLES`], which signatures share.
const SIGNATURE_TAILS: u64 = 1;

/// The kernels of [`VerifyAggregate`].
#[derive(Debug)]
pub struct VerifyAggregateOnGpu;

/// The kernels of [`VerifyAggregateOfMessages`].
#[derive(Debug)]
pub struct VerifyAggregateOfMessagesOnGpu;

type Verdicts = Vec<Result<(), Rejection>>;

/// Returns why a row is rejected for its keys: for the first invalid key, or because the row has no
/// keys. Equal keys were read once.
fn rejected_for_keys<'k, V: Variant>(
    workspace: &Workspace,
    rows: &[Vec<&'k [u8]>],
) -> Result<Vec<Option<Rejection>>, CudaError> {
    let none = |row: &Vec<&'k [u8]>| row.is_empty().then_some(Rejection::NoKeys);
    let number = V::MEMORY + KEYS;
    if workspace.fetched::<u32>(number)?.iter().all(|status| *status == FINITE) {
        return Ok(rows.iter().map(none).collect());
    }
    let (distinct, number_of) = numbered(rows.iter().flatten().copied());
    let errors = checked::<V::Key>(workspace, number, &distinct, false)?;
    let mut numbers = number_of.into_iter();
    let first = |row: &Vec<&'k [u8]>| {
        let numbers: Vec<u32> = numbers.by_ref().take(row.len()).collect();
        let found = numbers.into_iter().enumerate().find_map(|(index, number)| {
            errors[number as usize].map(|error| Rejection::KeyOf { index, error })
        });
        found.or_else(|| none(row))
    };
    Ok(rows.iter().map(first).collect())
}

impl VerifyAggregateOnGpu {
    fn rows<V: Variant>(batch: &[AggregateRequest]) -> Vec<&AggregateRequest> {
        batch.iter().filter(|request| request.group == V::GROUP).collect()
    }

    fn keys<'r>(rows: &[&'r AggregateRequest]) -> Vec<Vec<&'r [u8]>> {
        rows.iter().map(|row| row.keys.iter().map(|key| &key[..]).collect()).collect()
    }

    fn start_group<'b, V: Variant>(
        workspace: &mut Workspace,
        batch: &'b [AggregateRequest],
    ) -> Result<(), CudaError> {
        let rows = Self::rows::<V>(batch);
        if rows.is_empty() {
            return Ok(());
        }
        let number = |number| V::MEMORY + number;
        let keys = rows.iter().flat_map(|row| &row.keys).map(|key| &key[..]);
        let (keys, number_of) = numbered(keys);
        let lists = Lists::of_lengths(number_of, rows.iter().map(|row| row.keys.len()));
        let points = Points {
            address: read_points::<V::Key>(workspace, number(KEYS), &keys)?,
            count: keys.len(),
        };
        let sums = sum_lists::<V::Key>(workspace, number(SUMS), points, lists)?;
        let signatures: Vec<&[u8]> = rows.iter().map(|row| &row.signature[..]).collect();
        let signatures = read_points::<V::Signature>(workspace, number(SIGNATURES), &signatures)?;
        let domain = domain_of(Scheme::ProofOfPossession);
        let content = |row: &&'b AggregateRequest| Content {
            prefix: Vec::new(),
            message: &row.message,
            domain,
        };
        let contents: Vec<Content<'_>> = rows.iter().map(content).collect();
        let domains = (V::TABLES + SIGNATURE_TAILS, &V::domains()[..]);
        let hashes = hash_points::<V::Signature>(workspace, number(HASHES), &contents, domains)?;
        let points = [sums.address, hashes, signatures];
        check_pairs::<V>(workspace, number(PRODUCTS), points, rows.len())
    }

    fn finish_group<V: Variant>(
        workspace: &Workspace,
        batch: &[AggregateRequest],
    ) -> Result<Verdicts, CudaError> {
        let rows = Self::rows::<V>(batch);
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let number = |number| V::MEMORY + number;
        let keys = rejected_for_keys::<V>(workspace, &Self::keys(&rows))?;
        let infinities = workspace.fetched::<u32>(number(SUMS))?;
        let signatures: Vec<&[u8]> = rows.iter().map(|row| &row.signature[..]).collect();
        let signatures = checked::<V::Signature>(workspace, number(SIGNATURES), &signatures, true)?;
        let verdicts = workspace.fetched::<u32>(number(PRODUCTS))?;
        let rows = keys.into_iter().zip(infinities).zip(signatures).zip(verdicts);
        rows.map(|(((key, infinity), signature), verdict)| {
            let infinity = (*infinity != 0).then_some(Rejection::Key(PointError::Infinity));
            let found = key.or(infinity).or(signature.map(Rejection::Signature));
            let holds = verdict_of(*verdict)?;
            Ok(found.or((!holds).then_some(Rejection::Mismatch)).map_or(Ok(()), Err))
        })
        .collect()
    }
}

impl Kernel for VerifyAggregateOnGpu {
    type Operation = VerifyAggregate;
    const ENGINE: &'static str = ENGINE;
    const PIECE: Amount = Amount { requests: 1 << 13, units: 1 << 19 };

    fn start(workspace: &mut Workspace, batch: &[AggregateRequest]) -> Result<(), CudaError> {
        Self::start_group::<MinPk>(workspace, batch)?;
        Self::start_group::<MinSig>(workspace, batch)
    }

    fn finish(
        workspace: &mut Workspace,
        batch: &[AggregateRequest],
    ) -> Result<Verdicts, CudaError> {
        let min_pk = Self::finish_group::<MinPk>(workspace, batch)?;
        let min_sig = Self::finish_group::<MinSig>(workspace, batch)?;
        merged(batch, |request| request.group, (min_pk, min_sig))
    }
}

/// A key and its message.
type Signer = (Vec<u8>, Vec<u8>);

/// Rows of a group with a message for each key.
struct Signers<'r> {
    rows: Vec<&'r MessagesRequest>,
    /// Why a row is rejected before its points are read. Such a row has no pairs.
    rejected: Vec<Option<Rejection>>,
}

impl<'r> Signers<'r> {
    fn of<V: Variant>(batch: &'r [MessagesRequest]) -> Self {
        let rows: Vec<_> = batch.iter().filter(|row| row.suite.group == V::GROUP).collect();
        let rejected = |row: &&MessagesRequest| {
            let messages: Vec<&[u8]> =
                row.signers.iter().map(|(_, message)| &message[..]).collect();
            check_distinct(row.suite.scheme, &messages).err()
        };
        let rejected = rows.iter().map(rejected).collect();
        Self { rows, rejected }
    }

    /// The keys and messages of each row that is not rejected.
    fn signers(&self) -> impl Iterator<Item = (&'r MessagesRequest, &'r [Signer])> + '_ {
        self.rows.iter().zip(&self.rejected).map(|(row, rejected)| match rejected {
            Some(_) => (*row, &[][..]),
            None => (*row, &row.signers[..]),
        })
    }

    fn keys(&self) -> Vec<Vec<&'r [u8]>> {
        let keys = |signers: &'r [Signer]| signers.iter().map(|(key, _)| &key[..]);
        self.signers().map(|(_, signers)| keys(signers).collect()).collect()
    }

    fn signatures(&self) -> Vec<&'r [u8]> {
        self.rows.iter().map(|row| &row.signature[..]).collect()
    }

    /// The different contents that are signed, and their numbers in sequence.
    fn contents<V: Variant>(&self) -> (Vec<Content<'r>>, Vec<u32>) {
        distinct_contents::<V>(self.signers().flat_map(|(row, signers)| {
            signers.iter().map(move |(key, message)| {
                let scheme = row.suite.scheme;
                let key = (scheme == Scheme::Augmented).then_some(&key[..]);
                Signed { key, message, domain: domain_of(scheme) }
            })
        }))
    }

    fn start<V: Variant>(&self, workspace: &mut Workspace) -> Result<(), CudaError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let number = |number| V::MEMORY + number;
        let rows = self.keys();
        let (distinct, key_of) = numbered(rows.iter().flatten().copied());
        let keys = Points {
            address: read_points::<V::Key>(workspace, number(KEYS), &distinct)?,
            count: distinct.len(),
        };
        let encodings = self.signatures();
        let signatures = Points {
            address: read_points::<V::Signature>(workspace, number(SIGNATURES), &encodings)?,
            count: encodings.len(),
        };
        let (contents, content_of) = self.contents::<V>();
        let domains = (V::TABLES + SIGNATURE_TAILS, &V::domains()[..]);
        let hashes = Points {
            address: hash_points::<V::Signature>(workspace, number(HASHES), &contents, domains)?,
            count: contents.len(),
        };
        let pairs = key_of.into_iter().zip(content_of).map(|(key, hash)| V::ordered(key, hash));
        let generator = Points { address: minus_generator::<V::Key>(workspace)?, count: 1 };
        let [of_g1, of_g2] = V::ordered(keys, hashes);
        let lengths = rows.iter().map(Vec::len).collect();
        let signed = PairLists { of_g1, of_g2, pairs: pairs.collect(), lengths };
        let [of_g1, of_g2] = V::ordered(generator, signatures);
        let numbers = 0..encodings.len() as u32;
        let pairs = numbers.map(|number| V::ordered(0, number)).collect();
        let signatures = PairLists { of_g1, of_g2, pairs, lengths: vec![1; encodings.len()] };
        check_products(workspace, number(PRODUCTS), &[signed, signatures])?;
        workspace.fetch::<u32>(number(PRODUCTS), encodings.len())
    }

    fn finish<V: Variant>(&self, workspace: &Workspace) -> Result<Verdicts, CudaError> {
        if self.rows.is_empty() {
            return Ok(Vec::new());
        }
        let number = |number| V::MEMORY + number;
        let keys = rejected_for_keys::<V>(workspace, &self.keys())?;
        let encodings = self.signatures();
        let signatures = checked::<V::Signature>(workspace, number(SIGNATURES), &encodings, true)?;
        let verdicts = workspace.fetched::<u32>(number(PRODUCTS))?;
        let rows = self.rejected.iter().zip(keys).zip(signatures).zip(verdicts);
        rows.map(|(((rejected, key), signature), verdict)| {
            let found = rejected.clone().or(key).or(signature.map(Rejection::Signature));
            let holds = verdict_of(*verdict)?;
            Ok(found.or((!holds).then_some(Rejection::Mismatch)).map_or(Ok(()), Err))
        })
        .collect()
    }
}

impl Kernel for VerifyAggregateOfMessagesOnGpu {
    type Operation = VerifyAggregateOfMessages;
    const ENGINE: &'static str = ENGINE;
    const PIECE: Amount = Amount { requests: 1 << 13, units: 1 << 16 };

    fn start(workspace: &mut Workspace, batch: &[MessagesRequest]) -> Result<(), CudaError> {
        Signers::of::<MinPk>(batch).start::<MinPk>(workspace)?;
        Signers::of::<MinSig>(batch).start::<MinSig>(workspace)
    }

    fn finish(workspace: &mut Workspace, batch: &[MessagesRequest]) -> Result<Verdicts, CudaError> {
        let min_pk = Signers::of::<MinPk>(batch).finish::<MinPk>(workspace)?;
        let min_sig = Signers::of::<MinSig>(batch).finish::<MinSig>(workspace)?;
        merged(batch, |request| request.suite.group, (min_pk, min_sig))
    }
}
