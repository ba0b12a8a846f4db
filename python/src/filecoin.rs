// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The second phase of sealing a Filecoin sector.

use std::path::PathBuf;

use halimede_filecoin::{data_cid, replica_cid, Job, Phase1, Precommit2Error, Sector};
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
    let phase1 = Phase1::decode(pc1out).map_err(|error| value_error(format!("pc1out: {error}")))?;
    let sector = Sector::try_from(phase1).map_err(value_error)?;
    let job = Job { device: &*device, sector, cache, sealed };
    let outcome = work::run(py, |stop| job.run(&mut |_| !stop.is_requested()))?;
    let outcome = outcome.map_err(|error| exception(py, error))?;
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
