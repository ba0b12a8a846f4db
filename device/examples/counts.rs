// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Repeats one call of the library, to count its instructions.
//!
//! `counts CALL TIMES`. The difference between two values of TIMES is the cost of the calls alone:
//!
//! ```text
//! export RAYON_NUM_THREADS=1 HALIMEDE_BACKEND=adx   # what valgrind knows
//! valgrind --tool=callgrind counts starknet-single 10
//! ```

use std::hint::black_box;

use halimede_arith::job::{Execute, Operation};
use halimede_blake3::{Mode, DIGEST_BYTES};
use halimede_device::flat::{self, blake3, ecdsa};
use halimede_device::shared_processor;
use halimede_equihash::known_answers::known_answers as known_solutions;
use halimede_equihash::operations::Verify as Solution;
use halimede_equihash::Params;
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::Strength;
use halimede_secp256k1::operations::Signatures;
use halimede_secp256k1::{Format, Rules, Verifier};

type Call = Box<dyn FnMut()>;

/// Bytes that all differ from their neighbors.
fn counted(count: usize) -> Vec<u8> {
    (0..count).map(|byte| (byte * 31 % 251) as u8).collect()
}

/// Elements of four limbs below every modulus.
fn limbs(elements: usize) -> Vec<u64> {
    (0..4 * elements as u64).map(|limb| limb.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 8).collect()
}

fn filecoin(arity: usize, rows: usize) -> Result<Call, String> {
    let hasher = Hasher::new(arity, Strength::Standard, HashType::MerkleTree);
    let hasher = hasher.map_err(|error| error.to_string())?;
    let device = shared_processor().map_err(|error| error.to_string())?;
    let (preimages, mut digests) = (limbs(rows * arity), limbs(rows));
    Ok(Box::new(move || {
        let done = flat::filecoin_hash(device, &hasher, arity, &preimages, &mut digests);
        black_box(done.is_ok());
    }))
}

fn starknet(rows: usize) -> Result<Call, String> {
    let device = shared_processor().map_err(|error| error.to_string())?;
    let (pairs, mut digests) = (limbs(2 * rows), limbs(rows));
    Ok(Box::new(move || {
        black_box(flat::starknet_hash(device, &pairs, &mut digests).is_ok());
    }))
}

fn messages(rows: usize, bytes: usize) -> Result<Call, String> {
    let device = shared_processor().map_err(|error| error.to_string())?;
    let data = counted(rows * bytes);
    let mut digests = vec![[0; DIGEST_BYTES]; rows];
    Ok(Box::new(move || {
        let messages: Vec<&[u8]> = data.chunks_exact(bytes).collect();
        let done = blake3::hash_many(device, &Mode::Hash, &messages[..], &mut digests);
        black_box(done.is_ok());
    }))
}

fn message(bytes: usize) -> Result<Call, String> {
    let device = shared_processor().map_err(|error| error.to_string())?;
    let (data, mut output) = (counted(bytes), [0; DIGEST_BYTES]);
    Ok(Box::new(move || {
        black_box(blake3::hash(device, &Mode::Hash, &data, 0, &mut output).is_ok());
    }))
}

fn solutions(rows: usize) -> Result<Call, String> {
    let device = shared_processor().map_err(|error| error.to_string())?;
    let known = known_solutions(Params::REGTEST).map_err(|error| error.to_string())?;
    let known: Vec<_> = known.into_iter().map(|answer| answer.request).collect();
    let requests: Vec<_> = known.iter().cycle().take(rows).cloned().collect();
    Ok(Box::new(move || {
        black_box(Execute::<Solution>::execute(&**device, Solution::batch(&requests)).is_ok());
    }))
}

fn signatures(rows: usize) -> Result<Call, String> {
    let device = shared_processor().map_err(|error| error.to_string())?;
    let verifier = Verifier::with_cache(Rules { format: Format::Compact, low_s: false }, None);
    // The generator and a wrong signature, so that the whole check is computed.
    let mut key = vec![2];
    for byte in ["79be667ef9dcbbac", "55a06295ce870b07", "029bfcdb2dce28d9", "59f2815b16f81798"] {
        let word = u64::from_str_radix(byte, 16).map_err(|error| error.to_string())?;
        key.extend_from_slice(&word.to_be_bytes());
    }
    let (digest, signature) = (counted(32), counted(65)[1..].to_vec());
    Ok(Box::new(move || {
        let [keys, digests, signatures] =
            [&key, &digest, &signature].map(|part| vec![&part[..]; rows]);
        let rows = Signatures::new(&verifier, &keys[..], &digests[..], &signatures[..]);
        black_box(ecdsa::verify(device, rows).is_ok());
    }))
}

fn tree(arity: usize, leaves: usize) -> Result<Call, String> {
    let device = shared_processor().map_err(|error| error.to_string())?;
    let (leaves, mut root) = (limbs(leaves), limbs(1));
    Ok(Box::new(move || {
        let done = flat::tree_root(device, arity, Strength::Standard, &leaves, &mut root);
        black_box(done.is_ok());
    }))
}

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, times] = &arguments[..] else { return Err("wanted: CALL TIMES".into()) };
    let times: usize = times.parse().map_err(|error| format!("{times}: {error}"))?;
    let mut call = match name.as_str() {
        "filecoin-single" => filecoin(2, 1)?,
        "filecoin-batch" => filecoin(2, 1000)?,
        "starknet-single" => starknet(1)?,
        "starknet-batch" => starknet(1000)?,
        "blake3-single" => message(64)?,
        "blake3-batch" => messages(1000, 64)?,
        "equihash" => solutions(16)?,
        "ecdsa" => signatures(16)?,
        "tree" => tree(2, 4096)?,
        other => return Err(format!("no such call: {other}")),
    };
    (0..times).for_each(|_| call());
    Ok(())
}
