// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The WebAssembly module of the npm package `@halimede/client`: the client's side of CKKS, hashes
//! and verifiers.
//!
//! - `parameters`, `client`, `public_key`, `description`, `network`: CKKS, in the formats of
//!   [`halimede_ckks::files`].
//! - `blake3`, `poseidon`: hashes. `bls`, `kzg`: verifiers for JavaScript, of which
//!   [`signature`] and [`opening`] are the Rust parts.
//! - `arguments`: conversions of JavaScript's values.
//!
//! # Secrets
//!
//! JavaScript passes typed arrays, and this module copies them into memory that it wipes. Results
//! are copied into new typed arrays and then wiped here; arrays of JavaScript belong to the caller.
//! `wasm-bindgen`'s own conversions of slices are not used for secrets: they free memory without
//! wiping it.

#![forbid(unsafe_code)]

mod arguments;
mod blake3;
mod bls;
mod client;
mod description;
mod kzg;
mod network;
pub mod opening;
mod parameters;
mod poseidon;
mod public_key;
pub mod signature;
