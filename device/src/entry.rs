// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An entry of the list of devices.

use serde::Serialize;

use crate::capabilities::Capabilities;

/// A device that could be opened, or a kind of device that this machine lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The name for [`crate::Device::open`].
    pub spec: String,
    /// True if the device is available on this machine.
    pub available: bool,
    /// A description, or the reason why the device is not available and what to do.
    pub description: String,
    /// The capabilities. `None` also for an available card or serial line: opening it would reset a
    /// card that another process may be using.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Capabilities>,
}
