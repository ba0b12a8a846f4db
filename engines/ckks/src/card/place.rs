// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Places items: assigns slots of the scratchpad, and schedules instructions.
//!
//! Items are processed in order. Inputs without a slot are loaded. If no slot is free, the limb
//! with the latest next use is evicted (Belady), and stored first unless memory already has it.
//! Each instruction gets the first clocks in which its unit is free, its operands are ready and the
//! slot of its result is free. Therefore loads run long before their use, and no unit waits for the
//! delays of other units. The stream has all instructions in the order of their start, so that
//! instructions of a queue never overtake each other.

use std::cmp::Reverse;

use super::emit::command;
use super::error::CardError;
use super::gather::Item;
use super::instruction::{Command, Instruction};
use super::isa::{Field, Opcode, TRANSFER_BYTES};
use super::memory_map::{SCRATCH, TABLES};
use super::placing::{table_of, Home, PlacedProgram, Placing, NEVER};
use super::task::LimbId;

impl Placing<'_> {
    /// Places all items, and returns their instructions.
    pub fn run(mut self) -> Result<PlacedProgram, CardError> {
        for (number, item) in self.items.iter().enumerate() {
            self.item(number, item)?;
        }
        // Outputs that are external values.
        let mut left: Vec<LimbId> = self.outputs.keys().copied().collect();
        left.sort_unstable();
        for limb in left {
            self.bring(limb, NEVER, &[limb])?;
            self.store_outputs(limb);
            self.release(limb);
        }
        self.emitted.sort_by_key(|(start, _)| *start);
        let commands: Vec<Command> = self.emitted.into_iter().map(|(_, command)| command).collect();
        let used = commands.iter().flat_map(|command| command.writes()).max();
        Ok(PlacedProgram {
            slots: used.map_or(0, |slot| slot + 1),
            commands,
            scratch_bytes: self.scratch_bytes,
            spills: self.spills,
            clocks: self.end,
            spans: self.spans,
        })
    }

    fn item(&mut self, number: usize, item: &Item) -> Result<(), CardError> {
        let takes = item.takes();
        let pinned: Vec<LimbId> = takes.iter().chain(&item.results).copied().collect();
        let mut ready = 0;
        for limb in &takes {
            self.bring(*limb, number, &pinned)?;
            ready = ready.max(self.limb(*limb).ready);
        }
        let table = table_of(item);
        let buffer = table.map(|table| self.table(table));
        if let Some(buffer) = buffer {
            ready = ready.max(self.tables.ready[buffer]);
        }
        for limb in &takes {
            let state = self.limb(*limb);
            debug_assert_eq!(state.uses.last(), Some(&number));
            state.uses.pop();
        }
        let reused = self.slots_of_results(number, item, &mut ready, &pinned)?;
        let slots = |limb: LimbId| self.limbs[limb.0 as usize].slot;
        let command = command(self.program, item, buffer, slots);
        let command = command.ok_or(CardError::Missing { task: number })?;
        let span = self.schedule(ready, command);
        self.spans[number] = span;
        let end = span.end;
        if let Some(buffer) = buffer {
            self.tables.free[buffer] = end;
        }
        for limb in takes {
            let next = self.next_use(limb);
            let is_reused = reused.contains(&limb);
            let state = self.limb(limb);
            state.last = state.last.max(end);
            if is_reused {
                state.slot = None;
                state.accesses.clear();
            }
            match next {
                NEVER => self.release(limb),
                next => drop(self.resident.insert((next, limb))),
            }
        }
        for limb in &item.results {
            let state = self.limb(*limb);
            (state.ready, state.last) = (end, end);
            self.store_outputs(*limb);
            match self.next_use(*limb) {
                NEVER => self.release(*limb),
                next => drop(self.resident.insert((next, *limb))),
            }
        }
        Ok(())
    }

    /// Loads a limb to a slot, if it has none. The inputs of the current item cannot be evicted.
    fn bring(&mut self, limb: LimbId, number: usize, pinned: &[LimbId]) -> Result<(), CardError> {
        let next = self.next_use(limb);
        if self.limb(limb).slot.is_some() {
            self.resident.remove(&(next, limb));
            return Ok(());
        }
        let home = self.limb(limb).home.ok_or(CardError::Missing { task: number })?;
        let (at, slot, accesses) = self.slot_of_load(limb, number, pinned)?;
        let ready = at.max(self.limb(limb).saved);
        let instruction = match home {
            Home::Memory { segment, offset, run } => Instruction::new(Opcode::Load)
                .with(Field::Run, run.trailing_zeros() as usize)
                .with(Field::Segment, segment)
                .with(Field::Offset, offset / TRANSFER_BYTES),
            Home::Seed { segment, place } => Instruction::new(Opcode::Expand)
                .with(Field::P0, usize::from(place))
                .with(Field::Segment, segment)
                .with(Field::Place, usize::from(place)),
        };
        let end = self.schedule(ready, instruction.with(Field::X0, slot).into()).end;
        let state = self.limb(limb);
        (state.slot, state.ready, state.last) = (Some(slot), end, end);
        self.remember(limb, accesses);
        Ok(())
    }

    /// Stores a limb to all outputs that contain it.
    fn store_outputs(&mut self, limb: LimbId) {
        for (segment, offset) in self.outputs.remove(&limb).unwrap_or_default() {
            self.store(limb, segment, offset, 0);
        }
    }

    fn release(&mut self, limb: LimbId) {
        let state = self.limb(limb);
        let (last, home) = (state.last, state.home);
        state.accesses.clear();
        if let Some(slot) = state.slot.take() {
            self.free[self.partitions.of_slot(slot)].insert((last, slot));
        }
        if let Some(Home::Memory { segment: SCRATCH, offset, .. }) = home {
            self.scratch_free.insert((last, offset));
        }
    }

    /// Returns the buffer of a factor table, which is loaded if necessary.
    fn table(&mut self, table: (u16, bool)) -> usize {
        if let Some(uses) = self.tables.uses.get_mut(&table) {
            uses.pop();
        }
        if let Some(buffer) = self.tables.held.iter().position(|held| *held == Some(table)) {
            return buffer;
        }
        // The buffer with the latest next use, and of these the one that is free first.
        let next = |buffer: usize| {
            let held = self.tables.held[buffer]?;
            self.tables.uses.get(&held).and_then(|uses| uses.last()).copied()
        };
        let key =
            |buffer: &usize| (Reverse(next(*buffer).unwrap_or(NEVER)), self.tables.free[*buffer]);
        let buffer = (0..self.tables.held.len()).min_by_key(key).unwrap_or(0);
        let (place, inverse) = table;
        let bytes = self.map.table_bytes;
        let offset = self.map.table_offset(usize::from(place), inverse);
        let load = Instruction::new(Opcode::Factors)
            .with_table(buffer)
            .with(Field::Segment, TABLES)
            .with(Field::Offset, offset / TRANSFER_BYTES)
            .with(Field::Transfers, bytes / TRANSFER_BYTES);
        let end = self.schedule(self.tables.free[buffer], load.into()).end;
        self.tables.held[buffer] = Some(table);
        self.tables.ready[buffer] = end;
        buffer
    }
}
