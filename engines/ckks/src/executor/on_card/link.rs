// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The link to a card, as seen by the executor of programs.

use crate::card::JobDevice;

/// A card with a memory that runs jobs.
pub trait CardLink: JobDevice + Send + Sync {
    /// The name, such as "sim".
    fn name(&self) -> &str;

    /// The number of resets. The contents of the memory before a reset are sent again.
    fn resets(&self) -> u64;
}

/// The work that a card has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CardTraffic {
    /// The number of completed jobs.
    pub jobs: u64,
    /// The number of clocks of these jobs.
    pub clocks: u64,
    /// Bytes written to the card's memory.
    pub written_bytes: u64,
    /// Bytes read from the card's memory.
    pub read_bytes: u64,
}
