// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Requests of every operation with frames, with their replies; made once.

use std::sync::{Arc, OnceLock};

use halimede_arith::job::{Compute, Operation};
use halimede_arith::{Felt, Fr};
use halimede_blake3::operations::{Hash, HashRequest};
use halimede_blake3::Mode;
use halimede_equihash::known_answers::known_answers as known_solutions;
use halimede_equihash::operations::Verify as VerifySolution;
use halimede_equihash::Params;
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::operations::{FilecoinHash, Permute, StarknetHash, StarknetInput};
use halimede_poseidon::{State, Strength};
use halimede_secp256k1::known_answers::known_answers as known_signatures;
use halimede_secp256k1::operations::Verify;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Requests, each with its reply.
pub type Pairs<Op> = Vec<(<Op as Operation>::Request, <Op as Operation>::Reply)>;

/// Cases of an operation.
pub trait Cases: Compute {
    /// Every case, made at the first call.
    fn all() -> &'static Pairs<Self>;

    /// Returns random cases, in any order and with repetitions.
    fn some(generator: &mut ChaCha8Rng, count: usize) -> (Vec<Self::Request>, Vec<Self::Reply>) {
        let some = |_| Self::all().choose(generator).cloned();
        (0..count).filter_map(some).unzip()
    }
}

/// Adds the processor's replies.
fn answered<Op: Compute>(requests: Vec<Op::Request>) -> Pairs<Op> {
    let replies = Op::compute_batch(Op::batch(&requests));
    requests.into_iter().zip(replies).collect()
}

fn fr(generator: &mut ChaCha8Rng) -> Fr {
    Fr::from(generator.gen::<u64>()).pow(&[5])
}

fn felt(generator: &mut ChaCha8Rng) -> Felt {
    Felt::from(generator.gen::<u64>()).pow(&[5])
}

/// Makes a list of cases once.
macro_rules! cases {
    ($operation:ty, $seed:expr, $make:expr) => {
        impl Cases for $operation {
            fn all() -> &'static Pairs<Self> {
                static ALL: OnceLock<Pairs<$operation>> = OnceLock::new();
                let make: fn(&mut ChaCha8Rng) -> Vec<<$operation as Operation>::Request> = $make;
                ALL.get_or_init(|| answered::<Self>(make(&mut ChaCha8Rng::seed_from_u64($seed))))
            }
        }
    };
}

cases!(Permute, 1, |generator| {
    let state = |index: usize| match index % 3 {
        0 => State::stark(&[felt(generator), felt(generator), felt(generator)]),
        1 => State::filecoin(Strength::Standard, &[fr(generator), fr(generator), fr(generator)]),
        _ => State::filecoin(Strength::Strengthened, &[(); 5].map(|()| fr(generator))),
    };
    (0..48).map(state).map(|state| state.unwrap()).collect()
});

cases!(FilecoinHash, 2, |generator| {
    let preimage = |index: usize| {
        let arity = [2, 4, 8][index % 3];
        let hasher = Hasher::new(arity, Strength::Standard, HashType::MerkleTree).unwrap();
        let elements: Vec<Fr> = (0..arity).map(|_| fr(generator)).collect();
        hasher.preimage(&elements).unwrap()
    };
    (0..48).map(preimage).collect()
});

cases!(StarknetHash, 3, |generator| {
    let input = |index: usize| match index % 4 {
        0 => StarknetInput::Pair(felt(generator), felt(generator)),
        1 => StarknetInput::Single(felt(generator)),
        // Sponges need several steps, and none for an empty message.
        _ => StarknetInput::Many((0..index % 9).map(|_| felt(generator)).collect()),
    };
    (0..48).map(input).collect()
});

cases!(Hash, 4, |generator| {
    let modes = [
        Arc::new(Mode::Hash),
        Arc::new(Mode::Keyed(generator.gen())),
        Arc::new(Mode::derive_key("halimede simulation 2026")),
    ];
    let request = |index: usize| {
        // The longest messages need several frames, or several steps for their output.
        let bytes = [0, 1, 63, 64, 65, 1023, 1024, 1025, 3000, 70_000][index % 10];
        let message: Vec<u8> = (0..bytes).map(|_| generator.gen()).collect();
        let mut request = HashRequest::digest(&modes[index % 3], message);
        if index % 7 == 3 {
            request.output_bytes = [1, 131, 70_000][index % 3];
            request.output_offset = [0, 7, 64][index % 3];
        }
        request
    };
    (0..40).map(request).collect()
});

cases!(VerifySolution, 5, |_| {
    let sets = [Params::REGTEST, Params::REGTEST, Params::N96_K5, Params::ZCASH];
    let known = sets.into_iter().flat_map(|set| known_solutions(set).unwrap());
    known.map(|answer| answer.request).collect()
});

cases!(Verify, 6, |_| known_signatures()
    .unwrap()
    .into_iter()
    .map(|answer| Ok(answer.request))
    .collect());
