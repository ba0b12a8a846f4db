// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Conversion of NumPy arrays to the flat arrays of `halimede_device::flat`, without a copy, and of
//! results to arrays or bytes.

use halimede_arith::job::Limits;
use halimede_device::flat::{Digit, FlatError};
use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{flat_error, type_error, value_error};
use crate::work::{self, Stop};

/// Limbs of an element.
const LIMBS: usize = 4;
/// Bytes of an element.
const BYTES: usize = 32;

/// The elements of an argument: limbs in an array of any shape, or bytes.
pub enum Elements<'py> {
    /// `uint64[..., 4]`.
    Limbs(PyReadonlyArrayDyn<'py, u64>),
    /// `uint8[32·n]`.
    Bytes(PyReadonlyArrayDyn<'py, u8>),
}

/// A computation over flat arrays of limbs or of bytes.
pub trait Job: Sync {
    /// The limits of one request to the device.
    fn limits(&self) -> Limits;

    /// Computes `output` from `input`. `output` is zero before the call.
    fn run<D: Digit>(&self, input: &[D], output: &mut [D]) -> Result<(), FlatError>;
}

impl<'py> Elements<'py> {
    /// Returns the elements of a NumPy array.
    ///
    /// # Errors
    /// `TypeError` for anything except an array of `uint64` or `uint8`, `ValueError` for an array
    /// that is not contiguous.
    pub fn new(name: &str, array: &Bound<'py, PyAny>) -> PyResult<Self> {
        let elements = if let Ok(limbs) = array.cast::<PyArrayDyn<u64>>() {
            require_flat(name, limbs)?;
            Self::Limbs(limbs.try_readonly().map_err(value_error)?)
        } else if let Ok(bytes) = array.cast::<PyArrayDyn<u8>>() {
            require_flat(name, bytes)?;
            Self::Bytes(bytes.try_readonly().map_err(value_error)?)
        } else {
            let got = match array.getattr("dtype") {
                Ok(kind) => format!("an array of {kind}"),
                Err(_) => array.get_type().to_string(),
            };
            return Err(type_error(format!("{name}: got {got}, wanted an array of uint64")));
        };
        Ok(elements)
    }

    /// Returns the lengths of all axes except the last, which holds the limbs of an element. Their
    /// number must be one of `wanted`. Bytes have one axis, of elements.
    ///
    /// # Errors
    /// `ValueError` for another shape; `form` describes the expected shape.
    pub fn axes(&self, name: &str, wanted: &[usize], form: &str) -> PyResult<Vec<usize>> {
        match self {
            Self::Limbs(limbs) => match limbs.shape() {
                [axes @ .., LIMBS] if wanted.contains(&axes.len()) => Ok(axes.to_vec()),
                shape => Err(value_error(format!(
                    "{name}: got shape {shape:?}, wanted {form} (4 limbs an element)"
                ))),
            },
            Self::Bytes(bytes) if bytes.len().is_multiple_of(BYTES) => {
                Ok(vec![bytes.len() / BYTES])
            }
            Self::Bytes(bytes) => {
                let got = bytes.len();
                let wanted = format!("a multiple of {BYTES}, the length of an element");
                Err(value_error(format!("{name}: got {got} bytes, wanted {wanted}")))
            }
        }
    }

    /// Returns `true` for bytes.
    pub fn are_bytes(&self) -> bool {
        matches!(self, Self::Bytes(_))
    }

    /// Runs a job on the elements. Returns an array with these axes for limbs, or bytes of the same
    /// size for bytes.
    ///
    /// # Errors
    /// The error of the job or of a signal handler.
    pub fn answer(&self, py: Python<'py>, axes: &[usize], job: &impl Job) -> PyResult<Answer<'py>> {
        match self {
            Self::Limbs(limbs) => {
                let shape: Vec<usize> = axes.iter().copied().chain([LIMBS]).collect();
                let answer = PyArrayDyn::<u64>::zeros(py, shape, false);
                let input = limbs.as_slice().map_err(value_error)?;
                let mut output = answer.try_readwrite().map_err(value_error)?;
                run(py, job, input, output.as_slice_mut().map_err(value_error)?)?;
                drop(output);
                Ok(answer.into_any())
            }
            Self::Bytes(bytes) => {
                let elements: usize = axes.iter().product();
                let input = bytes.as_slice().map_err(value_error)?;
                let fill = |output: &mut [u8]| run(py, job, input, output);
                Ok(PyBytes::new_with(py, elements * BYTES, fill)?.into_any())
            }
        }
    }
}

/// An array or bytes.
pub type Answer<'py> = Bound<'py, PyAny>;

fn run<D: Digit>(py: Python<'_>, job: &impl Job, input: &[D], output: &mut [D]) -> PyResult<()> {
    let is_brief = input.len() / D::PER_ELEMENT <= job.limits().brief.units;
    let work = |_: &Stop| job.run(input, output);
    let result = if is_brief { work::run_briefly(py, work) } else { work::run(py, work)? };
    result.map_err(flat_error)
}

/// Checks that an array is C-contiguous and aligned.
fn require_flat<'py>(name: &str, array: &impl PyUntypedArrayMethods<'py>) -> PyResult<()> {
    let problem = if !array.is_c_contiguous() {
        "not C-contiguous"
    } else if !array.is_aligned() {
        "not aligned"
    } else {
        return Ok(());
    };
    let advice = "wanted one that is, as numpy.require(array, requirements=\"CA\") makes it";
    Err(value_error(format!("{name}: got an array that is {problem}, {advice}")))
}
