// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random instructions that no compiler would write: results that replace operands, slots that are
//! written and never read, transforms and conversions of anything.

use std::collections::HashMap;

use halimede_ckks::card::isa::{Field, Opcode, TRANSFER_BYTES};
use halimede_ckks::card::{Command, Compiled, Content, Instruction};
use halimede_ckks::ring::Program;
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;
use rand::{Rng, SeedableRng};

const PRIMES: [Field; 4] = [Field::P0, Field::P1, Field::P2, Field::P3];
const RESULTS: [Field; 4] = [Field::X0, Field::X1, Field::X2, Field::X3];
const NUMBERS: [Field; 4] = [Field::N0, Field::N1, Field::N2, Field::N3];
/// The largest number of terms of a sum: enough to reduce sums of many products.
const TERMS: usize = 25;
/// The bound of an operand without a prime.
const ANY: u32 = 1 << 30;

/// Replaces the instructions of a program by `count` others on the same regions and primes, and on
/// fewer slots. Their sums have up to `columns`.
pub fn randomize(
    compiled: &mut Compiled,
    program: &Program,
    seed: u64,
    count: usize,
    columns: usize,
) {
    let mut random = StdRng::seed_from_u64(seed);
    let slots = random.gen_range(8..=compiled.image.slots);
    let mut writer = Writer {
        compiled,
        program,
        columns,
        random,
        slots: vec![None; slots],
        tables: [None; 2],
        stored: HashMap::new(),
        commands: Vec::new(),
    };
    while writer.commands.len() < count {
        if let Some(command) = writer.next() {
            writer.commands.push(command);
        }
    }
    let commands = writer.commands;
    compiled.image.slots = slots;
    compiled.image.columns = columns;
    compiled.image.commands = commands;
}

struct Writer<'a> {
    compiled: &'a Compiled,
    program: &'a Program,
    columns: usize,
    random: StdRng,
    /// The bound of the residues of each written slot.
    slots: Vec<Option<u32>>,
    /// The prime and direction of each table of factors that is loaded.
    tables: [Option<(usize, bool)>; 2],
    /// The same bound for limbs in memory, by region and place.
    stored: HashMap<(usize, usize), u32>,
    commands: Vec<Command>,
}

impl Writer<'_> {
    /// Returns an instruction, if its operands exist.
    fn next(&mut self) -> Option<Command> {
        match self.random.gen_range(0..20) {
            0..=3 => self.load(),
            4 => self.store(),
            5 => Some(self.factors()),
            6 | 7 => self.transform(),
            8..=10 => self.sum(),
            11 => self.whole(),
            12 => self.of_one_prime(Opcode::Mul, &[Field::A, Field::B], &[]),
            13 => self.of_one_prime(Opcode::Scale, &[Field::A], &NUMBERS[..2]),
            14 => self.of_one_prime(Opcode::Subscale, &[Field::A, Field::B], &NUMBERS[..2]),
            15 => {
                let opcode = if self.random.gen() { Opcode::Add } else { Opcode::Sub };
                self.of_one_prime(opcode, &[Field::A, Field::B], &[])
            }
            16 => self.of_one_prime(Opcode::Neg, &[Field::B], &[]),
            17 => self.of_one_prime(Opcode::Addnum, &[Field::A], &NUMBERS[..2]),
            18 => self.permutation(),
            _ => match self.random.gen_range(0..4) {
                0 => Some(Instruction::new(Opcode::Fence).into()),
                1 => {
                    let head = Instruction::new(Opcode::Zero);
                    Some(self.result(head, Field::X0, 1).into())
                }
                _ => self.expansion(),
            },
        }
    }

    fn prime(&mut self) -> usize {
        self.random.gen_range(0..self.compiled.image.primes.len())
    }

    fn modulus(&self, prime: usize) -> u32 {
        self.compiled.image.primes[prime]
    }

    fn number(&mut self, limit: u32) -> usize {
        // A reduction is most likely to be wrong at the ends.
        match self.random.gen_range(0..8) {
            0 => 0,
            1 => limit as usize - 1,
            _ => self.random.gen_range(0..limit) as usize,
        }
    }

    /// Returns a slot whose residues are below a limit.
    fn operand(&mut self, limit: u32) -> Option<usize> {
        let fits = |(_, below): &(usize, &Option<u32>)| below.is_some_and(|below| below <= limit);
        Some(self.slots.iter().enumerate().filter(fits).choose(&mut self.random)?.0)
    }

    /// Returns a result in any slot.
    fn result(&mut self, head: Instruction, field: Field, below: u32) -> Instruction {
        let slot = self.random.gen_range(0..self.slots.len());
        self.slots[slot] = Some(below);
        head.with(field, slot)
    }

    /// Returns a limb of an external value, or one that was stored.
    fn load(&mut self) -> Option<Command> {
        let segments = self.compiled.map.segments.iter().enumerate();
        let externals = segments.filter_map(|(number, segment)| match segment.content {
            Content::External(index) => Some((number, index)),
            _ => None,
        });
        let degree = self.program.degree;
        let (segment, place, run, below) = if self.random.gen_bool(0.7) {
            let (segment, index) = externals.choose(&mut self.random)?;
            let external = &self.program.externals[index];
            let place = self.random.gen_range(0..external.basis.len());
            let prime = usize::from(external.basis.places()[place]);
            (segment, place, external.run, self.program.primes[prime].modulus)
        } else {
            // In a fixed order, which a hash table does not have.
            let mut stored: Vec<_> = self.stored.iter().map(|(at, below)| (*at, *below)).collect();
            stored.sort_unstable();
            let ((segment, place), below) = stored.into_iter().choose(&mut self.random)?;
            (segment, place, 1, below)
        };
        let more = if self.random.gen() { 0 } else { self.random.gen_range(0..=3) };
        let head = Instruction::new(Opcode::Load)
            .with(Field::Run, run.trailing_zeros() as usize + more)
            .with(Field::Segment, segment)
            .with(Field::Offset, place * (4 * degree / run).div_ceil(TRANSFER_BYTES));
        Some(self.result(head, Field::X0, below).into())
    }

    fn store(&mut self) -> Option<Command> {
        let slot = self.operand(ANY)?;
        let limb_bytes = 4 * self.program.degree;
        let segments = self.compiled.map.segments.iter().enumerate();
        let places = segments.flat_map(|(number, segment)| match segment.content {
            Content::Output(_) | Content::Scratch => {
                (0..segment.bytes / limb_bytes).map(|place| (number, place)).collect::<Vec<_>>()
            }
            _ => Vec::new(),
        });
        let (segment, place) = places.choose(&mut self.random)?;
        self.stored.insert((segment, place), self.slots[slot]?);
        let head = Instruction::new(Opcode::Store)
            .with(Field::A, slot)
            .with(Field::Segment, segment)
            .with(Field::Offset, place * limb_bytes / TRANSFER_BYTES);
        Some(head.into())
    }

    fn factors(&mut self) -> Command {
        let (prime, inverse) = (self.prime(), self.random.gen());
        let table = self.random.gen_range(0..self.tables.len());
        self.tables[table] = Some((prime, inverse));
        let map = &self.compiled.map;
        Instruction::new(Opcode::Factors)
            .with(Field::Buffer, table)
            .with(Field::Offset, map.table_offset(prime, inverse) / TRANSFER_BYTES)
            .with(Field::Transfers, map.table_bytes / TRANSFER_BYTES)
            .into()
    }

    fn transform(&mut self) -> Option<Command> {
        let table = self.random.gen_range(0..self.tables.len());
        let (prime, inverse) = self.tables[table]?;
        let modulus = self.modulus(prime);
        let head = Instruction::new(if inverse { Opcode::Intt } else { Opcode::Ntt })
            .with(Field::Buffer, table)
            .with(Field::A, self.operand(modulus)?)
            .with(Field::P0, prime);
        Some(self.result(head, Field::X0, modulus).into())
    }

    /// Returns up to `columns` sums.
    fn sum(&mut self) -> Option<Command> {
        let opcode = if self.random.gen() { Opcode::Macp } else { Opcode::Conv };
        let columns = self.random.gen_range(1..=self.columns);
        let primes: Vec<_> = (0..columns).map(|_| self.prime()).collect();
        let results = (0..self.slots.len()).choose_multiple(&mut self.random, columns);
        let count = self.random.gen_range(1..=TERMS);
        let terms = (0..count)
            .map(|_| self.term(opcode == Opcode::Macp, &primes))
            .collect::<Option<Vec<_>>>()?;
        let mut head = Instruction::new(opcode).with(Field::Terms, count);
        head = head.with(Field::Columns, columns);
        for (column, (prime, slot)) in primes.iter().zip(results).enumerate() {
            head = head.with(PRIMES[column], *prime).with(RESULTS[column], slot);
            self.slots[slot] = Some(self.modulus(*prime));
        }
        Some(Command { head, terms })
    }

    /// Returns a term with limbs or numbers below the primes of its columns.
    fn term(&mut self, limbs: bool, primes: &[usize]) -> Option<Instruction> {
        let mut term = self.shifted()?;
        if limbs && self.random.gen() {
            term = term.with(Field::Limb, 1);
            for (field, prime) in RESULTS.iter().zip(primes) {
                term = term.with(*field, self.operand(self.modulus(*prime))?);
            }
            return Some(term);
        }
        let halves = primes.len() == 1 && self.random.gen();
        let columns = if halves { vec![primes[0]; 2] } else { primes.to_vec() };
        for (field, prime) in NUMBERS.iter().zip(columns) {
            let number = self.number(self.modulus(prime));
            term = term.with(*field, number);
        }
        Some(term.with(Field::Halves, halves.into()))
    }

    /// Returns a first factor, shifted by at most the allowed number of bits.
    fn shifted(&mut self) -> Option<Instruction> {
        let slot = self.operand(ANY)?;
        let room = (ANY / self.slots[slot]?).ilog2().min(7);
        let shift = self.random.gen_range(0..=room) as usize;
        Some(Instruction::new(Opcode::Term).with(Field::A, slot).with(Field::Shift, shift))
    }

    fn whole(&mut self) -> Option<Command> {
        let count = self.random.gen_range(1..=TERMS);
        let terms = (0..count)
            .map(|_| {
                let number = self.number(ANY / 2);
                Some(self.shifted()?.with(Field::N0, number))
            })
            .collect::<Option<Vec<_>>>()?;
        let head = Instruction::new(Opcode::Whole).with(Field::Terms, count);
        let head = self.result(head, Field::X0, count as u32 + 1);
        Some(Command { head, terms })
    }

    fn of_one_prime(
        &mut self,
        opcode: Opcode,
        operands: &[Field],
        numbers: &[Field],
    ) -> Option<Command> {
        let prime = self.prime();
        let modulus = self.modulus(prime);
        let mut head = Instruction::new(opcode).with(Field::P0, prime);
        for field in operands {
            head = head.with(*field, self.operand(modulus)?);
        }
        for field in numbers {
            let number = self.number(modulus);
            head = head.with(*field, number);
        }
        Some(self.result(head, Field::X0, modulus).into())
    }

    fn permutation(&mut self) -> Option<Command> {
        let from = self.operand(ANY)?;
        let to = (0..self.slots.len()).filter(|slot| *slot != from).choose(&mut self.random)?;
        let exponent = 2 * self.random.gen_range(0..self.program.degree) + 1;
        self.slots[to] = self.slots[from];
        let head = Instruction::new(Opcode::Perm)
            .with(Field::A, from)
            .with(Field::X0, to)
            .with(Field::Exponent, exponent);
        Some(head.into())
    }

    /// Returns a limb of a seed, if the program has one.
    fn expansion(&mut self) -> Option<Command> {
        let segments = self.compiled.map.segments.iter().enumerate();
        let seeds = segments.filter(|(_, segment)| matches!(segment.content, Content::Seed(_)));
        let (segment, _) = seeds.choose(&mut self.random)?;
        let prime = self.prime();
        let head = Instruction::new(Opcode::Expand)
            .with(Field::P0, prime)
            .with(Field::Segment, segment)
            .with(Field::Place, self.random.gen_range(0..1 << 16));
        Some(self.result(head, Field::X0, self.modulus(prime)).into())
    }
}
