// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Options for opening a device.

use std::time::Duration;

use halimede_card::spec::Capability;
use halimede_card::transport::{Image, SimulatorOptions};
use halimede_card::CardOptions;

use crate::crossover::Crossovers;
use crate::specification::Specification;

/// The default time limit of a simulated card. It runs some thousand times slower than a real card,
/// and a core full of signatures is silent for at most 220,000 clocks: 3 s of a processor core, and
/// longer on a busy machine.
const SIMULATED_TIME_LIMIT: Duration = Duration::from_secs(60);

/// The default time limit of the image with the BLS12-381 coprocessor: its longest programs are
/// silent for millions of clocks, at some 30,000 clocks per second.
const LONE_TIME_LIMIT: Duration = Duration::from_secs(1800);

/// The variable with the value `off` for a GPU that is not compared with its fallback.
const CROSSOVER: &str = "HALIMEDE_GPU_CROSSOVER";

/// Settings of [`crate::Device::open_with`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    time_limit: Option<Duration>,
    window: Option<usize>,
    pub(crate) retries: usize,
    pub(crate) simulator: SimulatorOptions,
    pub(crate) gpu_memory: Option<usize>,
    by_speed: Option<bool>,
}

impl Options {
    /// Sets the time without any progress after which a card has failed; by default 10 s, 60 s for
    /// a simulated card, and half an hour for its BLS12-381 coprocessor. A failed card is reset,
    /// which may take half of this time in addition.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// Sets the largest number of requests in flight on a card; 512 by default, at least 1.
    #[must_use]
    pub fn window(mut self, requests: usize) -> Self {
        self.window = Some(requests);
        self
    }

    /// Sets how often a failed card is reset and retried; 0 by default. The device fails after more
    /// consecutive failures without a reply in between. Requests in flight are sent again, so no
    /// request is lost or answered twice. A card that cannot be reset is not retried.
    #[must_use]
    pub fn retries(mut self, retries: usize) -> Self {
        self.retries = retries;
        self
    }

    /// Sets the most bytes of a GPU's memory to use; by default 90 % of the memory.
    #[must_use]
    pub fn gpu_memory(mut self, bytes: usize) -> Self {
        self.gpu_memory = Some(bytes);
        self
    }

    /// Sets whether the fallback of a GPU answers the batches for which it is faster, by the times
    /// of earlier batches; by default, unless the variable `HALIMEDE_GPU_CROSSOVER` is `off`. Cards
    /// answer all that they can.
    #[must_use]
    pub fn by_speed(mut self, by_speed: bool) -> Self {
        self.by_speed = Some(by_speed);
        self
    }

    /// The record of times, if the fallback may answer by speed.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "only GPUs are compared"))]
    pub(crate) fn crossovers(&self) -> Option<Crossovers> {
        let is_off = || std::env::var_os(CROSSOVER).is_some_and(|value| value == "off");
        self.by_speed.unwrap_or_else(|| !is_off()).then(Crossovers::default)
    }

    /// Sets the options of the simulator of the device `sim`: its image, engines, faults and trace.
    /// With an image, a program, engines or a trace, the device has only one image.
    #[must_use]
    pub fn simulator(mut self, options: SimulatorOptions) -> Self {
        self.simulator = options;
        self
    }

    /// Returns the options of this device's card.
    pub(crate) fn card(&self, device: &Specification) -> CardOptions {
        let default = match device {
            Specification::Simulated if self.simulator.image == Image::of(Capability::Bls12381) => {
                CardOptions { time_limit: LONE_TIME_LIMIT, ..CardOptions::default() }
            }
            Specification::Simulated | Specification::Socket(_) => {
                CardOptions { time_limit: SIMULATED_TIME_LIMIT, ..CardOptions::default() }
            }
            _ => CardOptions::default(),
        };
        CardOptions {
            time_limit: self.time_limit.unwrap_or(default.time_limit),
            window: self.window.unwrap_or(default.window),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simulated_card_is_waited_for_longer_unless_a_limit_is_given() {
        let seconds = Duration::from_secs;
        for (name, expected) in [
            ("sim", seconds(60)),
            ("sim:/tmp/card", seconds(60)),
            ("xdma:/dev/xdma0", seconds(10)),
            ("f2:0000:34:00.0", seconds(10)),
            ("uart:/dev/ttyUSB0", seconds(10)),
        ] {
            let device = Specification::parse(name).unwrap();
            let default = Options::default().card(&device);
            assert_eq!(default, CardOptions { time_limit: expected, window: 512 }, "{name}");
            let given = Options::default().time_limit(seconds(3)).window(7).card(&device);
            assert_eq!(given, CardOptions { time_limit: seconds(3), window: 7 }, "{name}");
        }
        let image = Image::of(Capability::Bls12381);
        let simulator = SimulatorOptions { image, ..SimulatorOptions::default() };
        let lone = Options::default().simulator(simulator);
        let limit = |name: &str| lone.card(&Specification::parse(name).unwrap()).time_limit;
        assert_eq!((limit("sim"), limit("xdma:/dev/xdma0")), (seconds(1800), seconds(10)));
    }
}
