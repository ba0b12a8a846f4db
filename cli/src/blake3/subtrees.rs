// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hashes a large file with all threads: each reads and hashes subtrees of it.
//!
//! The file is not mapped into memory: if it were truncated meanwhile, the process would die. A
//! piece is hashed while it is in the cache of its thread. Copying it out of the page cache takes a
//! seventh of the processor time (0.35 s instead of 0.30 s per GiB on Zen 5), independent of the
//! size of a piece.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use halimede_blake3::blake3::hazmat::{self, left_subtree_len, ChainingValue, HasherExt};
use halimede_blake3::blake3::OutputReader;
use halimede_blake3::Mode;
use zeroize::Zeroize;

/// The number of bytes that a thread reads and hashes at once: a power of two of chunks.
const PIECE_BYTES: usize = 128 << 10;
/// The minimum length of a file for which threads pay off.
pub const LEAST_BYTES: u64 = 4 * PIECE_BYTES as u64;

thread_local! {
    static PIECE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Hashes the first `length` bytes of a file, at least [`LEAST_BYTES`].
///
/// # Errors
/// [`io::ErrorKind::UnexpectedEof`] if the file has fewer bytes; the error of a failed read.
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
    /// Returns the chaining value of the subtree of `length` bytes from `start` on.
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
        // The hasher holds the key.
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
