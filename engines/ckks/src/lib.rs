// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CKKS: approximate arithmetic on encrypted vectors of complex numbers (Cheon, Kim, Kim, Song,
//! ASIACRYPT 2017), in residues of 32 bits.

pub mod encoding;
pub mod keys;
pub mod params;
pub mod ring;
pub mod sampling;
