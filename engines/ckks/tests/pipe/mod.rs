// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An executor behind a pipe of bytes, like one on another machine: a thread that has a ring, and
//! stores polynomials by numbers.
#![allow(dead_code, reason = "each test uses a part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod place;
mod wire;

use std::collections::HashSet;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use halimede_ckks::executor::{ExecutorError, ProgramConstants, ProgramExecutor, Resident};
use halimede_ckks::ring::{Polynomial, Program, Ring, Role};
use halimede_ckks::Parameters;
use wire::{Reader, Request, Writer};

const NAME: &str = "pipe";

/// The near end of the pipe.
pub struct Pipe {
    link: Arc<Link>,
    parameters: Parameters,
    downloads: AtomicUsize,
    /// The numbers of programs, and of the polynomials of keys and plaintexts, that were sent.
    sent: Mutex<HashSet<u64>>,
    programs: Mutex<Vec<(Arc<Program>, u64)>>,
}

/// Requests and their answers, in sequence.
struct Link(Mutex<UnixStream>);

impl Link {
    fn ask(&self, request: Request, body: &[u8]) -> Vec<u8> {
        let mut stream = self.0.lock().unwrap();
        wire::send(&mut *stream, request as u8, body);
        let (failed, answer) = wire::receive(&mut *stream).unwrap();
        assert_eq!(failed, 0, "{}", String::from_utf8_lossy(&answer));
        answer
    }
}

/// The number of a pair of polynomials at the far end, which are freed with it.
struct Kept {
    link: Arc<Link>,
    number: u64,
}

impl Drop for Kept {
    fn drop(&mut self) {
        // A second panic would hide the first.
        if !std::thread::panicking() {
            self.link.ask(Request::Free, &self.number.to_le_bytes());
        }
    }
}

impl Pipe {
    /// Starts the far end.
    pub fn open(parameters: &Parameters) -> Self {
        let (near, far) = UnixStream::pair().unwrap();
        near.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let ring = parameters.ring();
        let primes = ring.moduli(&ring.all()).iter().map(|prime| prime.value()).collect();
        let log_degree = ring.log_degree();
        std::thread::spawn(move || place::serve(far, log_degree, primes));
        Self {
            link: Arc::new(Link(Mutex::new(near))),
            parameters: parameters.clone(),
            downloads: AtomicUsize::new(0),
            sent: Mutex::default(),
            programs: Mutex::default(),
        }
    }

    /// Returns the number of ciphertexts that are kept there.
    pub fn kept(&self) -> u64 {
        Reader(&self.link.ask(Request::Count, &[])).number()
    }

    /// Returns the number of downloaded ciphertexts.
    pub fn downloads(&self) -> usize {
        self.downloads.load(Ordering::Relaxed)
    }

    /// Returns the numbers of programs and of keys' polynomials that were sent.
    pub fn programs_and_keys(&self) -> (usize, usize) {
        (self.programs.lock().unwrap().len(), self.sent.lock().unwrap().len())
    }

    fn resident(&self, number: u64) -> Resident {
        Resident::new(Kept { link: Arc::clone(&self.link), number })
    }

    /// Returns the number of a program there.
    fn program(&self, program: &Arc<Program>) -> u64 {
        let mut programs = self.programs.lock().unwrap();
        if let Some((_, number)) = programs.iter().find(|(known, _)| Arc::ptr_eq(known, program)) {
            return *number;
        }
        let number = programs.len() as u64;
        let mut body = Writer::default();
        body.number(number);
        body.0.extend(program.to_json().into_bytes());
        self.link.ask(Request::Program, &body.0);
        programs.push((Arc::clone(program), number));
        number
    }

    /// Sends a polynomial of a key or a plaintext, unless the far end has it.
    fn hold(&self, polynomial: &Polynomial) {
        // A polynomial in the list may be used there.
        let mut sent = self.sent.lock().unwrap();
        if sent.insert(polynomial.name()) {
            let mut body = Writer::default();
            body.number(polynomial.name());
            body.polynomial(polynomial);
            self.link.ask(Request::Hold, &body.0);
        }
    }
}

impl ProgramExecutor for Pipe {
    fn name(&self) -> &str {
        NAME
    }

    fn upload(&self, parts: [&Polynomial; 2]) -> Result<Resident, ExecutorError> {
        let mut body = Writer::default();
        parts.iter().for_each(|part| body.polynomial(part));
        let answer = self.link.ask(Request::Upload, &body.0);
        Ok(self.resident(Reader(&answer).number()))
    }

    fn download(&self, resident: &Resident) -> Result<[Polynomial; 2], ExecutorError> {
        let kept: &Kept = resident.kept(NAME)?;
        self.downloads.fetch_add(1, Ordering::Relaxed);
        let answer = self.link.ask(Request::Download, &kept.number.to_le_bytes());
        let (ring, mut reader): (&Ring, Reader) = (self.parameters.ring(), Reader(&answer));
        Ok([0, 1].map(|_| reader.polynomial(ring)))
    }

    fn run(
        &self,
        program: &Arc<Program>,
        held: &ProgramConstants,
        inputs: &[&Resident],
    ) -> Result<Vec<Resident>, ExecutorError> {
        let mut body = Writer::default();
        body.number(self.program(program));
        body.number(inputs.len() as u64);
        for input in inputs {
            body.number(input.kept::<Kept>(NAME)?.number);
        }
        for external in program.externals.iter().filter(|external| external.role != Role::Input) {
            let reason = format!("no polynomial for {:?}", external.name);
            let polynomial = held
                .get(external)
                .ok_or(ExecutorError::Unavailable { executor: NAME.to_owned(), reason })?;
            self.hold(polynomial);
            body.number(polynomial.name());
        }
        let answer = self.link.ask(Request::Run, &body.0);
        let mut reader = Reader(&answer);
        let count = reader.number();
        Ok((0..count).map(|_| self.resident(reader.number())).collect())
    }
}
