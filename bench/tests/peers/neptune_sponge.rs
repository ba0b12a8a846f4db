// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Our sponges over Fr against neptune's: the tags and every element that is squeezed.

use blstrs::Scalar;
use ff::PrimeField;
use generic_array::typenum::{U11, U2, U3, U4, U5, U8};
use halimede_arith::field::Bls12381Scalar;
use halimede_arith::Fr;
use halimede_poseidon::sponge::{constant_length, IoPattern, Operation, Sponge};
use halimede_poseidon::{Family, Instance, Strength};
use neptune::poseidon::Arity;
use neptune::sponge::api::{IOPattern, SpongeAPI, SpongeOp};
use neptune::sponge::vanilla::{Mode, Sponge as PeerSponge, SpongeTrait};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn random_element(random: &mut ChaCha8Rng) -> (Fr, Scalar) {
    let mut bytes: [u8; 32] = random.gen();
    bytes[31] &= 0x3f;
    (Fr::from_le_bytes(&bytes).unwrap(), Scalar::from_repr_vartime(bytes).unwrap())
}

/// Random operations, absorbs and squeezes of up to 12 elements in runs of either kind.
fn random_operations(random: &mut ChaCha8Rng) -> Vec<Operation> {
    let mut operations = vec![Operation::Absorb(random.gen_range(1..12))];
    for _ in 0..random.gen_range(0..6) {
        let count = random.gen_range(1..12);
        let absorb: bool = random.gen();
        operations.push(if absorb { Operation::Absorb(count) } else { Operation::Squeeze(count) });
    }
    operations.push(Operation::Squeeze(random.gen_range(1..12)));
    operations
}

fn compare<A: Arity<Scalar>>(random: &mut ChaCha8Rng) {
    for (ours, theirs) in [
        (Strength::Standard, neptune::Strength::Standard),
        (Strength::Strengthened, neptune::Strength::Strengthened),
    ] {
        let constants = PeerSponge::<Scalar, A>::api_constants(theirs);
        let instance = Instance::new(Family::Filecoin(ours), A::to_usize() + 1).unwrap();
        for _ in 0..24 {
            let operations = random_operations(random);
            let domain = if random.gen() { random.gen() } else { 0 };
            let peer_operation = |operation: &Operation| match *operation {
                Operation::Absorb(count) => SpongeOp::Absorb(count),
                Operation::Squeeze(count) => SpongeOp::Squeeze(count),
            };
            let peer_pattern = IOPattern(operations.iter().map(peer_operation).collect());
            let pattern = IoPattern::new(&operations).unwrap();
            assert_eq!(pattern.tag(domain), peer_pattern.value(domain));

            let mut sponge = Sponge::<Bls12381Scalar>::start(instance, pattern, domain).unwrap();
            let mut peer = PeerSponge::new_with_constants(&constants, Mode::Simplex);
            peer.start(peer_pattern, Some(domain), &mut ());
            for operation in &operations {
                match *operation {
                    Operation::Absorb(count) => {
                        let (ours, theirs): (Vec<Fr>, Vec<Scalar>) =
                            (0..count).map(|_| random_element(random)).unzip();
                        sponge.absorb(&ours).unwrap();
                        SpongeAPI::absorb(&mut peer, count, &theirs, &mut ());
                    }
                    Operation::Squeeze(count) => {
                        let ours = sponge.squeeze(count).unwrap();
                        let theirs = SpongeAPI::squeeze(&mut peer, count, &mut ());
                        let ours: Vec<_> = ours.iter().map(Fr::to_le_bytes).collect();
                        let theirs: Vec<_> = theirs.iter().map(Scalar::to_repr).collect();
                        assert_eq!(ours, theirs, "{instance}: {operations:?}");
                    }
                }
            }
            sponge.finish().unwrap();
            peer.finish(&mut ()).unwrap();
        }
    }
}

#[test]
fn sponges_give_what_neptunes_give() {
    let mut random = ChaCha8Rng::seed_from_u64(20_230_522);
    compare::<U2>(&mut random);
    compare::<U3>(&mut random);
    compare::<U4>(&mut random);
    compare::<U5>(&mut random);
    compare::<U8>(&mut random);
    compare::<U11>(&mut random);
}

fn compare_constant_lengths<A: Arity<Scalar>>(random: &mut ChaCha8Rng) {
    let instance = Instance::new(Family::Filecoin(Strength::Standard), A::to_usize() + 1).unwrap();
    for length in 1..=3 * A::to_usize() + 1 {
        let constants = PeerSponge::<Scalar, A>::simplex_constants(length);
        let mut peer = PeerSponge::new_with_constants(&constants, Mode::Simplex);
        let (ours, theirs): (Vec<Fr>, Vec<Scalar>) =
            (0..length).map(|_| random_element(random)).unzip();
        peer.absorb_elements(&theirs, &mut ()).unwrap();
        // neptune squeezes no more elements than it has absorbed.
        let expected: Vec<_> =
            peer.squeeze_elements(length, &mut ()).iter().map(Scalar::to_repr).collect();
        let mut output = vec![Fr::ZERO; length];
        constant_length(instance, &ours, &mut output).unwrap();
        let output: Vec<_> = output.iter().map(Fr::to_le_bytes).collect();
        assert_eq!(output, expected, "{instance}: {length} elements");
    }
}

#[test]
fn constant_lengths_give_what_neptunes_simplex_sponge_gives() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    compare_constant_lengths::<U2>(&mut random);
    compare_constant_lengths::<U4>(&mut random);
    compare_constant_lengths::<U5>(&mut random);
    compare_constant_lengths::<U8>(&mut random);
}
