// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The transports with files, pipes, sockets and a pseudo-terminal instead of hardware.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::fake_card::{cases, serve, serve_shaped, Fault, WIDE};
use halimede_arith::job::{Compute, Operation};
use halimede_blake3::operations::{Hash, HashRequest};
use halimede_blake3::Mode;
use halimede_blake3_wire::HashCodec;
use halimede_card::spec::Register;
use halimede_card::transport::{
    RegisterWindow, Simulated, SimulatorOptions, Socket, Transport, Uart, Xdma,
};
use halimede_card::{Card, CardError, CardOptions};
use halimede_poseidon::operations::Permute;
use halimede_poseidon_wire::PermuteCodec;

const LIMIT: Duration = Duration::from_millis(800);
const OPTIONS: CardOptions = CardOptions { time_limit: LIMIT, window: 512 };

fn permutes(transport: impl Transport + 'static) -> Card {
    let card = Card::open("stand-in", Box::new(transport), OPTIONS).unwrap();
    let requests = cases::states(2000, 20);
    let batch = card.execute::<PermuteCodec>(&requests).unwrap();
    assert_eq!(batch.replies, Permute::compute_batch(&requests));
    card
}

fn both_ways(path: &Path) -> File {
    OpenOptions::new().read(true).write(true).open(path).unwrap()
}

#[test]
fn a_socket() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("card");
    let listener = UnixListener::bind(&path).unwrap();
    let socket = Socket::connect(&path, LIMIT).unwrap();
    let (peer, _) = listener.accept().unwrap();
    serve(peer.try_clone().unwrap(), peer, Fault::None, vec![]);
    permutes(socket);
    let error = Socket::connect(&directory.path().join("none"), LIMIT).unwrap_err();
    assert!(error.is_unavailable() && error.to_string().contains("none"), "{error}");
}

#[test]
fn who_does_not_take_a_connection_is_waited_for_within_the_limit() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("card");
    let _listener = UnixListener::bind(&path).unwrap();
    // Fills the queue of connections that nobody accepts.
    let limit = Duration::from_millis(50);
    let mut queued = Vec::new();
    let error = loop {
        let start = Instant::now();
        match Socket::connect(&path, limit) {
            Ok(socket) => queued.push(socket),
            Err(error) => {
                assert!(start.elapsed() < limit * 10, "{:?}", start.elapsed());
                break error;
            }
        }
        assert!(queued.len() < 100_000);
    };
    assert!(matches!(error, CardError::TimedOut { .. }), "{error}");
}

#[test]
fn xdma_over_fifos_with_a_register_window() {
    let directory = tempfile::tempdir().unwrap();
    let prefix = directory.path().join("xdma0");
    let device = |suffix: &str| directory.path().join(format!("xdma0_{suffix}"));
    let error = Xdma::open(&prefix, LIMIT).unwrap_err();
    assert!(matches!(error, CardError::NotFound { .. }), "{error}");

    for suffix in ["h2c_0", "c2h_0"] {
        assert!(Command::new("mkfifo").arg(device(suffix)).status().unwrap().success());
    }
    // Registers: the id at 0, a build id at 8.
    let mut registers = vec![0; 0x1000];
    registers[..4].copy_from_slice(b"HALI");
    registers[8..12].copy_from_slice(&77u32.to_le_bytes());
    std::fs::write(device("user"), registers).unwrap();

    let (to_card, from_card) = (both_ways(&device("h2c_0")), both_ways(&device("c2h_0")));
    serve(to_card, from_card, Fault::None, vec![]);
    let card = permutes(Xdma::open(&prefix, LIMIT).unwrap());
    assert_eq!(card.read_register(Register::Id).unwrap(), 0x494C_4148);
    assert_eq!(card.read_register(Register::BuildId).unwrap(), 77);
    card.write_register(Register::Control, 1).unwrap();
    let window = RegisterWindow::open(device("user")).unwrap();
    assert_eq!(window.read(Register::Control.address()).unwrap(), 1);
    assert!(window.read(0x1000).is_err());
}

fn xdma_pair() -> (Xdma, UnixStream, UnixStream) {
    let (h2c, card_in) = UnixStream::pair().unwrap();
    let (c2h, card_out) = UnixStream::pair().unwrap();
    let file = |stream: UnixStream| File::from(OwnedFd::from(stream));
    let named = |stream, name: &str| (file(stream), PathBuf::from(name));
    let xdma = Xdma::from_files(named(h2c, "h2c"), named(c2h, "c2h"), None).unwrap();
    (xdma, card_in, card_out)
}

#[test]
fn xdma_over_sockets() {
    let (xdma, card_in, card_out) = xdma_pair();
    serve(card_in, card_out, Fault::OutOfOrder, vec![]);
    let card = permutes(xdma);
    // Without a window, registers are accessed through the stream.
    assert_eq!(card.read_register(Register::Id).unwrap(), 0x494C_4148);
}

/// The card's end of a link on which each write of the host is a separate transfer, as with the
/// XDMA driver: a transfer that ended within a beat would leave the rest of the beat empty.
struct Transfers(UnixDatagram);

impl Read for Transfers {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let bytes = self.0.recv(buffer)?;
        assert_eq!(bytes % WIDE.stream_bytes, 0, "a transfer ends within a beat");
        Ok(bytes)
    }
}

#[test]
fn xdma_transfers_are_whole_beats_of_a_wide_card() {
    let (h2c, card_in) = UnixDatagram::pair().unwrap();
    let (c2h, card_out) = UnixStream::pair().unwrap();
    let to_card = (File::from(OwnedFd::from(h2c)), PathBuf::from("h2c"));
    let from_card = (File::from(OwnedFd::from(c2h)), PathBuf::from("c2h"));
    serve_shaped(Transfers(card_in), card_out, WIDE, Fault::None, vec![]);
    let card = permutes(Xdma::from_files(to_card, from_card, None).unwrap());
    let mode = Arc::new(Mode::Keyed(*b"one key of the thirty-two bytes!"));
    let message = |length: usize| -> Vec<u8> { (0..251).cycle().take(length).collect() };
    let request = |length: usize| HashRequest::digest(&mode, message(length));
    let requests: Vec<HashRequest> = (0..400).map(|index| request(index * index * 3)).collect();
    let batch = card.execute::<HashCodec>(Hash::batch(&requests)).unwrap();
    assert!(batch.replies == Hash::compute_batch(Hash::batch(&requests)));
}

#[test]
fn xdma_tells_a_dead_card_and_its_threads_end() {
    let (xdma, card_in, card_out) = xdma_pair();
    drop((card_in, card_out));
    let error = Card::open("dead", Box::new(xdma), OPTIONS).unwrap_err();
    assert!(matches!(error, CardError::HungUp { .. }), "{error}");

    // A device that accepts and sends nothing, with both directions full.
    let (mut xdma, card_in, card_out) = xdma_pair();
    let (zeros, mut incoming) = (vec![0; 64 * 1024], Vec::new());
    let start = Instant::now();
    let limit = Duration::from_millis(50);
    while xdma.exchange(&zeros, &mut incoming, limit).unwrap() > 0 {}
    assert!(incoming.is_empty());
    assert!(start.elapsed() < Duration::from_secs(2));
    let start = Instant::now();
    drop(xdma);
    assert!(start.elapsed() < Duration::from_millis(300), "the drop waited for the threads");
    drop((card_in, card_out));
}

#[test]
fn a_uart_over_a_pseudo_terminal() {
    use rustix::pty::{grantpt, openpt, ptsname, unlockpt, OpenptFlags};
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let path = PathBuf::from(ptsname(&controller, Vec::new()).unwrap().into_string().unwrap());
    let uart = Uart::open(&path, 921_600).unwrap();
    let controller = File::from(controller);
    serve(controller.try_clone().unwrap(), controller, Fault::None, vec![]);
    permutes(uart);
    assert!(Uart::open(Path::new("/dev/no-such-line"), 9600).unwrap_err().is_unavailable());
}

/// A link without flow control, which counts the bytes in flight.
struct Counting {
    inner: Socket,
    limit: usize,
    sent: usize,
    received: usize,
    most: Arc<AtomicUsize>,
}

impl Transport for Counting {
    fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        limit: Duration,
    ) -> Result<usize, CardError> {
        let before = incoming.len();
        let sent = self.inner.exchange(outgoing, incoming, limit)?;
        self.sent += sent;
        // Requests and replies of permutations have the same length; those of control commands are
        // longer. The bytes in flight are at least this number.
        self.most.fetch_max(self.sent.saturating_sub(self.received), Ordering::Relaxed);
        self.received += incoming.len() - before;
        Ok(sent)
    }

    fn window_bytes(&self) -> Option<usize> {
        Some(self.limit)
    }
}

#[test]
fn a_link_without_flow_control_gets_no_more_requests_than_fit() {
    // The longest request of the card in the thread has 24 + 5 * 32 bytes.
    for limit in [1, 184, 400, 8192] {
        let (host, card) = UnixStream::pair().unwrap();
        serve(card.try_clone().unwrap(), card, Fault::None, vec![]);
        let most = Arc::new(AtomicUsize::new(0));
        let inner = Socket::from_stream(host, "a thread of this test").unwrap();
        let counting = Counting { inner, limit, sent: 0, received: 0, most: most.clone() };
        permutes(counting);
        let most = most.load(Ordering::Relaxed);
        assert!(most > limit / 2 && most <= limit.max(184), "{most} bytes, limit {limit}");
    }
}

#[test]
fn a_simulator_that_ends_at_once_is_told_with_its_last_words() {
    let start = |program: &str| {
        let options = SimulatorOptions { program: Some(program.into()), ..Default::default() };
        let opened = Simulated::start(&options, LIMIT)
            .and_then(|simulated| Card::open("sim", Box::new(simulated), OPTIONS));
        opened.map(drop).unwrap_err()
    };
    let error = start("/no/such/simulator");
    assert!(error.is_unavailable(), "{error}");
    let error = start("/bin/false");
    assert!(error.to_string().contains("exit status: 1"), "{error}");
    // `ls` reports the unknown options on its standard error.
    let error = start("/bin/ls");
    assert!(error.to_string().contains("exit status: 2: "), "{error}");
}
