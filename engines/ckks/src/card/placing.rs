// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state while items are placed: the locations of limbs, the free resources over time, and the
//! emitted instructions.

use std::collections::{BTreeSet, HashMap};

use super::cycles::occupation;
use super::free_clocks::FreeClocks;
use super::gather::{Action, Item};
use super::instruction::{Command, Instruction};
use super::isa::{Field, Opcode, Unit, TRANSFER_BYTES};
use super::memory_map::{limb_bytes, MemoryMap, SCRATCH};
use super::model::Card;
use super::partitions::{Access, Partitions};
use super::task::{LimbId, Tasks, Work};
use crate::ring::Program;

/// The location of a limb in memory.
#[derive(Clone, Copy, Debug)]
pub(super) enum Home {
    Memory { segment: usize, offset: usize, run: usize },
    Seed { segment: usize, place: u16 },
}

#[derive(Clone, Debug, Default)]
pub(super) struct LimbState {
    pub(super) slot: Option<usize>,
    pub(super) home: Option<Home>,
    /// The clock from which on the limb can be read, the clock until which its slot is in use, and
    /// the clock from which on memory has the limb.
    pub(super) ready: u64,
    pub(super) last: u64,
    pub(super) saved: u64,
    /// The items that use the limb; the next one is last.
    pub(super) uses: Vec<usize>,
    /// The known reads and writes of its partition.
    pub(super) accesses: Vec<Access>,
}

/// The clocks in which an item's rows are read and its results written, from an earlier placing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ItemSpan {
    pub start: u64,
    pub free: u64,
    pub end: u64,
}

/// The weights of waiting clocks relative to the delay of a slot: for all accesses, and
/// additionally for the writes of a load itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    pub all: f32,
    pub loads: f32,
}

/// The data of an earlier placing of the same items, on which the choice of partitions is based.
#[derive(Clone, Copy)]
pub(super) struct Plan<'p> {
    pub spans: &'p [ItemSpan],
    pub weights: Weights,
}

/// The program to be placed, and the card.
#[derive(Clone, Copy)]
pub(super) struct Placement<'p> {
    pub program: &'p Program,
    pub tasks: &'p Tasks,
    pub card: &'p Card,
    pub map: &'p MemoryMap,
}

/// The factor tables that the transform unit holds.
pub(super) struct Tables {
    pub(super) held: Vec<Option<(u16, bool)>>,
    pub(super) ready: Vec<u64>,
    pub(super) free: Vec<u64>,
    /// The transforms that use each table; the next one is last.
    pub(super) uses: HashMap<(u16, bool), Vec<usize>>,
}

/// The result of the placing.
pub(super) struct PlacedProgram {
    pub commands: Vec<Command>,
    pub scratch_bytes: usize,
    pub slots: usize,
    pub spills: usize,
    pub clocks: u64,
    /// The span of each item.
    pub spans: Vec<ItemSpan>,
}

pub(super) struct Placing<'p> {
    pub(super) program: &'p Program,
    pub(super) card: &'p Card,
    pub(super) map: &'p MemoryMap,
    pub(super) items: &'p [Item],
    pub(super) hurries: bool,
    pub(super) limbs: Vec<LimbState>,
    /// The regions and offsets to which output limbs are stored.
    pub(super) outputs: HashMap<LimbId, Vec<(usize, usize)>>,
    /// The free slots of each partition, by the clock from which on they are free.
    pub(super) free: Vec<BTreeSet<(u64, usize)>>,
    /// Limbs in slots, by their next use.
    pub(super) resident: BTreeSet<(usize, LimbId)>,
    pub(super) units: HashMap<Unit, FreeClocks>,
    pub(super) tables: Tables,
    /// Unused offsets of region 1, by the clock from which on they are free.
    pub(super) scratch_free: BTreeSet<(u64, usize)>,
    pub(super) scratch_bytes: usize,
    pub(super) spills: usize,
    pub(super) end: u64,
    pub(super) emitted: Vec<(u64, Command)>,
    pub(super) partitions: Partitions,
    pub(super) plan: Option<Plan<'p>>,
    pub(super) spans: Vec<ItemSpan>,
}

pub(super) const NEVER: usize = usize::MAX;

impl<'p> Placing<'p> {
    pub fn new(
        of: Placement<'p>,
        items: &'p [Item],
        hurries: bool,
        plan: Option<Plan<'p>>,
    ) -> Self {
        let Placement { program, tasks, card, map } = of;
        let mut limbs = vec![LimbState::default(); tasks.limbs as usize];
        for (limb, source) in &tasks.externals {
            let external = &program.externals[source.external];
            let segment = MemoryMap::of_external(source.external);
            let index = external.basis.limb_of(source.place).unwrap_or(0);
            let offset = index * limb_bytes(program.degree, external.run);
            let home = match map.is_seed(source.external) {
                true => Home::Seed { segment, place: source.place },
                false => Home::Memory { segment, offset, run: external.run },
            };
            limbs[limb.0 as usize].home = Some(home);
        }
        let mut tables = Tables {
            held: vec![None; card.tables],
            ready: vec![0; card.tables],
            free: vec![0; card.tables],
            uses: HashMap::new(),
        };
        for (number, item) in items.iter().enumerate().rev() {
            for limb in item.takes() {
                limbs[limb.0 as usize].uses.push(number);
            }
            if let Some(table) = table_of(item) {
                tables.uses.entry(table).or_default().push(number);
            }
        }
        let mut outputs: HashMap<LimbId, Vec<(usize, usize)>> = HashMap::new();
        for (index, output) in tasks.outputs.iter().enumerate() {
            let segment = MemoryMap::of_output(program.externals.len(), index);
            for (number, (_, limb)) in output.iter().enumerate() {
                let offset = number * limb_bytes(program.degree, 1);
                outputs.entry(*limb).or_default().push((segment, offset));
            }
        }
        let partitions = Partitions::new(card);
        let mut free = vec![BTreeSet::new(); partitions.count()];
        for slot in 0..card.slots(program.degree) {
            free[partitions.of_slot(slot)].insert((0, slot));
        }
        let units = Unit::ALL.into_iter().map(|unit| (unit, FreeClocks::default())).collect();
        Self {
            program,
            card,
            map,
            items,
            hurries,
            limbs,
            outputs,
            free,
            resident: BTreeSet::new(),
            units,
            tables,
            scratch_free: BTreeSet::new(),
            scratch_bytes: 0,
            spills: 0,
            end: 0,
            emitted: Vec::new(),
            partitions,
            plan,
            spans: vec![ItemSpan::default(); items.len()],
        }
    }

    pub(super) fn limb(&mut self, limb: LimbId) -> &mut LimbState {
        &mut self.limbs[limb.0 as usize]
    }

    /// The next item that uses a limb.
    pub(super) fn next_use(&self, limb: LimbId) -> usize {
        self.limbs[limb.0 as usize].uses.last().copied().unwrap_or(NEVER)
    }

    /// Schedules an instruction: finds its start, and the end at which its result is ready.
    pub(super) fn schedule(&mut self, ready: u64, command: Command) -> ItemSpan {
        let opcode = command.head.opcode();
        let work = occupation(&command, self.program.degree);
        let (takes, latency) = self.card.clocks(&work, self.program.degree);
        let unit = self.units.entry(opcode.unit()).or_default();
        let start = match opcode.unit() {
            // Factor tables are assigned in the order of the items.
            Unit::Transform => unit.append(ready, takes),
            Unit::Memory => unit.take(ready, takes, self.card.transfer(4 * self.program.degree)),
            _ => unit.take(ready, takes, self.card.rows(self.program.degree)),
        };
        let end = start + takes + latency;
        self.end = self.end.max(end);
        self.emitted.push((start, command));
        ItemSpan { start, free: start + takes, end }
    }

    /// Stores a limb that is not in memory.
    pub(super) fn spill(&mut self, limb: LimbId) {
        let bytes = limb_bytes(self.program.degree, 1);
        let (free, offset) = self.scratch_free.pop_first().unwrap_or((0, self.scratch_bytes));
        self.scratch_bytes = self.scratch_bytes.max(offset + bytes);
        self.spills += 1;
        self.store(limb, SCRATCH, offset, free);
    }

    pub(super) fn store(&mut self, limb: LimbId, segment: usize, offset: usize, ready: u64) {
        let state = self.limb(limb);
        let (slot, ready) = (state.slot.unwrap_or(0), ready.max(state.ready));
        let store = Instruction::new(Opcode::Store)
            .with(Field::A, slot)
            .with(Field::Segment, segment)
            .with(Field::Offset, offset / TRANSFER_BYTES);
        let end = self.schedule(ready, store.into()).end;
        let state = self.limb(limb);
        state.last = state.last.max(end);
        state.saved = end;
        state.home.get_or_insert(Home::Memory { segment, offset, run: 1 });
    }
}

/// The factor table that an item uses: the position of the prime, and whether it is for the
/// inverse.
pub(super) fn table_of(item: &Item) -> Option<(u16, bool)> {
    match &item.action {
        Action::Single(Work::Forward(_)) => Some((item.places[0], false)),
        Action::Single(Work::Inverse(_)) => Some((item.places[0], true)),
        _ => None,
    }
}
