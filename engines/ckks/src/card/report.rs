// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The cost of a program on a card, and its bottleneck.

use serde::Serialize;

use super::compiled::Compiled;
use super::cycles::{bytes_of, Clocks};
use super::isa::{Field, Opcode, Unit};
use super::memory_map::Content;
use super::model::Card;
use crate::ring::{Program, Role};

/// The use of a unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnitReport {
    /// The name of the unit.
    pub unit: &'static str,
    /// The number of its instructions.
    pub instructions: usize,
    /// Clocks in which the unit works: a lower bound for the program.
    pub clocks: u64,
    /// The share of all clocks.
    pub share: f64,
}

/// Bytes moved, by content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// Limbs of inputs.
    pub inputs: usize,
    /// Limbs of keys, and seeds.
    pub keys: usize,
    /// Limbs of plaintexts.
    pub constants: usize,
    /// Limbs of outputs.
    pub outputs: usize,
    /// Spilled limbs, stores and loads.
    pub spills: usize,
    /// Tables of the transforms' factors.
    pub tables: usize,
    /// The program.
    pub instructions: usize,
}

impl Traffic {
    /// The total number of bytes.
    pub fn total(&self) -> usize {
        let limbs = self.inputs + self.keys + self.constants + self.outputs;
        limbs + self.spills + self.tables + self.instructions
    }
}

/// The cost of a program on a card.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Clocks from the first instruction to the last result.
    pub clocks: u64,
    /// The time in milliseconds.
    pub milliseconds: f64,
    /// The units.
    pub units: Vec<UnitReport>,
    /// The unit that works most.
    pub binds: &'static str,
    /// Bytes moved.
    pub traffic: Traffic,
    /// Rows of the scratchpad that are read per clock.
    pub rows_read: f64,
    /// Rows of the scratchpad that are written per clock.
    pub rows_written: f64,
    /// The number of slots for limbs.
    pub slots: usize,
    /// The number of spilled limbs.
    pub spilled: usize,
    /// The number of words in the stream.
    pub words: usize,
}

/// Returns the report of a program with known clocks.
pub fn report(program: &Program, compiled: &Compiled, card: &Card, clocks: &Clocks) -> Report {
    let degree = program.degree;
    let commands = &compiled.image.commands;
    let total = clocks.total.max(1) as f64;
    let count =
        |unit: Unit| commands.iter().filter(|command| command.head.opcode().unit() == unit).count();
    let unit = |unit: Unit| UnitReport {
        unit: unit.name(),
        instructions: count(unit),
        clocks: clocks.busy[unit as usize],
        share: clocks.busy[unit as usize] as f64 / total,
    };
    let units: Vec<UnitReport> = Unit::ALL[1..].iter().map(|of| unit(*of)).collect();
    let most = units.iter().max_by_key(|unit| unit.clocks);
    let [mut read, mut written] = [0.0; 2];
    for command in commands {
        let passes = match command.head.opcode().unit() {
            Unit::Transform => card.passes(degree) as f64,
            _ => 1.0,
        };
        read += passes * command.reads().len() as f64;
        written += passes * command.writes().len() as f64;
    }
    let rows = card.rows(degree) as f64 / total;
    Report {
        clocks: clocks.total,
        milliseconds: card.milliseconds(clocks.total),
        binds: most.map_or("nothing", |unit| unit.unit),
        units,
        traffic: traffic(program, compiled),
        rows_read: read * rows,
        rows_written: written * rows,
        slots: card.slots(degree),
        spilled: compiled.spills,
        words: compiled.image.words(),
    }
}

fn traffic(program: &Program, compiled: &Compiled) -> Traffic {
    let instructions = compiled.image.to_bytes().len();
    let mut traffic = Traffic { instructions, ..Traffic::default() };
    for command in &compiled.image.commands {
        let bytes = bytes_of(command, program.degree);
        if bytes == 0 {
            continue;
        }
        let segment = &compiled.map.segments[command.head.get(Field::Segment)];
        let of = match segment.content {
            Content::Tables => &mut traffic.tables,
            Content::Scratch => &mut traffic.spills,
            // An output that is loaded again.
            Content::Output(_) if command.head.opcode() == Opcode::Load => &mut traffic.spills,
            Content::Output(_) => &mut traffic.outputs,
            Content::External(index) | Content::Seed(index) => {
                match program.externals[index].role {
                    Role::Input => &mut traffic.inputs,
                    Role::Key => &mut traffic.keys,
                    Role::Constant => &mut traffic.constants,
                }
            }
        };
        *of += bytes;
    }
    traffic
}

impl Report {
    /// Returns the report as text.
    pub fn text(&self) -> String {
        let mut lines = vec![format!(
            "{} clocks, {:.3} ms; limited by {}; {} words, {} slots, {} spilled limbs",
            self.clocks, self.milliseconds, self.binds, self.words, self.slots, self.spilled
        )];
        for unit in &self.units {
            lines.push(format!(
                "{:<10} {:>8} instructions {:>12} clocks {:>6.1} %",
                unit.unit,
                unit.instructions,
                unit.clocks,
                100.0 * unit.share
            ));
        }
        let megabytes = |bytes: usize| format!("{:.2}", bytes as f64 / 1e6);
        let traffic = &self.traffic;
        lines.push(format!(
            "memory, MB: {} inputs, {} keys, {} constants, {} outputs, {} spills, {} tables, \
             {} instructions",
            megabytes(traffic.inputs),
            megabytes(traffic.keys),
            megabytes(traffic.constants),
            megabytes(traffic.outputs),
            megabytes(traffic.spills),
            megabytes(traffic.tables),
            megabytes(traffic.instructions)
        ));
        lines.push(format!(
            "scratchpad: {:.2} rows read and {:.2} written per clock",
            self.rows_read, self.rows_written
        ));
        lines.join("\n")
    }
}
