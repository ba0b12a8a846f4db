// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Poseidon hashes of Filecoin, Starknet and circom. Elements are JavaScript's `bigint`.

use std::fmt::Display;
use std::str::FromStr;

use halimede_arith::{Felt, Fr};
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::{circom, starknet, Strength};
use js_sys::{Array, BigInt};
use wasm_bindgen::prelude::*;

use crate::arguments::{wrong, Options};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = "
/** Options of Filecoin's hash. */
export interface FilecoinOptions {
    /** The number of rounds; the default is `standard`. */
    strength?: 'standard' | 'strengthened';
}
";

#[wasm_bindgen]
extern "C" {
    /// `FilecoinOptions`.
    #[wasm_bindgen(typescript_type = "FilecoinOptions")]
    pub type FilecoinOptions;
    /// Field elements.
    #[wasm_bindgen(typescript_type = "bigint[]")]
    pub type Elements;
}

/// Returns Filecoin's hash of a node of a Merkle tree, over the scalar field of BLS12-381. The
/// number of elements is the arity, from 2 to 36.
#[wasm_bindgen(js_name = poseidonFilecoin)]
pub fn poseidon_filecoin(
    elements: &Elements,
    options: Option<FilecoinOptions>,
) -> Result<BigInt, JsError> {
    let options: JsValue = options.into();
    let known = [("standard", Strength::Standard), ("strengthened", Strength::Strengthened)];
    let strength = Options::new(&options, &["strength"])?.text("strength", &known)?;
    let elements: Vec<Fr> = read(elements)?;
    let hasher = Hasher::new(elements.len(), strength, HashType::MerkleTree)?;
    write(&hasher.hash(&elements)?)
}

/// Returns Starknet's `poseidon_hash_many` of any number of elements.
#[wasm_bindgen(js_name = poseidonStarknet)]
pub fn poseidon_starknet(elements: &Elements) -> Result<BigInt, JsError> {
    write(&starknet::hash_many(&read::<Felt>(elements)?))
}

/// Returns Starknet's `poseidon_hash` of a pair.
#[wasm_bindgen(js_name = poseidonStarknetPair)]
pub fn poseidon_starknet_pair(first: &BigInt, second: &BigInt) -> Result<BigInt, JsError> {
    write(&starknet::hash(element(first.as_ref(), 0)?, element(second.as_ref(), 1)?))
}

/// Returns circomlib's Poseidon of 1 to 16 elements of BN254's scalar field.
#[wasm_bindgen(js_name = poseidonCircom)]
pub fn poseidon_circom(elements: &Elements) -> Result<BigInt, JsError> {
    write(&circom::hash(&read::<circom::Element>(elements)?)?)
}

/// Reads field elements, which must be below the modulus.
fn read<F: FromStr<Err: Display>>(elements: &JsValue) -> Result<Vec<F>, JsError> {
    if !Array::is_array(elements) {
        return Err(wrong("elements", "an array of bigint"));
    }
    Array::from(elements).iter().enumerate().map(|(at, value)| element(&value, at)).collect()
}

fn element<F: FromStr<Err: Display>>(value: &JsValue, at: usize) -> Result<F, JsError> {
    let number = value.dyn_ref::<BigInt>().and_then(|number| number.to_string(16).ok());
    let Some(text) = number.map(String::from) else {
        return Err(wrong("elements", format!("element {at} to be a bigint")));
    };
    format!("0x{text}")
        .parse()
        .map_err(|error| JsError::new(&format!("`elements`: element {at}: {error}")))
}

fn write(element: &impl Display) -> Result<BigInt, JsError> {
    BigInt::new(&element.to_string().into()).map_err(|_| wrong("digest", "a number"))
}
