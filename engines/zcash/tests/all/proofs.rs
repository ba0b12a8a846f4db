// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proofs and signatures of shielded parts: those of real blocks hold, and every damaged one is
//! named.

use std::collections::BTreeMap;

use crate::common::real::Real;
use halimede_equihash::Mask;
use halimede_zcash::{
    Block, BlockTransaction, Known, Network, ShieldedFault, SpentOutputs, TransactionFault,
};

/// Returns the shielded faults of each transaction, with proofs verified here.
fn faults(bytes: &[u8], network: Network, height: u32) -> Vec<Vec<ShieldedFault>> {
    let real = Real { network, height, bytes: Vec::new() };
    let report = real.report(bytes).unwrap();
    let shielded = |fault: &TransactionFault| match fault {
        TransactionFault::Shielded(fault) => Some(fault.clone()),
        _ => None,
    };
    report.transactions.iter().map(|of| of.faults.iter().filter_map(shielded).collect()).collect()
}

/// The name of a fault's kind.
fn kind(fault: &ShieldedFault) -> &'static str {
    match fault {
        ShieldedFault::JoinSplitProof { .. } => "JoinSplit proof",
        ShieldedFault::JoinSplitSignature => "JoinSplit signature",
        ShieldedFault::SpendKey { .. } => "spend key",
        ShieldedFault::SpendProof { .. } => "spend proof",
        ShieldedFault::SpendSignature { .. } => "spend signature",
        ShieldedFault::OutputKey { .. } => "output key",
        ShieldedFault::OutputProof { .. } => "output proof",
        ShieldedFault::SaplingBinding => "Sapling binding signature",
        ShieldedFault::ActionsProof => "actions proof",
        ShieldedFault::ActionSignature { .. } => "action signature",
        ShieldedFault::OrchardBinding => "Orchard binding signature",
        ShieldedFault::CoinbaseNote { .. } => "coinbase note",
        _ => "other",
    }
}

/// A part of a transaction: the kind of fault that damage to it causes, the index in the fault, and
/// the bytes.
struct Part {
    kind: &'static str,
    index: Option<usize>,
    bytes: Vec<u8>,
}

fn part(kind: &'static str, index: Option<usize>, bytes: &[u8]) -> Part {
    Part { kind, index, bytes: bytes.to_vec() }
}

/// Returns the proofs and signatures of a transaction.
fn parts(of: &BlockTransaction) -> Vec<Part> {
    let data = of.transaction();
    let mut parts = Vec::new();
    if let Some(bundle) = data.sprout_bundle() {
        for (index, join_split) in bundle.joinsplits.iter().enumerate() {
            let proof = join_split.groth_proof_bytes();
            parts.extend(proof.map(|proof| part("JoinSplit proof", Some(index), proof)));
        }
        parts.push(part("JoinSplit signature", None, &bundle.joinsplit_sig));
    }
    if let Some(bundle) = data.sapling_bundle() {
        for (index, spend) in bundle.shielded_spends().iter().enumerate() {
            parts.push(part("spend proof", Some(index), spend.zkproof()));
            let signature = <[u8; 64]>::from(*spend.spend_auth_sig());
            parts.push(part("spend signature", Some(index), &signature));
        }
        for (index, output) in bundle.shielded_outputs().iter().enumerate() {
            parts.push(part("output proof", Some(index), output.zkproof()));
        }
        let binding = <[u8; 64]>::from(bundle.authorization().binding_sig);
        parts.push(part("Sapling binding signature", None, &binding));
    }
    if let Some(bundle) = data.orchard_bundle() {
        parts.push(part("actions proof", None, bundle.authorization().proof().as_ref()));
        for (index, action) in bundle.actions().iter().enumerate() {
            let signature = <[u8; 64]>::from(action.authorization());
            parts.push(part("action signature", Some(index), &signature));
        }
        let binding = <[u8; 64]>::from(bundle.authorization().binding_signature());
        parts.push(part("Orchard binding signature", None, &binding));
    }
    parts
}

fn place(bytes: &[u8], field: &[u8]) -> usize {
    bytes.windows(field.len()).position(|window| window == field).unwrap()
}

/// The index that a fault names.
fn index_of(fault: &ShieldedFault) -> Option<usize> {
    match fault {
        ShieldedFault::JoinSplitProof { join_split: index, .. }
        | ShieldedFault::SpendKey { spend: index }
        | ShieldedFault::SpendProof { spend: index, .. }
        | ShieldedFault::SpendSignature { spend: index }
        | ShieldedFault::OutputKey { output: index }
        | ShieldedFault::OutputProof { output: index, .. }
        | ShieldedFault::ActionSignature { action: index }
        | ShieldedFault::CoinbaseNote { output: index, .. } => Some(*index),
        _ => None,
    }
}

#[test]
fn real_blocks_hold() {
    let mut seen: BTreeMap<&'static str, usize> = BTreeMap::new();
    for real in Real::all() {
        let block = Block::parse(&real.bytes, real.network).unwrap();
        for of in block.transactions() {
            parts(of).iter().for_each(|part| *seen.entry(part.kind).or_default() += 1);
        }
        let all = faults(&real.bytes, real.network, real.height);
        assert!(all.iter().all(Vec::is_empty), "{} {}: {all:?}", real.network.name(), real.height);
    }
    println!("{seen:?}");
    assert_eq!(seen.len(), 9, "{seen:?}");
}

/// Flips one bit in a proof or signature of each kind in each block. Version 4 signatures sign the
/// proofs too, so that other faults may accompany the expected one.
#[test]
fn a_damaged_part_is_named() {
    let mut seen: BTreeMap<&'static str, usize> = BTreeMap::new();
    for (turn, real) in Real::all().iter().enumerate() {
        let block = Block::parse(&real.bytes, real.network).unwrap();
        let mut done = BTreeMap::new();
        for (number, of) in block.transactions().iter().enumerate() {
            for part in parts(of) {
                // A transaction whose spent outputs are unknown has unverified signatures.
                let is_signature = part.kind.ends_with("signature");
                let is_v5 = of.bytes()[0] == 5;
                let inputs = of.transaction().transparent_bundle().map_or(0, |all| all.vin.len());
                let is_open = is_signature && is_v5 && inputs > 0 && !of.is_coinbase();
                if is_open || done.insert(part.kind, ()).is_some() {
                    continue;
                }
                let at = of.range().start + place(of.bytes(), &part.bytes);
                let mut damaged = real.bytes.clone();
                // The second half of a signature is a number; a proof keeps its lead bits.
                damaged[at + part.bytes.len() / 2 + turn % 24] ^= 1 << (turn % 8);
                let all = faults(&damaged, real.network, real.height);
                let named = |fault: &ShieldedFault| {
                    kind(fault) == part.kind && index_of(fault) == part.index
                };
                assert!(all[number].iter().any(named), "{} {:?}", part.kind, all[number]);
                let others = all.iter().enumerate().filter(|(other, _)| *other != number);
                assert!(others.into_iter().all(|(_, faults)| faults.is_empty()));
                *seen.entry(part.kind).or_default() += 1;
            }
        }
    }
    println!("{seen:?}");
    assert_eq!(seen.len(), 9, "{seen:?}");
}

/// Encodings of points of small order: the neutral element, and (0, −1).
fn small_orders() -> [[u8; 32]; 2] {
    let neutral: [u8; 32] = std::array::from_fn(|at| u8::from(at == 0));
    let minus_one = "00000000fffffffffe5bfeff02a4bd5305d8a10908d83933487d9d2953a7ed73";
    let mut second = [0; 32];
    hex::decode_to_slice(minus_one, &mut second).unwrap();
    [neutral, second]
}

#[test]
fn keys_of_small_order_are_refused() {
    let mut seen = [0; 2];
    for real in Real::all() {
        let block = Block::parse(&real.bytes, real.network).unwrap();
        for (number, of) in block.transactions().iter().enumerate() {
            let Some(bundle) = of.transaction().sapling_bundle() else { continue };
            let spend = bundle.shielded_spends().first().filter(|_| seen[0] < 2);
            let output = bundle.shielded_outputs().first().filter(|_| seen[1] < 2);
            let spend = spend.map(|spend| ("spend key", <[u8; 32]>::from(*spend.rk())));
            let output = output.map(|output| ("output key", output.ephemeral_key().0));
            for (name, key) in spend.into_iter().chain(output) {
                let at = of.range().start + place(of.bytes(), &key);
                // The last is not the canonical encoding of a point.
                for other in small_orders().into_iter().chain([[0xff; 32]]) {
                    let mut damaged = real.bytes.clone();
                    damaged[at..at + 32].copy_from_slice(&other);
                    if name == "spend key" && other == [0xff; 32] {
                        assert!(Block::parse(&damaged, real.network).is_err());
                        continue;
                    }
                    let all = faults(&damaged, real.network, real.height);
                    assert!(all[number].iter().any(|fault| kind(fault) == name), "{all:?}");
                }
                seen[usize::from(name == "output key")] += 1;
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}

#[test]
fn outputs_of_coinbase_transactions_must_decrypt() {
    let mut seen: BTreeMap<&'static str, usize> = BTreeMap::new();
    for real in Real::all() {
        let block = Block::parse(&real.bytes, real.network).unwrap();
        let coinbase = &block.transactions()[0];
        let data = coinbase.transaction();
        let sapling = data.sapling_bundle().into_iter().flat_map(|of| of.shielded_outputs());
        let sapling = sapling.map(|of| ("Sapling", of.enc_ciphertext()[..].to_vec()));
        let orchard = data.orchard_bundle().into_iter().flat_map(|bundle| bundle.actions());
        let orchard = orchard.map(|of| ("Orchard", of.encrypted_note().enc_ciphertext.0.to_vec()));
        for (pool, ciphertext) in sapling.chain(orchard) {
            let at = coinbase.range().start + place(coinbase.bytes(), &ciphertext);
            let mut damaged = real.bytes.clone();
            damaged[at + 7] ^= 2;
            let all = faults(&damaged, real.network, real.height);
            let is_named = |fault: &ShieldedFault| matches!(fault, ShieldedFault::CoinbaseNote { pool: named, .. } if *named == pool);
            assert!(all[0].iter().any(is_named), "{pool} {all:?}");
            *seen.entry(pool).or_default() += 1;
        }
    }
    println!("{seen:?}");
    assert!(seen.contains_key("Sapling"), "{seen:?}");
}

#[test]
fn proofs_without_an_answer_are_counted() {
    for real in Real::all() {
        let block = Block::parse(&real.bytes, real.network).unwrap();
        let known = Known { height: Some(real.height), ..Known::default() };
        let spent = SpentOutputs::default();
        let mut checks = block.checks(&spent, known);
        let proofs = checks.proofs();
        assert!(checks.answer_proofs(&vec![Ok(()); proofs.len() + 1]).is_err());
        let report = checks.report(Mask::VALID);
        let counts: BTreeMap<_, _> =
            report.unchecked.iter().map(|of| (of.gap.name(), of.count)).collect();
        let named = counts.get("Groth16 proofs without a device's answer").copied();
        assert_eq!(named.unwrap_or(0), proofs.len());
    }
}
