// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3's digests and outputs.

use std::sync::Arc;

use halimede_arith::job::{Bytes, Operation};
use halimede_blake3::operations::{Hash, HashBatch, HashRequest};
use halimede_blake3::Mode;
use halimede_cuda::blake3::HashOnGpu;
use rand::Rng;

use crate::{agree, bytes, place, random, reasons};

#[test]
fn digests_and_outputs_of_any_length() {
    let Some(place) = place() else { return };
    let mut random = random(1);
    let mode = Arc::new(Mode::Hash);
    let lengths = [0, 1, 63, 64, 65, 1023, 1024, 1025, 2048, 2049, 3072, 5000, 31_744, 70_001];
    let mut requests = Vec::new();
    for length in lengths {
        requests.push(HashRequest::digest(&mode, bytes(&mut random, length)));
        for output_offset in [0, 1, 63, 64, 1 << 38, (1 << 40) + 7] {
            let (message, output_bytes) = (bytes(&mut random, length), random.gen_range(1..200));
            let mode = Arc::clone(&mode);
            requests.push(HashRequest {
                mode,
                message: message.into(),
                output_offset,
                output_bytes,
            });
        }
    }
    let replies = agree::<HashOnGpu>(&place, Hash::batch(&requests));
    assert_eq!(replies.len(), requests.len());
}

#[test]
fn many_short_messages_at_any_byte() {
    let Some(place) = place() else { return };
    let mut random = random(2);
    let messages: Vec<Vec<u8>> = (0..700).map(|number| bytes(&mut random, number % 131)).collect();
    let rows: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    let batch = HashBatch::Digests { mode: &Mode::Hash, messages: Bytes::from(&rows[..]) };
    agree::<HashOnGpu>(&place, batch);
}

#[test]
fn keys_stay_on_the_processor() {
    let Some(place) = place() else { return };
    let modes = [Mode::Hash, Mode::Keyed([7; 32]), Mode::derive_key("halimede test"), Mode::Hash];
    let requests: Vec<HashRequest> =
        modes.map(|mode| HashRequest::digest(&Arc::new(mode), vec![1, 2, 3])).into();
    let reasons = reasons::<HashOnGpu>(&place, Hash::batch(&requests));
    assert_eq!(reasons.iter().map(|(request, _)| *request).collect::<Vec<_>>(), [1, 2]);
    assert!(reasons.iter().all(|(_, reason)| reason == "keys stay on the processor"));
}
