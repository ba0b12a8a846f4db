// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The verifiers of the package against those of the engine.

mod openings;
mod signatures;
