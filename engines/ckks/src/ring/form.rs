// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The forms of a polynomial: coefficients and values.

use serde::{Deserialize, Serialize};

/// The representation of a polynomial by its residues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Coefficients: that of Xⁱ is at index i.
    Coefficients,
    /// Values at the odd powers of ψ, in bit-reversed order
    /// ([`Kernels::forward`](super::kernels::Kernels::forward)).
    Values,
}
