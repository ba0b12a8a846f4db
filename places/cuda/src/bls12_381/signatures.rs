// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signatures and proofs of possession on a GPU: e(key, H(message))·e(−g, signature) = 1.

use halimede_arith::job::Amount;
use halimede_bls12_381::operations::{
    PossessionRequest, SignatureRequest, VerifyPossession, VerifySignature,
};
use halimede_bls12_381::signature::{Group, Rejection, Scheme, Suite};
use halimede_bls12_381::{G1, G2};

use super::parts::{
    checked, compressed, count_of, hash_to_g2, minus_generator, not_valid, read_points, Content,
    SECOND_P,
};
use super::ENGINE;
use crate::error::CudaError;
use crate::executor::Kernel;
use crate::memory::Argument;
use crate::workspace::Workspace;

/// Numbers of memory: keys, signatures and hashes use several from these on.
const KEYS: usize = 0;
const SIGNATURES: usize = 2;
const HASHES: usize = 4;
/// The number of the output of verdicts.
const VERDICTS: usize = 1;
/// The names of the tables of tails.
const SIGNATURE_TAILS: u64 = 1;
const POSSESSION_TAILS: u64 = 2;

/// The schemes in the order of their domains.
const SCHEMES: [Scheme; 3] = [Scheme::Basic, Scheme::Augmented, Scheme::ProofOfPossession];

/// The kernels of [`VerifySignature`].
#[derive(Debug)]
pub struct VerifySignatureOnGpu;

/// The kernels of [`VerifyPossession`].
#[derive(Debug)]
pub struct VerifyPossessionOnGpu;

/// Keys and signatures, in the order of the requests.
struct Encodings<'r> {
    keys: Vec<&'r [u8]>,
    signatures: Vec<&'r [u8]>,
}

/// The reason to support no keys in G2.
fn of_group(group: Group) -> Option<String> {
    let reason = "the kernels hash to G2 only, so keys are in G1".to_owned();
    (group == Group::MinSig).then_some(reason)
}

/// Begins to verify: reads points, hashes messages, and multiplies pairings.
fn start(
    workspace: &mut Workspace,
    encodings: &Encodings<'_>,
    contents: &[Content<'_>],
    domains: (u64, &[&[u8]]),
) -> Result<(), CudaError> {
    let count = contents.len();
    let keys = read_points::<G1>(workspace, KEYS, &encodings.keys)?;
    let signatures = read_points::<G2>(workspace, SIGNATURES, &encodings.signatures)?;
    let hashes = hash_to_g2(workspace, HASHES, contents, domains)?;
    let generator = minus_generator(workspace)?;
    let verdicts = workspace.output::<u32>(VERDICTS, count)?;
    let shared = Argument::from(SECOND_P);
    let arguments = [keys, hashes, generator, signatures, shared, verdicts, count_of(count)];
    workspace.launch("bls12_381_check_pairs", count as u64, &arguments)?;
    workspace.fetch::<u32>(VERDICTS, count)
}

/// Returns the verdicts; a key is checked before its signature.
fn finish(
    workspace: &Workspace,
    encodings: &Encodings<'_>,
) -> Result<Vec<Result<(), Rejection>>, CudaError> {
    let keys = checked::<G1>(workspace, KEYS, &encodings.keys, false)?;
    let signatures = checked::<G2>(workspace, SIGNATURES, &encodings.signatures, true)?;
    let verdicts = workspace.fetched::<u32>(VERDICTS)?;
    let rows = keys.into_iter().zip(signatures).zip(verdicts);
    rows.map(|rows| match rows {
        ((Some(error), _), _) => Ok(Err(Rejection::Key(error))),
        ((None, Some(error)), _) => Ok(Err(Rejection::Signature(error))),
        (_, 1) => Ok(Ok(())),
        (_, 0) => Ok(Err(Rejection::Mismatch)),
        (_, other) => Err(not_valid(format!("the verdict {other}"))),
    })
    .collect()
}

impl VerifySignatureOnGpu {
    fn encodings(batch: &[SignatureRequest]) -> Encodings<'_> {
        Encodings {
            keys: batch.iter().map(|request| &request.key[..]).collect(),
            signatures: batch.iter().map(|request| &request.signature[..]).collect(),
        }
    }
}

impl Kernel for VerifySignatureOnGpu {
    type Operation = VerifySignature;
    const ENGINE: &'static str = ENGINE;
    const PIECE: Amount = Amount::of_requests(1 << 15);

    fn unsupported(row: &SignatureRequest) -> Option<String> {
        of_group(row.suite.group)
    }

    fn start(workspace: &mut Workspace, batch: &[SignatureRequest]) -> Result<(), CudaError> {
        let contents = batch.iter().map(|request| {
            let scheme = request.suite.scheme;
            let prefix = match scheme {
                Scheme::Augmented => compressed(&request.key),
                _ => Vec::new(),
            };
            let domain = SCHEMES.iter().position(|known| *known == scheme).unwrap_or_default();
            Content { prefix, message: &request.message, domain }
        });
        let domains = SCHEMES.map(|scheme| Suite { group: Group::MinPk, scheme }.domain());
        let contents: Vec<Content<'_>> = contents.collect();
        start(workspace, &Self::encodings(batch), &contents, (SIGNATURE_TAILS, &domains))
    }

    fn finish(
        workspace: &mut Workspace,
        batch: &[SignatureRequest],
    ) -> Result<Vec<Result<(), Rejection>>, CudaError> {
        finish(workspace, &Self::encodings(batch))
    }
}

impl VerifyPossessionOnGpu {
    fn encodings(batch: &[PossessionRequest]) -> Encodings<'_> {
        Encodings {
            keys: batch.iter().map(|request| &request.key[..]).collect(),
            signatures: batch.iter().map(|request| &request.proof[..]).collect(),
        }
    }
}

impl Kernel for VerifyPossessionOnGpu {
    type Operation = VerifyPossession;
    const ENGINE: &'static str = ENGINE;
    const PIECE: Amount = Amount::of_requests(1 << 15);

    fn unsupported(row: &PossessionRequest) -> Option<String> {
        of_group(row.group)
    }

    fn start(workspace: &mut Workspace, batch: &[PossessionRequest]) -> Result<(), CudaError> {
        let contents = batch.iter().map(|request| Content {
            prefix: compressed(&request.key),
            message: &[],
            domain: 0,
        });
        let contents: Vec<Content<'_>> = contents.collect();
        let domains = [Group::MinPk.possession_domain()];
        start(workspace, &Self::encodings(batch), &contents, (POSSESSION_TAILS, &domains))
    }

    fn finish(
        workspace: &mut Workspace,
        batch: &[PossessionRequest],
    ) -> Result<Vec<Result<(), Rejection>>, CudaError> {
        finish(workspace, &Self::encodings(batch))
    }
}
