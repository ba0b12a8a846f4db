// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes the jobs of scheduled tasks.

use halimede_ckks::ring::{Modulus, Program};

use super::launch::{log_rows, pair, CkksKernel, Code, LIMB_UNIT, TARGETS};
use super::schedule::{Batch, Place, Schedule};
use super::task::{Epilogue, Kind, Limb, Slot, Task, Tasks, Work};

/// Flags of the epilogue of a transform.
const SUBTRACT_AND_SCALE: u32 = 1;
const ADD: u32 = 2;
/// Targets of a job: its blocks compute the sources' part anew.
const TARGETS_OF_JOB: usize = 24;

/// Writes jobs.
pub(super) struct Emitter<'a> {
    pub program: &'a Program,
    pub moduli: &'a [Modulus],
    pub tasks: &'a Tasks,
    pub schedule: &'a Schedule,
    pub code: Code,
}

impl Emitter<'_> {
    /// Writes all launches.
    pub fn all(mut self) -> Code {
        for batch in &self.schedule.batches {
            match batch.kind {
                Kind::Forward | Kind::Inverse => self.transforms(batch),
                Kind::Products | Kind::Combine => self.sums(batch),
                Kind::Convert => self.conversions(batch),
                Kind::Pointwise => self.jobs(batch, CkksKernel::Pointwise, Self::pointwise),
                Kind::Permute => self.jobs(batch, CkksKernel::Permute, Self::permute),
            }
        }
        self.code
    }

    fn degree(&self) -> usize {
        self.program.degree
    }

    fn modulus(&self, prime: u16) -> Modulus {
        self.moduli[usize::from(prime)]
    }

    fn tasks_of<'b>(&'b self, batch: &'b Batch) -> impl Iterator<Item = &'b Task> + 'b {
        batch.tasks.iter().map(|index| &self.tasks.tasks[*index])
    }

    /// The name of a limb in the kernels. Buffer 0 is the working memory; the external values and
    /// the outputs follow.
    fn name(&self, limb: Limb) -> u64 {
        let externals = &self.program.externals;
        match limb {
            Limb::External { external, limb } => {
                let run = externals[external as usize].run;
                named(external + 1, limb as usize * (self.degree() / run))
            }
            Limb::Slot(slot) => match self.schedule.places[slot as usize] {
                Place::Work(limb) => self.work(limb),
                Place::Output { output, limb } => {
                    let buffer = 1 + externals.len() as u32 + output;
                    named(buffer, limb as usize * self.degree())
                }
            },
        }
    }

    fn work(&self, limb: u32) -> u64 {
        named(0, limb as usize * self.degree())
    }

    fn slot(&self, slot: Slot) -> u64 {
        self.name(Limb::Slot(slot))
    }

    /// The name of a limb, or of another one that is not used.
    fn or(&self, limb: Option<Limb>, other: u64) -> u64 {
        limb.map_or(other, |limb| self.name(limb))
    }

    fn shoup(&self, prime: u16, factor: u32) -> u64 {
        let by = self.modulus(prime).shoup(factor);
        pair(by.factor, by.quotient)
    }

    /// Adds a launch of one table of jobs.
    fn jobs<const WORDS: usize>(
        &mut self,
        batch: &Batch,
        kernel: CkksKernel,
        job: impl Fn(&Self, &Task) -> [u64; WORDS],
    ) {
        let words: Vec<u64> = self.tasks_of(batch).flat_map(|task| job(self, task)).collect();
        let table = self.code.table(words);
        self.code.launch(kernel, self.program.degree, batch.tasks.len(), vec![table]);
    }

    fn pointwise(&self, task: &Task) -> [u64; 6] {
        let to = self.slot(task.output);
        let Work::Pointwise { operation, operands, numbers } = &task.work else { return [0; 6] };
        let [a, b, c] = [0, 1, 2].map(|index| self.or(operands.get(index).copied(), to));
        let is_pair = *operation == super::task::Pointwise::AddNumber;
        let numbers = match is_pair {
            true => pair(numbers[0], numbers[1]),
            false => self.shoup(task.prime, numbers[0]),
        };
        [to, a, b, c, pair(task.prime.into(), *operation as u32), numbers]
    }

    fn permute(&self, task: &Task) -> [u64; 6] {
        let to = self.slot(task.output);
        let Work::Permute { from, exponent } = &task.work else { return [0; 6] };
        let a = self.name(*from);
        [to, a, a, a, pair(task.prime.into(), 0), pair(*exponent as u32, 0)]
    }

    fn transforms(&mut self, batch: &Batch) {
        let mut between = batch.between.iter().map(|limb| self.work(*limb));
        let jobs = self.tasks_of(batch).flat_map(|task| {
            let to = self.slot(task.output);
            let middle = match task.needs_limb_between() {
                true => between.next().unwrap_or(to),
                false => to,
            };
            self.transform(task, to, middle)
        });
        let words: Vec<u64> = jobs.collect();
        let (table, degree, count) = (self.code.table(words), self.degree(), batch.tasks.len());
        let passes = match batch.kind {
            Kind::Forward => [CkksKernel::ForwardColumns, CkksKernel::ForwardRows],
            _ => [CkksKernel::InverseRows, CkksKernel::InverseColumns],
        };
        let is_one_pass = log_rows(degree.trailing_zeros()) == 0;
        for kernel in passes {
            let is_of_rows = matches!(kernel, CkksKernel::ForwardRows | CkksKernel::InverseRows);
            if is_of_rows || !is_one_pass {
                self.code.launch(kernel, degree, count, vec![table]);
            }
        }
    }

    fn transform(&self, task: &Task, to: u64, middle: u64) -> [u64; 8] {
        let modulus = self.modulus(task.prime);
        let prime = u32::from(task.prime);
        match &task.work {
            Work::Forward { from, epilogue } => {
                let (subtrahend, factor) = epilogue.subtract.unzip();
                let flags = [(subtrahend, SUBTRACT_AND_SCALE), (epilogue.added, ADD)];
                let flags = flags.into_iter().filter(|(limb, _)| limb.is_some());
                let flags = flags.map(|(_, flag)| flag).sum();
                [
                    self.name(*from),
                    middle,
                    to,
                    self.or(subtrahend, to),
                    self.or(epilogue.added, to),
                    pair(prime, self.inverse_exponent(epilogue.exponent)),
                    self.shoup(task.prime, factor.unwrap_or(0)),
                    pair(flags, 0),
                ]
            }
            Work::Inverse { from, factor } => {
                let degree = modulus.inverse(modulus.reduce(self.degree() as u64));
                let factor = self.shoup(task.prime, modulus.mul(degree, *factor));
                [self.name(*from), middle, to, to, to, pair(prime, 1), factor, 0]
            }
            _ => [0; 8],
        }
    }

    /// The exponent of the inverse automorphism: kernels write through it.
    fn inverse_exponent(&self, exponent: u64) -> u32 {
        // The odd numbers modulo 2N are a group in which x^(N/2) = 1.
        let mask = 2 * self.degree() as u64 - 1;
        let (mut power, mut result, mut rest) = (exponent & mask, 1, self.degree() as u64 / 2 - 1);
        while rest > 0 {
            if rest & 1 == 1 {
                result = (result * power) & mask;
            }
            power = (power * power) & mask;
            rest >>= 1;
        }
        result as u32
    }

    fn sums(&mut self, batch: &Batch) {
        let (mut jobs, mut words, mut first) = (Vec::new(), Vec::new(), 0);
        for task in self.tasks_of(batch) {
            let count = match &task.work {
                Work::Products { terms, epilogue } => {
                    jobs.extend(self.sum(task, epilogue, first, terms.len()));
                    for (a, b, log_run) in terms {
                        words.extend([self.name(*a), self.name(*b), pair(*log_run, 0)]);
                    }
                    terms.len()
                }
                Work::Combine { terms, epilogue } => {
                    jobs.extend(self.sum(task, epilogue, first, terms.len()));
                    for (a, [lower, upper]) in terms {
                        words.extend([self.name(*a), pair(*lower, *upper)]);
                    }
                    terms.len()
                }
                _ => 0,
            };
            first += count as u32;
        }
        let kernel = match batch.kind {
            Kind::Products => CkksKernel::Products,
            _ => CkksKernel::Combine,
        };
        let tables = vec![self.code.table(jobs), self.code.table(words)];
        self.code.launch(kernel, self.program.degree, batch.tasks.len(), tables);
    }

    fn sum(&self, task: &Task, epilogue: &Epilogue, first: u32, count: usize) -> [u64; 5] {
        let to = self.slot(task.output);
        [
            to,
            self.or(epilogue.added, to),
            pair(task.prime.into(), first),
            pair(count as u32, self.inverse_exponent(epilogue.exponent)),
            pair(epilogue.added.is_some().into(), 0),
        ]
    }

    fn conversions(&mut self, batch: &Batch) {
        let (mut jobs, mut source_words, mut target_words) = (Vec::new(), Vec::new(), Vec::new());
        let mut factor_words = Vec::new();
        let mut count = 0;
        for task in self.tasks_of(batch) {
            let Work::Convert { sources, targets } = &task.work else { continue };
            let first_source = source_words.len() / 4;
            for source in sources {
                let modulus = self.modulus(source.prime);
                let shift = 30 - modulus.barrett().0;
                let reciprocal = (1u64 << (59 - shift)) / u64::from(modulus.value());
                source_words.extend([
                    self.name(source.limb),
                    pair(source.prime.into(), shift),
                    pair(reciprocal as u32, source.is_ready.into()),
                    self.shoup(source.prime, source.ready),
                ]);
            }
            for targets in targets.chunks(TARGETS_OF_JOB) {
                let [first_target, first_factor] =
                    [&target_words, &factor_words].map(|words: &Vec<u64>| words.len() / 2);
                jobs.extend([
                    pair(first_source as u32, sources.len() as u32),
                    pair(first_target as u32, targets.len() as u32),
                    first_factor as u64,
                    0,
                ]);
                count += 1;
                for target in targets {
                    let prime = target.prime.into();
                    target_words.extend([self.slot(target.slot), pair(prime, target.overflow)]);
                }
                for some in targets.chunks(TARGETS) {
                    for source in 0..sources.len() {
                        let factor =
                            |index: usize| some.get(index).map_or(0, |of| of.factors[source]);
                        factor_words.push(pair(factor(0), factor(1)));
                        factor_words.push(pair(factor(2), factor(3)));
                    }
                }
            }
        }
        let tables = [jobs, source_words, target_words, factor_words];
        let tables = tables.into_iter().map(|words| self.code.table(words)).collect();
        self.code.launch(CkksKernel::Convert, self.program.degree, count, tables);
    }
}

/// A position in a buffer, for kernels.
fn named(buffer: u32, words: usize) -> u64 {
    pair((words / LIMB_UNIT) as u32, buffer)
}
