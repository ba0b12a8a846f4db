// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random valid and invalid programs: instructions on scalars, Fp and Fp2 are compared with an
//! interpreter that is independent of the simulator; programs of all instructions must not panic.

use ark_bls12_381::{Fq, Fq2};
use ark_ff::{AdditiveGroup, Field};
use halimede_bls12_381::coprocessor::isa::{Fault, Kind, Opcode, INSTRUCTIONS, SLOTS};
use halimede_bls12_381::coprocessor::{Instruction, Machine, Number, Program, Slot, State};
use rand::seq::SliceRandom;
use rand::{Rng, RngCore};

use super::{fq_of, number_of, numbers_of, random_fq};
use crate::common::{cases, generator};

const STEPS: u32 = 40;

/// The instructions that the interpreter supports.
const SMALL: [Opcode; 13] = [
    Opcode::CopyReg,
    Opcode::Jump,
    Opcode::JumpIfEq,
    Opcode::JumpNonzeroSub,
    Opcode::SubElement,
    Opcode::AddElement,
    Opcode::MulElement,
    Opcode::InvElement,
    Opcode::SqrElement,
    Opcode::IsEqual,
    Opcode::InvBatch,
    Opcode::CopyElement,
    Opcode::SendInterrupt,
];

/// Slots as kind and number, and the place of the next instruction.
struct Interpreter {
    slots: Vec<(Kind, Number)>,
    pointer: usize,
    sent: Vec<(u16, Vec<Number>)>,
}

type Step = Result<(), Fault>;

impl Interpreter {
    fn step(&mut self, Instruction { opcode, operands }: Instruction) -> Step {
        let [a, b, c] = operands.map(usize::from);
        self.pointer += 1;
        match opcode {
            Opcode::Jump | Opcode::JumpIfEq | Opcode::JumpNonzeroSub if a >= INSTRUCTIONS => {
                Err(Fault::Pointer)
            }
            Opcode::Jump => {
                self.pointer = a;
                Ok(())
            }
            Opcode::JumpIfEq => {
                self.inside(&[b, c])?;
                if self.slots[b] == self.slots[c] {
                    self.pointer = a;
                }
                Ok(())
            }
            Opcode::JumpNonzeroSub => {
                self.inside(&[b])?;
                let (Kind::Scalar, number) = self.slots[b] else { return Err(Fault::Kind) };
                if number != Number::default() {
                    // Counters in these programs are small.
                    let small = u64::from_str_radix(&number.to_string()[2..], 16).unwrap();
                    self.slots[b].1 = Number::from(small - 1);
                    self.pointer = a;
                }
                Ok(())
            }
            Opcode::CopyReg => {
                self.inside(&[a, b])?;
                self.slots[b] = self.slots[a];
                Ok(())
            }
            Opcode::CopyElement => {
                self.inside(&[a, b])?;
                let count = self.slots[a].0.slots();
                self.fits(&[(a, count), (b, count)])?;
                self.is_whole(a)?;
                let copied = self.slots[a..a + count].to_vec();
                self.slots[b..b + count].copy_from_slice(&copied);
                Ok(())
            }
            Opcode::SendInterrupt => {
                self.inside(&[a])?;
                let count = self.slots[a].0.slots();
                self.fits(&[(a, count)])?;
                self.is_whole(a)?;
                let numbers = self.slots[a..a + count].iter().map(|slot| slot.1).collect();
                self.sent.push((operands[1], numbers));
                Ok(())
            }
            Opcode::InvBatch if !(1..=SLOTS).contains(&b) => Err(Fault::Operand),
            Opcode::InvBatch => self.invert(a, b, c),
            Opcode::InvElement => self.invert(a, 1, b),
            Opcode::SqrElement => self.combine(opcode, [a, a, b]),
            _ => self.combine(opcode, [a, b, c]),
        }
    }

    fn inside(&self, places: &[usize]) -> Step {
        match places.iter().all(|&place| place < SLOTS) {
            true => Ok(()),
            false => Err(Fault::Slot),
        }
    }

    fn fits(&self, ranges: &[(usize, usize)]) -> Step {
        match ranges.iter().all(|(place, count)| place + count <= SLOTS) {
            true => Ok(()),
            false => Err(Fault::Slot),
        }
    }

    fn is_whole(&self, place: usize) -> Step {
        let kind = self.slots[place].0;
        match self.slots[place..place + kind.slots()].iter().all(|slot| slot.0 == kind) {
            true => Ok(()),
            false => Err(Fault::Kind),
        }
    }

    /// Returns an element of Fp or Fp2 as an element of Fp2.
    fn value(&self, place: usize) -> Fq2 {
        match self.slots[place].0 {
            Kind::Fe2 => Fq2::new(fq_of(&self.slots[place].1), fq_of(&self.slots[place + 1].1)),
            _ => Fq2::new(fq_of(&self.slots[place].1), Fq::from(0u64)),
        }
    }

    fn store(&mut self, place: usize, kind: Kind, value: Fq2) {
        for (offset, number) in numbers_of(&value).into_iter().take(kind.slots()).enumerate() {
            self.slots[place + offset] = (kind, number);
        }
    }

    fn combine(&mut self, opcode: Opcode, [a, b, c]: [usize; 3]) -> Step {
        self.inside(&[a, b, c])?;
        let (kind, other) = (self.slots[a].0, self.slots[b].0);
        let is_question = opcode == Opcode::IsEqual;
        if kind != other || kind == Kind::Scalar && !is_question {
            return Err(Fault::Kind);
        }
        let count = kind.slots();
        self.fits(&[(a, count), (b, count), (c, if is_question { 1 } else { count })])?;
        self.is_whole(a)?;
        self.is_whole(b)?;
        let (p, q) = (self.value(a), self.value(b));
        match opcode {
            Opcode::AddElement => self.store(c, kind, p + q),
            Opcode::SubElement => self.store(c, kind, p - q),
            Opcode::IsEqual if kind == Kind::Scalar => {
                let is_equal = self.slots[a].1 == self.slots[b].1;
                self.slots[c] = (Kind::Scalar, Number::from(u64::from(is_equal)));
            }
            Opcode::IsEqual => self.slots[c] = (Kind::Scalar, Number::from(u64::from(p == q))),
            _ => self.store(c, kind, p * q),
        }
        Ok(())
    }

    fn invert(&mut self, a: usize, count: usize, c: usize) -> Step {
        self.inside(&[a, c])?;
        let kind = self.slots[a].0;
        if kind == Kind::Scalar {
            return Err(Fault::Kind);
        }
        let each = kind.slots();
        self.fits(&[(a, each * count), (c, each * count)])?;
        if self.slots[a..a + each * count].iter().any(|slot| slot.0 != kind) {
            return Err(Fault::Kind);
        }
        let values: Vec<Fq2> = (0..count).map(|number| self.value(a + each * number)).collect();
        if values.contains(&Fq2::ZERO) {
            return Err(Fault::Inverse);
        }
        for (number, value) in values.into_iter().enumerate() {
            self.store(c + each * number, kind, value.inverse().unwrap());
        }
        Ok(())
    }
}

/// Returns a place that is usually a slot with data.
fn operand(rng: &mut impl RngCore) -> u16 {
    match rng.gen_range(0..40) {
        0 => rng.gen_range(250..260),
        1 => rng.gen(),
        _ => rng.gen_range(0..24),
    }
}

fn random_instruction(rng: &mut impl RngCore, among: &[Opcode]) -> Instruction {
    let opcode = *among.choose(rng).unwrap();
    let mut operands = [(); 3].map(|()| operand(rng));
    let is_count = matches!(opcode, Opcode::InvBatch | Opcode::MultiMiller | Opcode::Frobenius);
    if is_count && rng.gen_range(0..20) != 0 {
        operands[1] = rng.gen_range(0..4);
    }
    Instruction::new(opcode, operands)
}

/// Returns scalars, elements of Fp and Fp2, and elements of the kinds in `kinds`.
fn random_slots(rng: &mut impl RngCore, kinds: &[Kind]) -> Vec<(usize, Slot)> {
    let mut slots = Vec::new();
    while slots.len() < 24 {
        let kind = *kinds.choose(rng).unwrap();
        for _ in 0..kind.slots() {
            let number = match kind {
                Kind::Scalar => Number::from(rng.gen_range(0..3)),
                _ => number_of(&random_fq(rng)),
            };
            slots.push((slots.len(), Slot { kind, number }));
        }
    }
    slots
}

fn random_program(rng: &mut impl RngCore, among: &[Opcode], kinds: &[Kind]) -> Program {
    let instructions = (0..24).map(|_| random_instruction(rng, among).encode()).collect();
    Program { instructions, slots: random_slots(rng, kinds), start: 0 }
}

#[test]
fn programs_on_small_fields_are_the_interpreters() {
    let mut rng = generator();
    let mut instructions = 0;
    for _ in 0..cases(2_000, 100_000) {
        let program = random_program(&mut rng, &SMALL, &[Kind::Scalar, Kind::Fe, Kind::Fe2]);
        let mut machine = Machine::new(1);
        machine.context_mut(0).unwrap().load(&program);
        let slots = machine.contexts()[0].slots();
        let mut interpreter = Interpreter {
            slots: slots.iter().map(|slot| (slot.kind, slot.number)).collect(),
            pointer: 0,
            sent: Vec::new(),
        };
        for _ in 0..STEPS {
            let Some(word) = program.instructions.get(interpreter.pointer) else { break };
            let at = interpreter.pointer;
            let instruction = Instruction::decode(*word).unwrap();
            let expected = interpreter.step(instruction);
            let (retired, interrupt) = machine.step(0);
            let context = &machine.contexts()[0];
            let Err(fault) = expected else {
                let retired =
                    retired.unwrap_or_else(|| panic!("{instruction:?} {:?}", context.state()));
                assert_eq!((retired.pointer, retired.instruction), (at as u16, instruction));
                assert_eq!(usize::from(retired.next), interpreter.pointer);
                let slots = context.slots().iter().map(|slot| (slot.kind, slot.number));
                assert!(slots.eq(interpreter.slots.iter().copied()), "{instruction:?}");
                if let Some(interrupt) = interrupt {
                    let sent = super::slots_of(&interrupt).iter().map(|slot| slot.number);
                    assert_eq!(sent.collect::<Vec<_>>(), interpreter.sent.last().unwrap().1);
                }
                instructions += 1;
                continue;
            };
            let State::Stopped(error) = context.state() else {
                panic!("{instruction:?} {fault:?}")
            };
            assert_eq!((error.fault, error.pointer), (fault, at as u16), "{instruction:?}");
            let slots = context.slots().iter().map(|slot| (slot.kind, slot.number));
            assert!(slots.eq(interpreter.slots.iter().copied()), "{instruction:?}");
            break;
        }
    }
    assert!(instructions > 500);
}

#[test]
fn no_program_panics() {
    let mut rng = generator();
    let mut codes = Opcode::ALL.to_vec();
    // Slow instructions are rarer.
    codes.extend(Opcode::ALL.iter().filter(|code| !(0x20..0x28).contains(&(**code as u8))));
    for _ in 0..cases(300, 20_000) {
        let mut machine = Machine::new(2);
        for number in 0..2 {
            let mut program = random_program(&mut rng, &codes, &Kind::ALL);
            if rng.gen_range(0..4) == 0 {
                // Any bytes.
                rng.fill_bytes(program.instructions[0].as_mut_slice());
            }
            for (_, slot) in &mut program.slots {
                if rng.gen_range(0..200) == 0 {
                    slot.number = Number::from_le_bytes([0x1f; 48]).unwrap();
                }
            }
            machine.context_mut(number).unwrap().load(&program);
        }
        let interrupts = machine.run(STEPS, &mut |_, _, _| ());
        for interrupt in &interrupts {
            assert_eq!(interrupt.to_bytes()[14], interrupt.context as u8);
        }
        for context in machine.contexts() {
            assert_ne!(context.state(), State::Running);
        }
    }
}
