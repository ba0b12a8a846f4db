// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Links with a single fault, which would make a host that trusts every reply return a wrong answer
//! or never end.

#![allow(clippy::ptr_arg, reason = "all harms have one type")]

use std::fmt::Debug;
use std::os::unix::net::UnixListener;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use halimede_arith::job::{DeviceError, Execute, Operation};
use halimede_card::transport::{Connect, Transport};
use halimede_card::{CardError, CardOptions};
use halimede_device::{Device, Options};
use halimede_equihash::operations::Verify as VerifySolution;
use halimede_secp256k1::operations::Verify;
use halimede_simulation::cases::Cases;
use halimede_simulation::model::{ModelCard, Shape};

const LIMIT: Duration = Duration::from_millis(200);
/// A card without checksums on verdicts.
const OLD: Shape = Shape { minor: 1, stream_bytes: 8 };
/// The published reply codes of the verify commands.
const VERDICTS: [u32; 2] = [0x8000_0100, 0x8000_0101];
const INDEX: usize = 8;
const MASK: usize = 16;

/// Damages the replies of a burst, given the number of verdicts so far.
type Harm = fn(&mut Vec<Vec<u8>>, &mut usize);

/// A link to a model card.
#[derive(Clone)]
struct Link {
    card: Arc<Mutex<ModelCard>>,
    harm: Harm,
    verdicts: Arc<Mutex<usize>>,
    /// Bytes that arrive at every exchange.
    flood: Vec<u8>,
}

impl Link {
    fn new(harm: Harm) -> Self {
        let card = Arc::new(Mutex::new(ModelCard::new(OLD)));
        Self { card, harm, verdicts: Arc::default(), flood: Vec::new() }
    }

    fn flooded(harm: Harm, flood: Vec<u8>) -> Self {
        Self { flood, ..Self::new(harm) }
    }
}

fn is_verdict(frame: &[u8]) -> bool {
    VERDICTS.iter().any(|code| frame[4..8] == code.to_le_bytes())
}

impl Transport for Link {
    fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        _: Duration,
    ) -> Result<usize, CardError> {
        let replies = self.card.lock().unwrap().take(outgoing);
        let mut replies: Vec<Vec<u8>> = replies.into_iter().map(|reply| reply.bytes).collect();
        (self.harm)(&mut replies, &mut self.verdicts.lock().unwrap());
        incoming.extend(replies.concat());
        incoming.extend_from_slice(&self.flood);
        Ok(outgoing.len())
    }
}

impl Connect for Link {
    fn connect(&mut self, _: Duration) -> Result<Box<dyn Transport>, CardError> {
        Ok(Box::new(self.clone()))
    }
}

fn open(link: Link, retries: usize) -> Result<Device, DeviceError> {
    let card = CardOptions { time_limit: LIMIT, window: 16 };
    Device::open_card("model", card, &Options::default().retries(retries), link)
}

/// The time limit of a call.
fn call_limit(retries: usize) -> Duration {
    LIMIT * (retries as u32 + 2) + Duration::from_secs(1)
}

/// Checks batches of an operation: right replies, or an error if it may fail.
fn is_right<Op: Cases>(device: &Device, may_fail: bool)
where
    Op::Reply: Debug,
{
    let (requests, expected): (Vec<_>, Vec<_>) = Op::all().iter().cloned().unzip();
    for length in [2, 3, 7, requests.len()] {
        match Execute::<Op>::execute(device, Op::batch(&requests[..length])) {
            Ok(batch) => assert_eq!(
                batch.replies.into_iter().collect::<Vec<_>>(),
                expected[..length],
                "{}",
                Op::NAME
            ),
            Err(error) => assert!(may_fail, "{error}"),
        }
    }
}

/// Flips one bit of the first verdict's index.
fn flip_index(replies: &mut Vec<Vec<u8>>, verdicts: &mut usize) {
    for reply in replies.iter_mut().filter(|reply| is_verdict(reply)) {
        if *verdicts == 0 {
            reply[INDEX] ^= 1;
        }
        *verdicts += 1;
    }
}

/// Gives the first verdict the second one's index, as if damage had produced an index in flight.
fn misdirect(replies: &mut Vec<Vec<u8>>, verdicts: &mut usize) {
    let mut found: Vec<_> = replies.iter_mut().filter(|reply| is_verdict(reply)).collect();
    if let (0, [first, second, ..]) = (*verdicts, &mut found[..]) {
        first[INDEX..MASK].copy_from_slice(&second[INDEX..MASK]);
    }
    *verdicts += found.len();
}

/// Inverts every verdict.
fn flip_verdicts(replies: &mut Vec<Vec<u8>>, _: &mut usize) {
    replies.iter_mut().filter(|reply| is_verdict(reply)).for_each(|reply| reply[MASK] ^= 1);
}

fn drop_verdicts(replies: &mut Vec<Vec<u8>>, _: &mut usize) {
    replies.retain(|reply| !is_verdict(reply));
}

#[test]
fn a_verdict_under_another_index_is_asked_for_again() {
    for harm in [flip_index as Harm, misdirect] {
        for retries in [0, 1] {
            let device = open(Link::new(harm), retries).unwrap();
            is_right::<Verify>(&device, retries == 0);
            let device = open(Link::new(harm), retries).unwrap();
            is_right::<VerifySolution>(&device, retries == 0);
        }
    }
}

#[test]
fn a_card_whose_verdicts_are_not_the_processors_is_given_up() {
    let device = open(Link::new(flip_verdicts), 1).unwrap();
    let requests: Vec<_> = Verify::all().iter().map(|(request, _)| request.clone()).collect();
    let error = Execute::<Verify>::execute(&device, Verify::batch(&requests)).unwrap_err();
    assert!(error.to_string().contains("differs from the processor's"), "{error}");
    let error = Execute::<Verify>::execute(&device, Verify::batch(&requests[..1])).unwrap_err();
    assert!(error.to_string().contains("given up"), "{error}");

    let device = open(Link::new(flip_verdicts), 0).unwrap().with_fallback(Device::cpu());
    is_right::<Verify>(&device, false);
    is_right::<VerifySolution>(&device, false);
}

#[test]
fn replies_that_nobody_asked_for_do_not_keep_a_call_alive() {
    let status = ModelCard::new(OLD).status().bytes;
    // A register that was never read.
    let register = [&24u32.to_le_bytes()[..], &[3, 0, 0, 0x80], &[0; 16]].concat();
    let requests: Vec<_> = Verify::all().iter().map(|(request, _)| request.clone()).collect();
    for retries in [0, 1, 2] {
        for flood in [&status, &register] {
            let start = Instant::now();
            let opened = open(Link::flooded(drop_verdicts, flood.clone()), retries);
            assert!(start.elapsed() < call_limit(retries), "opening took {:?}", start.elapsed());
            let Ok(device) = opened else { continue };
            let start = Instant::now();
            assert!(Execute::<Verify>::execute(&device, Verify::batch(&requests[..5])).is_err());
            assert!(start.elapsed() < call_limit(retries), "a batch took {:?}", start.elapsed());
        }
    }
}

#[test]
fn who_never_answers_is_given_up_in_time_and_the_fallback_answers() {
    // The listener's queue accepts the connection, and nobody answers.
    let path = std::env::temp_dir().join(format!("halimede-silent-{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let _listener = UnixListener::bind(&path).unwrap();
    let name = format!("sim:{}", path.display());
    for retries in [0, 1, 2] {
        let options = Options::default().time_limit(LIMIT).retries(retries);
        let start = Instant::now();
        let error = Device::open_with(&name, &options).unwrap_err();
        assert!(matches!(error, DeviceError::Unavailable { .. }), "{error}");
        assert!(start.elapsed() < call_limit(retries), "{:?}", start.elapsed());
        let device = Device::open_with_fallback(&name, &options, Device::cpu()).unwrap();
        is_right::<Verify>(&device, false);
        let (request, _) = Verify::all()[0].clone();
        let batch = Execute::<Verify>::execute(&device, Verify::batch(&[request])).unwrap();
        assert_eq!(batch.timing.fallback_requests, 1);
    }
    std::fs::remove_file(path).unwrap();
}
