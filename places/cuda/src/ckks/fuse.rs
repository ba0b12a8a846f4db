// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Fuses tasks, so that limbs are not written and read again: differences, sums and automorphisms
//! into the transform or the sum of products before them, and factors into the inverse transform
//! before them.

use halimede_ckks::ring::Modulus;

use super::task::{Limb, Pointwise, Slot, Task, Tasks, Work};

struct Fusion<'m> {
    moduli: &'m [Modulus],
    tasks: Vec<Option<Task>>,
    uses: Vec<u32>,
    /// The index of the task that computes a slot.
    producers: Vec<usize>,
}

/// Fuses tasks. A fused task has the position of the last part, at which all its inputs are there.
pub(super) fn fuse(all: Tasks, moduli: &[Modulus]) -> Tasks {
    let uses = all.uses();
    let mut producers = vec![usize::MAX; all.slots as usize];
    for (index, task) in all.tasks.iter().enumerate() {
        for slot in task.outputs() {
            producers[slot as usize] = index;
        }
    }
    let tasks: Vec<Option<Task>> = all.tasks.into_iter().map(Some).collect();
    let mut fusion = Fusion { moduli, tasks, uses, producers };
    for index in 0..fusion.tasks.len() {
        fusion.at(index);
    }
    let tasks = fusion.tasks.into_iter().flatten().collect();
    Tasks { tasks, slots: all.slots, outputs: all.outputs }
}

impl Fusion<'_> {
    /// Fuses the task at an index with those before it.
    fn at(&mut self, index: usize) {
        let Some(task) = self.tasks[index].take() else { return };
        let fused = self.fused(&task);
        let task = fused.unwrap_or(task);
        for slot in task.outputs() {
            self.producers[slot as usize] = index;
        }
        self.tasks[index] = Some(task);
    }

    /// Returns the task that does the work of this one and of one before it.
    fn fused(&mut self, task: &Task) -> Option<Task> {
        match &task.work {
            Work::Pointwise { operation, operands, numbers } => match (operation, &operands[..]) {
                (Pointwise::SubtractScale, [a, b]) => {
                    let mut before = self.taken(*a, |before| {
                        let is_forward = matches!(before.work, Work::Forward { .. });
                        is_forward && before.epilogue_mut().is_some_and(|of| of.is_empty())
                    })?;
                    before.epilogue_mut()?.subtract = Some((*b, numbers[0]));
                    Some(Task { output: task.output, ..before })
                }
                (Pointwise::Add, [a, b]) => {
                    let can_add = |before: &mut Task| {
                        let epilogue = before.epilogue_mut();
                        epilogue.is_some_and(|of| of.added.is_none() && of.exponent == 1)
                    };
                    let (mut before, other) = match self.taken(*a, can_add) {
                        Some(before) => (before, *b),
                        None => (self.taken(*b, can_add)?, *a),
                    };
                    before.epilogue_mut()?.added = Some(other);
                    Some(Task { output: task.output, ..before })
                }
                (Pointwise::Scale, [a]) => {
                    let before = self.taken(*a, is_inverse)?;
                    Some(self.scaled(before, numbers[0], task.output))
                }
                _ => None,
            },
            Work::Permute { from, exponent } => {
                let mut before = self.taken(*from, |before| {
                    before.epilogue_mut().is_some_and(|of| of.exponent == 1)
                })?;
                before.epilogue_mut()?.exponent = *exponent;
                Some(Task { output: task.output, ..before })
            }
            Work::Convert { .. } => Some(self.converted(task.clone())),
            _ => None,
        }
    }

    /// Takes the task that computes a limb, if nothing else uses the limb and the task is suitable.
    fn taken(&mut self, limb: Limb, suits: impl Fn(&mut Task) -> bool) -> Option<Task> {
        let producer = self.producer(limb)?;
        let task = self.tasks.get_mut(producer)?;
        if task.as_mut().is_some_and(suits) {
            return task.take();
        }
        None
    }

    /// The task that computes a limb that is used once.
    fn producer(&self, limb: Limb) -> Option<usize> {
        let Limb::Slot(slot) = limb else { return None };
        (self.uses[slot as usize] == 1).then(|| self.producers[slot as usize])
    }

    /// An inverse transform with a factor.
    fn scaled(&self, mut task: Task, by: u32, output: Slot) -> Task {
        if let Work::Inverse { factor, .. } = &mut task.work {
            *factor = self.moduli[usize::from(task.prime)].mul(*factor, by);
        }
        Task { output, ..task }
    }

    /// Moves the factors of a conversion's sources to their inverse transforms, which stay tasks.
    fn converted(&mut self, mut task: Task) -> Task {
        let Work::Convert { sources, .. } = &mut task.work else { return task };
        for source in sources {
            let Some(index) = self.producer(source.limb) else { continue };
            let Some(before) = self.tasks.get_mut(index).and_then(Option::take) else { continue };
            let mut before = before;
            source.is_ready = is_inverse(&mut before);
            if source.is_ready {
                let output = before.output;
                before = self.scaled(before, source.ready, output);
            }
            self.tasks[index] = Some(before);
        }
        task
    }
}

fn is_inverse(task: &mut Task) -> bool {
    matches!(task.work, Work::Inverse { .. })
}
