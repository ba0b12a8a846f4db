// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of multiples of fixed points of G1, from the library's tables of all digits of a window.

use std::ptr;

use blst::{blst_p1, blst_p1_affine};

/// The width of a window in bits: a point has 2⁷ entries.
const WIDTH: usize = 8;

/// The table of a sum's points, none of them infinity.
pub(crate) struct WindowTable {
    entries: Vec<blst_p1_affine>,
    points: usize,
}

impl WindowTable {
    /// Bytes of memory of a point's entries.
    pub(crate) const BYTES_A_POINT: usize = size_of::<blst_p1_affine>() << (WIDTH - 1);

    /// Creates the table of points.
    pub(crate) fn new(points: &[blst_p1_affine]) -> Self {
        // SAFETY: the library computes a size.
        let bytes = unsafe { blst::blst_p1s_mult_wbits_precompute_sizeof(WIDTH, points.len()) };
        let count = bytes.div_ceil(size_of::<blst_p1_affine>());
        let mut entries = vec![blst_p1_affine::default(); count];
        if !points.is_empty() {
            let list = [points.as_ptr(), ptr::null()];
            // SAFETY: after a null pointer, the library expects the points contiguous with the last
            // pointer; it reads `points.len()` of them, and writes a table of the size above.
            unsafe {
                blst::blst_p1s_mult_wbits_precompute(
                    entries.as_mut_ptr(),
                    WIDTH,
                    list.as_ptr(),
                    points.len(),
                );
            }
        }
        Self { entries, points: points.len() }
    }

    /// Returns the sum of the points times scalars, little-endian.
    ///
    /// # Panics
    /// If the numbers of points and scalars differ.
    pub(crate) fn sum(&self, scalars: &[[u8; 32]]) -> blst_p1 {
        assert_eq!(scalars.len(), self.points, "a scalar for each point");
        let mut sum = blst_p1::default();
        if scalars.is_empty() {
            return sum;
        }
        // SAFETY: the library computes a size.
        let bytes = unsafe { blst::blst_p1s_mult_wbits_scratch_sizeof(self.points) };
        let mut scratch = vec![0u64; bytes.div_ceil(8)];
        let list = [scalars.as_ptr().cast::<u8>(), ptr::null()];
        // SAFETY: as above, for the scalars; the table is that of these points, and the scratch has
        // the size that the library requires.
        unsafe {
            blst::blst_p1s_mult_wbits(
                &mut sum,
                self.entries.as_ptr(),
                WIDTH,
                self.points,
                list.as_ptr(),
                255,
                scratch.as_mut_ptr(),
            );
        }
        sum
    }
}
