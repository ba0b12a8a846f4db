// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs whole operations on the threads of a pool.

/// Does work on a thread of the current pool, unless it is done on one already.
///
/// An operation on ciphertexts has dozens of loops over limbs. Begun outside of the pool, each is
/// handed to a sleeping thread, which costs more than a loop of a small ring; begun inside, other
/// threads help.
pub(crate) fn in_pool<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    rayon::scope(|_| work())
}
