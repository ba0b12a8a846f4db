// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations of the published accelerator's tables, and their cost on a card.

use halimede_ckks::card::isa::Opcode;
use halimede_ckks::card::{basic, compile, core_clocks, products, report, without_automorphisms};
use halimede_ckks::card::{Basic, Card, CompileOptions, CoreOptions, Report};
use halimede_ckks::ring::{Basis, Program};
use halimede_ckks::{DryServer, Operations, Parameters};
use serde::Serialize;

use crate::output::text;
use crate::published;

/// The number of polynomials of an operation on a stream of polynomials.
const STREAM: usize = 8;

/// The cards: the megabytes of the scratchpad, and true if keys come from seeds.
pub const CARDS: [(f64, bool); 4] = [(8.4, false), (8.4, true), (31.5, false), (31.5, true)];

/// The slots of the bootstrap, and the levels after it.
pub const BOOTSTRAP_LOG_SLOTS: u32 = 15;
pub const BOOTSTRAP_LEVELS: usize = 9;

/// An operation at N = 2¹⁶.
pub struct CardOperation {
    pub name: &'static str,
    /// The figure of the published accelerator (HPCA 2023, tables VI to VIII).
    pub published: f64,
    /// The targets with 8.4 MB and 31.5 MB.
    pub aims: [f64; 2],
    /// The number of times that a program does it.
    pub count: usize,
    pub is_time: bool,
    program: Program,
}

/// The cost of the program of an operation on a card.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    #[serde(flatten)]
    pub report: Report,
    /// The numbers of modular products and of automorphisms of a limb.
    pub products: u64,
    pub permutations: usize,
}

/// Returns all operations except the bootstrap, with 44 residues.
pub fn basic_operations() -> Result<Vec<CardOperation>, String> {
    let parameters = Parameters::dry_preset("n16").map_err(text)?;
    let level = parameters.fresh_level();
    let operations = Operations { multiply: true, rotations: vec![1], ..Operations::default() };
    let dry = DryServer::new(&parameters, &operations.keys_to_level(&parameters, level));
    let inputs = [(); 2].map(|()| dry.input(level, parameters.slots()));
    let (a, b) = (&inputs[0], &inputs[1]);
    let product = dry.record(&[a, b], &[], |server| Ok(vec![server.mul(a, b)?]));
    let rotation = dry.record(&[a], &[], |server| Ok(server.rotate_many(a, &[1])?));
    let rescale = dry.record(&[a], &[], |server| Ok(vec![server.rescale(a)?]));
    let product = product.map_err(text)?.1;
    let rotation = rotation.map_err(text)?.1;
    let rescale = rescale.map_err(text)?.1;
    let (degree, primes) = (product.degree, product.primes.clone());
    let residues = Basis::new(0..published::RESIDUES);
    let stream = |of: Basic| basic(of, degree, &primes, &residues, STREAM);
    let row = |name, published, aims, count, program| CardOperation {
        name,
        published,
        aims,
        count,
        is_time: false,
        program,
    };
    let switch = without_automorphisms(&rotation);
    Ok(vec![
        row("HAdd, one polynomial, /s", published::SUMS, [13_294.0; 2], STREAM, stream(Basic::Add)),
        row(
            "PMult, one polynomial, /s",
            published::SUMS,
            [13_294.0; 2],
            STREAM,
            stream(Basic::Multiply),
        ),
        row(
            "NTT, 44 limbs, /s",
            published::TRANSFORMS,
            [19_900.0; 2],
            STREAM,
            stream(Basic::Forward),
        ),
        row("Rescale, /s", published::RESCALES, [8_700.0; 2], 1, rescale),
        row("Keyswitch, /s", published::KEY_SWITCHES, [1_090.0, 1_560.0], 1, switch),
        row("Rotation, /s", published::ROTATIONS, [1_090.0, 1_560.0], 1, rotation),
        row("CMult, /s", published::PRODUCTS, [820.0, 1_230.0], 1, product),
    ])
}

/// Returns the bootstrap of all slots.
pub fn bootstrap() -> Result<CardOperation, String> {
    let parameters = Parameters::dry_preset("n16-boot").map_err(text)?;
    let slots = parameters.slots();
    let operations = Operations { bootstrap_slots: vec![slots], ..Operations::default() };
    let dry = DryServer::new(&parameters, &operations.keys_to_level(&parameters, 0));
    dry.server().prepare_bootstrap_of(slots).map_err(text)?;
    let input = dry.input(0, slots);
    let recorded = dry.record(&[&input], &[], |server| Ok(vec![server.bootstrap(&input)?]));
    let program = recorded.map_err(text)?.1;
    Ok(CardOperation {
        name: "bootstrap, 2^15 slots, 9 levels left, ms",
        published: published::BOOTSTRAP_MS,
        aims: [70.0, 42.0],
        count: 1,
        is_time: true,
        program,
    })
}

impl CardOperation {
    /// Measures the operation on each card, with these tables of factors and words per clock of the
    /// generator.
    pub fn measure(&self, tables: usize, expand: usize) -> Result<Vec<Measured>, String> {
        let of = |(megabytes, is_seeded): (f64, bool)| {
            let mut card = Card::published((megabytes * 1e6) as usize);
            card.tables = tables;
            card.expand_words = if is_seeded { expand } else { 0 };
            let how = CompileOptions { expand: is_seeded, ..CompileOptions::default() };
            let compiled = compile(&self.program, &card, &how).map_err(text)?;
            let core = CoreOptions::of(&card, &compiled.image);
            let clocks = core_clocks(&compiled.image, &card, &core).clocks;
            let commands = &compiled.image.commands;
            let degree = self.program.degree;
            Ok(Measured {
                report: report(&self.program, &compiled, &card, &clocks),
                products: commands.iter().map(|command| products(command, degree)).sum(),
                permutations: commands
                    .iter()
                    .filter(|command| command.head.opcode() == Opcode::Perm)
                    .count(),
            })
        };
        CARDS.into_iter().map(of).collect()
    }

    /// Returns a rate, or milliseconds.
    pub fn figure(&self, report: &Report) -> f64 {
        match self.is_time {
            true => report.milliseconds / self.count as f64,
            false => 1e3 * self.count as f64 / report.milliseconds,
        }
    }

    /// Returns the figure that the busiest units would allow.
    pub fn roof(&self, report: &Report) -> f64 {
        let share = report.units.iter().map(|unit| unit.share).fold(0.0, f64::max);
        match self.is_time {
            true => self.figure(report) * share,
            false => self.figure(report) / share.max(1e-9),
        }
    }
}

/// Returns a unit's fraction of the clocks.
pub fn share(report: &Report, name: &str) -> f64 {
    report.units.iter().find(|unit| unit.unit == name).map_or(0.0, |unit| unit.share)
}

/// Returns a card's name.
pub fn title((megabytes, is_seeded): (f64, bool)) -> String {
    format!("{megabytes} MB{}", if is_seeded { ", seeds" } else { "" })
}

/// A made-up measurement: 2 ms, three quarters of it bound by the memory.
#[cfg(test)]
pub fn any_measured() -> Vec<Measured> {
    use halimede_ckks::card::{Traffic, UnitReport};
    let memory = UnitReport { unit: "memory", instructions: 1, clocks: 675_000, share: 0.75 };
    let report = Report {
        clocks: 900_000,
        milliseconds: 2.0,
        units: vec![memory],
        binds: "memory",
        traffic: Traffic { inputs: 3_000_000, ..Traffic::default() },
        rows_read: 0.0,
        rows_written: 0.0,
        slots: 32,
        spilled: 0,
        words: 1,
    };
    vec![Measured { report, products: 5_000_000, permutations: 11 }; CARDS.len()]
}
