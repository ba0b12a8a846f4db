// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Schnorr signatures checked in bulk, and keys recovered from ECDSA signatures.

use halimede_device::flat::{ecdsa, schnorr, Verdict};
use halimede_secp256k1::operations::{Recover, VerifySchnorr};
use halimede_secp256k1::recovery::{Numbering, Rules, ADDRESS_BYTES, KEY_BYTES};
use halimede_secp256k1::schnorr::Signed;
use numpy::{PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::device::open;
use crate::digests::Hash;
use crate::errors::{flat_error, value_error};
use crate::verdicts::{columns, verdicts, Verdicts};
use crate::work::{self, Stop};

/// The verdicts on signatures of messages.
#[pyfunction]
pub fn schnorr_verify<'py>(
    py: Python<'py>,
    keys: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    signatures: &Bound<'py, PyAny>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Verdicts<'py>> {
    let device = &*open(device)?;
    let given = [("keys", keys), ("messages", messages), ("signatures", signatures)];
    let [keys, messages, signatures] = columns(given)?;
    let (keys, messages) = (keys.slices()?, messages.slices()?);
    let signatures = signatures.slices()?;
    let rows = keys.iter().zip(&messages).zip(&signatures);
    let rows: Vec<Signed<'_>> =
        rows.map(|((key, message), signature)| Signed { key, message, signature }).collect();
    let units: usize = messages.iter().map(|message| message.len()).sum();
    let brief = device.limits::<VerifySchnorr>().brief;
    let work = |_: &Stop| schnorr::verify(device, &rows);
    let found = match brief.holds(rows.len(), rows.len()) && units <= BRIEF_BYTES {
        true => work::run_briefly(py, work),
        false => work::run(py, work)?,
    };
    verdicts(py, &found.map_err(flat_error)?)
}

/// Bytes that are hashed before anyone would break it off.
const BRIEF_BYTES: usize = 1 << 20;

/// Keys, addresses and verdicts.
type Recovered<'py> = (Bound<'py, PyArray2<u8>>, Bound<'py, PyArray2<u8>>, Verdicts<'py>);

/// The keys, `uint8[n, 64]`, that signatures of digests were made with, their addresses,
/// `uint8[n, 20]`, and verdicts; zeros where there is no key.
#[pyfunction]
pub fn ecdsa_recover<'py>(
    py: Python<'py>,
    digests: &Bound<'py, PyAny>,
    signatures: &Bound<'py, PyAny>,
    numbering: &str,
    low_s: bool,
    hash: Option<&str>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Recovered<'py>> {
    let device = &*open(device)?;
    let numbering = match numbering {
        "plain" => Numbering::Plain,
        "ethereum" => Numbering::Ethereum,
        other => {
            let wanted = "wanted \"plain\" or \"ethereum\"";
            return Err(value_error(format!("numbering: got {other:?}, {wanted}")));
        }
    };
    let rules = Rules { numbering, low_s };
    let [digests, signatures] = columns([("digests", digests), ("signatures", signatures)])?;
    let (digests, signatures) = (digests.slices()?, signatures.slices()?);
    let digests = Hash::named(hash)?.digests(&digests)?;
    let digests: Vec<&[u8]> = digests.iter().map(|digest| &**digest).collect();
    let rows = digests.len();
    let work = |_: &Stop| ecdsa::recover(device, rules, &digests, &signatures);
    let recovered = match device.limits::<Recover>().brief.holds(rows, rows) {
        true => work::run_briefly(py, work),
        false => work::run(py, work)?,
    };
    let recovered = recovered.map_err(flat_error)?;
    let keys = PyArray2::zeros(py, [rows, KEY_BYTES], false);
    let addresses = PyArray2::zeros(py, [rows, ADDRESS_BYTES], false);
    let (mut key_places, mut address_places) = (
        keys.try_readwrite().map_err(value_error)?,
        addresses.try_readwrite().map_err(value_error)?,
    );
    let places =
        key_places.as_slice_mut().map_err(value_error)?.chunks_exact_mut(KEY_BYTES).zip(
            address_places.as_slice_mut().map_err(value_error)?.chunks_exact_mut(ADDRESS_BYTES),
        );
    for ((key_place, address_place), key) in places.zip(&recovered) {
        if let Ok(key) = key {
            key_place.copy_from_slice(&key.0);
            address_place.copy_from_slice(&key.address());
        }
    }
    drop((key_places, address_places));
    let found: Vec<Verdict> = recovered.into_iter().map(|key| key.map(drop)).collect();
    Ok((keys, addresses, verdicts(py, &found)?))
}
