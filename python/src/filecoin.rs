// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The second phase of sealing a Filecoin sector.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use halimede_filecoin::{
    data_cid, replica_cid, Job, Outcome, Phase1, Precommit2Error, Sector, Spread, Stage,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::device::open;
use crate::errors::{file_error, value_error, DeviceError};
use crate::work;

/// Runs the phase, and returns the fields of `halimede.filecoin.Sealed`.
#[pyfunction]
pub fn filecoin_precommit2<'py>(
    py: Python<'py>,
    sealed: PathBuf,
    cache: PathBuf,
    pc1out: &str,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let device = open(device)?;
    let job = Job { device: &*device, sector: sector_of(pc1out)?, cache, sealed };
    let outcome = work::run(py, |stop| job.run(&mut |_| !stop.is_requested()))?;
    fields_of(py, &outcome.map_err(|error| exception(py, error))?)
}

/// Computes one part of a run that a `FilecoinParts` has begun; returns its root.
#[pyfunction]
pub fn filecoin_part<'py>(
    py: Python<'py>,
    sealed: PathBuf,
    cache: PathBuf,
    pc1out: &str,
    stage: &str,
    number: u64,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let stage = stage_named(stage)?;
    let device = open(device)?;
    let job = Job { device: &*device, sector: sector_of(pc1out)?, cache, sealed };
    let root = work::run(py, |stop| job.part(stage, number, &mut || !stop.is_requested()))?;
    Ok(PyBytes::new(py, &root.map_err(|error| exception(py, error))?))
}

/// A run of the second phase whose parts are computed elsewhere.
#[pyclass(module = "halimede._native", frozen)]
pub struct FilecoinParts(Mutex<Spread>);

#[pymethods]
impl FilecoinParts {
    #[new]
    fn new(
        py: Python<'_>,
        sealed: PathBuf,
        cache: PathBuf,
        pc1out: &str,
        part_bytes: u64,
    ) -> PyResult<Self> {
        let sector = sector_of(pc1out)?;
        let begun = py.detach(|| Spread::begin(&sector, &cache, &sealed, part_bytes));
        Ok(Self(Mutex::new(begun.map_err(|error| exception(py, error))?)))
    }

    /// The step whose parts are computed.
    #[getter]
    fn stage(&self) -> &'static str {
        name_of(self.lock().stage())
    }

    /// The number of parts of a step.
    #[getter]
    fn part_count(&self) -> u64 {
        self.lock().part_count()
    }

    /// The bytes of each layer below a part.
    #[getter]
    fn part_bytes(&self) -> u64 {
        self.lock().part_bytes()
    }

    /// The numbers of the parts of this step that have no root yet.
    fn pending(&self) -> Vec<u64> {
        self.lock().pending()
    }

    /// Records the root of a part.
    fn keep(&self, py: Python<'_>, part: u64, root: &[u8]) -> PyResult<()> {
        let root = root.try_into().map_err(|_| value_error("a root has 32 bytes"))?;
        let kept = py.detach(|| self.lock().keep(part, root));
        kept.map_err(|error| exception(py, error))
    }

    /// Ends a step; returns the fields of `halimede.filecoin.Sealed` after the last one.
    fn advance<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let ended = work::run(py, |stop| self.lock().advance(&|| stop.is_requested()))?;
        let outcome = ended.map_err(|error| exception(py, error))?;
        outcome.map(|outcome| fields_of(py, &outcome)).transpose()
    }
}

impl FilecoinParts {
    fn lock(&self) -> MutexGuard<'_, Spread> {
        // A run that panicked is checked again by every part that it keeps.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const STAGES: [(&str, Stage); 2] = [("tree-c", Stage::TreeC), ("replica", Stage::Replica)];

fn name_of(stage: Stage) -> &'static str {
    match stage {
        Stage::TreeC => STAGES[0].0,
        Stage::Replica => STAGES[1].0,
    }
}

fn stage_named(name: &str) -> PyResult<Stage> {
    let found = STAGES.iter().find(|(known, _)| *known == name);
    let refused = || value_error(format!("stage: expected tree-c or replica, got {name:?}"));
    found.map(|(_, stage)| *stage).ok_or_else(refused)
}

fn sector_of(pc1out: &str) -> PyResult<Sector> {
    let phase1 = Phase1::decode(pc1out).map_err(|error| value_error(format!("pc1out: {error}")))?;
    Sector::try_from(phase1).map_err(value_error)
}

/// Returns the fields of `halimede.filecoin.Sealed`.
fn fields_of<'py>(py: Python<'py>, outcome: &Outcome) -> PyResult<Bound<'py, PyDict>> {
    let roots = outcome.commitments;
    let fields = PyDict::new(py);
    for (name, root) in [
        ("comm_d", roots.comm_d),
        ("comm_c", roots.comm_c),
        ("comm_r_last", roots.comm_r_last),
        ("comm_r", roots.comm_r),
    ] {
        fields.set_item(name, PyBytes::new(py, &root))?;
    }
    fields.set_item("unsealed_cid", data_cid(&roots.comm_d))?;
    fields.set_item("sealed_cid", replica_cid(&roots.comm_r))?;
    fields.set_item("reused_trees", outcome.reused_trees)?;
    fields.set_item("continued_replica", outcome.continued_replica)?;
    Ok(fields)
}

/// Converts an error to an exception.
fn exception(py: Python<'_>, error: Precommit2Error) -> PyErr {
    match error {
        error if error.is_of_device() => DeviceError::new_err(error.to_string()),
        Precommit2Error::Read { path, source } | Precommit2Error::Write { path, source } => {
            file_error(py, &path, &source)
        }
        Precommit2Error::Output(error) if !error.is_refusal() => error.into_io().into(),
        error => value_error(error),
    }
}
