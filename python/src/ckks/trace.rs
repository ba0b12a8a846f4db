// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Traces: the ring operations of operations on ciphertexts.

use halimede_ckks::ring::Program;
use halimede_ckks::Ciphertext;
use pyo3::prelude::*;

use super::brief;
use super::ciphertext::CkksCiphertext;
use super::errors::evaluation_error;
use super::server::CkksServer;
use crate::device::to_python;
use crate::errors::value_error;

/// The ring operations of an operation on ciphertexts, in order: the basis for cost counts and the
/// input of a device's compiler. `Plan.trace` makes a trace without arithmetic, `Server.record`
/// makes one of a computation; `str` formats the counts as a table.
///
/// engines/ckks/docs/design.md describes the JSON format.
#[pyclass(module = "halimede._native", frozen, eq)]
#[derive(PartialEq)]
pub struct CkksTrace(Program);

#[pymethods]
impl CkksTrace {
    /// Reads a trace from its JSON. Raises ValueError if the text is damaged or not a trace.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        brief(py, || Program::from_json(text)).map(Self).map_err(value_error)
    }

    /// Returns all steps as JSON, on one line.
    fn to_json(&self, py: Python<'_>) -> String {
        brief(py, || self.0.to_json())
    }

    /// The number of times of each operation, in limbs of N residues; `key_bytes` is the number of
    /// bytes of keys that are read.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, serde_json::to_string(&self.0.counts()))
    }

    /// The degree N of polynomials.
    #[getter]
    fn degree(&self) -> usize {
        self.0.degree
    }

    /// Notes on the steps, for example how a rotation is composed: pairs of the index of the first
    /// step and a text.
    #[getter]
    fn notes(&self) -> Vec<(usize, String)> {
        self.0.notes.iter().map(|note| (note.step, note.text.clone())).collect()
    }

    fn __len__(&self) -> usize {
        self.0.steps.len()
    }

    fn __str__(&self) -> String {
        self.0.counts().to_string().trim_end().to_owned()
    }

    fn __repr__(&self) -> String {
        format!("<halimede.ckks.Trace of {} steps>", self.0.steps.len())
    }
}

impl CkksTrace {
    /// The trace of a program.
    pub fn new(program: Program) -> Self {
        Self(program)
    }
}

/// Calls `work`, which computes a list of ciphertexts from the inputs, and records its ring
/// operations.
#[pyfunction]
pub fn ckks_record<'py>(
    server: &Bound<'py, CkksServer>,
    inputs: Vec<Bound<'py, CkksCiphertext>>,
    work: &Bound<'py, PyAny>,
) -> PyResult<(Vec<Bound<'py, CkksCiphertext>>, CkksTrace)> {
    let of = server.get();
    let sealed = inputs.iter().map(|input| input.get().of(&of.parameters));
    let sealed: Vec<&Ciphertext> = sealed.collect::<PyResult<_>>()?;
    let mut results = Ok(Vec::new());
    let recorded = of.server.record(&sealed, &[], |_| {
        results = computed(of, work);
        let results = results.iter().flatten();
        Ok(results.map(|(_, sealed)| sealed.clone()).collect())
    });
    let results = results?.into_iter().map(|(result, _)| result).collect();
    let (_, trace) = recorded.map_err(evaluation_error)?;
    Ok((results, CkksTrace::new(trace)))
}

/// Calls `work` and returns its ciphertexts, which must have the server's parameters.
fn computed<'py>(
    server: &CkksServer,
    work: &Bound<'py, PyAny>,
) -> PyResult<Vec<(Bound<'py, CkksCiphertext>, Ciphertext)>> {
    let results: Vec<Bound<'py, CkksCiphertext>> = work.call0()?.extract()?;
    let sealed = |result: Bound<'py, CkksCiphertext>| {
        let sealed = result.get().of(&server.parameters)?.clone();
        Ok((result, sealed))
    };
    results.into_iter().map(sealed).collect()
}
