// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Groth16 proofs of the circuits of circom and bellman.

use halimede_bls12_381::groth16::prove::circom::{read_constraints, read_witness};
use halimede_bls12_381::groth16::prove::{
    CircuitKey, PointChecks, ProveError, PROVING_KEY_LIMIT_BYTES,
};
use halimede_device::in_pool;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::named;
use crate::sources::Source;
use crate::work;

const LIMIT_BYTES: usize = PROVING_KEY_LIMIT_BYTES as usize;

/// A proof, and the public inputs, little-endian.
type Proved<'py> = (Bound<'py, PyBytes>, Vec<Bound<'py, PyBytes>>);

/// A proving key with its circuit.
#[pyclass(module = "halimede._native", frozen)]
pub struct Groth16ProvingKey {
    key: CircuitKey,
}

#[pymethods]
impl Groth16ProvingKey {
    #[new]
    fn new(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        circuit: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let read = |bytes: &[u8]| in_pool(|| CircuitKey::read(bytes, PointChecks::Group));
        let key = Source::new(source)?.parse(py, LIMIT_BYTES, read)?;
        let mut key = key.map_err(named("source: not a proving key"))?;
        if let Some(circuit) = circuit {
            let constraints = Source::new(circuit)?.parse(py, LIMIT_BYTES, read_constraints)?;
            key = key.with_constraints(constraints.map_err(named("circuit: not an .r1cs file"))?);
        }
        Ok(Self { key })
    }

    /// The verifying key, as bellman encodes it.
    #[getter]
    fn verifying_key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.key.key().verifying_key_bytes())
    }

    /// The number of public inputs.
    #[getter]
    fn inputs(&self) -> usize {
        self.key.key().verifying_key().inputs()
    }

    /// Makes a proof for a `.wtns` file or its content.
    fn prove<'py>(&self, py: Python<'py>, witness: &Bound<'py, PyAny>) -> PyResult<Proved<'py>> {
        let values = Source::new(witness)?.parse_secret(py, LIMIT_BYTES, read_witness)?;
        let values = values.map_err(named("witness: not a .wtns file"))?;
        let made = work::run(py, |_| {
            in_pool(|| {
                let assignment = self.key.assign(&values)?;
                let inputs: Vec<_> =
                    assignment.public_inputs().iter().map(|input| input.to_le_bytes()).collect();
                Ok((self.key.key().prove(assignment)?, inputs))
            })
        })?;
        let (proof, inputs) = made.map_err(named::<ProveError>("witness"))?;
        let inputs = inputs.iter().map(|input| PyBytes::new(py, input)).collect();
        Ok((PyBytes::new(py, &proof), inputs))
    }
}
