// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verdicts on bundles, alone and in batches, next to those of `sapling-crypto` and `orchard`.

use std::sync::LazyLock;

use crate::common::real::Real;
use crate::common::Here;
use crate::damage::all_damage;
use halimede_zcash::{
    verify_shielded, Block, BlockTransaction, BranchId, Digests, ShieldedVerdict, Subject,
};
use orchard::bundle::BatchValidator as OrchardValidator;
use orchard::circuit::{OrchardCircuitVersion, VerifyingKey as OrchardKey};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sapling_crypto::circuit::{
    OutputParameters, OutputVerifyingKey, SpendParameters, SpendVerifyingKey,
};
use sapling_crypto::BatchValidator;

static SAPLING: LazyLock<(SpendVerifyingKey, OutputVerifyingKey)> = LazyLock::new(|| {
    let (spend, output) = wagyu_zcash_parameters::load_sapling_parameters();
    let spend = SpendParameters::read(&spend[..], false).unwrap().verifying_key();
    (spend, OutputParameters::read(&output[..], false).unwrap().verifying_key())
});
static ORCHARD: LazyLock<OrchardKey> =
    LazyLock::new(|| OrchardKey::build(OrchardCircuitVersion::InsecurePreNu6_2));

/// A transaction with shielded parts, and the digest that the intact one signs.
struct Signed {
    transaction: BlockTransaction,
    branch: BranchId,
    digest: [u8; 32],
}

impl Signed {
    fn subject(&self) -> Subject<'_> {
        let (branch, digest) = (Some(self.branch), Ok(self.digest));
        Subject { of: &self.transaction, branch, digest }
    }

    /// The verdict of the crates on the parts of Sapling and Orchard.
    fn is_accepted(&self) -> bool {
        let data = self.transaction.transaction();
        let (spend, output) = &*SAPLING;
        let sapling = data.sapling_bundle().is_none_or(|bundle| {
            let mut validator = BatchValidator::new();
            validator.check_bundle(bundle.clone(), self.digest)
                && validator.validate(spend, output, rand_core::UnwrapErr(getrandom::SysRng))
        });
        let orchard = data.orchard_bundle().is_none_or(|bundle| {
            let mut validator = OrchardValidator::new(&ORCHARD);
            validator.add_bundle(bundle, self.digest).is_ok()
                && validator.validate(rand_core::UnwrapErr(getrandom::SysRng))
        });
        sapling && orchard
    }
}

/// The transactions of real blocks with Sapling or Orchard parts whose digests are known. Those
/// with JoinSplits, which the crates do not check, are not among them, nor coinbase transactions,
/// whose outputs have further rules.
fn real_transactions() -> Vec<Signed> {
    let mut all = Vec::new();
    for real in Real::all() {
        for of in Block::parse(&real.bytes, real.network).unwrap().transactions() {
            let data = of.transaction();
            let is_shielded = data.sapling_bundle().is_some() || data.orchard_bundle().is_some();
            if !is_shielded || data.sprout_bundle().is_some() || of.is_coinbase() {
                continue;
            }
            let branch = branch_of(&real);
            let inputs = data.transparent_bundle().map_or(0, |bundle| bundle.vin.len());
            let digests = Digests::new(of, Some(branch), vec![None; inputs]);
            let Ok(digest) = digests.shielded() else { continue };
            let transaction = BlockTransaction::parse(of.bytes()).unwrap();
            all.push(Signed { transaction, branch, digest });
        }
    }
    assert!(all.len() > 20, "{}", all.len());
    all
}

fn branch_of(real: &Real) -> BranchId {
    use zcash_protocol::consensus::{BlockHeight, MAIN_NETWORK, TEST_NETWORK};
    let height = BlockHeight::from_u32(real.height);
    match real.network.name() {
        "main" => BranchId::for_height(&MAIN_NETWORK, height),
        _ => BranchId::for_height(&TEST_NETWORK, height),
    }
}

fn is_valid(verdict: &ShieldedVerdict) -> bool {
    // The proof of a part with an invalid point is not checked.
    assert!(verdict.unchecked == 0 || !verdict.faults.is_empty(), "{verdict:?}");
    verdict.faults.is_empty()
}

/// A real transaction, in four of five cases damaged in one place. Its digest stays that of the
/// intact one, so that damage shows only there.
fn draw(whole: &[Signed], random: &mut ChaCha8Rng) -> Signed {
    loop {
        let of = whole.choose(random).unwrap();
        let mut bytes = of.transaction.bytes().to_vec();
        if random.gen_bool(0.8) {
            bytes = all_damage(&of.transaction, random).choose(random).unwrap().apply(&bytes);
        }
        if let Ok(transaction) = BlockTransaction::parse(&bytes) {
            return Signed { transaction, branch: of.branch, digest: of.digest };
        }
    }
}

/// Compares the verdicts on cases, alone and in batches of random sizes, and counts the accepted.
fn compare(cases: &[Signed], random: &mut ChaCha8Rng) -> usize {
    let expected: Vec<_> = cases.iter().map(Signed::is_accepted).collect();
    let subjects: Vec<_> = cases.iter().map(Signed::subject).collect();
    let alone = subjects.iter().map(|subject| {
        is_valid(&verify_shielded(&Here, std::slice::from_ref(subject)).unwrap()[0])
    });
    assert_eq!(alone.collect::<Vec<_>>(), expected);
    let mut together = Vec::new();
    let mut rest = &subjects[..];
    while !rest.is_empty() {
        let (some, others) = rest.split_at(random.gen_range(1..200).min(rest.len()));
        together.extend(verify_shielded(&Here, some).unwrap().iter().map(is_valid));
        rest = others;
    }
    assert_eq!(together, expected);
    expected.into_iter().filter(|accepted| *accepted).count()
}

/// 80 bundles, in a sweep 10,000.
#[test]
fn verdicts_are_those_of_the_crates() {
    let count = if std::env::var_os("HALIMEDE_SWEEP").is_some() { 10_000 } else { 80 };
    let mut random = ChaCha8Rng::seed_from_u64(0x5a911);
    let whole = real_transactions();
    let (mut done, mut accepted) = (0, 0);
    while done < count {
        let cases: Vec<_> =
            (0..(count - done).min(250)).map(|_| draw(&whole, &mut random)).collect();
        accepted += compare(&cases, &mut random);
        done += cases.len();
        println!("{done} of {count} bundles: {accepted} accepted");
    }
    assert!(accepted > count / 8 && accepted < count / 2, "{accepted}");
}
