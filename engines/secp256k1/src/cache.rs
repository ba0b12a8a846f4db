// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A cache of parsed compressed keys: a lookup costs far less than the square root that parsing
//! needs. Uncompressed keys are not cached, since parsing one is faster than a lookup.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

use secp256k1::PublicKey;

use crate::key::{parse_key, KeyError, COMPRESSED_BYTES};

/// The number of keys in a set. A full set evicts its least recently used key.
const WAYS: usize = 8;

/// Parsed keys, indexed by their compressed bytes: at most [`Self::capacity`], in sets of eight,
/// each with its own lock. The hash is randomized, so that whoever chooses the keys cannot predict
/// their sets.
#[derive(Debug)]
pub struct KeyCache {
    sets: Box<[Mutex<Set>]>,
    hash: RandomState,
}

/// The number of lookups that found a key, and of those that did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounts {
    /// The number of lookups that found the key.
    pub hits: u64,
    /// The number of lookups after which the key had to be parsed, including invalid keys.
    pub misses: u64,
}

impl CacheCounts {
    /// hits / (hits + misses), or 0 before the first lookup.
    pub fn hit_rate(&self) -> f64 {
        let asked = self.hits + self.misses;
        if asked == 0 {
            return 0.0;
        }
        self.hits as f64 / asked as f64
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    bytes: [u8; COMPRESSED_BYTES],
    key: PublicKey,
    /// The set's clock at the last lookup of this key.
    used: u64,
}

/// The keys behind one lock. The clock counts lookups.
#[derive(Debug, Default)]
struct Set {
    entries: Vec<Entry>,
    counts: CacheCounts,
}

impl KeyCache {
    /// The default capacity in keys. A full cache takes 7 MB.
    pub const DEFAULT_CAPACITY: usize = 1 << 16;

    /// Creates an empty cache of this many keys, rounded up to a multiple of eight.
    pub fn new(capacity: usize) -> Self {
        let sets = capacity.div_ceil(WAYS).max(1);
        Self { sets: (0..sets).map(|_| Mutex::default()).collect(), hash: RandomState::new() }
    }

    /// The maximum number of keys.
    pub fn capacity(&self) -> usize {
        self.sets.len() * WAYS
    }

    /// The current number of keys.
    pub fn len(&self) -> usize {
        self.sets.iter().map(|set| lock(set).entries.len()).sum()
    }

    /// Returns `true` if the cache has no keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The lookups so far.
    pub fn counts(&self) -> CacheCounts {
        let mut sum = CacheCounts::default();
        for set in &self.sets {
            let counts = lock(set).counts;
            sum.hits += counts.hits;
            sum.misses += counts.misses;
        }
        sum
    }

    /// Parses a public key as [`parse_key`] does, or returns it from the cache.
    ///
    /// # Errors
    /// As [`parse_key`].
    pub fn parse_key(&self, bytes: &[u8]) -> Result<PublicKey, KeyError> {
        let Ok(compressed) = <&[u8; COMPRESSED_BYTES]>::try_from(bytes) else {
            return parse_key(bytes);
        };
        if let Some(key) = self.find(compressed) {
            return Ok(key);
        }
        // Parsed outside the lock; another thread may parse the same key meanwhile.
        let key = parse_key(bytes)?;
        self.keep(compressed, key);
        Ok(key)
    }

    /// Looks up a key, and counts the hit or the miss.
    pub(crate) fn find(&self, bytes: &[u8; COMPRESSED_BYTES]) -> Option<PublicKey> {
        lock(self.set(bytes)).find(bytes)
    }

    /// Stores a key that was not found.
    pub(crate) fn keep(&self, bytes: &[u8; COMPRESSED_BYTES], key: PublicKey) {
        lock(self.set(bytes)).keep(bytes, key);
    }

    fn set(&self, bytes: &[u8; COMPRESSED_BYTES]) -> &Mutex<Set> {
        &self.sets[(self.hash.hash_one(bytes) % self.sets.len() as u64) as usize]
    }
}

impl Default for KeyCache {
    fn default() -> Self {
        Self::new(Self::DEFAULT_CAPACITY)
    }
}

impl Set {
    fn clock(&self) -> u64 {
        self.counts.hits + self.counts.misses
    }

    fn find(&mut self, bytes: &[u8; COMPRESSED_BYTES]) -> Option<PublicKey> {
        let clock = self.clock();
        match self.entries.iter_mut().find(|entry| entry.bytes == *bytes) {
            Some(entry) => {
                self.counts.hits += 1;
                entry.used = clock;
                Some(entry.key)
            }
            None => {
                self.counts.misses += 1;
                None
            }
        }
    }

    fn keep(&mut self, bytes: &[u8; COMPRESSED_BYTES], key: PublicKey) {
        if self.entries.iter().any(|entry| entry.bytes == *bytes) {
            return;
        }
        let entry = Entry { bytes: *bytes, key, used: self.clock() };
        if self.entries.len() < WAYS {
            self.entries.reserve_exact(WAYS - self.entries.len());
            self.entries.push(entry);
        } else if let Some(oldest) = self.entries.iter_mut().min_by_key(|entry| entry.used) {
            *oldest = entry;
        }
    }
}

/// Locks a set. A thread that panicked while it held the lock leaves the keys consistent.
fn lock(set: &Mutex<Set>) -> std::sync::MutexGuard<'_, Set> {
    set.lock().unwrap_or_else(PoisonError::into_inner)
}
