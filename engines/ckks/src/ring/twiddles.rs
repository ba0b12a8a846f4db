// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The powers of ψ, a primitive root of unity of order 2N, in the order in which the
//! number-theoretic transforms use them.
//!
//! The forward transform writes the value at ψ^(2·rev(i) + 1) to index i, where rev reverses the
//! log₂ N bits of a number (Longa, Naehrig, "Speeding up the number theoretic transform", CANS
//! 2016, with the products by powers of ψ merged into the stages). Its stage with m groups
//! multiplies group i by ψ^rev(m + i).

use std::ops::Range;
use std::sync::Arc;

use super::memory::Memory;
use super::modulus::{Modulus, ModulusError, Shoup};

/// The factors of both transforms for one modulus and one N.
pub struct Twiddles {
    modulus: Modulus,
    log_degree: u32,
    /// The number of lanes that the tiles are for, or 1.
    lanes: usize,
    /// ψ.
    root: u32,
    pub(super) forward: Direction,
    pub(super) inverse: Direction,
    /// N⁻¹.
    pub(super) degree_inverse: Shoup,
}

/// The factors of one direction.
pub(super) struct Direction {
    /// Factor m + i is for group i of the stage with m groups. In the inverse transform, factor 1
    /// belongs to the last stage and already includes the division by N.
    pub stages: Vec<Shoup>,
    /// The factors of the last stages of the forward (first of the inverse) transform, laid out for
    /// vectors of L lanes. L² residues are a tile, which is transformed in registers: as rows, and,
    /// after a transposition, as columns.
    ///
    /// A tile has 2·L² words: L factors that a row shares, where group j of the 2^s groups of stage
    /// s is at 2^s − 1 + j, and their L quotients. L − 1 pairs of vectors of factors and quotients
    /// follow in the same order, where lane r is for row r.
    pub tiles: Tiles,
}

/// Words in a piece of memory that the factors of all primes of a ring share.
#[derive(Clone)]
pub(super) struct Tiles {
    memory: Option<Arc<Memory>>,
    range: Range<usize>,
}

impl Tiles {
    fn new(words: &[u32]) -> Self {
        let memory = (!words.is_empty()).then(|| {
            let mut memory = Memory::new(words.len());
            memory.words_mut().copy_from_slice(words);
            Arc::new(memory)
        });
        Self { memory, range: 0..words.len() }
    }

    /// The words.
    pub fn words(&self) -> &[u32] {
        self.memory.as_ref().map_or(&[], |memory| &memory.words()[self.range.clone()])
    }
}

impl Direction {
    /// The factors of all stages. Those of tiles, if any, are laid out for vectors of `lanes`.
    fn new(mut stages: Vec<Shoup>, lanes: usize) -> Self {
        let degree = stages.len();
        let mut tiles = Tiles::new(&[]);
        if has_tiles(degree, lanes) {
            tiles = Tiles::new(&tile_factors(&stages, lanes));
            stages.truncate(degree / (lanes * lanes));
            stages.shrink_to_fit();
        }
        Self { stages, tiles }
    }
}

impl Twiddles {
    /// Creates the factors for N = 2^`log_degree`. They have tiles for vectors of `lanes` residues
    /// (a power of two) if N is at least 2·`lanes`² and `lanes` is not 1.
    ///
    /// # Errors
    /// [`ModulusError::Order`] if q is not 1 modulo 2N.
    pub fn new(modulus: Modulus, log_degree: u32, lanes: usize) -> Result<Self, ModulusError> {
        let root = modulus.root(log_degree + 1)?;
        let degree = 1 << log_degree;
        let forward = powers(modulus, root, log_degree);
        let mut inverse = powers(modulus, modulus.inverse(root), log_degree);
        let degree_inverse = modulus.shoup(modulus.inverse(modulus.reduce(1 << log_degree)));
        inverse[1] = modulus.shoup(modulus.mul(inverse[1].factor, degree_inverse.factor));
        let [forward, inverse] = [forward, inverse].map(|stages| Direction::new(stages, lanes));
        let lanes = if has_tiles(degree, lanes) { lanes } else { 1 };
        Ok(Self { modulus, log_degree, lanes, root, forward, inverse, degree_inverse })
    }

    /// The factors of only the forward transform, for polynomials in X^r with N/r = 2^`log_degree`
    /// coefficients and the root ψ^r.
    pub(super) fn of_subring(&self, log_degree: u32, lanes: usize) -> Self {
        let root = self.modulus.pow(self.root, 1 << (self.log_degree - log_degree));
        let forward = Direction::new(powers(self.modulus, root, log_degree), lanes);
        let lanes = if has_tiles(1 << log_degree, lanes) { lanes } else { 1 };
        Self { lanes, forward, ..Self::of_root(self.modulus, log_degree, root) }
    }

    /// Only the modulus and its root, for a ring that only records: transforms are not possible.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub(super) fn without_tables(modulus: Modulus, log_degree: u32) -> Result<Self, ModulusError> {
        Ok(Self::of_root(modulus, log_degree, modulus.root(log_degree + 1)?))
    }

    /// Keeps only the modulus and its root.
    pub(super) fn to_root(&self) -> Self {
        Self::of_root(self.modulus, self.log_degree, self.root)
    }

    fn of_root(modulus: Modulus, log_degree: u32, root: u32) -> Self {
        let direction = || Direction { stages: Vec::new(), tiles: Tiles::new(&[]) };
        let (forward, inverse, degree_inverse) = (direction(), direction(), Shoup::default());
        Self { modulus, log_degree, lanes: 1, root, forward, inverse, degree_inverse }
    }

    /// Moves the tiles of several moduli to one piece of memory in large pages.
    pub(super) fn gather(all: &mut [Self]) {
        let tables =
            |twiddles: &Self| [twiddles.forward.tiles.clone(), twiddles.inverse.tiles.clone()];
        let tables: Vec<Tiles> = all.iter().flat_map(tables).collect();
        let count = tables.iter().map(|table| table.words().len()).sum();
        if count == 0 {
            return;
        }
        let mut memory = Memory::new(count);
        let mut ranges = Vec::with_capacity(tables.len());
        let mut start = 0;
        for table in &tables {
            let range = start..start + table.words().len();
            memory.words_mut()[range.clone()].copy_from_slice(table.words());
            start = range.end;
            ranges.push(range);
        }
        let memory = Arc::new(memory);
        let table = |range: &Range<usize>| Tiles {
            memory: Some(Arc::clone(&memory)),
            range: range.clone(),
        };
        for (twiddles, ranges) in all.iter_mut().zip(ranges.chunks_exact(2)) {
            twiddles.forward.tiles = table(&ranges[0]);
            twiddles.inverse.tiles = table(&ranges[1]);
        }
    }

    /// Checks that these are the factors for polynomials of this degree in vectors of `lanes`.
    ///
    /// # Panics
    /// Panics otherwise.
    pub(super) fn check(&self, lanes: usize, residues: &[u32]) {
        assert_eq!(self.degree(), residues.len(), "the factors are for another degree");
        assert_eq!(self.lanes, lanes, "the factors are for other vectors");
    }

    /// The modulus q.
    pub fn modulus(&self) -> Modulus {
        self.modulus
    }

    /// The degree N.
    pub fn degree(&self) -> usize {
        1 << self.log_degree
    }

    /// ψ, of order 2N.
    pub fn root(&self) -> u32 {
        self.root
    }
}

/// Returns `true` if a transform of N residues has tiles of vectors of `lanes`.
pub(super) fn has_tiles(degree: usize, lanes: usize) -> bool {
    lanes > 1 && degree >= 2 * lanes * lanes
}

/// root^rev(i) at index i.
fn powers(modulus: Modulus, root: u32, log_degree: u32) -> Vec<Shoup> {
    let mut powers = vec![Shoup::default(); 1 << log_degree];
    let mut power = 1;
    for exponent in 0..powers.len() {
        powers[reverse_bits(exponent, log_degree)] = modulus.shoup(power);
        power = modulus.mul(power, root);
    }
    powers
}

/// Reverses the lowest `bits` bits of a number.
pub(super) fn reverse_bits(number: usize, bits: u32) -> usize {
    if bits == 0 {
        return 0;
    }
    number.reverse_bits() >> (usize::BITS - bits)
}

fn tile_factors(stages: &[Shoup], lanes: usize) -> Vec<u32> {
    let degree = stages.len();
    let log_lanes = lanes.trailing_zeros();
    let (tiles, rows) = (degree / (lanes * lanes), degree / lanes);
    let places = move || (0..log_lanes).flat_map(|stage| (0..1 << stage).map(move |j| (stage, j)));
    let mut words = Vec::with_capacity(2 * degree);
    for tile in 0..tiles {
        let shared =
            places().map(|(stage, j)| stages[(tiles << stage) + (tile << stage) + j]).collect();
        push_split(&mut words, shared, lanes);
        for (stage, j) in places() {
            let group = |row| (rows << stage) + ((tile * lanes + row) << stage) + j;
            push_split(&mut words, (0..lanes).map(|row| stages[group(row)]).collect(), lanes);
        }
    }
    words
}

/// Appends the factors, then the quotients, each padded to `lanes` words.
fn push_split(words: &mut Vec<u32>, factors: Vec<Shoup>, lanes: usize) {
    let padding = std::iter::repeat_n(0, lanes - factors.len());
    words.extend(factors.iter().map(|factor| factor.factor).chain(padding.clone()));
    words.extend(factors.iter().map(|factor| factor.quotient).chain(padding));
}
