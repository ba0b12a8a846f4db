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
/// Words of an UltraRAM: 72 bits, two residues with their parities (`ckks_bank_pair`).
const ULTRA_WORDS: usize = 4096;
/// Words of half a block memory: 36 bits, a residue with its parity.
const HALF_BLOCK_WORDS: usize = 512;
/// Bits of a residue, and of a word of a whole block memory of 512.
const RESIDUE_BITS: usize = 30;
const BLOCK_BITS: usize = 72;

/// Multipliers (DSP48E2) of a card's units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multipliers {
    /// Of the transforms: a butterfly for two lanes and stage.
    pub butterflies: usize,
    /// Of sums of products: a product for each lane and column.
    pub columns: usize,
    /// Of their reductions, one a lane.
    pub reductions: usize,
}

impl Multipliers {
    /// All of them.
    pub fn total(&self) -> usize {
        self.butterflies + self.columns + self.reductions
    }
}

/// Memories of an UltraScale+ device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memories {
    /// UltraRAM of 288 Kbit.
    pub ultra: usize,
    /// Block memories of 36 Kbit, of which halves count.
    pub block: f64,
}

/// What an Alveo U280 has (data sheet DS963).
pub const U280: Memories = Memories { ultra: 960, block: 2016.0 };

/// DSP48E2 of an Alveo U280.
pub const U280_MULTIPLIERS: usize = 9024;

impl Card {
    /// DSP48E2 of all units.
    pub fn multipliers(&self) -> usize {
        self.multipliers_of_units().total()
    }

    /// DSP48E2, unit by unit.
    pub fn multipliers_of_units(&self) -> Multipliers {
        let lanes = 1usize << self.log_lanes;
        Multipliers {
            butterflies: BUTTERFLY * (lanes / 2) * self.log_radix as usize,
            columns: COLUMN * lanes * self.columns,
            reductions: REDUCTION * lanes,
        }
    }

    /// Block memories of the transforms' factors. Passes below whose bits a lane's bit stands have
    /// factors for each butterfly; those of other passes are few. All tables stand side by side.
    pub fn factor_memories(&self, degree: usize) -> usize {
        let (radix, lanes) = (1usize << self.log_radix, 1usize << self.log_lanes);
        let ends = (1..=self.passes(degree)).map(|pass| pass * u64::from(self.log_radix));
        let passes = ends.filter(|end| *end < u64::from(self.log_lanes)).count();
        let rows = passes * self.tables * self.rows(degree) as usize;
        let words = lanes / radix * (radix - 1);
        (words * RESIDUE_BITS).div_ceil(BLOCK_BITS) * rows.div_ceil(HALF_BLOCK_WORDS)
    }

    /// UltraRAM of a scratchpad that is made of nothing else: partitions of fewer than 4,096 rows
    /// leave memory unused.
    pub fn ultra_memories(&self) -> usize {
        self.scratchpad_memories(1 << self.log_lanes).ultra
    }

    /// Memories of the scratchpad where `ultra_banks` of each partition's banks, an even number, are
    /// UltraRAM and the others block memory (the parameter `CkksUltraBanks`).
    pub fn scratchpad_memories(&self, ultra_banks: usize) -> Memories {
        let partitions = 1usize << self.log_partitions;
        let lanes = 1usize << self.log_lanes;
        let rows = (self.scratchpad_bytes / (4 * lanes)).div_ceil(partitions);
        let block_banks = partitions * lanes.saturating_sub(ultra_banks);
        Memories {
            ultra: ultra_banks.min(lanes) / 2 * partitions * rows.div_ceil(ULTRA_WORDS),
            block: block_banks as f64 * rows.div_ceil(HALF_BLOCK_WORDS) as f64 / 2.0,
        }
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
        let units = Multipliers { butterflies: 4096, columns: 3072, reductions: 1024 };
        assert_eq!(card.multipliers_of_units(), units);
        assert_eq!(card.factor_memories(1 << 16), 200);
        assert_eq!(card.products_per_clock(), 1024 + 1536);
        // 4,096 rows: one partition fills its memories, four leave three quarters of them unused.
        let of = |card: Card| {
            [0, 1, 2].map(|log_partitions| Card { log_partitions, ..card }.ultra_memories())
        };
        assert_eq!(of(card), [256, 512, 1024]);
        assert_eq!(of(Card::published(30 << 20)), [1024, 1024, 1024]);
    }

    #[test]
    fn the_published_sizes_fit_a_u280() {
        // The transforms' factors beside the scratchpad, and a seventh for all else.
        let factors = Card::published(0).factor_memories(1 << 16) as f64;
        for (mebibytes, ultra_banks, memories) in [
            (8, 256, Memories { ultra: 512, block: 1024.0 }),
            (30, 448, Memories { ultra: 896, block: 1024.0 }),
        ] {
            let card = Card::published(mebibytes << 20);
            let found = card.scratchpad_memories(ultra_banks);
            assert_eq!(found, memories);
            assert!(found.ultra <= U280.ultra && found.block + factors <= U280.block * 6.0 / 7.0);
        }
        let all = Card::published(30 << 20).scratchpad_memories(512);
        assert_eq!(all, Memories { ultra: 1024, block: 0.0 });
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
