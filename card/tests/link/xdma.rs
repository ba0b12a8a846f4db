// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The XDMA transport against a stand-in of the driver.

use std::collections::HashSet;
use std::fs::{read, write};
use std::io::Write;
use std::path::Path;
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use halimede_arith::job::Compute;
use halimede_card::frame::Decoder;
use halimede_card::transport::{Driver, OpenMode, Transport, Xdma};
use halimede_card::{Card, CardError, CardOptions};
use halimede_poseidon::operations::Permute;
use halimede_poseidon_wire::PermuteCodec;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::fake_card::{cases, checksummed, serve_shaped, Fault, WIDE};
use crate::xdma_driver::{self as stand_in, Packets, Rules, BEAT};

const LIMIT: Duration = Duration::from_millis(800);
const OPTIONS: CardOptions = CardOptions { time_limit: LIMIT, window: 512 };

/// A driver with a card behind it, and the host's transport.
fn start(rules: Rules) -> (stand_in::Xdma, Xdma) {
    let driver = stand_in::Xdma::new(rules);
    serve_shaped(driver.requests(), driver.replies(), WIDE, Fault::None, vec![]);
    let transport = Xdma::open_with(&driver, Path::new("/stand-in/xdma0"), LIMIT).unwrap();
    (driver, transport)
}

fn open(rules: Rules) -> (stand_in::Xdma, Card) {
    let (driver, transport) = start(rules);
    (driver, Card::open("stand-in", Box::new(transport), OPTIONS).unwrap())
}

fn permutes(card: &Card, count: usize, seed: u64) {
    let requests = cases::states(count, seed);
    let batch = card.execute::<PermuteCodec>(&requests).unwrap();
    assert_eq!(batch.replies, Permute::compute_batch(&requests));
}

#[test]
fn a_status_arrives_in_one_read() {
    let (driver, card) = open(Rules::default());
    let before = driver.counts();
    card.status().unwrap();
    let after = driver.counts();
    // The read of the reply, and the next one, which waits.
    assert!(after.reads <= before.reads + 2, "{before:?} {after:?}");
    assert_eq!(after.time_outs, 0);
    permutes(&card, 2000, 20);
}

#[test]
fn a_packet_per_frame() {
    let (_, card) = open(Rules { packets: Packets::Frames, ..Rules::default() });
    permutes(&card, 2000, 21);
}

fn is_sweep() -> bool {
    std::env::var_os("HALIMEDE_SWEEP").is_some_and(|value| value == "1")
}

/// A read may return any number of beats, or EAGAIN, and the queues are nearly always full.
#[test]
fn random_batches_with_short_reads_in_all_patterns() {
    let seed = 0x5eed;
    let (batches, most) = if is_sweep() { (1_000_000, 8) } else { (400, 60) };
    if !is_sweep() {
        println!("{batches} batches; HALIMEDE_SWEEP=1 runs 1,000,000");
    }
    let requests = cases::states(600, seed);
    let replies = Permute::compute_batch(&requests);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for most_bytes in [BEAT, 2 * BEAT, 1024, 4096] {
        let packets = Packets::Random(most_bytes);
        let rules = Rules { packets, queue_bytes: 2048, again_one_in: 5, seed, ..Rules::default() };
        let (driver, transport) = start(rules);
        // A long limit: no request is lost here, and the machine may be busy.
        let options = CardOptions { time_limit: Duration::from_secs(30), window: 512 };
        let card = Card::open("stand-in", Box::new(transport), options).unwrap();
        for _ in 0..batches / 4 {
            let length = random.gen_range(0..=most);
            let start = random.gen_range(0..requests.len() - length);
            let batch = card.execute::<PermuteCodec>(&requests[start..start + length]).unwrap();
            assert_eq!(batch.replies, replies[start..start + length], "seed {seed:#x}");
        }
        assert_eq!((card.resets(), driver.counts().time_outs), (1, 0));
        let sizes: HashSet<usize> = driver.counts().sizes.into_iter().collect();
        let fewest = (most_bytes / BEAT).min(most).min(16);
        assert!(sizes.len() >= fewest, "{most_bytes}: reads of {sizes:?} bytes");
    }
}

#[test]
fn a_pulled_cable_is_reported_and_the_threads_end() {
    for delay_us in [0, 300, 3_000] {
        let (driver, card) = open(Rules::default());
        let pulled = driver.clone();
        let thread = spawn(move || {
            sleep(Duration::from_micros(delay_us));
            pulled.pull();
        });
        let start = Instant::now();
        let requests = cases::states(3000, 22);
        let error = loop {
            match card.execute::<PermuteCodec>(&requests) {
                Ok(batch) => assert_eq!(batch.replies, Permute::compute_batch(&requests)),
                Err(error) => break error,
            }
        };
        assert!(start.elapsed() < 20 * LIMIT, "{:?}", start.elapsed());
        assert!(error.to_string().contains("/stand-in/xdma0_"), "{error}");
        thread.join().unwrap();
        drop(card);
        // The threads have closed the devices.
        driver.open(Path::new("/stand-in/xdma0_c2h_0"), OpenMode::ReadPackets).unwrap();
    }
}

#[test]
fn a_reset_in_the_middle_of_a_read_gives_no_wrong_answer() {
    let options = CardOptions { time_limit: LIMIT / 2, window: 512 };
    let mut random = ChaCha8Rng::seed_from_u64(23);
    let (driver, transport) = start(Rules { queue_bytes: 4096, ..Rules::default() });
    let card = Card::open("stand-in", Box::new(transport), options).unwrap();
    let requests = cases::states(1500, 23);
    let replies = Permute::compute_batch(&requests);
    let mut failures = 0;
    for _ in 0..8 {
        let reset = driver.clone();
        let delay = Duration::from_micros(random.gen_range(0..6_000));
        let thread = spawn(move || {
            sleep(delay);
            reset.reset();
        });
        match card.execute::<PermuteCodec>(&requests) {
            Ok(batch) => assert_eq!(batch.replies, replies),
            Err(_) => failures += 1,
        }
        thread.join().unwrap();
    }
    println!("{failures} of 8 batches failed, {} resets", card.resets());
    let batch = card.execute::<PermuteCodec>(&requests).unwrap();
    assert_eq!(batch.replies, replies);
}

#[test]
fn a_transfer_that_broke_off_fails_the_link_once() {
    let limit = Duration::from_millis(40);
    let driver = stand_in::Xdma::new(Rules { limit, queue_bytes: 4096, ..Rules::default() });
    let mut transport = Xdma::open_with(&driver, Path::new("/stand-in/xdma0"), LIMIT).unwrap();
    // No card accepts the idle beats.
    let (zeros, mut incoming) = (vec![0; 32 * 1024], Vec::new());
    let error = loop {
        match transport.exchange(&zeros, &mut incoming, LIMIT) {
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    let CardError::Io { action: "write to", source, .. } = &error else { panic!("{error}") };
    assert_eq!(source.kind(), std::io::ErrorKind::TimedOut, "{error}");
    serve_shaped(driver.requests(), driver.replies(), WIDE, Fault::None, vec![]);
    let card = Card::open("stand-in", Box::new(transport), OPTIONS).unwrap();
    permutes(&card, 100, 24);
}

#[test]
fn an_idle_reader_waits_for_an_interrupt_and_not_for_the_driver() {
    let limit = Duration::from_millis(20);
    for has_interrupts in [true, false] {
        let (driver, mut transport) = start(Rules { limit, has_interrupts, ..Rules::default() });
        let wait = |transport: &mut Xdma, incoming: &mut Vec<u8>| {
            let start = Instant::now();
            while incoming.is_empty() && start.elapsed() < 10 * LIMIT {
                transport.exchange(&[], incoming, LIMIT).unwrap();
            }
        };
        // A reply shows that the card raises interrupts.
        let mut incoming = Vec::new();
        let mut status = vec![0; BEAT];
        (status[0], status[4]) = (8, 1);
        assert_eq!(transport.exchange(&status, &mut incoming, LIMIT).unwrap(), BEAT);
        wait(&mut transport, &mut incoming);
        let before = driver.counts();
        while driver.counts().time_outs < before.time_outs + 3 && !driver.is_idle(LIMIT / 4) {}
        assert_eq!(driver.is_idle(LIMIT / 4), has_interrupts);

        // A reply and a notice without a request.
        for frame in [checksummed(0x8000_0110, &[7; 40]), checksummed(0x8000_0005, &[1; 8])] {
            incoming.clear();
            let mut frame = frame;
            frame.resize(frame.len().next_multiple_of(BEAT), 0);
            driver.replies().write_all(&frame).unwrap();
            wait(&mut transport, &mut incoming);
            assert_eq!(incoming, frame, "interrupts: {has_interrupts}");
        }
        incoming.clear();
        assert_eq!(transport.exchange(&status, &mut incoming, LIMIT).unwrap(), BEAT);
        wait(&mut transport, &mut incoming);
        assert_eq!(incoming[4..8], 0x8000_0001u32.to_le_bytes());
    }
}

#[test]
fn a_silent_card_ends_each_read_before_the_driver_does() {
    let (limit, idle_beat) = (Duration::from_millis(400), Some(Duration::from_millis(15)));
    let (driver, card) = open(Rules { limit, idle_beat, ..Rules::default() });
    permutes(&card, 100, 26);
    let before = driver.counts();
    sleep(2 * limit);
    let after = driver.counts();
    assert!(after.reads > before.reads + 2, "{before:?} {after:?}");
    assert_eq!(after.time_outs, 0);
    permutes(&card, 100, 27);
    // The next user does not wait for the driver.
    drop(card);
    let path = Path::new("/stand-in/xdma0");
    permutes(
        &Card::open("second", Box::new(Xdma::open_with(&driver, path, LIMIT).unwrap()), OPTIONS)
            .unwrap(),
        10,
        28,
    );
    assert_eq!(driver.counts().time_outs, 0);
}

#[test]
fn a_card_in_use_is_waited_for_within_the_limit() {
    let limit = Duration::from_millis(300);
    let (driver, first) = start(Rules { limit, ..Rules::default() });
    let path = Path::new("/stand-in/xdma0");
    let error = Xdma::open_with(&driver, path, Duration::from_millis(30)).unwrap_err();
    assert!(error.is_unavailable() && error.to_string().contains("c2h_0"), "{error}");
    // The read of the first user ends with the driver's limit.
    let thread = spawn(move || drop(first));
    let second = Xdma::open_with(&driver, path, 10 * limit).unwrap();
    thread.join().unwrap();
    permutes(&Card::open("second", Box::new(second), OPTIONS).unwrap(), 10, 25);
}

#[test]
fn a_regular_file_is_not_a_device() {
    let directory = tempfile::tempdir().unwrap();
    let prefix = directory.path().join("xdma0");
    for end in ["h2c_0", "c2h_0"] {
        write(directory.path().join(format!("xdma0_{end}")), b"content").unwrap();
    }
    let error = Xdma::open(&prefix, LIMIT).unwrap_err();
    assert!(error.to_string().contains("neither a character device"), "{error}");
    assert_eq!(read(directory.path().join("xdma0_c2h_0")).unwrap(), b"content");
}

/// The stand-in obeys the driver's rules for reads of several pages.
#[test]
fn a_read_of_several_pages_has_gaps() {
    let path = Path::new("/stand-in/xdma0_c2h_0");
    let limit = Duration::from_millis(30);
    for mode in [OpenMode::Read, OpenMode::ReadPackets] {
        let driver = stand_in::Xdma::new(Rules { limit, alignment: 1, ..Rules::default() });
        let mut device = driver.open(path, mode).unwrap();
        assert!(driver.open(path, mode).is_err(), "a second user");
        for byte in [1, 2] {
            driver.replies().write_all(&[byte; 2 * BEAT]).unwrap();
        }
        let mut buffer = vec![0; 4 * 4096];
        let start = buffer.as_ptr().align_offset(4096);
        let pages = &mut buffer[start..start + 3 * 4096];
        match mode {
            OpenMode::ReadPackets => {
                assert_eq!(device.read(pages).unwrap(), 4 * BEAT);
                assert_eq!(pages[4096..4096 + 2 * BEAT], [2; 2 * BEAT]);
            }
            _ => assert_eq!(device.read(pages).unwrap_err().kind(), std::io::ErrorKind::TimedOut),
        }
        assert_eq!((pages[2 * BEAT - 1], pages[2 * BEAT]), (1, 0));
    }
}

/// Prints the replies per second that the transport and the frames' decoder deliver.
#[test]
fn replies_per_second() {
    let frames = if is_sweep() { 20_000_000 } else { 20_000 };
    let (driver, mut transport) = {
        let driver = stand_in::Xdma::new(Rules { queue_bytes: 1 << 20, ..Rules::default() });
        let transport = Xdma::open_with(&driver, Path::new("/stand-in/xdma0"), LIMIT).unwrap();
        (driver, transport)
    };
    let frame = checksummed(0x8000_0110, &[0x5a; BEAT - 16]);
    assert_eq!(frame.len(), BEAT);
    let burst = frame.repeat(1000);
    let mut replies = driver.replies();
    let card = spawn(move || {
        for _ in 0..frames / 1000 {
            replies.write_all(&burst).unwrap();
        }
    });
    let start = Instant::now();
    let (mut decoder, mut incoming, mut count) = (Decoder::new(65_536), Vec::new(), 0);
    while count < frames {
        transport.exchange(&[], &mut incoming, LIMIT).unwrap();
        let mut rest = &incoming[..];
        while let Some(frame) = decoder.next_frame(&mut rest).unwrap() {
            assert_eq!(frame.checked_payload().unwrap()[0], 0x5a);
            count += 1;
        }
        incoming.clear();
    }
    let seconds = start.elapsed().as_secs_f64();
    card.join().unwrap();
    let counts = driver.counts();
    println!(
        "{:.2} million replies/s ({count} replies of {BEAT} bytes in {} reads, {seconds:.2} s)",
        count as f64 / seconds / 1e6,
        counts.reads
    );
}
