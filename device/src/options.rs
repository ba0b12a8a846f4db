// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How a device is opened.

use std::time::Duration;

use halimede_card::transport::SimulatorOptions;
use halimede_card::CardOptions;

/// Settings of [`crate::Device::open_with`]; the default suits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub(crate) card: CardOptions,
    pub(crate) retries: usize,
    pub(crate) simulator: SimulatorOptions,
}

impl Options {
    /// Longest time without any progress after which a card has failed; 10 s by default. A
    /// failed card is reset, which may take half as long again.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.card.time_limit = limit;
        self
    }

    /// Most requests in flight on a card; 512 by default, at least 1.
    #[must_use]
    pub fn window(mut self, requests: usize) -> Self {
        self.card.window = requests;
        self
    }

    /// How often a card that failed is tried again, once it has been reset: so many failures in a
    /// row, none of the requests answered in between, are not yet one of the device. 0 by
    /// default. What was in flight is sent again, so no request is lost and none is answered
    /// twice. A card that cannot be reset is not tried again.
    #[must_use]
    pub fn retries(mut self, retries: usize) -> Self {
        self.retries = retries;
        self
    }

    /// What the simulator of the device `sim` is told: its engines, faults and trace.
    #[must_use]
    pub fn simulator(mut self, options: SimulatorOptions) -> Self {
        self.simulator = options;
        self
    }
}
