// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory for objects and for what is computed with them. It is taken before it is used, and given
//! back when what used it is gone.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use halimede_arith::job::interrupt;

/// How often one that waits looks whether it still should.
const LOOK: Duration = Duration::from_millis(50);

/// A number of bytes of memory.
#[derive(Debug)]
pub struct Memory {
    most: u64,
    used: Mutex<u64>,
    freed: Condvar,
}

/// A part of it, given back when it is dropped.
#[derive(Debug)]
pub struct Share {
    memory: Arc<Memory>,
    bytes: u64,
}

impl Memory {
    /// So many bytes.
    pub fn new(most: u64) -> Arc<Self> {
        Arc::new(Self { most, used: Mutex::new(0), freed: Condvar::new() })
    }

    /// The bytes that there are.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// The bytes that are taken.
    pub fn used(&self) -> u64 {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes so many bytes, where they are left.
    pub fn take(self: &Arc<Self>, bytes: u64) -> Option<Share> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let after = used.checked_add(bytes).filter(|after| *after <= self.most)?;
        *used = after;
        Some(Share { memory: Arc::clone(self), bytes })
    }

    /// Waits a moment for others to give something back. False where the work of this thread is to
    /// end.
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
    /// Its bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds another share of the same memory.
    pub fn merge(&mut self, other: Option<Self>) {
        if let Some(mut other) = other {
            self.bytes += std::mem::take(&mut other.bytes);
        }
    }

    /// Gives back what exceeds so many bytes.
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
