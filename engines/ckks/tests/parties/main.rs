// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Several parties with one secret key.

mod group;
mod messages;
mod mutated;
mod precision;
mod refusals;
mod resumed;
mod threshold;
