// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The link to a card, as the executor of programs sees it.

use crate::card::JobDevice;

/// A card with a memory, to which jobs go.
pub trait CardLink: JobDevice + Send + Sync {
    /// Its name, such as "sim".
    fn name(&self) -> &str;

    /// How often it was reset. What its memory held before a reset is sent again.
    fn resets(&self) -> u64;
}

/// What has been asked of a card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CardTraffic {
    /// Jobs that ended.
    pub jobs: u64,
    /// Clocks that they took.
    pub clocks: u64,
    /// Bytes that were written into its memory.
    pub written_bytes: u64,
    /// Bytes that were read from there.
    pub read_bytes: u64,
}
