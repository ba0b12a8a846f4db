// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Outputs of the kernels that are not valid.

use super::ENGINE;
use crate::error::CudaError;

/// The error of an output that no request has.
pub(super) fn not_valid(reason: String) -> CudaError {
    CudaError::Reply { engine: ENGINE, reason }
}
