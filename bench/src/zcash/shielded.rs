// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bundles of real blocks: proofs and signatures, alone and in batches, against the
//! `BatchValidator` of `sapling-crypto` and `orchard`.

use std::hint::black_box;
use std::sync::Arc;

use halimede_arith::job::{Answered, Compute, DeviceError, Execute, Timing};
use halimede_arith::Backend;
use halimede_zcash::{verify_shielded, Block, BlockTransaction, BranchId, Digests, Network};
use orchard::bundle::BatchValidator as OrchardValidator;
use orchard::circuit::{OrchardCircuitVersion, VerifyingKey as OrchardKey};
use sapling_crypto::circuit::{
    OutputParameters, OutputVerifyingKey, SpendParameters, SpendVerifyingKey,
};
use sapling_crypto::BatchValidator;

use super::made;
use super::signed::Signed;
use crate::comparison::Comparison;

/// Without AVX-512, nothing may be slower than the peer.
const AIM_WITHOUT_LANES: f64 = 1.0;
/// The most Sapling spends, and outputs, and the most Orchard actions of a block in ZIP 218's
/// draft.
const MOST_SPENDS: usize = 300;
const MOST_ACTIONS: usize = 330;

macro_rules! block {
    ($network:literal, $height:literal) => {
        include_str!(concat!(
            "../../../engines/zcash/vectors/blocks/",
            $network,
            "_",
            $height,
            ".hex"
        ))
    };
}

/// Blocks with Sapling and Orchard parts; see engines/zcash/vectors/README.md.
const BLOCKS: [(Network, BranchId, &str); 8] = [
    (Network::Main, BranchId::Blossom, block!("main", "0653601")),
    (Network::Main, BranchId::Heartwood, block!("main", "0975066")),
    (Network::Main, BranchId::Canopy, block!("main", "1046401")),
    (Network::Main, BranchId::Nu5, block!("main", "1687106")),
    (Network::Main, BranchId::Nu5, block!("main", "1687108")),
    (Network::Main, BranchId::Nu5, block!("main", "1687118")),
    (Network::Test, BranchId::Nu5, block!("test", "1842421")),
    (Network::Test, BranchId::Nu5, block!("test", "1842467")),
];

/// A device that computes in the calling thread's pool.
struct Here;

impl<Op: Compute> Execute<Op> for Here {
    fn execute(&self, batch: Op::Batch<'_>) -> Result<Answered<Op::Replies>, DeviceError> {
        Ok(Answered { replies: Op::compute_batch(batch), timing: Timing::default() })
    }
}

/// The peers' keys.
pub struct Keys {
    spend: SpendVerifyingKey,
    output: OutputVerifyingKey,
    orchard: OrchardKey,
}

impl Keys {
    fn new() -> Result<Self, String> {
        let (spend, output) = wagyu_zcash_parameters::load_sapling_parameters();
        let text = |error: std::io::Error| error.to_string();
        Ok(Self {
            spend: SpendParameters::read(&spend[..], false).map_err(text)?.verifying_key(),
            output: OutputParameters::read(&output[..], false).map_err(text)?.verifying_key(),
            orchard: OrchardKey::build(OrchardCircuitVersion::InsecurePreNu6_2),
        })
    }
}

/// The transactions with only Sapling, or only Orchard parts, whose digests are known.
fn transactions() -> Result<Vec<Signed>, String> {
    let mut all = Vec::new();
    for (network, branch, digits) in BLOCKS {
        let block = Block::parse(digits.as_bytes(), network).map_err(|error| error.to_string())?;
        for of in block.transactions() {
            let data = of.transaction();
            let is_mixed = data.sapling_bundle().is_some() == data.orchard_bundle().is_some();
            if is_mixed || data.sprout_bundle().is_some() || of.is_coinbase() {
                continue;
            }
            let inputs = data.transparent_bundle().map_or(0, |bundle| bundle.vin.len());
            let digests = Digests::new(of, Some(branch), vec![None; inputs]);
            let Ok(digest) = digests.shielded() else { continue };
            let transaction = BlockTransaction::parse(of.bytes());
            let transaction = transaction.map_err(|error| error.to_string())?;
            all.push(Signed { transaction, branch, digest });
        }
    }
    Ok(all)
}

fn by_ours(all: &[Signed]) -> bool {
    let subjects: Vec<_> = all.iter().map(Signed::subject).collect();
    let verdicts = verify_shielded(&Here, &subjects);
    verdicts.is_ok_and(|all| all.iter().all(|of| of.faults.is_empty() && of.unchecked == 0))
}

fn by_sapling_crypto(all: &[Signed], keys: &Keys) -> bool {
    let mut validator = BatchValidator::new();
    let are_added = all.iter().all(|of| {
        let bundle = of.transaction.transaction().sapling_bundle();
        bundle.is_some_and(|bundle| validator.check_bundle(bundle.clone(), of.digest))
    });
    are_added
        && validator.validate(
            &keys.spend,
            &keys.output,
            rand_core_peer::UnwrapErr(getrandom::SysRng),
        )
}

fn by_orchard(all: &[Signed], keys: &Keys) -> bool {
    let mut validator = OrchardValidator::new(&keys.orchard);
    let are_added = all.iter().all(|of| {
        let bundle = of.transaction.transaction().orchard_bundle();
        bundle.is_some_and(|bundle| validator.add_bundle(bundle, of.digest).is_ok())
    });
    are_added && validator.validate(rand_core_peer::UnwrapErr(getrandom::SysRng))
}

/// A peer: its name, and its verdict on all parts together.
type Peer = (&'static str, fn(&[Signed], &Keys) -> bool);

const SAPLING_CRYPTO: Peer = ("sapling-crypto 0.9, BatchValidator", by_sapling_crypto);
const ORCHARD: Peer = ("orchard 0.16, BatchValidator", by_orchard);

/// All cases.
///
/// # Errors
/// If the verdicts differ.
pub fn comparisons(threads: usize) -> Result<Vec<Comparison>, String> {
    let keys = Arc::new(Keys::new()?);
    let (orchard, sapling): (Vec<_>, Vec<_>) =
        transactions()?.into_iter().partition(|of| of.actions() > 0);
    let one = sapling.iter().position(|of| of.spends() > 0 && of.outputs() > 0);
    let one = one.ok_or("no transaction of Sapling with a spend and an output")?;
    // Real transactions, repeated until they have 64 spends and 64 outputs.
    let mut many = Vec::new();
    let (mut spends, mut outputs) = (0, 0);
    for of in sapling.iter().cycle() {
        if spends >= 64 && outputs >= 64 {
            break;
        }
        spends += of.spends();
        outputs += of.outputs();
        many.push(of.copy()?);
    }
    let alone = vec![sapling[one].copy()?];
    let proofs = alone[0].spends() + alone[0].outputs();
    let first = orchard.first().ok_or("no transaction of Orchard")?.copy()?;
    let batch: Result<Vec<_>, _> = orchard.iter().cycle().take(64).map(Signed::copy).collect();
    let both = format!("sapling-{spends}-spends-{outputs}-outputs");
    [
        ("sapling-transaction".to_owned(), alone, proofs, 1.2, SAPLING_CRYPTO),
        (both, many, spends + outputs, 5.0, SAPLING_CRYPTO),
        ("orchard-transaction".to_owned(), vec![first], 1, 1.2, ORCHARD),
        ("orchard-64".to_owned(), batch?, 64, 3.0, ORCHARD),
    ]
    .into_iter()
    .map(|(case, all, units, aim, peer)| {
        Case { name: case, all, units, aim, peer, threads }.comparison(&keys)
    })
    .collect()
}

/// The largest blocks of ZIP 218's draft: 300 Sapling spends and outputs, whose proofs are made
/// first, and 330 Orchard actions, in real transactions that are repeated.
///
/// # Errors
/// If the verdicts differ, or no proofs can be made.
pub fn blocks(threads: usize) -> Result<Vec<Comparison>, String> {
    let keys = Arc::new(Keys::new()?);
    let mut orchard = Vec::new();
    let all: Vec<_> = transactions()?.into_iter().filter(|of| of.actions() > 0).collect();
    let mut left = MOST_ACTIONS;
    for of in all.iter().cycle().take(MOST_ACTIONS) {
        if of.actions() <= left {
            left -= of.actions();
            orchard.push(of.copy()?);
        }
    }
    if left > 0 {
        return Err(format!("the real transactions do not add up to {MOST_ACTIONS} actions"));
    }
    let sapling = made::transactions(MOST_SPENDS)?;
    let cases = [
        ("block-300-spends-300-outputs", sapling, 2 * MOST_SPENDS, 5.0, SAPLING_CRYPTO),
        ("block-330-actions", orchard, MOST_ACTIONS, 3.0, ORCHARD),
    ];
    let cases = cases.into_iter().map(|(name, all, units, aim, peer)| {
        Case { name: name.to_owned(), all, units, aim, peer, threads }.comparison(&keys)
    });
    cases.collect()
}

/// The transactions of a comparison.
struct Case {
    name: String,
    all: Vec<Signed>,
    units: usize,
    aim: f64,
    peer: Peer,
    threads: usize,
}

impl Case {
    /// Checks that both sides accept the transactions, and refuse them if a digest is wrong.
    fn comparison(mut self, keys: &Arc<Keys>) -> Result<Comparison, String> {
        let (peer, verify) = self.peer;
        let last = self.all.len() - 1;
        self.all[last].digest[0] ^= 1;
        let bad = [by_ours(&self.all), verify(&self.all, keys)];
        self.all[last].digest[0] ^= 1;
        if bad != [false; 2] || [by_ours(&self.all), verify(&self.all, keys)] != [true; 2] {
            return Err(format!("{}: the verdicts differ", self.name));
        }
        let (all, keys) = (Arc::new(self.all), Arc::clone(keys));
        let theirs = Arc::clone(&all);
        let backend = Backend::active();
        Ok(Comparison {
            engine: "zcash",
            case: self.name,
            threads: self.threads,
            units_a_call: self.units,
            unit: "us/item",
            unit_ns: 1000.0,
            backend: backend.name(),
            ours: Box::new(move || {
                black_box(by_ours(black_box(&all)));
            }),
            peer,
            theirs: Some(Box::new(move || {
                black_box(verify(black_box(&theirs), &keys));
            })),
            theirs_factor: 1.0,
            aim: Some(if backend == Backend::Avx512Ifma { self.aim } else { AIM_WITHOUT_LANES }),
        })
    }
}
