// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Overwrites the stack after functions that put secrets on it.
//!
//! Ciphers and hashes of other crates spill their state to the stack and leave it there; transforms
//! leave a few hundred residues.

use zeroize::Zeroize;

/// Words that are overwritten after a cipher or a hash: more than any of them uses.
const STACK_WORDS: usize = 2048;
/// Words that are overwritten after a kernel: more than any kernel uses.
const KERNEL_WORDS: usize = 512;

/// Runs `work`, then overwrites the part of the stack that it used, up to 16 KiB.
pub(crate) fn with_stack_wiped<R>(work: impl FnOnce() -> R) -> R {
    let result = apart(work);
    wipe_below::<STACK_WORDS>();
    result
}

/// Overwrites the part of the stack that a kernel just used, up to 4 KiB. Call this from the
/// function that called the kernel.
pub(crate) fn wipe_after_kernel() {
    wipe_below::<KERNEL_WORDS>();
}

/// Runs `work` in its own frame, below the caller's.
#[inline(never)]
fn apart<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Overwrites the stack below the caller's frame.
#[inline(never)]
fn wipe_below<const WORDS: usize>() {
    let mut words = [0u64; WORDS];
    words.as_mut_slice().zeroize();
}
