// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Filecoin's instances of every arity against `neptune`: round numbers, tags and digests.

use blstrs::Scalar;
use ff::PrimeField;
use generic_array::typenum::{
    U10, U11, U12, U13, U14, U15, U16, U17, U18, U19, U2, U20, U21, U22, U23, U24, U25, U26, U27,
    U28, U29, U3, U30, U31, U32, U33, U34, U35, U36, U4, U5, U6, U7, U8, U9,
};
use halimede_arith::Fr;
use halimede_poseidon::filecoin::{CustomId, HashType, Hasher};
use halimede_poseidon::Strength;
use neptune::hash_type::{CType, HashType as PeerHashType};
use neptune::poseidon::{Arity, HashMode, Poseidon, PoseidonConstants};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const STRENGTHS: [(Strength, neptune::Strength); 2] = [
    (Strength::Standard, neptune::Strength::Standard),
    (Strength::Strengthened, neptune::Strength::Strengthened),
];

/// Random elements, both as ours and as neptune's.
fn elements(random: &mut ChaCha8Rng, count: usize) -> (Vec<Fr>, Vec<Scalar>) {
    let pair = |_| {
        let mut bytes: [u8; 32] = random.gen();
        bytes[31] &= 0x3f;
        (Fr::from_le_bytes(&bytes).unwrap(), Scalar::from_repr_vartime(bytes).unwrap())
    };
    (0..count).map(pair).unzip()
}

/// The arity's instance in both strengths: rounds, then digests of random elements.
fn compare<A: Arity<Scalar>>(random: &mut ChaCha8Rng) {
    let arity = A::to_usize();
    for (ours, theirs) in STRENGTHS {
        let constants = PoseidonConstants::<Scalar, A>::new_with_strength(theirs);
        let hasher = Hasher::new(arity, ours, HashType::MerkleTree).unwrap();
        let instance = hasher.instance();
        let rounds = (instance.full_rounds(), instance.partial_rounds());
        assert_eq!(rounds, (constants.full_rounds, constants.partial_rounds), "{instance}");
        assert_eq!(instance.width(), constants.width(), "{instance}");
        for _ in 0..3 {
            let (ours, theirs) = elements(random, arity);
            let mut poseidon = Poseidon::new_with_preimage(&theirs, &constants);
            let expected = poseidon.hash_in_mode(HashMode::OptimizedStatic);
            let digest = hasher.hash(&ours).unwrap();
            assert_eq!(digest.to_le_bytes(), expected.to_repr(), "{instance}");
        }
    }
}

#[test]
fn every_arity_has_neptunes_rounds_and_digests() {
    let mut random = ChaCha8Rng::seed_from_u64(20_261_121);
    macro_rules! compare_all {
        ($($arity:ty),*) => { $(compare::<$arity>(&mut random);)* };
    }
    compare_all!(U2, U3, U4, U5, U6, U7, U8, U9, U10, U11, U12, U16, U24, U36);
    // neptune needs a second for the constants of each of these.
    if std::env::var("HALIMEDE_SWEEP").is_ok_and(|value| value == "1") {
        compare_all!(
            U13, U14, U15, U17, U18, U19, U20, U21, U22, U23, U25, U26, U27, U28, U29, U30, U31,
            U32, U33, U34, U35
        );
    }
}

fn compare_type<A: Arity<Scalar>>(
    random: &mut ChaCha8Rng,
    hash_type: HashType,
    peer: PeerHashType<Scalar, A>,
    length: usize,
) {
    for (ours, theirs) in STRENGTHS {
        let constants =
            PoseidonConstants::<Scalar, A>::new_with_strength_and_type(theirs, peer.clone());
        let hasher = Hasher::new(A::to_usize(), ours, hash_type).unwrap();
        let (ours, theirs) = elements(random, length);
        let expected = Poseidon::new_with_preimage(&theirs, &constants).hash();
        let digest = hasher.hash(&ours).unwrap();
        assert_eq!(digest.to_le_bytes(), expected.to_repr(), "{hash_type:?} of {length}");
    }
}

#[test]
fn every_hash_type_has_neptunes_tag() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for id in [1, 2, 255, 256] {
        let ours = HashType::Custom(CustomId::new(id).unwrap());
        compare_type::<U3>(&mut random, ours, PeerHashType::Custom(CType::Arbitrary(id)), 3);
    }
    compare_type::<U5>(&mut random, HashType::Encryption, PeerHashType::Encryption, 5);
    compare_type::<U36>(&mut random, HashType::MerkleTree, PeerHashType::MerkleTree, 36);
    for length in 1..=16 {
        let peer = PeerHashType::ConstantLength(length);
        compare_type::<U16>(&mut random, HashType::ConstantLength, peer, length);
    }
}
