// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stacks that are overwritten behind functions which had secrets on them.
//!
//! Ciphers and hashes of other crates spill their state to the stack, transforms a few hundred
//! residues, and leave them there.

use zeroize::Zeroize;

/// Words that are overwritten: more than a cipher or a hash takes.
const STACK_WORDS: usize = 2048;
/// Words that are overwritten after a kernel: more than it takes.
const KERNEL_WORDS: usize = 512;

/// Does work, and then overwrites the part of the stack that the work used, up to 16 KiB.
pub(crate) fn with_stack_wiped<R>(work: impl FnOnce() -> R) -> R {
    let result = apart(work);
    wipe_below::<STACK_WORDS>();
    result
}

/// Overwrites the part of the stack that a kernel used which the caller has called, up to 4 KiB.
pub(crate) fn wipe_after_kernel() {
    wipe_below::<KERNEL_WORDS>();
}

/// Does work in a frame below the caller's.
#[inline(never)]
fn apart<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Overwrites what lies below the caller's frame.
#[inline(never)]
fn wipe_below<const WORDS: usize>() {
    let mut words = [0u64; WORDS];
    words.as_mut_slice().zeroize();
}
