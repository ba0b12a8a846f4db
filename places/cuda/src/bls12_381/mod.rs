// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLS12-381 on a GPU: signatures in G2 and proofs of possession, single operations on points, and
//! proofs of Groth16.
//!
//! The kernels (`kernels/bls12_381.cu`) decode points with all checks, hash messages, and multiply
//! pairings; every request has its own product. The host names what is wrong with an encoding.

mod evaluate;
mod parts;
mod proofs;
mod signatures;

pub use evaluate::EvaluateOnGpu;
pub use proofs::VerifyProofOnGpu;
pub use signatures::{VerifyPossessionOnGpu, VerifySignatureOnGpu};

const ENGINE: &str = "bls12_381";
