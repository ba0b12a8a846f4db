// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs whole operations on the threads of a pool.

/// Runs `work` on a thread of the current pool, or directly if the caller is already on one.
///
/// An operation on ciphertexts has dozens of loops over limbs. A loop that begins outside the pool
/// is passed to a sleeping thread, which costs more than the loop itself in a small ring. A loop
/// that begins inside the pool runs on the same thread, and others help.
pub(crate) fn in_pool<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    rayon::scope(|_| work())
}
