// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The two forms of a solution, and invalid forms.

use halimede_equihash::{
    indices_from_minimal, minimal_from_indices, EncodingError, Params, Rejection, Verifier,
};
use num_bigint::BigUint;
use proptest::prelude::*;
use proptest::sample::select;

const PARAMS: [(u32, u32); 8] =
    [(200, 9), (144, 5), (96, 5), (48, 5), (8, 3), (40, 4), (248, 7), (496, 15)];

fn any_params() -> impl Strategy<Value = Params> {
    (0..PARAMS.len()).prop_map(|place| Params::new(PARAMS[place].0, PARAMS[place].1).unwrap())
}

/// Parameters whose indices have fewer than 32 bits, so that larger values exist.
fn narrow_params() -> impl Strategy<Value = Params> {
    let all = PARAMS.iter().map(|(n, k)| Params::new(*n, *k).unwrap());
    select(all.filter(|params| params.index_bits() < 32).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// The minimal form is one big number whose digits are the indices.
    #[test]
    fn the_minimal_form_is_one_number(params in any_params(), seed in any::<u64>()) {
        let indices = digits(params, seed);
        let minimal = minimal_from_indices(params, &indices).unwrap();
        let shift = |number: BigUint, index: &u32| (number << params.index_bits()) + *index;
        // Converting long solutions to a number would take too long.
        if indices.len() <= 512 {
            let number = indices.iter().fold(BigUint::ZERO, shift);
            prop_assert_eq!(BigUint::from_bytes_be(&minimal), number);
        }
        prop_assert_eq!(minimal.len(), params.solution_bytes());
        prop_assert_eq!(indices_from_minimal(params, &minimal), Ok(indices));
    }

    /// Any bytes of the right length decode to indices and round-trip.
    #[test]
    fn any_bytes_are_indices(bytes in proptest::collection::vec(any::<u8>(), 100)) {
        for params in [Params::N144_K5, Params::N96_K5, Params::REGTEST] {
            let minimal = &bytes[..params.solution_bytes()];
            let indices = indices_from_minimal(params, minimal).unwrap();
            prop_assert_eq!(minimal_from_indices(params, &indices).unwrap(), minimal);
        }
    }

    /// Other lengths are rejected with the length, by the verifier as well.
    #[test]
    fn other_lengths_are_refused(
        params in any_params(),
        bytes in proptest::collection::vec(any::<u8>(), 0..2000),
    ) {
        let expected = params.solution_bytes();
        prop_assume!(bytes.len() != expected);
        let error = EncodingError::Bytes { got: bytes.len(), expected };
        prop_assert_eq!(indices_from_minimal(params, &bytes), Err(error.clone()));
        let verifier = Verifier::new(params, &bytes);
        prop_assert_eq!(verifier.mask(&bytes), Err(error.clone()));
        prop_assert_eq!(verifier.verify(&bytes), Err(Rejection::Encoding(error)));
    }

    /// Indices that do not fit are rejected.
    #[test]
    fn indices_beyond_the_list_are_refused(
        params in narrow_params(),
        seed in any::<u64>(),
        place in any::<prop::sample::Index>(),
        beyond in 1u32..,
    ) {
        let limit = u32::MAX >> (32 - params.index_bits());
        let mut indices = digits(params, seed);
        let position = place.index(indices.len());
        let got = limit.saturating_add(beyond);
        indices[position] = got;
        let error = EncodingError::TooLarge { position, got, limit };
        prop_assert_eq!(minimal_from_indices(params, &indices), Err(error.clone()));
        let verifier = Verifier::new(params, b"");
        prop_assert_eq!(verifier.mask_of_indices(&indices), Err(error.clone()));
        prop_assert_eq!(verifier.verify_indices(&indices), Err(Rejection::Encoding(error)));
        indices.pop();
        let error = EncodingError::Indices { got: indices.len(), expected: indices.len() + 1 };
        prop_assert_eq!(verifier.mask_of_indices(&indices), Err(error.clone()));
        prop_assert_eq!(verifier.verify_indices(&indices), Err(Rejection::Encoding(error)));
    }
}

fn digits(params: Params, seed: u64) -> Vec<u32> {
    use rand::{Rng, SeedableRng};
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let limit = u32::MAX >> (32 - params.index_bits());
    (0..params.indices()).map(|_| random.gen_range(0..=limit)).collect()
}
