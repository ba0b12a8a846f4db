// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Objects in memory, those that were used last.

use std::sync::{Arc, Mutex, PoisonError};

use super::Hash;
use crate::refusal::Refusal;

/// A cache of objects within a budget of bytes; one that exceeds it alone is kept alone.
pub struct Cache<T> {
    budget_bytes: u64,
    /// The one that was used last stands first.
    entries: Mutex<Vec<(Hash, u64, Arc<T>)>>,
    /// One object is read at a time, so that two requests for one do not take its memory twice.
    reading: Mutex<()>,
}

impl<T> Cache<T> {
    /// An empty cache.
    pub fn new(budget_bytes: u64) -> Self {
        Self { budget_bytes, entries: Mutex::default(), reading: Mutex::new(()) }
    }

    /// The object of this hash, read where it is not here.
    ///
    /// # Errors
    /// Those of reading.
    pub fn get(
        &self,
        hash: &Hash,
        bytes: u64,
        read: impl FnOnce() -> Result<T, Refusal>,
    ) -> Result<Arc<T>, Refusal> {
        if let Some(found) = self.find(hash) {
            return Ok(found);
        }
        let _one_at_a_time = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = self.find(hash) {
            return Ok(found);
        }
        self.make_room(bytes);
        let read = Arc::new(read()?);
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.insert(0, (*hash, bytes, Arc::clone(&read)));
        Ok(read)
    }

    /// Forgets an object.
    pub fn forget(&self, hash: &Hash) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|(known, ..)| known != hash);
    }

    fn find(&self, hash: &Hash) -> Option<Arc<T>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let place = entries.iter().position(|(known, ..)| known == hash)?;
        entries[..=place].rotate_right(1);
        entries.first().map(|(.., object)| Arc::clone(object))
    }

    fn make_room(&self, bytes: u64) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = |entries: &[(Hash, u64, Arc<T>)]| entries.iter().map(|(_, bytes, _)| bytes).sum();
        while !entries.is_empty() && bytes.saturating_add(sum(&entries)) > self.budget_bytes {
            entries.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_last_stays_within_the_budget() {
        let cache = Cache::new(10);
        let read = |number: u8, bytes: u64| {
            let mut was_read = false;
            let got = cache.get(&[number; 32], bytes, || {
                was_read = true;
                Ok(number)
            });
            assert_eq!(*got.unwrap(), number);
            was_read
        };
        assert!(read(1, 4) && read(2, 4) && !read(1, 4));
        assert!(read(3, 4), "the second makes room");
        assert!(!read(1, 4) && read(2, 4), "the third, and not the first, has made room");
        assert!(read(4, 100) && !read(4, 100), "one alone may exceed the budget");
        cache.forget(&[4; 32]);
        assert!(read(4, 1));
    }
}
