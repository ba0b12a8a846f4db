// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Accounting of the memory for objects and for computations with them. A share is taken before
//! memory is allocated, and returned when the memory is freed.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use halimede_arith::job::interrupt;

/// The interval at which a waiting thread checks whether it should stop.
const LOOK: Duration = Duration::from_millis(50);

/// A number of bytes of memory.
#[derive(Debug)]
pub struct Memory {
    most: u64,
    used: Mutex<u64>,
    freed: Condvar,
}

/// A share of the memory; dropping it returns the share.
#[derive(Debug)]
pub struct Share {
    memory: Arc<Memory>,
    bytes: u64,
}

impl Memory {
    /// Returns a memory of `most` bytes.
    pub fn new(most: u64) -> Arc<Self> {
        Arc::new(Self { most, used: Mutex::new(0), freed: Condvar::new() })
    }

    /// Returns the total number of bytes.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Returns the number of bytes in use.
    pub fn used(&self) -> u64 {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes `bytes`, if they are free.
    pub fn take(self: &Arc<Self>, bytes: u64) -> Option<Share> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let after = used.checked_add(bytes).filter(|after| *after <= self.most)?;
        *used = after;
        Some(Share { memory: Arc::clone(self), bytes })
    }

    /// Waits a moment for others to return memory. Returns `false` if this thread should stop.
    pub fn wait(&self) -> bool {
        if interrupt::is_requested() == Some(true) {
            return false;
        }
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.freed.wait_timeout(used, LOOK));
        true
    }
}

impl Share {
    /// Returns the number of bytes of the share.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds another share of the same memory.
    pub fn merge(&mut self, other: Option<Self>) {
        if let Some(mut other) = other {
            self.bytes += std::mem::take(&mut other.bytes);
        }
    }

    /// Returns everything beyond `bytes` to the memory.
    pub fn shrink_to(&mut self, bytes: u64) {
        let less = self.bytes.saturating_sub(bytes);
        let mut used = self.memory.used.lock().unwrap_or_else(PoisonError::into_inner);
        *used -= less;
        self.bytes -= less;
        drop(used);
        self.memory.freed.notify_all();
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.shrink_to(0);
    }
}
