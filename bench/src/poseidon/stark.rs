// SPDX-License-Identifier: Apache-2.0 OR MIT
//! StarkWare's permutations and Starknet's pair hash.
//!
//! The peers that run are `starknet-types-core` and `lambdaworks-crypto`, which have only width 3.
//! The published handwritten assembly does not run here: its times on one processor are 7.4, 7.9,
//! 9.2 and 13.3 µs for widths 3, 4, 5 and 9, and lambdaworks' time for width 3 there is 7.9 µs. So
//! lambdaworks is measured here in turns with ours and scaled by this ratio.

use std::hint::black_box;
use std::sync::Arc;

use halimede_arith::job::Compute;
use halimede_arith::Felt;
use halimede_poseidon::operations::{Permute, StarknetHash, StarknetInput};
use halimede_poseidon::{optimized, starknet, State};
use lambdaworks_crypto::hash::poseidon::starknet::PoseidonCairoStark252;
use lambdaworks_crypto::hash::poseidon::Poseidon as _;
use lambdaworks_math::field::element::FieldElement;
use lambdaworks_math::field::fields::fft_friendly::stark_252_prime_field::Stark252PrimeField;
use lambdaworks_math::traits::ByteConversion;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use starknet_types_core::felt::Felt as PeerFelt;
use starknet_types_core::hash::{Poseidon as PeerPoseidon, StarkHash};

use super::{batch, one_at_a_time, BATCH};
use crate::Comparison;

const TYPES_CORE: &str = "starknet-types-core 1";
const LAMBDAWORKS: &str = "lambdaworks-crypto 0.13";
const ASSEMBLY: &str = "published assembly (lambdaworks, scaled)";

/// The time of lambdaworks at width 3 on the processor of [`PUBLISHED`] in microseconds.
const PUBLISHED_LAMBDAWORKS_US: f64 = 7.9;

/// A width of the published assembly.
struct Published {
    width: usize,
    /// The time of a permutation in microseconds.
    assembly_us: f64,
    /// The target ratios of single permutations and of batches.
    aims: [f64; 2],
}

/// The widest of [`PUBLISHED`].
const WIDEST: usize = 9;

const PUBLISHED: [Published; 4] = [
    Published { width: 3, assembly_us: 7.4, aims: [2.75, 4.5] },
    Published { width: 4, assembly_us: 7.9, aims: [2.7, 4.5] },
    Published { width: 5, assembly_us: 9.2, aims: [3.0, 4.5] },
    Published { width: 9, assembly_us: 13.3, aims: [3.3, 5.0] },
];

type LambdaFelt = FieldElement<Stark252PrimeField>;

/// Random pairs, for all three libraries.
struct Pairs {
    ours: Vec<(Felt, Felt)>,
    requests: Vec<StarknetInput>,
    types_core: Vec<(PeerFelt, PeerFelt)>,
    lambdaworks: Vec<(LambdaFelt, LambdaFelt)>,
}

impl Pairs {
    fn new() -> Result<Self, String> {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let mut case =
            Self { ours: vec![], requests: vec![], types_core: vec![], lambdaworks: vec![] };
        for _ in 0..BATCH {
            let [x, y] = [random_felt(&mut random), random_felt(&mut random)];
            let ours = |bytes| Felt::from_be_bytes(bytes).map_err(|error| error.to_string());
            case.ours.push((ours(&x)?, ours(&y)?));
            case.requests.push(StarknetInput::Pair(ours(&x)?, ours(&y)?));
            case.types_core.push((PeerFelt::from_bytes_be(&x), PeerFelt::from_bytes_be(&y)));
            let theirs = |bytes: &[u8; 32]| {
                LambdaFelt::from_bytes_be(bytes).map_err(|error| format!("{error:?}"))
            };
            case.lambdaworks.push((theirs(&x)?, theirs(&y)?));
        }
        case.check()?;
        Ok(case)
    }

    fn check(&self) -> Result<(), String> {
        let batch = StarknetHash::compute_batch(&self.requests);
        for (index, digest) in batch.iter().enumerate() {
            let (x, y) = self.ours[index];
            let bytes = digest.to_be_bytes();
            if starknet::hash(x, y) != *digest
                || self.hash_types_core(index).to_bytes_be() != bytes
                || self.hash_lambdaworks(index).to_bytes_be()[..] != bytes[..]
            {
                return Err("stark-3: the digests differ".into());
            }
        }
        Ok(())
    }

    fn hash_types_core(&self, index: usize) -> PeerFelt {
        let (x, y) = &self.types_core[index];
        PeerPoseidon::hash(x, y)
    }

    fn hash_lambdaworks(&self, index: usize) -> LambdaFelt {
        let (x, y) = &self.lambdaworks[index];
        PoseidonCairoStark252::hash(x, y)
    }
}

/// Big-endian bytes below 2²⁵¹.
fn random_felt(random: &mut ChaCha8Rng) -> [u8; 32] {
    let mut bytes: [u8; 32] = random.gen();
    bytes[0] &= 0x07;
    bytes
}

/// Permutations of each width against the assembly, and the pair hash against both libraries.
pub fn comparisons(threads: usize) -> Result<Vec<Comparison>, String> {
    let pairs = Arc::new(Pairs::new()?);
    let mut all = Vec::new();
    for published in &PUBLISHED {
        all.extend(permutations(&pairs, published, threads)?);
    }
    let case = "stark-3 pair";
    let (ours, theirs) = (pairs.clone(), pairs.clone());
    all.push(one_at_a_time(case, TYPES_CORE, None, hash_ours(ours), move |turn| {
        theirs.hash_types_core(turn)
    }));
    let (ours, theirs) = (pairs.clone(), pairs.clone());
    all.push(one_at_a_time(case, LAMBDAWORKS, None, hash_ours(ours), hash_lambdaworks(theirs)));
    let (ours, theirs) = (pairs.clone(), pairs.clone());
    all.push(batch(case, threads, TYPES_CORE, None, batch_ours(ours), move || -> Vec<PeerFelt> {
        (0..BATCH).into_par_iter().map(|index| theirs.hash_types_core(index)).collect()
    }));
    let (ours, theirs) = (pairs.clone(), pairs.clone());
    all.push(batch(case, threads, LAMBDAWORKS, None, batch_ours(ours), batch_lambdaworks(theirs)));
    Ok(all)
}

/// A width's permutation against the published assembly.
fn permutations(
    pairs: &Arc<Pairs>,
    published: &Published,
    threads: usize,
) -> Result<[Comparison; 2], String> {
    let mut random = ChaCha8Rng::seed_from_u64(published.width as u64);
    let elements: Result<Vec<Felt>, _> = (0..BATCH * published.width)
        .map(|_| Felt::from_be_bytes(&random_felt(&mut random)))
        .collect();
    let elements = elements.map_err(|error| error.to_string())?;
    let states: Result<Vec<State>, _> =
        elements.chunks(published.width).map(State::stark).collect();
    let states = states.map_err(|error| error.to_string())?;
    let width = published.width;
    let permute = move |turn: usize| {
        let mut state = [Felt::ZERO; WIDEST];
        state[..width].copy_from_slice(&elements[turn * width..][..width]);
        optimized::permute_stark(&mut state[..width]);
        state
    };
    for (turn, permuted) in Permute::compute_batch(&states).into_iter().enumerate() {
        if State::stark(&permute(turn)[..width]).as_ref() != Ok(&permuted) {
            return Err(format!("stark-{width}: single and batch differ"));
        }
    }
    let case = format!("stark-{}", published.width);
    let factor = published.assembly_us / PUBLISHED_LAMBDAWORKS_US;
    let [single_aim, batch_aim] = published.aims;
    let theirs = hash_lambdaworks(pairs.clone());
    let single = one_at_a_time(&case, ASSEMBLY, Some(single_aim), permute, theirs);
    let ours = move || Permute::compute_batch(black_box(&states));
    let batch =
        batch(&case, threads, ASSEMBLY, Some(batch_aim), ours, batch_lambdaworks(pairs.clone()));
    Ok([single, batch].map(|comparison| Comparison { theirs_factor: factor, ..comparison }))
}

fn hash_ours(pairs: Arc<Pairs>) -> impl Fn(usize) -> Felt {
    move |turn| {
        let (x, y) = pairs.ours[turn];
        starknet::hash(x, y)
    }
}

fn batch_ours(pairs: Arc<Pairs>) -> impl Fn() -> Vec<Felt> {
    move || StarknetHash::compute_batch(black_box(&pairs.requests))
}

fn hash_lambdaworks(pairs: Arc<Pairs>) -> impl Fn(usize) -> LambdaFelt {
    move |turn| pairs.hash_lambdaworks(turn)
}

fn batch_lambdaworks(pairs: Arc<Pairs>) -> impl Fn() -> Vec<LambdaFelt> {
    move || (0..BATCH).into_par_iter().map(|index| pairs.hash_lambdaworks(index)).collect()
}
