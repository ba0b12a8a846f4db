// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs the command within limits, and returns its end and the memory that it used.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// The limit of processor time of all threads, in seconds, after which a signal ends a run.
const LIMIT_S: libc::rlim_t = 60;
/// The limit of memory, which protects the machine of the tests.
const LIMIT_BYTES: libc::rlim_t = 8 << 30;
/// The number of bytes of standard error that are kept.
const SAID_BYTES: u64 = 4_096;

/// The end of a run.
pub struct Ended {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub stderr: Vec<u8>,
    pub peak_bytes: u64,
}

/// Runs the command with these words and this file as standard input.
#[allow(clippy::zombie_processes, reason = "`wait` waits for it")]
pub fn run(words: &[OsString], input: Option<&Path>) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_halimede"));
    command.args(words).stdout(Stdio::null()).stderr(Stdio::piped());
    command.stdin(input.map_or_else(Stdio::null, |path| File::open(path).unwrap().into()));
    command.env("RAYON_NUM_THREADS", "2").env("HALIMEDE_CARD_SIM", "/nonexistent");
    let limits = || {
        let processor = libc::rlimit { rlim_cur: LIMIT_S, rlim_max: LIMIT_S };
        let memory = libc::rlimit { rlim_cur: LIMIT_BYTES, rlim_max: LIMIT_BYTES };
        // SAFETY: setrlimit only reads the limits, which are on the stack.
        let set = unsafe {
            [
                libc::setrlimit(libc::RLIMIT_CPU, &processor),
                libc::setrlimit(libc::RLIMIT_AS, &memory),
            ]
        };
        if set == [0, 0] {
            Ok(())
        } else {
            Err(std::io::Error::last_os_error())
        }
    };
    // SAFETY: between fork and exec only setrlimit is called, which is allowed there.
    unsafe { command.pre_exec(limits) };
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stderr.take().unwrap();
    let mut stderr = Vec::new();
    (&mut pipe).take(SAID_BYTES).read_to_end(&mut stderr).unwrap();
    std::io::copy(&mut pipe, &mut std::io::sink()).unwrap();
    let (status, peak_bytes) = wait(child.id());
    Ended { code: status.code(), signal: status.signal(), stderr, peak_bytes }
}

/// Waits for a child, whose memory the kernel counts.
fn wait(child: u32) -> (ExitStatus, u64) {
    let mut status = 0;
    // SAFETY: all zeros are a valid rusage.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let child = libc::pid_t::try_from(child).unwrap();
    // SAFETY: both places live until the call returns, and only this call waits for the child.
    let waited = unsafe { libc::wait4(child, &mut status, 0, &mut usage) };
    assert_eq!(waited, child, "{}", std::io::Error::last_os_error());
    (ExitStatus::from_raw(status), u64::try_from(usage.ru_maxrss).unwrap() << 10)
}
