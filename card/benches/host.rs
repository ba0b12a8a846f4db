// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a request costs the host: encoded, sent, matched with its reply and decoded, over a
//! transport that answers at once. A card does not get more requests than this from one thread.

#![allow(missing_docs, reason = "criterion_group! makes a public function")]

use std::time::Duration;

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use halimede_arith::job::Execute;
use halimede_arith::{Felt, Fr};
use halimede_card::frame::{Decoder, FrameWriter};
use halimede_card::spec::{Command, MAX_FRAME_BYTES, VERSION};
use halimede_card::transport::Transport;
use halimede_card::{Card, CardError, CardOptions};
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::operations::{FilecoinHash, Permute};
use halimede_poseidon::{State, Strength};

const REQUESTS: usize = 10_000;

/// A card that gives the elements back as they came.
struct Echo(Decoder);

impl Transport for Echo {
    fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        _: Duration,
    ) -> Result<usize, CardError> {
        let mut rest = outgoing;
        while let Some(frame) = self.0.next_frame(&mut rest)? {
            let mut reply = FrameWriter::new(incoming, frame.command | 0x8000_0000);
            if frame.command == Command::PoseidonHash.code() {
                let digest_only = frame.payload[9] == 1;
                let elements = if digest_only { 32 } else { frame.payload.len() - 24 };
                reply.bytes(&frame.payload[..8]).u64(0);
                reply.bytes(&frame.payload[16..16 + elements]);
                reply.finish_with_checksum(MAX_FRAME_BYTES)?;
            } else if frame.command == Command::GetFpgaStatus.code() {
                reply.u32(VERSION).u32(0).u32(1 << 2).u32(MAX_FRAME_BYTES as u32);
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
    let echo = Echo(Decoder::new(MAX_FRAME_BYTES));
    let Ok(card) = Card::open("echo", Box::new(echo), CardOptions::default()) else { return };
    let mut group = criterion.benchmark_group("host");
    group.throughput(Throughput::Elements(REQUESTS as u64));

    let Ok(hasher) = Hasher::new(2, Strength::Standard, HashType::MerkleTree) else { return };
    let preimages: Vec<_> = (0..REQUESTS as u64)
        .filter_map(|n| hasher.preimage(&[Fr::from(n), Fr::from(n + 1)]).ok())
        .collect();
    group.bench_function("filecoin-2 digest", |bencher| {
        bencher.iter(|| Execute::<FilecoinHash>::execute(&card, &preimages));
    });

    let states: Vec<_> = (0..REQUESTS as u64)
        .filter_map(|n| State::stark(&[Felt::from(n), Felt::from(n + 1), Felt::from(n + 2)]).ok())
        .collect();
    group.bench_function("stark-3 permutation", |bencher| {
        bencher.iter(|| Execute::<Permute>::execute(&card, &states));
    });
    group.finish();
}

criterion_group!(benches, requests);
criterion_main!(benches);
