// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3 on a device, in batches.

use halimede_arith::job::{Batch, Compute, DeviceError, Execute, Operation, Timing};
use halimede_blake3::operations::{Hash, HashRequest};
use halimede_device::Device;

/// An open device as what executes BLAKE3's operation.
pub struct OnDevice<'d>(pub &'d Device);

impl Execute<Hash> for OnDevice<'_> {
    fn execute(&self, requests: &[HashRequest]) -> Result<Batch<Vec<u8>>, DeviceError> {
        let fallback_requests = match (self.0.card(), &self.0.capabilities().fallback) {
            (None, _) => 0,
            (Some(_), Some(_)) => requests.len(),
            (Some(_), None) => return Err(not_on(self.0)),
        };
        let start = std::time::Instant::now();
        let replies = Hash::compute_batch(requests);
        let timing = Timing { compute: start.elapsed(), fallback_requests, ..Timing::default() };
        Ok(Batch { replies, timing })
    }
}

fn not_on(device: &Device) -> DeviceError {
    DeviceError::Unsupported {
        device: device.name().to_owned(),
        operation: Hash::NAME,
        reason: "the card has no such engine; --fallback hashes on the processor".into(),
    }
}
