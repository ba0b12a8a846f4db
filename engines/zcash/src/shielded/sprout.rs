// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sprout: proofs of JoinSplits and their signature (Zcash protocol specification, sections 4.3,
//! 4.11, 5.4.1.5 and 5.4.6).

use halimede_arith::Fr;
use zcash_primitives::transaction::components::sprout::JsDescription;
use zcash_protocol::consensus::BranchId;

use super::ed25519::{verify, Equation};
use super::fault::ShieldedFault;
use super::keys::Statement;
use super::packing::pack_high_first;
use super::{Claim, Claimed, Subject};
use crate::block::BlockTransaction;
use crate::hash::personalized;
use crate::network::is_before_canopy;

/// Returns the claims of the JoinSplits with Groth16 proofs.
pub fn claims(transaction: &BlockTransaction) -> Vec<Claim> {
    let Some(bundle) = transaction.transaction().sprout_bundle() else { return Vec::new() };
    let join_splits = bundle.joinsplits.iter().enumerate();
    let claims = join_splits.filter_map(|(index, join_split)| {
        let proof = join_split.groth_proof_bytes()?;
        let inputs = inputs(join_split, &bundle.joinsplit_pubkey);
        Claim::new(Claimed::JoinSplit(index), Statement::JoinSplit, proof, inputs)
    });
    claims.collect()
}

/// Returns the number of JoinSplits with proofs of before Sapling (BCTV14).
pub fn old_proofs(transaction: &BlockTransaction) -> usize {
    let bundle = transaction.transaction().sprout_bundle();
    let all = bundle.map_or(&[][..], |bundle| &bundle.joinsplits);
    all.iter().filter(|join_split| join_split.groth_proof_bytes().is_none()).count()
}

/// Returns the number of JoinSplits with Groth16 proofs.
pub fn proofs(transaction: &BlockTransaction) -> usize {
    let bundle = transaction.transaction().sprout_bundle();
    let all = bundle.map_or(0, |bundle| bundle.joinsplits.len());
    all - old_proofs(transaction)
}

/// Returns the public inputs of a JoinSplit, in the order of `zcash_proofs`, as bits.
fn inputs(join_split: &JsDescription, key: &[u8; 32]) -> Vec<Fr> {
    let [first_nullifier, second_nullifier] = join_split.nullifiers();
    let [first_mac, second_mac] = join_split.macs();
    let [first_commitment, second_commitment] = join_split.commitments();
    let hashes = [
        join_split.anchor(),
        &signature_hash(join_split, key),
        first_nullifier,
        first_mac,
        second_nullifier,
        second_mac,
        first_commitment,
        second_commitment,
    ];
    let values = [join_split.vpub_old(), join_split.vpub_new()];
    let mut bytes: Vec<u8> = hashes.into_iter().flatten().copied().collect();
    bytes.extend(values.into_iter().flat_map(|value| value.to_i64_le_bytes()));
    pack_high_first(&bytes)
}

/// Returns hSig, which ties a JoinSplit to the key of its transaction (section 5.4.1.5).
fn signature_hash(join_split: &JsDescription, key: &[u8; 32]) -> [u8; 32] {
    let [first, second] = join_split.nullifiers();
    personalized(b"ZcashComputehSig", &[join_split.random_seed(), first, second, key])
}

/// Returns the fault of the signature of all JoinSplits.
pub fn signature_fault(subject: &Subject<'_>) -> Option<ShieldedFault> {
    let bundle = subject.of.transaction().sprout_bundle()?;
    let digest = subject.digest.as_ref().ok()?;
    let is_valid =
        verify(equation(subject.branch), &bundle.joinsplit_pubkey, &bundle.joinsplit_sig, digest);
    (!is_valid).then_some(ShieldedFault::JoinSplitSignature)
}

/// Returns the equation under the rules of this branch: ZIP 215 applies from Canopy on. An unknown
/// branch gets the weaker one, so that no valid signature is refused; the verdict is incomplete
/// then.
fn equation(branch: Option<BranchId>) -> Equation {
    match branch {
        Some(branch) if is_before_canopy(branch) => Equation::WithoutCofactor,
        _ => Equation::WithCofactor,
    }
}
