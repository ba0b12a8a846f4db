// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Starknet's hashes, of batches and of streams.

use std::sync::{Mutex, MutexGuard, PoisonError};

use halimede_arith::job::Limits;
use halimede_arith::Felt;
use halimede_device::flat::{self, Digit, FlatError, Messages};
use halimede_device::Device;
use halimede_poseidon::operations::StarknetHash;
use halimede_poseidon::starknet::Hasher;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::arrays::{Answer, Elements, Job};
use crate::device::{open, require_backend};
use crate::errors::value_error;
use crate::work::{self, in_pieces, Stop};

/// The number of elements between two checks for a stop: a fraction of a second.
const PIECE_ELEMENTS: usize = 1 << 12;

/// Starknet's `hash(x, y)`: `uint64[n, 2, 4]` to `uint64[n, 4]`, `uint64[2, 4]` to `uint64[4]`,
/// `uint8[n·2·32]` to bytes.
#[pyfunction]
pub fn starknet_hash<'py>(
    py: Python<'py>,
    pairs: &Bound<'py, PyAny>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Answer<'py>> {
    let device = open(device)?;
    let pairs = Elements::new("pairs", pairs)?;
    let digests =
        match (&pairs.axes("pairs", &[1, 2], "[n, 2, 4] or [2, 4]")?[..], pairs.are_bytes()) {
            ([elements], true) => vec![elements / 2],
            ([n, 2], _) => vec![*n],
            ([2], _) => vec![],
            (axes, _) => {
                return Err(value_error(format!("pairs: got {axes:?} elements, wanted [n, 2]")))
            }
        };
    pairs.answer(py, &digests, &Hash { device: &device, row_elements: 2 })
}

/// Starknet's `hash_single(x)`: `uint64[n, 4]` or `uint64[4]` to the same, `uint8[n·32]` to bytes.
#[pyfunction]
pub fn starknet_hash_single<'py>(
    py: Python<'py>,
    elements: &Bound<'py, PyAny>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Answer<'py>> {
    let device = open(device)?;
    let elements = Elements::new("x", elements)?;
    let digests = elements.axes("x", &[0, 1], "[n, 4] or [4]")?;
    elements.answer(py, &digests, &Hash { device: &device, row_elements: 1 })
}

/// Starknet's `hash_many`: without offsets `uint64[n, k, 4]` to `uint64[n, 4]`, `uint64[k, 4]` to
/// `uint64[4]`, `uint8[k·32]` to bytes; with offsets `uint64[n + 1]`, `uint64[k, 4]` to
/// `uint64[n, 4]`.
#[pyfunction]
pub fn starknet_hash_many<'py>(
    py: Python<'py>,
    elements: &Bound<'py, PyAny>,
    offsets: Option<PyReadonlyArray1<'py, u64>>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Answer<'py>> {
    let name = "elements";
    let device = open(device)?;
    let elements = Elements::new(name, elements)?;
    let axes = match &offsets {
        None => elements.axes(name, &[1, 2], "[n, k, 4] or [k, 4]")?,
        Some(_) => elements.axes(name, &[1], "[k, 4] with offsets")?,
    };
    let offsets = match &offsets {
        None => None,
        Some(offsets) => Some(offsets.as_slice().map_err(value_error)?),
    };
    let (digests, messages) = match (offsets, &axes[..]) {
        (Some(offsets), _) => (vec![offsets.len().saturating_sub(1)], Messages::Offsets(offsets)),
        (None, [n, length]) => (vec![*n], Messages::Equal(*length)),
        (None, axes) => {
            let digest = if elements.are_bytes() { vec![1] } else { vec![] };
            (digest, Messages::Equal(axes.iter().product()))
        }
    };
    elements.answer(py, &digests, &HashMany { device: &device, messages })
}

/// Pairs or single elements.
struct Hash<'d> {
    device: &'d Device,
    row_elements: usize,
}

impl Job for Hash<'_> {
    fn limits(&self) -> Limits {
        self.device.limits::<StarknetHash>()
    }

    fn run<D: Digit>(&self, input: &[D], output: &mut [D]) -> Result<(), FlatError> {
        match self.row_elements {
            1 => flat::starknet_hash_single(self.device, input, output),
            _ => flat::starknet_hash(self.device, input, output),
        }
    }
}

struct HashMany<'d> {
    device: &'d Device,
    messages: Messages<'d>,
}

impl Job for HashMany<'_> {
    fn limits(&self) -> Limits {
        self.device.limits::<StarknetHash>()
    }

    fn run<D: Digit>(&self, input: &[D], output: &mut [D]) -> Result<(), FlatError> {
        flat::starknet_hash_many(self.device, self.messages, input, output)
    }
}

/// Incremental `hash_many`.
#[pyclass(module = "halimede._native", frozen)]
pub struct StarknetHasher(Mutex<Hasher>);

#[pymethods]
impl StarknetHasher {
    #[new]
    fn new() -> PyResult<Self> {
        require_backend()?;
        Ok(Self(Mutex::new(Hasher::new())))
    }

    /// Absorbs `uint64[n, 4]`, `uint64[4]` or `uint8[n·32]`; if it raises, it has absorbed nothing.
    fn update<'py>(&self, py: Python<'py>, elements: &Bound<'py, PyAny>) -> PyResult<()> {
        let elements = Elements::new("elements", elements)?;
        elements.axes("elements", &[0, 1], "[n, 4] or [4]")?;
        match elements {
            Elements::Limbs(limbs) => self.absorb(py, limbs.as_slice().map_err(value_error)?),
            Elements::Bytes(bytes) => self.absorb(py, bytes.as_slice().map_err(value_error)?),
        }
    }

    /// Returns the digest of all absorbed elements, `uint64[4]`. More elements may follow.
    fn digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        let digest = py.detach(|| self.lock().finalize());
        PyArray1::from_slice(py, &digest.canonical_limbs())
    }

    /// Returns a hasher in the same state.
    fn copy(&self, py: Python<'_>) -> Self {
        Self(Mutex::new(py.detach(|| self.lock().clone())))
    }
}

impl StarknetHasher {
    /// Never call this while holding the interpreter's lock: the holder of this lock may need it.
    fn lock(&self) -> MutexGuard<'_, Hasher> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn absorb<D: Digit>(&self, py: Python<'_>, digits: &[D]) -> PyResult<()> {
        let felts = parse(digits)?;
        let work = |stop: &Stop| {
            let mut current = self.lock();
            let mut next = current.clone();
            in_pieces(stop, felts.len(), PIECE_ELEMENTS, |piece| {
                next.update_slice(&felts[piece]);
                Ok::<_, PyErr>(())
            })?;
            if !stop.is_requested() {
                *current = next;
            }
            Ok(())
        };
        if felts.len() <= PIECE_ELEMENTS {
            return work::run_briefly(py, work);
        }
        work::run(py, work)?
    }
}

fn parse<D: Digit>(digits: &[D]) -> PyResult<Vec<Felt>> {
    let parse_one = |(number, digits): (usize, &[D])| {
        Felt::from_canonical_limbs(D::read(digits))
            .map_err(|error| value_error(format!("elements: element {number}: {error}")))
    };
    digits.chunks_exact(D::PER_ELEMENT).enumerate().map(parse_one).collect()
}
