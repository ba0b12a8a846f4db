// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Counts the work of a program's launches.

use std::collections::HashSet;

use halimede_ckks::ring::Program;

use super::launch::log_rows;
use super::schedule::{Batch, Schedule};
use super::task::{Epilogue, Limb, Task, Tasks, Work};

/// Multiplications of 32 bits of a product with a prepared factor: one high, two low.
const PREPARED: u64 = 3;
/// Those of a product into a sum of 64 bits: one high, one low.
const WIDE: u64 = 2;
/// Those of a Montgomery reduction.
const MONTGOMERY: u64 = 2;
/// Those of a product with a reduction by Barrett: two wide ones and one low.
const BARRETT: u64 = 5;
/// Products before a reduction.
const TERMS: u64 = 12;

/// The work of a program's launches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GpuCounts {
    /// The number of launches.
    pub launches: u64,
    /// Multiplications of 32-bit integers, low or high halves, with or without an addition.
    pub multiplications: u64,
    /// Other 32-bit integer operations of the butterflies and reductions.
    pub additions: u64,
    /// Bytes that are read, where a limb, a table of factors or a key that a launch reads several
    /// times counts once: the others come from the L2 cache.
    pub read_bytes: u64,
    /// Bytes that are written.
    pub written_bytes: u64,
}

impl GpuCounts {
    fn add(&mut self, words: u64, multiplications: u64, additions: u64) {
        self.multiplications += words * multiplications;
        self.additions += words * additions;
    }
}

pub(super) fn count(
    program: &Program,
    tasks: &Tasks,
    schedule: &Schedule,
    launches: usize,
) -> GpuCounts {
    let mut counts = GpuCounts { launches: launches as u64, ..GpuCounts::default() };
    for batch in &schedule.batches {
        count_bytes(&mut counts, program, tasks, batch);
        for task in batch.tasks.iter().map(|index| &tasks.tasks[*index]) {
            count_work(&mut counts, program, task);
        }
    }
    counts
}

fn count_bytes(counts: &mut GpuCounts, program: &Program, tasks: &Tasks, batch: &Batch) {
    let (degree, log_degree) = (program.degree as u64, program.degree.trailing_zeros());
    let limb_bytes = 4 * degree;
    let (mut read, mut primes, mut written) = (HashSet::new(), HashSet::new(), 0u64);
    let mut transforms = 0u64;
    for task in batch.tasks.iter().map(|index| &tasks.tasks[*index]) {
        read.extend(task.inputs());
        written += task.outputs().len() as u64;
        if matches!(task.work, Work::Forward { .. } | Work::Inverse { .. }) {
            primes.insert(task.prime);
            transforms += 1;
        }
    }
    let bytes = |limb: &Limb| match limb {
        Limb::External { external, .. } => {
            limb_bytes / program.externals[*external as usize].run as u64
        }
        Limb::Slot(_) => limb_bytes,
    };
    counts.read_bytes += read.iter().map(bytes).sum::<u64>();
    counts.written_bytes += written * limb_bytes;
    // A factor has two words.
    counts.read_bytes += 2 * limb_bytes * primes.len() as u64;
    if log_rows(log_degree) > 0 {
        counts.read_bytes += transforms * limb_bytes;
        counts.written_bytes += transforms * limb_bytes;
    }
}

fn count_work(counts: &mut GpuCounts, program: &Program, task: &Task) {
    use super::task::Pointwise;
    let words = program.degree as u64;
    let stages = u64::from(program.degree.trailing_zeros());
    match &task.work {
        Work::Forward { epilogue, .. } => {
            // x mod 2q, the estimate's difference, and two sums.
            counts.add(words / 2 * stages, PREPARED, 6);
            counts.add(words, 0, 4);
            count_epilogue(counts, words, epilogue);
        }
        Work::Inverse { .. } => {
            counts.add(words / 2 * stages, PREPARED, 6);
            counts.add(words, PREPARED, 3);
        }
        Work::Pointwise { operation, .. } => match operation {
            Pointwise::Copy | Pointwise::Zero => {}
            Pointwise::Multiply | Pointwise::MultiplyAdd => counts.add(words, BARRETT, 7),
            Pointwise::Scale | Pointwise::SubtractScale => counts.add(words, PREPARED, 4),
            _ => counts.add(words, 0, 3),
        },
        Work::Products { terms, epilogue } => {
            count_sum(counts, words, terms.len() as u64);
            count_epilogue(counts, words, epilogue);
        }
        Work::Combine { terms, epilogue } => {
            count_sum(counts, words, terms.len() as u64);
            count_epilogue(counts, words, epilogue);
        }
        Work::Convert { sources, targets } => {
            let ready = sources.iter().filter(|source| !source.is_ready).count() as u64;
            counts.add(words * ready, PREPARED, 2);
            counts.add(words * sources.len() as u64, WIDE, 1);
            for _ in targets {
                count_sum(counts, words, sources.len() as u64 + 1);
            }
        }
        // Two reversals of bits, a product, shifts.
        Work::Permute { .. } => counts.add(words, 1, 6),
    }
}

fn count_sum(counts: &mut GpuCounts, words: u64, terms: u64) {
    counts.add(words * terms, WIDE, 0);
    counts.add(words * terms.div_ceil(TERMS), MONTGOMERY, 8);
}

fn count_epilogue(counts: &mut GpuCounts, words: u64, epilogue: &Epilogue) {
    if epilogue.subtract.is_some() {
        counts.add(words, PREPARED, 4);
    }
    if epilogue.added.is_some() {
        counts.add(words, 0, 3);
    }
    if epilogue.exponent != 1 {
        counts.add(words, 1, 6);
    }
}
