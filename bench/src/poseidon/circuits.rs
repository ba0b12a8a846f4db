// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The hashes of circuits over BN254: Poseidon2 against `taceo-poseidon2`, and circom's Poseidon
//! against `light-poseidon`.

use std::hint::black_box;
use std::sync::Mutex;

use ark_bn254::Fr as Theirs;
use ark_ff::{BigInteger, PrimeField};
use halimede_arith::field::Bn254Scalar;
use halimede_arith::job::Compute;
use halimede_arith::Field;
use halimede_poseidon::circom::{self, Inputs};
use halimede_poseidon::operations::{CircomHash, RunPoseidon2};
use halimede_poseidon::poseidon2::{Instance, Request, Task};
use light_poseidon::{Poseidon, PoseidonHasher};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use taceo_poseidon2::bn254::t3;

use super::{batch, BATCH};
use crate::comparison::in_a_loop;
use crate::Comparison;

/// The width of Poseidon2.
const WIDTH: usize = 3;

/// Random elements as canonical little-endian bytes, and the peer's.
fn elements(count: usize, random: &mut ChaCha8Rng) -> Vec<([u8; 32], Theirs)> {
    let element = |_| {
        let bytes = Field::<Bn254Scalar>::from_integer(random.gen()).to_le_bytes();
        (bytes, Theirs::from_le_bytes_mod_order(&bytes))
    };
    (0..count).map(element).collect()
}

fn to_bytes(element: &Theirs) -> [u8; 32] {
    let mut bytes = [0; 32];
    let little_endian = element.into_bigint().to_bytes_le();
    bytes[..little_endian.len()].copy_from_slice(&little_endian);
    bytes
}

/// Permutations of width 3, and hashes of 2 and 5 elements.
///
/// # Errors
/// If ours and a peer give different answers.
pub fn comparisons(threads: usize) -> Result<Vec<Comparison>, String> {
    let mut all = vec![permutations(threads)?];
    for inputs in [2, 5] {
        all.push(hashes(inputs, threads)?);
    }
    Ok(all)
}

fn permutations(threads: usize) -> Result<Comparison, String> {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let instance: Instance = "bn254-3".parse().map_err(|error| format!("{error}"))?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..BATCH {
        let state = elements(WIDTH, &mut random);
        let numbers: Vec<[u8; 32]> = state.iter().map(|(bytes, _)| *bytes).collect();
        let request = Request::from_le_bytes(instance, Task::Permute, &numbers);
        ours.push(request.map_err(|error| error.to_string())?);
        theirs.push([state[0].1, state[1].1, state[2].1]);
    }
    for (reply, state) in RunPoseidon2::compute_batch(&ours).iter().zip(&theirs) {
        let permuted: Vec<[u8; 32]> = t3::permutation(state).iter().map(to_bytes).collect();
        if reply.to_le_bytes() != permuted {
            return Err(format!("{instance}: the permuted states differ"));
        }
    }
    Ok(batch(
        "Poseidon2 bn254-3",
        threads,
        "taceo-poseidon2 0.3",
        Some(8.0),
        move || RunPoseidon2::compute_batch(black_box(&ours)),
        move || in_a_loop(&theirs, t3::permutation),
    ))
}

fn hashes(inputs: usize, threads: usize) -> Result<Comparison, String> {
    let mut random = ChaCha8Rng::seed_from_u64(inputs as u64);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..BATCH {
        let list = elements(inputs, &mut random);
        let numbers: Vec<[u8; 32]> = list.iter().map(|(bytes, _)| *bytes).collect();
        ours.push(Inputs::from_le_bytes(&numbers).map_err(|error| error.to_string())?);
        theirs.push(list.into_iter().map(|(_, element)| element).collect::<Vec<Theirs>>());
    }
    let hashers = (0..threads).map(|_| Poseidon::<Theirs>::new_circom(inputs).map(Mutex::new));
    let hashers: Result<Vec<_>, _> = hashers.collect();
    let hashers = hashers.map_err(|error| error.to_string())?;
    // The peer's hasher has a buffer, so that each thread needs its own.
    let hash_all = move |lists: &[Vec<Theirs>]| -> Vec<Theirs> {
        let share = lists.len().div_ceil(hashers.len());
        let hash_share = |(lists, hasher): (&[Vec<Theirs>], &Mutex<Poseidon<Theirs>>)| {
            let Ok(mut hasher) = hasher.lock() else { return Vec::new() };
            lists.iter().filter_map(|list| hasher.hash(list).ok()).collect()
        };
        if let ([hasher], lists) = (&hashers[..], lists) {
            return hash_share((lists, hasher));
        }
        lists.par_chunks(share).zip(&hashers[..]).flat_map_iter(hash_share).collect()
    };
    let digests = CircomHash::compute_batch(&ours);
    for (index, (digest, theirs)) in digests.iter().zip(hash_all(&theirs)).enumerate() {
        let single = circom::hash(ours[index].elements());
        if digest.to_le_bytes() != to_bytes(&theirs) || single.as_ref() != Ok(digest) {
            return Err(format!("circom, {inputs} inputs: the digests differ"));
        }
    }
    Ok(batch(
        &format!("circom, {inputs} inputs"),
        threads,
        "light-poseidon 0.5",
        Some(10.0),
        move || CircomHash::compute_batch(black_box(&ours)),
        move || hash_all(black_box(&theirs)),
    ))
}
