// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Permutations and Filecoin's hash.

use halimede_arith::job::Limits;
use halimede_device::flat::{self, Digit, FlatError};
use halimede_device::Device;
use halimede_poseidon::filecoin::{CustomId, HashType, Hasher};
use halimede_poseidon::{operations, Instance, Strength};
use pyo3::prelude::*;

use crate::arrays::{Answer, Elements, Job};
use crate::device::open;
use crate::errors::{count, type_error, value_error};

/// Permutes states: `uint64[n, t, 4]` or `uint64[t, 4]` to the same, `uint8[n·t·32]` to bytes.
#[pyfunction]
pub fn permute<'py>(
    py: Python<'py>,
    states: &Bound<'py, PyAny>,
    instance: &str,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Answer<'py>> {
    let name = "states";
    let instance: Instance = instance.parse().map_err(value_error)?;
    let device = open(device)?;
    let states = Elements::new(name, states)?;
    let width = instance.width();
    let form = format!("[n, {width}, 4] or [{width}, 4] for {instance}");
    let axes = states.axes(name, &[1, 2], &form)?;
    if !states.are_bytes() && axes.last() != Some(&width) {
        let got = [&axes[..], &[4]].concat();
        return Err(value_error(format!("{name}: got shape {got:?}, wanted {form}")));
    }
    states.answer(py, &axes, &Permute { device: &device, instance })
}

struct Permute<'d> {
    device: &'d Device,
    instance: Instance,
}

impl Job for Permute<'_> {
    fn limits(&self) -> Limits {
        self.device.limits::<operations::Permute>()
    }

    fn run<D: Digit>(&self, input: &[D], output: &mut [D]) -> Result<(), FlatError> {
        if input.len() != output.len() {
            // Fails, and names the size that was passed and the expected one.
            return flat::permute(self.device, self.instance, &mut input.to_vec());
        }
        output.copy_from_slice(input);
        flat::permute(self.device, self.instance, output)
    }
}

/// Hashes preimages by Filecoin's hash: `uint64[n, k, 4]` to `uint64[n, 4]`, `uint64[k, 4]` to
/// `uint64[4]`, `uint8[n·arity·32]` to bytes.
#[pyfunction]
pub fn filecoin_hash<'py>(
    py: Python<'py>,
    preimages: &Bound<'py, PyAny>,
    arity: Option<&Bound<'py, PyAny>>,
    strength: &str,
    hash_type: &str,
    custom_id: Option<&Bound<'py, PyAny>>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Answer<'py>> {
    let name = "preimages";
    let device = open(device)?;
    let arity = arity.map(|arity| count("arity", arity)).transpose()?;
    let custom_id = custom_id.map(|id| count("hash_type", id)).transpose()?;
    let preimages = Elements::new(name, preimages)?;
    let form = "[n, k, 4] or [k, 4] with k elements to hash";
    let axes = preimages.axes(name, &[1, 2], form)?;
    let (length, digests) = match (&axes[..], preimages.are_bytes(), arity) {
        ([elements], true, Some(arity)) => (arity, vec![elements / arity.max(1)]),
        (_, true, _) => return Err(type_error("arity: got None, wanted a number with bytes")),
        ([n, length], ..) => (*length, vec![*n]),
        ([length], ..) => (*length, vec![]),
        _ => return Err(value_error(format!("{name}: wanted {form}"))),
    };
    let hash_type = parse_hash_type(hash_type, custom_id)?;
    let hasher = Hasher::new(arity.unwrap_or(length), parse_strength(strength)?, hash_type)
        .map_err(value_error)?;
    preimages.answer(py, &digests, &FilecoinHash { device: &device, hasher, length })
}

struct FilecoinHash<'d> {
    device: &'d Device,
    hasher: Hasher,
    /// The number of elements of a preimage.
    length: usize,
}

impl Job for FilecoinHash<'_> {
    fn limits(&self) -> Limits {
        self.device.limits::<operations::FilecoinHash>()
    }

    fn run<D: Digit>(&self, input: &[D], output: &mut [D]) -> Result<(), FlatError> {
        let Self { device, hasher, length } = self;
        flat::filecoin_hash(device, hasher, *length, input, output)
    }
}

/// Returns the strength with this name.
///
/// # Errors
/// `ValueError` with the valid names.
pub fn parse_strength(name: &str) -> PyResult<Strength> {
    match name {
        "standard" => Ok(Strength::Standard),
        "strengthened" => Ok(Strength::Strengthened),
        _ => {
            let wanted = "wanted \"standard\" or \"strengthened\"";
            Err(value_error(format!("strength: got {name:?}, {wanted}")))
        }
    }
}

fn parse_hash_type(name: &str, custom_id: Option<usize>) -> PyResult<HashType> {
    match (name, custom_id) {
        ("merkle-tree", None) => Ok(HashType::MerkleTree),
        ("constant-length", None) => Ok(HashType::ConstantLength),
        ("encryption", None) => Ok(HashType::Encryption),
        ("custom", Some(id)) => {
            Ok(HashType::Custom(CustomId::new(id as u64).map_err(value_error)?))
        }
        _ => Err(value_error(format!(
            "hash_type: got {name:?}, wanted \"merkle-tree\", \"constant-length\", \"encryption\" \
            or (\"custom\", id)"
        ))),
    }
}
