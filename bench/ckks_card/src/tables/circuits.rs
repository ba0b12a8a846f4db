// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The circuits of cards: sizes, butterflies, cores, multipliers and memories.

use halimede_ckks::card::{Card, U280, U280_MULTIPLIERS};

use super::synthesis::{Core, ADD, BARRETT, COLUMNS, MULTIPLY};
use super::table::{grouped, Cell, Mark, Table, NOTHING, UNKNOWN};
use crate::published;

/// The published ring.
pub const DEGREE: usize = 1 << 16;
/// Bytes of a residue in memory.
const WORD: usize = 4;
const LIMB: usize = DEGREE * WORD;
/// The megabytes of the two scratchpads, and the part of each partition's banks in UltraRAM.
const SCRATCHPADS: [(f64, usize); 2] = [(8.4, 256), (31.5, 448)];

/// Bits of our primes.
const PRIME_BITS: usize = 30;

/// Returns the card whose scratchpad has all whole limbs that fit these megabytes.
fn card(megabytes: f64) -> Card {
    Card::published(limbs(megabytes) * LIMB)
}

/// Whole limbs in megabytes.
fn limbs(megabytes: f64) -> usize {
    (megabytes * 1e6) as usize / LIMB
}

fn by_model(number: f64, decimals: usize) -> Cell {
    Cell::new(number, decimals, Mark::Model)
}

fn by_paper(number: f64, decimals: usize) -> Cell {
    Cell::new(number, decimals, Mark::Published)
}

/// Sizes of the cards.
pub fn sizes() -> Table {
    let mut table = Table::new(
        "sizes",
        "Sizes",
        "the paper's text",
        ["published", "ours, 8.4 MB", "ours, 31.5 MB"],
    );
    let ours = |of: &dyn Fn(&Card) -> f64, decimals| {
        SCRATCHPADS.map(|(megabytes, _)| by_model(of(&card(megabytes)), decimals))
    };
    let mut row = |quantity, unit, published, [small, large]: [Cell; 2]| {
        table.row(quantity, unit, &[published, small, large]);
    };
    let lanes = |card: &Card| f64::from(1u32 << card.log_lanes);
    row("lanes", "", by_paper(published::LANES as f64, 0), ours(&lanes, 0));
    row("clock", "MHz", by_paper(published::CLOCK_MHZ, 0), ours(&|card| card.clock_mhz, 0));
    let bandwidth = |card: &Card| card.bytes_per_second / 1e9;
    row(
        "memory's bandwidth",
        "GB/s",
        by_paper(published::BYTES_PER_SECOND / 1e9, 0),
        ours(&bandwidth, 0),
    );
    let scratchpad = |card: &Card| card.scratchpad_bytes as f64 / 1e6;
    row("scratchpad", "MB", by_paper(published::SCRATCHPAD_MB, 1), ours(&scratchpad, 1));
    let bits = by_paper(published::RESIDUE_BITS as f64, 0);
    row("bits of a residue", "", bits, [by_model(PRIME_BITS as f64, 0); 2]);
    let polynomial = polynomial_bytes() as f64 / 1e6;
    let cell = Cell::new(polynomial, 1, Mark::Formula);
    row("a polynomial of 44 residues", "MB", cell, [cell; 2]);
    table.note(format!(
        "The published scratchpad of {} MB does not hold one polynomial of {polynomial:.1} MB.",
        published::SCRATCHPAD_MB
    ));
    table.note(
        "The published bootstrap goes up to 57 residues of 32 bits, a modulus of 1,824 bits: at \
         N = 2^16 1,747 bits are the limit for 128 bits of security. Ours obeys it.",
    );
    table.note(
        "The clock of 450 MHz is assumed for ours: no core has been placed on an UltraScale+.",
    );
    table
}

/// Bytes of a polynomial of the published size.
pub fn polynomial_bytes() -> usize {
    LIMB * usize::from(published::RESIDUES)
}

/// Returns the modular products of a butterfly of radix 2^k with fused stages, and of one made of
/// butterflies of two points.
fn products(log_radix: usize) -> [usize; 2] {
    let radix = 1 << log_radix;
    [radix * (radix - 1), log_radix * radix / 2]
}

/// Products of fused butterflies.
pub fn butterflies() -> Table {
    let mut table = Table::new(
        "butterflies",
        "Modular products of a butterfly",
        "table II",
        ["published, fused", "corrected, fused", "ours, k stages"],
    );
    for (place, published) in published::FUSED_PRODUCTS.into_iter().enumerate() {
        let log_radix = place + 2;
        let [fused, staged] = products(log_radix);
        let cells = [
            Cell::whole(published, Mark::Published),
            Cell::whole(fused, Mark::Formula),
            Cell::whole(staged, Mark::Formula),
        ];
        table.row(format!("radix {}", 1 << log_radix), "products", &cells);
    }
    let [fused, staged] = products(3);
    table.note(format!(
        "The last published value should be {}: a fused butterfly has 2^k (2^k - 1) products.",
        grouped(products(6)[0])
    ));
    table.note(format!(
        "Fusion at radix 8 needs {:.1} times the {staged} products of the stages. It saves passes \
         over the memory, not multipliers; ours has the same passes without it.",
        fused as f64 / staged as f64
    ));
    table
}

/// Operator cores.
pub fn cores() -> Table {
    let mut table = Table::new(
        "cores",
        "Operator cores",
        "table unknown where the row names none",
        ["published", "ours"],
    );
    let synthesized = |number: usize| Cell::whole(number, Mark::Synthesis);
    let product = Cell::whole(published::PRODUCT_MULTIPLIERS, Mark::Published);
    let mut core = |name: &str, core: &Core, multipliers| {
        let name = format!("{name}, {}", core.name);
        table.row(format!("{name}: DSP"), "", &[multipliers, synthesized(core.multipliers)]);
        table.row(format!("{name}: LUT"), "", &[UNKNOWN, synthesized(core.luts)]);
        table.row(format!("{name}: registers"), "", &[UNKNOWN, synthesized(core.registers)]);
    };
    core("modular product (MM)", &MULTIPLY, product);
    core("the same by Barrett's reduction (SBT)", &BARRETT, product);
    core("modular sum (MA)", &ADD, UNKNOWN);
    core("three sums of products, reduced", &COLUMNS, UNKNOWN);
    let log_points = published::CORE_POINTS.trailing_zeros() as usize;
    let [_, staged] = products(log_points);
    table.row(
        "transform core of 8 points: DSP",
        "",
        &[
            Cell::whole(published::CORE_MULTIPLIERS, Mark::Published),
            Cell::whole(staged * MULTIPLY.multipliers, Mark::Formula),
        ],
    );
    clocks(&mut table);
    registers(&mut table);
    let core = published::CORE_MULTIPLIERS;
    table.note(format!(
        "{core} DSP are {} products of {}: table II needs 12 or 56 for eight points.",
        core / published::PRODUCT_MULTIPLIERS,
        published::PRODUCT_MULTIPLIERS
    ));
    table.note("16 is not a multiple of 3, so radix 8 takes 6 passes at N = 2^16, not 5 1/3.");
    table
}

/// Clocks of transforms and automorphisms.
fn clocks(table: &mut Table) {
    let card = card(SCRATCHPADS[0].0);
    let rows = card.rows(DEGREE);
    let passes = card.passes(DEGREE);
    let by_formula = |number: u64| Cell::new(number as f64, 0, Mark::Formula);
    let of_rate =
        published::CLOCK_MHZ * 1e6 / published::TRANSFORMS / f64::from(published::RESIDUES);
    table.row(
        "transform of N = 2^16: passes",
        "",
        &[Cell::whole(published::PASSES, Mark::Published), by_model(passes as f64, 0)],
    );
    table.row(
        "transform of a limb",
        "clocks",
        &[Cell::new(of_rate, 0, Mark::Formula), by_formula(passes * rows)],
    );
    table.row(
        "automorphism of a limb (HFAuto)",
        "clocks",
        &[Cell::whole(published::PERMUTATION_CLOCKS, Mark::Published), by_formula(rows)],
    );
    table.row(
        "automorphism of a limb, place by place",
        "clocks",
        &[Cell::whole(published::SLOW_PERMUTATION_CLOCKS, Mark::Published), NOTHING],
    );
    table.note("The published clocks of a transform follow from its rate and clock.");
}

/// Registers per lane, by two tables that differ.
fn registers(table: &mut Table) {
    let butterflies = card(SCRATCHPADS[0].0).log_radix as usize / 2;
    let ours = butterflies * (MULTIPLY.registers + 2 * ADD.registers) + COLUMNS.registers;
    for (number, registers) in ["XI", "XII"].iter().zip(published::LANE_REGISTERS) {
        table.row(
            format!("registers a lane, table {number}"),
            "",
            &[Cell::whole(registers, Mark::Published), Cell::whole(ours, Mark::Estimate)],
        );
    }
    table.note(format!(
        "Registers a lane of ours: {butterflies} butterflies of a product and two sums, and the \
         columns; without exchanges, ports and control."
    ));
}

/// Multipliers of all cores.
pub fn multipliers() -> Table {
    let mut table = Table::new(
        "multipliers",
        "Multipliers (DSP48E2) at 512 lanes, of which ours do not fit",
        "table unknown",
        ["published", "ours", "U280"],
    );
    let units = card(SCRATCHPADS[0].0).multipliers_of_units();
    let by_formula = |number: usize| Cell::whole(number, Mark::Formula);
    let transforms = published::LANES / published::CORE_POINTS * published::CORE_MULTIPLIERS;
    let products = published::LANES * published::PRODUCT_MULTIPLIERS;
    table.row(
        "transforms",
        "DSP",
        &[by_formula(transforms), by_formula(units.butterflies), NOTHING],
    );
    table.row("products", "DSP", &[by_formula(products), by_formula(units.columns), NOTHING]);
    table.row("their reductions", "DSP", &[NOTHING, by_formula(units.reductions), NOTHING]);
    table.row(
        "all",
        "DSP",
        &[
            Cell::whole(published::MULTIPLIERS, Mark::Published),
            by_formula(units.total()),
            Cell::whole(U280_MULTIPLIERS, Mark::Published),
        ],
    );
    table.note(
        "The published parts, 9 DSP a lane and a transform core of 63 for eight lanes, add up to \
         the published total.",
    );
    table.note("Ours does not fit a U280 with 512 lanes, by its LUTs; 256 lanes have 4,096 DSP.");
    table
}

/// Memories of a U280.
pub fn memories() -> Table {
    let mut table = Table::new(
        "memories",
        "Memories on the chip",
        "table unknown",
        ["published", "ours, 8.4 MB", "ours, 31.5 MB", "U280"],
    );
    let cards = SCRATCHPADS.map(|(megabytes, banks)| (card(megabytes), banks));
    let slots = cards.map(|(card, _)| by_model(card.slots(DEGREE) as f64, 0));
    let ultra = cards
        .map(|(card, banks)| Cell::whole(card.scratchpad_memories(banks).ultra, Mark::Formula));
    let block = cards.map(|(card, banks)| card.scratchpad_memories(banks).block);
    let factors = cards.map(|(card, _)| card.factor_memories(DEGREE) as f64);
    let by_formula = |number: f64| Cell::new(number, 0, Mark::Formula);
    table.row(
        "limbs of N = 2^16 in the scratchpad",
        "",
        &[Cell::whole(limbs(published::SCRATCHPAD_MB), Mark::Formula), slots[0], slots[1], NOTHING],
    );
    table.row(
        "UltraRAM",
        "",
        &[UNKNOWN, ultra[0], ultra[1], Cell::whole(U280.ultra, Mark::Published)],
    );
    let [small, large] = block.map(by_formula);
    table.row("BRAM of the scratchpad", "", &[UNKNOWN, small, large, NOTHING]);
    let [small, large] = factors.map(by_formula);
    table.row("BRAM of the transforms' factors", "", &[UNKNOWN, small, large, NOTHING]);
    table.row(
        "all BRAM",
        "",
        &[
            Cell::whole(published::BLOCK_MEMORIES, Mark::Published),
            by_formula(block[0] + factors[0]),
            by_formula(block[1] + factors[1]),
            Cell::new(U280.block, 0, Mark::Published),
        ],
    );
    table.note(format!(
        "The published {} BRAM are more than the {} that a U280 has.",
        grouped(published::BLOCK_MEMORIES),
        grouped(U280.block as usize)
    ));
    table
}
