// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory of polynomials: aligned to cache lines, and kept for reuse. A polynomial with 47 residues
//! takes 12 MB at N = 2¹⁶; allocating and freeing them costs more than adding two such polynomials.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zeroize::Zeroize;

use super::memory::Memory;

/// The maximal number of words in kept buffers, 1 GiB. A matrix with 32 baby steps at the top level
/// of N = 2¹⁶ uses three quarters of it at a time.
const MAX_KEPT: usize = 1 << 28;

/// Unused buffers, by their capacity in words.
pub(super) struct Pool {
    /// `true` if buffers have no words: those of a ring that only records.
    is_dry: bool,
    /// The maximal number of kept words.
    most_kept: usize,
    kept: Mutex<FreeBuffers>,
}

/// Buffers by their capacity in words, and the sum of all capacities.
#[derive(Default)]
struct FreeBuffers {
    by_room: BTreeMap<usize, OfRoom>,
    words: usize,
    /// The number of buffers that were ever kept.
    count: u64,
}

/// Buffers of one capacity.
#[derive(Default)]
struct OfRoom {
    buffers: Vec<Memory>,
    /// The number of the most recent one.
    latest: u64,
}

/// The words of a polynomial: whole cache lines.
pub(super) struct Buffer {
    /// Present until the buffer is dropped. Its capacity may be larger.
    memory: Option<Memory>,
    words: usize,
    /// `true` if the words are overwritten before the memory is reused. Every owner of a clone may
    /// set this.
    is_secret: AtomicBool,
    pool: Arc<Pool>,
}

impl Default for Pool {
    fn default() -> Self {
        Self { is_dry: false, most_kept: MAX_KEPT, kept: Mutex::default() }
    }
}

impl Pool {
    /// Creates a pool whose buffers have no words.
    pub fn dry() -> Self {
        Self { is_dry: true, ..Self::default() }
    }

    /// Returns `true` if buffers have no words.
    pub fn is_dry(&self) -> bool {
        self.is_dry
    }

    /// Returns a buffer of `words` words, a multiple of 16, with arbitrary content: earlier results
    /// may remain in it unless they were secret. The buffer itself is not marked secret.
    pub fn take(self: &Arc<Self>, words: usize) -> Buffer {
        let words = if self.is_dry { 0 } else { words };
        let memory = self.kept_for(words).unwrap_or_else(|| Memory::new(words));
        Buffer {
            memory: Some(memory),
            words,
            is_secret: AtomicBool::new(false),
            pool: Arc::clone(self),
        }
    }

    /// Returns the smallest kept buffer that has a capacity of at least `words` words and is at
    /// least half used.
    fn kept_for(&self, words: usize) -> Option<Memory> {
        let mut kept = self.lock();
        let room = *kept.by_room.range(words..=2 * words).next()?.0;
        kept.pop(room)
    }

    /// Frees all unused buffers.
    pub fn clear(&self) {
        *self.lock() = FreeBuffers::default();
    }

    fn lock(&self) -> MutexGuard<'_, FreeBuffers> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FreeBuffers {
    /// Takes a buffer of this capacity.
    fn pop(&mut self, room: usize) -> Option<Memory> {
        let of_room = self.by_room.get_mut(&room)?;
        let memory = of_room.buffers.pop()?;
        if of_room.buffers.is_empty() {
            self.by_room.remove(&room);
        }
        self.words -= room;
        Some(memory)
    }

    /// Keeps a buffer. If `most` words are not enough for all, it first evicts buffers of the
    /// capacity that was returned least recently. Returns the buffers that are not kept.
    fn push(&mut self, memory: Memory, most: usize) -> Vec<Memory> {
        let room = memory.words().len();
        let own = self.by_room.get(&room).map_or(0, |own| own.buffers.len() * room);
        if own + room > most {
            return vec![memory];
        }
        let mut others = Vec::new();
        while self.words + room > most {
            let sizes = self.by_room.iter().filter(|(size, _)| **size != room);
            let oldest = sizes.min_by_key(|(_, of)| of.latest).map(|(size, _)| *size);
            let Some(other) = oldest else { break };
            others.extend(self.pop(other));
        }
        self.words += room;
        self.count += 1;
        let of_room = self.by_room.entry(room).or_default();
        of_room.latest = self.count;
        of_room.buffers.push(memory);
        others
    }
}

impl Buffer {
    /// The words.
    pub fn words(&self) -> &[u32] {
        self.memory.as_ref().map_or(&[], |memory| &memory.words()[..self.words])
    }

    /// The words.
    pub fn words_mut(&mut self) -> &mut [u32] {
        self.memory.as_mut().map_or(&mut [], |memory| &mut memory.words_mut()[..self.words])
    }

    /// Returns `true` if the words are secret.
    pub fn is_secret(&self) -> bool {
        self.is_secret.load(Ordering::Relaxed)
    }

    /// Marks the words secret: they and all their copies are overwritten on drop.
    pub fn mark_secret(&self) {
        self.is_secret.store(true, Ordering::Relaxed);
    }

    /// Removes the mark.
    pub fn declassify(&mut self) {
        *self.is_secret.get_mut() = false;
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.is_secret() {
            self.words_mut().zeroize();
        }
        let memory = self.memory.take().filter(|memory| !memory.words().is_empty());
        let Some(memory) = memory else { return };
        // Free the other buffers after the lock is released.
        let others = self.pool.lock().push(memory, self.pool.most_kept);
        drop(others);
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Self {
        let mut copy = self.pool.take(self.words);
        *copy.is_secret.get_mut() = self.is_secret();
        copy.words_mut().copy_from_slice(self.words());
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again_for_as_many_words_or_somewhat_fewer() {
        let pool = Arc::new(Pool::default());
        let mut first = pool.take(64);
        first.words_mut().iter_mut().zip(1..).for_each(|(word, number)| *word = number);
        assert_eq!(first.words().as_ptr() as usize % 64, 0);
        let copy = first.clone();
        assert_eq!(copy.words(), first.words());
        let place = first.words().as_ptr();
        drop(first);
        assert_eq!(pool.take(128).words(), [0; 128]);
        assert_eq!(pool.take(16).words(), [0; 16]);
        pool.clear();
        drop(copy);
        let fewer = pool.take(48);
        assert_eq!(fewer.words(), (1..=48).collect::<Vec<u32>>());
        assert_ne!(fewer.words().as_ptr(), place);
        drop(fewer);
        assert_eq!(pool.take(64).words().len(), 64);
        pool.clear();
        assert!(pool.lock().by_room.is_empty());
    }

    #[test]
    fn secrets_are_overwritten_before_the_memory_is_used_again() {
        let pool = Arc::new(Pool::default());
        for (is_secret, is_copy) in [(false, false), (true, false), (true, true)] {
            let mut buffer = pool.take(64);
            buffer.words_mut().iter_mut().zip(1..).for_each(|(word, number)| *word = number);
            if is_secret {
                buffer.mark_secret();
            }
            let copy = is_copy.then(|| buffer.clone());
            assert!(copy.iter().all(Buffer::is_secret));
            drop((copy, buffer));
            let all: Vec<Buffer> = (0..1 + usize::from(is_copy)).map(|_| pool.take(64)).collect();
            for again in &all {
                assert!(!again.is_secret());
                assert_eq!(again.words() == [0; 64], is_secret);
            }
            drop(all);
            pool.clear();
        }
    }

    #[test]
    fn no_more_are_kept_than_said() {
        let pool = Arc::new(Pool { most_kept: 1000, ..Pool::default() });
        for (taken, kept) in [
            // Two of three buffers of 400 words are kept. They replace the first ones if necessary.
            (vec![16, 32, 48], vec![(16, 1), (32, 1), (48, 1)]),
            (vec![400, 400, 400], vec![(16, 1), (32, 1), (48, 1), (400, 2)]),
            (vec![16, 16, 16], vec![(16, 2), (32, 1), (48, 1), (400, 2)]),
            (vec![96], vec![(16, 2), (32, 1), (400, 2), (96, 1)]),
            (vec![800], vec![(16, 2), (32, 1), (96, 1), (800, 1)]),
            (vec![1008], vec![(16, 2), (32, 1), (96, 1), (800, 1)]),
        ] {
            drop(taken.iter().map(|words| pool.take(*words)).collect::<Vec<_>>());
            let now = pool.lock();
            let rooms = now.by_room.iter().map(|(room, of)| (*room, of.buffers.len()));
            let rooms: BTreeMap<usize, usize> = rooms.collect();
            assert_eq!(rooms, kept.into_iter().collect(), "{taken:?}");
            assert_eq!(now.words, rooms.iter().map(|(room, count)| room * count).sum::<usize>());
            assert!(now.words <= 1000);
        }
    }
}
