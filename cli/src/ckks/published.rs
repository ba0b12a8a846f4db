// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the published accelerator does (HPCA 2023, tables VI to VIII), with 512 lanes.

/// Operations a second, and milliseconds.
pub const RESCALES: f64 = 3948.0;
pub const ROTATIONS: f64 = 302.0;
pub const PRODUCTS: f64 = 273.0;
pub const BOOTSTRAP_MS: f64 = 127.45;
/// DSP48E2.
pub const MULTIPLIERS: usize = 8640;
