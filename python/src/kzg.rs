// SPDX-License-Identifier: Apache-2.0 OR MIT
//! KZG openings of EIP-4844 checked in bulk.

use halimede_bls12_381::kzg::{Opening, Setup, SETUP_LIMIT_BYTES};
use halimede_bls12_381::operations::VerifyOpening;
use halimede_device::flat::kzg;
use halimede_device::Device;
use pyo3::prelude::*;

use crate::device::{open, require_backend};
use crate::errors::{flat_error, value_error};
use crate::sources::Source;
use crate::verdicts::{columns, verdicts, Verdicts};
use crate::work::{self, Stop};

/// A trusted setup that was read and checked.
#[pyclass(module = "halimede._native", frozen)]
pub struct KzgSetup(Setup);

#[pymethods]
impl KzgSetup {
    #[new]
    fn new(py: Python<'_>, source: &Bound<'_, PyAny>) -> PyResult<Self> {
        require_backend()?;
        let read = |text: &[u8]| {
            let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
            Setup::read(text).map_err(|error| error.to_string())
        };
        let setup = Source::new(source)?.parse(py, SETUP_LIMIT_BYTES, read)?;
        let wrong = |error| value_error(format!("source: not a trusted setup: {error}"));
        Ok(Self(setup.map_err(wrong)?))
    }

    /// The verdicts on values of polynomials at points.
    fn verify<'py>(
        &self,
        py: Python<'py>,
        commitments: &Bound<'py, PyAny>,
        zs: &Bound<'py, PyAny>,
        ys: &Bound<'py, PyAny>,
        proofs: &Bound<'py, PyAny>,
        device: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Verdicts<'py>> {
        let device = &*open(device)?;
        let given = [("commitments", commitments), ("zs", zs), ("ys", ys), ("proofs", proofs)];
        let given = columns(given)?;
        let [commitments, zs, ys, proofs] =
            [given[0].slices()?, given[1].slices()?, given[2].slices()?, given[3].slices()?];
        let opening = |row: usize| Opening::Value {
            commitment: commitments[row],
            z: zs[row],
            y: ys[row],
            proof: proofs[row],
        };
        let openings: Vec<Opening<'_>> = (0..proofs.len()).map(opening).collect();
        self.answer(py, device, &openings)
    }

    /// The verdicts on blobs.
    fn verify_blobs<'py>(
        &self,
        py: Python<'py>,
        blobs: &Bound<'py, PyAny>,
        commitments: &Bound<'py, PyAny>,
        proofs: &Bound<'py, PyAny>,
        device: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Verdicts<'py>> {
        let device = &*open(device)?;
        let given = [("blobs", blobs), ("commitments", commitments), ("proofs", proofs)];
        let [blobs, commitments, proofs] = columns(given)?;
        let (blobs, commitments) = (blobs.slices()?, commitments.slices()?);
        let proofs = proofs.slices()?;
        let opening = |row: usize| Opening::Blob {
            blob: blobs[row],
            commitment: commitments[row],
            proof: proofs[row],
        };
        let openings: Vec<Opening<'_>> = (0..proofs.len()).map(opening).collect();
        self.answer(py, device, &openings)
    }
}

impl KzgSetup {
    fn answer<'py>(
        &self,
        py: Python<'py>,
        device: &Device,
        openings: &[Opening<'_>],
    ) -> PyResult<Verdicts<'py>> {
        let rows = openings.len();
        let work = |_: &Stop| kzg::verify(device, &self.0, openings);
        let found = match device.limits::<VerifyOpening>().brief.holds(rows, rows) {
            true => work::run_briefly(py, work),
            false => work::run(py, work)?,
        };
        verdicts(py, &found.map_err(flat_error)?)
    }
}
