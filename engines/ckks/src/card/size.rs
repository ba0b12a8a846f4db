// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The resources of a card of a given size on an UltraScale+ device, by formula (the README of
//! `engines/ckks/rtl`). This is an estimate without placement.

use super::instruction::Command;
use super::isa::{Opcode, Unit};
use super::model::Card;

/// Multipliers of a modular product, of a column's product, and of a reduction.
const BUTTERFLY: usize = 4;
const COLUMN: usize = 2;
const REDUCTION: usize = 2;
/// Words of an UltraRAM: 72 bits, two residues with their parities (`ckks_bank_pair`).
const ULTRA_WORDS: usize = 4096;
/// Words of half a block memory: 36 bits, a residue with its parity.
const HALF_BLOCK_WORDS: usize = 512;
/// The logarithm of the largest ring's degree (`MaxLogDegree` of the core).
const MAX_LOG_DEGREE: u32 = 16;
/// Bits of a residue, and of a word of a whole block memory of 512 words.
const RESIDUE_BITS: usize = 30;
const BLOCK_BITS: usize = 72;

/// The multipliers (DSP48E2) of a card's units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multipliers {
    /// Multipliers of the transforms: a butterfly for every two lanes and each stage.
    pub butterflies: usize,
    /// Multipliers of sums of products: a product for each lane and column.
    pub columns: usize,
    /// Multipliers of the reductions of sums, one for each lane.
    pub reductions: usize,
}

impl Multipliers {
    /// The total number of multipliers.
    pub fn total(&self) -> usize {
        self.butterflies + self.columns + self.reductions
    }
}

/// The memories of an UltraScale+ device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memories {
    /// The number of UltraRAMs of 288 Kbit.
    pub ultra: usize,
    /// The number of block memories of 36 Kbit, in halves.
    pub block: f64,
}

/// The memories of an Alveo U280 (data sheet DS963).
pub const U280: Memories = Memories { ultra: 960, block: 2016.0 };

/// The number of DSP48E2 of an Alveo U280.
pub const U280_MULTIPLIERS: usize = 9024;

impl Card {
    /// The number of DSP48E2 of all units.
    pub fn multipliers(&self) -> usize {
        self.multipliers_of_units().total()
    }

    /// The number of DSP48E2 of each unit.
    pub fn multipliers_of_units(&self) -> Multipliers {
        let lanes = 1usize << self.log_lanes;
        Multipliers {
            butterflies: BUTTERFLY * (lanes / 2) * self.log_radix as usize,
            columns: COLUMN * lanes * self.columns,
            reductions: REDUCTION * lanes,
        }
    }

    /// The number of block memories for the factors of transforms. Passes with a bit of the lane
    /// index below their own bits have factors for each butterfly. The factors of other passes are
    /// few. All tables are stored in parallel.
    pub fn factor_memories(&self, degree: usize) -> usize {
        let (radix, lanes) = (1usize << self.log_radix, 1usize << self.log_lanes);
        let ends = (1..=self.passes(degree)).map(|pass| pass * u64::from(self.log_radix));
        let passes = ends.filter(|end| *end < u64::from(self.log_lanes)).count();
        let rows = passes * self.tables * self.rows(degree) as usize;
        let words = lanes / radix * (radix - 1);
        (words * RESIDUE_BITS).div_ceil(BLOCK_BITS) * rows.div_ceil(HALF_BLOCK_WORDS)
    }

    /// The number of UltraRAMs of a scratchpad without block memories. Partitions of fewer than
    /// 4,096 rows leave memory unused.
    pub fn ultra_memories(&self) -> usize {
        self.scratchpad_memories(1 << self.log_lanes).ultra
    }

    /// The banks in an UltraRAM: two, if they always have the same address (`Pairs` of
    /// `ckks_scratchpad`), which 256 lanes and fewer do not have in the largest ring.
    fn banks_of_ultra_memory(&self) -> usize {
        if MAX_LOG_DEGREE < 2 * self.log_lanes {
            2
        } else {
            1
        }
    }

    /// The memories of the scratchpad if `ultra_banks` of the banks of each partition, an even
    /// number, are UltraRAM and the others block memory (the parameter `CkksUltraBanks`).
    pub fn scratchpad_memories(&self, ultra_banks: usize) -> Memories {
        let partitions = 1usize << self.log_partitions;
        let lanes = 1usize << self.log_lanes;
        let rows = (self.scratchpad_bytes / (4 * lanes)).div_ceil(partitions);
        let block_banks = partitions * lanes.saturating_sub(ultra_banks);
        Memories {
            ultra: ultra_banks.min(lanes).div_ceil(self.banks_of_ultra_memory())
                * partitions
                * rows.div_ceil(ULTRA_WORDS),
            block: block_banks as f64 * rows.div_ceil(HALF_BLOCK_WORDS) as f64 / 2.0,
        }
    }

    /// The number of modular products per clock of the card's multipliers.
    pub fn products_per_clock(&self) -> usize {
        let lanes = 1usize << self.log_lanes;
        lanes / 2 * self.log_radix as usize + lanes * self.columns
    }
}

/// The number of modular products of a command, in a ring of this degree.
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
        // 4,096 rows: one partition fills its memories, and four partitions leave three quarters of
        // them unused.
        let of = |card: Card| {
            [0, 1, 2].map(|log_partitions| Card { log_partitions, ..card }.ultra_memories())
        };
        assert_eq!(of(card), [256, 512, 1024]);
        assert_eq!(of(Card::published(30 << 20)), [1024, 1024, 1024]);
    }

    #[test]
    fn the_published_sizes_fit_a_u280() {
        // The factors of the transforms in addition to the scratchpad, and a seventh for everything
        // else.
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
    fn banks_of_256_lanes_are_not_in_pairs() {
        let card = Card { log_lanes: 8, ..Card::published(8 << 20) };
        assert_eq!(card.scratchpad_memories(160), Memories { ultra: 640, block: 768.0 });
        assert_eq!(card.ultra_memories(), 1024);
        assert_eq!(card.factor_memories(1 << 16), 100);
        assert_eq!(card.multipliers(), 4096);
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
