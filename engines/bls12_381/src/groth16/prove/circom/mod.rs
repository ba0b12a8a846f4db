// SPDX-License-Identifier: Apache-2.0 OR MIT
//! circom's files over BLS12-381 (`circom --prime bls12381`): constraints (`.r1cs`), witnesses
//! (`.wtns`) and snarkjs' proving keys (`.zkey`).
//!
//! Formats: iden3/r1csfile, `doc/r1cs_bin_format.md`; the others are those that snarkjs 0.7
//! writes, and share their container (`sections`).

mod r1cs;
mod sections;
mod wtns;
mod zkey;

pub use r1cs::read_constraints;
pub use wtns::read_witness;
pub use zkey::CircomKey;

use super::{ConstraintsError, ProvingKeyError};

/// Why bytes are not a file of circom over BLS12-381.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CircomError {
    /// The file begins with other letters.
    #[error("the file does not begin with \"{expected}\"")]
    Magic {
        /// The letters of this kind of file.
        expected: &'static str,
    },
    /// The version is unknown.
    #[error("the .{kind} file has version {got}, not {expected}")]
    Version {
        /// The kind of file.
        kind: &'static str,
        /// The supported version.
        expected: u32,
        /// The file's version.
        got: u32,
    },
    /// There are too many sections.
    #[error("the .{kind} file has {got} sections, more than any such file")]
    Sections {
        /// The kind of file.
        kind: &'static str,
        /// The number of sections.
        got: u32,
    },
    /// A section is missing.
    #[error("the .{kind} file has no section {section}")]
    Missing {
        /// The kind of file.
        kind: &'static str,
        /// The section's type.
        section: u32,
    },
    /// A section occurs twice.
    #[error("the .{kind} file has section {section} more than once")]
    Repeated {
        /// The kind of file.
        kind: &'static str,
        /// The section's type.
        section: u32,
    },
    /// The file or a section ends too early. Section 0 is the frame of the file.
    #[error(
        "section {section} of the .{kind} file ends early: {expected} bytes needed, {got} left"
    )]
    Truncated {
        /// The kind of file.
        kind: &'static str,
        /// The section's type.
        section: u32,
        /// The number of bytes needed.
        expected: u64,
        /// The number of bytes left.
        got: u64,
    },
    /// Bytes are left at the end. Section 0 is the frame of the file.
    #[error("section {section} of the .{kind} file has {got} bytes too many")]
    Surplus {
        /// The kind of file.
        kind: &'static str,
        /// The section's type.
        section: u32,
        /// The number of bytes left.
        got: u64,
    },
    /// The file is for another curve.
    #[error("the .{kind} file is not over BLS12-381: compile with `circom --prime bls12381`")]
    Prime {
        /// The kind of file.
        kind: &'static str,
    },
    /// A scalar is not below r.
    #[error("section {section} of the .{kind} file has a scalar that is not below the modulus")]
    Scalar {
        /// The kind of file.
        kind: &'static str,
        /// The section's type.
        section: u32,
    },
    /// Numbers of the file contradict each other, or are not supported.
    #[error("the .{kind} file has {what}")]
    Contents {
        /// The kind of file.
        kind: &'static str,
        /// The contradiction.
        what: &'static str,
    },
    /// The rows are not constraints.
    #[error(transparent)]
    Constraints(#[from] ConstraintsError),
    /// The points are not a proving key.
    #[error(transparent)]
    Key(#[from] ProvingKeyError),
}
