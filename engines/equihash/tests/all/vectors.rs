// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Published solutions, valid and invalid, on every backend.

use crate::common::{block_346, published};
use halimede_arith::EngineBackend;
use halimede_equihash::{
    indices_from_minimal, reference, Check, LaneBackend, Mask, Params, Rejection, Verifier,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[test]
fn published_solutions_have_their_verdicts() {
    let cases = published();
    let valid = cases.iter().filter(|case| case.failed.is_none()).count();
    assert!(valid > 80 && cases.len() - valid > 40, "{valid} of {}", cases.len());
    for case in &cases {
        let expected = case.by_the_reference();
        assert_eq!(expected.is_valid(), case.failed.is_none(), "{case:?}");
        // The crate traverses the tree once and reports the first failure that it meets.
        assert!(case.failed.is_none_or(|check| expected.has(check)), "{case:?}: {expected}");
        assert_eq!(case.is_valid_by_the_crate(), expected.is_valid());
        let answer = expected.first().map_or(Ok(()), |check| Err(Rejection::Failed(check)));
        for backend in LaneBackend::available() {
            let verifier = Verifier::with_backend(case.params, &case.input, backend).unwrap();
            assert_eq!(verifier.mask(&case.minimal()), Ok(expected), "{backend}: {case:?}");
            assert_eq!(
                verifier.mask_of_indices(&case.indices),
                Ok(expected),
                "{backend}: {case:?}"
            );
            assert_eq!(verifier.verify(&case.minimal()), answer, "{backend}: {case:?}");
            assert_eq!(verifier.verify_indices(&case.indices), answer, "{backend}: {case:?}");
        }
    }
}

#[test]
fn spoilt_vectors_fail_at_the_first_check_in_order() {
    let of = |check: Check| published().into_iter().filter(move |case| case.failed == Some(check));
    let first = |case: &crate::common::Case| case.by_the_reference().first();
    assert!(of(Check::Duplicate).all(|case| first(&case) == Some(Check::Duplicate)));
    assert!(of(Check::IndexOrder).all(|case| first(&case) == Some(Check::IndexOrder)));
    // With two indices swapped, the order is wrong as well, and is reported before the collision.
    let mut named: Vec<_> = of(Check::Collision).filter_map(|case| first(&case)).collect();
    named.sort_unstable();
    named.dedup();
    assert_eq!(named, [Check::IndexOrder, Check::Collision]);
    assert!(of(Check::Xor).all(|case| {
        let mask = case.by_the_reference();
        mask.has(Check::Xor) && mask.bits().count_ones() == 1
    }));
}

#[test]
fn block_346_is_valid_and_every_flip_is_not() {
    let (header, solution) = block_346();
    for backend in LaneBackend::available() {
        let verifier = Verifier::with_backend(Params::ZCASH, &header, backend).unwrap();
        assert_eq!(verifier.verify(&solution), Ok(()), "{backend}");
        assert_eq!(verifier.mask(&solution), Ok(Mask::VALID), "{backend}");
    }
    assert_eq!(reference::mask(Params::ZCASH, &header, &solution), Ok(Mask::VALID));
    let verifier = Verifier::new(Params::ZCASH, &header);
    let mut named = std::collections::BTreeSet::new();
    for bit in 0..8 * solution.len() {
        let mut flipped = solution.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let mask = verifier.mask(&flipped).unwrap();
        let first = mask.first().unwrap_or_else(|| panic!("bit {bit} has no effect"));
        assert!(mask.has(Check::Xor), "bit {bit}: another leaf is in the XOR");
        assert_eq!(verifier.verify(&flipped), Err(Rejection::Failed(first)), "bit {bit}");
        named.insert(first);
        // The reference takes most of the time.
        if bit % 37 == 0 {
            let expected = reference::mask(Params::ZCASH, &header, &flipped);
            assert_eq!(Ok(mask), expected, "bit {bit}");
        }
    }
    assert!(named.contains(&Check::Collision) && named.contains(&Check::IndexOrder), "{named:?}");
}

#[test]
fn flips_of_the_header_are_collisions_that_are_missing() {
    let (header, solution) = block_346();
    let indices = indices_from_minimal(Params::ZCASH, &solution).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(346);
    for bit in 0..8 * header.len() {
        let mut flipped = header.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        for backend in LaneBackend::available() {
            let verifier = Verifier::with_backend(Params::ZCASH, &flipped, backend).unwrap();
            let mask = verifier.mask_of_indices(&indices).unwrap();
            assert_eq!(mask.first(), Some(Check::Collision), "{backend}: bit {bit}");
            assert_eq!(verifier.verify(&solution), Err(Rejection::Failed(Check::Collision)));
            if random.gen_range(0..200) == 0 {
                let expected = reference::mask_of_indices(Params::ZCASH, &flipped, &indices);
                assert_eq!(Ok(mask), expected, "{backend}: bit {bit}");
            }
        }
    }
}
