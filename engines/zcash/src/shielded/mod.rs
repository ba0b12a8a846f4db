// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The shielded parts of blocks: proofs, signatures and points of Sprout, Sapling and Orchard
//! (Zcash protocol specification, sections 4.3 to 4.6 and 4.11 to 4.14), and the shielded outputs
//! of the coinbase transaction (ZIP 213).
//!
//! Groth16 proofs are requests to a device. Signatures and Halo 2 proofs are verified here, those
//! of all blocks together; if a batch fails, its invalid items are searched for.

mod ed25519;
mod fault;
mod keys;
mod notes;
mod orchard;
mod packing;
mod sapling;
mod sprout;

pub use fault::ShieldedFault;
pub use keys::Statement;
pub use sprout::old_proofs;

use chacha20::rand_core::SeedableRng;
use chacha20::ChaCha20Rng;
use halimede_bls12_381::groth16::Rejection;
use halimede_bls12_381::operations::ProofRequest;
use rayon::prelude::*;
use zcash_primitives::transaction::TxVersion;
use zcash_protocol::consensus::BranchId;

use crate::block::BlockTransaction;
use crate::verdict::NotChecked;

/// The checks of the shielded parts of a transaction.
#[derive(Debug, Default)]
pub struct ShieldedChecks {
    faults: Vec<ShieldedFault>,
    proofs: Vec<Claim>,
    /// The number of signatures that were not checked, because the digest that they sign is
    /// unknown.
    unsigned: usize,
}

/// A Groth16 proof.
#[derive(Debug)]
struct Claim {
    statement: Claimed,
    request: ProofRequest,
    answer: Option<Result<(), Rejection>>,
}

/// The part that a Groth16 proof belongs to, by its index.
#[derive(Clone, Copy, Debug)]
enum Claimed {
    JoinSplit(usize),
    Spend(usize),
    Output(usize),
}

/// A transaction with the rules that apply to its shielded parts.
#[derive(Clone, Debug)]
pub struct Subject<'b> {
    /// The transaction.
    pub of: &'b BlockTransaction,
    /// The consensus branch of the height, if it is known.
    pub branch: Option<BranchId>,
    /// The digest that shielded signatures sign ([`Digests::shielded`](crate::Digests::shielded)),
    /// or the reason why it is unknown.
    pub digest: Result<[u8; 32], NotChecked>,
}

/// Checks the shielded parts of transactions together. Proofs for devices remain open.
pub fn check(subjects: &[Subject<'_>]) -> Vec<ShieldedChecks> {
    let keys = sapling::Keys::of(subjects);
    let all = subjects.par_iter().zip(&keys);
    let mut all: Vec<_> = all.map(|(of, keys)| ShieldedChecks::new(of, keys)).collect();
    let faults = [sapling::signature_faults(subjects), orchard::faults(subjects)];
    for (index, fault) in faults.into_iter().flatten() {
        all[index].faults.push(fault);
    }
    all
}

impl ShieldedChecks {
    fn new(subject: &Subject<'_>, keys: &sapling::Keys) -> Self {
        if is_later(subject.of) {
            return Self::default();
        }
        let mut faults = keys.faults();
        faults.extend(sprout::signature_fault(subject));
        faults.extend(notes::faults(subject));
        let proofs =
            sprout::claims(subject.of).into_iter().chain(sapling::claims(subject.of, keys));
        let unsigned = if subject.digest.is_err() { signatures(subject.of) } else { 0 };
        Self { faults, proofs: proofs.collect(), unsigned }
    }

    /// The proofs to verify on a device.
    pub fn requests(&self) -> impl Iterator<Item = &ProofRequest> {
        self.proofs.iter().map(|claim| &claim.request)
    }

    /// Takes the answers to [`Self::requests`], in order.
    pub fn answer(&mut self, answers: impl Iterator<Item = Result<(), Rejection>>) {
        for (claim, answer) in self.proofs.iter_mut().zip(answers) {
            claim.answer = Some(answer);
        }
    }

    /// Returns the faults found.
    pub fn faults(&self) -> Vec<ShieldedFault> {
        self.faults.iter().cloned().chain(self.proofs.iter().filter_map(Claim::fault)).collect()
    }

    /// The number of this transaction's Groth16 proofs without an answer, including those of parts
    /// without a valid point, which have no request.
    pub fn unanswered(&self, of: &BlockTransaction) -> usize {
        let answered = self.proofs.iter().filter(|claim| claim.answer.is_some()).count();
        let all = if is_later(of) { 0 } else { sprout::proofs(of) + sapling::proofs(of) };
        all.saturating_sub(answered)
    }

    /// The number of signatures whose digest is unknown.
    pub fn unsigned(&self) -> usize {
        self.unsigned
    }
}

impl Claim {
    fn new(
        statement: Claimed,
        key: Statement,
        proof: &[u8],
        inputs: Vec<halimede_arith::Fr>,
    ) -> Option<Self> {
        let request = ProofRequest { key: key.key()?, proof: proof.to_vec(), inputs };
        Some(Self { statement, request, answer: None })
    }

    fn fault(&self) -> Option<ShieldedFault> {
        let reason = self.answer.clone()?.err()?;
        Some(match self.statement {
            Claimed::JoinSplit(join_split) => ShieldedFault::JoinSplitProof { join_split, reason },
            Claimed::Spend(spend) => ShieldedFault::SpendProof { spend, reason },
            Claimed::Output(output) => ShieldedFault::OutputProof { output, reason },
        })
    }
}

/// Returns `true` if the specification lacks the rules for this version.
fn is_later(transaction: &BlockTransaction) -> bool {
    transaction.transaction().version() == TxVersion::V6
}

/// Returns the number of shielded signatures.
pub fn signatures(transaction: &BlockTransaction) -> usize {
    let data = transaction.transaction();
    let sprout = data.sprout_bundle().map_or(0, |_| 1);
    let sapling = data.sapling_bundle().map_or(0, |bundle| bundle.shielded_spends().len() + 1);
    let orchard = data.orchard_bundle().map_or(0, |bundle| bundle.actions().len() + 1);
    sprout + sapling + orchard
}

/// Returns a generator that the author of a block cannot predict; `None` if the operating system
/// has no random numbers.
fn random() -> Option<ChaCha20Rng> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).ok()?;
    Some(ChaCha20Rng::from_seed(seed))
}
