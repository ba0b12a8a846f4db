// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whether a request's client still waits for it. A turn whose clients have all gone is interrupted.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::lock;

/// The life of a request.
#[derive(Debug, Default)]
pub struct Life {
    state: Mutex<State>,
    /// Set when the client has gone, while the state is held.
    has_gone: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct State {
    turn: Option<Arc<Turn>>,
}

/// A turn under way.
#[derive(Debug)]
pub struct Turn {
    waiting: AtomicUsize,
    /// The engines' flag.
    pub interrupt: Arc<AtomicBool>,
}

impl Turn {
    /// A turn for nobody so far.
    pub fn new() -> Arc<Self> {
        Arc::new(Self { waiting: AtomicUsize::new(0), interrupt: Arc::default() })
    }
}

impl Life {
    /// A flag that is set when the client has gone.
    pub fn has_gone(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.has_gone)
    }

    /// Takes part in a turn; false where the client has gone.
    pub fn join(&self, turn: &Arc<Turn>) -> bool {
        let mut state = lock(&self.state);
        if self.has_gone.load(Ordering::Relaxed) {
            return false;
        }
        turn.waiting.fetch_add(1, Ordering::Relaxed);
        state.turn = Some(Arc::clone(turn));
        true
    }

    /// The turn has ended.
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

/// What a client's connection holds as long as it waits.
#[derive(Debug, Default)]
pub struct Guard(Arc<Life>);

impl Guard {
    /// The life that ends with this.
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
