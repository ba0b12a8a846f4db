// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products of matrices with encrypted vectors.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use halimede_ckks::circuit::Input;
use halimede_ckks::encoding::Encoder;
use halimede_ckks::evaluator::rotation_exponent;
use halimede_ckks::keys::KeyUse;
use halimede_ckks::linear::LinearError;
use halimede_ckks::{
    Bound as Range, CircuitError, Diagonals, EvaluationError, Expression, LinearTransform,
    Parameters, Plan,
};
use pyo3::prelude::*;

use super::arrays::{matrix, Numbers};
use super::brief;
use super::ciphertext::CkksCiphertext;
use super::declared::Declared;
use super::errors::evaluation_error;
use super::parameters::CkksParameters;
use super::server::CkksServer;

/// A matrix as diagonals, which are encoded at the first use at each level.
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
        bound: Option<&Bound<'_, PyAny>>,
        row_sum: Option<f64>,
        public: bool,
    ) -> PyResult<Self> {
        let of = parameters.get();
        let mut diagonals = diagonals_of(py, entries, bound)?;
        if let Some(row_sum) = row_sum {
            diagonals = diagonals.with_row_sum(row_sum);
        }
        if public {
            diagonals = diagonals.public();
        }
        let diagonals = Arc::new(diagonals);
        let (got, limit) = (diagonals.slots(), of.parameters().slots());
        if got > limit {
            let error = LinearError::TooLarge { got, limit };
            return Err(evaluation_error(error));
        }
        brief(py, || check_declared(&diagonals, of.parameters()))?;
        let (parameters, encoder) = (of.clone(), Encoder::new(of.parameters()));
        Ok(Self { diagonals, parameters, encoder, by_level: Mutex::default() })
    }

    /// The numbers of rows and columns: the lengths of products and of vectors.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.diagonals.rows(), self.diagonals.columns())
    }

    /// Encodes the matrix for vectors of a level.
    fn encode(&self, py: Python<'_>, level: &Bound<'_, PyAny>) -> PyResult<()> {
        let level = self.parameters.level(Some(level))?;
        brief(py, || self.at(level)).map(drop).map_err(evaluation_error)
    }

    /// The number of nonzero diagonals.
    #[getter]
    fn diagonals(&self) -> usize {
        self.diagonals.steps().count()
    }

    /// The rotations for which a server needs keys.
    #[getter]
    fn rotations(&self) -> Vec<i64> {
        self.diagonals.rotations()
    }
}

impl CkksMatrix {
    /// The entries of the matrix.
    pub fn entries(&self) -> Arc<Diagonals> {
        self.diagonals.clone()
    }

    /// Returns the matrix for a level. The first caller encodes it, and others wait.
    fn at(&self, level: usize) -> Result<Arc<LinearTransform>, LinearError> {
        if level == 0 {
            let what = "a product with a matrix";
            return Err(EvaluationError::Level { what, got: 0, needed: 1 }.into());
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

/// Returns the diagonals of an array of two axes.
///
/// # Errors
/// As [`matrix`]; `ValueError` for no entries, too many entries, and entries that are not finite.
pub fn diagonals_of(
    py: Python<'_>,
    entries: &Bound<'_, PyAny>,
    bound: Option<&Bound<'_, PyAny>>,
) -> PyResult<Diagonals> {
    let (rows, columns, Numbers { values, is_real, .. }) = matrix("matrix", entries)?;
    let declared = Declared::new(bound)?.map(|bound| bound.range(is_real)).transpose()?;
    let diagonals = brief(py, || Diagonals::of_matrix(rows, columns, &values));
    let diagonals = diagonals.map_err(evaluation_error)?;
    let diagonals = if is_real { diagonals.real() } else { diagonals };
    Ok(match declared {
        Some(range) => diagonals.within(range.magnitude()),
        None => diagonals,
    })
}

/// Checks that the entries are within their declared bound.
fn check_declared(diagonals: &Arc<Diagonals>, parameters: &Parameters) -> PyResult<()> {
    let input = Input {
        length: diagonals.columns(),
        ..Input::fresh(parameters, Range::real(parameters.default_bound()))
    };
    let product = Expression::input("vector").linear_transform(diagonals.clone());
    let inputs = BTreeMap::from([("vector".to_owned(), input)]);
    match Plan::new(&product, parameters, &inputs) {
        Err(error @ CircuitError::Linear(_)) => Err(evaluation_error(error)),
        _ => Ok(()),
    }
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
    let of = &server.get().server;
    let exponent = |by: &i64| rotation_exponent(of.parameters(), *by);
    let has = |by: &i64| of.keys().get(KeyUse::Automorphism(exponent(by))).is_some();
    if !matrix.diagonals.rotations().iter().all(has) {
        let entries = matrix.entries();
        server.get().check_keys([a.get()], |[a]| a.linear_transform(entries))?;
    }
    server
        .get()
        .lengthy(py, a.get(), |server, a| server.linear_transform(a, &*matrix.at(a.level())?))
}
