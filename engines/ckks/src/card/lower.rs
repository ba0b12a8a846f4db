// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lowers a program of the ring to tasks on limbs.
//!
//! A limb that a task computes is its value times some number, the *excess* of the limb: a product
//! of the card is 2³⁴ times too small, an inverse transform is N times too large, and a factor for
//! each prime need not be multiplied at all. Products accept any excess. Sums need limbs of the
//! same excess, or have a constant for each term anyway. Only outputs, and the integer inputs of a
//! conversion, must have excess 1.

use std::collections::HashMap;

use super::error::CardError;
use super::model::Card;
use super::task::{Factor, LimbId, Source, Task, Tasks, Term, Work, MAX_TERMS};
use crate::ring::{Basis, Modulus, Operation, Program, ProgramError, Step};

/// log₂ of the factor by which a product of the card is too small.
const LOG_RADIX: u32 = 34;
/// log₂ of the factor by which the program's products are too small.
const LOG_WORD: u32 = 32;
/// Bits of the shifted residues in a conversion, and fractional bits of its quotients.
const RESIDUE_BITS: u32 = 30;
const FRACTION_BITS: u32 = 59;

/// A limb and its excess.
#[derive(Clone, Copy, Debug)]
struct ScaledLimb {
    limb: LimbId,
    excess: u32,
}

/// A value of a program modulo the prime at a position.
type Key = (u64, u16);

struct Lowering<'p> {
    program: &'p Program,
    moduli: Vec<Modulus>,
    room: SumRoom,
    held: HashMap<Key, ScaledLimb>,
    /// The runs of external values.
    runs: HashMap<u64, usize>,
    tasks: Vec<Task>,
    limbs: u32,
}

/// The limits of a sum of products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SumRoom {
    /// The number of limbs that are available at the same time.
    pub limbs: usize,
    /// The number of sums that share their first factors.
    pub columns: usize,
}

impl SumRoom {
    /// The largest limits of a sum.
    pub const ALL: Self = Self { limbs: 3 * MAX_TERMS, columns: 1 };

    /// The number of limbs of a term. Each column may have another second factor.
    fn of_term(self, term: &Term) -> usize {
        match term.factor {
            Factor::Numbers(_) => 1,
            Factor::Limb { .. } => 1 + self.columns,
        }
    }
}

/// Lowers a program to tasks, step by step.
///
/// # Errors
/// [`CardError`] if the program is damaged or has primes that are not 1 modulo 2¹⁷.
pub fn lower(program: &Program) -> Result<Tasks, CardError> {
    lower_for(program, SumRoom::ALL)
}

/// Like [`lower`], for a card with little room for the limbs of a sum.
///
/// # Errors
/// As [`lower`].
pub fn lower_for(program: &Program, room: SumRoom) -> Result<Tasks, CardError> {
    program.check()?;
    let modulus = |value: u32| match value % (1 << 17) {
        1 => Ok(Modulus::new(value)?),
        _ => Err(CardError::Prime { got: value }),
    };
    let moduli = program.primes.iter().map(|prime| modulus(prime.modulus));
    let mut lowering = Lowering {
        program,
        moduli: moduli.collect::<Result<_, CardError>>()?,
        room,
        held: HashMap::new(),
        runs: HashMap::new(),
        tasks: Vec::new(),
        limbs: 0,
    };
    let mut externals = Vec::new();
    for (index, external) in program.externals.iter().enumerate() {
        lowering.runs.insert(external.value, external.run);
        for place in external.basis.places() {
            let limb = lowering.limb();
            externals.push((limb, Source { external: index, place: *place }));
            lowering.held.insert((external.value, *place), ScaledLimb { limb, excess: 1 });
        }
    }
    for step in &program.steps {
        lowering.step(step)?;
    }
    let outputs = program.outputs.iter().map(|output| lowering.output(output.value, &output.name));
    let outputs = outputs.collect::<Result<_, CardError>>()?;
    let Lowering { tasks, limbs, .. } = lowering;
    Ok(Tasks { degree: program.degree, externals, tasks, outputs, limbs })
}

/// The number of slots that a sum leaves for its results and for limbs in transfer.
const OTHER_SLOTS: usize = 6;

/// Lowers a program for a card.
pub(super) fn lower_on(program: &Program, card: &Card) -> Result<Tasks, CardError> {
    let limbs = card.slots(program.degree).saturating_sub(OTHER_SLOTS).max(2);
    lower_for(program, SumRoom { limbs, columns: card.columns })
}

impl Lowering<'_> {
    fn limb(&mut self) -> LimbId {
        self.limbs += 1;
        LimbId(self.limbs - 1)
    }

    /// Adds a task, and returns its limb.
    fn task(&mut self, place: u16, work: Work) -> LimbId {
        let to = self.limb();
        self.tasks.push(Task { place, work, to });
        to
    }

    fn modulus(&self, place: u16) -> Modulus {
        self.moduli[usize::from(place)]
    }

    /// 2^`log` modulo the prime at a position.
    fn power(&self, place: u16, log: u32) -> u32 {
        self.modulus(place).reduce(1 << log)
    }

    fn get(&self, value: u64, place: u16) -> Result<ScaledLimb, CardError> {
        let missing = || ProgramError::NoOutput { name: format!("value {value}") };
        Ok(*self.held.get(&(value, place)).ok_or_else(missing)?)
    }

    fn run(&self, value: u64) -> usize {
        self.runs.get(&value).copied().unwrap_or(1)
    }

    fn give(&mut self, step: &Step, place: u16, limb: LimbId, excess: u32) {
        self.held.insert((step.output, place), ScaledLimb { limb, excess });
    }

    /// Adds a sum of products. If it is too long for one task, each further task adds to the
    /// previous one.
    fn sum(&mut self, place: u16, terms: &[Term]) -> LimbId {
        let one = Factor::Numbers([self.power(place, LOG_RADIX); 2]);
        let mut part = Vec::new();
        let mut taken = 0;
        for term in terms {
            let takes = self.room.of_term(term);
            if part.len() == MAX_TERMS - 1 || (taken + takes > self.room.limbs && part.len() > 1) {
                let sum = self.task(place, Work::Sum(std::mem::take(&mut part)));
                part.push(Term { limb: sum, factor: one });
                taken = 1;
            }
            part.push(*term);
            taken += takes;
        }
        match part.is_empty() {
            true => self.task(place, Work::Zero),
            false => self.task(place, Work::Sum(part)),
        }
    }

    /// The number that multiplies a limb by a factor and changes its excess, in a product of the
    /// card.
    fn number(&self, place: u16, from: ScaledLimb, excess: u32, factor: u32) -> u32 {
        let modulus = self.modulus(place);
        let ratio = modulus.mul(excess, modulus.inverse(from.excess));
        modulus.mul(modulus.mul(ratio, factor), self.power(place, LOG_RADIX))
    }

    /// A term that multiplies a limb by a factor and changes its excess.
    fn term(&self, place: u16, from: ScaledLimb, excess: u32, factor: u32) -> Term {
        let number = self.number(place, from, excess, factor);
        Term { limb: from.limb, factor: Factor::Numbers([number; 2]) }
    }

    /// Multiplies a limb by a factor and changes its excess, with a separate task if necessary.
    fn scaled(&mut self, place: u16, from: ScaledLimb, excess: u32, factor: u32) -> LimbId {
        if from.excess == excess && factor == 1 {
            return from.limb;
        }
        let term = self.term(place, from, excess, factor);
        self.sum(place, &[term])
    }

    fn step(&mut self, step: &Step) -> Result<(), CardError> {
        match &step.operation {
            Operation::Convert { from, from_factors, to_factors } => {
                return self.convert(step, from, [from_factors, to_factors]);
            }
            Operation::Select => return self.select(step),
            _ => {}
        }
        for (index, place) in step.basis.places().to_vec().into_iter().enumerate() {
            self.limb_of_step(step, index, place)?;
        }
        Ok(())
    }

    /// Computes the limb of a step's result modulo the prime at `place`, which is the `index`-th of
    /// its basis.
    fn limb_of_step(&mut self, step: &Step, index: usize, place: u16) -> Result<(), CardError> {
        let modulus = self.modulus(place);
        let input = |this: &Self, number: usize| this.get(step.inputs[number], place);
        match &step.operation {
            Operation::Forward => {
                let from = input(self, 0)?;
                let to = self.task(place, Work::Forward(from.limb));
                self.give(step, place, to, from.excess);
            }
            Operation::Inverse => {
                let from = input(self, 0)?;
                let to = self.task(place, Work::Inverse(from.limb));
                let degree = modulus.reduce(self.program.degree as u64);
                self.give(step, place, to, modulus.mul(from.excess, degree));
            }
            Operation::Add | Operation::Subtract => {
                let is_sum = step.operation == Operation::Add;
                let (a, b) = (input(self, 0)?, input(self, 1)?);
                self.sum_of_two(step, place, a, b, is_sum, 1);
            }
            Operation::SubtractScale { factors } => {
                let (a, b) = (input(self, 0)?, input(self, 1)?);
                self.sum_of_two(step, place, a, b, false, factors[index]);
            }
            Operation::Negate => {
                let b = input(self, 0)?;
                let to = self.task(place, Work::Subtract(None, b.limb));
                self.give(step, place, to, b.excess);
            }
            Operation::Scale { factors } => {
                let a = input(self, 0)?;
                self.give_scaled(step, place, a, factors[index]);
            }
            Operation::Multiply => {
                let (a, b) = (input(self, 0)?, input(self, 1)?);
                let to = self.sum(place, &[product(a, b, 1)]);
                self.give(step, place, to, self.excess_of_product(place, a, b));
            }
            Operation::MultiplyAdd => {
                let (a, b, c) = (input(self, 0)?, input(self, 1)?, input(self, 2)?);
                let excess = self.excess_of_product(place, b, c);
                let terms = [product(b, c, 1), self.term(place, a, excess, 1)];
                let to = self.sum(place, &terms);
                self.give(step, place, to, excess);
            }
            Operation::AddNumber { numbers } => {
                let a = input(self, 0)?;
                let halves = self.halves(place, numbers[index]);
                let numbers = halves.map(|number| modulus.mul(number, a.excess));
                let to = self.task(place, Work::AddNumbers(a.limb, numbers));
                self.give(step, place, to, a.excess);
            }
            Operation::Combine { numbers } => {
                let mut terms = Vec::new();
                for (number, value) in numbers.iter().zip(&step.inputs) {
                    let from = self.get(*value, place)?;
                    let halves = self.halves(place, number[index]);
                    let numbers = halves.map(|half| self.number(place, from, 1, half));
                    terms.push(Term { limb: from.limb, factor: Factor::Numbers(numbers) });
                }
                let to = self.sum(place, &terms);
                self.give(step, place, to, 1);
            }
            Operation::SumOfProducts | Operation::KeyProduct => self.products(step, place)?,
            Operation::Permute { exponent } => {
                let from = input(self, 0)?;
                let to = self.task(place, Work::Permute(from.limb, *exponent));
                self.give(step, place, to, from.excess);
            }
            Operation::Zero => {
                let to = self.task(place, Work::Zero);
                self.give(step, place, to, 1);
            }
            Operation::Convert { .. } | Operation::Select => {}
        }
        Ok(())
    }

    /// Computes (a ± b) times a factor, which may become part of the excess.
    fn sum_of_two(
        &mut self,
        step: &Step,
        place: u16,
        a: ScaledLimb,
        b: ScaledLimb,
        is_sum: bool,
        factor: u32,
    ) {
        let modulus = self.modulus(place);
        if a.excess == b.excess {
            let work = match is_sum {
                true => Work::Add(a.limb, b.limb),
                false => Work::Subtract(Some(a.limb), b.limb),
            };
            let to = self.task(place, work);
            return self.give_scaled(step, place, ScaledLimb { limb: to, ..a }, factor);
        }
        let other = if is_sum { factor } else { modulus.neg(factor) };
        let terms = [self.term(place, a, 1, factor), self.term(place, b, 1, other)];
        let to = self.sum(place, &terms);
        self.give(step, place, to, 1);
    }

    /// Multiplies a limb by a factor: the limb itself is kept, and its excess changes.
    fn give_scaled(&mut self, step: &Step, place: u16, from: ScaledLimb, factor: u32) {
        if factor == 0 {
            let to = self.task(place, Work::Zero);
            return self.give(step, place, to, 1);
        }
        let modulus = self.modulus(place);
        let excess = modulus.mul(from.excess, modulus.inverse(factor));
        self.give(step, place, from.limb, excess);
    }

    /// The excess of a product of two limbs.
    fn excess_of_product(&self, place: u16, a: ScaledLimb, b: ScaledLimb) -> u32 {
        let modulus = self.modulus(place);
        let radix = modulus.inverse(self.power(place, LOG_RADIX));
        modulus.mul(modulus.mul(a.excess, b.excess), radix)
    }

    /// The values of a Gaussian integer a + b·X^(N/2) in the lower and the upper half of the
    /// indices: X^(N/2) is i in the lower half and −i in the upper one, where i = ψ^(N/2).
    fn halves(&self, place: u16, [re, im]: [u32; 2]) -> [u32; 2] {
        let modulus = self.modulus(place);
        let root = self.program.primes[usize::from(place)].root;
        let imaginary = modulus.mul(im, modulus.pow(root, self.program.degree as u64 / 2));
        [modulus.add(re, imaginary), modulus.sub(re, imaginary)]
    }

    /// Σ aᵢ·bᵢ·2⁻³².
    fn products(&mut self, step: &Step, place: u16) -> Result<(), CardError> {
        let modulus = self.modulus(place);
        let mut terms = Vec::new();
        let mut excess = 1;
        for (number, pair) in step.inputs.chunks_exact(2).enumerate() {
            let run = self.run(pair[1]);
            let (mut a, b) = (self.get(pair[0], place)?, self.get(pair[1], place)?);
            if number == 0 {
                excess = self.excess_of_product(place, a, b);
            } else {
                // Change the excess of the first factor such that all products have the same
                // excess.
                let wanted = modulus.mul(excess, self.power(place, LOG_RADIX));
                let wanted = modulus.mul(wanted, modulus.inverse(b.excess));
                a = ScaledLimb { limb: self.scaled(place, a, wanted, 1), excess: wanted };
            }
            terms.push(product(a, b, run));
        }
        let to = self.sum(place, &terms);
        self.give(step, place, to, modulus.mul(excess, self.power(place, LOG_WORD)));
        Ok(())
    }

    fn select(&mut self, step: &Step) -> Result<(), CardError> {
        for place in step.basis.places() {
            let found = step.inputs.iter().find_map(|value| self.held.get(&(*value, *place)));
            let held = *found.ok_or_else(|| ProgramError::NoOutput { name: "a part".into() })?;
            self.held.insert((step.output, *place), held);
        }
        Ok(())
    }

    /// Converts x modulo `from` to f·x' modulo the primes of the step, where x' is x·g of least
    /// absolute value (`ring::conversion`).
    fn convert(
        &mut self,
        step: &Step,
        from: &Basis,
        [from_factors, to_factors]: [&Vec<u32>; 2],
    ) -> Result<(), CardError> {
        let sources: Vec<Modulus> =
            from.places().iter().map(|place| self.modulus(*place)).collect();
        let others = |modulus: Modulus, leave_out: Option<usize>| {
            let kept = sources.iter().enumerate().filter(|(i, _)| Some(*i) != leave_out);
            modulus.product(kept.map(|(_, source)| source))
        };
        let mut whole = Vec::new();
        let mut ready = Vec::new();
        for (i, (place, factor)) in from.places().iter().zip(from_factors).enumerate() {
            let (modulus, held) = (self.modulus(*place), self.get(step.inputs[0], *place)?);
            let by = modulus.mul(modulus.inverse(others(modulus, Some(i))), *factor);
            let limb = self.scaled(*place, held, 1, by);
            let shift = RESIDUE_BITS - modulus.barrett().0;
            let reciprocal = (1u64 << (FRACTION_BITS - shift)) / u64::from(modulus.value());
            whole.push((limb, shift, reciprocal as u32));
            ready.push(limb);
        }
        let overflow = self.task(from.places()[0], Work::Whole(whole));
        for (place, factor) in step.basis.places().to_vec().into_iter().zip(to_factors) {
            let modulus = self.modulus(place);
            let radix = self.power(place, LOG_RADIX);
            let number = |product: u32| modulus.mul(modulus.mul(product, *factor), radix);
            let mut terms = Vec::new();
            for (i, limb) in ready.iter().enumerate() {
                let factor = Factor::Numbers([number(others(modulus, Some(i))); 2]);
                terms.push(Term { limb: *limb, factor });
            }
            let taken_off = Factor::Numbers([number(modulus.neg(others(modulus, None))); 2]);
            terms.push(Term { limb: overflow, factor: taken_off });
            let fits = terms.len() <= MAX_TERMS.min(self.room.limbs);
            let to = match fits {
                true => self.task(place, Work::Sum(terms)),
                false => self.sum(place, &terms),
            };
            self.give(step, place, to, 1);
        }
        Ok(())
    }

    /// The limbs of an output, with excess 1.
    fn output(&mut self, value: u64, name: &str) -> Result<Vec<(u16, LimbId)>, CardError> {
        let places: Vec<u16> = {
            let mut places: Vec<u16> =
                self.held.keys().filter(|(of, _)| *of == value).map(|(_, place)| *place).collect();
            places.sort_unstable();
            places
        };
        if places.is_empty() {
            return Err(ProgramError::NoOutput { name: name.into() }.into());
        }
        let mut limbs = Vec::new();
        for place in places {
            let held = self.get(value, place)?;
            let limb = self.scaled(place, held, 1, 1);
            self.held.insert((value, place), ScaledLimb { limb, excess: 1 });
            limbs.push((place, limb));
        }
        Ok(limbs)
    }
}

/// The product of two limbs, where the second one may be repeated.
fn product(a: ScaledLimb, b: ScaledLimb, run: usize) -> Term {
    Term { limb: a.limb, factor: Factor::Limb { limb: b.limb, run } }
}
