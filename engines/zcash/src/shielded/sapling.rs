// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sapling: points, proofs, authorization and binding signatures (Zcash protocol specification,
//! sections 4.4, 4.5, 4.13 and 5.4.7).

use halimede_arith::{Backend, Fr};
use jubjub::{AffinePoint, ExtendedPoint};
use rayon::prelude::*;
use sapling_crypto::bundle::{Authorized, GrothProofBytes, OutputDescription, SpendDescription};
use sapling_crypto::value::CommitmentSum;
use sapling_crypto::Bundle;
use zcash_protocol::value::ZatBalance;

use super::fault::ShieldedFault;
use super::keys::Statement;
use super::packing::pack_low_first;
use super::{is_later, Claim, Claimed, Subject};
use crate::block::BlockTransaction;
use crate::jubjub::{which_hold, Role, Signed};

type SaplingBundle = Bundle<Authorized, ZatBalance>;

/// Returns the faults of keys of small order. Encodings of commitments and randomized keys were
/// checked when the block was read.
pub fn point_faults(transaction: &BlockTransaction) -> Vec<ShieldedFault> {
    let Some(bundle) = transaction.transaction().sapling_bundle() else { return Vec::new() };
    let spends = bundle.shielded_spends().iter().enumerate();
    let spends = spends.filter(|(_, spend)| large_order((*spend.rk()).into()).is_none());
    let outputs = bundle.shielded_outputs().iter().enumerate();
    let outputs = outputs.filter(|(_, output)| large_order(output.ephemeral_key().0).is_none());
    spends
        .map(|(spend, _)| ShieldedFault::SpendKey { spend })
        .chain(outputs.map(|(output, _)| ShieldedFault::OutputKey { output }))
        .collect()
}

/// Returns the claims of spends and outputs. A part without a valid point has none, because its
/// point is a fault already.
pub fn claims(transaction: &BlockTransaction) -> Vec<Claim> {
    let Some(bundle) = transaction.transaction().sapling_bundle() else { return Vec::new() };
    let spends = bundle.shielded_spends().iter().enumerate();
    let spends = spends.filter_map(|(index, spend)| {
        let inputs = spend_inputs(spend)?;
        Claim::new(Claimed::Spend(index), Statement::Spend, spend.zkproof(), inputs)
    });
    let outputs = bundle.shielded_outputs().iter().enumerate();
    let outputs = outputs.filter_map(|(index, output)| {
        let inputs = output_inputs(output)?;
        Claim::new(Claimed::Output(index), Statement::Output, output.zkproof(), inputs)
    });
    spends.chain(outputs).collect()
}

/// Returns the number of proofs.
pub fn proofs(transaction: &BlockTransaction) -> usize {
    let bundle = transaction.transaction().sapling_bundle();
    bundle.map_or(0, |bundle| bundle.shielded_spends().len() + bundle.shielded_outputs().len())
}

/// Returns the public inputs of a spend: key, value commitment, anchor and nullifier (section
/// A.4).
fn spend_inputs(spend: &SpendDescription<Authorized>) -> Option<Vec<Fr>> {
    let key = coordinates(&large_order((*spend.rk()).into())?);
    let value = coordinates(&AffinePoint::from(spend.cv().as_inner()));
    let anchor = element(spend.anchor().to_bytes());
    let nullifier = pack_low_first(&spend.nullifier().0);
    Some([&key[..], &value, &[anchor], &nullifier].concat())
}

/// Returns the public inputs of an output: value commitment, ephemeral key and note commitment
/// (section A.5).
fn output_inputs(output: &OutputDescription<GrothProofBytes>) -> Option<Vec<Fr>> {
    let value = coordinates(&AffinePoint::from(output.cv().as_inner()));
    let key = coordinates(&large_order(output.ephemeral_key().0)?);
    Some([&value[..], &key, &[element(output.cmu().to_bytes())]].concat())
}

/// Returns the point with this canonical encoding, unless its order is small.
fn large_order(bytes: [u8; 32]) -> Option<AffinePoint> {
    let point = Option::<AffinePoint>::from(AffinePoint::from_bytes(bytes))?;
    let is_small: bool = ExtendedPoint::from(point).is_small_order().into();
    (!is_small).then_some(point)
}

fn coordinates(point: &AffinePoint) -> [Fr; 2] {
    [point.get_u().to_bytes(), point.get_v().to_bytes()].map(element)
}

/// Converts a canonical encoding.
fn element(bytes: [u8; 32]) -> Fr {
    Fr::from_le_bytes(&bytes).unwrap_or_default()
}

/// A signature with the fault that it would be.
type Signature = (ShieldedFault, Signed);

/// Returns the faults of authorization and binding signatures, with the indices of their
/// transactions. All are verified together.
pub fn signature_faults(subjects: &[Subject<'_>]) -> Vec<(usize, ShieldedFault)> {
    let signatures = subjects.par_iter().enumerate().flat_map_iter(|(index, subject)| {
        signatures(subject).into_iter().map(move |(fault, signed)| ((index, fault), signed))
    });
    let (faults, signed): (Vec<_>, Vec<Signed>) = signatures.unzip();
    let verdicts = which_hold(Backend::active(), &signed);
    let failed = faults.into_iter().zip(verdicts).filter(|(_, holds)| !holds);
    failed.map(|(fault, _)| fault).collect()
}

fn signatures(subject: &Subject<'_>) -> Vec<Signature> {
    let Some(bundle) = subject.of.transaction().sapling_bundle() else { return Vec::new() };
    let Ok(message) = subject.digest else { return Vec::new() };
    if is_later(subject.of) {
        return Vec::new();
    }
    let spends = bundle.shielded_spends().iter().enumerate().map(|(index, spend)| {
        let (key, signature) = ((*spend.rk()).into(), (*spend.spend_auth_sig()).into());
        let signed = Signed { role: Role::SpendAuthorization, key, signature, message };
        (ShieldedFault::SpendSignature { spend: index }, signed)
    });
    let (key, signature) = (binding_key(bundle), bundle.authorization().binding_sig.into());
    let binding = Signed { role: Role::Binding, key, signature, message };
    spends.chain([(ShieldedFault::SaplingBinding, binding)]).collect()
}

/// Returns the encoding of the key of the binding signature: the commitments of spends, without
/// those of outputs and a commitment to the balance (section 4.13).
fn binding_key(bundle: &SaplingBundle) -> [u8; 32] {
    let mut sum = CommitmentSum::zero();
    bundle.shielded_spends().iter().for_each(|spend| sum += spend.cv());
    bundle.shielded_outputs().iter().for_each(|output| sum -= output.cv());
    sum.into_bvk(*bundle.value_balance()).into()
}
