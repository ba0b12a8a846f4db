// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signatures and proofs of possession on a GPU: e(key, H(message))·e(−g, signature) = 1.

use halimede_arith::job::Amount;
use halimede_bls12_381::operations::{
    PossessionRequest, SignatureRequest, VerifyPossession, VerifySignature,
};
use halimede_bls12_381::signature::{Rejection, Scheme};

use super::parts::{
    check_pairs, checked, compressed, hash_points, read_points, verdict_of, Content,
};
use super::variants::{domain_of, merged, MinPk, MinSig, Variant};
use super::ENGINE;
use crate::error::CudaError;
use crate::executor::Kernel;
use crate::workspace::Workspace;

/// Numbers of memory after [`Variant::MEMORY`]: keys, signatures and hashes use several from these
/// on.
const KEYS: usize = 0;
const SIGNATURES: usize = 2;
const HASHES: usize = 4;
/// The number of the output of verdicts.
const VERDICTS: usize = 1;
/// The names of the tables of tails after [`Variant::TABLES`].
const SIGNATURE_TAILS: u64 = 1;
const POSSESSION_TAILS: u64 = 2;

/// The kernels of [`VerifySignature`].
#[derive(Debug)]
pub struct VerifySignatureOnGpu;

/// The kernels of [`VerifyPossession`].
#[derive(Debug)]
pub struct VerifyPossessionOnGpu;

/// The rows of a group, in the order of the requests.
#[derive(Default)]
struct Rows<'r> {
    keys: Vec<&'r [u8]>,
    signatures: Vec<&'r [u8]>,
    contents: Vec<Content<'r>>,
}

impl<'r> Rows<'r> {
    fn add(&mut self, key: &'r [u8], signature: &'r [u8], content: Content<'r>) {
        self.keys.push(key);
        self.signatures.push(signature);
        self.contents.push(content);
    }

    /// Begins to verify: reads points, hashes messages, and multiplies pairings.
    fn start<V: Variant>(
        &self,
        workspace: &mut Workspace,
        (table, domains): (u64, &[&[u8]]),
    ) -> Result<(), CudaError> {
        if self.keys.is_empty() {
            return Ok(());
        }
        let number = |number| V::MEMORY + number;
        let keys = read_points::<V::Key>(workspace, number(KEYS), &self.keys)?;
        let signatures =
            read_points::<V::Signature>(workspace, number(SIGNATURES), &self.signatures)?;
        let domains = (V::TABLES + table, domains);
        let hashes =
            hash_points::<V::Signature>(workspace, number(HASHES), &self.contents, domains)?;
        let points = [keys, hashes, signatures];
        check_pairs::<V>(workspace, number(VERDICTS), points, self.keys.len())
    }

    /// Returns the verdicts; a key is checked before its signature.
    fn finish<V: Variant>(
        &self,
        workspace: &Workspace,
    ) -> Result<Vec<Result<(), Rejection>>, CudaError> {
        if self.keys.is_empty() {
            return Ok(Vec::new());
        }
        let number = |number| V::MEMORY + number;
        let keys = checked::<V::Key>(workspace, number(KEYS), &self.keys, false)?;
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
}

impl VerifySignatureOnGpu {
    fn rows<V: Variant>(batch: &[SignatureRequest]) -> Rows<'_> {
        let mut rows = Rows::default();
        for request in batch.iter().filter(|request| request.suite.group == V::GROUP) {
            let scheme = request.suite.scheme;
            let prefix = match scheme {
                Scheme::Augmented => compressed::<V::Key>(&request.key),
                _ => Vec::new(),
            };
            let domain = domain_of(scheme);
            let content = Content { prefix, message: &request.message, domain };
            rows.add(&request.key, &request.signature, content);
        }
        rows
    }
}

impl Kernel for VerifySignatureOnGpu {
    type Operation = VerifySignature;
    const ENGINE: &'static str = ENGINE;
    const PIECE: Amount = Amount::of_requests(1 << 15);

    fn start(workspace: &mut Workspace, batch: &[SignatureRequest]) -> Result<(), CudaError> {
        let domains = (SIGNATURE_TAILS, &MinPk::domains()[..]);
        Self::rows::<MinPk>(batch).start::<MinPk>(workspace, domains)?;
        let domains = (SIGNATURE_TAILS, &MinSig::domains()[..]);
        Self::rows::<MinSig>(batch).start::<MinSig>(workspace, domains)
    }

    fn finish(
        workspace: &mut Workspace,
        batch: &[SignatureRequest],
    ) -> Result<Vec<Result<(), Rejection>>, CudaError> {
        let min_pk = Self::rows::<MinPk>(batch).finish::<MinPk>(workspace)?;
        let min_sig = Self::rows::<MinSig>(batch).finish::<MinSig>(workspace)?;
        merged(batch, |request| request.suite.group, (min_pk, min_sig))
    }
}

impl VerifyPossessionOnGpu {
    fn rows<V: Variant>(batch: &[PossessionRequest]) -> Rows<'_> {
        let mut rows = Rows::default();
        for request in batch.iter().filter(|request| request.group == V::GROUP) {
            let prefix = compressed::<V::Key>(&request.key);
            let content = Content { prefix, message: &[], domain: 0 };
            rows.add(&request.key, &request.proof, content);
        }
        rows
    }
}

impl Kernel for VerifyPossessionOnGpu {
    type Operation = VerifyPossession;
    const ENGINE: &'static str = ENGINE;
    const PIECE: Amount = Amount::of_requests(1 << 15);

    fn start(workspace: &mut Workspace, batch: &[PossessionRequest]) -> Result<(), CudaError> {
        let domains = (POSSESSION_TAILS, &[MinPk::GROUP.possession_domain()][..]);
        Self::rows::<MinPk>(batch).start::<MinPk>(workspace, domains)?;
        let domains = (POSSESSION_TAILS, &[MinSig::GROUP.possession_domain()][..]);
        Self::rows::<MinSig>(batch).start::<MinSig>(workspace, domains)
    }

    fn finish(
        workspace: &mut Workspace,
        batch: &[PossessionRequest],
    ) -> Result<Vec<Result<(), Rejection>>, CudaError> {
        let min_pk = Self::rows::<MinPk>(batch).finish::<MinPk>(workspace)?;
        let min_sig = Self::rows::<MinSig>(batch).finish::<MinSig>(workspace)?;
        merged(batch, |request| request.group, (min_pk, min_sig))
    }
}
