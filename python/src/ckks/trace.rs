// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What operations on ciphertexts take in the ring.

use halimede_ckks::ring::Program;
use halimede_ckks::Ciphertext;
use pyo3::prelude::*;

use super::brief;
use super::ciphertext::CkksCiphertext;
use super::errors::evaluation_error;
use super::server::CkksServer;
use crate::device::to_python;
use crate::errors::value_error;

/// The operations of the ring that an operation on ciphertexts takes, in order: what the cost is
/// counted by, and what a device's compiler starts from. `Plan.trace` makes one without arithmetic,
/// `Server.record` one of what it computes; `str` gives its counts as a table.
///
/// engines/ckks/docs/design.md tells what its JSON has.
#[pyclass(module = "halimede._native", frozen, eq)]
#[derive(PartialEq)]
pub struct CkksTrace(Program);

#[pymethods]
impl CkksTrace {
    /// A trace from its JSON. ValueError where the text is damaged or not a trace.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        brief(py, || Program::from_json(text)).map(Self).map_err(value_error)
    }

    /// All steps as JSON, on one line.
    fn to_json(&self, py: Python<'_>) -> String {
        brief(py, || self.0.to_json())
    }

    /// How often each operation is done, in limbs of N residues; `key_bytes` are the bytes of keys
    /// that are read.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, serde_json::to_string(&self.0.counts()))
    }

    /// The degree N of polynomials.
    #[getter]
    fn degree(&self) -> usize {
        self.0.degree
    }

    /// What is said of the steps from a place on, as how a rotation is composed: pairs of place and
    /// text.
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

/// Calls `work`, which computes ciphertexts from the inputs and gives a list of them, and records
/// what that takes.
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

/// What `work` gives: ciphertexts of the server's parameters.
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
