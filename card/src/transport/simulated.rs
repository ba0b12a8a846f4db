// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A simulated card of this process: starts `halimede-card-sim`, connects to it, and ends it on
//! drop.

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

/// The time in which a simulator ends after its client has disconnected, without a trace.
const END_LIMIT: Duration = Duration::from_millis(500);

/// The time limit if the simulator writes a trace.
const TRACE_END_LIMIT: Duration = Duration::from_secs(10);

/// Options of the simulator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimulatorOptions {
    /// The image to simulate.
    pub image: Image,
    /// The path of the simulator. If it is `None`, [`Image::find`] finds the simulator.
    pub program: Option<PathBuf>,
    /// The names of the engines to enable; `None` enables all engines of the image.
    pub engines: Option<Vec<String>>,
    /// Faults to inject, as `KIND:PROBABILITY` (drop, corrupt, cut, delay, stall, reset, kill).
    pub faults: Vec<String>,
    /// The seed of the faults.
    pub seed: Option<u64>,
    /// The file to which a waveform trace in FST format is written.
    pub trace: Option<PathBuf>,
    /// The number of clocks after which the simulator ends.
    pub max_clocks: Option<u64>,
}

impl SimulatorOptions {
    /// Returns the path of the program to start.
    fn find_program(&self) -> Result<PathBuf, CardError> {
        if let Some(program) = &self.program {
            return Ok(program.clone());
        }
        let program = self.image.find()?;
        // A simulator that can trace is a separate build next to the faster one.
        let tracing = program.with_file_name(format!("{}-trace", self.image.file_name()));
        Ok(if self.trace.is_some() && tracing.is_file() { tracing } else { program })
    }

    /// Returns the command that starts a simulator which serves clients on `socket`, sequentially.
    ///
    /// # Errors
    /// [`CardError::NotFound`] if the simulator does not exist.
    pub fn command(&self, socket: &Path) -> Result<Command, CardError> {
        let mut command = self.bare_command()?;
        command.arg("--socket").arg(socket);
        Ok(command)
    }

    /// Returns the command that starts a simulator, without the option for its streams.
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

/// A simulator process and the connection to it. The connection is the simulator's standard input,
/// so the simulator leaves no files behind and ends with this process, however this process ends.
#[derive(Debug)]
pub struct Simulated {
    /// `None` once the connection has been closed, at the end.
    socket: Option<Socket>,
    process: Child,
    log: SimulatorLog,
    end_limit: Duration,
}

impl Simulated {
    /// Starts a simulator and connects to it. After the connection is closed, the simulator has
    /// `limit` to write its trace.
    ///
    /// # Errors
    /// [`CardError::NotFound`] if the simulator does not exist, [`CardError::Io`] if it cannot be
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
        // The command also holds the simulator's end of the connection open.
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
        // From here on, the drop of this value ends the process in every case.
        let mut card = Self { socket: None, process, log, end_limit: most.min(limit) };
        card.socket = Some(Socket::from_stream(ours, program)?);
        Ok(card)
    }

    /// Returns the simulator's process id.
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// Waits until the process has ended, at most for `limit`.
    fn wait_for_end(&self, limit: Duration) {
        // The id fits: the kernel assigns at most 2²². A process descriptor is readable once its
        // process has ended; without one, the wait is skipped.
        let id = Pid::from_raw(self.process.id() as i32);
        if let Some(Ok(process)) = id.map(|id| pidfd_open(id, PidfdFlags::empty())) {
            let _ = wait(process, PollFlags::IN, limit);
        }
    }

    /// Returns the error of a closed link, with the simulator's exit status and last output.
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
    // Both fail only if the process has already been reaped.
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
