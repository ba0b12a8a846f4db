// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a device did not answer.

use crate::backend::BackendError;

/// Why a device did not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The device is not on this machine, or its software is not.
    #[error("device {device} is not available: {reason}")]
    Unavailable {
        /// The device as the user named it.
        device: String,
        /// What is missing and what to do.
        reason: String,
    },
    /// The device is there but lacks this operation or this instance of it.
    #[error("device {device} cannot do {operation}: {reason}")]
    Unsupported {
        /// The device as the user named it.
        device: String,
        /// [`Operation::NAME`](super::Operation::NAME).
        operation: &'static str,
        /// What is missing.
        reason: String,
    },
    /// The device stopped answering or answered what the protocol forbids.
    #[error("device {device} failed at request {request_index} of {requests}: {reason}")]
    Failed {
        /// The device as the user named it.
        device: String,
        /// First request of the batch without an answer.
        request_index: usize,
        /// How many requests the batch held.
        requests: usize,
        /// What happened.
        reason: String,
    },
}

impl DeviceError {
    /// This processor computes nothing while the environment asks for a backend that it lacks.
    pub fn of_backend(device: &str, error: &BackendError) -> Self {
        Self::Unavailable { device: device.to_owned(), reason: error.to_string() }
    }
}
