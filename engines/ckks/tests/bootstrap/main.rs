// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bootstraps of all forms, in small rings.

mod angles;
mod few_keys;
mod precision;
mod rounds;
mod slots;
