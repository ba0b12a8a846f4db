// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Flat arrays against the engine's own types: the same answers in limbs and in bytes, for counts
//! around every boundary; a refused call changes nothing.

use halimede_arith::field::{Bls12381Scalar, Modulus, StarkPrime};
use halimede_arith::job::Compute;
use halimede_arith::{Felt, Field, Fr};
use halimede_device::flat::{self, Digit, FlatError, Messages};
use halimede_device::Device;
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::known_answers::KnownAnswers;
use halimede_poseidon::operations::Permute;
use halimede_poseidon::{starknet, Family, Instance, State, StateElements, Strength};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Seed of the random cases.
const SEED: u64 = 20_261_121;
/// Counts around the eight lanes, around the pieces of 256 rows, and above one piece.
const COUNTS: [usize; 8] = [0, 1, 7, 8, 9, 256, 257, 513];
const INSTANCES: [&str; 14] = [
    "filecoin-2",
    "filecoin-4",
    "filecoin-8",
    "filecoin-11",
    "filecoin-2-strengthened",
    "filecoin-4-strengthened",
    "filecoin-8-strengthened",
    "filecoin-11-strengthened",
    "filecoin-3",
    "filecoin-36-strengthened",
    "stark-3",
    "stark-4",
    "stark-5",
    "stark-9",
];

/// Random elements with 0, 1 and p − 1 among them.
fn elements<M: Modulus>(generator: &mut ChaCha8Rng, count: usize) -> Vec<Field<M>> {
    let element = |_| match generator.gen_range(0..8) {
        0 => Field::ZERO,
        1 => Field::ONE,
        2 => -Field::ONE,
        _ => {
            let mut limbs: [u64; 4] = generator.gen();
            limbs[3] %= M::VALUE[3];
            Field::from_canonical_limbs(limbs).unwrap()
        }
    };
    (0..count).map(element).collect()
}

fn flat<M: Modulus, D: Digit + Default>(elements: &[Field<M>]) -> Vec<D> {
    let mut digits = vec![D::default(); elements.len() * D::PER_ELEMENT];
    for (digits, element) in digits.chunks_exact_mut(D::PER_ELEMENT).zip(elements) {
        D::write(element.canonical_limbs(), digits);
    }
    digits
}

fn generator(label: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(SEED ^ label)
}

#[test]
fn limbs_and_bytes_are_the_canonical_integer() {
    let mut generator = generator(1);
    for element in elements::<Bls12381Scalar>(&mut generator, 50) {
        assert_eq!(flat::<_, u64>(&[element]), element.canonical_limbs());
        assert_eq!(flat::<_, u8>(&[element]), element.to_le_bytes());
        assert_eq!(u8::read(&element.to_le_bytes()), element.canonical_limbs());
        assert_eq!(u64::read(&element.canonical_limbs()), element.canonical_limbs());
    }
}

fn permutes_like_the_engine<D: Digit + Default + PartialEq>() {
    let device = Device::cpu();
    for (label, name) in INSTANCES.iter().enumerate() {
        let instance: Instance = name.parse().unwrap();
        let width = instance.width();
        for count in COUNTS {
            let mut generator = generator(label as u64);
            let (mut states, expected): (Vec<D>, Vec<D>) = match instance.family() {
                Family::Filecoin(strength) => {
                    let input = elements::<Bls12381Scalar>(&mut generator, count * width);
                    let permuted = |row: &[Fr]| {
                        let state = Permute::compute(&State::filecoin(strength, row).unwrap());
                        let StateElements::Filecoin(elements) = state.elements() else { panic!() };
                        elements.to_vec()
                    };
                    let output: Vec<Fr> = input.chunks(width).flat_map(permuted).collect();
                    (flat(&input), flat(&output))
                }
                Family::Stark => {
                    let input = elements::<StarkPrime>(&mut generator, count * width);
                    let permuted = |row: &[Felt]| {
                        let state = Permute::compute(&State::stark(row).unwrap());
                        let StateElements::Stark(elements) = state.elements() else { panic!() };
                        elements.to_vec()
                    };
                    let output: Vec<Felt> = input.chunks(width).flat_map(permuted).collect();
                    (flat(&input), flat(&output))
                }
            };
            flat::permute(&device, instance, &mut states).unwrap();
            assert!(states == expected, "{name}, {count} rows of {}", D::NAME);
        }
    }
}

#[test]
fn permutations() {
    permutes_like_the_engine::<u64>();
    permutes_like_the_engine::<u8>();
}

#[test]
fn filecoin_hashes() {
    let device = Device::cpu();
    for (label, arity) in [2, 4, 7, 8, 11, 36].into_iter().enumerate() {
        for (strength, hash_type, length) in [
            (Strength::Standard, HashType::MerkleTree, arity),
            (Strength::Strengthened, HashType::Encryption, arity),
            (Strength::Standard, HashType::ConstantLength, 1),
            (Strength::Strengthened, HashType::ConstantLength, arity - 1),
        ] {
            let hasher = Hasher::new(arity, strength, hash_type).unwrap();
            for count in COUNTS {
                let input =
                    elements::<Bls12381Scalar>(&mut generator(label as u64), count * length);
                let digest = |row: &[Fr]| hasher.hash(row).unwrap();
                let expected: Vec<Fr> = input.chunks(length).map(digest).collect();
                let mut limbs = vec![7; count * 4];
                flat::filecoin_hash::<u64>(&device, &hasher, length, &flat(&input), &mut limbs)
                    .unwrap();
                assert!(limbs == flat::<_, u64>(&expected), "{hasher:?}, {count}");
                let mut bytes = vec![7; count * 32];
                flat::filecoin_hash::<u8>(&device, &hasher, length, &flat(&input), &mut bytes)
                    .unwrap();
                assert!(bytes == flat::<_, u8>(&expected), "{hasher:?}, {count}");
            }
        }
    }
}

#[test]
fn starknet_hashes() {
    let device = Device::cpu();
    for count in COUNTS {
        let input = elements::<StarkPrime>(&mut generator(count as u64), 2 * count);
        let pairs: Vec<Felt> = input.chunks(2).map(|xy| starknet::hash(xy[0], xy[1])).collect();
        let mut digests = vec![7u64; count * 4];
        flat::starknet_hash(&device, &flat(&input), &mut digests).unwrap();
        assert!(digests == flat::<_, u64>(&pairs), "{count} pairs");
        let singles: Vec<Felt> = input.iter().map(|x| starknet::hash_single(*x)).collect();
        let mut digests = vec![7u8; 2 * count * 32];
        flat::starknet_hash_single(&device, &flat(&input), &mut digests).unwrap();
        assert!(digests == flat::<_, u8>(&singles), "{} singles", 2 * count);
    }
}

#[test]
fn starknet_hashes_of_many() {
    let device = Device::cpu();
    let mut generator = generator(5);
    for length in 0..6 {
        for count in [0, 1, 3, 300] {
            let input = elements::<StarkPrime>(&mut generator, count * length);
            let message = |row| starknet::hash_many(&input[row * length..(row + 1) * length]);
            let expected: Vec<Felt> = (0..count).map(message).collect();
            let mut digests = vec![7u64; count * 4];
            let messages = Messages::Equal(length);
            flat::starknet_hash_many(&device, messages, &flat(&input), &mut digests).unwrap();
            assert!(digests == flat::<_, u64>(&expected), "{count} of {length}");
        }
    }
    for count in [0, 1, 2, 255, 256, 257, 520] {
        let mut offsets = vec![0u64];
        for _ in 0..count {
            offsets.push(offsets.last().unwrap() + generator.gen_range(0..5));
        }
        let input = elements::<StarkPrime>(&mut generator, *offsets.last().unwrap() as usize);
        let message =
            |ends: &[u64]| starknet::hash_many(&input[ends[0] as usize..ends[1] as usize]);
        let expected: Vec<Felt> = offsets.windows(2).map(message).collect();
        let mut digests = vec![7u8; count * 32];
        let messages = Messages::Offsets(&offsets);
        flat::starknet_hash_many(&device, messages, &flat(&input), &mut digests).unwrap();
        assert!(digests == flat::<_, u8>(&expected), "{count} by offsets");
    }
}

#[test]
fn a_streaming_hash_takes_any_pieces_and_no_wrong_one() {
    let input = elements::<StarkPrime>(&mut generator(6), 700);
    let mut hasher = starknet::Hasher::new();
    let mut rest = &input[..];
    for piece in [0, 1, 2, 255, 1, 257, 3, 0, 181] {
        let (elements, others) = rest.split_at(piece);
        flat::starknet_update::<u64>(&mut hasher, &flat(elements)).unwrap();
        rest = others;
    }
    assert!(rest.is_empty() && hasher.finalize() == starknet::hash_many(&input));

    let before = hasher.clone();
    let mut wrong: Vec<u8> = flat(&input);
    wrong[32 * 699 + 31] = 0xff;
    let error = flat::starknet_update(&mut hasher, &wrong).unwrap_err().to_string();
    assert!(error.starts_with("elements: row 699, element 0: 0xff"), "{error}");
    let error = flat::starknet_update(&mut hasher, &wrong[..33]).unwrap_err().to_string();
    assert!(error.starts_with("elements: got 33 bytes"), "{error}");
    assert!(hasher == before);
}

#[test]
fn tree_roots() {
    let device = Device::cpu();
    for (arity, leaves) in
        [(2, 2), (2, 256), (4, 64), (8, 8), (8, 4096), (11, 121), (3, 27), (36, 36)]
    {
        let hasher = Hasher::new(arity, Strength::Standard, HashType::MerkleTree).unwrap();
        let leaves = elements::<Bls12381Scalar>(&mut generator(arity as u64), leaves);
        let mut level = leaves.clone();
        while level.len() > 1 {
            level = level.chunks(arity).map(|children| hasher.hash(children).unwrap()).collect();
        }
        let mut root = [7u64; 4];
        flat::tree_root(&device, arity, Strength::Standard, &flat(&leaves), &mut root).unwrap();
        assert_eq!(root, level[0].canonical_limbs());
        let mut root = [7u8; 32];
        flat::tree_root(&device, arity, Strength::Standard, &flat(&leaves), &mut root).unwrap();
        assert_eq!(root, level[0].to_le_bytes());
    }
}

#[test]
fn published_permutations() {
    let device = Device::cpu();
    for (input, output) in KnownAnswers::published().unwrap().permutations {
        let mut bytes = input.to_le_bytes().concat();
        flat::permute(&device, input.instance(), &mut bytes).unwrap();
        assert_eq!(bytes, output.to_le_bytes().concat());
    }
}

#[test]
fn numbers_of_an_instance() {
    let info = flat::instance_info("filecoin-8-strengthened").unwrap();
    assert_eq!((info.width, info.full_rounds, info.partial_rounds, info.alpha), (9, 8, 72, 5));
    assert_eq!(info.modulus, Bls12381Scalar::VALUE);
    let info = flat::instance_info("stark-3").unwrap();
    assert_eq!((info.width, info.full_rounds, info.partial_rounds, info.alpha), (3, 8, 83, 3));
    assert_eq!(info.modulus, StarkPrime::VALUE);
    let error = flat::instance_info("stark-6").unwrap_err();
    assert!(error.to_string().contains("unknown instance \"stark-6\""), "{error}");
}

/// Checks the arrays and the message of a refused call.
fn refused<D: Digit + Clone + PartialEq + std::fmt::Debug>(
    output: &mut [D],
    words: &[&str],
    call: impl FnOnce(&mut [D]) -> Result<(), FlatError>,
) {
    let before = output.to_vec();
    let error = call(output).unwrap_err().to_string();
    assert_eq!(output, before, "{error}");
    for word in words {
        assert!(error.contains(word), "{error:?} lacks {word:?}");
    }
}

#[test]
fn lengths_that_do_not_fit_are_refused() {
    let device = &Device::cpu();
    let stark: Instance = "stark-3".parse().unwrap();
    for wrong in [1, 11, 13, 23, 25] {
        let words = &["states: got", &format!("{wrong} limbs"), "rows of 3 elements, 4 limbs each"];
        let mut states = vec![1u64; wrong];
        refused(&mut states, words, |states| flat::permute(device, stark, states));
    }
    let hasher = Hasher::new(4, Strength::Standard, HashType::MerkleTree).unwrap();
    for wrong in [0, 3, 5, usize::MAX] {
        let words = &["expected 4 elements", &format!("got {wrong}")];
        refused(&mut [7u64; 4], words, |digests| {
            flat::filecoin_hash(device, &hasher, wrong, &[1; 16], digests)
        });
    }
    let words = &["digests: got 8 limbs, wanted 4 (one element for each of 1 rows)"];
    refused(&mut [7u64; 8], words, |digests| {
        flat::filecoin_hash(device, &hasher, 4, &[1; 16], digests)
    });
    refused(&mut [7u8; 31], &["digests: got 31 bytes, wanted 32"], |digests| {
        flat::starknet_hash(device, &[1; 64], digests)
    });
    refused(&mut [7u8; 32], &["pairs: got 63 bytes, wanted whole rows of 2"], |digests| {
        flat::starknet_hash(device, &[1; 63], digests)
    });
    refused(&mut [7u64; 4], &["elements: got 5 limbs"], |digests| {
        flat::starknet_hash_single(device, &[1; 5], digests)
    });
}

#[test]
fn messages_that_do_not_fit_are_refused() {
    let device = &Device::cpu();
    let many = |messages, elements: &'static [u64]| {
        move |digests: &mut [u64]| flat::starknet_hash_many(device, messages, elements, digests)
    };
    let digests = &mut [7u64; 8];
    refused(digests, &["rows of 0 elements"], many(Messages::Equal(0), &[1; 4]));
    refused(digests, &["whole rows of 3 elements"], many(Messages::Equal(3), &[1; 16]));
    let words = &[&format!("whole rows of {} elements", usize::MAX)[..]];
    refused(digests, words, many(Messages::Equal(usize::MAX), &[1; 16]));
    let cases: [(&[u64], &str); 6] = [
        (&[], "got none"),
        (&[1, 2, 3], "the first is 1, wanted 0"),
        (&[0, 2, 1, 3], "number 2 is 1, below the 2 before it"),
        (&[0, 1, 2], "the last is 2, wanted the number of elements, 3"),
        (&[0, 1, u64::MAX], "the last is 18446744073709551615"),
        (&[0, 3], "digests: got 8 limbs, wanted 4"),
    ];
    for (offsets, words) in cases {
        refused(digests, &[words], many(Messages::Offsets(offsets), &[1; 12]));
    }
}

#[test]
fn elements_at_or_above_p_are_named() {
    let device = &Device::cpu();
    let generator = &mut generator(9);
    let fr = elements::<Bls12381Scalar>(generator, 9 * 5000);
    for (element, row, position) in [(0, 0, 0), (8, 0, 8), (9 * 4999, 4999, 0), (12_345, 1371, 6)] {
        let mut states: Vec<u64> = flat(&fr);
        states[element * 4..][..4].copy_from_slice(&Bls12381Scalar::VALUE);
        // The error names the first wrong element, not a later one.
        let last = states.len() - 1;
        states[last] = u64::MAX;
        let words = [&format!("states: row {row}, element {position}: 0x73eda753")[..]];
        let instance = "filecoin-8".parse().unwrap();
        refused(&mut states, &words, |states| flat::permute(device, instance, states));
    }
    // p − 1 is accepted, p is not, whichever limb decides.
    for limb in 0..4 {
        let mut above = StarkPrime::VALUE;
        above[limb] += 1;
        for (limbs, is_taken) in [(above, false), ((-Felt::ONE).canonical_limbs(), true)] {
            let mut digest = [7u64; 4];
            let outcome = flat::starknet_hash_single(device, &limbs, &mut digest);
            assert_eq!((outcome.is_ok(), digest != [7; 4]), (is_taken, is_taken));
        }
    }
    // By offsets: messages of 2, 0 and 3 elements; the second element of the last message is wrong.
    let mut input: Vec<u8> = flat(&elements::<StarkPrime>(generator, 5));
    input[3 * 32 + 31] = 0xff;
    refused(&mut [7u8; 96], &["elements: row 2, element 1: 0xff"], |digests| {
        flat::starknet_hash_many(device, Messages::Offsets(&[0, 2, 2, 5]), &input, digests)
    });
}

#[test]
fn leaves_that_are_no_tree_are_refused() {
    let device = &Device::cpu();
    let tree = |arity, leaves: &'static [u64]| {
        move |root: &mut [u64]| flat::tree_root(device, arity, Strength::Standard, leaves, root)
    };
    let root = &mut [7u64; 4];
    refused(root, &["0 leaves do not fill a tree of arity 8"], tree(8, &[]));
    refused(root, &["1 leaves do not fill"], tree(8, &[1; 4]));
    refused(root, &["9 leaves do not fill"], tree(8, &[1; 36]));
    refused(root, &["leaves: got 33 limbs"], tree(8, &[1; 33]));
    refused(root, &["leaves: row 0, element 0"], tree(2, &[u64::MAX; 8]));
    refused(root, &["no Filecoin instance has arity 1"], tree(1, &[1; 4]));
    refused(&mut [7u64; 8], &["root: got 8 limbs, wanted 4"], tree(2, &[1; 8]));
}
