// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hashes a real Zcash block: as the leaves of Merkle trees, and in pairs.

use std::time::Instant;

use halimede_arith::field::{Bls12381Scalar, Modulus, StarkPrime};
use halimede_arith::job::DeviceError;
use halimede_arith::{Felt, Field, Fr};
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::operations::{FilecoinHash, StarknetHash, StarknetInput};
use halimede_poseidon::tree::{root, TreeBuilder, TreeError};
use halimede_poseidon::{plain, Family, Instance, PoseidonField, Strength};

use super::{JobOutcome, Tour};
use crate::error::CommandError;

const BLOCK_HEX: &str = include_str!("../../data/zcash_block_346.hex");

/// The number of bytes of the block in a leaf: 248 bits are below the moduli of both fields.
const CHUNK_BYTES: usize = 31;
const LEAVES: usize = 64;
/// On a simulated card, which computes a hash in milliseconds, only every sixteenth pair is hashed.
const SIMULATED_STEP: usize = 16;

/// Roots of the 64 leaves by arity, from the golden model (see `cli/data/README.md`).
const ROOTS: [(usize, &str); 3] = [
    (2, "0x14ea0f5b63e5698984f919bae4573f430c3e553e38f22bbd7ecf3126532653ae"),
    (4, "0x533d3f996abc783da8f9120f76e3c19bc38118383a37855199974e58d725076c"),
    (8, "0x1bf8f1fd09f286875fe07a2c27ef3ee13f32e38f4e63cb98e05d7852a08b91d8"),
];

pub fn visit(tour: &mut Tour<'_>) -> Result<(), CommandError> {
    let block = decode_hex(BLOCK_HEX.trim())?;
    let mut leaves = Vec::new();
    for chunk in block.chunks(CHUNK_BYTES) {
        leaves.extend(chunk);
        leaves.resize(leaves.len().next_multiple_of(32), 0);
    }
    leaves.resize(LEAVES * 32, 0);
    for (arity, expected) in ROOTS {
        tree(tour, arity, &leaves, expected)?;
    }
    filecoin_windows(tour, &block)?;
    starknet_windows(tour, &block)
}

fn broken(error: impl std::fmt::Display) -> CommandError {
    CommandError::BadInput(format!("the bundled block does not parse: {error}"))
}

fn decode_hex(text: &str) -> Result<Vec<u8>, CommandError> {
    let byte = |place: usize| {
        let digits = text.get(place..place + 2).ok_or_else(|| broken("odd length"))?;
        u8::from_str_radix(digits, 16).map_err(broken)
    };
    (0..text.len()).step_by(2).map(byte).collect()
}

fn tree(
    tour: &mut Tour<'_>,
    arity: usize,
    leaves: &[u8],
    expected: &str,
) -> Result<(), CommandError> {
    let nodes = (LEAVES - 1) / (arity - 1);
    let name = format!("poseidon filecoin-{arity}: tree over Zcash block 346");
    tour.progress.set_message(name.clone());
    let builder = TreeBuilder::new(tour.device, arity, Strength::Standard).map_err(broken)?;
    let start = Instant::now();
    let outcome = root(builder, leaves, |_| ());
    let seconds = start.elapsed().as_secs_f64();
    let check = match outcome {
        Ok(root) if root.to_string() == expected => JobOutcome::Ok,
        Ok(_) => JobOutcome::Wrong(nodes),
        Err(TreeError::Device { source: DeviceError::Unsupported { .. }, .. }) => {
            JobOutcome::NotOnThisDevice
        }
        Err(TreeError::Device { source, .. }) => return Err(source.into()),
        Err(error) => return Err(broken(error)),
    };
    tour.push(name, nodes, seconds, check, 0);
    Ok(())
}

/// Returns adjacent windows of the block as pairs of elements: a pair for each offset, or for every
/// sixteenth one.
fn window_pairs<M: Modulus>(
    tour: &Tour<'_>,
    block: &[u8],
) -> Result<Vec<[Field<M>; 2]>, CommandError> {
    let element = |window: &[u8]| {
        let mut bytes = [0u8; 32];
        bytes[..CHUNK_BYTES].copy_from_slice(window);
        Field::from_le_bytes(&bytes).map_err(broken)
    };
    block
        .windows(2 * CHUNK_BYTES)
        .step_by(if tour.is_simulated() { SIMULATED_STEP } else { 1 })
        .map(|pair| Ok([element(&pair[..CHUNK_BYTES])?, element(&pair[CHUNK_BYTES..])?]))
        .collect()
}

/// Computes the digest of each state with the plain round structure, which no device uses.
fn plain_digests<M: PoseidonField>(
    family: Family,
    states: impl Iterator<Item = [Field<M>; 3]>,
) -> Result<Vec<Field<M>>, CommandError> {
    let instance = Instance::new(family, 3).map_err(broken)?;
    let parameters = M::parameters(instance).ok_or_else(|| broken("no such instance"))?;
    let digest = |mut state: [Field<M>; 3]| {
        plain::permute(&parameters, &mut state);
        state[instance.digest_index()]
    };
    Ok(states.map(digest).collect())
}

fn filecoin_windows(tour: &mut Tour<'_>, block: &[u8]) -> Result<(), CommandError> {
    let hasher = Hasher::new(2, Strength::Standard, HashType::MerkleTree).map_err(broken)?;
    let pairs = window_pairs::<Bls12381Scalar>(tour, block)?;
    let preimages: Result<Vec<_>, _> = pairs.iter().map(|pair| hasher.preimage(pair)).collect();
    let states = pairs.iter().map(|&[x, y]| [Fr::from(3), x, y]);
    let digests = plain_digests(Family::Filecoin(Strength::Standard), states)?;
    let name = "poseidon filecoin-2: pairs of windows of the block".into();
    tour.job::<FilecoinHash>(name, &preimages.map_err(broken)?, &digests)
}

fn starknet_windows(tour: &mut Tour<'_>, block: &[u8]) -> Result<(), CommandError> {
    let pairs = window_pairs::<StarkPrime>(tour, block)?;
    let inputs: Vec<_> = pairs.iter().map(|&[x, y]| StarknetInput::Pair(x, y)).collect();
    let states = pairs.iter().map(|&[x, y]| [x, y, Felt::from(2)]);
    let digests = plain_digests(Family::Stark, states)?;
    let name = "poseidon starknet: pairs of windows of the block".into();
    tour.job::<StarknetHash>(name, &inputs, &digests)
}
