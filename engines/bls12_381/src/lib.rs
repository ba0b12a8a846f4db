// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLS12-381: pairings in bulk.

pub mod lanes;
