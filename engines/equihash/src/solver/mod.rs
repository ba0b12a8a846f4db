// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Solves puzzles, by Wagner's algorithm as Equihash's authors describe it (Biryukov, Khovratovich
//! 2016, section 4): of 2^(c+1) leaves, with c = n / (k + 1), those that agree in their first c
//! bits are paired; the pairs' XORs are paired by the next c bits, about as many; and so on, until
//! on the last level 2c bits have to agree.
//!
//! Rows lose the bits that are zero. What a row is made of is kept as the numbers of two rows of
//! the level below, and followed down to the leaves for solutions alone.

mod buckets;
mod shape;
mod step;
mod table;
mod tree;
mod watch;

use shape::Shape;
use step::Level;
use table::Table;
use watch::Meter;

pub use watch::Watch;

use crate::Params;

/// Solves puzzles of one n and k, on all threads of the current pool.
#[derive(Clone, Copy, Debug)]
pub struct Solver {
    params: Params,
    memory_limit: u64,
}

/// Why the solver ended without a result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// More memory is needed than is allowed.
    #[error("{params} takes {needed} bytes of memory, where {limit} are allowed")]
    MemoryLimit {
        /// The puzzle's.
        params: Params,
        /// Bytes at most.
        needed: u64,
        /// Bytes that are allowed.
        limit: u64,
    },
    /// More rows than can be numbered.
    #[error("{params} takes {needed} bytes of memory, and more rows than have numbers of 31 bits")]
    TooManyRows {
        /// The puzzle's.
        params: Params,
        /// Bytes at most.
        needed: u64,
    },
    /// The system gives no more memory.
    #[error("out of memory: {bytes} bytes more are not given")]
    OutOfMemory {
        /// The requested value.
        bytes: u64,
    },
    /// It was ended from outside.
    #[error("cancelled")]
    Cancelled,
}

impl Solver {
    /// A solver of puzzles with these n and k.
    pub fn new(params: Params) -> Self {
        Self { params, memory_limit: u64::MAX }
    }

    /// A solver that refuses what takes more memory.
    pub fn with_memory_limit(self, bytes: u64) -> Self {
        Self { memory_limit: bytes, ..self }
    }

    /// n and k.
    pub fn params(&self) -> Params {
        self.params
    }

    /// Bytes of memory that its tables take at most: (48, 5) some kilobytes, (96, 5) 7 MB, (200, 9)
    /// 0.2 GB, (144, 5) 2 GB.
    pub fn memory_bytes(&self) -> u64 {
        Shape::new(self.params).memory_bytes()
    }

    /// Solutions of a puzzle on average: the trees of 2^k different leaves among all, of which one
    /// in 2^(c · 2^k) collides everywhere. Two, but where the leaves are few.
    pub fn mean_solutions(&self) -> f64 {
        let leaves = Shape::new(self.params).leaves() as f64;
        2.0 * (0..self.params.indices()).map(|taken| 1.0 - taken as f64 / leaves).product::<f64>()
    }

    /// All solutions of a puzzle, sorted; each as indices in the one order in which they are valid.
    /// The input is all that leaves hash before their index: for Zcash the header's 140 bytes. A
    /// puzzle may have none.
    ///
    /// # Errors
    /// [`SolveError`], but [`SolveError::Cancelled`].
    pub fn solve(&self, input: &[u8]) -> Result<Vec<Vec<u32>>, SolveError> {
        self.solve_watched(input, &())
    }

    /// As [`Self::solve`], while someone looks on.
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
        // Within the pool, steps of little work need not wake it.
        rayon::scope(|_| self.solve_in_pool(input, watch))
    }

    fn solve_in_pool(&self, input: &[u8], watch: &dyn Watch) -> Result<Vec<Vec<u32>>, SolveError> {
        let (params, shape) = (self.params, Shape::new(self.params));
        // The leaves; two steps for each level.
        let meter = Meter::new(watch, 1 + 2 * params.k());
        let table = Table::leaves(params, input, &meter)?;
        let references = Default::default();
        let mut level = Level { params, level: 0, table, references, meter: &meter };
        while level.level < params.k() - 1 {
            let above = level.level + 1;
            let most = usize::try_from(shape.most_rows(above)).unwrap_or(usize::MAX);
            level = level.next(shape.words(above), most)?;
        }
        level.solutions()
    }
}
