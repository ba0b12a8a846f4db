// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Buckets in general registers, and the sum of all windows.

use halimede_arith::serial::limbs::Limbs;
use halimede_arith::serial::secp256k1::{canonical, sub, MODULUS};
use halimede_arith::serial::{Arithmetic, Kernel};

use super::windows::Lists;
use crate::curve::serial::{affine, coordinates, Jacobian, Row};

/// Computes the multiples 1 to `buckets` of `factor`·`point`, for a factor in [1, n).
pub struct Multiples<'a> {
    pub point: &'a Row,
    pub factor: &'a Limbs,
    pub buckets: usize,
}

impl Kernel for Multiples<'_> {
    type Output = Vec<Row>;

    #[inline(always)]
    fn compute<A: Arithmetic>(self) -> Vec<Row> {
        // The sum before each addition is an even multiple of the point, so the formulas hold.
        let mut sum: Option<Jacobian> = None;
        for bit in (0..256).rev() {
            sum = sum.map(|sum| sum.double::<A>());
            if self.factor[bit / 64] >> (bit % 64) & 1 == 1 {
                sum = Some(sum.map_or(Jacobian::of(self.point), |sum| sum.add::<A>(self.point)));
            }
        }
        let Some(first) = sum else { return Vec::new() };
        let Some(first) = affine::<A>(&[first]).pop() else { return Vec::new() };
        let mut multiple = Jacobian::of(&first);
        let mut multiples = Vec::with_capacity(self.buckets);
        for number in 1..=self.buckets {
            multiples.push(multiple);
            multiple = if number == 1 { multiple.double::<A>() } else { multiple.add::<A>(&first) };
        }
        affine::<A>(&multiples)
    }
}

/// Computes the sum Σ b·B(b) of one window.
pub struct Window<'a> {
    pub rows: &'a [Row],
    pub lists: &'a Lists,
    /// The start of each bucket.
    pub starts: &'a [Row],
    pub window: usize,
}

impl Kernel for Window<'_> {
    /// Z is 0 if the formulas failed.
    type Output = Jacobian;

    #[inline(always)]
    fn compute<A: Arithmetic>(self) -> Jacobian {
        let buckets = self.lists.windows.buckets();
        let mut sums: Option<[Jacobian; 2]> = None;
        for number in (0..buckets).rev() {
            let mut bucket = Jacobian::of(&self.starts[number]);
            for entry in self.lists.list(self.window * buckets + number) {
                let (x, mut y) = coordinates(&self.rows[entry.row()]);
                if entry.sign() != 0 {
                    y = sub::<A>(MODULUS, y);
                }
                bucket = bucket.add_affine::<A>(x, y);
            }
            sums = Some(match sums {
                Some([running, total]) => {
                    let running = running.add_jacobian::<A>(&bucket);
                    [running, total.add_jacobian::<A>(&running)]
                }
                None => [bucket; 2],
            });
        }
        let [_, total] = sums.unwrap_or([Jacobian::of(&self.starts[0]); 2]);
        total
    }
}

/// Computes Σ 2ᵇⁱᵗˢ·ʷ·sum(w).
pub struct Total<'a> {
    pub sums: &'a [Jacobian],
    pub bits: u32,
}

impl Kernel for Total<'_> {
    /// x and y, in [0, p); `None` if the formulas failed.
    type Output = Option<[Limbs; 2]>;

    #[inline(always)]
    fn compute<A: Arithmetic>(self) -> Option<[Limbs; 2]> {
        let (highest, lower) = self.sums.split_last()?;
        let mut total = *highest;
        for sum in lower.iter().rev() {
            for _ in 0..self.bits {
                total = total.double::<A>();
            }
            total = total.add_jacobian::<A>(sum);
        }
        if canonical::<A>(total.z) == [0; 4] {
            return None;
        }
        let [x, y] = affine::<A>(&[total]).first().map(coordinates).map(|(x, y)| [x, y])?;
        Some([x, y])
    }
}
