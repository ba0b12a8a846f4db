// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Several parties with one secret key.

mod group;
mod messages;
mod mutated;
mod operations;
mod precision;
mod refresh;
mod refusals;
mod reshare;
mod resumed;
mod threshold;
