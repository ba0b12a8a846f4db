// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory of polynomials: aligned to cache lines, and kept for the next one of its size. A polynomial
//! of 47 residues has 12 MB at N = 2¹⁶; taking them from the system and back costs more than adding
//! two of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::memory::Memory;

/// Most buffers of one size that are kept.
const MAX_KEPT: usize = 24;

/// Buffers that are not in use, by their number of words.
#[derive(Default)]
pub(super) struct Pool {
    kept: Mutex<HashMap<usize, Vec<Memory>>>,
}

/// Words of a polynomial, whole cache lines.
pub(super) struct Buffer {
    /// Always there until it is dropped.
    memory: Option<Memory>,
    pool: Arc<Pool>,
}

impl Pool {
    /// A buffer of `words` words, a multiple of 16, with any content: what was computed before may
    /// stand in it.
    pub fn take(self: &Arc<Self>, words: usize) -> Buffer {
        let kept = self.lock().get_mut(&words).and_then(Vec::pop);
        let memory = kept.unwrap_or_else(|| Memory::new(words));
        Buffer { memory: Some(memory), pool: Arc::clone(self) }
    }

    /// Gives all buffers that are not in use back to the system.
    pub fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<usize, Vec<Memory>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Buffer {
    /// The words.
    pub fn words(&self) -> &[u32] {
        self.memory.as_ref().map_or(&[], Memory::words)
    }

    /// The words.
    pub fn words_mut(&mut self) -> &mut [u32] {
        self.memory.as_mut().map_or(&mut [], Memory::words_mut)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let Some(memory) = self.memory.take() else { return };
        let mut kept = self.pool.lock();
        let of_size = kept.entry(memory.words().len()).or_default();
        if of_size.len() < MAX_KEPT {
            of_size.push(memory);
        }
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Self {
        let mut copy = self.pool.take(self.words().len());
        copy.words_mut().copy_from_slice(self.words());
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
        assert_eq!(pool.kept.lock().unwrap()[&16].len(), MAX_KEPT);
    }
}
