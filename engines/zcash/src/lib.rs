// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Zcash blocks as a node has them: what has to be checked of their proof of work and of their
//! transparent signatures, as requests for the engines. Parsing and signature hashes are the work of
//! the crates `zcash_primitives`, `zcash_transparent` and `zcash_script`.
