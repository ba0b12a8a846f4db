// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Translates the steps of a program into tasks on limbs.

use std::collections::HashMap;

use halimede_ckks::ring::{Basis, Flaw, Gaussian, Modulus, Operation, Program, ProgramError, Step};

use super::task::{Epilogue, Limb, Pointwise, Slot, Source, Target, Task, Tasks, Work};

/// A value: its limbs by the positions of their primes, and log₂ of the run of an external value.
#[derive(Clone)]
struct Value {
    places: Basis,
    limbs: Vec<Limb>,
    log_run: u32,
}

struct Lowering<'p> {
    program: &'p Program,
    moduli: Vec<Modulus>,
    values: HashMap<u64, Value>,
    tasks: Vec<Task>,
    slots: Slot,
}

/// Returns the tasks of a program.
///
/// # Errors
/// [`ProgramError`] for a damaged program.
pub(super) fn lower(program: &Program) -> Result<Tasks, ProgramError> {
    program.check()?;
    let ring = || ProgramError::Ring { degree: program.degree, primes: program.primes.len() };
    let moduli = program.primes.iter().map(|prime| Modulus::new(prime.modulus));
    let moduli = moduli.collect::<Result<Vec<_>, _>>().map_err(|_| ring())?;
    let mut lowering =
        Lowering { program, moduli, values: HashMap::new(), tasks: Vec::new(), slots: 0 };
    for (index, external) in (0..).zip(&program.externals) {
        let limb = |limb| Limb::External { external: index, limb };
        let limbs = (0..external.basis.len() as u32).map(limb).collect();
        let log_run = external.run.trailing_zeros();
        let value = Value { places: external.basis.clone(), limbs, log_run };
        lowering.values.insert(external.value, value);
    }
    for (index, step) in program.steps.iter().enumerate() {
        let operation = step.operation.name();
        let flawed = |flaw| ProgramError::Step { step: index, operation, flaw };
        let limbs = lowering.step(step).map_err(flawed)?;
        let value = Value { places: step.basis.clone(), limbs, log_run: 0 };
        lowering.values.insert(step.output, value);
    }
    let outputs = program.outputs.iter().map(|output| {
        let value = lowering.values.get(&output.value);
        let value = value.ok_or_else(|| ProgramError::NoOutput { name: output.name.clone() })?;
        Ok(value.limbs.clone())
    });
    let outputs = outputs.collect::<Result<Vec<_>, ProgramError>>()?;
    Ok(Tasks { tasks: lowering.tasks, slots: lowering.slots, outputs })
}

impl Lowering<'_> {
    /// Adds the tasks of a step, and returns the limbs of its output.
    fn step(&mut self, step: &Step) -> Result<Vec<Limb>, Flaw> {
        match &step.operation {
            Operation::Select => self.selected(step),
            Operation::Convert { from, from_factors, to_factors } => {
                self.convert(step, from, [from_factors, to_factors])
            }
            _ => {
                let places = step.basis.places().iter().enumerate();
                places.map(|(index, place)| self.limb(step, index, *place)).collect()
            }
        }
    }

    /// The limbs of a selection, each of the first input that has it.
    fn selected(&self, step: &Step) -> Result<Vec<Limb>, Flaw> {
        let limb = |place: &u16| {
            let found = step.inputs.iter().find_map(|value| self.at(*value, *place).ok());
            found.map(|(limb, _)| limb).ok_or(Flaw::Basis { value: step.output })
        };
        step.basis.places().iter().map(limb).collect()
    }

    /// The limb of a prime of a value, and the value's run.
    fn at(&self, value: u64, place: u16) -> Result<(Limb, u32), Flaw> {
        let Value { places, limbs, log_run } =
            self.values.get(&value).ok_or(Flaw::Unknown { value })?;
        let limb = places.limb_of(place).ok_or(Flaw::Basis { value })?;
        Ok((limbs[limb], *log_run))
    }

    /// Adds the task of one limb of a step.
    fn limb(&mut self, step: &Step, index: usize, place: u16) -> Result<Limb, Flaw> {
        let inputs = step.inputs.iter().map(|value| self.at(*value, place));
        let inputs = inputs.collect::<Result<Vec<_>, Flaw>>()?;
        let operands: Vec<Limb> = inputs.iter().map(|(limb, _)| *limb).collect();
        let first = operands.first().copied();
        let from = first.ok_or(Flaw::Inputs { got: 0 });
        let modulus = self.moduli[usize::from(place)];
        let pointwise =
            |operation, numbers| Work::Pointwise { operation, operands: operands.clone(), numbers };
        let plain = |operation| pointwise(operation, [0; 2]);
        let epilogue = Epilogue::NOTHING;
        let work = match &step.operation {
            Operation::Forward => Work::Forward { from: from?, epilogue },
            Operation::Inverse => Work::Inverse { from: from?, factor: 1 },
            Operation::Add => plain(Pointwise::Add),
            Operation::Subtract => plain(Pointwise::Subtract),
            Operation::Negate => plain(Pointwise::Negate),
            Operation::Multiply => plain(Pointwise::Multiply),
            Operation::MultiplyAdd => plain(Pointwise::MultiplyAdd),
            Operation::Zero => plain(Pointwise::Zero),
            Operation::Scale { factors } => pointwise(Pointwise::Scale, [factors[index], 0]),
            Operation::SubtractScale { factors } => {
                pointwise(Pointwise::SubtractScale, [factors[index], 0])
            }
            Operation::AddNumber { numbers } => {
                pointwise(Pointwise::AddNumber, self.halves(place, numbers[index]))
            }
            Operation::Combine { numbers } => {
                let factor = |numbers: &Vec<Gaussian>| {
                    self.halves(place, numbers[index]).map(|number| modulus.to_montgomery(number))
                };
                let terms = operands.iter().copied().zip(numbers.iter().map(factor)).collect();
                Work::Combine { terms, epilogue }
            }
            Operation::SumOfProducts | Operation::KeyProduct => {
                let pairs = inputs.chunks_exact(2);
                let terms = pairs.map(|pair| (pair[0].0, pair[1].0, pair[1].1)).collect();
                Work::Products { terms, epilogue }
            }
            Operation::Permute { exponent } => Work::Permute { from: from?, exponent: *exponent },
            Operation::Select | Operation::Convert { .. } => {
                return Err(Flaw::Inputs { got: operands.len() });
            }
        };
        let output = self.fresh();
        self.tasks.push(Task { work, prime: place, output });
        Ok(Limb::Slot(output))
    }

    fn fresh(&mut self) -> Slot {
        self.slots += 1;
        self.slots - 1
    }

    /// The values of a Gaussian integer in the lower and in the upper half of a limb.
    fn halves(&self, place: u16, [re, im]: Gaussian) -> Gaussian {
        let modulus = self.moduli[usize::from(place)];
        let root = self.program.primes[usize::from(place)].root;
        let turned = modulus.mul(im, modulus.pow(root, self.program.degree as u64 / 2));
        [modulus.add(re, turned), modulus.sub(re, turned)]
    }

    fn convert(
        &mut self,
        step: &Step,
        from: &Basis,
        [before, after]: [&[u32]; 2],
    ) -> Result<Vec<Limb>, Flaw> {
        let value = step.inputs.first().copied().ok_or(Flaw::Inputs { got: 0 })?;
        let moduli = |basis: &Basis| -> Vec<Modulus> {
            basis.places().iter().map(|place| self.moduli[usize::from(*place)]).collect()
        };
        let (source_moduli, target_moduli) = (moduli(from), moduli(&step.basis));
        // The product of all sources except one, by the index of that one, or of all.
        let product = |modulus: Modulus, without: Option<usize>| {
            let others = source_moduli.iter().enumerate().filter(|(i, _)| Some(*i) != without);
            modulus.product(others.map(|(_, other)| other))
        };
        let places = from.places().iter().zip(&source_moduli).zip(before).enumerate();
        let sources = places.map(|(index, ((place, modulus), factor))| {
            let ready = modulus.mul(modulus.inverse(product(*modulus, Some(index))), *factor);
            let (limb, _) = self.at(value, *place)?;
            Ok(Source { limb, prime: *place, ready, is_ready: false })
        });
        let sources = sources.collect::<Result<Vec<_>, Flaw>>()?;
        let first = self.slots;
        let places = step.basis.places().iter().zip(&target_moduli).zip(after);
        let targets = (first..).zip(places).map(|(slot, ((place, modulus), factor))| {
            let scaled = |number| modulus.to_montgomery(modulus.mul(number, *factor));
            let overflow = scaled(modulus.neg(product(*modulus, None)));
            let others = (0..source_moduli.len()).map(|index| product(*modulus, Some(index)));
            Target { slot, prime: *place, overflow, factors: others.map(scaled).collect() }
        });
        let targets: Vec<Target> = targets.collect();
        self.slots += targets.len() as Slot;
        let limbs = targets.iter().map(|target| Limb::Slot(target.slot)).collect();
        let prime = targets.first().map_or(0, |target| target.prime);
        self.tasks.push(Task { work: Work::Convert { sources, targets }, prime, output: first });
        Ok(limbs)
    }
}
