// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signatures and proofs of possession on a GPU: e(key, H(message))·e(−g, signature) = 1.

use halimede_arith::job::Amount;
use halimede_bls12_381::operations::{
    PossessionRequest, SignatureRequest, VerifyPossession, VerifySignature,
};
use halimede_bls12_381::signature::{Rejection, Scheme};
use halimede_bls12_381::{multipliers, PointError};

use super::combination::{Equations, COMMON_ROWS};
use super::lists::Points;
use super::parts::{
    checked, distinct_contents, hash_points, read_points, verdict_of, Signed, FINITE,
};
use super::variants::{domain_of, merged, MinPk, MinSig, Variant};
use super::ENGINE;
use crate::error::CudaError;
use crate::groups::numbered;
use crate::kernel::Kernel;
use crate::workspace::Workspace;

/// Numbers of memory after [`Variant::MEMORY`]: keys, signatures and hashes use several from these
/// on.
const KEYS: usize = 0;
const SIGNATURES: usize = 2;
const HASHES: usize = 4;
const EQUATIONS: usize = 8;
/// The number of the output of verdicts.
const VERDICTS: usize = 1;
/// The names of the tables of tails after [`Variant::TABLES`].
const SIGNATURE_TAILS: u64 = 1;
const POSSESSION_TAILS: u64 = 2;

/// The least rows for a random linear combination. With fewer, a GPU has idle threads, and the
/// combination only takes longer.
const COMBINED_ROWS: usize = 1 << 13;

/// The kernels of [`VerifySignature`]. From `COMBINED` rows of a group on, rows are checked by
/// random linear combinations of `COMMON` rows each.
#[derive(Debug)]
pub struct VerifySignatures<const COMBINED: usize, const COMMON: usize>;

/// The kernels of [`VerifyPossession`], in the same way.
#[derive(Debug)]
pub struct VerifyPossessions<const COMBINED: usize, const COMMON: usize>;

/// [`VerifySignatures`] for a GPU.
pub type VerifySignatureOnGpu = VerifySignatures<COMBINED_ROWS, COMMON_ROWS>;

/// [`VerifyPossessions`] for a GPU.
pub type VerifyPossessionOnGpu = VerifyPossessions<COMBINED_ROWS, COMMON_ROWS>;

type Verdicts = Vec<Result<(), Rejection>>;

/// The rows of a group, in the order of the requests.
#[derive(Default)]
struct Rows<'r> {
    keys: Vec<&'r [u8]>,
    signatures: Vec<&'r [u8]>,
    signed: Vec<Signed<'r>>,
}

impl<'r> Rows<'r> {
    fn add(&mut self, key: &'r [u8], signature: &'r [u8], signed: Signed<'r>) {
        self.keys.push(key);
        self.signatures.push(signature);
        self.signed.push(signed);
    }

    /// Begins to verify: reads points, hashes messages, and multiplies pairings. Equal keys are
    /// read once, and equal messages are hashed once.
    fn start<V: Variant>(
        &self,
        workspace: &mut Workspace,
        (combined, common_rows): (usize, usize),
        (table, domains): (u64, &[&[u8]]),
    ) -> Result<(), CudaError> {
        let count = self.keys.len();
        if count == 0 {
            return Ok(());
        }
        let number = |number| V::MEMORY + number;
        let (keys, key_of) = numbered(self.keys.iter().copied());
        let (contents, hash_of) = distinct_contents::<V>(self.signed.iter().copied());
        let domains = (V::TABLES + table, domains);
        let signatures = &self.signatures;
        let equations = Equations {
            keys: Points {
                address: read_points::<V::Key>(workspace, number(KEYS), &keys)?,
                count: keys.len(),
            },
            key_statuses: workspace.output::<u32>(number(KEYS), keys.len())?,
            hashes: Points {
                address: hash_points::<V::Signature>(
                    workspace,
                    number(HASHES),
                    &contents,
                    domains,
                )?,
                count: contents.len(),
            },
            signatures: Points {
                address: read_points::<V::Signature>(workspace, number(SIGNATURES), signatures)?,
                count,
            },
            signature_statuses: workspace.output::<u32>(number(SIGNATURES), count)?,
            key_of,
            hash_of,
            common_rows,
        };
        // Without random numbers, each row is checked.
        let multipliers = if count < combined { None } else { multipliers(count) };
        let (first, verdicts) = (number(EQUATIONS), number(VERDICTS));
        equations.check::<V>(workspace, first, multipliers.as_deref(), verdicts)
    }

    /// Returns the verdicts; a key is checked before its signature.
    fn finish<V: Variant>(&self, workspace: &Workspace) -> Result<Verdicts, CudaError> {
        if self.keys.is_empty() {
            return Ok(Vec::new());
        }
        let number = |number| V::MEMORY + number;
        let keys = self.key_errors::<V>(workspace)?;
        let signatures =
            checked::<V::Signature>(workspace, number(SIGNATURES), &self.signatures, true)?;
        let verdicts = workspace.fetched::<u32>(number(VERDICTS))?;
        let rows = keys.into_iter().zip(signatures).zip(verdicts);
        rows.map(|rows| match rows {
            ((Some(error), _), _) => Ok(Err(Rejection::Key(error))),
            ((None, Some(error)), _) => Ok(Err(Rejection::Signature(error))),
            (_, verdict) => Ok(verdict_of(*verdict)?.then_some(()).ok_or(Rejection::Mismatch)),
        })
        .collect()
    }

    /// Returns why the key of each row is invalid.
    fn key_errors<V: Variant>(
        &self,
        workspace: &Workspace,
    ) -> Result<Vec<Option<PointError>>, CudaError> {
        let number = V::MEMORY + KEYS;
        if workspace.fetched::<u32>(number)?.iter().all(|status| *status == FINITE) {
            return Ok(vec![None; self.keys.len()]);
        }
        let (keys, key_of) = numbered(self.keys.iter().copied());
        let errors = checked::<V::Key>(workspace, number, &keys, false)?;
        Ok(key_of.into_iter().map(|key| errors[key as usize]).collect())
    }
}

impl<const COMBINED: usize, const COMMON: usize> VerifySignatures<COMBINED, COMMON> {
    fn rows<V: Variant>(batch: &[SignatureRequest]) -> Rows<'_> {
        let mut rows = Rows::default();
        for request in batch.iter().filter(|request| request.suite.group == V::GROUP) {
            let scheme = request.suite.scheme;
            let key = (scheme == Scheme::Augmented).then_some(&request.key[..]);
            let signed = Signed { key, message: &request.message, domain: domain_of(scheme) };
            rows.add(&request.key, &request.signature, signed);
        }
        rows
    }
}

impl<const COMBINED: usize, const COMMON: usize> Kernel for VerifySignatures<COMBINED, COMMON> {
    type Operation = VerifySignature;
    const ENGINE: &'static str = ENGINE;
    const PIECE: Amount = Amount::of_requests(1 << 17);

    fn start(workspace: &mut Workspace, batch: &[SignatureRequest]) -> Result<(), CudaError> {
        let domains = (SIGNATURE_TAILS, &MinPk::domains()[..]);
        Self::rows::<MinPk>(batch).start::<MinPk>(workspace, (COMBINED, COMMON), domains)?;
        let domains = (SIGNATURE_TAILS, &MinSig::domains()[..]);
        Self::rows::<MinSig>(batch).start::<MinSig>(workspace, (COMBINED, COMMON), domains)
    }

    fn finish(
        workspace: &mut Workspace,
        batch: &[SignatureRequest],
    ) -> Result<Verdicts, CudaError> {
        let min_pk = Self::rows::<MinPk>(batch).finish::<MinPk>(workspace)?;
        let min_sig = Self::rows::<MinSig>(batch).finish::<MinSig>(workspace)?;
        merged(batch, |request| request.suite.group, (min_pk, min_sig))
    }
}

impl<const COMBINED: usize, const COMMON: usize> VerifyPossessions<COMBINED, COMMON> {
    fn rows<V: Variant>(batch: &[PossessionRequest]) -> Rows<'_> {
        let mut rows = Rows::default();
        for request in batch.iter().filter(|request| request.group == V::GROUP) {
            let signed = Signed { key: Some(&request.key), message: &[], domain: 0 };
            rows.add(&request.key, &request.proof, signed);
        }
        rows
    }
}

impl<const COMBINED: usize, const COMMON: usize> Kernel for VerifyPossessions<COMBINED, COMMON> {
    type Operation = VerifyPossession;
    const ENGINE: &'static str = ENGINE;
    const PIECE: Amount = Amount::of_requests(1 << 17);

    fn start(workspace: &mut Workspace, batch: &[PossessionRequest]) -> Result<(), CudaError> {
        let domains = (POSSESSION_TAILS, &[MinPk::GROUP.possession_domain()][..]);
        Self::rows::<MinPk>(batch).start::<MinPk>(workspace, (COMBINED, COMMON), domains)?;
        let domains = (POSSESSION_TAILS, &[MinSig::GROUP.possession_domain()][..]);
        Self::rows::<MinSig>(batch).start::<MinSig>(workspace, (COMBINED, COMMON), domains)
    }

    fn finish(
        workspace: &mut Workspace,
        batch: &[PossessionRequest],
    ) -> Result<Verdicts, CudaError> {
        let min_pk = Self::rows::<MinPk>(batch).finish::<MinPk>(workspace)?;
        let min_sig = Self::rows::<MinSig>(batch).finish::<MinSig>(workspace)?;
        merged(batch, |request| request.group, (min_pk, min_sig))
    }
}
