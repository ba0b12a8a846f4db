// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory of polynomials: aligned to cache lines, and kept for the next one of its size. A
//! polynomial of 47 residues has 12 MB at N = 2¹⁶; taking them from the system and back costs more
//! than adding two of them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zeroize::Zeroize;

use super::memory::Memory;

/// The most words of buffers that are kept, 1 GiB: a matrix with 32 baby steps at the top level of
/// N = 2¹⁶ has three quarters of it in use at a time.
const MAX_KEPT: usize = 1 << 28;

/// Buffers that are not in use, by the words that they have room for.
pub(super) struct Pool {
    /// Whether buffers have no words: those of a ring that only records.
    is_dry: bool,
    /// The most words that are kept.
    most_kept: usize,
    kept: Mutex<FreeBuffers>,
}

/// Buffers by the words that they have room for, and the sum of these.
#[derive(Default)]
struct FreeBuffers {
    by_room: BTreeMap<usize, OfRoom>,
    words: usize,
    /// How many buffers were ever kept.
    count: u64,
}

/// Buffers of one size.
#[derive(Default)]
struct OfRoom {
    buffers: Vec<Memory>,
    /// The number of the latest one.
    latest: u64,
}

/// Words of a polynomial, whole cache lines.
pub(super) struct Buffer {
    /// Always there until it is dropped; it may have room for more.
    memory: Option<Memory>,
    words: usize,
    /// Whether the words are overwritten before anybody else has the memory. All who share them may
    /// say so.
    is_secret: AtomicBool,
    pool: Arc<Pool>,
}

impl Default for Pool {
    fn default() -> Self {
        Self { is_dry: false, most_kept: MAX_KEPT, kept: Mutex::default() }
    }
}

impl Pool {
    /// A pool whose buffers have no words.
    pub fn dry() -> Self {
        Self { is_dry: true, ..Self::default() }
    }

    /// Whether buffers have no words.
    pub fn is_dry(&self) -> bool {
        self.is_dry
    }

    /// A buffer of `words` words, a multiple of 16, with any content: what was computed before may
    /// stand in it, unless that was secret. It is not secret itself.
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

    /// The smallest kept buffer that has room for `words` words and leaves at most half idle.
    fn kept_for(&self, words: usize) -> Option<Memory> {
        let mut kept = self.lock();
        let room = *kept.by_room.range(words..=2 * words).next()?.0;
        kept.pop(room)
    }

    /// Gives all buffers that are not in use back to the system.
    pub fn clear(&self) {
        *self.lock() = FreeBuffers::default();
    }

    fn lock(&self) -> MutexGuard<'_, FreeBuffers> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FreeBuffers {
    /// A buffer that has room for so many words.
    fn pop(&mut self, room: usize) -> Option<Memory> {
        let of_room = self.by_room.get_mut(&room)?;
        let memory = of_room.buffers.pop()?;
        if of_room.buffers.is_empty() {
            self.by_room.remove(&room);
        }
        self.words -= room;
        Some(memory)
    }

    /// Keeps a buffer: where `most` words do not suffice for all, in the place of those of the sizes of
    /// which none was given back for the longest. Gives what is not kept.
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

    /// Whether the words are secret.
    pub fn is_secret(&self) -> bool {
        self.is_secret.load(Ordering::Relaxed)
    }

    /// Marks the words secret: they and all copies of them are overwritten when they are dropped.
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
        // The system takes back what is not kept, while nobody waits for the lock.
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
            // Of three of 400 words two are kept, in the place of the first ones where they need it.
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
