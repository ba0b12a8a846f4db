// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A buffer at the begin of a page.

/// The size of a page that a DMA descriptor covers, in bytes. Larger pages begin at its multiples.
pub(crate) const PAGE_BYTES: usize = 4096;

/// A buffer whose address is a multiple of [`PAGE_BYTES`].
#[derive(Debug)]
pub(crate) struct PageBuffer {
    bytes: Vec<u8>,
    start: usize,
    length: usize,
}

impl PageBuffer {
    /// Makes a buffer of `length` zeros.
    pub fn new(length: usize) -> Self {
        let bytes = vec![0; length + PAGE_BYTES];
        let start = bytes.as_ptr().align_offset(PAGE_BYTES).min(PAGE_BYTES);
        Self { bytes, start, length }
    }

    /// Returns the buffer.
    pub fn all(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.length]
    }

    /// Copies bytes to the begin of the buffer, as many as fit, and returns them.
    pub fn fill(&mut self, bytes: &[u8]) -> &[u8] {
        let count = bytes.len().min(self.length);
        let filled = &mut self.all()[..count];
        filled.copy_from_slice(&bytes[..count]);
        filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_begins_at_a_page() {
        for length in [0, 1, 64, PAGE_BYTES - 1, PAGE_BYTES, 65_536] {
            let mut buffer = PageBuffer::new(length);
            assert_eq!(buffer.all().len(), length);
            assert!(buffer.all().as_ptr().addr().is_multiple_of(PAGE_BYTES));
            let bytes: Vec<u8> = (0..251).cycle().take(length + 3).collect();
            assert_eq!(buffer.fill(&bytes), &bytes[..length]);
            assert_eq!(buffer.fill(&bytes[..length / 2]), &bytes[..length / 2]);
        }
    }
}
