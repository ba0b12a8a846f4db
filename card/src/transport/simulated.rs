// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A simulated card of our own: starts `halimede-card-sim`, connects to it, and ends it on drop.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::process::{pidfd_open, Pid, PidfdFlags};

use super::image::{Image, SIMULATOR};
use super::polled::wait;
use super::simulator_log::SimulatorLog;
use super::socket::Socket;
use super::Transport;
use crate::error::CardError;

/// How long a simulator whose client has gone may take to end by itself, trace written.
const END_LIMIT: Duration = Duration::from_millis(500);

/// How long one that writes a trace may take.
const TRACE_END_LIMIT: Duration = Duration::from_secs(10);

/// Options of the simulator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimulatorOptions {
    /// The image.
    pub image: Image,
    /// Path of the simulator; otherwise [`Image::find`] finds it.
    pub program: Option<PathBuf>,
    /// Engines to enable by name; all of those built in where this is `None`.
    pub engines: Option<Vec<String>>,
    /// Faults to inject, as `KIND:PROBABILITY` (drop, corrupt, cut, delay, stall, reset,
    /// kill).
    pub faults: Vec<String>,
    /// Seed of the faults.
    pub seed: Option<u64>,
    /// File to write a waveform trace to, FST.
    pub trace: Option<PathBuf>,
    /// Clocks after which the simulator ends.
    pub max_clocks: Option<u64>,
}

impl SimulatorOptions {
    /// The program to start.
    fn find_program(&self) -> Result<PathBuf, CardError> {
        if let Some(program) = &self.program {
            return Ok(program.clone());
        }
        let program = self.image.find()?;
        // A simulator that can trace is a separate build, beside the faster one.
        let tracing = program.with_file_name(format!("{}-trace", self.image.file_name()));
        Ok(if self.trace.is_some() && tracing.is_file() { tracing } else { program })
    }

    /// The command that starts a simulator which serves client after client on `socket`.
    ///
    /// # Errors
    /// [`CardError::NotFound`] where there is no simulator.
    pub fn command(&self, socket: &Path) -> Result<Command, CardError> {
        let mut command = self.bare_command()?;
        command.arg("--socket").arg(socket);
        Ok(command)
    }

    /// The command that starts a simulator, but for where its streams are.
    fn bare_command(&self) -> Result<Command, CardError> {
        let mut command = Command::new(self.find_program()?);
        let mut option = |name: &str, value: OsString| {
            command.arg(name).arg(value);
        };
        if let Some(engines) = &self.engines {
            let names = if engines.is_empty() { "none".into() } else { engines.join(",") };
            option("--engines", names.into());
        }
        for fault in &self.faults {
            option("--fault", fault.into());
        }
        if let Some(seed) = self.seed {
            option("--seed", seed.to_string().into());
        }
        if let Some(trace) = &self.trace {
            option("--trace", trace.into());
        }
        if let Some(clocks) = self.max_clocks {
            option("--max-clocks", clocks.to_string().into());
        }
        Ok(command)
    }
}

/// A simulator process and the connection to it. The simulator has its end of the connection as
/// standard input, so it leaves nothing behind and ends with this process, however that ends.
#[derive(Debug)]
pub struct Simulated {
    /// `None` once the connection has been closed, at the end.
    socket: Option<Socket>,
    process: Child,
    log: SimulatorLog,
    end_limit: Duration,
}

impl Simulated {
    /// Starts a simulator and connects to it. When it is closed, it may take `limit` to write its
    /// trace.
    ///
    /// # Errors
    /// [`CardError::NotFound`] where there is no simulator, [`CardError::Io`] where it cannot be
    /// started.
    pub fn start(options: &SimulatorOptions, limit: Duration) -> Result<Self, CardError> {
        let mut command = options.bare_command()?;
        let program = PathBuf::from(command.get_program());
        let start_error = |error| CardError::io("start", &program, error);
        let (ours, theirs) = UnixStream::pair().map_err(start_error)?;
        let mut process = command
            .arg("--stdio")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(start_error)?;
        // The command holds the simulator's end open as well.
        drop(command);
        let log = match process.stderr.take().map(SimulatorLog::start) {
            Some(Ok(log)) => log,
            other => {
                end(&mut process);
                let error = other.and_then(Result::err).unwrap_or_else(|| {
                    std::io::Error::other("the simulator's output cannot be read")
                });
                return Err(start_error(error));
            }
        };
        let most = if options.trace.is_some() { TRACE_END_LIMIT } else { END_LIMIT };
        // From here on the process is ended by this value's drop, whatever happens.
        let mut card = Self { socket: None, process, log, end_limit: most.min(limit) };
        card.socket = Some(Socket::from_stream(ours, program)?);
        Ok(card)
    }

    /// The simulator's process id.
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// Waits until the process has ended, at most `limit`.
    fn wait_for_end(&self, limit: Duration) {
        // The id fits: the kernel hands out at most 2²². A process descriptor is readable once
        // its process has ended; without one, nothing is waited for.
        let id = Pid::from_raw(self.process.id() as i32);
        if let Some(Ok(process)) = id.map(|id| pidfd_open(id, PidfdFlags::empty())) {
            let _ = wait(process, PollFlags::IN, limit);
        }
    }

    /// The link is closed: with the simulator's exit status and last words.
    fn hung_up(&mut self) -> CardError {
        self.wait_for_end(END_LIMIT);
        self.log.wait_until_closed(END_LIMIT);
        let status = match self.process.try_wait() {
            Ok(Some(status)) => format!("{SIMULATOR} ended with {status}"),
            _ => format!("{SIMULATOR} closed its socket"),
        };
        let diagnosis = match self.log.last_line() {
            line if line.is_empty() => status,
            line => format!("{status}: {line}"),
        };
        CardError::HungUp { diagnosis }
    }
}

fn end(process: &mut Child) {
    // Both fail only if the process has been reaped already.
    let _ = process.kill();
    let _ = process.wait();
}

impl Drop for Simulated {
    fn drop(&mut self) {
        if self.socket.take().is_some() {
            self.wait_for_end(self.end_limit);
        }
        end(&mut self.process);
    }
}

impl Transport for Simulated {
    fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        limit: Duration,
    ) -> Result<usize, CardError> {
        let exchanged = match &mut self.socket {
            Some(socket) => socket.exchange(outgoing, incoming, limit),
            None => Err(CardError::hung_up()),
        };
        match exchanged {
            Err(CardError::HungUp { .. }) => Err(self.hung_up()),
            other => other,
        }
    }
}
