// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every operation's frames on the link in both directions, as recorded in `records/`.
//!
//! A line is a frame: its direction (`>` to the card), command, bytes with padding, and the first
//! 16 bytes of its BLAKE3 digest. The requests, the card and its link's random numbers are the same
//! in every run. `HALIMEDE_RECORD=1` rewrites the files; do this only for a change of the protocol.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use halimede_arith::job::Execute;
use halimede_blake3::operations::Hash;
use halimede_card::transport::{Connect, Transport};
use halimede_card::{CardError, CardOptions};
use halimede_device::{Device, Options};
use halimede_equihash::operations::Verify as VerifySolution;
use halimede_poseidon::operations::{FilecoinHash, Permute, StarknetHash};
use halimede_secp256k1::operations::Verify;
use halimede_simulation::cases::Cases;
use halimede_simulation::model::{ModelCard, Shape};

/// With and without checksums on verdicts, and the widest stream.
const SHAPES: [(&str, Shape); 3] = [
    ("checked", Shape { minor: 2, stream_bytes: 8 }),
    ("published", Shape { minor: 1, stream_bytes: 8 }),
    ("wide", Shape { minor: 2, stream_bytes: 64 }),
];
/// The sizes of a session's batches, including a single request.
const BATCHES: [usize; 4] = [1, 2, 5, 11];

/// A link to a model card that records all frames.
#[derive(Clone)]
struct Tap {
    shape: Shape,
    card: Arc<Mutex<ModelCard>>,
    sent: Arc<Mutex<Vec<u8>>>,
    received: Arc<Mutex<Vec<u8>>>,
    random: u64,
}

impl Tap {
    fn new(shape: Shape) -> Self {
        let card = Arc::new(Mutex::new(ModelCard::new(shape)));
        Self { shape, card, sent: Arc::default(), received: Arc::default(), random: 0 }
    }

    /// The frames so far, one per line.
    fn lines(&self) -> String {
        let mut lines = String::new();
        for (direction, bytes) in [('>', &self.sent), ('<', &self.received)] {
            frames(direction, &bytes.lock().unwrap(), self.shape.stream_bytes, &mut lines);
        }
        lines
    }
}

/// Appends one line per frame of a stream.
fn frames(direction: char, mut stream: &[u8], beat: usize, lines: &mut String) {
    while let Some((word, _)) = stream.split_first_chunk::<8>() {
        let [length, command] =
            [&word[..4], &word[4..]].map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap()));
        // A reset begins with zeros.
        let bytes = (length as usize).max(beat).next_multiple_of(beat);
        let (frame, rest) = stream.split_at(bytes);
        stream = rest;
        if length > 0 {
            let digest = blake3_of(frame);
            writeln!(lines, "{direction} {command:08x} {bytes} {digest}").unwrap();
        }
    }
    assert!(stream.is_empty(), "a stream ends within a frame");
}

fn blake3_of(bytes: &[u8]) -> String {
    let mut hasher = halimede_blake3::Mode::Hash.hasher();
    hasher.update(bytes);
    hasher.finalize().to_hex()[..32].to_owned()
}

impl Transport for Tap {
    fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        _: Duration,
    ) -> Result<usize, CardError> {
        let replies = self.card.lock().unwrap().take(outgoing);
        self.sent.lock().unwrap().extend_from_slice(outgoing);
        for reply in replies {
            self.received.lock().unwrap().extend_from_slice(&reply.bytes);
            incoming.extend_from_slice(&reply.bytes);
        }
        Ok(outgoing.len())
    }

    fn random(&mut self) -> Result<u64, CardError> {
        self.random = self.random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E);
        Ok(self.random)
    }
}

impl Connect for Tap {
    fn connect(&mut self, _: Duration) -> Result<Box<dyn Transport>, CardError> {
        Ok(Box::new(self.clone()))
    }
}

/// All cases in one call, then some of them in a session, on a card of each shape.
fn record<Op: Cases>(file: &str) {
    let mut lines = String::new();
    for (name, shape) in SHAPES {
        let tap = Tap::new(shape);
        let card = CardOptions { time_limit: Duration::from_secs(60), window: 16 };
        let device = Device::open_card("model", card, &Options::default(), tap.clone()).unwrap();
        let (requests, replies): (Vec<_>, Vec<_>) = Op::all().iter().cloned().unzip();
        let batch = Execute::<Op>::execute(&device, Op::batch(&requests)).unwrap();
        assert!(batch.replies.into_iter().eq(replies), "{}", Op::NAME);
        let mut session = Execute::<Op>::session(&device);
        let mut rest = &requests[..];
        for length in BATCHES {
            let (batch, others) = rest.split_at(length.min(rest.len()));
            session.submit(Op::batch(batch)).unwrap();
            rest = others;
        }
        while session.collect().unwrap().is_some() {}
        drop(session);
        writeln!(lines, "# {name}").unwrap();
        lines += &tap.lines();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records").join(file);
    if std::env::var_os("HALIMEDE_RECORD").is_some_and(|value| value == "1") {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &lines).unwrap();
    }
    let recorded = fs::read_to_string(&path).unwrap();
    let differ = recorded.lines().zip(lines.lines()).position(|(old, new)| old != new);
    assert!(differ.is_none(), "{file}: line {:?} differs", differ.map(|line| line + 1));
    assert_eq!(recorded.len(), lines.len(), "{file}");
}

#[test]
fn poseidon_states_travel_as_recorded() {
    record::<Permute>("poseidon_permute.txt");
}

#[test]
fn filecoin_preimages_travel_as_recorded() {
    record::<FilecoinHash>("poseidon_filecoin_hash.txt");
}

#[test]
fn starknet_inputs_travel_as_recorded() {
    record::<StarknetHash>("poseidon_starknet_hash.txt");
}

#[test]
fn messages_travel_as_recorded() {
    record::<Hash>("blake3_hash.txt");
}

#[test]
fn headers_travel_as_recorded() {
    record::<VerifySolution>("equihash_verify.txt");
}

#[test]
fn signatures_travel_as_recorded() {
    record::<Verify>("secp256k1_verify.txt");
}
