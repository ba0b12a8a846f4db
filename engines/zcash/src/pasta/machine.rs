// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The machine that runs kernels.

use halimede_arith::lanes::{self, Kernel};
use halimede_arith::Backend;

/// The machine that runs kernels.
#[derive(Clone, Copy, Debug)]
pub enum Machine {
    /// The lanes of this processor.
    Lanes(Backend),
    /// The emulation of the lanes of a backend in Rust.
    #[cfg(test)]
    Emulation(Backend),
}

impl Machine {
    /// Returns the lanes of a backend; `None` if it has none.
    pub fn of(backend: Backend) -> Option<Self> {
        lanes::available(backend).then_some(Self::Lanes(backend))
    }

    /// Runs a kernel; `None` without lanes.
    pub fn run<K: Kernel>(self, kernel: K) -> Option<K::Output> {
        match self {
            Self::Lanes(backend) => lanes::run(backend, kernel),
            #[cfg(test)]
            Self::Emulation(backend) => Some(lanes::emulate(backend, kernel)),
        }
    }
}
