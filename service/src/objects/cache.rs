// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A cache of the most recently used objects. Each object holds its share of the memory while it is
//! in use: an object in use is never evicted.

use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use halimede_arith::interface::Object;
use halimede_arith::job::interrupt;

use super::memory::{Memory, Share};
use super::Hash;
use crate::refusal::{Reason, Refusal};

/// The interval at which a thread that waits for an object checks whether it should stop.
const LOOK: Duration = Duration::from_millis(50);
/// The time after which to try again if others use the memory.
const RETRY: Duration = Duration::from_secs(5);

/// A cache of objects of any type.
pub struct Cache {
    memory: Arc<Memory>,
    state: Mutex<State>,
    /// Signals that reading an object succeeded or failed.
    read: Condvar,
}

#[derive(Default)]
struct State {
    /// The entries, the most recently used one first.
    entries: Vec<Entry>,
    /// The objects that are being read, each by only one thread.
    reading: HashSet<Hash>,
}

struct Entry {
    hash: Hash,
    object: Object,
    /// The share of the memory, returned with the entry.
    _share: Share,
}

impl Cache {
    /// Returns an empty cache of `bytes`.
    pub fn new(bytes: u64) -> Self {
        Self { memory: Memory::new(bytes), state: Mutex::default(), read: Condvar::new() }
    }

    /// The memory.
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Like [`Self::object`], for a type.
    ///
    /// # Errors
    /// As for [`Self::object`].
    pub fn get<T: Send + Sync + 'static>(
        &self,
        hash: &Hash,
        read: impl FnOnce() -> Result<(T, Share), Refusal>,
    ) -> Result<Arc<T>, Refusal> {
        let object =
            self.object(hash, || read().map(|(object, share)| (Arc::new(object) as _, share)));
        object?
            .downcast()
            .map_err(|_| Refusal::new(Reason::Internal, "an object is of two types in memory"))
    }

    /// Returns the object with this hash, and reads it if it is not in the cache. If another thread
    /// is reading it, waits for that thread, unless the client disconnects.
    ///
    /// # Errors
    /// The errors of reading; [`Reason::Deadline`] if the client has disconnected.
    pub fn object(
        &self,
        hash: &Hash,
        read: impl FnOnce() -> Result<(Object, Share), Refusal>,
    ) -> Result<Object, Refusal> {
        let mut state = self.state();
        loop {
            if let Some(found) = state.find(hash) {
                return Ok(found);
            }
            if state.reading.insert(*hash) {
                break;
            }
            check_wanted()?;
            let woken = self.read.wait_timeout(state, LOOK);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(state);
        let reading = Reading { cache: self, hash };
        let (object, share) = read()?;
        let entry = Entry { hash: *hash, object: Arc::clone(&object), _share: share };
        self.state().entries.insert(0, entry);
        drop(reading);
        Ok(object)
    }

    /// Removes an object that is not in use.
    pub fn forget(&self, hash: &Hash) {
        let entries = &mut self.state().entries;
        entries.retain(|entry| entry.hash != *hash || Arc::strong_count(&entry.object) > 1);
    }

    /// Takes memory for `what`. Evicts objects that are not in use, the least recently used first.
    /// Waits up to `patience` for others to return memory.
    ///
    /// # Errors
    /// [`Reason::KeyMemory`] if `bytes` exceeds the total, [`Reason::Memory`] if others use the
    /// memory.
    pub fn take(&self, bytes: u64, patience: Duration, what: &str) -> Result<Share, Refusal> {
        let most = self.memory.most();
        if bytes > most {
            let message = format!(
                "{what} needs {} of memory, but the limit for all is {} (--key-memory)",
                human(bytes),
                human(most)
            );
            return Err(Refusal::new(Reason::KeyMemory, message));
        }
        let end = Instant::now() + patience;
        loop {
            if let Some(share) = self.memory.take(bytes) {
                return Ok(share);
            }
            if self.drop_oldest() {
                continue;
            }
            if Instant::now() >= end {
                let left = most.saturating_sub(self.memory.used());
                let message = format!(
                    "{what} needs {} of memory, but only {} of {} are free: try again later",
                    human(bytes),
                    human(left),
                    human(most)
                );
                return Err(Refusal::for_now(Reason::Memory, message, RETRY));
            }
            if !self.memory.wait() {
                return Err(unwanted());
            }
        }
    }

    /// Evicts the least recently used object that is not in use. Returns `false` without such an
    /// object.
    fn drop_oldest(&self) -> bool {
        let mut state = self.state();
        let oldest = state.entries.iter().rposition(|entry| Arc::strong_count(&entry.object) == 1);
        let dropped = oldest.map(|place| state.entries.remove(place));
        // Without the lock: freeing the object takes time.
        drop(state);
        dropped.is_some()
    }
}

impl State {
    fn find(&mut self, hash: &Hash) -> Option<Object> {
        let place = self.entries.iter().position(|entry| entry.hash == *hash)?;
        self.entries[..=place].rotate_right(1);
        self.entries.first().map(|entry| Arc::clone(&entry.object))
    }
}

/// Marks an object as being read, until it is dropped.
struct Reading<'c> {
    cache: &'c Cache,
    hash: &'c Hash,
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.cache.state().reading.remove(self.hash);
        self.cache.read.notify_all();
    }
}

/// Checks that a client still waits for the work of this thread.
///
/// # Errors
/// [`Reason::Deadline`].
pub fn check_wanted() -> Result<(), Refusal> {
    match interrupt::is_requested() {
        Some(true) => Err(unwanted()),
        _ => Ok(()),
    }
}

fn unwanted() -> Refusal {
    Refusal::new(Reason::Deadline, "the client no longer waits for the answer")
}

/// Formats a number of bytes for people.
pub fn human(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        1_000_000..10_000_000_000 => format!("{} MB", bytes.div_ceil(1_000_000)),
        _ => format!("{} GB", bytes.div_ceil(1_000_000_000)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::ZERO;

    #[test]
    fn what_was_used_last_stays_and_what_is_in_use() {
        let cache = Cache::new(10);
        let get = |number: u8, bytes: u64| {
            let mut was_read = false;
            let got = cache.get(&[number; 32], || {
                was_read = true;
                Ok((number, cache.take(bytes, NOW, "this")?))
            });
            got.map(|got| {
                assert_eq!(*got, number);
                (was_read, got)
            })
        };
        let was_read = |number: u8, bytes: u64| get(number, bytes).unwrap().0;
        assert!(was_read(1, 4) && was_read(2, 4) && !was_read(1, 4));
        assert!(was_read(3, 4), "the second makes room");
        assert!(!was_read(1, 4) && was_read(2, 4), "the third, and not the first, has made room");
        assert_eq!(get(4, 11).unwrap_err().reason, Reason::KeyMemory);
        let (_, held) = get(5, 8).unwrap();
        let refusal = get(6, 3).unwrap_err();
        assert_eq!(refusal.reason, Reason::Memory, "{refusal}");
        cache.forget(&[5; 32]);
        assert!(get(6, 3).is_err(), "it is in use still");
        drop(held);
        assert!(was_read(6, 3) && was_read(5, 8));
        cache.forget(&[5; 32]);
        assert_eq!(cache.memory().used(), 0);
    }

    #[test]
    fn one_that_is_being_read_is_read_once() {
        let cache = Cache::new(10);
        let count = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let read = || {
                        count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        Ok((7u8, cache.take(1, NOW, "this")?))
                    };
                    assert_eq!(*cache.get(&[1; 32], read).unwrap(), 7);
                });
            }
        });
        assert_eq!(count.into_inner(), 1);
        // After a failure, reading can be tried again.
        let failed: Result<Arc<u8>, _> =
            cache.get(&[2; 32], || Err(Refusal::new(Reason::Content, "bad")));
        assert!(failed.is_err());
        assert!(cache.get(&[2; 32], || Ok((8u8, cache.take(1, NOW, "this")?))).is_ok());
    }
}
