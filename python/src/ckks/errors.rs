// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The engine's errors, with what Python calls that which mends them.

use halimede_ckks::bootstrap::BootstrapError;
use halimede_ckks::circuit::CircuitError;
use halimede_ckks::encoding::EncodingError;
use halimede_ckks::linear::LinearError;
use halimede_ckks::polynomial::PolynomialError;
use halimede_ckks::{EvaluationError, FileError};
use pyo3::prelude::*;

use crate::errors::value_error;

/// Why an operation cannot be done.
pub fn evaluation_error(error: impl Into<EvaluationError>) -> PyErr {
    let error = error.into();
    match advice(&error) {
        Some(advice) => value_error(format!("{error}: {advice}")),
        None => value_error(error),
    }
}

/// Why values cannot be encrypted.
pub fn encryption_error(error: EncodingError) -> PyErr {
    match error {
        EncodingError::OutOfBound { .. } => {
            value_error(format!("{error}: encrypt(values, bound=…), by what values may be at most"))
        }
        error => value_error(error),
    }
}

/// Why something cannot be loaded.
pub fn loading_error(error: FileError) -> PyErr {
    match error {
        FileError::Insecure { .. } => value_error(format!("{error}: insecure=True")),
        error => value_error(error),
    }
}

fn advice(error: &EvaluationError) -> Option<&'static str> {
    match error {
        EvaluationError::Circuit(CircuitError::Step { reason, .. }) => advice(reason),
        EvaluationError::Circuit(CircuitError::Large)
        | EvaluationError::Room { .. }
        | EvaluationError::Bootstrap(BootstrapError::Magnitude { .. }) => Some("x.bounded(b)"),
        EvaluationError::Bootstrap(BootstrapError::Parameters) => {
            Some("Parameters.build(bootstrap=True)")
        }
        EvaluationError::Encoding(EncodingError::OutOfBound { .. }) => {
            Some("halimede.ckks.bounded(values, b), by what values may be at most")
        }
        EvaluationError::Linear(LinearError::Bound { .. }) => {
            Some("halimede.ckks.bounded(matrix, b), or server.matrix(matrix, bound=b)")
        }
        EvaluationError::Linear(LinearError::RowSum { .. }) => Some("row_sum="),
        EvaluationError::Polynomial(
            PolynomialError::Outside { .. } | PolynomialError::NotReal { .. },
        ) => Some("x.between(low, high)"),
        _ => None,
    }
}
