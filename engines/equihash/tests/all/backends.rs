// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares every backend of this processor with the reference and the crate `equihash`, on one
//! list of cases.

use crate::common::{check, mutate, published, valid_ones, Case, MUTATIONS};
use halimede_arith::EngineBackend;
use halimede_equihash::{Check, LaneBackend, Params, Verifier};
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn bytes(random: &mut ChaCha8Rng, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    random.fill_bytes(&mut bytes);
    bytes
}

/// Random indices.
fn any_indices(random: &mut ChaCha8Rng, params: Params) -> Vec<u32> {
    let limit = u32::MAX >> (32 - params.index_bits());
    (0..params.indices()).map(|_| random.gen_range(0..=limit)).collect()
}

/// All n and k with at most `most` indices.
fn all_params(most: usize) -> impl Iterator<Item = Params> {
    let pairs = (8..=512).step_by(8).flat_map(|n| (3..n).map(move |k| (n, k)));
    pairs.filter_map(|(n, k)| Params::new(n, k).ok()).filter(move |p| p.indices() <= most)
}

#[test]
fn spoilt_solutions_fail_as_the_specification_says() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut seen = [0; 32];
    for valid in valid_ones() {
        let rounds = if valid.params == Params::ZCASH { 1 } else { 12 };
        for way in (0..MUTATIONS).cycle().take(rounds * MUTATIONS) {
            let case = mutate(&valid, way, &mut random);
            let mask = check(&case, &format!("{} damaged in way {way}", valid.params));
            seen[usize::from(mask.bits())] += 1;
            assert_eq!(case.is_valid_by_the_crate(), mask.is_valid(), "{case:?}");
        }
    }
    let of = |check: Check| -> usize {
        (0..32).filter(|mask| mask >> check.bit() & 1 == 1).map(|mask| seen[mask]).sum()
    };
    for kind in [Check::Duplicate, Check::IndexOrder, Check::Collision, Check::Xor] {
        assert!(of(kind) > 20, "{kind:?}: {seen:?}");
    }
    assert_eq!(of(Check::Difficulty), 0);
}

/// Only the bits of one level are wrong: a subtree of a solution, whose bits of the next level are
/// not zero, next to an all-zero subtree, and the same pair again to its right, so that the two
/// cancel on all levels above.
#[test]
fn a_collision_that_is_missing_on_one_level_alone() {
    for valid in valid_ones() {
        let (params, count) = (valid.params, valid.params.indices());
        let zero: Vec<u32> = (0..count as u32).map(|leaf| leaf / 2 * 2 + 5).collect();
        let mut case = valid.clone();
        case.indices.clone_from(&zero);
        assert!(!check(&case, "all leaves twice").has(Check::Collision));
        for level in 1..=params.k() {
            let half = 1usize << (level - 1);
            for place in (0..count / (2 * half)).step_by(2) {
                case.indices.clone_from(&zero);
                for begin in [2 * half * place, 2 * half * (place + 1)] {
                    if begin < count {
                        let subtree = &valid.indices[2 * half * place..][..half];
                        case.indices[begin..][..half].copy_from_slice(subtree);
                        // A single leaf is paired with a different leaf: the subtree has no two
                        // equal leaves.
                        if half == 1 {
                            case.indices[begin + 1] = valid.indices[2 * place] ^ 1;
                        }
                    }
                }
                let what = format!("{params}, level {level}, place {place}");
                let mask = check(&case, &what);
                assert!(mask.has(Check::Collision), "{what}");
                assert_eq!(mask.has(Check::Xor), level == params.k(), "{what}");
                // The reference takes most of the time.
                if count > 32 && place > 2 {
                    break;
                }
            }
        }
    }
}

#[test]
fn all_parameters_on_random_indices() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut number = 0;
    for params in all_params(1 << 11) {
        for length in [140, random.gen_range(0..300)] {
            let (input, indices) = (bytes(&mut random, length), any_indices(&mut random, params));
            let case = Case { params, input, indices, failed: None };
            check(&case, &format!("{params}, {length} bytes"));
        }
        number += 1;
    }
    assert!(number > 70, "{number} parameters");
}

/// With 2 bits a level, random trees have wrong bits on any set of levels.
#[test]
fn many_trees_of_few_bits() {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let params = Params::new(8, 3).unwrap();
    let input = bytes(&mut random, 140);
    let mut collide = 0;
    for _ in 0..20_000 {
        let indices = any_indices(&mut random, params);
        let case = Case { params, input: input.clone(), indices, failed: None };
        collide += usize::from(!check(&case, "(8, 3)").has(Check::Collision));
    }
    assert!(collide > 5, "{collide} trees collide");
}

/// All positions of the number in the last block, or across two blocks.
#[test]
fn inputs_of_every_length() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for params in [Params::REGTEST, Params::N96_K5, Params::N144_K5] {
        for length in 0..=260 {
            let (input, indices) = (bytes(&mut random, length), any_indices(&mut random, params));
            let mut case = Case { params, input, indices, failed: None };
            check(&case, &format!("{params}, {length} bytes"));
            // The left half of the leaves repeats in the right half: the hashes cancel at the root,
            // whatever they are, but on no level below.
            let half = params.indices() / 2;
            case.indices.copy_within(..half, half);
            assert!(!check(&case, &format!("{params}, {length} bytes, twice")).has(Check::Xor));
        }
    }
}

#[test]
fn valid_solutions_hold_for_their_own_puzzle_alone() {
    let cases = published();
    let valid: Vec<&Case> = cases.iter().filter(|case| case.failed.is_none()).collect();
    for pair in valid.windows(2).filter(|pair| pair[0].params == pair[1].params) {
        let exchanged = Case { indices: pair[1].indices.clone(), ..pair[0].clone() };
        let mask = check(&exchanged, "another puzzle's solution");
        assert_eq!(mask.is_valid(), pair[0].input == pair[1].input);
    }
}

#[test]
fn levels_are_names_of_backends_and_refused_where_they_are_not_here() {
    assert_eq!(LaneBackend::available().next(), Some(LaneBackend::Portable));
    for backend in LaneBackend::ALL {
        assert_eq!(Ok(backend.backend()), backend.to_string().parse());
        let verifier = Verifier::with_backend(Params::ZCASH, b"", *backend);
        let backend = backend.is_available().then_some(*backend);
        assert_eq!(verifier.map(|verifier| verifier.backend()), backend);
    }
    assert_eq!(Verifier::new(Params::ZCASH, b"").backend(), LaneBackend::active());
}
