// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLS signatures for JavaScript: see [`crate::signature`].

use wasm_bindgen::prelude::*;

use crate::arguments::{byte_lists, Options};
use crate::signature::{self, KeyGroup, Scheme};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = "
/** A suite of BLS signatures. The defaults are Ethereum's. */
export interface BlsOptions {
    /** `min-pk`: keys in G1, signatures in G2. `min-sig`: the reverse. */
    group?: 'min-pk' | 'min-sig';
    /** Proof of possession (each key has one, which the caller has verified), basic, augmented. */
    scheme?: 'pop' | 'basic' | 'aug';
}
";

#[wasm_bindgen]
extern "C" {
    /// `BlsOptions`.
    #[wasm_bindgen(typescript_type = "BlsOptions")]
    pub type BlsOptions;
    /// Byte arrays.
    #[wasm_bindgen(typescript_type = "Uint8Array[]")]
    pub type Lists;
}

const GROUPS: [(&str, KeyGroup); 2] = [("min-pk", KeyGroup::MinPk), ("min-sig", KeyGroup::MinSig)];
const SCHEMES: [(&str, Scheme); 3] =
    [("pop", Scheme::ProofOfPossession), ("basic", Scheme::Basic), ("aug", Scheme::Augmented)];

/// Verifies a BLS signature. Keys and signatures that cannot be decoded are invalid.
#[wasm_bindgen(js_name = blsVerify)]
pub fn bls_verify(
    key: &[u8],
    message: &[u8],
    signature: &[u8],
    options: Option<BlsOptions>,
) -> Result<bool, JsError> {
    let options: JsValue = options.into();
    let options = Options::new(&options, &["group", "scheme"])?;
    let (group, scheme) = (options.text("group", &GROUPS)?, options.text("scheme", &SCHEMES)?);
    Ok(signature::verify(group, scheme, key, message, signature))
}

/// Verifies an aggregate signature with one message per key.
#[wasm_bindgen(js_name = blsAggregateVerify)]
pub fn bls_aggregate_verify(
    keys: &Lists,
    messages: &Lists,
    signature: &[u8],
    options: Option<BlsOptions>,
) -> Result<bool, JsError> {
    let options: JsValue = options.into();
    let options = Options::new(&options, &["group", "scheme"])?;
    let (group, scheme) = (options.text("group", &GROUPS)?, options.text("scheme", &SCHEMES)?);
    let (keys, messages) = (lists("keys", keys)?, lists("messages", messages)?);
    let [keys, messages] = [&keys, &messages].map(|all| all.iter().map(|one| &one[..]).collect());
    let [keys, messages]: [Vec<&[u8]>; 2] = [keys, messages];
    Ok(signature::aggregate_verify(group, scheme, &keys, &messages, signature))
}

/// Verifies an aggregate signature of one message by several keys, each with a proof of possession
/// that the caller has verified.
#[wasm_bindgen(js_name = blsFastAggregateVerify)]
pub fn bls_fast_aggregate_verify(
    keys: &Lists,
    message: &[u8],
    signature: &[u8],
    options: Option<BlsOptions>,
) -> Result<bool, JsError> {
    let options: JsValue = options.into();
    let group = Options::new(&options, &["group"])?.text("group", &GROUPS)?;
    let keys = lists("keys", keys)?;
    let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
    Ok(signature::fast_aggregate_verify(group, &keys, message, signature))
}

fn lists(name: &'static str, lists: &JsValue) -> Result<Vec<Vec<u8>>, JsError> {
    match lists.dyn_ref() {
        Some(array) => byte_lists(name, array),
        None => Err(crate::arguments::wrong(name, "an array of Uint8Array")),
    }
}
