// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares batches with sequential permutations, on every available backend.

use halimede_arith::field::{Bls12381Scalar, StarkPrime};
use halimede_arith::job::Compute;
use halimede_arith::{Backend, Felt, Field, Fr};
use halimede_poseidon::filecoin::{HashType, Hasher, Preimage};
use halimede_poseidon::operations::{FilecoinHash, Permute, StarknetHash, StarknetInput};
use halimede_poseidon::optimized::{
    filecoin_digests_with, permute_filecoin_batch_with, permute_stark_batch_with,
    stark_digests_with,
};
use halimede_poseidon::{plain, Family, Instance, PoseidonField, State, Strength};
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

const COUNTS: [usize; 13] = [0, 1, 2, 3, 7, 8, 9, 10, 15, 16, 17, 33, 100];

/// Random elements, frequently 0, 1 or p−1.
fn random<M: PoseidonField>(generator: &mut ChaCha8Rng, count: usize) -> Vec<Field<M>> {
    let mut element = || match generator.gen_range(0..8) {
        0 => Field::ZERO,
        1 => Field::ONE,
        2 => -Field::ONE,
        _ => Field::from(generator.next_u64()).pow(&[generator.next_u64(), generator.next_u64()]),
    };
    (0..count).map(|_| element()).collect()
}

fn plainly<M: PoseidonField>(instance: Instance, states: &[Field<M>]) -> Vec<Field<M>> {
    let parameters = M::parameters(instance).unwrap();
    let mut permuted = states.to_vec();
    for state in permuted.chunks_exact_mut(instance.width()) {
        plain::permute(&parameters, state);
    }
    permuted
}

fn elements_at<M: PoseidonField>(states: &[Field<M>], instance: Instance) -> Vec<Field<M>> {
    let states = states.chunks_exact(instance.width());
    states.map(|state| state[instance.digest_index()]).collect()
}

fn permute_fr(backend: Backend, instance: Instance, states: &mut [Fr]) {
    if let Family::Filecoin(strength) = instance.family() {
        permute_filecoin_batch_with(backend, strength, instance.width(), states);
    }
}

fn digests_fr(backend: Backend, instance: Instance, states: &[Fr]) -> Vec<Fr> {
    match instance.family() {
        Family::Filecoin(strength) => {
            filecoin_digests_with(backend, strength, instance.width(), states)
        }
        Family::Stark => Vec::new(),
    }
}

fn check<M: PoseidonField>(
    instance: Instance,
    permute: impl Fn(Backend, Instance, &mut [Field<M>]),
    digests: impl Fn(Backend, Instance, &[Field<M>]) -> Vec<Field<M>>,
) {
    let width = instance.width();
    let states = random::<M>(&mut ChaCha8Rng::seed_from_u64(width as u64), width * 100);
    let expected = plainly(instance, &states);
    for backend in Backend::available_for_fields() {
        for count in COUNTS {
            let mut permuted = states[..width * count].to_vec();
            permute(backend, instance, &mut permuted);
            assert_eq!(permuted, expected[..width * count], "{instance}, {backend}, {count}");
            assert_eq!(
                digests(backend, instance, &states[..width * count]),
                elements_at(&expected[..width * count], instance),
                "{instance}, {backend}, {count}"
            );
        }
        // A partial state at the end is unchanged and has no digest.
        let mut permuted = states[..width * 17 - 1].to_vec();
        permute(backend, instance, &mut permuted);
        assert_eq!(permuted[..width * 16], expected[..width * 16]);
        assert_eq!(permuted[width * 16..], states[width * 16..width * 17 - 1]);
        assert_eq!(digests(backend, instance, &states[..width * 17 - 1]).len(), 16);
    }
}

#[test]
fn every_backend_permutes_every_instance_and_count() {
    let stark = Instance::published().filter(|instance| instance.family() == Family::Stark);
    for instance in stark {
        check::<StarkPrime>(
            instance,
            |backend, instance, states| {
                permute_stark_batch_with(backend, instance.width(), states);
            },
            |backend, instance, states| stark_digests_with(backend, instance.width(), states),
        );
    }
    let filecoin = Instance::published().filter(|instance| instance.family() != Family::Stark);
    let unpublished = [(Strength::Standard, 7), (Strength::Strengthened, 19)]
        .map(|(strength, width)| Instance::new(Family::Filecoin(strength), width).unwrap());
    for instance in filecoin.chain(unpublished) {
        check::<Bls12381Scalar>(instance, permute_fr, digests_fr);
    }
}

#[test]
fn a_lane_depends_on_its_own_state_alone() {
    let states = random::<Bls12381Scalar>(&mut ChaCha8Rng::seed_from_u64(1), 3 * 24);
    let felts = random::<StarkPrime>(&mut ChaCha8Rng::seed_from_u64(2), 3 * 24);
    for backend in Backend::available_for_fields() {
        let fr = filecoin_digests_with(backend, Strength::Standard, 3, &states);
        let felt = stark_digests_with(backend, 3, &felts);
        for changed in 0..24 {
            let (mut states, mut felts) = (states.clone(), felts.clone());
            states[3 * changed + changed % 3] += Fr::ONE;
            felts[3 * changed + changed % 3] += Felt::ONE;
            let fr_now = filecoin_digests_with(backend, Strength::Standard, 3, &states);
            let felt_now = stark_digests_with(backend, 3, &felts);
            for lane in 0..24 {
                assert_eq!(fr_now[lane] != fr[lane], lane == changed, "{backend}, {lane}");
                assert_eq!(felt_now[lane] != felt[lane], lane == changed, "{backend}, {lane}");
            }
        }
    }
}

#[test]
fn widths_that_no_instance_has_are_left_alone() {
    let initial = random::<StarkPrime>(&mut ChaCha8Rng::seed_from_u64(3), 77);
    let fr = random::<Bls12381Scalar>(&mut ChaCha8Rng::seed_from_u64(3), 77);
    for backend in Backend::available_for_fields() {
        for width in [0, 1, 2, 6, 7, 38, usize::MAX] {
            let mut states = initial.clone();
            permute_stark_batch_with(backend, width, &mut states);
            assert_eq!(states, initial);
            assert_eq!(stark_digests_with(backend, width, &initial), []);
        }
        for width in [0, 1, 2, 38, usize::MAX] {
            let mut states = fr.clone();
            permute_filecoin_batch_with(backend, Strength::Standard, width, &mut states);
            assert_eq!(states, fr);
            assert_eq!(filecoin_digests_with(backend, Strength::Standard, width, &fr), []);
        }
    }
}

#[test]
fn mixed_batches_are_answered_in_order() {
    let mut generator = ChaCha8Rng::seed_from_u64(4);
    let instances: Vec<Instance> = Instance::published().collect();
    for count in [0, 1, 31, 32, 33, 300] {
        let requests: Vec<State> = (0..count)
            .map(|_| {
                let instance = instances[generator.gen_range(0..instances.len())];
                match instance.family() {
                    Family::Stark => State::stark(&random(&mut generator, instance.width())),
                    Family::Filecoin(strength) => {
                        State::filecoin(strength, &random(&mut generator, instance.width()))
                    }
                }
                .unwrap()
            })
            .collect();
        let expected: Vec<State> = requests.iter().map(Permute::compute).collect();
        assert_eq!(Permute::compute_batch(&requests), expected);
    }
}

#[test]
fn mixed_preimages_are_answered_in_order() {
    let mut generator = ChaCha8Rng::seed_from_u64(5);
    let types = [HashType::MerkleTree, HashType::Encryption, HashType::ConstantLength];
    let mut preimage = |_| -> Preimage {
        let arity = [2, 3, 4, 8, 11][generator.gen_range(0..5)];
        let strength = if generator.gen() { Strength::Standard } else { Strength::Strengthened };
        let hasher = Hasher::new(arity, strength, types[generator.gen_range(0..3)]).unwrap();
        hasher.preimage(&random(&mut generator, arity)).unwrap()
    };
    let requests: Vec<Preimage> = (0..500).map(&mut preimage).collect();
    let expected: Vec<Fr> = requests.iter().map(FilecoinHash::compute).collect();
    assert_eq!(FilecoinHash::compute_batch(&requests), expected);
}

#[test]
fn inputs_of_all_lengths_are_hashed_side_by_side() {
    let mut generator = ChaCha8Rng::seed_from_u64(6);
    for count in [0, 1, 2, 8, 40, 500] {
        let mut input = |index: usize| match index % 5 {
            0 => {
                let pair = random::<StarkPrime>(&mut generator, 2);
                StarknetInput::Pair(pair[0], pair[1])
            }
            1 => StarknetInput::Single(random::<StarkPrime>(&mut generator, 1)[0]),
            2 => StarknetInput::Many(random(&mut generator, index % 4)),
            _ => {
                let length = generator.gen_range(0..30);
                StarknetInput::Many(random(&mut generator, length))
            }
        };
        let requests: Vec<StarknetInput> = (0..count).map(&mut input).collect();
        let expected: Vec<Felt> = requests.iter().map(StarknetHash::compute).collect();
        assert_eq!(StarknetHash::compute_batch(&requests), expected);
    }
}
