// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Networks over HTTP.

mod kills;
mod refusals;
mod runs;
mod setting;
