// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a card of a size is made of on an UltraScale+ device, by formula (`engines/ckks/rtl`'s
//! README): an estimate, since nothing of it is placed.

use super::instruction::Command;
use super::isa::{Opcode, Unit};
use super::model::Card;

/// Multipliers of a modular product, of a column's products, of a reduction.
const BUTTERFLY: usize = 4;
const COLUMN: usize = 2;
const REDUCTION: usize = 2;
/// Words of an UltraRAM: 72 bits, two residues with their parities.
const ULTRA_WORDS: usize = 4096;

impl Card {
    /// DSP48E2: a butterfly for two lanes and stage, a product for each lane and column, and a
    /// reduction a lane.
    pub fn multipliers(&self) -> usize {
        let lanes = 1usize << self.log_lanes;
        let butterflies = lanes / 2 * self.log_radix as usize;
        BUTTERFLY * butterflies + lanes * (COLUMN * self.columns + REDUCTION)
    }

    /// UltraRAM of the scratchpad: partitions of fewer than 4,096 rows leave memory unused.
    pub fn ultra_memories(&self) -> usize {
        let partitions = 1usize << self.log_partitions;
        let lanes = 1usize << self.log_lanes;
        let rows = (self.scratchpad_bytes / (4 * lanes)).div_ceil(partitions);
        lanes.div_ceil(2) * partitions * rows.div_ceil(ULTRA_WORDS)
    }

    /// Modular products that the card's multipliers do in a clock.
    pub fn products_per_clock(&self) -> usize {
        let lanes = 1usize << self.log_lanes;
        lanes / 2 * self.log_radix as usize + lanes * self.columns
    }
}

/// The modular products of a command, in a ring of this degree.
pub fn products(command: &Command, degree: usize) -> u64 {
    let opcode = command.head.opcode();
    let limbs = match opcode {
        Opcode::Subscale => 2,
        _ if opcode.unit() == Unit::Product => command.terms.len().max(1) * command.columns(),
        _ => 0,
    };
    let butterflies = match opcode.unit() {
        Unit::Transform => degree / 2 * degree.trailing_zeros() as usize,
        _ => 0,
    };
    (limbs * degree + butterflies) as u64
}

#[cfg(test)]
mod tests {
    use super::super::instruction::Instruction;
    use super::super::isa::Field;
    use super::*;

    #[test]
    fn the_published_size_takes_what_the_notes_say() {
        let card = Card::published(8 << 20);
        assert_eq!(card.multipliers(), 8192);
        assert_eq!(card.products_per_clock(), 1024 + 1536);
        // 4,096 rows: one partition fills its memories, four leave three quarters of them unused.
        let of = |card: Card| {
            [0, 1, 2].map(|log_partitions| Card { log_partitions, ..card }.ultra_memories())
        };
        assert_eq!(of(card), [256, 512, 1024]);
        assert_eq!(of(Card::published(30 << 20)), [1024, 1024, 1024]);
    }

    #[test]
    fn products_of_commands() {
        let command = |opcode| Command::from(Instruction::new(opcode));
        let of = |opcode| products(&command(opcode), 1024);
        assert_eq!(of(Opcode::Mul), 1024);
        assert_eq!(of(Opcode::Subscale), 2048);
        assert_eq!(of(Opcode::Ntt), 5120);
        assert_eq!(of(Opcode::Add), 0);
        let head = Instruction::new(Opcode::Conv).with(Field::Terms, 3).with(Field::Columns, 2);
        let terms = vec![Instruction::new(Opcode::Term); 3];
        assert_eq!(products(&Command { head, terms }, 1024), 6144);
    }
}
