// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of multiples of points: Pippenger's buckets for many points, interleaved windows (Straus)
//! for few. Buckets are in lanes if the backend has them.

use halimede_arith::serial::{self, Arithmetic, Kernel};
use halimede_arith::Backend;

use super::lanes;
use super::points::{Extended, ExtendedNiels, Niels};
use super::terms::{combine, raised, windows, Terms};

/// The number of long terms from which serial buckets are faster than interleaved windows.
const WORTH_BUCKETS: usize = 48;

/// The number of long terms from which buckets in lanes are faster than serial sums.
fn worth_lanes(backend: Backend) -> usize {
    match backend {
        Backend::Avx512Ifma => 4,
        _ => 9,
    }
}

/// Returns the sum.
pub fn sum(backend: Backend, terms: &Terms) -> Extended {
    let count = terms.long.len().max(terms.short.len());
    if count >= worth_lanes(backend) {
        if let Some(sum) = lanes::sum(backend, terms) {
            return sum;
        }
    }
    match count {
        0 => Extended::IDENTITY,
        1..WORTH_BUCKETS => serial::run(backend, Interleaved(terms)),
        _ => serial::run(backend, Buckets(terms)),
    }
}

/// Multiples of each point by small digits, and one doubling of the sum for each bit.
pub struct Interleaved<'a>(pub &'a Terms);

/// The width of the digits of [`Interleaved`].
const WIDTH: u32 = 4;

/// Returns the multiples 1 to 8 of a point.
#[inline(always)]
fn multiples(point: &Niels) -> [ExtendedNiels; 1 << (WIDTH - 1)] {
    let mut multiple = Extended::IDENTITY.add_niels(point);
    let mut multiples = [multiple.niels(); 1 << (WIDTH - 1)];
    for place in &mut multiples[1..] {
        multiple = multiple.add_niels(point);
        *place = multiple.niels();
    }
    multiples
}

impl Kernel for Interleaved<'_> {
    type Output = Extended;

    #[inline(always)]
    fn compute<A: Arithmetic>(self) -> Extended {
        let [short, long] = windows(WIDTH);
        let mut tables = Vec::with_capacity(self.0.short.len() + self.0.long.len());
        for (terms, windows) in [(&self.0.short, short), (&self.0.long, long)] {
            for term in terms {
                tables.push((multiples(&term.point), windows, windows.raise(&term.factor)));
            }
        }
        let mut sum = Extended::IDENTITY;
        for window in (0..long.count).rev() {
            for _ in 0..WIDTH {
                sum = sum.double();
            }
            for (multiples, windows, raised) in &tables {
                let digit = raised.digit(*windows, window);
                if digit != 0 {
                    let multiple = &multiples[digit.unsigned_abs() as usize - 1];
                    sum = sum.add(&if digit < 0 { multiple.negated() } else { *multiple });
                }
            }
        }
        sum
    }
}

/// Pippenger's buckets, one window after the other (Bernstein, Doumen, Lange, Oosterwijk: "Faster
/// batch forgery identification", 2012, section 4).
pub struct Buckets<'a>(pub &'a Terms);

/// Returns the width with the fewest multiplications: seven for a term in a window, sixteen or more
/// for a bucket.
fn best_width(terms: &Terms) -> u32 {
    let cost = |width: &u32| {
        let [short, long] = windows(*width).map(|windows| windows.count as usize);
        7 * (short * terms.short.len() + long * terms.long.len()) + 18 * (long << (width - 1))
    };
    (3..14).min_by_key(cost).unwrap_or(8)
}

impl Kernel for Buckets<'_> {
    type Output = Extended;

    #[inline(always)]
    fn compute<A: Arithmetic>(self) -> Extended {
        let width = best_width(self.0);
        let [short, long] = windows(width);
        let groups = [(&self.0.short, short), (&self.0.long, long)];
        let groups = groups.map(|(terms, windows)| (terms, windows, raised(terms, windows)));
        let mut sums = Vec::with_capacity(long.count as usize);
        let mut buckets = vec![Extended::IDENTITY; long.most()];
        for window in 0..long.count {
            buckets.fill(Extended::IDENTITY);
            for (terms, windows, raised) in &groups {
                if window < windows.count {
                    for (term, raised) in terms.iter().zip(raised) {
                        let digit = raised.digit(*windows, window);
                        if digit != 0 {
                            let bucket = &mut buckets[digit.unsigned_abs() as usize - 1];
                            let point = term.point;
                            *bucket =
                                bucket.add_niels(&if digit < 0 { point.negated() } else { point });
                        }
                    }
                }
            }
            sums.push(weighted(&buckets));
        }
        combine(&sums, width)
    }
}

/// Returns Σ (i + 1)·buckets\[i\].
#[inline(always)]
fn weighted(buckets: &[Extended]) -> Extended {
    let (mut running, mut total) = (Extended::IDENTITY, Extended::IDENTITY);
    for bucket in buckets.iter().rev() {
        running = running.add(&bucket.niels());
        total = total.add(&running.niels());
    }
    total
}

#[cfg(test)]
mod tests;
