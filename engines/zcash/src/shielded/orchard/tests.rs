// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The search for invalid items, and verdicts in lanes against the crate on real bundles and on
//! damaged ones.

use std::cell::Cell;
use std::sync::LazyLock;

use halimede_arith::lanes;
use orchard::Proof;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use zcash_protocol::consensus::BranchId;

use super::lanes::hold;
use super::*;
use crate::{Block, BlockTransaction, Digests, Network};

/// Bisects items of which those in `invalid` do not hold. Returns the number of items verified
/// together, and of those verified alone.
fn check(count: usize, invalid: &[usize]) -> (usize, usize) {
    let items: Vec<usize> = (0..count).collect();
    let (together, alone) = (Cell::new(0), Cell::new(0));
    let hold = |items: &[usize]| {
        together.set(together.get() + items.len());
        !items.iter().any(|item| invalid.contains(item))
    };
    let faults = |item: &usize| {
        alone.set(alone.get() + 1);
        invalid.iter().copied().filter(|invalid| invalid == item).collect()
    };
    assert_eq!(bisect(&items, &hold, &faults), invalid, "{count} items");
    (together.get(), alone.get())
}

#[test]
fn each_set_of_invalid_items_is_found() {
    for count in 0..7 {
        for set in 0..1u32 << count {
            let invalid: Vec<usize> = (0..count).filter(|item| set >> item & 1 == 1).collect();
            check(count, &invalid);
        }
    }
}

#[test]
fn one_invalid_item_costs_at_most_two_more_batches() {
    for count in [2usize, 3, 50, 64, 100] {
        assert_eq!(check(count, &[]), (count, 0));
        for invalid in 0..count {
            let (together, alone) = check(count, &[invalid]);
            assert!(together <= 3 * count && alone <= 3, "{count}, {invalid}: {together}");
        }
    }
}

#[test]
fn a_batch_that_fails_without_invalid_items_has_no_faults() {
    let faults = bisect(&[1, 2, 3], &|_: &[i32]| false, &|_: &i32| Vec::<()>::new());
    assert!(faults.is_empty());
}

/// A transaction with actions, and the digest that it signs.
struct Real {
    transaction: BlockTransaction,
    digest: [u8; 32],
}

/// Bundles of real transactions: see vectors/README.md.
static REAL: LazyLock<Vec<Real>> = LazyLock::new(|| {
    let main = ["1687106", "1687107", "1687108", "1687113", "1687118", "1687121"];
    let test = ["1842421", "1842432", "1842462", "1842467", "1842468"];
    let main = main.map(|height| (Network::Main, format!("main_{height}")));
    let test = test.map(|height| (Network::Test, format!("test_{height}")));
    let mut all = Vec::new();
    for (network, name) in main.into_iter().chain(test) {
        let path = format!("{}/vectors/blocks/{name}.hex", env!("CARGO_MANIFEST_DIR"));
        let digits = std::fs::read(path).unwrap();
        for of in Block::parse(&digits, network).unwrap().transactions() {
            let data = of.transaction();
            if data.orchard_bundle().is_none() || of.is_coinbase() {
                continue;
            }
            let inputs = data.transparent_bundle().map_or(0, |bundle| bundle.vin.len());
            let digests = Digests::new(of, Some(BranchId::Nu5), vec![None; inputs]);
            let Ok(digest) = digests.shielded() else { continue };
            let transaction = BlockTransaction::parse(of.bytes()).unwrap();
            all.push(Real { transaction, digest });
        }
    }
    assert!(all.len() > 2, "{}", all.len());
    all
});

impl Real {
    fn bundle(&self) -> &OrchardBundle {
        self.transaction.transaction().orchard_bundle().unwrap()
    }
}

fn actions(bundle: &OrchardBundle, digest: [u8; 32]) -> Actions<'_> {
    Actions { index: 0, bundle, digest: Some(digest) }
}

/// The verdict of the crate.
fn holds(bundle: &OrchardBundle, digest: [u8; 32]) -> bool {
    let actions = actions(bundle, digest);
    let proof = bundle.verify_proof(orchard_key(actions.version()));
    proof.is_ok() && actions.signature_faults(&digest).is_empty()
}

/// Returns the bundle with another proof.
fn with_proof(bundle: &OrchardBundle, proof: Vec<u8>) -> OrchardBundle {
    bundle.clone().map_authorization(
        &mut (),
        |(), _, signature| signature,
        |(), authorized| {
            let signature = authorized.binding_signature().clone();
            Authorized::from_parts(Proof::new(proof), signature)
        },
    )
}

/// The lanes of this processor.
fn processor() -> impl Iterator<Item = Machine> {
    Backend::available().filter_map(Machine::of)
}

/// The emulations of both backends with lanes.
fn emulations() -> [Machine; 3] {
    [Backend::Avx2, Backend::Avx512, Backend::Avx512Ifma].map(Machine::Emulation)
}

/// The prime p, least significant byte first.
fn modulus() -> [u8; 32] {
    let mut bytes = (-crate::pasta::Fp::ONE).to_le_bytes();
    bytes[0] += 1;
    bytes
}

/// The bytes of an element.
const ELEMENT: usize = 32;

/// Returns a proof with one change at an element.
fn damaged(proof: &[u8], element: usize, random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut damaged = proof.to_vec();
    let other = random.gen_range(0..proof.len() / ELEMENT);
    let place = &mut damaged[ELEMENT * element..][..ELEMENT];
    match random.gen_range(0..8) {
        0 => place[31] ^= 0x80,
        1 => place.fill(0),
        2 => place.copy_from_slice(&modulus()),
        3 => place.fill(0xff),
        4 => place.copy_from_slice(&proof[ELEMENT * other..][..ELEMENT]),
        5 => place[0] = place[0].wrapping_add(1),
        _ => place[random.gen_range(0..ELEMENT)] ^= 1 << random.gen_range(0..8),
    }
    damaged
}

#[test]
fn real_bundles_hold_alone_and_together() {
    let all: Vec<_> = REAL.iter().map(|real| actions(real.bundle(), real.digest)).collect();
    for real in REAL.iter() {
        assert!(holds(real.bundle(), real.digest));
    }
    for machine in processor() {
        assert_eq!(hold(machine, &[]), Some(true));
        assert_eq!(hold(machine, &all), Some(true), "{machine:?}");
        for one in &all {
            assert_eq!(hold(machine, std::slice::from_ref(one)), Some(true), "{machine:?}");
        }
    }
    let smallest = all.iter().min_by_key(|actions| actions.bundle.actions().len()).unwrap();
    for machine in emulations() {
        assert_eq!(hold(machine, std::slice::from_ref(smallest)), Some(true), "{machine:?}");
    }
}

#[test]
fn damaged_proofs_have_the_verdict_of_the_crate() {
    let is_sweep = std::env::var_os("HALIMEDE_SWEEP").is_some();
    if !is_sweep {
        println!("HALIMEDE_SWEEP=1 damages every element of the proofs");
    }
    let mut random = ChaCha8Rng::seed_from_u64(0x0da);
    let real = REAL.iter().min_by_key(|real| real.bundle().actions().len()).unwrap();
    let proof = real.bundle().authorization().proof().as_ref();
    let elements = proof.len() / ELEMENT;
    // The last numbers and points of the opening argument, then others everywhere.
    let step = if is_sweep { 1 } else { 24 };
    let places = (0..elements).step_by(step).chain(elements - 4..elements);
    for element in places {
        let bundle = with_proof(real.bundle(), damaged(proof, element, &mut random));
        let expected = holds(&bundle, real.digest);
        let one = actions(&bundle, real.digest);
        for machine in processor() {
            let got = hold(machine, std::slice::from_ref(&one));
            assert_eq!(got, Some(expected), "element {element}, {machine:?}");
            // Among valid ones.
            let valid = actions(real.bundle(), real.digest);
            let got = hold(machine, &[valid, one, valid]);
            assert_eq!(got, Some(expected), "element {element} in a batch, {machine:?}");
        }
    }
    for machine in emulations() {
        let bundle = with_proof(real.bundle(), damaged(proof, elements - 1, &mut random));
        let expected = holds(&bundle, real.digest);
        let one = [actions(&bundle, real.digest)];
        assert_eq!(hold(machine, &one), Some(expected), "{machine:?}");
    }
}

#[test]
fn proofs_of_other_lengths_have_the_verdict_of_the_crate() {
    let real = &REAL[0];
    let proof = real.bundle().authorization().proof().as_ref();
    let lengths = [0, 1, 31, 32, proof.len() / 2, proof.len() - 32, proof.len() - 1];
    let mut proofs: Vec<Vec<u8>> = lengths.iter().map(|length| proof[..*length].to_vec()).collect();
    proofs.push([proof, &[7]].concat());
    proofs.push([proof, &[9; 64]].concat());
    for proof in proofs {
        let bundle = with_proof(real.bundle(), proof);
        let expected = holds(&bundle, real.digest);
        let one = [actions(&bundle, real.digest)];
        for machine in processor() {
            let length = bundle.authorization().proof().as_ref().len();
            assert_eq!(hold(machine, &one), Some(expected), "{length} bytes, {machine:?}");
        }
    }
}

#[test]
fn exchanged_proofs_inputs_and_digests_fail() {
    let same = |a: &&Real, b: &&Real| a.bundle().actions().len() == b.bundle().actions().len();
    let first = &REAL[0];
    let second = REAL[1..].iter().find(|second| same(second, &first)).unwrap();
    let exchanged = second.bundle().authorization().proof().as_ref().to_vec();
    let bundle = with_proof(first.bundle(), exchanged);
    let mut digest = first.digest;
    digest[17] ^= 4;
    for machine in processor() {
        assert_eq!(hold(machine, &[actions(&bundle, first.digest)]), Some(false));
        assert_eq!(hold(machine, &[actions(first.bundle(), digest)]), Some(false));
        // Without a digest, only the proof is verified.
        let unsigned = Actions { digest: None, ..actions(first.bundle(), digest) };
        assert_eq!(hold(machine, &[unsigned]), Some(true));
        let unsigned = Actions { digest: None, ..actions(&bundle, digest) };
        assert_eq!(hold(machine, &[unsigned]), Some(false));
    }
}

#[test]
fn the_failed_bundle_of_a_batch_is_found() {
    let mut random = ChaCha8Rng::seed_from_u64(0xba7c4);
    let proof = REAL[1].bundle().authorization().proof().as_ref();
    let bundle = with_proof(REAL[1].bundle(), damaged(proof, 120, &mut random));
    let indices: Vec<usize> = (0..9).collect();
    let invalid = *indices.choose(&mut random).unwrap();
    let batch: Vec<Actions<'_>> = indices
        .iter()
        .map(|index| match *index == invalid {
            true => Actions { index: *index, ..actions(&bundle, REAL[1].digest) },
            false => {
                let real = &REAL[index % REAL.len()];
                Actions { index: *index, ..actions(real.bundle(), real.digest) }
            }
        })
        .collect();
    let found = bisect(&batch, &hold_together, &|actions: &Actions<'_>| actions.faults());
    assert!(matches!(&found[..], [(index, ShieldedFault::ActionsProof)] if *index == invalid));
}

#[test]
fn a_processor_without_lanes_uses_the_crate() {
    assert!(Machine::of(Backend::Portable).is_none());
    let has_lanes = lanes::available(Backend::active());
    assert!(has_lanes || machine().is_none());
}
