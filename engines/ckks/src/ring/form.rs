// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Coefficients and values.

use serde::{Deserialize, Serialize};

/// What the residues of a polynomial are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Coefficients, that of Xⁱ in place i.
    Coefficients,
    /// Values at the odd powers of ψ, in bit-reversed order
    /// ([`Kernels::forward`](super::kernels::Kernels::forward)).
    Values,
}
