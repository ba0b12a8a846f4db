// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory of polynomials: aligned to cache lines, and kept for the next one of its size. A polynomial
//! of 47 residues has 12 MB at N = 2¹⁶; taking them from the system and back costs more than adding
//! two of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Words of a cache line.
const LINE_WORDS: usize = 16;

/// Most buffers of one size that are kept.
const MAX_KEPT: usize = 24;

/// A cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u32; LINE_WORDS]);

/// Buffers that are not in use, by their number of lines.
#[derive(Default)]
pub(super) struct Pool {
    kept: Mutex<HashMap<usize, Vec<Vec<Line>>>>,
}

/// Words of a polynomial, whole cache lines.
pub(super) struct Buffer {
    lines: Vec<Line>,
    pool: Arc<Pool>,
}

impl Pool {
    /// A buffer of `words` words, a multiple of 16, with any content: what was computed before may
    /// stand in it.
    pub fn take(self: &Arc<Self>, words: usize) -> Buffer {
        assert_eq!(words % LINE_WORDS, 0, "{words} words are no whole lines");
        let count = words / LINE_WORDS;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = kept.get_mut(&count).and_then(Vec::pop);
        drop(kept);
        let lines = lines.unwrap_or_else(|| vec![Line([0; LINE_WORDS]); count]);
        Buffer { lines, pool: Arc::clone(self) }
    }

    /// Gives all buffers that are not in use back to the system.
    pub fn clear(&self) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Buffer {
    /// The words.
    pub fn words(&self) -> &[u32] {
        // SAFETY: a line is 16 words without padding, and lines are contiguous.
        unsafe {
            std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.lines.len() * LINE_WORDS)
        }
    }

    /// The words.
    pub fn words_mut(&mut self) -> &mut [u32] {
        let count = self.lines.len() * LINE_WORDS;
        // SAFETY: as in `words`.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), count) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let lines = std::mem::take(&mut self.lines);
        let mut kept = self.pool.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let of_size = kept.entry(lines.len()).or_default();
        if of_size.len() < MAX_KEPT {
            of_size.push(lines);
        }
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Self {
        let mut copy = self.pool.take(self.lines.len() * LINE_WORDS);
        copy.lines.copy_from_slice(&self.lines);
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again_for_its_size_alone() {
        let pool = Arc::new(Pool::default());
        let mut first = pool.take(64);
        first.words_mut().iter_mut().zip(1..).for_each(|(word, number)| *word = number);
        assert_eq!(first.words().as_ptr() as usize % 64, 0);
        let copy = first.clone();
        assert_eq!(copy.words(), first.words());
        let place = first.words().as_ptr();
        drop(first);
        assert_eq!(pool.take(128).words(), [0; 128]);
        assert_eq!(pool.take(64).words().as_ptr(), place);
        pool.clear();
        assert!(pool.kept.lock().unwrap().is_empty());
    }

    #[test]
    fn no_more_are_kept_than_said() {
        let pool = Arc::new(Pool::default());
        let buffers: Vec<Buffer> = (0..2 * MAX_KEPT).map(|_| pool.take(16)).collect();
        drop(buffers);
        assert_eq!(pool.kept.lock().unwrap()[&1].len(), MAX_KEPT);
    }
}
