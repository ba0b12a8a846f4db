// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Several parties with one secret key.

mod group;
mod precision;
