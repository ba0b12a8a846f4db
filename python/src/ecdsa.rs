// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ECDSA over secp256k1: verification of batches of signatures.

use std::borrow::Cow;
use std::process;

use halimede_device::flat::ecdsa::{self, Outcome};
use halimede_device::Device;
use halimede_secp256k1::digest::Hash;
use halimede_secp256k1::operations::{Signatures, Verify};
use halimede_secp256k1::{Format, KeyCache, Rejection, Rules, Verifier};
use pyo3::prelude::*;

use crate::device::open;
use crate::errors::{count, flat_error, value_error};
use crate::verdicts::{columns, of_rows, Verdicts};
use crate::work::{self, Stop};

/// The largest number of keys of a cache: gigabytes.
const MOST_KEYS: usize = 1 << 24;

type Verdict = Result<(), Rejection>;

/// Rules, and the cache of keys that were parsed by the rules.
#[pyclass(module = "halimede._native", frozen)]
pub struct EcdsaVerifier {
    verifier: Verifier,
    /// The process that made the verifier. In a forked child, a lock of the cache may be held by a
    /// thread that does not exist there.
    owner: u32,
}

#[pymethods]
impl EcdsaVerifier {
    #[new]
    fn new(format: &str, low_s: bool, cached_keys: &Bound<'_, PyAny>) -> PyResult<Self> {
        let format = match format {
            "der" => Format::Der,
            "der-lax" => Format::DerLax,
            "compact" => Format::Compact,
            other => {
                let wanted = "wanted \"der\", \"der-lax\" or \"compact\"";
                return Err(value_error(format!("format: got {other:?}, {wanted}")));
            }
        };
        let keys = match count("cached_keys", cached_keys)? {
            0 => None,
            keys if keys <= MOST_KEYS => Some(KeyCache::new(keys)),
            keys => {
                return Err(value_error(format!("cached_keys: got {keys}, at most {MOST_KEYS}")))
            }
        };
        let verifier = Verifier::with_cache(Rules { format, low_s }, keys);
        Ok(Self { verifier, owner: process::id() })
    }

    /// The numbers of hits and misses of the cache; 0 and 0 without a cache.
    #[getter]
    fn cache_counts(&self) -> (u64, u64) {
        let counts = match self.owner == process::id() {
            true => self.verifier.cache_counts().unwrap_or_default(),
            false => Default::default(),
        };
        (counts.hits, counts.misses)
    }

    /// Returns the outcomes, `uint8[n]`, and the reasons of the rows that are not valid.
    fn verify_many<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
        digests: &Bound<'py, PyAny>,
        signatures: &Bound<'py, PyAny>,
        hash: Option<&str>,
        device: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Verdicts<'py>> {
        let device = open(device)?;
        let hash = named(hash)?;
        let given = [("keys", keys), ("digests", digests), ("signatures", signatures)];
        let [keys, digests, signatures] = columns(given)?;
        let (keys, digests, signatures) = (keys.slices()?, digests.slices()?, signatures.slices()?);
        let digests = digests_of(hash, &digests)?;
        let digests: Vec<&[u8]> = digests.iter().map(|digest| &**digest).collect();
        let verdicts = self.answer(py, &device, [&keys, &digests, &signatures])?;
        let row = |verdict: &Verdict| (Outcome::from(verdict) as u8, verdict.err());
        of_rows(py, verdicts.iter().map(row))
    }
}

impl EcdsaVerifier {
    /// Returns the verdicts on keys, digests and signatures.
    fn answer(
        &self,
        py: Python<'_>,
        device: &Device,
        [keys, digests, signatures]: [&[&[u8]]; 3],
    ) -> PyResult<Vec<Verdict>> {
        let in_child = Verifier::with_cache(self.verifier.rules(), None);
        let is_ours = self.owner == process::id();
        let verifier = if is_ours { &self.verifier } else { &in_child };
        let rows = keys.len();
        let signatures = Signatures::new(verifier, keys, digests, signatures);
        let work = |_: &Stop| ecdsa::verify(device, signatures);
        let verdicts = match device.limits::<Verify>().brief.holds(rows, rows) {
            true => work::run_briefly(py, work),
            false => work::run(py, work)?,
        };
        verdicts.map_err(flat_error)
    }
}

/// Returns the hash function of this name; [`Hash::None`] for digests.
fn named(hash: Option<&str>) -> PyResult<Hash> {
    let Some(name) = hash else { return Ok(Hash::None) };
    Hash::named(name).ok_or_else(|| {
        let known = Hash::NAMES.join(", ");
        value_error(format!("hash: got {name:?}, wanted one of {known}"))
    })
}

/// Returns the digests of signed messages.
fn digests_of<'s>(hash: Hash, signed: &[&'s [u8]]) -> PyResult<Vec<Cow<'s, [u8]>>> {
    let wrong = |row, error| value_error(format!("digests[{row}]: {error}"));
    let rows = signed.iter().enumerate();
    rows.map(|(row, signed)| hash.digest(signed).map_err(|error| wrong(row, error))).collect()
}
