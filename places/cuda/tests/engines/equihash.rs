// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Equihash's masks.

use halimede_arith::job::Operation;
use halimede_cuda::equihash::VerifyOnGpu;
use halimede_equihash::operations::{Verify, VerifyRequest, HEADER_BYTES};
use halimede_equihash::{Check, Mask, Params};
use rand::Rng;

use crate::{agree, bytes, place, random, reasons};

/// Header, length and solution of block 346 of Zcash's main network.
fn block_346() -> Vec<u8> {
    let text = include_str!("../../../../engines/equihash/vectors/zcash_block_346.hex");
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let value = |digit: u8| char::from(digit).to_digit(16).unwrap() as u8;
    digits.chunks_exact(2).map(|pair| value(pair[0]) << 4 | value(pair[1])).collect()
}

fn of_header(header: &[u8], solution: &[u8]) -> VerifyRequest {
    let header: [u8; HEADER_BYTES] = header.try_into().unwrap();
    VerifyRequest::of_header(Params::ZCASH, header, solution).unwrap()
}

#[test]
fn a_block_with_any_bit_flipped() {
    let Some(place) = place() else { return };
    let mut random = random(346);
    let block = block_346();
    let (header, rest) = block.split_at(HEADER_BYTES);
    let solution = &rest[3..3 + Params::ZCASH.solution_bytes()];
    let mut requests = vec![of_header(header, solution)];
    for _ in 0..12 {
        let (mut header, mut solution) = (header.to_vec(), solution.to_vec());
        match random.gen() {
            true => header[random.gen_range(0..HEADER_BYTES)] ^= 1 << random.gen_range(0..8),
            false => {
                let place = random.gen_range(0..solution.len());
                solution[place] ^= 1 << random.gen_range(0..8);
            }
        }
        requests.push(of_header(&header, &solution));
    }
    // Two subtrees swapped, and one index twice.
    let half = solution.len() / 2;
    requests.push(of_header(header, &[&solution[half..], &solution[..half]].concat()));
    requests.push(of_header(header, &[&solution[..half], &solution[..half]].concat()));
    let replies = agree::<VerifyOnGpu>(&place, Verify::batch(&requests));
    assert_eq!(replies[0], Mask::VALID);
    for check in Check::ALL {
        assert!(replies.iter().any(|mask| mask.has(check)), "{check:?}");
    }
}

#[test]
fn parameter_sets_are_mixed() {
    let Some(place) = place() else { return };
    let mut random = random(5);
    let sets = [Params::REGTEST, Params::N96_K5, Params::N144_K5, Params::ZCASH];
    let others = [(80, 4), (128, 7), (96, 3)].map(|(n, k)| Params::new(n, k).unwrap());
    let mut requests = Vec::new();
    for length in [0, 1, 123, 124, 125, 127, 128, 140, 255, 256, 300] {
        for params in sets.into_iter().chain(others) {
            let (input, solution) =
                (bytes(&mut random, length), bytes(&mut random, params.solution_bytes()));
            let row = halimede_equihash::VerifyRow::new(params, &input, &solution).unwrap();
            requests.push(Verify::keep(row));
        }
    }
    agree::<VerifyOnGpu>(&place, Verify::batch(&requests));
}

#[test]
fn large_trees_stay_on_the_processor() {
    let Some(place) = place() else { return };
    let params = Params::new(264, 10).unwrap();
    let solution = vec![0; params.solution_bytes()];
    let row = halimede_equihash::VerifyRow::new(params, b"input", &solution).unwrap();
    let requests = [Verify::keep(row)];
    let reasons = reasons::<VerifyOnGpu>(&place, Verify::batch(&requests));
    assert!(reasons[0].1.contains("up to 512 indices"), "{reasons:?}");
}
