// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede._native`: the native part of the Python package `halimede`.
//!
//! Field elements are NumPy arrays of limbs or of bytes, which go through `halimede_device::flat`;
//! the Python modules convert Python's integers and buffers to such arrays. Other functions take
//! any buffer.
//!
//! - `arrays`: the arrays, and a job over them; `buffers`, `rows`; `work`: threads and signals;
//!   `errors`.
//! - `verdicts`: verdicts; `sources`: files and their contents as arguments.
//! - `device`, `poseidon`, `parameters`, `starknet`, `tree`, `blake3`, `blake3_many`, `equihash`,
//!   `ecdsa`, `zcash`, `ckks`: the functions and classes for Python. `call`: the operations of the
//!   table, by name.

#![forbid(unsafe_code)]

mod arrays;
mod blake3;
mod blake3_many;
mod buffers;
mod call;
mod ckks;
mod device;
mod ecdsa;
mod equihash;
mod errors;
mod filecoin;
mod groth16;
mod interface;
mod listener;
mod logistic;
mod nn;
mod parameters;
mod poseidon;
mod rows;
mod sealed;
mod sources;
mod starknet;
mod tree;
mod verdicts;
mod work;
mod zcash;

/// The Python module.
#[pyo3::pymodule]
mod _native {
    use numpy::{PyArray1, PyArrayMethods};
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::blake3::{blake3_hash, Blake3Hasher};
    #[pymodule_export]
    use crate::blake3_many::blake3_hash_many;
    #[pymodule_export]
    use crate::call::{answer, Object};
    #[pymodule_export]
    use crate::ckks::{
        ckks_compare, ckks_evaluate, ckks_evaluate_blocks, ckks_record, ckks_refined,
        ckks_roll_rotations, ckks_run, ckks_sign, ckks_slice_rotations, ckks_sum_rotations,
        ckks_transform, CkksCiphertext, CkksClient, CkksDecryption, CkksDegree2, CkksExpected,
        CkksExplicit, CkksExpression, CkksInput, CkksKeyCollector, CkksKeySwitch, CkksMatrix,
        CkksParameters, CkksParty, CkksPlan, CkksPolynomial, CkksPrograms, CkksPublicKey,
        CkksRefresh, CkksServer, CkksSession, CkksSign, CkksTrace,
    };
    #[pymodule_export]
    use crate::device::{devices, PyDevice};
    #[pymodule_export]
    use crate::ecdsa::EcdsaVerifier;
    #[pymodule_export]
    use crate::equihash::{equihash_header, equihash_indices, equihash_minimal, equihash_solve};
    #[pymodule_export]
    use crate::errors::DeviceError;
    #[pymodule_export]
    use crate::filecoin::{filecoin_part, filecoin_precommit2, FilecoinParts};
    #[pymodule_export]
    use crate::groth16::Groth16ProvingKey;
    #[pymodule_export]
    use crate::interface::NnInterface;
    #[pymodule_export]
    use crate::logistic::NnLogistic;
    #[pymodule_export]
    use crate::nn::NnModel;
    #[pymodule_export]
    use crate::parameters::parameters;
    #[pymodule_export]
    use crate::poseidon::{filecoin_hash, permute};
    #[pymodule_export]
    use crate::sealed::NnSealed;
    #[pymodule_export]
    use crate::starknet::{
        starknet_hash, starknet_hash_many, starknet_hash_single, StarknetHasher,
    };
    #[pymodule_export]
    use crate::tree::{tree_root, tree_root_of_file};

    #[pymodule_export]
    use crate::zcash::{zcash_verify_block, zcash_verify_headers, ZcashChain};

    /// Loads NumPy's tables of functions, and adds the tables of this module.
    ///
    /// The crate `numpy` would load its tables in the first call with an array. To do so it runs
    /// Python code, and panics if that code raises, for example on Ctrl-C.
    ///
    /// # Errors
    /// An `ImportError` without NumPy.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.py().import("numpy")?;
        let _ = PyArray1::<u8>::zeros(module.py(), 0, false).readonly();
        module.add("OUTCOMES", crate::verdicts::outcome_names())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
