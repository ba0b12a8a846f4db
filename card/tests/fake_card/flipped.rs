// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A link that flips one bit of the stream to the card.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use halimede_card::transport::{Socket, Transport};
use halimede_card::CardError;

/// The distance of the bit from the next sent bit. This value means that no bit is flipped.
const NONE: usize = usize::MAX;

/// The position of the bit. It is set once the card is open: the number of bytes sent before
/// depends on how fast the card answers.
#[derive(Clone, Debug)]
pub struct Flip(Arc<AtomicUsize>);

impl Flip {
    /// Sets the bit at this distance, in bits.
    pub fn set(&self, distance: usize) {
        self.0.store(distance, Ordering::Relaxed);
    }
}

/// A link that flips one bit; see the module documentation.
pub struct Flipped {
    socket: Socket,
    flip: Flip,
}

impl Flipped {
    /// Wraps a link, and returns the handle that sets the position of the bit.
    pub fn new(socket: Socket) -> (Self, Flip) {
        let flip = Flip(Arc::new(AtomicUsize::new(NONE)));
        (Self { socket, flip: flip.clone() }, flip)
    }
}

impl Transport for Flipped {
    fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        limit: Duration,
    ) -> Result<usize, CardError> {
        let distance = self.flip.0.load(Ordering::Relaxed);
        if distance == NONE {
            return self.socket.exchange(outgoing, incoming, limit);
        }
        let mut changed = outgoing.to_vec();
        if let Some(byte) = changed.get_mut(distance / 8) {
            *byte ^= 1 << (distance % 8);
        }
        let sent = self.socket.exchange(&changed, incoming, limit)?;
        self.flip.set(distance.checked_sub(8 * sent).unwrap_or(NONE));
        Ok(sent)
    }
}
