// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A solver with Wagner's algorithm, as Equihash's authors describe it (Biryukov, Khovratovich
//! 2016, section 4). Among 2^(c+1) leaves, with c = n / (k + 1), those that agree in their first c
//! bits are paired. The XORs of the pairs, which are about equally numerous, are paired by the next
//! c bits, and so on; on the last level 2c bits must agree.
//!
//! Rows drop the bits that are zero. Each row keeps the numbers of its two rows on the level below;
//! they are followed down to the leaves only for solutions.

mod buckets;
mod shape;
mod step;
mod table;
mod tree;
mod watch;

use shape::Shape;
use step::TreeLevel;
use table::Table;
use watch::Meter;

pub use watch::Watch;

use crate::Params;

/// A solver of puzzles with given n and k, on all threads of the current pool.
#[derive(Clone, Copy, Debug)]
pub struct Solver {
    params: Params,
    memory_limit: u64,
}

/// Why the solver ended without a result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The puzzle needs more memory than allowed.
    #[error("{params} needs {needed} bytes of memory; the limit is {limit}")]
    MemoryLimit {
        /// The parameters of the puzzle.
        params: Params,
        /// The most bytes needed.
        needed: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The puzzle has more rows than can be numbered.
    #[error("{params} needs {needed} bytes of memory, and more rows than 31-bit numbers allow")]
    TooManyRows {
        /// The parameters of the puzzle.
        params: Params,
        /// The most bytes needed.
        needed: u64,
    },
    /// An allocation failed.
    #[error("out of memory: failed to allocate {bytes} bytes")]
    OutOfMemory {
        /// The size of the allocation in bytes.
        bytes: u64,
    },
    /// The watcher cancelled the work.
    #[error("cancelled")]
    Cancelled,
}

impl Solver {
    /// Creates a solver of puzzles with these n and k.
    pub fn new(params: Params) -> Self {
        Self { params, memory_limit: u64::MAX }
    }

    /// Sets a limit in bytes; puzzles that need more memory are rejected.
    pub fn with_memory_limit(self, bytes: u64) -> Self {
        Self { memory_limit: bytes, ..self }
    }

    /// The parameters n and k.
    pub fn params(&self) -> Params {
        self.params
    }

    /// The most bytes that the tables need: some kilobytes for (48, 5), 7 MB for (96, 5), 0.2 GB
    /// for (200, 9), 2 GB for (144, 5).
    pub fn memory_bytes(&self) -> u64 {
        Shape::new(self.params).memory_bytes()
    }

    /// The mean number of solutions of a puzzle: the trees of 2^k distinct leaves, of which one in
    /// 2^(c · 2^k) collides everywhere. It is two, or less if there are few leaves.
    pub fn mean_solutions(&self) -> f64 {
        let leaves = Shape::new(self.params).leaves() as f64;
        2.0 * (0..self.params.indices()).map(|taken| 1.0 - taken as f64 / leaves).product::<f64>()
    }

    /// Returns all solutions of a puzzle, sorted; each is a list of indices in the only valid
    /// order. The input is everything that is hashed before the index: for Zcash, the 140 bytes of
    /// the header. A puzzle may have no solution.
    ///
    /// # Errors
    /// [`SolveError`], except [`SolveError::Cancelled`].
    pub fn solve(&self, input: &[u8]) -> Result<Vec<Vec<u32>>, SolveError> {
        self.solve_watched(input, &())
    }

    /// As [`Self::solve`], with a watcher.
    ///
    /// # Errors
    /// [`SolveError`].
    pub fn solve_watched(
        &self,
        input: &[u8],
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<u32>>, SolveError> {
        let (params, needed) = (self.params, self.memory_bytes());
        if needed > self.memory_limit {
            return Err(SolveError::MemoryLimit { params, needed, limit: self.memory_limit });
        }
        if !Shape::new(params).is_numbered() {
            return Err(SolveError::TooManyRows { params, needed });
        }
        // Within the pool, small steps do not need to wake it.
        rayon::scope(|_| self.solve_in_pool(input, watch))
    }

    fn solve_in_pool(&self, input: &[u8], watch: &dyn Watch) -> Result<Vec<Vec<u32>>, SolveError> {
        let (params, shape) = (self.params, Shape::new(self.params));
        // The leaves; two steps for each level.
        let meter = Meter::new(watch, 1 + 2 * params.k());
        let table = Table::leaves(params, input, &meter)?;
        let references = Default::default();
        let mut level = TreeLevel { params, level: 0, table, references, meter: &meter };
        while level.level < params.k() - 1 {
            let above = level.level + 1;
            let most = usize::try_from(shape.most_rows(above)).unwrap_or(usize::MAX);
            level = level.next(shape.words(above), most)?;
        }
        level.solutions()
    }
}
