// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sapling: points, proofs, authorization and binding signatures (Zcash protocol specification,
//! sections 4.4, 4.5, 4.13 and 5.4.7).

use halimede_arith::{Backend, Fr};
use jubjub::{batch_normalize, AffinePoint, ExtendedPoint};
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
use crate::jubjub::{decode_large_order, which_hold, Role, Signed};

/// The number of keys that a thread decodes together.
const KEYS_OF_A_THREAD: usize = 64;

type SaplingBundle = Bundle<Authorized, ZatBalance>;

/// The coordinates of the keys of a bundle: randomized keys of spends, and ephemeral keys of
/// outputs. `None` for a key that is not the canonical encoding of a point of large order.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    spends: Vec<Option<[Fr; 2]>>,
    outputs: Vec<Option<[Fr; 2]>>,
}

impl Keys {
    /// Returns the keys of each transaction, decoded together.
    pub fn of(subjects: &[Subject<'_>]) -> Vec<Self> {
        let bundles = subjects.iter().map(|subject| subject.of.transaction().sapling_bundle());
        let bundles: Vec<_> = bundles.collect();
        let encodings = bundles.iter().flatten().flat_map(|bundle| {
            let spends = bundle.shielded_spends().iter().map(|spend| (*spend.rk()).into());
            spends.chain(bundle.shielded_outputs().iter().map(|output| output.ephemeral_key().0))
        });
        let encodings: Vec<[u8; 32]> = encodings.collect();
        let parts = encodings.par_chunks(KEYS_OF_A_THREAD);
        let decoded = parts.flat_map_iter(|part| decode_large_order(Backend::active(), part));
        let mut decoded = decoded.collect::<Vec<_>>().into_iter();
        let keys = bundles.into_iter().map(|bundle| {
            let Some(bundle) = bundle else { return Self::default() };
            let mut take = |count| decoded.by_ref().take(count).collect();
            Self {
                spends: take(bundle.shielded_spends().len()),
                outputs: take(bundle.shielded_outputs().len()),
            }
        });
        keys.collect()
    }

    /// Returns the faults of keys that are not points of large order. Encodings of commitments and
    /// randomized keys were checked when the block was read.
    pub fn faults(&self) -> Vec<ShieldedFault> {
        let bad = |keys: &[Option<[Fr; 2]>]| {
            let bad = keys.iter().enumerate().filter(|(_, key)| key.is_none());
            bad.map(|(index, _)| index).collect::<Vec<_>>()
        };
        let spends = bad(&self.spends).into_iter().map(|spend| ShieldedFault::SpendKey { spend });
        let outputs = bad(&self.outputs).into_iter();
        spends.chain(outputs.map(|output| ShieldedFault::OutputKey { output })).collect()
    }
}

/// Returns the claims of spends and outputs. A part without a valid key has none, because the key
/// is a fault already.
pub fn claims(transaction: &BlockTransaction, keys: &Keys) -> Vec<Claim> {
    let Some(bundle) = transaction.transaction().sapling_bundle() else { return Vec::new() };
    let (spends, outputs) = (bundle.shielded_spends(), bundle.shielded_outputs());
    let values = spends.iter().map(SpendDescription::cv);
    let values = values.chain(outputs.iter().map(OutputDescription::cv));
    let mut values: Vec<ExtendedPoint> = values.map(|value| *value.as_inner()).collect();
    let values: Vec<_> = batch_normalize(&mut values).map(|point| coordinates(&point)).collect();
    let (spend_values, output_values) = values.split_at(spends.len());
    let spends = spends.iter().zip(&keys.spends).zip(spend_values).enumerate();
    let spends = spends.filter_map(|(index, ((spend, key), value))| {
        let inputs = spend_inputs(spend, (*key)?, *value);
        Claim::new(Claimed::Spend(index), Statement::Spend, spend.zkproof(), inputs)
    });
    let outputs = outputs.iter().zip(&keys.outputs).zip(output_values).enumerate();
    let outputs = outputs.filter_map(|(index, ((output, key), value))| {
        let inputs = output_inputs(output, (*key)?, *value);
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
fn spend_inputs(spend: &SpendDescription<Authorized>, key: [Fr; 2], value: [Fr; 2]) -> Vec<Fr> {
    let anchor = element(spend.anchor().to_bytes());
    let nullifier = pack_low_first(&spend.nullifier().0);
    [&key[..], &value, &[anchor], &nullifier].concat()
}

/// Returns the public inputs of an output: value commitment, ephemeral key and note commitment
/// (section A.5).
fn output_inputs(
    output: &OutputDescription<GrothProofBytes>,
    key: [Fr; 2],
    value: [Fr; 2],
) -> Vec<Fr> {
    [&value[..], &key, &[element(output.cmu().to_bytes())]].concat()
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
