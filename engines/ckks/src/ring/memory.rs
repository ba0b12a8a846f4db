// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory in whole cache lines, and in large pages if it is large.
//!
//! A transform of N = 2¹⁶ residues accesses 64 pages of 4 KiB and reads 512 KiB of factors. With
//! pages of 2 MiB, the processor translates few addresses and its prefetchers are not interrupted.

use std::alloc::{alloc, dealloc, handle_alloc_error, Layout};
use std::ptr::NonNull;

/// The number of words in a cache line.
pub(super) const LINE_WORDS: usize = 16;

/// The size of a large page in bytes.
const LARGE_PAGE: usize = 2 << 20;

/// Words in whole cache lines, initially zero.
pub(super) struct Memory {
    start: NonNull<u32>,
    words: usize,
}

// SAFETY: it owns its words as a box does.
unsafe impl Send for Memory {}
// SAFETY: a shared reference only reads.
unsafe impl Sync for Memory {}

impl Memory {
    /// Memory of `words` words.
    ///
    /// # Panics
    /// Panics if `words` is not a multiple of a line.
    pub fn new(words: usize) -> Self {
        assert_eq!(words % LINE_WORDS, 0, "{words} words are not a multiple of a cache line");
        if words == 0 {
            return Self { start: NonNull::dangling(), words };
        }
        let layout = layout(words);
        // SAFETY: the layout is not empty.
        let start = unsafe { alloc(layout) };
        let Some(start) = NonNull::new(start) else { handle_alloc_error(layout) };
        // Before the first access to the memory, which decides the size of its pages.
        advise(start, layout);
        // SAFETY: the bytes are allocated, and aligned for words.
        unsafe { start.write_bytes(0, layout.size()) };
        Self { start: start.cast(), words }
    }

    /// The words.
    pub fn words(&self) -> &[u32] {
        // SAFETY: the words are this memory's, and were zeroed when it was allocated.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.words) }
    }

    /// The words.
    pub fn words_mut(&mut self) -> &mut [u32] {
        // SAFETY: as in `words`; the mutable borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.words) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.words == 0 {
            return;
        }
        // SAFETY: it was allocated with this layout.
        unsafe { dealloc(self.start.as_ptr().cast(), layout(self.words)) };
    }
}

fn layout(words: usize) -> Layout {
    let bytes = words * size_of::<u32>();
    let alignment = if bytes >= LARGE_PAGE { LARGE_PAGE } else { LINE_WORDS * size_of::<u32>() };
    let layout = Layout::from_size_align(bytes, alignment);
    assert!(layout.is_ok(), "{bytes} bytes exceed the address space");
    layout.unwrap_or(Layout::new::<u32>())
}

/// Advises the system to use large pages. Without them, transforms are only slower.
#[cfg(target_os = "linux")]
fn advise(start: NonNull<u8>, layout: Layout) {
    if layout.align() == LARGE_PAGE {
        // SAFETY: the range is allocated, and advice does not change its content.
        unsafe { libc::madvise(start.as_ptr().cast(), layout.size(), libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_: NonNull<u8>, _: Layout) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_zero_and_aligned_whatever_their_number() {
        for words in [0, 16, 48, 1 << 10, 3 << 18, (1 << 20) + 16] {
            let mut memory = Memory::new(words);
            assert_eq!(memory.words().len(), words);
            assert!(memory.words().iter().all(|word| *word == 0));
            let start = memory.words().as_ptr() as usize;
            assert!(words == 0 || start.is_multiple_of(64));
            assert!(4 * words < LARGE_PAGE || start.is_multiple_of(LARGE_PAGE));
            memory.words_mut().iter_mut().zip(1..).for_each(|(word, number)| *word = number);
            assert_eq!(memory.words().last().copied().unwrap_or(0), words as u32);
        }
    }
}
