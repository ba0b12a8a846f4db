// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `ckks-card explore`: the cost of an operation on cards of many sizes.

mod page;

use std::fmt::Write;

use halimede_ckks::card::isa::Unit;
use halimede_ckks::card::{compile, core_clocks, products, report, Card};
use halimede_ckks::card::{CompileOptions, CoreOptions};
use halimede_ckks::params::{SecretKind, SecurityLevel};
use halimede_ckks::Parameters;
use indicatif::ProgressBar;
use rayon::prelude::*;
use serde::Serialize;
use serde_json::json;

use crate::compile::card;
use crate::options::{CardSizeOptions, ExploreOptions, TracedOperation};
use crate::output::{print, text, write};
use crate::program::{recorded, recorded_with, Recorded};
use crate::published;

/// The largest number of points of one call.
const MOST_POINTS: usize = 10_000;

/// A card, and the cost of the operation on it.
#[derive(Clone, Debug, Serialize)]
struct Point {
    lanes: usize,
    radix: usize,
    columns: usize,
    scratchpad_mb: f64,
    partitions: usize,
    bandwidth_gb: f64,
    digits: usize,
    expand_words: usize,
    clock_mhz: f64,
    /// DSP48E2 and UltraRAM, by formula.
    multipliers: usize,
    ultra_memories: usize,
    /// The clocks of the core.
    clocks: u64,
    milliseconds: f64,
    conflicts: u64,
    /// The fractions of the clocks in which each unit accepts a row, a beat or a group.
    memory: f64,
    expand: f64,
    transform: f64,
    product: f64,
    sum: f64,
    binds: &'static str,
    memory_bytes: usize,
    /// The number of modular products, and the products per second that the multipliers allow.
    products: u64,
    peak_products: f64,
    /// True if no other point needs less time, multipliers and UltraRAM at once.
    is_front: bool,
}

/// Returns the time of the published accelerator for an operation, in milliseconds.
fn published_ms(operation: TracedOperation, params: &str) -> Option<f64> {
    match (operation, params) {
        (TracedOperation::Cmult, "n16") => Some(1e3 / published::PRODUCTS),
        (TracedOperation::Rotation, "n16") => Some(1e3 / published::ROTATIONS),
        (TracedOperation::Rescale, "n16") => Some(1e3 / published::RESCALES),
        (TracedOperation::Bootstrap, "n16-boot") => Some(published::BOOTSTRAP_MS),
        _ => None,
    }
}

/// Compiles the operation for all cards, and writes the requested files.
pub fn run(options: &ExploreOptions, json: bool) -> Result<(), String> {
    let named = recorded(&options.program)?;
    let own_digits = named.parameters.shape().digits();
    let title = format!(
        "{} with {} at level {}",
        options.program.operation.name(),
        named.parameters.name(),
        named.level
    );
    let digits = if options.digits.is_empty() { vec![own_digits] } else { options.digits.clone() };
    let sizes = sizes(options)?;
    let count = sizes.len() * digits.len();
    if count > MOST_POINTS {
        return Err(format!("{count} points: at most {MOST_POINTS}"));
    }
    let progress = ProgressBar::new(count as u64);
    let (mut points, mut unfit) = (Vec::new(), Vec::new());
    for digits in digits {
        let other;
        let program = if digits == own_digits {
            &named
        } else {
            other = with_digits(&named.parameters, digits, options)?;
            &other
        };
        let tried = sizes.par_iter().map(|size| {
            let point = point(program, digits, size);
            progress.inc(1);
            point
        });
        for (size, point) in sizes.iter().zip(tried.collect::<Vec<_>>()) {
            match point {
                Ok(point) => points.push(point),
                Err(error) => unfit.push(json!({
                    "lanes": 1 << size.log_lanes, "radix": 1 << size.log_radix,
                    "columns": size.columns, "scratchpad_bytes": size.scratchpad_bytes,
                    "digits": digits, "reason": error,
                })),
            }
        }
    }
    progress.finish_and_clear();
    if points.is_empty() {
        let reason = unfit.first().map_or("no points".to_owned(), |one| one["reason"].to_string());
        return Err(format!("no card runs it: {reason}"));
    }
    mark_front(&mut points);
    let published = published_ms(options.program.operation, &options.program.params);
    if let Some(path) = &options.csv {
        write(path, csv(&points).as_bytes())?;
    }
    if let Some(path) = &options.html {
        write(path, page::html(&title, &points, published, unfit.len()).as_bytes())?;
    }
    let object = json!({
        "operation": options.program.operation.name(), "parameters": named.parameters.name(),
        "level": named.level, "points": points, "unfit": unfit, "published_ms": published,
    });
    print(&front(&title, &points, unfit.len()), &object, json)
}

/// Records the program with keys of another number of digits.
fn with_digits(
    named: &Parameters,
    digits: usize,
    options: &ExploreOptions,
) -> Result<Recorded, String> {
    let shape = named.shape().clone().with_digits(digits);
    let parameters = match named.security() {
        Some(_) => Parameters::dry(shape, SecretKind::Ternary, SecurityLevel::Bits128),
        None => Parameters::insecure(shape, SecretKind::Ternary).map(|found| found.to_dry()),
    };
    let parameters = parameters.map_err(|error| format!("--digits {digits}: {error}"))?;
    recorded_with(parameters, &options.program)
}

/// Returns all cards.
fn sizes(options: &ExploreOptions) -> Result<Vec<Card>, String> {
    let any = CardSizeOptions {
        lanes: 0,
        radix: None,
        columns: 0,
        tables: 2,
        scratchpad: 0.0,
        partitions: 0,
        bandwidth: 0.0,
        clock: options.clock,
        expand: 0,
    };
    let mut all = vec![any];
    all = varied(&all, &options.lanes, |size, lanes| size.lanes = lanes);
    all = varied(&all, &options.radix, |size, radix| size.radix = Some(radix));
    all = varied(&all, &options.columns, |size, columns| size.columns = columns);
    all = varied(&all, &options.scratchpad, |size, scratchpad| size.scratchpad = scratchpad);
    all = varied(&all, &options.partitions, |size, partitions| size.partitions = partitions);
    all = varied(&all, &options.bandwidth, |size, bandwidth| size.bandwidth = bandwidth);
    all = varied(&all, &options.expand, |size, expand| size.expand = expand);
    all.iter().map(card).collect()
}

/// Combines each size with each of the values.
fn varied<T: Copy>(
    sizes: &[CardSizeOptions],
    values: &[T],
    set: impl Fn(&mut CardSizeOptions, T),
) -> Vec<CardSizeOptions> {
    let with = |size: &CardSizeOptions, value: T| {
        let mut size = size.clone();
        set(&mut size, value);
        size
    };
    sizes.iter().flat_map(|size| values.iter().map(move |value| with(size, *value))).collect()
}

fn point(recorded: &Recorded, digits: usize, card: &Card) -> Result<Point, String> {
    let program = &recorded.program;
    let how = CompileOptions { expand: card.expand_words > 0, ..CompileOptions::default() };
    let compiled = compile(program, card, &how).map_err(text)?;
    let image = &compiled.image;
    let core = core_clocks(image, card, &CoreOptions::of(card, image));
    let report = report(program, &compiled, card, &core.clocks);
    let share = |unit: Unit| core.clocks.busy[unit as usize] as f64 / core.clocks.total as f64;
    Ok(Point {
        lanes: 1 << card.log_lanes,
        radix: 1 << card.log_radix,
        columns: card.columns,
        scratchpad_mb: card.scratchpad_bytes as f64 / 1e6,
        partitions: 1 << card.log_partitions,
        bandwidth_gb: card.bytes_per_second / 1e9,
        digits,
        expand_words: card.expand_words,
        clock_mhz: card.clock_mhz,
        multipliers: card.multipliers(),
        ultra_memories: card.ultra_memories(),
        clocks: core.clocks.total,
        milliseconds: card.milliseconds(core.clocks.total),
        conflicts: core.conflicts,
        memory: share(Unit::Memory),
        expand: share(Unit::Expand),
        transform: share(Unit::Transform),
        product: share(Unit::Product),
        sum: share(Unit::Sum),
        binds: report.binds,
        memory_bytes: report.traffic.total(),
        products: image.commands.iter().map(|command| products(command, program.degree)).sum(),
        peak_products: card.products_per_clock() as f64 * card.clock_mhz * 1e6,
        is_front: false,
    })
}

/// Marks the Pareto-optimal points.
fn mark_front(points: &mut [Point]) {
    let sizes: Vec<_> = points
        .iter()
        .map(|point| (point.milliseconds, point.multipliers as f64, point.ultra_memories as f64))
        .collect();
    for (point, own) in points.iter_mut().zip(&sizes) {
        let is_better = |other: &(f64, f64, f64)| {
            other != own && other.0 <= own.0 && other.1 <= own.1 && other.2 <= own.2
        };
        point.is_front = !sizes.iter().any(is_better);
    }
}

/// Returns the cells of a point's line, with their headings.
fn cells(one: &Point) -> [(&'static str, String); 23] {
    let share = |part: f64| format!("{part:.4}");
    [
        ("lanes", one.lanes.to_string()),
        ("radix", one.radix.to_string()),
        ("columns", one.columns.to_string()),
        ("scratchpad_mb", one.scratchpad_mb.to_string()),
        ("partitions", one.partitions.to_string()),
        ("bandwidth_gb", one.bandwidth_gb.to_string()),
        ("digits", one.digits.to_string()),
        ("expand_words", one.expand_words.to_string()),
        ("clock_mhz", one.clock_mhz.to_string()),
        ("multipliers", one.multipliers.to_string()),
        ("ultra_memories", one.ultra_memories.to_string()),
        ("clocks", one.clocks.to_string()),
        ("milliseconds", format!("{:.6}", one.milliseconds)),
        ("conflicts", one.conflicts.to_string()),
        ("memory", share(one.memory)),
        ("expand", share(one.expand)),
        ("transform", share(one.transform)),
        ("product", share(one.product)),
        ("sum", share(one.sum)),
        ("binds", one.binds.to_owned()),
        ("memory_bytes", one.memory_bytes.to_string()),
        ("products", one.products.to_string()),
        ("front", u8::from(one.is_front).to_string()),
    ]
}

fn csv(points: &[Point]) -> String {
    let mut text = String::new();
    if let Some(first) = points.first() {
        let _ = writeln!(text, "{}", cells(first).map(|(heading, _)| heading).join(","));
    }
    for point in points {
        let _ = writeln!(text, "{}", cells(point).map(|(_, cell)| cell).join(","));
    }
    text
}

/// Formats the Pareto front, the fastest point first.
fn front(title: &str, points: &[Point], unfit: usize) -> String {
    let mut front: Vec<&Point> = points.iter().filter(|point| point.is_front).collect();
    front.sort_by(|a, b| a.milliseconds.total_cmp(&b.milliseconds));
    let mut text = format!(
        "{title}: {} of {} points that no other beats in time, DSP and UltraRAM at once\n\
         {:>9} {:>6} {:>6} {:>5} {:>7} {:>6} {:>10} {:>6} {:>6} {:>7} {:>6}  binds\n",
        front.len(),
        points.len(),
        "ms",
        "DSP",
        "URAM",
        "lanes",
        "columns",
        "MB",
        "partitions",
        "GB/s",
        "digits",
        "expand",
        "radix"
    );
    for one in front {
        let _ = writeln!(
            text,
            "{:>9.4} {:>6} {:>6} {:>5} {:>7} {:>6.1} {:>10} {:>6.0} {:>6} {:>7} {:>6}  {}",
            one.milliseconds,
            one.multipliers,
            one.ultra_memories,
            one.lanes,
            one.columns,
            one.scratchpad_mb,
            one.partitions,
            one.bandwidth_gb,
            one.digits,
            one.expand_words,
            one.radix,
            one.binds
        );
    }
    if unfit > 0 {
        let _ = writeln!(text, "{unfit} cards cannot run it (--json says why)");
    }
    text.trim_end().to_owned()
}
