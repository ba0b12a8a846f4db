// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tracks whether the client of a request still waits. A turn is interrupted when all its clients
//! have disconnected.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::lock;

/// The life of a request.
#[derive(Debug, Default)]
pub struct Life {
    state: Mutex<State>,
    /// Set when the client disconnects, with the state locked.
    has_gone: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct State {
    turn: Option<Arc<Turn>>,
}

/// A running turn.
#[derive(Debug)]
pub struct Turn {
    waiting: AtomicUsize,
    /// The flag that interrupts engines.
    pub interrupt: Arc<AtomicBool>,
}

impl Turn {
    /// Returns a turn without clients.
    pub fn new() -> Arc<Self> {
        Arc::new(Self { waiting: AtomicUsize::new(0), interrupt: Arc::default() })
    }
}

impl Life {
    /// Returns the flag that is set when the client disconnects.
    pub fn has_gone(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.has_gone)
    }

    /// Joins a turn. Returns `false` if the client has disconnected.
    pub fn join(&self, turn: &Arc<Turn>) -> bool {
        let mut state = lock(&self.state);
        if self.has_gone.load(Ordering::Relaxed) {
            return false;
        }
        turn.waiting.fetch_add(1, Ordering::Relaxed);
        state.turn = Some(Arc::clone(turn));
        true
    }

    /// Leaves a turn that has ended.
    pub fn leave(&self) {
        lock(&self.state).turn = None;
    }

    fn go(&self) {
        let mut state = lock(&self.state);
        self.has_gone.store(true, Ordering::Relaxed);
        if let Some(turn) = state.turn.take() {
            if turn.waiting.fetch_sub(1, Ordering::Relaxed) == 1 {
                turn.interrupt.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// A guard that the connection of a client holds while it waits.
#[derive(Debug, Default)]
pub struct Guard(Arc<Life>);

impl Guard {
    /// Returns the life that ends when the guard is dropped.
    pub fn life(&self) -> Arc<Life> {
        Arc::clone(&self.0)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.go();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_interrupted_when_the_last_client_has_gone() {
        let (first, second, late) = (Guard::default(), Guard::default(), Guard::default());
        let turn = Turn::new();
        assert!(first.life().join(&turn) && second.life().join(&turn));
        drop(first);
        assert!(!turn.interrupt.load(Ordering::Relaxed));
        drop(second);
        assert!(turn.interrupt.load(Ordering::Relaxed));
        let life = late.life();
        drop(late);
        assert!(life.has_gone().load(Ordering::Relaxed) && !life.join(&Turn::new()));
    }

    #[test]
    fn a_client_that_goes_after_its_turn_interrupts_nothing() {
        let (first, second) = (Guard::default(), Guard::default());
        let turn = Turn::new();
        assert!(first.life().join(&turn));
        first.life().leave();
        assert!(second.life().join(&turn));
        drop(first);
        assert!(!turn.interrupt.load(Ordering::Relaxed));
    }
}
