// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Translates programs of the ring, limb by limb.

use std::collections::{BTreeSet, HashMap};

use super::arithmetic::{inverse, multiply};
use super::conversion::{shift_factor, weights, HALF, STEPS, WIDE};
use super::error::FhetchError;
use super::trace::{Instruction, Operation, Port, Trace, COPY_MODULUS};
use crate::ring::{Basis, Form, Gaussian, Operation as RingOperation, Prime, Program, Step};

impl Trace {
    /// Translates a recorded program. Each limb of an external value is an input, with the name of
    /// the value; those of values that repeat their residues are given with all N residues, and
    /// keys are in Montgomery form, as in the program. The results have the same bits.
    ///
    /// # Errors
    /// [`FhetchError`] for a damaged program, and for names with control characters.
    pub fn of_program(program: &Program) -> Result<Self, FhetchError> {
        program.check()?;
        let mut lowering = Lowering::new(program);
        for external in &program.externals {
            for place in external.basis.places() {
                let (address, modulus) = (lowering.address(), lowering.modulus_at(*place));
                lowering.limbs.insert((external.value, *place), address);
                let (form, name) = (external.form, checked_name(&external.name)?);
                lowering.trace.inputs.push(Port { address, modulus, form, name });
            }
        }
        let mut basis_of: HashMap<u64, (&Basis, Form)> = HashMap::new();
        basis_of.extend(program.externals.iter().map(|of| (of.value, (&of.basis, of.form))));
        for step in &program.steps {
            lowering.step(step);
            basis_of.insert(step.output, (&step.basis, step.form));
        }
        for output in &program.outputs {
            let Some((basis, form)) = basis_of.get(&output.value) else { continue };
            for place in basis.places() {
                let address = lowering.limb(output.value, *place);
                let (modulus, name) = (lowering.modulus_at(*place), checked_name(&output.name)?);
                lowering.trace.outputs.push(Port { address, modulus, form: *form, name });
            }
        }
        Ok(lowering.trace)
    }
}

fn checked_name(name: &str) -> Result<String, FhetchError> {
    match name.is_empty() || name.chars().any(char::is_control) {
        true => Err(FhetchError::Name { name: name.to_owned() }),
        false => Ok(name.to_owned()),
    }
}

struct Lowering<'p> {
    primes: &'p [Prime],
    trace: Trace,
    last: u64,
    indices: HashMap<u64, usize>,
    /// The address of each limb of a value.
    limbs: HashMap<(u64, u16), u64>,
    /// X^(N/2) in values, for each prime.
    imaginary: HashMap<u16, u64>,
}

impl<'p> Lowering<'p> {
    fn new(program: &'p Program) -> Self {
        let primes = program.primes.iter().map(|prime| u64::from(prime.modulus));
        let powers = STEPS.map(|bits| 1 << bits);
        let sorted: BTreeSet<u64> = primes.chain(powers).chain([WIDE]).collect();
        let moduli: Vec<u64> = [COPY_MODULUS].into_iter().chain(sorted).collect();
        let indices = moduli.iter().enumerate().map(|(index, modulus)| (*modulus, index)).collect();
        let (inputs, outputs, instructions) = Default::default();
        let trace = Trace { degree: program.degree, moduli, inputs, outputs, instructions };
        let (limbs, imaginary) = Default::default();
        Self { primes: &program.primes, trace, last: 0, indices, limbs, imaginary }
    }

    /// A new address. 0 means none to others.
    fn address(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn prime(&self, place: u16) -> Prime {
        self.primes[usize::from(place)]
    }

    fn q(&self, place: u16) -> u64 {
        u64::from(self.prime(place).modulus)
    }

    fn modulus_at(&self, place: u16) -> usize {
        self.indices[&self.q(place)]
    }

    /// The address of a limb that the checked program has.
    fn limb(&self, value: u64, place: u16) -> u64 {
        self.limbs.get(&(value, place)).copied().unwrap_or_default()
    }

    /// Adds an instruction modulo a number of the table, and returns the address of its result.
    fn emit(&mut self, modulus: u64, operation: Operation) -> u64 {
        let (to, modulus) = (self.address(), self.indices[&modulus]);
        self.trace.instructions.push(Instruction { to, modulus, operation });
        to
    }

    /// Σ aᵢ, or 0.
    fn sum(&mut self, q: u64, terms: &[u64]) -> u64 {
        match terms {
            [] => self.emit(q, Operation::MultiplyNumber(self.last.max(1), 0)),
            [first, rest @ ..] => {
                rest.iter().fold(*first, |sum, term| self.emit(q, Operation::Add(sum, *term)))
            }
        }
    }

    fn step(&mut self, step: &Step) {
        if let RingOperation::Convert { from, from_factors, to_factors } = &step.operation {
            return self.convert(step, from, from_factors, to_factors);
        }
        for (index, place) in step.basis.places().iter().enumerate() {
            let address = self.limb_of_step(step, index, *place);
            self.limbs.insert((step.output, *place), address);
        }
    }

    /// Translates a step for one prime.
    fn limb_of_step(&mut self, step: &Step, index: usize, place: u16) -> u64 {
        let (q, root) = (self.q(place), u64::from(self.prime(place).root));
        let inputs: Vec<u64> = step.inputs.iter().map(|value| self.limb(*value, place)).collect();
        let a = inputs.first().copied().unwrap_or_default();
        let b = inputs.get(1).copied().unwrap_or_default();
        match &step.operation {
            RingOperation::Forward => self.emit(q, Operation::Forward(a, root)),
            RingOperation::Inverse => self.emit(q, Operation::Inverse(a, root)),
            RingOperation::Add => self.emit(q, Operation::Add(a, b)),
            RingOperation::Subtract => self.emit(q, Operation::Subtract(a, b)),
            RingOperation::Negate => self.emit(q, Operation::Negate(a)),
            RingOperation::Multiply => self.emit(q, Operation::Multiply(a, b)),
            RingOperation::MultiplyAdd => {
                let c = inputs.get(2).copied().unwrap_or_default();
                let product = self.emit(q, Operation::Multiply(b, c));
                self.emit(q, Operation::Add(a, product))
            }
            RingOperation::Scale { factors } => {
                self.emit(q, Operation::MultiplyNumber(a, u64::from(factors[index])))
            }
            RingOperation::SubtractScale { factors } => {
                let difference = self.emit(q, Operation::Subtract(a, b));
                self.emit(q, Operation::MultiplyNumber(difference, u64::from(factors[index])))
            }
            RingOperation::AddNumber { numbers } => {
                let [re, im] = numbers[index].map(u64::from);
                let mut sum = a;
                if im != 0 {
                    let imaginary = self.imaginary(place);
                    let part = self.emit(q, Operation::MultiplyNumber(imaginary, im));
                    sum = self.emit(q, Operation::Add(sum, part));
                }
                self.emit(q, Operation::AddNumber(sum, re))
            }
            RingOperation::Combine { numbers } => {
                let terms = inputs.iter().zip(numbers);
                let terms: Vec<u64> =
                    terms.map(|(a, numbers)| self.scaled(place, *a, numbers[index])).collect();
                self.sum(q, &terms)
            }
            RingOperation::SumOfProducts | RingOperation::KeyProduct => {
                let pairs = inputs.chunks_exact(2);
                let terms: Vec<u64> =
                    pairs.map(|pair| self.emit(q, Operation::Multiply(pair[0], pair[1]))).collect();
                let sum = self.sum(q, &terms);
                self.emit(q, Operation::MultiplyNumber(sum, inverse((1 << 32) % q, q)))
            }
            RingOperation::Permute { exponent } => {
                self.emit(q, Operation::Automorphism(a, *exponent))
            }
            RingOperation::Select => {
                let limbs = step.inputs.iter().map(|value| self.limb(*value, place));
                limbs.into_iter().find(|address| *address != 0).unwrap_or_default()
            }
            RingOperation::Zero | RingOperation::Convert { .. } => self.sum(q, &[]),
        }
    }

    /// a·(re + im·X^(N/2)).
    fn scaled(&mut self, place: u16, a: u64, number: Gaussian) -> u64 {
        let (q, [re, im]) = (self.q(place), number.map(u64::from));
        let real = self.emit(q, Operation::MultiplyNumber(a, re));
        if im == 0 {
            return real;
        }
        let imaginary = self.imaginary(place);
        let turned = self.emit(q, Operation::Multiply(a, imaginary));
        let turned = self.emit(q, Operation::MultiplyNumber(turned, im));
        self.emit(q, Operation::Add(real, turned))
    }

    /// The values of X^(N/2): 1 everywhere has the coefficients 1, 0, …, which are shifted.
    fn imaginary(&mut self, place: u16) -> u64 {
        if let Some(address) = self.imaginary.get(&place) {
            return *address;
        }
        let (q, root) = (self.q(place), u64::from(self.prime(place).root));
        let zero = self.sum(q, &[]);
        let one = self.emit(q, Operation::AddNumber(zero, 1));
        let one = self.emit(q, Operation::Inverse(one, root));
        let shifted = self.emit(q, Operation::Shift(one, self.trace.degree as u64 / 2));
        let values = self.emit(q, Operation::Forward(shifted, root));
        let address = self.emit(q, Operation::Negate(values));
        self.imaginary.insert(place, address);
        address
    }

    /// Translates a conversion; `conversion.rs` has the method.
    fn convert(&mut self, step: &Step, from: &Basis, from_factors: &[u32], to_factors: &[u32]) {
        let input = step.inputs.first().copied().unwrap_or_default();
        let sources: Vec<u64> = from.places().iter().map(|place| self.q(*place)).collect();
        let product = |q: u64, without: usize| {
            let others = sources.iter().enumerate().filter(|(index, _)| *index != without);
            others.fold(1 % q, |all, (_, by)| multiply(all, *by % q, q))
        };
        let (mut ready, mut sums) = (Vec::new(), [Vec::new(), Vec::new()]);
        for (index, place) in from.places().iter().enumerate() {
            let q = sources[index];
            let factor = multiply(inverse(product(q, index), q), u64::from(from_factors[index]), q);
            let limb = self.limb(input, *place);
            let y = self.emit(q, Operation::MultiplyNumber(limb, factor));
            ready.push(y);
            for (sum, weight) in sums.iter_mut().zip(weights(self.prime(*place).modulus)) {
                sum.push(self.emit(WIDE, Operation::MultiplyNumber(y, weight)));
            }
        }
        let [high, low] = sums.map(|terms| self.sum(WIDE, &terms));
        let low = self.emit(WIDE, Operation::AddNumber(low, HALF));
        let low = self.quotient(low, STEPS[0]);
        let sum = self.emit(WIDE, Operation::Add(high, low));
        let overflow = self.quotient(sum, STEPS[1]);
        for (index, place) in step.basis.places().iter().enumerate() {
            let (q, factor) = (self.q(*place), u64::from(to_factors[index]));
            let whole = multiply(product(q, usize::MAX), factor, q);
            let mut terms =
                vec![self.emit(q, Operation::MultiplyNumber(overflow, (q - whole) % q))];
            for (index, y) in ready.iter().enumerate() {
                let by = multiply(product(q, index), factor, q);
                terms.push(self.emit(q, Operation::MultiplyNumber(*y, by)));
            }
            let address = self.sum(q, &terms);
            self.limbs.insert((step.output, *place), address);
        }
    }

    /// ⌊a/2ᵏ⌋ for numbers below [`WIDE`].
    fn quotient(&mut self, a: u64, bits: u32) -> u64 {
        let remainder = self.emit(1 << bits, Operation::MultiplyNumber(a, 1));
        let multiple = self.emit(WIDE, Operation::Subtract(a, remainder));
        self.emit(WIDE, Operation::MultiplyNumber(multiple, shift_factor(bits)))
    }
}
