// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How a device is opened.

use std::time::Duration;

use halimede_card::transport::SimulatorOptions;
use halimede_card::CardOptions;

/// Settings of [`crate::Device::open_with`]; the default suits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub(crate) card: CardOptions,
    pub(crate) batch_requests: usize,
    pub(crate) simulator: SimulatorOptions,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            card: CardOptions::default(),
            batch_requests: 65_536,
            simulator: SimulatorOptions::default(),
        }
    }
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

    /// Most requests that go to a card at once; a larger batch is cut. 65,536 by default, at
    /// least 1.
    #[must_use]
    pub fn batch_requests(mut self, requests: usize) -> Self {
        self.batch_requests = requests.max(1);
        self
    }

    /// What the simulator of the device `sim` is told: its engines, faults and trace.
    #[must_use]
    pub fn simulator(mut self, options: SimulatorOptions) -> Self {
        self.simulator = options;
        self
    }
}
