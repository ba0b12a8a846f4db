// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verifies headers where a device does not do so itself yet: on this processor.

use halimede_arith::job::{Batch, DeviceError, Execute, Operation, Timing};
use halimede_equihash::operations::{Verify, VerifyRequest};
use halimede_equihash::{meets_target, Check, Mask};
use rayon::prelude::*;

use crate::arguments::DeviceOptions;

/// This processor.
pub struct Processor;

impl Processor {
    /// The device of these options, where it is this processor.
    pub fn open(options: &DeviceOptions) -> Result<Self, DeviceError> {
        if options.device == "cpu" || options.fallback {
            return Ok(Self);
        }
        Err(DeviceError::Unsupported {
            device: options.device.clone(),
            operation: Verify::NAME,
            reason: "it has no engine for Equihash; use --device cpu".into(),
        })
    }
}

impl Execute<Verify> for Processor {
    fn execute(&self, requests: &[VerifyRequest]) -> Result<Batch<Mask>, DeviceError> {
        let start = std::time::Instant::now();
        let replies = requests.par_iter().map(mask).collect();
        Ok(Batch { replies, timing: Timing { compute: start.elapsed(), ..Timing::default() } })
    }
}

fn mask(request: &VerifyRequest) -> Mask {
    let mut mask = Mask::VALID;
    if !meets_target(&request.to_bytes()) {
        mask.set(Check::Difficulty);
    }
    let (params, header) = (request.params(), request.header());
    let (input, nonce) = header.split_at(108);
    let verdict =
        equihash::is_valid_solution(params.n(), params.k(), input, nonce, request.solution());
    if let Err(error) = verdict {
        let reason = error.to_string().to_lowercase();
        mask.set(match () {
            () if reason.contains("duplicate") => Check::Duplicate,
            () if reason.contains("order") => Check::IndexOrder,
            () if reason.contains("collision") => Check::Collision,
            () => Check::Xor,
        });
    }
    mask
}
