// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks card-rates`: operations a second of a card of the published accelerator's size.

use std::fmt::Write;

use halimede_ckks::card::{basic, compile, core_clocks, report, without_automorphisms};
use halimede_ckks::card::{Basic, Card, CompileOptions, CoreOptions, Report};
use halimede_ckks::ring::{Basis, Program};
use halimede_ckks::{DryServer, Operations, Parameters};
use serde_json::json;

use super::compile::check_tables;
use super::{bad_input, print, published};
use crate::arguments::{CardRatesOptions, TableFormat};
use crate::error::CommandError;

/// Polynomials of an operation that is a stream of them.
const STREAM: usize = 8;

/// What is measured.
struct Row {
    name: &'static str,
    /// What the published accelerator does (HPCA 2023, tables VI to VIII).
    published: f64,
    /// With 8.4 MB and 31.5 MB; 0: none.
    aims: [f64; 2],
    /// How many of it a program does.
    count: usize,
    is_time: bool,
    program: Program,
}

/// The columns: bytes of the scratchpad, and whether keys come from seeds.
const CARDS: [(f64, bool); 4] = [(8.4, false), (8.4, true), (31.5, false), (31.5, true)];

/// Compiles and measures all operations, and prints the table.
pub fn run(options: &CardRatesOptions, json: bool) -> Result<(), CommandError> {
    check_tables(options.tables)?;
    let mut rows = basic_rows()?;
    if !options.basic {
        rows.push(bootstrap_row()?);
    }
    let mut table = Vec::new();
    for row in &rows {
        let mut cells = Vec::new();
        for (megabytes, is_seeded) in CARDS {
            let mut card = Card::published((megabytes * 1e6) as usize);
            card.tables = options.tables;
            card.expand_words = if is_seeded { options.expand } else { 0 };
            let how = CompileOptions { expand: is_seeded, ..CompileOptions::default() };
            let compiled = compile(&row.program, &card, &how).map_err(bad_input)?;
            let core = CoreOptions::of(&card, &compiled.image);
            let clocks = core_clocks(&compiled.image, &card, &core).clocks;
            cells.push(report(&row.program, &compiled, &card, &clocks));
        }
        table.push((row, cells));
    }
    let text = match options.format {
        TableFormat::Markdown => markdown(&table),
        TableFormat::Csv => csv(&table),
    };
    let object =
        json!(table.iter().map(|(row, cells)| json!({
        "operation": row.name, "published": row.published, "aims": row.aims, "count": row.count,
        "reports": cells,
    })).collect::<Vec<_>>());
    print(text.trim_end(), &object, json)
}

/// Those but the bootstrap, at N = 2¹⁶ with 44 residues.
fn basic_rows() -> Result<Vec<Row>, CommandError> {
    let parameters = Parameters::dry_preset("n16").map_err(bad_input)?;
    let level = parameters.fresh_level();
    let operations = Operations { multiply: true, rotations: vec![1], ..Operations::default() };
    let dry = DryServer::new(&parameters, &operations.keys_to_level(&parameters, level));
    let inputs = [(); 2].map(|()| dry.input(level, parameters.slots()));
    let (a, b) = (&inputs[0], &inputs[1]);
    let product = dry.record(&[a, b], &[], |server| Ok(vec![server.mul(a, b)?]));
    let rotation = dry.record(&[a], &[], |server| Ok(server.rotate_many(a, &[1])?));
    let rescale = dry.record(&[a], &[], |server| Ok(vec![server.rescale(a)?]));
    let product = product.map_err(bad_input)?.1;
    let rotation = rotation.map_err(bad_input)?.1;
    let rescale = rescale.map_err(bad_input)?.1;
    let (degree, primes) = (product.degree, product.primes.clone());
    let stream = |of: Basic| basic(of, degree, &primes, &Basis::new(0..44), STREAM);
    let row = |name, published, aims, count, program| Row {
        name,
        published,
        aims,
        count,
        is_time: false,
        program,
    };
    Ok(vec![
        row("HAdd, one polynomial, /s", 13_310.0, [13_294.0; 2], STREAM, stream(Basic::Add)),
        row("PMult, one polynomial, /s", 13_310.0, [13_294.0; 2], STREAM, stream(Basic::Multiply)),
        row("NTT, 44 limbs, /s", 12_474.0, [19_900.0; 2], STREAM, stream(Basic::Forward)),
        row("Rescale, /s", published::RESCALES, [8_700.0; 2], 1, rescale),
        row("Keyswitch, /s", 312.0, [1_090.0, 1_560.0], 1, without_automorphisms(&rotation)),
        row("Rotation, /s", published::ROTATIONS, [1_090.0, 1_560.0], 1, rotation),
        row("CMult, /s", published::PRODUCTS, [820.0, 1_230.0], 1, product),
    ])
}

/// The bootstrap of all slots with nine levels left.
fn bootstrap_row() -> Result<Row, CommandError> {
    let parameters = Parameters::dry_preset("n16-boot").map_err(bad_input)?;
    let slots = parameters.slots();
    let operations = Operations { bootstrap_slots: vec![slots], ..Operations::default() };
    let dry = DryServer::new(&parameters, &operations.keys_to_level(&parameters, 0));
    dry.server().prepare_bootstrap_of(slots).map_err(bad_input)?;
    let input = dry.input(0, slots);
    let recorded = dry.record(&[&input], &[], |server| Ok(vec![server.bootstrap(&input)?]));
    let program = recorded.map_err(bad_input)?.1;
    Ok(Row {
        name: "bootstrap, 2^15 slots, 9 levels left, ms",
        published: published::BOOTSTRAP_MS,
        aims: [70.0, 42.0],
        count: 1,
        is_time: true,
        program,
    })
}

impl Row {
    /// What a cell says: a rate, or milliseconds.
    fn figure(&self, report: &Report) -> f64 {
        match self.is_time {
            true => report.milliseconds / self.count as f64,
            false => 1e3 * self.count as f64 / report.milliseconds,
        }
    }

    /// What the units that work most would allow.
    fn roof(&self, report: &Report) -> f64 {
        let share = report.units.iter().map(|unit| unit.share).fold(0.0, f64::max);
        match self.is_time {
            true => self.figure(report) * share,
            false => self.figure(report) / share.max(1e-9),
        }
    }

    fn number(&self, figure: f64) -> String {
        match self.is_time {
            true => format!("{figure:.1}"),
            false => format!("{figure:.0}"),
        }
    }
}

fn title((megabytes, is_seeded): (f64, bool)) -> String {
    format!("{megabytes} MB{}", if is_seeded { ", seeds" } else { "" })
}

fn markdown(table: &[(&Row, Vec<Report>)]) -> String {
    let titles: Vec<String> = CARDS.iter().map(|card| format!("{}, model", title(*card))).collect();
    let mut text = format!(
        "| operation | published | aim 8.4 / 31.5 MB | {} |\n|---|---|---|{}\n",
        titles.join(" | "),
        "---|".repeat(CARDS.len())
    );
    for (row, reports) in table {
        let aims = row.aims.map(|aim| row.number(aim)).join(" / ");
        let cells = reports.iter().map(|report| {
            format!(
                "{} ({} binds, formula {})",
                row.number(row.figure(report)),
                report.binds,
                row.number(row.roof(report))
            )
        });
        let cells = cells.collect::<Vec<_>>().join(" | ");
        let published = row.number(row.published);
        let _ = writeln!(text, "| {} | {published} | {aims} | {cells} |", row.name);
    }
    text.push_str(
        "\nmodel: by the cycle model of the instruction stream; formula: what the unit that binds \
         would allow if it never waited.\n",
    );
    text
}

fn csv(table: &[(&Row, Vec<Report>)]) -> String {
    let mut text =
        "operation,card,published,aim,model,formula,binds,transform,product,memory\n".to_owned();
    for (row, reports) in table {
        for (card, report) in CARDS.iter().zip(reports) {
            let share = |name: &str| {
                let unit = report.units.iter().find(|unit| unit.unit == name);
                unit.map_or(0.0, |unit| unit.share)
            };
            let aim = row.aims[usize::from(card.0 > 10.0)];
            let _ = writeln!(
                text,
                "\"{}\",\"{}\",{},{},{},{},{},{:.3},{:.3},{:.3}",
                row.name,
                title(*card),
                row.number(row.published),
                row.number(aim),
                row.number(row.figure(report)),
                row.number(row.roof(report)),
                report.binds,
                share("transform"),
                share("product"),
                share("memory")
            );
        }
    }
    text
}
