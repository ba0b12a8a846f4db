// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Poseidon against `neptune` (Filecoin's parameters) and against `starknet-types-core` and
//! `lambdaworks-crypto` (StarkWare's at width 3; no published crate has its other widths).

use std::hint::black_box;

use blstrs::Scalar;
use ff::PrimeField;
use generic_array::typenum::{U11, U2, U4, U8};
use halimede_arith::job::Compute;
use halimede_arith::{Felt, Fr};
use halimede_poseidon::filecoin::{HashType, Hasher, Preimage};
use halimede_poseidon::operations::{FilecoinHash, StarknetHash, StarknetInput};
use halimede_poseidon::{starknet, Strength};
use lambdaworks_crypto::hash::poseidon::starknet::PoseidonCairoStark252;
use lambdaworks_crypto::hash::poseidon::Poseidon as _;
use lambdaworks_math::field::element::FieldElement;
use lambdaworks_math::field::fields::fft_friendly::stark_252_prime_field::Stark252PrimeField;
use lambdaworks_math::traits::ByteConversion;
use neptune::poseidon::{Arity, HashMode, Poseidon, PoseidonConstants};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use starknet_types_core::felt::Felt as PeerFelt;
use starknet_types_core::hash::{Poseidon as PeerPoseidon, StarkHash};

use crate::compare::{Medians, Settings};
use crate::record::Record;

/// Hashes of a batch.
const BATCH: usize = 1024;
const NEPTUNE: &str = "neptune 13";
const TYPES_CORE: &str = "starknet-types-core 1";
const LAMBDAWORKS: &str = "lambdaworks-crypto 0.13";

type LambdaFelt = FieldElement<Stark252PrimeField>;

/// All cases.
///
/// # Errors
/// Where ours and a peer give different answers.
pub fn run(settings: &Settings, threads: usize) -> Result<Vec<Record>, String> {
    let mut records = Vec::new();
    records.extend(filecoin::<U2>(settings, threads, [2.7, 3.8])?);
    records.extend(filecoin::<U4>(settings, threads, [3.2, 4.5])?);
    records.extend(filecoin::<U8>(settings, threads, [3.8, 5.5])?);
    records.extend(filecoin::<U11>(settings, threads, [4.3, 6.0])?);
    records.extend(stark(settings, threads)?);
    Ok(records)
}

fn record(
    case: String,
    threads: usize,
    calls_a_unit: f64,
    medians: Medians,
    peer: &'static str,
    aim: f64,
) -> Record {
    let microseconds = |ns: f64| ns / calls_a_unit / 1e3;
    Record {
        bench: "poseidon",
        case,
        device: "cpu",
        threads,
        ours: microseconds(medians.ours_ns),
        unit: "us/hash",
        peer,
        theirs: microseconds(medians.theirs_ns),
        ratio: medians.theirs_ns / medians.ours_ns,
        aim,
    }
}

/// Random preimages of one arity, as both libraries want them.
struct FilecoinCase {
    ours: Vec<Vec<Fr>>,
    preimages: Vec<Preimage>,
    theirs: Vec<Vec<Scalar>>,
    hasher: Hasher,
}

impl FilecoinCase {
    fn new(arity: usize) -> Result<Self, String> {
        let mut random = ChaCha8Rng::seed_from_u64(arity as u64);
        let hasher = Hasher::new(arity, Strength::Standard, HashType::MerkleTree)
            .map_err(|error| error.to_string())?;
        let mut case = Self { ours: vec![], preimages: vec![], theirs: vec![], hasher };
        for _ in 0..BATCH {
            let mut bytes: Vec<[u8; 32]> = (0..arity).map(|_| random.gen()).collect();
            bytes.iter_mut().for_each(|element| element[31] &= 0x3f);
            let ours: Result<Vec<Fr>, _> = bytes.iter().map(Fr::from_le_bytes).collect();
            let ours = ours.map_err(|error| error.to_string())?;
            case.preimages.push(hasher.preimage(&ours).map_err(|error| error.to_string())?);
            case.ours.push(ours);
            let theirs: Option<Vec<Scalar>> =
                bytes.iter().map(|element| Scalar::from_repr_vartime(*element)).collect();
            case.theirs.push(theirs.ok_or("the peer refuses a reduced element")?);
        }
        Ok(case)
    }
}

fn neptune_hash<A: Arity<Scalar>>(
    preimage: &[Scalar],
    constants: &PoseidonConstants<Scalar, A>,
) -> Scalar {
    Poseidon::new_with_preimage(preimage, constants).hash_in_mode(HashMode::OptimizedStatic)
}

fn filecoin<A: Arity<Scalar> + Sync>(
    settings: &Settings,
    threads: usize,
    [single_aim, batch_aim]: [f64; 2],
) -> Result<[Record; 2], String> {
    let arity = A::to_usize();
    let case = FilecoinCase::new(arity)?;
    let constants = PoseidonConstants::<Scalar, A>::new();
    for (preimage, theirs) in case.preimages.iter().zip(&case.theirs) {
        if preimage.digest().to_le_bytes() != neptune_hash(theirs, &constants).to_repr() {
            return Err(format!("filecoin-{arity}: ours and neptune's digests differ"));
        }
    }
    let mut turn = 0;
    let mut their_turn = 0;
    let single = settings.compare(
        || {
            turn = (turn + 1) % BATCH;
            let _ = black_box(case.hasher.hash(black_box(&case.ours[turn])));
        },
        || {
            their_turn = (their_turn + 1) % BATCH;
            black_box(neptune_hash(black_box(&case.theirs[their_turn]), &constants));
        },
    );
    let batch = settings.compare(
        || {
            black_box(FilecoinHash::compute_batch(black_box(&case.preimages)));
        },
        || {
            let digests = case.theirs.par_iter().map(|preimage| neptune_hash(preimage, &constants));
            black_box(digests.collect::<Vec<_>>());
        },
    );
    let name = |kind: &str| format!("filecoin-{arity} {kind}");
    Ok([
        record(name("one at a time"), 1, 1.0, single, NEPTUNE, single_aim),
        record(name("batch of 1024"), threads, BATCH as f64, batch, NEPTUNE, batch_aim),
    ])
}

/// Random pairs, as all three libraries want them.
struct StarkCase {
    ours: Vec<(Felt, Felt)>,
    types_core: Vec<(PeerFelt, PeerFelt)>,
    lambdaworks: Vec<(LambdaFelt, LambdaFelt)>,
}

impl StarkCase {
    fn new() -> Result<Self, String> {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let mut case = Self { ours: vec![], types_core: vec![], lambdaworks: vec![] };
        for _ in 0..BATCH {
            let mut pair: [[u8; 32]; 2] = random.gen();
            pair.iter_mut().for_each(|element| element[0] &= 0x07);
            let [x, y] = &pair;
            let ours = |bytes| Felt::from_be_bytes(bytes).map_err(|error| error.to_string());
            case.ours.push((ours(x)?, ours(y)?));
            case.types_core.push((PeerFelt::from_bytes_be(x), PeerFelt::from_bytes_be(y)));
            let theirs = |bytes: &[u8; 32]| {
                LambdaFelt::from_bytes_be(bytes).map_err(|error| format!("{error:?}"))
            };
            case.lambdaworks.push((theirs(x)?, theirs(y)?));
        }
        Ok(case)
    }

    fn check(&self) -> Result<(), String> {
        let peers = self.types_core.iter().zip(&self.lambdaworks);
        for ((x, y), (core, lambda)) in self.ours.iter().zip(peers) {
            let ours = starknet::hash(*x, *y).to_be_bytes();
            if ours != PeerPoseidon::hash(&core.0, &core.1).to_bytes_be() {
                return Err("stark-3: ours and starknet-types-core's digests differ".into());
            }
            if ours[..] != PoseidonCairoStark252::hash(&lambda.0, &lambda.1).to_bytes_be()[..] {
                return Err("stark-3: ours and lambdaworks' digests differ".into());
            }
        }
        Ok(())
    }
}

fn stark(settings: &Settings, threads: usize) -> Result<Vec<Record>, String> {
    let case = StarkCase::new()?;
    case.check()?;
    let requests: Vec<StarknetInput> =
        case.ours.iter().map(|(x, y)| StarknetInput::Pair(*x, *y)).collect();
    let types_core = |index: usize| {
        let (x, y) = &case.types_core[index];
        black_box(PeerPoseidon::hash(black_box(x), black_box(y)));
    };
    let lambdaworks = |index: usize| {
        let (x, y) = &case.lambdaworks[index];
        black_box(PoseidonCairoStark252::hash(black_box(x), black_box(y)));
    };
    let peers: [(&'static str, &(dyn Fn(usize) + Sync)); 2] =
        [(TYPES_CORE, &types_core), (LAMBDAWORKS, &lambdaworks)];
    let mut records = Vec::new();
    for (peer, hash_theirs) in peers {
        let (mut turn, mut their_turn) = (0, 0);
        let single = settings.compare(
            || {
                turn = (turn + 1) % BATCH;
                let (x, y) = black_box(case.ours[turn]);
                black_box(starknet::hash(x, y));
            },
            || {
                their_turn = (their_turn + 1) % BATCH;
                hash_theirs(their_turn);
            },
        );
        let batch = settings.compare(
            || {
                black_box(StarknetHash::compute_batch(black_box(&requests)));
            },
            || (0..BATCH).into_par_iter().for_each(hash_theirs),
        );
        // 2.75 and 4.5 times the published assembly, which is 1.07 times as fast as lambdaworks.
        records.push(record("stark-3 pair, one at a time".into(), 1, 1.0, single, peer, 2.94));
        let name = "stark-3 pair, batch of 1024".to_string();
        records.push(record(name, threads, BATCH as f64, batch, peer, 4.81));
    }
    Ok(records)
}
