// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where the arguments of activations lie, by sample inputs, and the polynomials that stand for
//! activations there.

mod calibration;
mod fit;
mod histogram;

pub use calibration::{Calibration, Range};
pub use fit::{fit, fit_activation, Fit};
pub use histogram::Histogram;
