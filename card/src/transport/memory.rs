// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory of a device that is mapped from a file. All unsafe code of the card's host side is here.
//!
//! Each access has a fixed width and happens exactly once, because an access of a device's memory
//! is a transfer on its bus. If the device is gone, reads return ones. If a regular file is
//! truncated while it is mapped, an access ends the process (SIGBUS).

#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::ptr::{null_mut, NonNull};

use rustix::mm::{mmap, munmap, MapFlags, ProtFlags};

/// The bytes of a line: the most that a processor moves in one transfer on the bus.
pub(super) const LINE_BYTES: usize = 64;

/// A mapped part of a file.
#[derive(Debug)]
pub(super) struct Memory {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a mapping belongs to the process, not to a thread, and this type has no other state.
unsafe impl Send for Memory {}

impl Memory {
    /// Maps a part of a file. The offset is a multiple of the size of a page.
    ///
    /// # Errors
    /// An error of the operating system, or [`io::ErrorKind::InvalidInput`] if the file is not a
    /// regular file or is too short.
    pub fn map(file: &File, offset: u64, bytes: usize) -> io::Result<Self> {
        let invalid = |reason: String| io::Error::new(io::ErrorKind::InvalidInput, reason);
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(invalid("not a file that can be mapped".into()));
        }
        let needed = offset + bytes as u64;
        if metadata.len() < needed {
            let got = metadata.len();
            return Err(invalid(format!("expected at least {needed} bytes, got {got}")));
        }
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the system chooses an unused range of addresses, which only this value uses.
        let start = unsafe { mmap(null_mut(), bytes, access, MapFlags::SHARED, file, offset) }?;
        let start = NonNull::new(start.cast())
            .ok_or_else(|| io::Error::other("the system mapped the file at address 0"))?;
        Ok(Self { start, bytes })
    }

    /// The address of an aligned item.
    ///
    /// # Panics
    /// Panics if the item is not aligned or not within the memory.
    fn at<T>(&self, offset: usize, count: usize) -> NonNull<T> {
        let fits = count
            .checked_mul(size_of::<T>())
            .and_then(|bytes| offset.checked_add(bytes))
            .is_some_and(|end| end <= self.bytes);
        assert!(fits && offset.is_multiple_of(align_of::<T>()), "{count} items at {offset:#x}");
        // SAFETY: the offset is within the mapping.
        unsafe { self.start.add(offset) }.cast()
    }

    /// Reads a word of 4 bytes.
    pub fn read_word(&self, offset: usize) -> u32 {
        // SAFETY: `at` has checked the bounds and the alignment.
        u32::from_le(unsafe { self.at::<u32>(offset, 1).read_volatile() })
    }

    /// Reads two words of 4 bytes in one access.
    pub fn read_words(&self, offset: usize) -> [u32; 2] {
        // SAFETY: `at` has checked the bounds and the alignment.
        let words = u64::from_le(unsafe { self.at::<u64>(offset, 1).read_volatile() });
        [words as u32, (words >> 32) as u32]
    }

    /// Writes a word of 4 bytes.
    pub fn write_word(&self, offset: usize, word: u32) {
        // SAFETY: `at` has checked the bounds and the alignment.
        unsafe { self.at::<u32>(offset, 1).write_volatile(word.to_le()) }
    }

    /// Reads whole lines, in any order. Call [`fence`] before, so that no line is older than an
    /// earlier read.
    ///
    /// # Panics
    /// Panics if the buffer does not consist of whole lines within the memory.
    pub fn read_lines(&self, offset: usize, buffer: &mut [u8]) {
        assert!((offset | buffer.len()).is_multiple_of(LINE_BYTES));
        let from = self.at::<u64>(offset, buffer.len() / 8);
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("sse4.1") {
            for (index, line) in buffer.chunks_exact_mut(LINE_BYTES).enumerate() {
                // SAFETY: the processor has SSE4.1; the line is within the mapping and aligned, as
                // the mapping begins with a page.
                unsafe { read_line(from.as_ptr().cast::<u8>().add(LINE_BYTES * index), line) }
            }
            return;
        }
        for (index, bytes) in buffer.chunks_exact_mut(8).enumerate() {
            // SAFETY: `at` has checked the bounds and the alignment.
            let words = unsafe { from.add(index).read_volatile() };
            bytes.copy_from_slice(&words.to_ne_bytes());
        }
    }

    /// Writes whole lines, in any order. Call [`fence`] behind, before a write that publishes them.
    ///
    /// # Panics
    /// Panics if the bytes are not whole lines within the memory.
    pub fn write_lines(&self, offset: usize, bytes: &[u8]) {
        assert!((offset | bytes.len()).is_multiple_of(LINE_BYTES));
        let to = self.at::<u64>(offset, bytes.len() / 8);
        for (index, bytes) in bytes.chunks_exact(8).enumerate() {
            let words = bytes.iter().rev().fold(0, |words, &byte| words << 8 | u64::from(byte));
            // SAFETY: `at` has checked the bounds and the alignment.
            unsafe { to.add(index).write_volatile(words.to_le()) }
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the range was mapped by `map`, and no reference to it exists. An error would
        // leave it mapped, which does no harm.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

/// Reads a line by non-temporal loads: from write-combining memory, they fetch the whole line in
/// one transfer (Intel's manual, volume 1, section 12.10.3), instead of one transfer a load.
///
/// # Safety
/// The processor has SSE4.1, and `from` is the aligned address of a line.
#[cfg(target_arch = "x86_64")]
unsafe fn read_line(from: *const u8, line: &mut [u8]) {
    assert_eq!(line.len(), LINE_BYTES);
    // SAFETY: the caller promises that the line can be read; the buffer has the bytes of a line.
    unsafe {
        std::arch::asm!(
            "movntdqa {a}, [{from}]",
            "movntdqa {b}, [{from} + 16]",
            "movntdqa {c}, [{from} + 32]",
            "movntdqa {d}, [{from} + 48]",
            "movdqu [{to}], {a}",
            "movdqu [{to} + 16], {b}",
            "movdqu [{to} + 32], {c}",
            "movdqu [{to} + 48], {d}",
            from = in(reg) from,
            to = in(reg) line.as_mut_ptr(),
            a = out(xmm_reg) _,
            b = out(xmm_reg) _,
            c = out(xmm_reg) _,
            d = out(xmm_reg) _,
            options(nostack, preserves_flags),
        );
    }
}

/// Completes all earlier accesses before any later one, also of write-combining memory: combined
/// stores leave the processor, and loads are not older than the fence.
pub(super) fn fence() {
    // The fence of the language orders the compiler's and, except on x86, all of the processor's
    // accesses.
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction (SSE2, which every x86-64 has) changes no register and no memory.
    unsafe {
        std::arch::asm!("mfence", options(nostack, preserves_flags));
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, Write};

    use super::*;

    fn file_of(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file.rewind().unwrap();
        file
    }

    #[test]
    fn lines_and_words_are_the_bytes_of_the_file() {
        let bytes: Vec<u8> = (0..251).cycle().take(3 * 4096).collect();
        let file = file_of(&bytes);
        let memory = Memory::map(&file, 4096, 8192).unwrap();
        let again = Memory::map(&file, 0, bytes.len()).unwrap();
        for (offset, length) in [(0, 64), (64, 0), (128, 640), (0, 8192), (8128, 64)] {
            let mut buffer = vec![0; length];
            memory.read_lines(offset, &mut buffer);
            assert_eq!(buffer, bytes[4096 + offset..][..length]);
            let mirrored: Vec<u8> = buffer.iter().rev().copied().collect();
            memory.write_lines(offset, &mirrored);
            fence();
            let mut seen = vec![0; length];
            again.read_lines(4096 + offset, &mut seen);
            assert_eq!(seen, mirrored);
            memory.write_lines(offset, &buffer);
        }
        let word =
            |offset: usize| u32::from_le_bytes(bytes[offset..offset + 4].try_into().unwrap());
        assert_eq!(memory.read_word(12), word(4108));
        assert_eq!(memory.read_words(8), [word(4104), word(4108)]);
        memory.write_word(8188, 0x0102_0304);
        assert_eq!(again.read_word(12284), 0x0102_0304);
    }

    #[test]
    fn accesses_outside_of_the_memory_are_refused() {
        let memory = Memory::map(&file_of(&[0; 4096]), 0, 4096).unwrap();
        let panics = |access: &dyn Fn(&Memory)| {
            let access = std::panic::AssertUnwindSafe(|| access(&memory));
            std::panic::catch_unwind(access).is_err()
        };
        assert!(panics(&|memory| {
            memory.read_word(4096);
        }));
        assert!(panics(&|memory| {
            memory.read_word(2);
        }));
        assert!(panics(&|memory| {
            memory.read_words(4);
        }));
        assert!(panics(&|memory| memory.write_word(usize::MAX - 3, 0)));
        assert!(panics(&|memory| memory.write_lines(4032, &[0; 128])));
        assert!(panics(&|memory| memory.read_lines(32, &mut [0; 64])));
        assert!(panics(&|memory| memory.read_lines(0, &mut [0; 63])));
    }

    #[test]
    fn files_that_cannot_be_mapped() {
        let error = Memory::map(&file_of(&[0; 4095]), 0, 4096).unwrap_err();
        assert_eq!(error.to_string(), "expected at least 4096 bytes, got 4095");
        let error = Memory::map(&File::open("/").unwrap(), 0, 4096).unwrap_err();
        assert_eq!(error.to_string(), "not a file that can be mapped");
        // A file that was opened only for reading.
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(4096).unwrap();
        let error = Memory::map(&File::open(file.path()).unwrap(), 0, 4096).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    }
}
