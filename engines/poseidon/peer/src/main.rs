// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Makes vectors of Poseidon2 and of circom's Poseidon with published crates; see
//! ../../vectors/README.md. Prints one line of JSON per vector.

use anyhow::{Context, Result};
use ark_ff::{BigInteger, PrimeField};
use light_poseidon::{Poseidon, PoseidonHasher};
use num_bigint::BigUint;
use serde_json::json;
use sha2::{Digest, Sha256};
use taceo_poseidon2::bn254;
use zkhash::ark_ff::{BigInteger as _, PrimeField as OldField};
use zkhash::fields::{bls12::FpBLS12, bn256::FpBN256, pallas::FpPallas, vesta::FpVesta};
use zkhash::merkle_tree::merkle_tree_fp::MerkleTreeHash;
use zkhash::poseidon2::poseidon2::Poseidon2;
use zkhash::poseidon2::poseidon2_instance_bls12::*;
use zkhash::poseidon2::poseidon2_instance_bn256::POSEIDON2_BN256_PARAMS;
use zkhash::poseidon2::poseidon2_instance_pallas::*;
use zkhash::poseidon2::poseidon2_instance_vesta::POSEIDON2_VESTA_PARAMS;

/// The number of random cases per instance and origin. A case 0 with the elements 0, 1, 2, …
/// precedes them.
const CASES: usize = 8;

fn main() -> Result<()> {
    horizen("bls12-381-2", &Poseidon2::<FpBLS12>::new(&POSEIDON2_BLS_2_PARAMS))?;
    horizen("bls12-381-3", &Poseidon2::<FpBLS12>::new(&POSEIDON2_BLS_3_PARAMS))?;
    horizen("bls12-381-4", &Poseidon2::<FpBLS12>::new(&POSEIDON2_BLS_4_PARAMS))?;
    horizen("bls12-381-8", &Poseidon2::<FpBLS12>::new(&POSEIDON2_BLS_8_PARAMS))?;
    horizen("bn254-3", &Poseidon2::<FpBN256>::new(&POSEIDON2_BN256_PARAMS))?;
    horizen("pallas-3", &Poseidon2::<FpPallas>::new(&POSEIDON2_PALLAS_3_PARAMS))?;
    horizen("pallas-4", &Poseidon2::<FpPallas>::new(&POSEIDON2_PALLAS_4_PARAMS))?;
    horizen("pallas-8", &Poseidon2::<FpPallas>::new(&POSEIDON2_PALLAS_8_PARAMS))?;
    horizen("vesta-3", &Poseidon2::<FpVesta>::new(&POSEIDON2_VESTA_PARAMS))?;
    taceo("bn254-2", bn254::t2::permutation)?;
    taceo("bn254-3", bn254::t3::permutation)?;
    taceo("bn254-4", bn254::t4::permutation)?;
    taceo("bn254-8", bn254::t8::permutation)?;
    taceo("bn254-12", bn254::t12::permutation)?;
    taceo("bn254-16", bn254::t16::permutation)?;
    for inputs in 1..=12 {
        light(inputs)?;
    }
    Ok(())
}

/// Returns element `index` of a case: a number that the peers in other languages derive too.
fn number(instance: &str, case: usize, index: usize, modulus: &BigUint) -> BigUint {
    if case == 0 {
        return BigUint::from(index);
    }
    let digest = Sha256::digest(format!("halimede {instance} {case} {index}"));
    BigUint::from_bytes_be(&digest) % modulus
}

fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}

fn old<F: OldField>(element: &F) -> String {
    hex(&element.into_bigint().to_bytes_be())
}

fn new(element: &ark_bn254::Fr) -> String {
    hex(&element.into_bigint().to_bytes_be())
}

/// Permutations by the crate of Poseidon2's authors; with width 3, also its compression.
fn horizen<F: OldField>(name: &str, poseidon: &Poseidon2<F>) -> Result<()> {
    let modulus = BigUint::from_bytes_be(&F::MODULUS.to_bytes_be());
    for case in 0..=CASES {
        let element = |index| {
            F::from_be_bytes_mod_order(&number(name, case, index, &modulus).to_bytes_be())
        };
        let state: Vec<F> = (0..poseidon.get_t()).map(element).collect();
        let permuted = poseidon.permutation(&state);
        println!(
            "{}",
            json!({
                "kind": "permute", "instance": name, "origin": "zkhash 0.2.0",
                "input": state.iter().map(old).collect::<Vec<_>>(),
                "output": permuted.iter().map(old).collect::<Vec<_>>(),
            })
        );
        if poseidon.get_t() == 3 {
            let digest = poseidon.compress(&[&state[0], &state[1]]);
            println!(
                "{}",
                json!({
                    "kind": "compress", "instance": name, "origin": "zkhash 0.2.0",
                    "input": state[..2].iter().map(old).collect::<Vec<_>>(),
                    "output": [old(&digest)],
                })
            );
        }
    }
    Ok(())
}

fn taceo<const T: usize>(
    name: &str,
    permutation: impl Fn(&[ark_bn254::Fr; T]) -> [ark_bn254::Fr; T],
) -> Result<()> {
    let modulus = BigUint::from_bytes_be(&ark_bn254::Fr::MODULUS.to_bytes_be());
    for case in 0..=CASES {
        let state: [ark_bn254::Fr; T] = std::array::from_fn(|index| {
            ark_bn254::Fr::from_be_bytes_mod_order(
                &number(name, case, index, &modulus).to_bytes_be(),
            )
        });
        println!(
            "{}",
            json!({
                "kind": "permute", "instance": name, "origin": "taceo-poseidon2 0.3.1",
                "input": state.iter().map(new).collect::<Vec<_>>(),
                "output": permutation(&state).iter().map(new).collect::<Vec<_>>(),
            })
        );
    }
    Ok(())
}

/// Hashes of circom's Poseidon.
fn light(inputs: usize) -> Result<()> {
    let name = format!("circom-{inputs}");
    let modulus = BigUint::from_bytes_be(&ark_bn254::Fr::MODULUS.to_bytes_be());
    let mut poseidon = Poseidon::<ark_bn254::Fr>::new_circom(inputs)
        .ok()
        .context("the crate has no such parameters")?;
    for case in 0..=CASES {
        let elements: Vec<ark_bn254::Fr> = (0..inputs)
            .map(|index| {
                let bytes = number(&name, case, index, &modulus).to_bytes_be();
                ark_bn254::Fr::from_be_bytes_mod_order(&bytes)
            })
            .collect();
        let digest = poseidon.hash(&elements).ok().context("the crate refuses the inputs")?;
        println!(
            "{}",
            json!({
                "kind": "circom", "instance": name, "origin": "light-poseidon 0.5.0",
                "input": elements.iter().map(new).collect::<Vec<_>>(),
                "output": [new(&digest)],
            })
        );
    }
    Ok(())
}
