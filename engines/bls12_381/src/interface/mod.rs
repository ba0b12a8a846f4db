// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Interfaces: signatures, points, Ethereum's precompiles, KZG commitments and cells,
//! Groth16 proofs.

mod cells;
mod ceremony;
mod groth16;
mod kzg;
mod outcomes;
mod points;
mod signatures;

use halimede_arith::interface::Visitor;

pub use groth16::VERIFYING_KEY;
pub use kzg::TRUSTED_SETUP;

/// The memory of the prepared lines of an object's points, in bytes.
const PREPARED_BYTES: usize = 1 << 18;

/// The maximum length of a message in bytes. The limit of a request's body is lower.
const MOST_BYTES: usize = u32::MAX as usize / 2;

/// Visits all interfaces of the engine.
pub fn visit(visitor: &mut impl Visitor) {
    signatures::visit(visitor);
    points::visit(visitor);
    visitor.visit::<kzg::Openings>();
    visitor.visit::<kzg::BlobOpenings>();
    visitor.visit::<cells::Commitments>();
    visitor.visit::<cells::ProofsAt>();
    visitor.visit::<cells::BlobProofs>();
    visitor.visit::<cells::BlobCells>();
    visitor.visit::<cells::CellsAndProofs>();
    visitor.visit::<cells::RecoveredCells>();
    visitor.visit::<cells::VerifiedCells>();
    visitor.visit::<groth16::Proofs>();
}
