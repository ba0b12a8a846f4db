// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3: many small messages against a loop over the crate `blake3`, and [`streams`].

pub mod streams;

use std::hint::black_box;
use std::sync::Arc;

use halimede_arith::EngineBackend;
use halimede_blake3::{blake3, Digest, HashBackend, HashMany, Mode};
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::Comparison;

const PEER: &str = "blake3 1.8, in a loop";

/// The largest size of a batch in bytes: half of a core's L2 cache.
const BATCH_BYTES: usize = 512 * 1024;
/// The smallest and the largest number of messages of a batch.
const BATCH: [usize; 2] = [8, 1000];

/// The lengths of messages.
#[derive(Clone, Copy)]
enum Lengths {
    Bytes(usize),
    /// 1 to 2,048 bytes, uniformly distributed.
    Mixed,
}

/// Lengths, and the target ratios on the processor's best backend.
const CASES: [(Lengths, f64); 15] = [
    (Lengths::Bytes(0), 1.0),
    (Lengths::Bytes(1), 1.0),
    (Lengths::Bytes(64), 4.5),
    (Lengths::Bytes(128), 1.0),
    (Lengths::Bytes(256), 1.0),
    (Lengths::Bytes(512), 1.0),
    (Lengths::Bytes(1024), 4.0),
    (Lengths::Bytes(1536), 1.0),
    (Lengths::Bytes(2048), 1.0),
    (Lengths::Bytes(4096), 1.0),
    (Lengths::Bytes(16 * 1024), 1.0),
    (Lengths::Bytes(24 * 1024), 1.0),
    (Lengths::Bytes(63 * 1024), 1.0),
    (Lengths::Bytes(64 * 1024), 1.0),
    (Lengths::Mixed, 3.0),
];

/// Batches that do not fill the lanes: lengths and counts.
const FEW: [(usize, usize); 9] = [
    (64, 1),
    (64, 2),
    (64, 4),
    (1024, 1),
    (1024, 2),
    (1024, 16),
    (3072, 1),
    (3072, 2),
    (65_536, 2),
];

/// Small messages on each backend of this processor, batches on the current pool of `threads`.
///
/// # Errors
/// If ours and the peer give different digests.
pub fn comparisons(threads: usize) -> Result<Vec<Comparison>, String> {
    let mut all = Vec::new();
    let best = HashBackend::active();
    for (lengths, aim) in CASES {
        let bytes = match lengths {
            Lengths::Bytes(bytes) => bytes,
            Lengths::Mixed => 1024,
        };
        let count = (BATCH_BYTES / bytes.max(1)).clamp(BATCH[0], BATCH[1]);
        let messages = messages(lengths, count);
        for backend in HashBackend::available() {
            let aim = (backend == best).then_some(aim);
            all.push(comparison(lengths, &messages, backend, threads, aim)?);
        }
    }
    for (bytes, count) in FEW {
        let messages = messages(Lengths::Bytes(bytes), count);
        all.push(comparison(Lengths::Bytes(bytes), &messages, best, threads, Some(1.0))?);
    }
    Ok(all)
}

/// Random messages, consecutive in memory at any address.
fn messages(lengths: Lengths, count: usize) -> Arc<Vec<Vec<u8>>> {
    let mut random = ChaCha8Rng::seed_from_u64(count as u64);
    let mut message = || {
        let bytes = match lengths {
            Lengths::Bytes(bytes) => bytes,
            Lengths::Mixed => random.gen_range(1..=2048),
        };
        let mut message = vec![0; bytes];
        random.fill_bytes(&mut message);
        message
    };
    Arc::new((0..count).map(|_| message()).collect())
}

fn comparison(
    lengths: Lengths,
    messages: &Arc<Vec<Vec<u8>>>,
    backend: HashBackend,
    threads: usize,
    aim: Option<f64>,
) -> Result<Comparison, String> {
    let many = HashMany::with_backend(Mode::Hash, backend).ok_or("a backend is not available")?;
    let count = messages.len();
    let name = match lengths {
        Lengths::Bytes(bytes) => format!("{count} x {bytes} B"),
        Lengths::Mixed => format!("{count} x 1..2,048 B, uniform"),
    };
    let digest = |message: &Vec<u8>| *blake3::hash(message).as_bytes();
    let expected: Vec<Digest> = messages.iter().map(digest).collect();
    if many.digests(&messages[..]) != expected || many.digests_parallel(&messages[..]) != expected {
        return Err(format!("{name}, {backend}: the digests differ"));
    }
    let (ours, theirs) = (Arc::clone(messages), Arc::clone(messages));
    let (mut our_digests, mut their_digests) = (vec![[0; 32]; count], vec![[0; 32]; count]);
    Ok(Comparison {
        engine: "blake3",
        case: name,
        threads,
        units_a_call: count,
        unit: "ns/message",
        unit_ns: 1.0,
        backend: backend.name(),
        ours: Box::new(move || {
            if threads == 1 {
                many.digests_into(black_box(&ours[..]), &mut our_digests);
                black_box(&our_digests);
            } else {
                black_box(many.digests_parallel(black_box(&ours[..])));
            }
        }),
        peer: PEER,
        theirs: Some(Box::new(move || {
            let (messages, digests) = (black_box(&theirs[..]), &mut their_digests);
            if threads == 1 {
                for (message, place) in messages.iter().zip(digests.iter_mut()) {
                    *place = digest(message);
                }
            } else {
                let both = messages.par_iter().zip(digests.par_iter_mut());
                both.for_each(|(message, place)| *place = digest(message));
            }
            black_box(&their_digests);
        })),
        theirs_factor: 1.0,
        aim,
    })
}
