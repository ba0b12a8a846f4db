// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Streams blocks of a file, of the files of a folder, or of standard input: reads ahead, in
//! bounded memory.

use std::io::{stdin, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use halimede_zcash::{Block, BlockStream, Network, StreamError};

use crate::error::CommandError;
use crate::file_kind::{kind_of_file, not_wanted, HEXADECIMAL, RAW_BLOCK};
use crate::files::open_whole;

/// The maximum number of blocks of a batch.
const BATCH_BLOCKS: usize = 256;
/// The number of bytes of blocks in memory, unless a single block is longer.
const BYTES_AHEAD: usize = 16_000_000;
/// A batch is complete with this many bytes.
const BATCH_BYTES: usize = BYTES_AHEAD / 2;
/// The least number of bytes that a block is counted as.
const LEAST_BYTES: usize = 10_000;

/// A block, and its number of bytes in the input.
pub struct BlockRead {
    pub block: Block,
    pub input_bytes: u64,
}

/// Blocks that are read on a separate thread.
pub struct BlockSource {
    blocks: Receiver<Result<BlockRead, CommandError>>,
    ahead: Arc<Ahead>,
    /// The number of bytes of the last batch.
    held: usize,
    /// The number of bytes of all files, if they are regular.
    pub length: Option<u64>,
}

/// Blocks that were read together. After an error there are no more.
#[derive(Default)]
pub struct BlockBatch {
    pub blocks: Vec<BlockRead>,
    pub error: Option<CommandError>,
}

impl BlockSource {
    /// Opens a file, the files of a folder, or standard input for `-`.
    ///
    /// # Errors
    /// [`CommandError::File`].
    pub fn open(path: &Path, network: Network) -> Result<Self, CommandError> {
        let (files, length) = match path.is_dir() {
            true => folder(path)?,
            // A file that cannot be opened is an error at once.
            false if path != Path::new("-") => (vec![path.to_owned()], open_whole(path)?.1),
            false => (vec![path.to_owned()], None),
        };
        let (send, blocks) = channel();
        let ahead = Arc::new(Ahead::default());
        let reader = BlockReader { network, send, ahead: Arc::clone(&ahead) };
        // The thread ends with the input, or when the receiver is dropped.
        std::thread::spawn(move || {
            if let Err(Stop::Input(error)) = files.iter().try_for_each(|file| reader.read(file)) {
                // Nobody may wait for it any more.
                let _ = reader.send.send(Err(*error));
            }
        });
        Ok(Self { blocks, ahead, held: 0, length })
    }

    /// Waits for a block, and returns it with those that were read meanwhile; `None` at the end.
    /// The blocks of the batch before must have been dropped.
    pub fn batch(&mut self) -> Option<BlockBatch> {
        self.ahead.release(std::mem::take(&mut self.held));
        let mut batch = BlockBatch::default();
        let mut next = Some(self.blocks.recv().ok()?);
        while let Some(read) = next {
            match read {
                Ok(read) => {
                    self.held += charge(&read.block);
                    batch.blocks.push(read);
                }
                Err(error) => batch.error = Some(error),
            }
            let is_full = batch.blocks.len() >= BATCH_BLOCKS || self.held >= BATCH_BYTES;
            next = if is_full { None } else { self.blocks.try_recv().ok() };
        }
        Some(batch)
    }
}

impl Drop for BlockSource {
    /// Wakes the reader, whose next block nobody receives.
    fn drop(&mut self) {
        self.ahead.release(usize::MAX);
    }
}

/// The number of bytes that a block counts.
fn charge(block: &Block) -> usize {
    block.bytes().max(LEAST_BYTES)
}

/// The number of bytes of blocks in memory.
#[derive(Default)]
struct Ahead {
    bytes: Mutex<usize>,
    released: Condvar,
}

impl Ahead {
    /// Waits until the blocks in memory have few bytes, and adds those of another.
    fn take(&self, bytes: usize) {
        let held = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |held: &mut usize| *held > 0 && held.saturating_add(bytes) > BYTES_AHEAD;
        let held = self.released.wait_while(held, is_full);
        *held.unwrap_or_else(PoisonError::into_inner) += bytes;
    }

    fn release(&self, bytes: usize) {
        let mut held = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        *held = held.saturating_sub(bytes);
        self.released.notify_one();
    }
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
    send: Sender<Result<BlockRead, CommandError>>,
    ahead: Arc<Ahead>,
}

impl BlockReader {
    fn read(&self, path: &Path) -> Result<(), Stop> {
        let input: Box<dyn Read> = match path == Path::new("-") {
            true => Box::new(stdin()),
            false => Box::new(open_whole(path)?.0),
        };
        let bad = |error: StreamError| match error {
            StreamError::Read(source) => CommandError::File { path: path.to_owned(), source },
            error => match kind_of_file(path).filter(|kind| !may_be_blocks(kind)) {
                Some(kind) => not_wanted(path, "blocks", kind),
                None => CommandError::BadInput(format!("{}: {error}", path.display())),
            },
        };
        let mut stream = BlockStream::new(input, self.network).map_err(bad)?;
        let mut taken = 0;
        while let Some(block) = stream.next() {
            let block = block.map_err(bad)?;
            let input_bytes = stream.bytes() - taken;
            taken = stream.bytes();
            self.ahead.take(charge(&block));
            self.send.send(Ok(BlockRead { block, input_bytes })).map_err(|_| Stop::Unwanted)?;
        }
        Ok(())
    }
}

/// Returns `true` if a file of this kind may hold blocks.
fn may_be_blocks(kind: &str) -> bool {
    [HEXADECIMAL, RAW_BLOCK].contains(&kind)
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
