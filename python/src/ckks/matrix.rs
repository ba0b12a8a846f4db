// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Matrices times encrypted vectors.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use halimede_ckks::encoding::Encoder;
use halimede_ckks::{Diagonals, EvaluationError, LinearTransform};
use pyo3::prelude::*;

use super::arrays::matrix;
use super::brief;
use super::ciphertext::CkksCiphertext;
use super::parameters::CkksParameters;
use super::server::CkksServer;
use crate::errors::value_error;

/// A matrix by its diagonals, encoded for each level at which it is first used.
#[pyclass(module = "halimede._native", frozen)]
pub struct CkksMatrix {
    diagonals: Arc<Diagonals>,
    parameters: CkksParameters,
    encoder: Encoder,
    by_level: Mutex<BTreeMap<usize, Arc<LinearTransform>>>,
}

#[pymethods]
impl CkksMatrix {
    #[new]
    fn new(
        py: Python<'_>,
        parameters: &Bound<'_, CkksParameters>,
        entries: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let of = parameters.get();
        let diagonals = Arc::new(diagonals_of(py, entries)?);
        let (got, limit) = (diagonals.slots(), of.parameters().slots());
        if got > limit {
            let error = halimede_ckks::linear::LinearError::TooLarge { got, limit };
            return Err(value_error(error));
        }
        let (parameters, encoder) = (of.clone(), Encoder::new(of.parameters()));
        Ok(Self { diagonals, parameters, encoder, by_level: Mutex::default() })
    }

    /// The length of the vectors that it is for.
    #[getter]
    fn slots(&self) -> usize {
        self.diagonals.slots()
    }

    /// Diagonals that are not zero.
    #[getter]
    fn diagonals(&self) -> usize {
        self.diagonals.steps().count()
    }

    /// The rotations that a server needs keys for.
    #[getter]
    fn rotations(&self) -> Vec<i64> {
        self.diagonals.rotations()
    }
}

impl CkksMatrix {
    /// Its entries.
    pub fn entries(&self) -> Arc<Diagonals> {
        self.diagonals.clone()
    }

    /// The matrix for a level; it is encoded by the first that asks, and others wait for it.
    fn at(&self, level: usize) -> Result<Arc<LinearTransform>, EvaluationError> {
        if level == 0 {
            let what = "a product with a matrix";
            return Err(EvaluationError::Level { what, got: 0, needed: 1 });
        }
        let mut by_level = self.by_level.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(there) = by_level.get(&level) {
            return Ok(there.clone());
        }
        let made = Arc::new(LinearTransform::new(&self.encoder, &self.diagonals, level)?);
        by_level.insert(level, made.clone());
        Ok(made)
    }
}

/// The diagonals of an array of two axes.
///
/// # Errors
/// As [`matrix`]; `ValueError` for no entries, too many, and ones that are not finite.
pub fn diagonals_of(py: Python<'_>, entries: &Bound<'_, PyAny>) -> PyResult<Diagonals> {
    let (rows, columns, entries) = matrix("matrix", entries)?;
    brief(py, || Diagonals::of_matrix(rows, columns, &entries)).map_err(value_error)
}

/// A matrix times a vector, one level lower.
#[pyfunction]
pub fn ckks_transform(
    py: Python<'_>,
    server: &Bound<'_, CkksServer>,
    a: &Bound<'_, CkksCiphertext>,
    matrix: &Bound<'_, CkksMatrix>,
) -> PyResult<CkksCiphertext> {
    let matrix = matrix.get();
    server.get().parameters.check("the matrix", &matrix.parameters)?;
    server
        .get()
        .lengthy(py, a.get(), |server, a| server.linear_transform(a, &*matrix.at(a.level())?))
}
