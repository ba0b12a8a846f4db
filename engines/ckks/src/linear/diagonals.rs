// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A matrix as its diagonals.

use std::collections::BTreeMap;

use blake3::Hasher;
use rayon::prelude::*;

use super::entries::Entries;
use super::error::LinearError;
use super::split::{rotations_of, RotationStrategy};
use crate::complex::Complex;

/// The largest number of entries in all diagonals, 1 GiB: a single long row has one diagonal
/// per entry.
const MOST_ENTRIES: usize = 1 << 26;

/// The bound of entries that have no declared bound.
const DEFAULT_BOUND: f64 = 1.0;

/// The nonzero diagonals of a square matrix. Entry i of diagonal k is the matrix entry in row i and
/// column i + k, modulo the side.
///
/// Products use a declared bound of the growth of values: entries lie [within 1](Self::within)
/// unless declared otherwise. A computation reveals which diagonals are zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagonals {
    slots: usize,
    rows: usize,
    columns: usize,
    is_real: bool,
    declared: Declared,
    /// A periodic diagonal may be stored as one period, which is a power of two of entries.
    by_step: BTreeMap<usize, Entries>,
}

/// The declared properties of the entries.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Declared {
    /// The largest absolute value of an entry.
    bound: f64,
    /// The largest sum of absolute values in a row.
    row_sum: f64,
    /// `true` if the entries are public.
    is_public: bool,
}

/// The factors by which a matrix enlarges vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Norms {
    /// The largest sum of absolute values in a row.
    pub sum: f64,
    /// The largest root of the sum of squares in a row.
    pub root: f64,
    pub is_real: bool,
}

impl Diagonals {
    /// Returns the diagonals of a matrix given row by row. The matrix is padded to a square whose
    /// side is a power of two, with zeros on the right and with repetitions of its rows below:
    /// vectors repeat themselves.
    ///
    /// # Errors
    /// [`LinearError::Shape`] if the number of entries is wrong, [`LinearError::TooMany`],
    /// [`LinearError::NotFinite`].
    pub fn of_matrix(
        rows: usize,
        columns: usize,
        entries: &[Complex],
    ) -> Result<Self, LinearError> {
        let count = rows.checked_mul(columns);
        if count != Some(entries.len()) || entries.is_empty() {
            return Err(LinearError::Shape { rows, columns, got: entries.len() });
        }
        let slots = rows.max(columns).next_power_of_two();
        let period = rows.next_power_of_two();
        let mut by_step: BTreeMap<usize, Vec<Complex>> = BTreeMap::new();
        let is_entry = |(_, entry): &(usize, &Complex)| **entry != Complex::default();
        for (index, entry) in entries.iter().enumerate().filter(is_entry) {
            let (row, column) = (index / columns, index % columns);
            let copies = [Some(row), Some(row + rows).filter(|below| *below < period)];
            let places = copies.into_iter().flatten();
            for place in places.flat_map(|place| (place..slots).step_by(period)) {
                let step = (column + slots - place) % slots;
                let diagonals = by_step.len();
                if diagonals * slots > MOST_ENTRIES {
                    return Err(LinearError::TooMany { diagonals, slots, limit: MOST_ENTRIES });
                }
                let zeros = || vec![Complex::default(); slots];
                by_step.entry(step).or_insert_with(zeros)[place] = *entry;
            }
        }
        Self::checked(slots, (rows, columns), by_step)
    }

    /// Returns the matrix with these diagonals, for vectors of `slots` values. Steps count modulo
    /// `slots`, and diagonals with the same step are summed.
    ///
    /// # Errors
    /// [`LinearError`] if the number of slots is not a power of two, a diagonal has another length
    /// or an entry is not finite.
    pub fn new(
        slots: usize,
        diagonals: impl IntoIterator<Item = (i64, Vec<Complex>)>,
    ) -> Result<Self, LinearError> {
        if !slots.is_power_of_two() || slots > 1 << 20 {
            return Err(LinearError::Slots { got: slots });
        }
        let mut by_step: BTreeMap<usize, Vec<Complex>> = BTreeMap::new();
        for (step, diagonal) in diagonals {
            if diagonal.len() != slots {
                return Err(LinearError::Diagonal { step, got: diagonal.len(), slots });
            }
            let zeros = || vec![Complex::default(); slots];
            let sum = by_step.entry(step.rem_euclid(slots as i64) as usize).or_insert_with(zeros);
            sum.iter_mut().zip(diagonal).for_each(|(sum, entry)| *sum = *sum + entry);
        }
        Self::of_periods(slots, by_step)
    }

    /// Returns the matrix of diagonals below `slots`, a power of two. One period of each diagonal
    /// is given.
    ///
    /// # Errors
    /// [`LinearError::NotFinite`] for entries that are not finite.
    pub(crate) fn of_periods(
        slots: usize,
        by_step: BTreeMap<usize, Vec<Complex>>,
    ) -> Result<Self, LinearError> {
        Self::checked(slots, (slots, slots), by_step)
    }

    /// Returns the same matrix, with `bound` declared as the largest absolute value of an entry.
    #[must_use]
    pub fn within(self, bound: f64) -> Self {
        Self { declared: Declared { bound, ..self.declared }, ..self }
    }

    /// Returns the same matrix, with a declared bound of the sum of absolute values in each row. It
    /// makes the estimates of products more precise.
    #[must_use]
    pub fn with_row_sum(self, row_sum: f64) -> Self {
        Self { declared: Declared { row_sum, ..self.declared }, ..self }
    }

    /// Returns the same matrix with public entries: estimates of products may depend on their
    /// sizes.
    #[must_use]
    pub fn public(self) -> Self {
        let is_real = self.entries().all(|entry| entry.im == 0.0);
        Self { is_real, declared: Declared { is_public: true, ..self.declared }, ..self }
    }

    /// Returns the same matrix, declared real.
    #[must_use]
    pub fn real(self) -> Self {
        Self { is_real: true, ..self }
    }

    /// Returns `true` if the entries are public.
    pub(crate) fn is_public(&self) -> bool {
        self.declared.is_public
    }

    /// Returns the declared factors by which products are larger than vectors.
    ///
    /// # Errors
    /// [`LinearError`] for entries that violate the declaration.
    pub(crate) fn norms(&self) -> Result<Norms, LinearError> {
        let is_real = self.is_real;
        let (sum, root) = self.row_norms();
        if self.declared.is_public {
            return Ok(Norms { sum, root, is_real });
        }
        let Declared { bound, row_sum, .. } = self.declared;
        let largest = self.entries().map(|entry| entry.abs()).fold(0.0, f64::max);
        let slack = 1.0 + 1e-9;
        if largest > bound * slack || !bound.is_finite() {
            return Err(LinearError::Bound { got: largest, declared: bound });
        }
        if sum > row_sum * slack || row_sum.is_nan() {
            return Err(LinearError::RowSum { got: sum, declared: row_sum });
        }
        if is_real && self.entries().any(|entry| entry.im != 0.0) {
            return Err(LinearError::NotReal);
        }
        let count = self.by_step.len().min(self.columns) as f64;
        let most = row_sum.min(count * bound);
        Ok(Norms { sum: most, root: most.min(count.sqrt() * bound), is_real })
    }

    /// Returns the same map between rotated vectors: from vectors rotated to the left by `before`
    /// slots to vectors rotated to the left by `after`. With M·rot_b = rot_a·M', M' has u_k rotated
    /// by −a at place k + b − a.
    pub(crate) fn rotated(self, before: usize, after: usize) -> Self {
        let slots = self.slots;
        let rotated = |(step, diagonal): (usize, Entries)| {
            let mut diagonal = diagonal.written_out();
            let period = diagonal.len();
            diagonal.rotate_right(after % period);
            ((step + before + slots - after % slots) % slots, Entries::new(&diagonal))
        };
        Self { by_step: self.by_step.into_iter().map(rotated).collect(), ..self }
    }

    /// Multiplies each row by a factor.
    ///
    /// # Panics
    /// If the number of factors differs from the number of rows.
    pub(crate) fn scale_rows(&mut self, factors: &[Complex]) {
        assert_eq!(factors.len(), self.slots, "expected one factor per row");
        for diagonal in self.by_step.values_mut() {
            let entries = diagonal.written_out();
            let entries = entries.iter().cycle().zip(factors);
            let scaled: Vec<Complex> = entries.map(|(entry, factor)| *entry * *factor).collect();
            *diagonal = Entries::new(&scaled);
        }
    }

    /// Returns a matrix of these diagonals, after a check that their entries are finite. Zero
    /// diagonals are dropped, except one of the matrix 0.
    fn checked(
        slots: usize,
        (rows, columns): (usize, usize),
        diagonals: BTreeMap<usize, Vec<Complex>>,
    ) -> Result<Self, LinearError> {
        let mut by_step = BTreeMap::new();
        for (step, diagonal) in diagonals {
            if let Some(place) = diagonal.iter().position(|entry| !entry.is_finite()) {
                return Err(LinearError::NotFinite { step: step as i64, place });
            }
            let entries = Entries::new(&diagonal);
            if !entries.is_zero() {
                by_step.insert(step, entries);
            }
        }
        if by_step.is_empty() {
            by_step.insert(0, Entries::new(&vec![Complex::default(); slots]));
        }
        let (is_real, declared) = (false, Declared::DEFAULT);
        Ok(Self { slots, rows, columns, is_real, declared, by_step })
    }

    /// Returns all nonzero entries, or those of one period of a periodic diagonal.
    fn entries(&self) -> impl Iterator<Item = Complex> + '_ {
        self.by_step.values().flat_map(Entries::others).map(|(_, entry)| entry)
    }

    /// Returns the side of the square.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Returns the length of products.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the length of vectors.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the steps of the diagonals, below the number of slots, in ascending order.
    pub fn steps(&self) -> impl Iterator<Item = usize> + '_ {
        self.by_step.keys().copied()
    }

    /// Returns the rotations whose keys a server needs to multiply by the matrix, at any level.
    pub fn rotations(&self) -> Vec<i64> {
        let steps: Vec<usize> = self.steps().collect();
        rotations_of(&steps, self.slots, RotationStrategy::Hoisted)
            .into_iter()
            .map(|step| step as i64)
            .collect()
    }

    /// Returns a diagonal, or one period of it; `None` if it is zero.
    pub fn diagonal(&self, step: usize) -> Option<Vec<Complex>> {
        self.by_step.get(&step).map(Entries::written_out)
    }

    /// Multiplies an unencrypted vector of [`Self::columns`] values by the matrix. Returns
    /// [`Self::rows`] values.
    ///
    /// # Panics
    /// If the vector has another length.
    pub fn apply(&self, vector: &[Complex]) -> Vec<Complex> {
        assert_eq!(vector.len(), self.columns, "the vector has the wrong length");
        let mut product = vec![Complex::default(); self.rows];
        for (step, diagonal) in &self.by_step {
            for (first, entry) in diagonal.others() {
                for row in (first..self.rows).step_by(diagonal.len()) {
                    // Padding columns hold zeros.
                    let value = vector[(row + step) % self.slots % self.columns];
                    product[row] = product[row] + entry * value;
                }
            }
        }
        product
    }

    /// Returns a hash of all entries and of their declared properties.
    pub(crate) fn digest(&self) -> [u8; 32] {
        let mut hasher = Hasher::new_derive_key("Halimede CKKS, the diagonals of a matrix");
        let Self { slots, rows, columns, is_real, declared, by_step } = self;
        hasher.update(format!("{slots} {rows} {columns} {is_real} {declared:?}").as_bytes());
        let digest = |(step, diagonal): (&usize, &Entries)| {
            let entries = diagonal.written_out();
            let numbers = entries.iter().flat_map(|entry| [entry.re, entry.im]);
            let bytes: Vec<u8> = numbers.flat_map(f64::to_le_bytes).collect();
            (*step, diagonal.len(), blake3::hash(&bytes))
        };
        let digests: Vec<_> = by_step.par_iter().map(digest).collect();
        for (step, length, digest) in digests {
            hasher.update(&(step as u64).to_le_bytes()).update(&(length as u64).to_le_bytes());
            hasher.update(digest.as_bytes());
        }
        *hasher.finalize().as_bytes()
    }

    /// Returns the largest row sums of absolute values, and the largest root of a row's sum of
    /// squares.
    fn row_norms(&self) -> (f64, f64) {
        let period = self.by_step.values().map(Entries::len).max().unwrap_or(0);
        let (mut sums, mut squares) = (vec![0f64; period], vec![0f64; period]);
        for diagonal in self.by_step.values() {
            for (first, entry) in diagonal.others() {
                let size = entry.abs();
                for row in (first..period).step_by(diagonal.len()) {
                    sums[row] += size;
                    squares[row] += size.powi(2);
                }
            }
        }
        let most = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
        (most(&sums), most(&squares).sqrt())
    }
}

impl Declared {
    const DEFAULT: Self = Self { bound: DEFAULT_BOUND, row_sum: f64::INFINITY, is_public: false };
}
