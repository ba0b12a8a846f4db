// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arithmetic in which the caller does each rescaling and each relinearization.

use halimede_ckks::evaluator::{Degree2, Explicit};
use halimede_ckks::params::Scale;
use halimede_ckks::EvaluationError;
use pyo3::prelude::*;

use super::brief;
use super::ciphertext::CkksCiphertext;
use super::errors::evaluation_error;
use super::parameters::CkksParameters;
use super::server::CkksServer;
use crate::errors::{count, value_error};

type Operand<'b, 'py> = &'b Bound<'py, CkksCiphertext>;

/// A ciphertext of degree 2: a product, or a sum of products, before its relinearization.
#[pyclass(module = "halimede._native", frozen)]
pub struct CkksDegree2 {
    product: Degree2,
    parameters: CkksParameters,
}

#[pymethods]
impl CkksDegree2 {
    /// The level of the factors.
    #[getter]
    fn level(&self) -> usize {
        self.product.level()
    }

    /// The product of the factors' scales.
    #[getter]
    fn scale(&self) -> f64 {
        self.product.scale().value()
    }

    /// The number of values.
    #[getter]
    fn length(&self) -> usize {
        self.product.length()
    }

    fn __repr__(&self) -> String {
        format!("<halimede.ckks.Degree2 of {} values, level {}>", self.length(), self.level())
    }
}

impl CkksDegree2 {
    fn of(&self, parameters: &CkksParameters) -> PyResult<&Degree2> {
        parameters.check("the sum of products", &self.parameters)?;
        Ok(&self.product)
    }
}

/// A server that never rescales, relinearizes or aligns by itself.
#[pyclass(module = "halimede._native", frozen)]
pub struct CkksExplicit(Py<CkksServer>);

#[pymethods]
impl CkksExplicit {
    #[new]
    fn new(server: Py<CkksServer>) -> Self {
        Self(server)
    }

    fn add(
        &self,
        py: Python<'_>,
        a: Operand<'_, '_>,
        b: Operand<'_, '_>,
    ) -> PyResult<CkksCiphertext> {
        self.0.get().binary(py, [a.get(), b.get()], |server, a, b| server.explicit().add(a, b))
    }

    fn sub(
        &self,
        py: Python<'_>,
        a: Operand<'_, '_>,
        b: Operand<'_, '_>,
    ) -> PyResult<CkksCiphertext> {
        self.0.get().binary(py, [a.get(), b.get()], |server, a, b| server.explicit().sub(a, b))
    }

    fn mul(
        &self,
        py: Python<'_>,
        a: Operand<'_, '_>,
        b: Operand<'_, '_>,
    ) -> PyResult<CkksCiphertext> {
        self.0.get().binary(py, [a.get(), b.get()], |server, a, b| server.explicit().mul(a, b))
    }

    /// a·b, added to an optional sum of products.
    fn mul_degree2(
        &self,
        py: Python<'_>,
        a: Operand<'_, '_>,
        b: Operand<'_, '_>,
        sum: Option<&Bound<'_, CkksDegree2>>,
    ) -> PyResult<CkksDegree2> {
        let parameters = &self.0.get().parameters;
        let (a, b) = (a.get().of(parameters)?, b.get().of(parameters)?);
        let sum = sum.map(|sum| sum.get().of(parameters)).transpose()?;
        let product = self.brief(py, |explicit| match sum {
            Some(sum) => explicit.mul_add_degree2(sum.clone(), a, b),
            None => explicit.mul_degree2(a, b),
        })?;
        Ok(CkksDegree2 { product, parameters: parameters.clone() })
    }

    fn relinearize(
        &self,
        py: Python<'_>,
        product: &Bound<'_, CkksDegree2>,
    ) -> PyResult<CkksCiphertext> {
        let parameters = &self.0.get().parameters;
        let product = product.get().of(parameters)?;
        let sealed = self.brief(py, |explicit| explicit.relinearize(product))?;
        Ok(CkksCiphertext::new(sealed, parameters))
    }

    fn add_plain(
        &self,
        py: Python<'_>,
        a: Operand<'_, '_>,
        values: &Bound<'_, PyAny>,
        bound: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<CkksCiphertext> {
        let values = self.0.get().operand(values, bound)?;
        self.0.get().unary(py, a.get(), |server, a| server.explicit().add_plain(a, &values))
    }

    /// a·values, encoded at a scale; by default the factor that a rescaling divides by.
    fn mul_plain(
        &self,
        py: Python<'_>,
        a: Operand<'_, '_>,
        values: &Bound<'_, PyAny>,
        bound: Option<&Bound<'_, PyAny>>,
        scale: Option<f64>,
    ) -> PyResult<CkksCiphertext> {
        let values = self.0.get().operand(values, bound)?;
        let scale = match scale {
            Some(got) => Some(Scale::new(got).ok_or_else(|| {
                value_error(format!("scale: got {got:?}, wanted a positive number"))
            })?),
            None => None,
        };
        self.0.get().unary(py, a.get(), |server, a| {
            let scale = match scale {
                Some(scale) => scale,
                None => taken_away(server, a.level())?,
            };
            server.explicit().mul_plain(a, &values, scale)
        })
    }

    fn rescale(&self, py: Python<'_>, a: Operand<'_, '_>) -> PyResult<CkksCiphertext> {
        self.0.get().unary(py, a.get(), |server, a| server.explicit().rescale(a))
    }

    fn drop_to_level(
        &self,
        py: Python<'_>,
        a: Operand<'_, '_>,
        level: &Bound<'_, PyAny>,
    ) -> PyResult<CkksCiphertext> {
        let level = count("level", level)?;
        self.0.get().unary(py, a.get(), |server, a| server.explicit().drop_to_level(a, level))
    }
}

impl CkksExplicit {
    fn brief<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(Explicit<'_>) -> Result<T, EvaluationError> + Send,
    ) -> PyResult<T> {
        let server = &self.0.get().server;
        brief(py, || work(server.explicit())).map_err(evaluation_error)
    }
}

/// Returns the factor by which a rescaling divides the scale of a ciphertext of this level.
fn taken_away(server: &halimede_ckks::Server, level: usize) -> Result<Scale, EvaluationError> {
    let Some(below) = level.checked_sub(1) else {
        return Err(EvaluationError::Level { what: "a product", got: 0, needed: 1 });
    };
    let modulus = |level| server.parameters().level(level).modulus;
    Ok(modulus(level) / modulus(below))
}
