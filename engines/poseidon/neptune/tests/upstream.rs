// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Constants, digests and circuits, compared with neptune's.

#![allow(deprecated, reason = "neptune's interface has types of generic-array 0.14")]

use std::fmt::Debug;

use bellpepper_core::num::AllocatedNum;
use bellpepper_core::test_cs::TestConstraintSystem;
use bellpepper_core::{Comparable, ConstraintSystem, LinearCombination, SynthesisError};
use blstrs::Scalar;
use ff::PrimeField;
use generic_array::typenum::{
    U1, U11, U12, U13, U15, U16, U17, U2, U24, U3, U36, U4, U5, U6, U7, U8, U9,
};
use neptune::hash_type::{CType, HashType};
use neptune::poseidon::{HashMode, Poseidon, PoseidonConstants};
use neptune::{Arity, Strength};
use pasta_curves::{Fp, Fq};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use upstream::hash_type as theirs;

const SEED: u64 = 13;

fn strengths() -> [(Strength, upstream::Strength); 2] {
    let theirs = [upstream::Strength::Standard, upstream::Strength::Strengthened];
    [(Strength::Standard, theirs[0]), (Strength::Strengthened, theirs[1])]
}

/// All supported uses, except that of sponges.
fn hash_types<F, A>(length: usize) -> Vec<(HashType<F, A>, theirs::HashType<F, A>)>
where
    F: PrimeField,
    A: Arity<F> + upstream::Arity<F> + Debug,
{
    let custom = |number| {
        let ours = HashType::Custom(CType::Arbitrary(number));
        (ours, theirs::HashType::Custom(theirs::CType::Arbitrary(number)))
    };
    let constant = (HashType::ConstantLength(length), theirs::HashType::ConstantLength(length));
    vec![
        (HashType::MerkleTree, theirs::HashType::MerkleTree),
        constant,
        (HashType::Encryption, theirs::HashType::Encryption),
        custom(1),
        custom(256),
    ]
}

/// Compares constants and digests of one field and arity.
fn compare<F, A>()
where
    F: PrimeField + Debug,
    A: Arity<F> + upstream::Arity<F> + Debug,
{
    let arity = A::to_usize();
    let mut random = ChaCha8Rng::seed_from_u64(SEED + arity as u64);
    for (strength, their_strength) in strengths() {
        for (hash_type, their_type) in hash_types::<F, A>(arity) {
            let name = format!("arity {arity}, {strength}, {hash_type:?}");
            let ours = PoseidonConstants::<F, A>::new_with_strength_and_type(strength, hash_type);
            let theirs = upstream::poseidon::PoseidonConstants::<F, A>::new_with_strength_and_type(
                their_strength,
                their_type,
            );
            assert_eq!(ours.domain_tag, theirs.domain_tag, "{name}");
            let rounds = (ours.full_rounds, ours.half_full_rounds, ours.partial_rounds);
            let expected = (theirs.full_rounds, theirs.half_full_rounds, theirs.partial_rounds);
            assert_eq!(rounds, expected, "{name}");
            assert_eq!(ours.round_constants, theirs.round_constants, "{name}");
            let (keys, expected) =
                (&ours.compressed_round_constants, &theirs.compressed_round_constants);
            assert_eq!(keys, expected, "{name}");
            assert_eq!(ours.pre_sparse_matrix, theirs.pre_sparse_matrix, "{name}");
            assert_eq!(ours.mds_matrices.m, theirs.mds_matrices.m, "{name}");
            let last = F::ZERO - F::ONE;
            let mut preimages = vec![vec![F::ZERO; arity], vec![F::ONE; arity], vec![last; arity]];
            preimages.push((0..arity as u64).map(F::from).collect());
            preimages.extend((0..3).map(|_| (0..arity).map(|_| F::random(&mut random)).collect()));
            for preimage in preimages {
                let mut reference = upstream::Poseidon::new_with_preimage(&preimage, &theirs);
                let expected = reference.hash();
                let fresh = Poseidon::new_with_preimage(&preimage, &ours);
                let modes =
                    [HashMode::Correct, HashMode::OptimizedDynamic, HashMode::OptimizedStatic];
                for mode in modes {
                    let mut hasher = fresh.clone();
                    assert_eq!(hasher.hash_in_mode(mode), expected, "{name}, {mode:?}");
                    let state = &hasher.elements[..];
                    assert_eq!(state, &reference.elements[..], "{name}, {mode:?}");
                }
            }
        }
    }
}

macro_rules! compare_arities {
    ($field:ty: $($arity:ty),*) => { $(compare::<$field, $arity>();)* };
}

#[test]
fn digests_of_narrow_scalars_are_neptunes() {
    compare_arities!(Scalar: U1, U2, U3, U4, U5, U6, U7, U8, U9, U11, U12);
}

#[test]
fn digests_of_wide_scalars_are_neptunes() {
    compare_arities!(Scalar: U13, U16, U17, U24);
    if std::env::var_os("HALIMEDE_SWEEP").is_some() {
        compare_arities!(Scalar: U36);
    } else {
        println!("arity 36 is skipped: HALIMEDE_SWEEP is not set");
    }
}

#[test]
fn digests_of_other_fields_are_neptunes() {
    compare_arities!(Fp: U1, U2, U4, U8, U11);
    compare_arities!(Fq: U2, U8, U16);
}

#[test]
fn short_constant_lengths_are_padded_like_neptunes() {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let ours = PoseidonConstants::<Scalar, U8>::new_constant_length(8);
    let theirs = upstream::poseidon::PoseidonConstants::<Scalar, U8>::new_constant_length(8);
    for length in 1..=8 {
        let (ours, theirs) = (ours.with_length(length), theirs.with_length(length));
        let preimage: Vec<Scalar> = (0..length).map(|_| random_element(&mut random)).collect();
        let expected = upstream::Poseidon::new_with_preimage(&preimage, &theirs).hash();
        assert_eq!(Poseidon::new_with_preimage(&preimage, &ours).hash(), expected, "{length}");
        let mut hasher = Poseidon::new(&ours);
        preimage.iter().for_each(|element| assert!(hasher.input(*element).is_ok()));
        assert_eq!(hasher.hash(), expected, "{length}");
    }
}

fn random_element<F: PrimeField>(random: &mut ChaCha8Rng) -> F {
    F::random(random)
}

#[test]
fn constants_of_any_matrix_give_plain_and_optimized_rounds_the_same_digests() {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let mut elements = |count| (0..count).map(|_| random_element(&mut random)).collect::<Vec<Fp>>();
    for (full, partial) in [(8, 20), (2, 1), (4, 0)] {
        let matrix = (0..5).map(|_| elements(5)).collect();
        let keys = elements(5 * (full + partial));
        let constants = PoseidonConstants::<Fp, U4>::new_from_parameters(
            5,
            matrix,
            keys,
            full,
            partial,
            HashType::MerkleTree,
            Strength::Standard,
        );
        let fresh = Poseidon::new_with_preimage(&elements(4), &constants);
        let digest = |mode| fresh.clone().hash_in_mode(mode);
        let expected = digest(HashMode::Correct);
        assert_eq!(digest(HashMode::OptimizedDynamic), expected, "{full} {partial}");
        assert_eq!(digest(HashMode::OptimizedStatic), expected, "{full} {partial}");
    }
}

#[test]
fn a_hasher_is_reset_and_refuses_more_elements_than_its_arity() {
    let constants = PoseidonConstants::<Scalar, U2>::new();
    let mut hasher = Poseidon::new_with_preimage(&[Scalar::from(3), Scalar::from(4)], &constants);
    let digest = hasher.hash();
    assert_ne!(hasher, Poseidon::new(&constants), "the state is permuted");
    hasher.reset();
    assert_eq!(hasher, Poseidon::new(&constants));
    for (element, place) in [(3, 1), (4, 2)] {
        assert_eq!(hasher.input(Scalar::from(element)).unwrap(), place);
    }
    assert!(matches!(hasher.input(Scalar::from(5)), Err(neptune::Error::FullBuffer)));
    assert_eq!(hasher.hash(), digest);
    hasher.set_preimage(&[Scalar::from(4), Scalar::from(3)]);
    assert_ne!(hasher.hash(), digest, "order matters");
}

type Digest<F> = Result<AllocatedNum<F>, SynthesisError>;

/// Synthesizes a circuit over these elements.
fn synthesize<F: PrimeField>(
    preimage: &[F],
    circuit: impl Fn(&mut TestConstraintSystem<F>, Vec<AllocatedNum<F>>) -> Digest<F>,
) -> (TestConstraintSystem<F>, F) {
    let mut cs = TestConstraintSystem::new();
    let mut elements = Vec::new();
    for (index, element) in preimage.iter().enumerate() {
        let cs = cs.namespace(|| format!("element {index}"));
        elements.push(AllocatedNum::alloc(cs, || Ok(*element)).unwrap());
    }
    let digest = circuit(&mut cs, elements).unwrap().get_value().unwrap();
    assert!(cs.is_satisfied());
    (cs, digest)
}

/// Compares constraints, and the values of variables, in order.
fn assert_equal<F: PrimeField>(
    name: &str,
    (ours, digest): &(TestConstraintSystem<F>, F),
    (theirs, expected): &(TestConstraintSystem<F>, F),
) {
    assert_eq!(digest, expected, "{name}");
    assert_eq!(ours.num_constraints(), theirs.num_constraints(), "{name}");
    assert_eq!(ours.scalar_aux(), theirs.scalar_aux(), "{name}");
    let terms = |combination: &LinearCombination<F>| {
        let terms = combination.iter();
        terms.map(|(variable, &factor)| (variable.get_unchecked(), factor)).collect::<Vec<_>>()
    };
    let pairs = ours.constraints().iter().zip(theirs.constraints());
    for (index, (got, expected)) in pairs.enumerate() {
        assert_eq!(terms(&got.0), terms(&expected.0), "{name}: A of constraint {index}");
        assert_eq!(terms(&got.1), terms(&expected.1), "{name}: B of constraint {index}");
        assert_eq!(terms(&got.2), terms(&expected.2), "{name}: C of constraint {index}");
    }
}

fn compare_circuits<F, A>()
where
    F: PrimeField + Debug,
    A: Arity<F> + upstream::Arity<F> + Debug,
{
    let arity = A::to_usize();
    let mut random = ChaCha8Rng::seed_from_u64(SEED + arity as u64);
    let preimage: Vec<F> = (0..arity).map(|_| random_element(&mut random)).collect();
    for (strength, their_strength) in strengths() {
        for (hash_type, their_type) in hash_types::<F, A>(arity) {
            let name = format!("arity {arity}, {strength}, {hash_type:?}");
            let ours = &PoseidonConstants::<F, A>::new_with_strength_and_type(strength, hash_type);
            let theirs = &upstream::poseidon::PoseidonConstants::<F, A>::new_with_strength_and_type(
                their_strength,
                their_type,
            );
            let digest = Poseidon::new_with_preimage(&preimage, ours).hash();
            let legacy = (
                synthesize(&preimage, |cs, e| neptune::circuit::poseidon_hash(cs, e, ours)),
                synthesize(&preimage, |cs, e| upstream::circuit::poseidon_hash(cs, e, theirs)),
            );
            assert_eq!(legacy.0 .1, digest, "{name}");
            assert_equal(&format!("legacy, {name}"), &legacy.0, &legacy.1);
            use neptune::circuit2::poseidon_hash_allocated as ours2;
            use upstream::circuit2::poseidon_hash_allocated as theirs2;
            let optimal = (
                synthesize(&preimage, |cs, e| ours2(cs, e, ours)),
                synthesize(&preimage, |cs, e| theirs2(cs, e, theirs)),
            );
            assert_equal(&format!("optimal, {name}"), &optimal.0, &optimal.1);
        }
    }
}

#[test]
fn circuits_are_neptunes_constraint_by_constraint() {
    compare_circuits::<Scalar, U1>();
    compare_circuits::<Scalar, U2>();
    compare_circuits::<Scalar, U8>();
    compare_circuits::<Fp, U4>();
    if std::env::var_os("HALIMEDE_SWEEP").is_some() {
        compare_circuits::<Scalar, U11>();
        compare_circuits::<Scalar, U15>();
        compare_circuits::<Scalar, U36>();
    } else {
        println!("arities 11, 15 and 36 are skipped: HALIMEDE_SWEEP is not set");
    }
}

#[test]
fn short_preimages_have_the_same_circuits() {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let all: Vec<Scalar> = (0..4).map(|_| random_element(&mut random)).collect();
    let ours = PoseidonConstants::<Scalar, U4>::new_constant_length(4);
    let theirs = upstream::poseidon::PoseidonConstants::<Scalar, U4>::new_constant_length(4);
    for length in 1..=4 {
        let (ours, theirs) = (ours.with_length(length), theirs.with_length(length));
        use neptune::circuit2::poseidon_hash_allocated as ours2;
        use upstream::circuit2::poseidon_hash_allocated as theirs2;
        let got = synthesize(&all[..length], |cs, e| ours2(cs, e, &ours));
        let expected = synthesize(&all[..length], |cs, e| theirs2(cs, e, &theirs));
        assert_equal(&format!("{length} elements"), &got, &expected);
    }
}

#[test]
fn a_wrong_value_is_not_satisfied() {
    let constants = PoseidonConstants::<Scalar, U2>::new();
    let preimage = [Scalar::from(1), Scalar::from(2)];
    let (mut cs, _) =
        synthesize(&preimage, |cs, e| neptune::circuit::poseidon_hash(cs, e, &constants));
    cs.set("element 1/num", Scalar::from(3));
    assert!(!cs.is_satisfied());
}
