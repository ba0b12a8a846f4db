// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The hash of a large file over all threads: each reads and hashes subtrees of it.
//!
//! The file is not mapped into memory: one that is cut while it is hashed would end the process. A
//! piece is hashed while the thread's cache has it. Copying it out of the page cache takes a
//! seventh of the processors' time (0.35 instead of 0.30 s a GiB on Zen 5), whatever the size of a
//! piece.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use halimede_blake3::blake3::hazmat::{self, left_subtree_len, ChainingValue, HasherExt};
use halimede_blake3::blake3::OutputReader;
use halimede_blake3::Mode;
use zeroize::Zeroize;

/// What a thread reads and hashes at once: a power of two of chunks.
const PIECE_BYTES: usize = 128 << 10;
/// A file of fewer bytes is not worth the threads.
pub const LEAST_BYTES: u64 = 4 * PIECE_BYTES as u64;

thread_local! {
    static PIECE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The hash of the first `length` bytes of a file, of [`LEAST_BYTES`] or more.
///
/// # Errors
/// [`io::ErrorKind::UnexpectedEof`] where there are fewer, and where reading fails.
pub fn hash(file: &File, length: u64, mode: &Mode) -> io::Result<OutputReader> {
    let left_bytes = left_subtree_len(length);
    let tree = Tree { file, mode };
    let (left, right) = rayon::join(
        || tree.subtree(0, left_bytes),
        || tree.subtree(left_bytes, length - left_bytes),
    );
    Ok(hazmat::merge_subtrees_root_xof(&left?, &right?, tree.merging()))
}

struct Tree<'t> {
    file: &'t File,
    mode: &'t Mode,
}

impl Tree<'_> {
    /// The chaining value of a subtree, which begins and ends at these bytes of the file.
    fn subtree(&self, start: u64, length: u64) -> io::Result<ChainingValue> {
        if length <= PIECE_BYTES as u64 {
            return PIECE.with_borrow_mut(|piece| self.piece(start, length as usize, piece));
        }
        let left_bytes = left_subtree_len(length);
        let (left, right) = rayon::join(
            || self.subtree(start, left_bytes),
            || self.subtree(start + left_bytes, length - left_bytes),
        );
        Ok(hazmat::merge_subtrees_non_root(&left?, &right?, self.merging()))
    }

    fn piece(&self, start: u64, length: usize, piece: &mut Vec<u8>) -> io::Result<ChainingValue> {
        piece.resize(PIECE_BYTES, 0);
        let piece = &mut piece[..length];
        self.file.read_exact_at(piece, start)?;
        let mut hasher = self.mode.hasher();
        let value = hasher.set_input_offset(start).update(piece).finalize_non_root();
        // It has the key.
        hasher.zeroize();
        Ok(value)
    }

    fn merging(&self) -> hazmat::Mode<'_> {
        match self.mode {
            Mode::Hash => hazmat::Mode::Hash,
            Mode::Keyed(key) => hazmat::Mode::KeyedHash(key),
            Mode::DeriveKey(context_key) => hazmat::Mode::DeriveKeyMaterial(context_key),
        }
    }
}
