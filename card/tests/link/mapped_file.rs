// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The transport over mapped memory with files instead of the resources of a PCI function. A thread
//! accesses the same files and acts as a bridge with a card.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::{sleep, spawn, JoinHandle};
use std::time::{Duration, Instant};

use halimede_card::spec::Register;
use halimede_card::transport::{ControlWord, Mapped};
use halimede_card::{Card, CardError, CardOptions};
use tempfile::TempDir;

use crate::fake_card::{serve_shaped, Fault, WIDE};
use crate::mapped::computes_like_the_processor;

const LIMIT: Duration = Duration::from_millis(800);
const OPTIONS: CardOptions = CardOptions { time_limit: LIMIT, window: 512 };
const RING: usize = 0x8000;
const LINE: usize = 64;
const REPLIES: u64 = 0x1_0000;
const CONTROL: u64 = 0x2_0000;
const BYTES: u64 = 0x2_1000;

/// A PCI function that consists of files.
struct Function {
    folder: TempDir,
    memory: File,
}

impl Function {
    /// An idle function: without a card, its positions do not move.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("resource4");
        let memory = OpenOptions::new().read(true).write(true).create_new(true).open(path).unwrap();
        memory.set_len(BYTES).unwrap();
        let function = Self { folder, memory };
        function.set(ControlWord::RequestBytes, RING as u32);
        function.set(ControlWord::ReplyBytes, RING as u32);
        function.set(ControlWord::Identifier, u32::from_le_bytes(*b"RING"));
        function
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn open(&self) -> Result<Mapped, CardError> {
        Mapped::open(self.folder.path().to_str().unwrap(), Duration::from_millis(50))
    }

    fn get(&self, word: ControlWord) -> u32 {
        let mut bytes = [0; 4];
        self.memory.read_exact_at(&mut bytes, CONTROL + word.offset() as u64).unwrap();
        u32::from_le_bytes(bytes)
    }

    fn set(&self, word: ControlWord, value: u32) {
        self.memory.write_all_at(&value.to_le_bytes(), CONTROL + word.offset() as u64).unwrap();
    }

    /// Acts as a bridge with a card until it is told to end; then it leaves ones everywhere.
    fn serve(&self, ends: Arc<AtomicBool>) -> JoinHandle<()> {
        let (mut requests, card_in) = UnixStream::pair().unwrap();
        let (mut replies, card_out) = UnixStream::pair().unwrap();
        replies.set_nonblocking(true).unwrap();
        serve_shaped(card_in, card_out, WIDE, Fault::None, vec![]);
        let (folder, memory) = (tempfile::tempdir().unwrap(), self.memory.try_clone().unwrap());
        let function = Self { folder, memory };
        spawn(move || {
            let mut from_card = Vec::new();
            while !ends.load(Ordering::Relaxed) {
                let moved = function.take(&mut requests);
                let mut chunk = [0; 4096];
                if let Ok(count) = replies.read(&mut chunk) {
                    from_card.extend_from_slice(&chunk[..count]);
                }
                if !function.reply(&mut from_card) && !moved {
                    sleep(Duration::from_micros(50));
                }
            }
            function.memory.write_all_at(&vec![0xFF; BYTES as usize], 0).unwrap();
        })
    }

    /// Passes a published line on.
    fn take(&self, requests: &mut UnixStream) -> bool {
        let taken = self.get(ControlWord::Taken);
        if self.get(ControlWord::Published) == taken {
            return false;
        }
        let mut line = [0; LINE];
        self.memory.read_exact_at(&mut line, u64::from(taken) % RING as u64).unwrap();
        requests.write_all(&line).unwrap();
        self.set(ControlWord::Taken, taken.wrapping_add(LINE as u32));
        true
    }

    /// Writes a line of replies, and then its position.
    fn reply(&self, from_card: &mut Vec<u8>) -> bool {
        let produced = self.get(ControlWord::Produced);
        let ready = produced.wrapping_sub(self.get(ControlWord::Consumed)) as usize;
        if from_card.len() < LINE || ready == RING {
            return false;
        }
        let line: Vec<u8> = from_card.drain(..LINE).collect();
        self.memory.write_all_at(&line, REPLIES + u64::from(produced) % RING as u64).unwrap();
        self.set(ControlWord::Produced, produced.wrapping_add(LINE as u32));
        true
    }
}

fn card_of(function: &Function) -> Card {
    Card::open("mapped", Box::new(function.open().unwrap()), OPTIONS).unwrap()
}

#[test]
fn clients_of_a_card_behind_shared_memory_until_it_goes_away() {
    // With and without a file for combined stores.
    for combines in [false, true] {
        let function = Function::new();
        if combines {
            std::fs::hard_link(function.path("resource4"), function.path("resource4_wc")).unwrap();
        }
        let ends = Arc::new(AtomicBool::new(false));
        let thread = function.serve(ends.clone());
        for _ in 0..2 {
            computes_like_the_processor(&card_of(&function), 60);
        }
        let card = card_of(&function);
        ends.store(true, Ordering::Relaxed);
        thread.join().unwrap();
        let start = Instant::now();
        let error = card.status().unwrap_err();
        assert!(error.to_string().contains("nothing answers on its bus"), "{error}");
        assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
    }
}

#[test]
fn registers_in_mapped_memory() {
    let function = Function::new();
    let mut registers = vec![0; 0x1_0000];
    registers[..4].copy_from_slice(b"HALI");
    registers[8..12].copy_from_slice(&[0xFF; 4]);
    std::fs::write(function.path("resource0"), registers).unwrap();
    let ends = Arc::new(AtomicBool::new(false));
    let thread = function.serve(ends.clone());
    let card = card_of(&function);
    assert_eq!(card.read_register(Register::Id).unwrap(), 0x494C_4148);
    // Ones are a value as long as the identifier is right.
    assert_eq!(card.read_register(Register::BuildId).unwrap(), u32::MAX);
    card.write_register(Register::Control, 1).unwrap();
    assert_eq!(std::fs::read(function.path("resource0")).unwrap()[0x14..0x18], [1, 0, 0, 0]);
    let file = OpenOptions::new().write(true).open(function.path("resource0")).unwrap();
    file.write_all_at(&[0xFF; 4], 0).unwrap();
    let error = card.read_register(Register::BuildId).unwrap_err().to_string();
    assert!(error.contains("resource0: nothing answers on its bus"), "{error}");
    ends.store(true, Ordering::Relaxed);
    thread.join().unwrap();
}

#[test]
fn a_card_that_does_not_move_is_an_error_within_the_limit() {
    let function = Function::new();
    let start = Instant::now();
    let error = Card::open("mapped", Box::new(function.open().unwrap()), OPTIONS).unwrap_err();
    assert!(matches!(error, CardError::TimedOut { .. }), "{error}");
    assert!(start.elapsed() < 10 * LIMIT, "{:?}", start.elapsed());
}

#[test]
fn functions_that_cannot_be_opened_say_why() {
    let error = Mapped::open("0000:ff:1f.7", LIMIT).unwrap_err();
    assert!(error.is_unavailable() && error.to_string().contains("resource4 not found"), "{error}");

    let fails = |function: &Function, said: &str| {
        let error = function.open().unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    };
    let function = Function::new();
    let first = function.open().unwrap();
    fails(&function, "resource4: another process or device uses the card");
    drop(first);
    drop(function.open().unwrap());

    std::fs::write(function.path("resource0"), [0; 0xFFFF]).unwrap();
    fails(&function, "resource0: expected at least 65536 bytes, got 65535");
    std::fs::remove_file(function.path("resource0")).unwrap();
    std::fs::create_dir(function.path("resource4_wc")).unwrap();
    fails(&function, "open");
    std::fs::remove_dir(function.path("resource4_wc")).unwrap();
    function.set(ControlWord::Identifier, 0);
    fails(&function, "no card bridge behind it");
    function.memory.set_len(0x2_0000).unwrap();
    fails(&function, "resource4: expected at least 135168 bytes, got 131072");
    let unwritable = function.path("resource4");
    let mut permissions = std::fs::metadata(&unwritable).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&unwritable, permissions).unwrap();
    // The superuser may write it nevertheless.
    if File::options().write(true).open(&unwritable).is_err() {
        fails(&function, "ermission denied");
    }
    std::fs::remove_file(&unwritable).unwrap();
    assert!(is_refused_pipe(&function, Path::new("resource4")));
}

/// A pipe instead of a file.
fn is_refused_pipe(function: &Function, name: &Path) -> bool {
    let path = function.folder.path().join(name);
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &path,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    function.open().unwrap_err().to_string().contains("not a file that can be mapped")
}
