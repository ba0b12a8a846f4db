// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compressed keys that were parsed before: finding one costs far less than the square root that
//! parsing it takes. An uncompressed key is parsed in less time than it would be found.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

use secp256k1::PublicKey;

use crate::key::{parse_key, KeyError, COMPRESSED_BYTES};

/// Keys of a set, of which the one goes that was not asked for longest.
const WAYS: usize = 8;

/// Parsed keys by their compressed bytes: at most [`Self::capacity`], in sets of eight behind a
/// lock each. Which set a key belongs to cannot be foreseen by who chooses the keys.
#[derive(Debug)]
pub struct KeyCache {
    sets: Box<[Mutex<Set>]>,
    hash: RandomState,
}

/// How often keys were asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounts {
    /// Times a key was found.
    pub hits: u64,
    /// Times it had to be parsed, or turned out to be none.
    pub misses: u64,
}

impl CacheCounts {
    /// hits / (hits + misses), or 0 where nothing was asked for.
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
    /// The set's clock when it was last asked for.
    used: u64,
}

/// A lock's keys. Its clock is the number of times it was asked.
#[derive(Debug, Default)]
struct Set {
    entries: Vec<Entry>,
    counts: CacheCounts,
}

impl KeyCache {
    /// Keys of a cache where nobody says how many: 7 MB when it is full.
    pub const DEFAULT_CAPACITY: usize = 1 << 16;

    /// An empty cache of this many keys, rounded up to a multiple of eight.
    pub fn new(capacity: usize) -> Self {
        let sets = capacity.div_ceil(WAYS).max(1);
        Self { sets: (0..sets).map(|_| Mutex::default()).collect(), hash: RandomState::new() }
    }

    /// Most keys that it keeps.
    pub fn capacity(&self) -> usize {
        self.sets.len() * WAYS
    }

    /// Keys that it has now.
    pub fn len(&self) -> usize {
        self.sets.iter().map(|set| lock(set).entries.len()).sum()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How often keys were asked for so far.
    pub fn counts(&self) -> CacheCounts {
        let mut sum = CacheCounts::default();
        for set in &self.sets {
            let counts = lock(set).counts;
            sum.hits += counts.hits;
            sum.misses += counts.misses;
        }
        sum
    }

    /// Reads a public key as [`parse_key`] does, or finds that it was read before.
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
        // Parsed outside of the lock: another thread may do the same meanwhile.
        let key = parse_key(bytes)?;
        self.keep(compressed, key);
        Ok(key)
    }

    /// A key that was parsed before. Either answer is counted.
    pub(crate) fn find(&self, bytes: &[u8; COMPRESSED_BYTES]) -> Option<PublicKey> {
        lock(self.set(bytes)).find(bytes)
    }

    /// Keeps a key that was not found.
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

/// A set's keys are whole whatever a thread that held the lock did.
fn lock(set: &Mutex<Set>) -> std::sync::MutexGuard<'_, Set> {
    set.lock().unwrap_or_else(PoisonError::into_inner)
}
