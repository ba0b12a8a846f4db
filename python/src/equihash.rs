// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Equihash: the solver, the two forms of solutions, and headers.

use halimede_device::in_pool;
use halimede_equihash::{
    indices_from_minimal, meets_target, minimal_from_indices, BlockHash, Header, Params,
    SolveError, Solver, Watch,
};
use numpy::PyArray1;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::buffers::Buffer;
use crate::device::require_backend;
use crate::errors::{count, value_error};
use crate::work::{self, Stop};

/// Returns the parameters n and k.
///
/// # Errors
/// `ValueError` for invalid parameters, `TypeError` for arguments that are not integers.
fn params(n: &Bound<'_, PyAny>, k: &Bound<'_, PyAny>) -> PyResult<Params> {
    let number = |name, value| {
        let number = count(name, value)?;
        Ok::<_, PyErr>(u32::try_from(number).unwrap_or(u32::MAX))
    };
    Params::new(number("n", n)?, number("k", k)?).map_err(value_error)
}

/// Returns all solutions of a puzzle in minimal form.
#[pyfunction]
pub fn equihash_solve<'py>(
    py: Python<'py>,
    input: &Bound<'py, PyAny>,
    n: &Bound<'py, PyAny>,
    k: &Bound<'py, PyAny>,
    memory_limit: Option<&Bound<'py, PyAny>>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    require_backend()?;
    let params = params(n, k)?;
    let mut solver = Solver::new(params);
    if let Some(limit) = memory_limit {
        solver = solver.with_memory_limit(count("memory_limit", limit)? as u64);
    }
    let input = Buffer::new(|| "input".into(), input)?;
    let input = input.as_slice()?;
    let watch = |stop: &Stop| in_pool(|| solver.solve_watched(input, &Watched(stop)));
    let solved = work::run(py, watch)?.map_err(|error| match error {
        SolveError::OutOfMemory { .. } => PyMemoryError::new_err(error.to_string()),
        error => value_error(error),
    })?;
    let minimal = |indices: &Vec<u32>| {
        let minimal = minimal_from_indices(params, indices).map_err(value_error)?;
        Ok(PyBytes::new(py, &minimal))
    };
    solved.iter().map(minimal).collect()
}

/// Ends the solver if a stop is requested.
struct Watched<'s>(&'s Stop);

impl Watch for Watched<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_requested()
    }
}

/// Returns a solution's indices, `uint32[2**k]`.
#[pyfunction]
pub fn equihash_indices<'py>(
    py: Python<'py>,
    solution: &Bound<'py, PyAny>,
    n: &Bound<'py, PyAny>,
    k: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let solution = Buffer::new(|| "solution".into(), solution)?;
    let indices = indices_from_minimal(params(n, k)?, solution.as_slice()?);
    let named = |error| value_error(format!("solution: {error}"));
    Ok(PyArray1::from_vec(py, indices.map_err(named)?))
}

/// Returns the minimal form of indices, `uint32[2**k]`.
#[pyfunction]
pub fn equihash_minimal<'py>(
    py: Python<'py>,
    indices: numpy::PyReadonlyArray1<'py, u32>,
    n: &Bound<'py, PyAny>,
    k: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let indices = indices.as_array().to_vec();
    let minimal = minimal_from_indices(params(n, k)?, &indices);
    let named = |error| value_error(format!("indices: {error}"));
    Ok(PyBytes::new(py, &minimal.map_err(named)?))
}

/// Parses a header with its solution to a dict of its fields.
#[pyfunction]
pub fn equihash_header<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    n: Option<&Bound<'py, PyAny>>,
    k: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let params = match (n, k) {
        (Some(n), Some(k)) => Some(params(n, k)?),
        (None, None) => None,
        _ => return Err(value_error("n, k: got one of them, wanted both or neither")),
    };
    let data = Buffer::new(|| "data".into(), data)?;
    let named = |error| value_error(format!("data: {error}"));
    let header = Header::parse(data.as_slice()?, params).map_err(named)?;
    let bytes = |bytes: &[u8]| PyBytes::new(py, bytes);
    let hash = |bytes: [u8; 32]| BlockHash::from(bytes).to_string();
    let parts = PyDict::new(py);
    parts.set_item("n", header.params().n())?;
    parts.set_item("k", header.params().k())?;
    parts.set_item("hash", header.hash().to_string())?;
    parts.set_item("version", header.version())?;
    parts.set_item("previous", header.previous().to_string())?;
    parts.set_item("merkle_root", hash(header.merkle_root()))?;
    parts.set_item("commitment", hash(header.commitment()))?;
    parts.set_item("time", header.time())?;
    parts.set_item("bits", header.bits())?;
    let target = header.target().ok().map(|target| bytes(&target.to_le_bytes()));
    parts.set_item("target", target)?;
    parts.set_item("meets_target", meets_target(&header.to_bytes()))?;
    parts.set_item("nonce", bytes(&header.nonce()))?;
    parts.set_item("input", bytes(header.fields()))?;
    parts.set_item("solution", bytes(header.solution()))?;
    Ok(parts)
}
