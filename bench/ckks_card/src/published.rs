// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The published figures of the accelerator "Poseidon" (Y. Yang et al., *Poseidon: Practical
//! Homomorphic Encryption Accelerator*, HPCA 2023): an Alveo U280 with 512 lanes.

/// Its size: lanes, residues of a polynomial and their bits, MHz, bytes a second, and megabytes of
/// the scratchpad.
pub const LANES: usize = 512;
pub const RESIDUES: u16 = 44;
pub const RESIDUE_BITS: usize = 32;
pub const CLOCK_MHZ: f64 = 450.0;
pub const BYTES_PER_SECOND: f64 = 460e9;
pub const SCRATCHPAD_MB: f64 = 8.6;

/// Operations per second on one polynomial (HAdd and PMult, the transform), and on a ciphertext.
pub const SUMS: f64 = 13_310.0;
pub const TRANSFORMS: f64 = 12_474.0;
pub const RESCALES: f64 = 3948.0;
pub const KEY_SWITCHES: f64 = 312.0;
pub const ROTATIONS: f64 = 302.0;
pub const PRODUCTS: f64 = 273.0;
/// The time of a packed bootstrap in milliseconds.
pub const BOOTSTRAP_MS: f64 = 127.45;

/// The times in milliseconds on its processor, one thread of a Xeon.
pub const XEON_MS: [(&str, f64); 5] =
    [("HAdd", 28.0), ("PMult", 26.0), ("CMult", 2632.0), ("Rotation", 2564.0), ("Rescale", 145.0)];

/// Seconds of an image by ResNet-20, there and on the processor; of an LSTM; of an iteration of
/// logistic regression.
pub const RESNET_S: f64 = 2.66;
pub const RESNET_XEON_S: f64 = 2189.0;
pub const LSTM_S: f64 = 1.85;
pub const LSTM_BOOTSTRAPS: usize = 50;
pub const REGRESSION_S: f64 = 0.073;

/// Table II: modular products of a fused butterfly of radix 4, 8, … 64.
pub const FUSED_PRODUCTS: [usize; 5] = [12, 56, 240, 992, 4160];
/// Passes of a transform of 2^16 points by radix 8.
pub const PASSES: usize = 6;
/// Clocks of an automorphism of a limb, and of one without lanes for it.
pub const PERMUTATION_CLOCKS: usize = 517;
pub const SLOW_PERMUTATION_CLOCKS: usize = 131_073;
/// The numbers of automorphisms of limbs in a packed bootstrap and in the LSTM that table IX
/// implies.
pub const BOOTSTRAP_PERMUTATIONS: usize = 3446;
pub const LSTM_PERMUTATIONS: usize = 42_403;

/// DSP48E2 of all, of a modular product, and of a transform core of eight points.
pub const MULTIPLIERS: usize = 8640;
pub const PRODUCT_MULTIPLIERS: usize = 9;
pub const CORE_MULTIPLIERS: usize = 63;
pub const CORE_POINTS: usize = 8;
/// Block memories of 36 Kbit.
pub const BLOCK_MEMORIES: usize = 2048;
/// Registers per lane by tables XI and XII.
pub const LANE_REGISTERS: [usize; 2] = [1100, 2000];
/// The percentage of the bandwidth that HAdd uses.
pub const SUM_BANDWIDTH: f64 = 97.8;
