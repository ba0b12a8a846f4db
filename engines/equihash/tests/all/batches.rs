// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches, the operation that devices execute, and the reference BLAKE2b.

use crate::common::{block_346, mutate, published, Case, MUTATIONS};
use halimede_arith::job::{Compute, Operation};
use halimede_equihash::operations::{Verify, VerifyBatch, VerifyRequest};
use halimede_equihash::{
    indices_from_minimal, reference, verify_batch, Check, EncodingError, Mask, Params, Rejection,
    Verifier, VerifyRow,
};
use rand::seq::SliceRandom;
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Published solutions of all parameters, mixed with damaged ones, in random order.
fn mixed(seed: u64) -> Vec<Case> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut cases = published();
    for number in 0..cases.len() {
        let spoilt = mutate(&cases[number], number % MUTATIONS, &mut random);
        cases.push(spoilt);
    }
    cases.shuffle(&mut random);
    cases
}

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn a_batch_answers_each_row_in_its_place() {
    let cases = mixed(1);
    let minimal: Vec<Vec<u8>> = cases.iter().map(Case::minimal).collect();
    let expected: Vec<Result<(), Rejection>> = cases
        .iter()
        .map(|case| case.by_the_reference().first().map_or(Ok(()), |c| Err(Rejection::Failed(c))))
        .collect();
    for place in [0, 17, cases.len() - 1] {
        let (case, mut long) = (&cases[place], minimal[place].clone());
        long.push(7);
        let error = EncodingError::Bytes { got: long.len(), expected: long.len() - 1 };
        assert_eq!(VerifyRow::new(case.params, &case.input, &long), Err(error));
        assert!(VerifyRow::new(case.params, &case.input, &long[2..]).is_err());
    }
    assert!(cases.len() > 200);
    let rows: Vec<VerifyRow<'_>> = cases
        .iter()
        .zip(&minimal)
        .map(|(case, solution)| VerifyRow::new(case.params, &case.input, solution).unwrap())
        .collect();
    for threads in [1, 2, 3] {
        assert!(in_pool(threads, || verify_batch(&rows)) == expected, "{threads} threads");
    }
    let masks = in_pool(2, || Verify::compute_batch(VerifyBatch::Rows(&rows)));
    for (case, mask) in cases.iter().zip(masks) {
        assert_eq!(mask, case.by_the_reference());
    }
    assert_eq!(verify_batch(&[]), []);
}

#[test]
fn many_solutions_of_one_puzzle() {
    let (header, solution) = block_346();
    let verifier = Verifier::new(Params::ZCASH, &header);
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut solutions = vec![solution; 50];
    for spoilt in solutions.iter_mut().skip(1).step_by(3) {
        let byte = random.gen_range(0..spoilt.len());
        spoilt[byte] ^= 1 << random.gen_range(0..8);
    }
    let expected: Vec<_> = solutions.iter().map(|solution| verifier.verify(solution)).collect();
    assert_eq!(expected.iter().filter(|result| result.is_ok()).count(), 33);
    for threads in [1, 2] {
        assert!(in_pool(threads, || verifier.verify_batch(&solutions)) == expected);
    }
}

#[test]
fn requests_are_answered_with_the_cards_mask() {
    let (header, solution) = block_346();
    let header: [u8; 140] = header.try_into().unwrap();
    let request = |header: [u8; 140], solution: &[u8]| {
        VerifyRequest::of_header(Params::ZCASH, header, solution).unwrap()
    };
    assert_eq!(Verify::compute(request(header, &solution).row()), Mask::VALID);
    let mut requests = vec![request(header, &solution)];
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..40 {
        let (mut header, mut solution) = (header, solution.clone());
        if random.gen() {
            header[random.gen_range(0..140)] ^= 1 << random.gen_range(0..8);
        } else {
            solution[random.gen_range(0..1344)] ^= 1 << random.gen_range(0..8);
        }
        requests.push(request(header, &solution));
    }
    for threads in [1, 2] {
        let masks = in_pool(threads, || Verify::compute_batch(Verify::batch(&requests)));
        for (request, mask) in requests.iter().zip(masks) {
            let mut expected =
                reference::mask(Params::ZCASH, request.input(), request.solution()).unwrap();
            // The hash of changed bytes meets block 346's target with a probability of 2^-24.
            if expected != Mask::VALID {
                expected.set(Check::Difficulty);
            }
            assert_eq!(mask, expected);
        }
    }
}

/// The difficulty is checked against the header's own target. The hash of block 346 with another
/// target would change, so the header gets a target that any hash meets, or an invalid one.
#[test]
fn the_difficulty_is_a_check_of_its_own() {
    let (header, solution) = block_346();
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let targets = [
        (0x2100_ffff_u32, true), // 0xffff · 256^30: all hashes except one of 65,536
        (0x2080_0001, false),    // negative
        (0x2300_0100, false),    // 2^264
        (0x2000_0000, false),    // zero
        (0x0300_ffff, false),    // 0xffff, which no hash meets
    ];
    for (target, is_met) in targets {
        let mut header: [u8; 140] = header.clone().try_into().unwrap();
        header[104..108].copy_from_slice(&target.to_le_bytes());
        header[110 + random.gen_range(0..30)] ^= 0x10;
        let request = VerifyRequest::of_header(Params::ZCASH, header, &solution[..]).unwrap();
        let mask = Verify::compute(request.row());
        assert_eq!(mask.has(Check::Difficulty), !is_met, "{target:#010x}");
        assert!(mask.has(Check::Collision));
        assert!(!mask.has(Check::IndexOrder) && !mask.has(Check::Duplicate));
    }
}

#[test]
fn regtests_genesis_block_meets_its_target() {
    let genesis = published()
        .into_iter()
        .find(|case| case.params == Params::REGTEST && case.input.starts_with(&[4, 0, 0, 0, 0]))
        .unwrap();
    let header: [u8; 140] = genesis.input.clone().try_into().unwrap();
    let minimal = genesis.minimal();
    assert_eq!(indices_from_minimal(genesis.params, &minimal).unwrap(), genesis.indices);
    let request = VerifyRequest::of_header(genesis.params, header, minimal).unwrap();
    assert_eq!(Verify::compute(request.row()), Mask::VALID);
}

#[test]
fn the_plain_blake2b_is_that_of_its_crate() {
    let mut random = ChaCha8Rng::seed_from_u64(6);
    for length in (0..=520).chain([1000, 4096, 4097]) {
        let (mut message, mut personalisation) = (vec![0; length], [0; 16]);
        random.fill_bytes(&mut message);
        random.fill_bytes(&mut personalisation);
        let output_bytes = random.gen_range(1..=64);
        let expected = blake2b_simd::Params::new()
            .hash_length(output_bytes)
            .personal(&personalisation)
            .hash(&message);
        let got = reference::blake2b(&personalisation, output_bytes, &message);
        assert_eq!(got, expected.as_bytes(), "{length} bytes");
    }
}
