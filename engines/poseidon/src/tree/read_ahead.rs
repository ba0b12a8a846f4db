// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads the next batch on a separate thread while this one is hashed.

use std::io::{ErrorKind, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, sync_channel};

use super::TreeError;

/// A source of batches of bytes.
pub(super) trait Source: Send {
    /// Fills the empty buffer with the next batch, and leaves it empty at the end of the input; may
    /// return early once no more input is needed.
    fn fill(&mut self, buffer: &mut Vec<u8>, wanted: &Wanted) -> Result<(), TreeError>;
}

/// A flag that is set while the consumer needs more bytes.
pub(super) struct Wanted(AtomicBool);

/// Passes every batch to `consume`. At most two batches are held, besides the one being consumed.
///
/// After an error the source is told to stop between two reads; a source that is blocked on its
/// input is waited for.
pub(super) fn read_ahead(
    mut source: impl Source,
    mut consume: impl FnMut(&[u8]) -> Result<(), TreeError>,
) -> Result<(), TreeError> {
    let wanted = &Wanted(AtomicBool::new(true));
    std::thread::scope(|scope| {
        let (send_filled, filled) = sync_channel::<Result<Vec<u8>, TreeError>>(1);
        let (send_used, used) = channel::<Vec<u8>>();
        let read = move || loop {
            let mut buffer = used.try_recv().unwrap_or_default();
            buffer.clear();
            let outcome = source.fill(&mut buffer, wanted);
            let is_last = outcome.is_err() || buffer.is_empty();
            if send_filled.send(outcome.map(|()| buffer)).is_err() || is_last {
                return;
            }
        };
        std::thread::Builder::new()
            .name("read-ahead".into())
            .spawn_scoped(scope, read)
            .map_err(|source| TreeError::Read { offset: 0, source })?;
        // A panic of the reader closes the channel, and then this scope panics as well.
        while let Ok(outcome) = filled.recv() {
            let consumed = outcome.and_then(|buffer| {
                if !buffer.is_empty() {
                    consume(&buffer)?;
                }
                Ok(buffer)
            });
            match consumed {
                // The reader may have ended; the buffer is then not needed.
                Ok(buffer) => drop(send_used.send(buffer)),
                Err(error) => {
                    wanted.0.store(false, Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
        Ok(())
    })
}

/// Appends up to `limit` bytes of `input`; fewer only at its end, or if no more input is needed.
pub(super) fn read_up_to(
    input: &mut impl Read,
    limit: usize,
    buffer: &mut Vec<u8>,
    wanted: &Wanted,
) -> std::io::Result<()> {
    let mut filled = buffer.len();
    buffer.resize(filled + limit, 0);
    let mut outcome = Ok(());
    while filled < buffer.len() && wanted.0.load(Ordering::Relaxed) {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(got) => filled += got,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                outcome = Err(error);
                break;
            }
        }
    }
    buffer.truncate(filled);
    outcome
}
