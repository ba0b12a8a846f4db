// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verifies where a device does not do so itself yet: on this processor.

use std::time::Instant;

use halimede_arith::job::{Batch, DeviceError, Execute, Operation, Timing};
use halimede_equihash::operations as equihash_operations;
use halimede_secp256k1::operations as secp256k1_operations;
use rayon::prelude::*;
use secp256k1::{ecdsa, Message, PublicKey};

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
            operation: equihash_operations::Verify::NAME,
            reason: "it has no engine for Zcash; use --device cpu".into(),
        })
    }
}

impl Execute<equihash_operations::Verify> for Processor {
    fn execute(
        &self,
        requests: &[equihash_operations::VerifyRequest],
    ) -> Result<Batch<halimede_equihash::Mask>, DeviceError> {
        Ok(batch(requests, proof_mask))
    }
}

impl Execute<secp256k1_operations::Verify> for Processor {
    fn execute(
        &self,
        requests: &[secp256k1_operations::VerifyRequest],
    ) -> Result<Batch<halimede_secp256k1::Mask>, DeviceError> {
        Ok(batch(requests, signature_mask))
    }
}

fn batch<Request: Sync, Reply: Send>(
    requests: &[Request],
    reply: impl Fn(&Request) -> Reply + Sync + Send,
) -> Batch<Reply> {
    let start = Instant::now();
    let replies = requests.par_iter().map(reply).collect();
    Batch { replies, timing: Timing { compute: start.elapsed(), ..Timing::default() } }
}

fn proof_mask(request: &equihash_operations::VerifyRequest) -> halimede_equihash::Mask {
    use halimede_equihash::Check;
    let mut mask = halimede_equihash::Mask::VALID;
    if !halimede_zcash::meets_target(request) {
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

fn signature_mask(request: &secp256k1_operations::VerifyRequest) -> halimede_secp256k1::Mask {
    use halimede_secp256k1::Check;
    let mut mask = halimede_secp256k1::Mask::VALID;
    let point = [&[4], &request.x[..], &request.y[..]].concat();
    let key = PublicKey::from_slice(&point);
    if key.is_err() {
        mask.set(Check::OnCurve);
    }
    let is_of = |number: &[u8; 32]| secp256k1::SecretKey::from_secret_bytes(*number).is_ok();
    if !is_of(&request.r) {
        mask.set(Check::RRange);
    }
    if !is_of(&request.s) {
        mask.set(Check::SRange);
    }
    let signature = ecdsa::Signature::from_compact(&[request.r, request.s].concat());
    if let (true, Ok(key), Ok(mut signature)) = (mask.is_valid(), key, signature) {
        signature.normalize_s();
        let message = Message::from_digest(request.digest);
        if ecdsa::verify(&signature, message, &key).is_err() {
            mask.set(Check::Match);
        }
    }
    mask
}
