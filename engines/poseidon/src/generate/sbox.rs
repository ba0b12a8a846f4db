// SPDX-License-Identifier: Apache-2.0 OR MIT
//! S-boxes of any prime field.

/// An S-box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sbox {
    /// x^α for an odd α from 3 to 257, coprime to p − 1.
    Power(u32),
    /// x⁻¹, and 0 for 0.
    Inverse,
}
