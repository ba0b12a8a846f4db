// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A thousand solutions that the solver found, unchanged and damaged in each way: all backends, the
//! reference and the crate `equihash` agree.

use crate::common::{check, mutate, Case, MUTATIONS};
use halimede_equihash::{Params, Solver};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// `count` solutions of random headers.
fn solved(params: Params, count: usize, random: &mut ChaCha8Rng) -> Vec<Case> {
    let solver = Solver::new(params);
    let mut cases = Vec::new();
    while cases.len() < count {
        let mut input = vec![0; 140];
        random.fill_bytes(&mut input);
        let case = |indices| Case { params, input: input.clone(), indices, failed: None };
        cases.extend(solver.solve(&input).unwrap().into_iter().map(case));
    }
    cases.truncate(count);
    cases
}

#[test]
fn a_thousand_solved_puzzles_and_all_that_can_be_wrong_with_them() {
    let mut random = ChaCha8Rng::seed_from_u64(346);
    let (mut accepted, mut rejected) = (0, 0);
    for (params, count) in [(Params::REGTEST, 700), (Params::N96_K5, 300)] {
        for (number, valid) in solved(params, count, &mut random).into_iter().enumerate() {
            let mask = check(&valid, &format!("{params}, solution {number}"));
            assert!(mask.is_valid() && valid.is_valid_by_the_crate(), "{params} {number}: {mask}");
            for way in 0..MUTATIONS {
                let spoilt = mutate(&valid, way, &mut random);
                let mask = check(&spoilt, &format!("{params}, solution {number}, way {way}"));
                assert_eq!(spoilt.is_valid_by_the_crate(), mask.is_valid(), "{spoilt:?}");
                // A subtree may have been swapped with itself; and for (48, 5), in one of 256
                // cases, the change makes another valid solution.
                let is_spoilt = spoilt.indices != valid.indices || spoilt.input != valid.input;
                accepted += usize::from(is_spoilt && mask.is_valid());
                rejected += usize::from(!mask.is_valid());
            }
        }
    }
    assert!(rejected > 8_500 && accepted < 50, "{rejected} rejected, {accepted} accepted");
}
