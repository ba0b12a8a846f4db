// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compiles a program for a GPU: a list of launches, the words of their jobs, and a plan of the
//! working memory.

use std::collections::HashSet;

use halimede_ckks::ring::{Basis, Form, Modulus, Program, ProgramError};

use super::count::{count, GpuCounts};
use super::emit::Emitter;
use super::fuse::fuse;
use super::launch::{Code, Launch};
use super::lower::lower;
use super::schedule::schedule;
use super::task::{Limb, Pointwise, Task, Tasks, Work};

/// A compiled program.
#[derive(Clone, Debug)]
pub struct CompiledProgram {
    /// The launches in order.
    pub launches: Vec<Launch>,
    /// The tables of the launches.
    pub code: Vec<u64>,
    /// The number of limbs of the working memory.
    pub work_limbs: usize,
    /// The primes and the form of each output.
    pub outputs: Vec<(Basis, Form)>,
    /// `true` for each external value that a launch reads.
    pub is_used: Vec<bool>,
    /// The work of the launches.
    pub counts: GpuCounts,
}

/// Settings of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileOptions {
    /// Fuses tasks. Without this, each step is a launch or more.
    pub fuse: bool,
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self { fuse: true }
    }
}

/// Compiles a program.
///
/// # Errors
/// [`ProgramError`] for a damaged program.
pub fn compile(
    program: &Program,
    options: &CompileOptions,
) -> Result<CompiledProgram, ProgramError> {
    let mut tasks = lower(program)?;
    let moduli = program.primes.iter().filter_map(|prime| Modulus::new(prime.modulus).ok());
    let moduli: Vec<Modulus> = moduli.collect();
    let outputs = shapes(program)?;
    copy_outputs(&mut tasks, &outputs);
    tasks = without_unused(tasks);
    if options.fuse {
        tasks = fuse(tasks, &moduli);
    }
    let schedule = schedule(&tasks);
    let emitter = Emitter {
        program,
        moduli: &moduli,
        tasks: &tasks,
        schedule: &schedule,
        code: Code::default(),
    };
    let Code { words, launches } = emitter.all();
    let mut is_used = vec![false; program.externals.len()];
    for limb in tasks.tasks.iter().flat_map(Task::inputs) {
        if let Limb::External { external, .. } = limb {
            is_used[external as usize] = true;
        }
    }
    let counts = count(program, &tasks, &schedule, launches.len());
    let work_limbs = schedule.work_limbs as usize;
    Ok(CompiledProgram { launches, code: words, work_limbs, outputs, is_used, counts })
}

/// The primes and the form of each output.
fn shapes(program: &Program) -> Result<Vec<(Basis, Form)>, ProgramError> {
    let shape = |value: u64| {
        let externals = program.externals.iter();
        let externals = externals.map(|of| (of.value, &of.basis, of.form));
        let steps = program.steps.iter().map(|step| (step.output, &step.basis, step.form));
        let mut all = externals.chain(steps);
        all.find(|(of, ..)| *of == value).map(|(_, basis, form)| (basis.clone(), form))
    };
    let outputs = program.outputs.iter().map(|output| {
        let name = || output.name.clone();
        shape(output.value).ok_or_else(|| ProgramError::NoOutput { name: name() })
    });
    outputs.collect()
}

/// Adds copies of limbs that outputs do not own: those of external values, and those that belong to
/// several outputs. Every limb of an output is then a slot that nothing else is.
fn copy_outputs(tasks: &mut Tasks, shapes: &[(Basis, Form)]) {
    let mut known = HashSet::new();
    let Tasks { tasks: all, slots, outputs } = tasks;
    for (limbs, (basis, _)) in outputs.iter_mut().zip(shapes) {
        for (limb, place) in limbs.iter_mut().zip(basis.places()) {
            if matches!(limb, Limb::Slot(slot) if known.insert(*slot)) {
                continue;
            }
            let work = Work::Pointwise {
                operation: Pointwise::Copy,
                operands: vec![*limb],
                numbers: [0; 2],
            };
            all.push(Task { work, prime: *place, output: *slots });
            *limb = Limb::Slot(*slots);
            *slots += 1;
        }
    }
}

/// Leaves out tasks, and targets of conversions, whose results nothing uses.
fn without_unused(mut all: Tasks) -> Tasks {
    let mut is_used = vec![false; all.slots as usize];
    let mark = |is_used: &mut Vec<bool>, limb: Limb| {
        if let Limb::Slot(slot) = limb {
            is_used[slot as usize] = true;
        }
    };
    all.outputs.iter().flatten().for_each(|limb| mark(&mut is_used, *limb));
    let mut kept = Vec::with_capacity(all.tasks.len());
    for mut task in all.tasks.into_iter().rev() {
        if let Work::Convert { targets, .. } = &mut task.work {
            targets.retain(|target| is_used[target.slot as usize]);
        }
        if task.outputs().iter().any(|slot| is_used[*slot as usize]) {
            task.inputs().into_iter().for_each(|limb| mark(&mut is_used, limb));
            kept.push(task);
        }
    }
    kept.reverse();
    all.tasks = kept;
    all
}
