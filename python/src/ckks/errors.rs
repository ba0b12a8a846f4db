// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The engine's errors, with advice in terms of the Python API.

use halimede_ckks::bootstrap::BootstrapError;
use halimede_ckks::circuit::CircuitError;
use halimede_ckks::encoding::EncodingError;
use halimede_ckks::linear::LinearError;
use halimede_ckks::polynomial::PolynomialError;
use halimede_ckks::{EvaluationError, FileError};
use pyo3::prelude::*;

use crate::errors::value_error;

/// The exception for an operation that cannot be done.
pub fn evaluation_error(error: impl Into<CircuitError>) -> PyErr {
    let error = error.into();
    match advice(&error) {
        Some(advice) => value_error(format!("{error}: {advice}")),
        None => value_error(error),
    }
}

/// The exception for values that cannot be encrypted.
pub fn encryption_error(error: EncodingError) -> PyErr {
    match error {
        EncodingError::OutOfBound { .. } => value_error(format!(
            "{error}: encrypt(values, bound=…), with the largest possible value"
        )),
        error => value_error(error),
    }
}

/// The exception for a file that cannot be loaded.
pub fn loading_error(error: FileError) -> PyErr {
    match error {
        FileError::Insecure { .. } => value_error(format!("{error}: insecure=True")),
        error => value_error(error),
    }
}

fn advice(error: &CircuitError) -> Option<&'static str> {
    match error {
        CircuitError::Step { reason, .. } => advice(reason),
        CircuitError::Large => Some("x.bounded(b)"),
        CircuitError::Bootstrap(error) => bootstrap_advice(error),
        CircuitError::Linear(error) => linear_advice(error),
        CircuitError::Polynomial(error) => polynomial_advice(error),
        CircuitError::Encoding(error) => encoding_advice(error),
        CircuitError::Evaluation(error) => evaluation_advice(error),
        _ => None,
    }
}

fn bootstrap_advice(error: &BootstrapError) -> Option<&'static str> {
    match error {
        BootstrapError::Magnitude { .. } => Some("x.bounded(b)"),
        BootstrapError::Parameters => Some("Parameters.build(bootstrap=True)"),
        other => other.evaluation().and_then(evaluation_advice),
    }
}

fn linear_advice(error: &LinearError) -> Option<&'static str> {
    match error {
        LinearError::Bound { .. } => {
            Some("halimede.ckks.bounded(matrix, b), or server.matrix(matrix, bound=b)")
        }
        LinearError::RowSum { .. } => Some("row_sum="),
        other => other.evaluation().and_then(evaluation_advice),
    }
}

fn polynomial_advice(error: &PolynomialError) -> Option<&'static str> {
    match error {
        PolynomialError::Outside { .. } | PolynomialError::NotReal { .. } => {
            Some("x.between(low, high)")
        }
        other => other.evaluation().and_then(evaluation_advice),
    }
}

fn evaluation_advice(error: &EvaluationError) -> Option<&'static str> {
    match error {
        EvaluationError::Room { .. } => Some("x.bounded(b)"),
        EvaluationError::Encoding(error) => encoding_advice(error),
        _ => None,
    }
}

fn encoding_advice(error: &EncodingError) -> Option<&'static str> {
    match error {
        EncodingError::OutOfBound { .. } => {
            Some("halimede.ckks.bounded(values, b), with the largest possible value")
        }
        _ => None,
    }
}
