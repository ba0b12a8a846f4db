// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLS12-381 on a GPU: signatures, proofs of possession, aggregates, single operations on points,
//! KZG openings, and proofs of Groth16.
//!
//! The kernels (`kernels/bls12_381.cu`) decode points with all checks, hash messages, and multiply
//! pairings. A request has its own product; many signatures have a common one first, with random
//! multipliers. The host names what is wrong with an encoding.

mod aggregates;
mod combination;
mod evaluate;
mod lists;
mod openings;
mod parts;
mod proofs;
mod reply;
mod signatures;
mod variants;

pub use aggregates::{VerifyAggregateOfMessagesOnGpu, VerifyAggregateOnGpu};
pub use evaluate::EvaluateOnGpu;
pub use openings::VerifyOpeningOnGpu;
pub use proofs::VerifyProofOnGpu;
pub use signatures::{
    VerifyPossessionOnGpu, VerifyPossessions, VerifySignatureOnGpu, VerifySignatures,
};

const ENGINE: &str = "bls12_381";
