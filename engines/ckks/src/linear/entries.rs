// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The entries of a diagonal in little memory. The entries of a network's layers are real, and most
//! are zero if values of many channels are spread out: stored in full they needed 2.3 GB for 20
//! layers.

use crate::complex::Complex;

/// The number of bits in a word of the bitmap.
const WORD_BITS: usize = u64::BITS as usize;

/// The entries of a diagonal, or of one period of it: the nonzero entries and their places.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entries {
    length: usize,
    /// A bit for each place, set if the entry is not zero. Empty if all entries are zero.
    places: Vec<u64>,
    real: Vec<f64>,
    /// Empty if all imaginary parts are zero.
    imaginary: Vec<f64>,
}

impl Entries {
    /// Stores entries given in full.
    pub fn new(entries: &[Complex]) -> Self {
        let is_there = |entry: &&Complex| **entry != Complex::default();
        let there: Vec<Complex> = entries.iter().filter(is_there).copied().collect();
        let word = |entries: &[Complex]| {
            let bits = entries.iter().map(|entry| u64::from(is_there(&entry)));
            bits.rev().fold(0, |word, bit| word << 1 | bit)
        };
        let is_full = there.len() == entries.len();
        let is_real = there.iter().all(|entry| entry.im == 0.0);
        Self {
            length: entries.len(),
            places: if is_full {
                Vec::new()
            } else {
                entries.chunks(WORD_BITS).map(word).collect()
            },
            real: there.iter().map(|entry| entry.re).collect(),
            imaginary: if is_real { Vec::new() } else { there.iter().map(|it| it.im).collect() },
        }
    }

    /// Returns the number of entries, including zeros.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns `true` if all entries are zero.
    pub fn is_zero(&self) -> bool {
        self.real.is_empty()
    }

    /// Returns the nonzero entries with their places, in ascending order.
    pub fn others(&self) -> impl Iterator<Item = (usize, Complex)> + '_ {
        let mut values = self.real.iter().enumerate().map(|(index, re)| {
            Complex::new(*re, self.imaginary.get(index).copied().unwrap_or(0.0))
        });
        let is_there = |place: &usize| match self.places.get(place / WORD_BITS) {
            None => true,
            Some(word) => word >> (place % WORD_BITS) & 1 == 1,
        };
        (0..self.length).filter(is_there).map_while(move |place| Some((place, values.next()?)))
    }

    /// Returns all entries in full.
    pub fn written_out(&self) -> Vec<Complex> {
        let mut all = vec![Complex::default(); self.length];
        self.others().for_each(|(place, entry)| all[place] = entry);
        all
    }

    /// Returns the memory of the entries in bytes.
    #[cfg(test)]
    fn bytes(&self) -> usize {
        8 * (self.places.len() + self.real.len() + self.imaginary.len())
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn entries_are_those_that_were_given() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for length in [1, 2, 63, 64, 65, 128, 1000] {
            for (share, is_real) in
                [(0.0, true), (0.3, true), (0.3, false), (1.0, true), (1.0, false)]
            {
                let mut entry = || {
                    let im = if is_real { 0.0 } else { random.gen_range(-1.0..1.0) };
                    let entry = Complex::new(random.gen_range(-1.0..1.0), im);
                    if random.gen_bool(share) {
                        entry
                    } else {
                        Complex::default()
                    }
                };
                let entries: Vec<Complex> = (0..length).map(|_| entry()).collect();
                let packed = Entries::new(&entries);
                assert_eq!((packed.len(), packed.written_out()), (length, entries.clone()));
                let others = entries.iter().enumerate().map(|(place, entry)| (place, *entry));
                assert!(packed.others().eq(others.filter(|(_, it)| *it != Complex::default())));
                assert_eq!(packed.is_zero(), packed.others().next().is_none());
            }
        }
    }

    #[test]
    fn zeros_take_a_bit_and_real_numbers_one_double() {
        let real: Vec<Complex> = (1..=128).map(|k| Complex::new(f64::from(k), 0.0)).collect();
        assert_eq!(Entries::new(&real).bytes(), 128 * 8);
        let mut sparse = vec![Complex::default(); 128];
        sparse[77] = Complex::new(3.0, 0.0);
        assert_eq!(Entries::new(&sparse).bytes(), 128 / 8 + 8);
        sparse[78] = Complex::new(0.0, -1.0);
        assert_eq!(Entries::new(&sparse).bytes(), 128 / 8 + 2 * 16);
    }
}
