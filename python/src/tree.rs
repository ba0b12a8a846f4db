// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Roots of Merkle trees over leaves in memory or in a file.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use halimede_arith::job::Limits;
use halimede_device::flat::{self, Digit, FlatError};
use halimede_device::Device;
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::operations::FilecoinHash;
use halimede_poseidon::tree::{require_full_length, root, TreeBuilder, TreeError};
use halimede_poseidon::Strength;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::{Answer, Elements, Job};
use crate::device::open;
use crate::errors::{count, file_error, flat_error, value_error};
use crate::poseidon::parse_strength;
use crate::work::{self, Stop};

/// Returns the root over `uint64[n, 4]`, as `uint64[4]`, or over `uint8[n·32]`, as bytes.
#[pyfunction]
pub fn tree_root<'py>(
    py: Python<'py>,
    leaves: &Bound<'py, PyAny>,
    arity: &Bound<'py, PyAny>,
    strength: &str,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Answer<'py>> {
    let device = open(device)?;
    let arity = count("arity", arity)?;
    let leaves = Elements::new("leaves", leaves)?;
    leaves.axes("leaves", &[1], "[n, 4]")?;
    let strength = parse_strength(strength)?;
    Hasher::new(arity, strength, HashType::MerkleTree).map_err(value_error)?;
    let root = if leaves.are_bytes() { vec![1] } else { vec![] };
    leaves.answer(py, &root, &Root { device: &device, arity, strength })
}

struct Root<'d> {
    device: &'d Device,
    arity: usize,
    strength: Strength,
}

impl Job for Root<'_> {
    fn limits(&self) -> Limits {
        self.device.limits::<FilecoinHash>()
    }

    fn run<D: Digit>(&self, input: &[D], output: &mut [D]) -> Result<(), FlatError> {
        flat::tree_root(self.device, self.arity, self.strength, input, output)
    }
}

/// Returns the root over the leaves in a file, which is streamed, as 32 bytes.
#[pyfunction]
pub fn tree_root_of_file<'py>(
    py: Python<'py>,
    path: PathBuf,
    arity: &Bound<'py, PyAny>,
    strength: &str,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let device = open(device)?;
    let arity = count("arity", arity)?;
    let strength = parse_strength(strength)?;
    let in_file = |source: io::Error| file_error(py, &path, &source);
    let file = File::open(&path).map_err(in_file)?;
    let metadata = file.metadata().map_err(in_file)?;
    let builder = TreeBuilder::new(&*device, arity, strength).map_err(FlatError::from);
    let builder = builder.map_err(flat_error)?;
    if metadata.is_file() {
        require_full_length(metadata.len(), arity).map_err(|error| flat_error(error.into()))?;
    }
    let result = work::run(py, |stop| root(builder, Stoppable { input: file, stop }, |_| {}))?;
    let root = result.map_err(|error| match error {
        TreeError::Read { source, .. } => in_file(source),
        other => flat_error(other.into()),
    })?;
    Ok(PyBytes::new(py, &root.to_le_bytes()))
}

/// A reader that fails once a stop is requested.
struct Stoppable<'s, R> {
    input: R,
    stop: &'s Stop,
}

impl<R: Read> Read for Stoppable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_requested() {
            return Err(io::Error::other("interrupted"));
        }
        self.input.read(buffer)
    }
}
