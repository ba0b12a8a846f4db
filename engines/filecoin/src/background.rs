// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes on a separate thread, so that hashing does not wait for a disk.

use std::io::{self, Seek, SeekFrom, Write};
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::thread::{Builder, JoinHandle};

/// The most pieces that wait to be written.
const MOST_WAITING: usize = 4;

/// A target that is written on a separate thread, at any positions.
pub struct BackgroundWriter<W> {
    /// `None` once the thread has ended with an error.
    pieces: Option<SyncSender<(u64, Vec<u8>)>>,
    thread: Option<JoinHandle<io::Result<W>>>,
}

impl<W: Write + Seek + Send + 'static> BackgroundWriter<W> {
    /// Starts the thread.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(target: W) -> io::Result<Self> {
        let (pieces, received) = sync_channel(MOST_WAITING);
        let thread =
            Builder::new().name("writer".into()).spawn(move || write(target, &received))?;
        Ok(Self { pieces: Some(pieces), thread: Some(thread) })
    }

    /// Writes bytes at an offset, later.
    ///
    /// # Errors
    /// Errors of earlier pieces.
    pub fn write(&mut self, offset: u64, bytes: Vec<u8>) -> io::Result<()> {
        let sent = self.pieces.as_ref().is_some_and(|pieces| pieces.send((offset, bytes)).is_ok());
        match sent {
            true => Ok(()),
            false => Err(self.end().err().unwrap_or_else(ended)),
        }
    }

    /// Waits until all pieces are written, and returns the target.
    ///
    /// # Errors
    /// Errors of any piece.
    pub fn finish(mut self) -> io::Result<W> {
        self.end()
    }

    fn end(&mut self) -> io::Result<W> {
        self.pieces = None;
        let thread = self.thread.take().ok_or_else(ended)?;
        thread.join().unwrap_or_else(|_| Err(ended()))
    }
}

impl<W> Drop for BackgroundWriter<W> {
    fn drop(&mut self) {
        self.pieces = None;
        if let Some(thread) = self.thread.take() {
            // An error is of no interest any more: the target is dropped.
            drop(thread.join());
        }
    }
}

fn write<W: Write + Seek>(mut target: W, pieces: &Receiver<(u64, Vec<u8>)>) -> io::Result<W> {
    while let Ok((offset, bytes)) = pieces.recv() {
        target.seek(SeekFrom::Start(offset))?;
        target.write_all(&bytes)?;
    }
    Ok(target)
}

fn ended() -> io::Error {
    io::Error::other("the writer has ended")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn pieces_arrive_in_any_order_and_errors_come_back() {
        let mut writer = BackgroundWriter::start(Cursor::new(Vec::new())).unwrap();
        for piece in [3u64, 0, 2, 1] {
            writer.write(piece * 100, vec![piece as u8; 100]).unwrap();
        }
        let bytes = writer.finish().unwrap().into_inner();
        assert!((0..400).all(|at| bytes[at] == (at / 100) as u8));

        let mut full = BackgroundWriter::start(Cursor::new([0u8; 10])).unwrap();
        let outcome = (0..100).try_for_each(|at| full.write(at, vec![1; 8]));
        assert!(outcome.is_err() || full.finish().is_err());
    }
}
