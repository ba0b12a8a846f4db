// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hashes inputs in order: as streams on the processor, as batches of messages on a device.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use halimede_arith::job::{Execute, Operation};
use halimede_blake3::operations::{Hash, HashRequest};
use halimede_blake3::Mode;
use halimede_device::Device;

use super::mode::mode;
use super::output::Output;
use super::source::{is_stdin, Sources};
use crate::arguments::HashFilesOptions;
use crate::devices::open;
use crate::error::CommandError;

/// The size of a batch for a device: a batch is full at this many bytes,
const BATCH_BYTES: usize = 64 << 20;
/// or at this many messages.
const BATCH_MESSAGES: usize = 4096;
/// The maximum length of a message for a device, which is held in memory.
const MESSAGE_LIMIT_BYTES: u64 = 1 << 30;
/// The maximum length of a device's reply.
const REPLY_LIMIT_BYTES: u64 = 1 << 20;

/// The hash of an input, or the error of reading it.
pub type Hashed = io::Result<Output>;

/// Hashes inputs in a fixed mode.
pub struct Hasher {
    mode: Arc<Mode>,
    seek: u64,
    length: u64,
    sources: Sources,
    /// A device other than the processor.
    device: Option<Device>,
}

/// The next batch for a device.
struct Pending<T> {
    items: Vec<(T, Option<io::Result<()>>)>,
    requests: Vec<HashRequest>,
    bytes: usize,
}

impl Hasher {
    /// Reads the key and opens the device of the options.
    pub fn new(options: &HashFilesOptions) -> Result<Self, CommandError> {
        let device = open(&options.device)?;
        // The processor hashes files while they are read; other devices need batches.
        let device = device.limits::<Hash>().may_fail.then_some(device);
        if device.is_some() && options.length > REPLY_LIMIT_BYTES {
            let reason = format!(
                "--length: a device replies with at most {REPLY_LIMIT_BYTES} bytes; use --device cpu"
            );
            return Err(CommandError::BadInput(reason));
        }
        // If no check file is named, it is standard input.
        let check_file = options.check
            && (options.files.is_empty() || options.files.iter().any(|path| is_stdin(path)));
        let stdin_is = match (options.keyed, check_file) {
            (true, _) => Some("key"),
            (false, true) => Some("check file"),
            (false, false) => None,
        };
        Ok(Self {
            mode: Arc::new(mode(options)?),
            seek: options.seek,
            length: options.length,
            sources: Sources { stdin_is },
            device,
        })
    }

    /// Hashes the input of each item, and passes the items with their hashes to `deliver`, in
    /// order. An item without an input is passed on without a hash.
    pub fn hash_all<T>(
        &self,
        inputs: impl IntoIterator<Item = (T, Option<PathBuf>)>,
        mut deliver: impl FnMut(T, Option<Hashed>) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        let Some(device) = &self.device else {
            for (item, path) in inputs {
                deliver(item, path.map(|path| self.stream(&path)))?;
            }
            return Ok(());
        };
        let mut pending = Pending { items: Vec::new(), requests: Vec::new(), bytes: 0 };
        for (item, path) in inputs {
            pending.push(item, path.map(|path| self.request(&path)));
            if pending.is_full() {
                pending.execute(device, &mut deliver)?;
            }
        }
        pending.execute(device, &mut deliver)
    }

    fn stream(&self, path: &Path) -> Hashed {
        let (mut reader, _) = self.sources.hash(path, &self.mode)?;
        reader.set_position(self.seek);
        Ok(Output::stream(reader, self.length))
    }

    fn request(&self, path: &Path) -> io::Result<HashRequest> {
        let message = self.sources.bytes(path, MESSAGE_LIMIT_BYTES)?;
        Ok(HashRequest {
            output_offset: self.seek,
            output_bytes: self.length as usize,
            ..HashRequest::digest(&self.mode, message)
        })
    }
}

impl<T> Pending<T> {
    fn push(&mut self, item: T, input: Option<io::Result<HashRequest>>) {
        let outcome = input.map(|input| {
            input.map(|request| {
                self.bytes += request.message.len();
                self.requests.push(request);
            })
        });
        self.items.push((item, outcome));
    }

    fn is_full(&self) -> bool {
        self.bytes >= BATCH_BYTES || self.items.len() >= BATCH_MESSAGES
    }

    fn execute(
        &mut self,
        device: &Device,
        deliver: &mut impl FnMut(T, Option<Hashed>) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        let requests = std::mem::take(&mut self.requests);
        self.bytes = 0;
        let replies = Execute::<Hash>::execute(device, Hash::batch(&requests))?.replies;
        let mut replies = replies.into_iter().map(Output::bytes);
        for (item, outcome) in self.items.drain(..) {
            let hashed = outcome.map(|outcome| {
                outcome.and_then(|()| replies.next().ok_or(io::ErrorKind::UnexpectedEof.into()))
            });
            deliver(item, hashed)?;
        }
        Ok(())
    }
}
