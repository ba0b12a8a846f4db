// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of BLS12-381: pairings, sums of multiples, hashes to the groups, precompiles.

use halimede_bls12_381::eip2537::Precompile;
use halimede_bls12_381::operations::Evaluate;
use halimede_device::flat::points::{self, Curve, ToCurve};
use halimede_device::flat::FlatError;
use halimede_device::Device;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::buffers::Buffer;
use crate::device::open;
use crate::errors::{flat_error, value_error};
use crate::rows::Rows;
use crate::verdicts::{columns, require_as_many, WANTED};
use crate::work::{self, Stop};

/// The product of pairings, 576 bytes.
#[pyfunction]
pub fn bls_pairing<'py>(
    py: Python<'py>,
    g1: &Bound<'py, PyAny>,
    g2: &Bound<'py, PyAny>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let device = &*open(device)?;
    let [g1, g2] = columns([("g1", g1), ("g2", g2)])?;
    let (g1, g2) = (g1.slices()?, g2.slices()?);
    let product = run(py, device, g1.len(), || points::pairing_product(device, &g1, &g2))?;
    Ok(PyBytes::new(py, &product))
}

/// Whether the product of pairings is 1.
#[pyfunction]
pub fn bls_pairing_check<'py>(
    py: Python<'py>,
    g1: &Bound<'py, PyAny>,
    g2: &Bound<'py, PyAny>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<bool> {
    let device = &*open(device)?;
    let [g1, g2] = columns([("g1", g1), ("g2", g2)])?;
    let (g1, g2) = (g1.slices()?, g2.slices()?);
    run(py, device, g1.len(), || points::is_pairing_product_one(device, &g1, &g2))
}

/// The sum of points, or of their multiples by numbers of 32 bytes each, compressed.
#[pyfunction]
pub fn bls_sum<'py>(
    py: Python<'py>,
    curve: &str,
    points: &Bound<'py, PyAny>,
    scalars: Option<&Bound<'py, PyAny>>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let device = &*open(device)?;
    let curve = parse_curve(curve)?;
    let points = Rows::new("points", WANTED, points)?;
    let points = points.slices()?;
    let scalars = scalars.map(|scalars| Rows::new("scalars", WANTED, scalars)).transpose()?;
    let scalars = scalars.as_ref().map(read_scalars).transpose()?;
    if let Some(scalars) = &scalars {
        require_as_many(&[("points", points.len()), ("scalars", scalars.len())])?;
    }
    let sum = || points::sum(device, curve, &points, scalars.as_deref());
    Ok(PyBytes::new(py, &run(py, device, points.len(), sum)?))
}

fn read_scalars(rows: &Rows<'_>) -> PyResult<Vec<[u8; 32]>> {
    let read = |(row, bytes): (usize, &[u8])| {
        let wrong = || format!("scalars[{row}]: got {} bytes, wanted 32", bytes.len());
        bytes.try_into().map_err(|_| value_error(wrong()))
    };
    rows.slices()?.into_iter().enumerate().map(read).collect()
}

/// A message hashed to a group, compressed.
#[pyfunction]
pub fn bls_hash_to_curve<'py>(
    py: Python<'py>,
    curve: &str,
    message: &Bound<'py, PyAny>,
    domain: &Bound<'py, PyAny>,
    encode: bool,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let device = &*open(device)?;
    let message = Buffer::new(|| "message".into(), message)?;
    let domain = Buffer::new(|| "domain".into(), domain)?;
    let (message, domain) = (message.as_slice()?, domain.as_slice()?);
    let to = ToCurve { curve: parse_curve(curve)?, domain: domain.into(), encode };
    let units = 1 + message.len() / BYTES_A_UNIT;
    let hash = run(py, device, units, || points::hash_to_curve(device, &to, &[message]))?;
    Ok(PyBytes::new(py, &hash.concat()))
}

/// Bytes that are hashed in the time of some work with a point.
const BYTES_A_UNIT: usize = 1 << 15;

/// An element of the coordinates' field mapped to the group, compressed.
#[pyfunction]
pub fn bls_map_to_curve<'py>(
    py: Python<'py>,
    curve: &str,
    element: &Bound<'py, PyAny>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let device = &*open(device)?;
    let curve = parse_curve(curve)?;
    let element = Buffer::new(|| "element".into(), element)?;
    let element = element.as_slice()?;
    let point = run(py, device, 1, || points::map_to_curve(device, curve, &[element]))?;
    Ok(PyBytes::new(py, &point.concat()))
}

/// The output of a precompile.
#[pyfunction]
pub fn bls_eip2537<'py>(
    py: Python<'py>,
    name: &str,
    input: &Bound<'py, PyAny>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let device = &*open(device)?;
    let Some((_, precompile)) = PRECOMPILES.into_iter().find(|(known, _)| *known == name) else {
        let known = PRECOMPILES.map(|(known, _)| format!("{known:?}")).join(", ");
        return Err(value_error(format!("precompile: got {name:?}, wanted one of {known}")));
    };
    let input = Buffer::new(|| "input".into(), input)?;
    let input = input.as_slice()?;
    let output =
        run(py, device, input.len() / 128, || points::precompile(device, precompile, input))?;
    Ok(PyBytes::new(py, &output))
}

/// As the command names them.
const PRECOMPILES: [(&str, Precompile); 7] = [
    ("g1add", Precompile::G1Add),
    ("g1msm", Precompile::G1Msm),
    ("g2add", Precompile::G2Add),
    ("g2msm", Precompile::G2Msm),
    ("pairing_check", Precompile::PairingCheck),
    ("map_fp_to_g1", Precompile::MapFpToG1),
    ("map_fp2_to_g2", Precompile::MapFp2ToG2),
];

/// The names of the precompiles.
pub fn precompile_names() -> Vec<&'static str> {
    PRECOMPILES.into_iter().map(|(name, _)| name).collect()
}

fn parse_curve(name: &str) -> PyResult<Curve> {
    match name {
        "g1" => Ok(Curve::G1),
        "g2" => Ok(Curve::G2),
        other => Err(value_error(format!("curve: got {other:?}, wanted \"g1\" or \"g2\""))),
    }
}

/// Does work on so many points.
fn run<T: Send>(
    py: Python<'_>,
    device: &Device,
    points: usize,
    work: impl FnOnce() -> Result<T, FlatError> + Send,
) -> PyResult<T> {
    let done = match device.limits::<Evaluate>().brief.holds(1, points) {
        true => work::run_briefly(py, |_: &Stop| work()),
        false => work::run(py, |_: &Stop| work())?,
    };
    done.map_err(flat_error)
}
