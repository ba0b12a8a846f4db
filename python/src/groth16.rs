// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Groth16 proofs checked in bulk.

use std::sync::Arc;

use halimede_bls12_381::groth16::{VerifyingKey, KEY_LIMIT_BYTES};
use halimede_bls12_381::operations::VerifyProof;
use halimede_device::flat::groth16::{self, ProofRow};
use pyo3::prelude::*;

use crate::device::{open, require_backend};
use crate::errors::{flat_error, value_error};
use crate::sources::Source;
use crate::verdicts::{columns, verdicts, Verdicts};
use crate::work::{self, Stop};

/// A verifying key that was read and checked.
#[pyclass(module = "halimede._native", frozen)]
pub struct Groth16Key(Arc<VerifyingKey>);

#[pymethods]
impl Groth16Key {
    #[new]
    fn new(py: Python<'_>, source: &Bound<'_, PyAny>) -> PyResult<Self> {
        require_backend()?;
        let read = |bytes: &[u8]| halimede_device::in_pool(|| VerifyingKey::read(bytes));
        let key = Source::new(source)?.parse(py, KEY_LIMIT_BYTES, read)?;
        let wrong = |error| value_error(format!("source: not a verifying key: {error}"));
        Ok(Self(Arc::new(key.map_err(wrong)?)))
    }

    /// How many public inputs a proof has.
    #[getter]
    fn inputs(&self) -> usize {
        self.0.inputs()
    }

    /// The verdicts on proofs, each with its inputs one behind the other, 32 bytes each,
    /// big-endian.
    fn verify<'py>(
        &self,
        py: Python<'py>,
        proofs: &Bound<'py, PyAny>,
        inputs: &Bound<'py, PyAny>,
        device: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Verdicts<'py>> {
        let device = &*open(device)?;
        let [proofs, inputs] = columns([("proofs", proofs), ("inputs", inputs)])?;
        let (proofs, inputs) = (proofs.slices()?, inputs.slices()?);
        let rows = proofs.iter().zip(&inputs);
        let rows: Vec<ProofRow<'_>> =
            rows.map(|(proof, inputs)| ProofRow { proof, inputs }).collect();
        let work = |_: &Stop| groth16::verify(device, &self.0, &rows);
        let found = match device.limits::<VerifyProof>().brief.holds(rows.len(), rows.len()) {
            true => work::run_briefly(py, work),
            false => work::run(py, work)?,
        };
        verdicts(py, &found.map_err(flat_error)?)
    }
}
