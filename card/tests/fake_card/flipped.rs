// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A link that flips one bit of what goes to the card.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use halimede_card::transport::{Socket, Transport};
use halimede_card::CardError;

/// The bit, in bits from what is sent next; none while it is this.
const NONE: usize = usize::MAX;

/// Where the bit is. Set once the card is open: how many bytes the opening takes depends on how
/// fast the card answers.
#[derive(Clone, Debug)]
pub struct Flip(Arc<AtomicUsize>);

impl Flip {
    /// This many bits from here.
    pub fn set(&self, distance: usize) {
        self.0.store(distance, Ordering::Relaxed);
    }
}

/// See the module.
pub struct Flipped {
    socket: Socket,
    flip: Flip,
}

impl Flipped {
    /// A link over this one, and the place of the bit.
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
