// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ranges of activations' arguments in sample inputs, and the polynomials that approximate
//! activations there.

mod calibration;
mod fit;
mod histogram;

pub use calibration::{Calibration, Range};
pub use fit::{fit, fit_activation, Fit};
pub use histogram::Histogram;
