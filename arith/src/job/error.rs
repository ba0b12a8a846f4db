// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors of devices.

use crate::backend::BackendError;

/// The reason why a device did not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The device, or the software that it needs, is not on this machine.
    #[error("device {device} is not available: {reason}")]
    Unavailable {
        /// The device as the user named it.
        device: String,
        /// The missing item, and what to do.
        reason: String,
    },
    /// The device exists but lacks this operation, or this instance of it.
    #[error("device {device} cannot do {operation}: {reason}")]
    Unsupported {
        /// The device as the user named it.
        device: String,
        /// [`Operation::NAME`](super::Operation::NAME).
        operation: &'static str,
        /// The missing capability.
        reason: String,
    },
    /// The device stopped answering, or sent an answer that violates the protocol.
    #[error("device {device} failed at request {request_index} of {requests}: {reason}")]
    Failed {
        /// The device as the user named it.
        device: String,
        /// The index of the first request of the batch without an answer.
        request_index: usize,
        /// The number of requests of the batch.
        requests: usize,
        /// A sentence about the failure.
        reason: String,
    },
}

impl DeviceError {
    /// The error when the environment requests a backend that this processor lacks: nothing is
    /// computed.
    pub fn of_backend(device: &str, error: &BackendError) -> Self {
        Self::Unavailable { device: device.to_owned(), reason: error.to_string() }
    }
}
