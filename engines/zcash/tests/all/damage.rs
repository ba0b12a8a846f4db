// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Structural damage to real blocks: a bit of each field of a shielded part, exchanged proofs and
//! signatures, and repeated nullifiers. The Merkle root is repaired, so that only the transaction
//! itself can show the damage. No damaged transaction is valid.

use std::collections::BTreeMap;

use crate::common::real::Real;
use halimede_zcash::{merkle_root, Block, BlockTransaction, TransactionReport, Verdict};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The number of times that each kind of damage is done, without `HALIMEDE_SWEEP`.
const TIMES: usize = 1;

/// Damage to a transaction: its name, and the changed places of its bytes.
pub struct Damage {
    name: String,
    changes: Vec<(usize, Vec<u8>)>,
}

impl Damage {
    /// Returns the damaged bytes of the transaction.
    pub fn apply(&self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for (at, change) in &self.changes {
            bytes[*at..at + change.len()].copy_from_slice(change);
        }
        bytes
    }
}

/// The fields of a transaction, with the bytes that precede them if they are not unique.
struct Fields<'t> {
    bytes: &'t [u8],
    found: Vec<(&'static str, usize, usize)>,
}

impl Fields<'_> {
    fn add(&mut self, name: &'static str, field: &[u8]) {
        self.add_after(name, &[], field);
    }

    /// Adds the field that follows these bytes.
    fn add_after(&mut self, name: &'static str, before: &[u8], field: &[u8]) {
        let all = [before, field].concat();
        let at = self.bytes.windows(all.len()).position(|window| window == all);
        self.found.push((name, at.unwrap() + before.len(), field.len()));
    }
}

fn fields(of: &BlockTransaction) -> Fields<'_> {
    let mut fields = Fields { bytes: of.bytes(), found: Vec::new() };
    let data = of.transaction();
    if let Some(bundle) = data.sprout_bundle() {
        for part in &bundle.joinsplits {
            fields.add("JoinSplit anchor", part.anchor());
            fields.add("JoinSplit seed", part.random_seed());
            part.nullifiers().iter().for_each(|of| fields.add("JoinSplit nullifier", of));
            part.commitments().iter().for_each(|of| fields.add("JoinSplit commitment", of));
            part.macs().iter().for_each(|of| fields.add("JoinSplit MAC", of));
            part.groth_proof_bytes().iter().for_each(|of| fields.add("JoinSplit proof", &of[..]));
        }
        fields.add("JoinSplit key", &bundle.joinsplit_pubkey);
        fields.add("JoinSplit signature", &bundle.joinsplit_sig);
    }
    if let Some(bundle) = data.sapling_bundle() {
        for spend in bundle.shielded_spends() {
            fields.add("spend commitment", &spend.cv().to_bytes());
            fields.add("spend anchor", &spend.anchor().to_bytes());
            fields.add("spend nullifier", &spend.nullifier().0);
            fields.add("spend key", &<[u8; 32]>::from(*spend.rk()));
            fields.add("spend proof", spend.zkproof());
            fields.add("spend signature", &<[u8; 64]>::from(*spend.spend_auth_sig()));
        }
        for output in bundle.shielded_outputs() {
            fields.add("output value commitment", &output.cv().to_bytes());
            fields.add("output note commitment", &output.cmu().to_bytes());
            fields.add("output key", &output.ephemeral_key().0);
            fields.add("output ciphertext", output.enc_ciphertext());
            fields.add("output recovery ciphertext", output.out_ciphertext());
            fields.add("output proof", output.zkproof());
        }
        let balance = bundle.value_balance().to_i64_le_bytes();
        match (of.bytes()[0], bundle.shielded_outputs().last()) {
            (4, _) => {
                let expiry = u32::from(data.expiry_height()).to_le_bytes();
                fields.add_after("Sapling balance", &expiry, &balance);
            }
            (_, Some(output)) => {
                fields.add_after("Sapling balance", output.out_ciphertext(), &balance);
            }
            _ => {}
        }
        let binding = <[u8; 64]>::from(bundle.authorization().binding_sig);
        fields.add("Sapling binding signature", &binding);
    }
    if let Some(bundle) = data.orchard_bundle() {
        for action in bundle.actions() {
            let note = action.encrypted_note();
            fields.add("action value commitment", &action.cv_net().to_bytes());
            fields.add("action nullifier", &action.nullifier().to_bytes());
            fields.add("action key", &<[u8; 32]>::from(action.rk()));
            fields.add("action note commitment", &action.cmx().to_bytes());
            fields.add("action ephemeral key", &note.epk_bytes);
            fields.add("action ciphertext", note.enc_ciphertext.as_ref());
            fields.add("action recovery ciphertext", &note.out_ciphertext);
            fields.add("action signature", &<[u8; 64]>::from(action.authorization()));
        }
        let last = bundle.actions().last().encrypted_note().out_ciphertext;
        let balance = bundle.value_balance().to_i64_le_bytes();
        let at = fields.bytes.windows(last.len()).position(|window| window == last).unwrap();
        let flags = at + last.len();
        fields.found.push(("Orchard flags", flags, 1));
        assert_eq!(fields.bytes[flags + 1..flags + 9], balance);
        fields.found.push(("Orchard balance", flags + 1, 8));
        fields.add("Orchard anchor", &bundle.anchor().to_bytes());
        fields.add("Orchard proof", bundle.authorization().proof().as_ref());
        let binding = <[u8; 64]>::from(bundle.authorization().binding_signature());
        fields.add("Orchard binding signature", &binding);
    }
    fields
}

/// Returns the damage that can be done to a transaction: a bit of each field, and pairs of equal
/// fields exchanged, or the second replaced by the first.
pub fn all_damage(of: &BlockTransaction, random: &mut ChaCha8Rng) -> Vec<Damage> {
    let fields = fields(of);
    let mut all = Vec::new();
    for &(name, at, length) in &fields.found {
        let place = at + random.gen_range(0..length);
        let bit = 1 << random.gen_range(0..8);
        let changes = vec![(place, vec![fields.bytes[place] ^ bit])];
        all.push(Damage { name: format!("a bit of {name}"), changes });
    }
    for (index, &(name, first, length)) in fields.found.iter().enumerate() {
        let same = fields.found[index + 1..].iter().find(|(other, ..)| *other == name);
        let Some(&(_, second, _)) = same else { continue };
        let bytes = |at: usize| fields.bytes[at..at + length].to_vec();
        if bytes(first) == bytes(second) {
            continue;
        }
        let exchanged = vec![(first, bytes(second)), (second, bytes(first))];
        all.push(Damage { name: format!("two of {name} exchanged"), changes: exchanged });
        let repeated = vec![(second, bytes(first))];
        all.push(Damage { name: format!("{name} repeated"), changes: repeated });
    }
    all
}

/// Returns the report on the damaged transaction, with a repaired Merkle root; `None` if the bytes
/// are not a block any more.
fn report(real: &Real, of: &BlockTransaction, damage: &Damage) -> Option<TransactionReport> {
    let mut bytes = real.bytes.clone();
    bytes[of.range()].copy_from_slice(&damage.apply(of.bytes()));
    let block = Block::parse(&bytes, real.network).ok()?;
    let root = merkle_root(block.transactions().iter().map(BlockTransaction::txid)).root;
    bytes[36..68].copy_from_slice(&root.0);
    let report = real.report(&bytes).unwrap();
    assert_eq!(report.faults, [], "{}", damage.name);
    let number = block.transactions().iter().position(|other| other.range() == of.range());
    Some(report.transactions[number.unwrap()].clone())
}

#[test]
fn no_damaged_part_leaves_a_valid_transaction() {
    let is_sweep = std::env::var_os("HALIMEDE_SWEEP").is_some();
    let mut random = ChaCha8Rng::seed_from_u64(0x46);
    let mut done: BTreeMap<String, usize> = BTreeMap::new();
    let mut verdicts = [0; 3];
    let mut refused = 0;
    for real in Real::all() {
        let block = Block::parse(&real.bytes, real.network).unwrap();
        for of in block.transactions() {
            for damage in all_damage(of, &mut random) {
                let times = done.entry(damage.name.clone()).or_default();
                if !is_sweep && *times >= TIMES {
                    continue;
                }
                *times += 1;
                let Some(report) = report(&real, of, &damage) else {
                    refused += 1;
                    continue;
                };
                let verdict = report.verdict();
                let place = format!("{} {}: {}", real.network.name(), real.height, damage.name);
                assert_ne!(verdict, Verdict::Valid, "{place}");
                // Only signatures of unknown outputs may hide damage.
                let data = of.transaction();
                let inputs = data.transparent_bundle().map_or(0, |bundle| bundle.vin.len());
                let is_open = of.bytes()[0] == 5 && inputs > 0 && !of.is_coinbase();
                assert!(verdict == Verdict::Invalid || is_open, "{place}");
                verdicts[verdict as usize] += 1;
            }
        }
    }
    println!("{} kinds, {refused} rejected, {verdicts:?}: {done:?}", done.len());
    assert!(done.len() > 60 && verdicts[1] > refused, "{} {verdicts:?} {refused}", done.len());
}
