// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Streams blocks of a file, of the files of a folder, or of standard input: reads ahead, in bounded
//! memory.

use std::io::{stdin, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};

use halimede_zcash::{Block, BlockStream, Network, StreamError};

use crate::error::CommandError;
use crate::files::open_whole;

/// The maximum number of blocks of a batch.
const BATCH_BLOCKS: usize = 256;
/// A batch with this many bytes is complete.
const BATCH_BYTES: usize = 8_000_000;
/// The number of batches that are read ahead.
const BATCHES_AHEAD: usize = 1;

/// Blocks that were read together, and their number of bytes in the input.
#[derive(Default)]
pub struct BlockBatch {
    pub blocks: Vec<Block>,
    pub bytes: u64,
    /// The end of the input, if the batch is the last.
    pub end: Option<Result<(), CommandError>>,
}

impl BlockBatch {
    fn is_full(&self) -> bool {
        let bytes: usize = self.blocks.iter().map(Block::bytes).sum();
        self.blocks.len() >= BATCH_BLOCKS || bytes >= BATCH_BYTES
    }
}

/// Opens a file, the files of a folder, or standard input for `-`, and reads batches of blocks on a
/// separate thread. Also returns the number of bytes of regular files.
///
/// # Errors
/// [`CommandError::File`].
pub fn read_ahead(
    path: &Path,
    network: Network,
) -> Result<(Receiver<BlockBatch>, Option<u64>), CommandError> {
    let (files, length) = match path.is_dir() {
        true => folder(path)?,
        // A file that cannot be opened is an error at once.
        false if path != Path::new("-") => (vec![path.to_owned()], open_whole(path)?.1),
        false => (vec![path.to_owned()], None),
    };
    let (send, batches) = sync_channel(BATCHES_AHEAD);
    // The thread ends with the input, or when the receiver is dropped.
    std::thread::spawn(move || {
        let mut reader = BlockReader { network, send, batch: BlockBatch::default() };
        let end = files.iter().try_for_each(|file| reader.read(file));
        if let Err(Stop::Input(error)) = end {
            reader.end(Err(*error));
        } else if end.is_ok() {
            reader.end(Ok(()));
        }
    });
    Ok((batches, length))
}

/// Why reading stops.
enum Stop {
    /// The input is wrong.
    Input(Box<CommandError>),
    /// Nobody waits for more blocks.
    Unwanted,
}

impl From<CommandError> for Stop {
    fn from(error: CommandError) -> Self {
        Self::Input(Box::new(error))
    }
}

struct BlockReader {
    network: Network,
    send: SyncSender<BlockBatch>,
    batch: BlockBatch,
}

impl BlockReader {
    fn read(&mut self, path: &Path) -> Result<(), Stop> {
        let input: Box<dyn Read> = match path == Path::new("-") {
            true => Box::new(stdin()),
            false => Box::new(open_whole(path)?.0),
        };
        let bad = |error: StreamError| match error {
            StreamError::Read(source) => CommandError::File { path: path.to_owned(), source },
            error => CommandError::BadInput(format!("{}: {error}", path.display())),
        };
        let mut stream = BlockStream::new(input, self.network).map_err(bad)?;
        let mut taken = 0;
        while let Some(block) = stream.next() {
            self.batch.blocks.push(block.map_err(bad)?);
            self.batch.bytes += stream.bytes() - taken;
            taken = stream.bytes();
            if self.batch.is_full() {
                let batch = std::mem::take(&mut self.batch);
                self.send.send(batch).map_err(|_| Stop::Unwanted)?;
            }
        }
        Ok(())
    }

    fn end(mut self, end: Result<(), CommandError>) {
        self.batch.end = Some(end);
        // Nobody may wait for it any more.
        let _ = self.send.send(self.batch);
    }
}

/// Returns the regular files of a folder, except hidden ones, in the order of their names, in which
/// numbers are compared by value; and their number of bytes.
fn folder(path: &Path) -> Result<(Vec<PathBuf>, Option<u64>), CommandError> {
    let file_error = |source| CommandError::File { path: path.to_path_buf(), source };
    let (mut files, mut bytes) = (Vec::new(), 0);
    for entry in std::fs::read_dir(path).map_err(file_error)? {
        let entry = entry.map_err(file_error)?;
        let metadata = std::fs::metadata(entry.path()).map_err(file_error)?;
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if metadata.is_file() && !is_hidden {
            files.push(entry.path());
            bytes += metadata.len();
        }
    }
    if files.is_empty() {
        return Err(CommandError::BadInput(format!("{}: the folder has no files", path.display())));
    }
    files.sort_by_cached_key(|file| {
        natural(file.file_name().map_or(&[][..], |name| name.as_encoded_bytes()))
    });
    Ok((files, Some(bytes)))
}

/// Returns a key that sorts names with numbers by the values of the numbers.
fn natural(name: &[u8]) -> Vec<(Vec<u8>, usize, Vec<u8>)> {
    let mut key = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let text = rest.iter().take_while(|byte| !byte.is_ascii_digit()).count();
        let (text, after) = rest.split_at(text);
        let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, after) = after.split_at(digits);
        let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
        // Without leading zeros, a longer number is a larger one.
        let number = &digits[zeros..];
        key.push((text.to_vec(), number.len(), number.to_vec()));
        rest = after;
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_by_their_numbers() {
        let mut names = ["b2", "a10", "a9", "a009", "a", "blk00010.dat", "blk9.dat", "a9b"];
        names.sort_by_cached_key(|name| natural(name.as_bytes()));
        assert_eq!(names, ["a", "a9", "a009", "a9b", "a10", "b2", "blk9.dat", "blk00010.dat"]);
    }
}
