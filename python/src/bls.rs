// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLS signatures checked in bulk, and aggregates.

use halimede_bls12_381::operations::{Signatures, VerifySignature};
use halimede_bls12_381::signature::{Aggregate, Group, Scheme, Suite};
use halimede_device::flat::bls;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::buffers::Buffer;
use crate::device::open;
use crate::errors::{flat_error, type_error, value_error};
use crate::rows::Rows;
use crate::verdicts::{columns, require_as_many, verdicts, Verdicts, WANTED};
use crate::work::{self, Stop};

/// The verdicts on signatures of messages.
#[pyfunction]
pub fn bls_verify<'py>(
    py: Python<'py>,
    group: &str,
    scheme: &str,
    keys: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    signatures: &Bound<'py, PyAny>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Verdicts<'py>> {
    let device = &*open(device)?;
    let suite = Suite { group: parse_group(group)?, scheme: parse_scheme(scheme)? };
    let given = [("keys", keys), ("messages", messages), ("signatures", signatures)];
    let [keys, messages, signatures] = columns(given)?;
    let (keys, messages) = (keys.slices()?, messages.slices()?);
    let signatures = signatures.slices()?;
    let rows = keys.len();
    let signatures = Signatures::new(suite, &keys[..], &messages[..], &signatures[..]);
    let work = |_: &Stop| bls::verify(device, signatures);
    let found = match device.limits::<VerifySignature>().brief.holds(rows, rows) {
        true => work::run_briefly(py, work),
        false => work::run(py, work)?,
    };
    verdicts(py, &found.map_err(flat_error)?)
}

/// The sum of signatures, compressed.
#[pyfunction]
pub fn bls_aggregate<'py>(
    py: Python<'py>,
    group: &str,
    signatures: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let group = parse_group(group)?;
    let signatures = Rows::new("signatures", WANTED, signatures)?;
    let signatures = signatures.slices()?;
    if signatures.is_empty() {
        return Err(value_error("signatures: got none"));
    }
    let sum = work::run(py, |_| bls::aggregate(group, &signatures))?;
    Ok(PyBytes::new(py, &sum.map_err(flat_error)?))
}

/// The verdict on the sum of signatures of a message each.
#[pyfunction]
pub fn bls_aggregate_verify<'py>(
    py: Python<'py>,
    group: &str,
    scheme: &str,
    keys: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    signature: &Bound<'py, PyAny>,
) -> PyResult<Verdicts<'py>> {
    let suite = Suite { group: parse_group(group)?, scheme: parse_scheme(scheme)? };
    let [keys, messages] = columns([("keys", keys), ("messages", messages)])?;
    let (keys, messages) = (keys.slices()?, messages.slices()?);
    let signature = Buffer::new(|| "signature".into(), signature)?;
    let signature = signature.as_slice()?;
    let found = work::run(py, |_| bls::aggregate_verify(suite, &keys, &messages, signature))?;
    verdicts(py, &[found.map_err(flat_error)?])
}

/// The verdicts on sums of signatures of one message each, by several keys each.
#[pyfunction]
pub fn bls_verify_aggregates<'py>(
    py: Python<'py>,
    group: &str,
    keys: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    signatures: &Bound<'py, PyAny>,
) -> PyResult<Verdicts<'py>> {
    let group = parse_group(group)?;
    let wanted = "the keys of each aggregate: an iterable of lists";
    let lists = keys.try_iter().map_err(|_| type_error(format!("keys: wanted {wanted}")))?;
    let keys =
        lists.enumerate().map(|(row, list)| Rows::new(&format!("keys[{row}]"), WANTED, &list?));
    let keys: Vec<Rows<'py>> = keys.collect::<PyResult<_>>()?;
    let [messages, signatures] = columns([("messages", messages), ("signatures", signatures)])?;
    require_as_many(&[("lists of keys", keys.len()), ("messages", messages.count())])?;
    let keys: Vec<Vec<&[u8]>> = keys.iter().map(Rows::slices).collect::<PyResult<_>>()?;
    let (messages, signatures) = (messages.slices()?, signatures.slices()?);
    let rows = keys.iter().zip(&messages).zip(&signatures);
    let aggregates: Vec<Aggregate<'_>> =
        rows.map(|((keys, message), signature)| Aggregate { keys, message, signature }).collect();
    let found = work::run(py, |_| bls::verify_aggregates(group, &aggregates))?;
    verdicts(py, &found.map_err(flat_error)?)
}

/// The verdicts on proofs of the possession of secret keys.
#[pyfunction]
pub fn bls_verify_possessions<'py>(
    py: Python<'py>,
    group: &str,
    keys: &Bound<'py, PyAny>,
    proofs: &Bound<'py, PyAny>,
) -> PyResult<Verdicts<'py>> {
    let group = parse_group(group)?;
    let [keys, proofs] = columns([("keys", keys), ("proofs", proofs)])?;
    let (keys, proofs) = (keys.slices()?, proofs.slices()?);
    let found = work::run(py, |_| bls::verify_possessions(group, &keys, &proofs))?;
    verdicts(py, &found.map_err(flat_error)?)
}

fn parse_group(name: &str) -> PyResult<Group> {
    match name {
        "min-pk" => Ok(Group::MinPk),
        "min-sig" => Ok(Group::MinSig),
        other => {
            let wanted = "wanted \"min-pk\" or \"min-sig\"";
            Err(value_error(format!("group: got {other:?}, {wanted}")))
        }
    }
}

fn parse_scheme(name: &str) -> PyResult<Scheme> {
    match name {
        "basic" => Ok(Scheme::Basic),
        "aug" => Ok(Scheme::Augmented),
        "pop" => Ok(Scheme::ProofOfPossession),
        other => {
            let wanted = "wanted \"basic\", \"aug\" or \"pop\"";
            Err(value_error(format!("scheme: got {other:?}, {wanted}")))
        }
    }
}
