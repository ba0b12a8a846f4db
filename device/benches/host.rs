// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The host's cost of a request: encoding, sending, matching with its reply and decoding, over a
//! transport that answers at once. This bounds the requests per second from one thread to a card.

#![allow(missing_docs, reason = "criterion_group! makes a public function")]

use std::sync::Arc;
use std::time::Duration;

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use halimede_arith::job::Operation;
use halimede_arith::{Felt, Fr};
use halimede_blake3::operations::{Hash, HashRequest};
use halimede_blake3::Mode;
use halimede_blake3_wire::HashCodec;
use halimede_card::frame::{Decoder, FrameWriter};
use halimede_card::spec::{Command, MAX_FRAME_BYTES, VERSION};
use halimede_card::transport::Transport;
use halimede_card::{Card, CardError, CardOptions};
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::{State, Strength};
use halimede_poseidon_wire::{FilecoinHashCodec, PermuteCodec};

const REQUESTS: usize = 10_000;

/// The size of a long BLAKE3 message in bytes, and the number of such messages in flight.
const LONG_BYTES: usize = 1 << 20;
const LONG_MESSAGES: usize = 16;

/// A card that returns Poseidon's elements unchanged, and the digest 0 for every BLAKE3 message.
struct Echo {
    decoder: Decoder,
    /// The number of missing bytes of the open message.
    missing: u64,
}

impl Transport for Echo {
    fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        _: Duration,
    ) -> Result<usize, CardError> {
        let mut rest = outgoing;
        while let Some(frame) = self.decoder.next_frame(&mut rest)? {
            let is_hash = frame.command == Command::Blake3Hash.code();
            if is_hash || frame.command == Command::Blake3Data.code() {
                if is_hash {
                    self.missing =
                        u64::from_le_bytes(frame.payload[8..16].try_into().unwrap_or_default());
                }
                self.missing -= frame.payload.len() as u64 - 32;
                if self.missing == 0 {
                    let code = Command::Blake3Hash.reply_code();
                    let mut reply = FrameWriter::new(incoming, code);
                    reply.bytes(&frame.payload[..8]).u64(0).bytes(&[0; 32]);
                    reply.finish_with_checksum(MAX_FRAME_BYTES)?;
                }
                continue;
            }
            let mut reply = FrameWriter::new(incoming, frame.command | 0x8000_0000);
            if frame.command == Command::PoseidonHash.code() {
                let digest_only = frame.payload[9] == 1;
                let elements = if digest_only { 32 } else { frame.payload.len() - 24 };
                reply.bytes(&frame.payload[..8]).u64(0);
                reply.bytes(&frame.payload[16..16 + elements]);
                reply.finish_with_checksum(MAX_FRAME_BYTES)?;
            } else if frame.command == Command::GetFpgaStatus.code() {
                reply.u32(VERSION).u32(0).u32(1 << 2 | 1 << 3).u32(MAX_FRAME_BYTES as u32);
                reply.u64(0).u64(0).u32(0).u32(0xFFF).bytes(&[0; 40]).u32(8).u32(0);
                reply.finish_with_checksum(MAX_FRAME_BYTES)?;
            } else {
                reply.bytes(frame.payload);
                reply.finish(MAX_FRAME_BYTES)?;
            }
        }
        Ok(outgoing.len())
    }
}

fn requests(criterion: &mut Criterion) {
    let echo = Echo { decoder: Decoder::new(MAX_FRAME_BYTES), missing: 0 };
    let Ok(card) = Card::open("echo", Box::new(echo), CardOptions::default()) else { return };
    let mut group = criterion.benchmark_group("host");
    group.throughput(Throughput::Elements(REQUESTS as u64));

    let Ok(hasher) = Hasher::new(2, Strength::Standard, HashType::MerkleTree) else { return };
    let preimages: Vec<_> = (0..REQUESTS as u64)
        .filter_map(|n| hasher.preimage(&[Fr::from(n), Fr::from(n + 1)]).ok())
        .collect();
    group.bench_function("filecoin-2 digest", |bencher| {
        bencher.iter(|| card.execute::<FilecoinHashCodec>(&preimages));
    });

    let states: Vec<_> = (0..REQUESTS as u64)
        .filter_map(|n| State::stark(&[Felt::from(n), Felt::from(n + 1), Felt::from(n + 2)]).ok())
        .collect();
    group.bench_function("stark-3 permutation", |bencher| {
        bencher.iter(|| card.execute::<PermuteCodec>(&states));
    });

    let hash = |bytes: usize, count: usize| -> Vec<HashRequest> {
        let message: Arc<[u8]> = (0..251u8).cycle().take(bytes).collect();
        vec![HashRequest::digest(&Arc::new(Mode::Hash), message); count]
    };
    let short = hash(64, REQUESTS);
    group.bench_function("blake3 of 64 bytes", |bencher| {
        bencher.iter(|| card.execute::<HashCodec>(Hash::batch(&short)));
    });
    let long = hash(LONG_BYTES, LONG_MESSAGES);
    group.throughput(Throughput::Bytes((LONG_BYTES * LONG_MESSAGES) as u64));
    group.bench_function("blake3 of 1 MiB", |bencher| {
        bencher.iter(|| card.execute::<HashCodec>(Hash::batch(&long)));
    });
    group.finish();
}

criterion_group!(benches, requests);
criterion_main!(benches);
