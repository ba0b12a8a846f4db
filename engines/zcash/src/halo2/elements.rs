// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The encodings of a proof.

/// The elements of a proof, of 32 bytes each.
#[derive(Clone, Debug)]
pub struct Elements<'a>(std::slice::Iter<'a, [u8; 32]>);

impl<'a> Elements<'a> {
    /// Returns the elements. Bytes after the last whole element are not read.
    pub fn new(proof: &'a [u8]) -> Self {
        Self(proof.as_chunks().0.iter())
    }

    /// Returns the next element; `None` at the end.
    pub fn next(&mut self) -> Option<&'a [u8; 32]> {
        self.0.next()
    }
}
