// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede._native`: what the Python package `halimede` is made of.
//!
//! It takes and gives NumPy arrays of limbs, or of bytes, through `halimede_device::flat`; the
//! Python modules beside it turn Python's numbers and buffers into such arrays.
//!
//! - `arrays`: the arrays, and a job over them; `work`: threads and signals; `errors`.
//! - `device`, `poseidon`, `parameters`, `starknet`, `tree`: what there is to call.

mod arrays;
mod device;
mod errors;
mod parameters;
mod poseidon;
mod starknet;
mod tree;
mod work;

/// The module as Python imports it.
#[pyo3::pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::device::{devices, PyDevice};
    #[pymodule_export]
    use crate::errors::DeviceError;
    #[pymodule_export]
    use crate::parameters::parameters;
    #[pymodule_export]
    use crate::poseidon::{filecoin_hash, permute};
    #[pymodule_export]
    use crate::starknet::{
        starknet_hash, starknet_hash_many, starknet_hash_single, StarknetHasher,
    };
    #[pymodule_export]
    use crate::tree::{tree_root, tree_root_of_file};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
