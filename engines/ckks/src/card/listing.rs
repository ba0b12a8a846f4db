// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A stream for readers: a listing, and timelines as SVG and in Chrome's trace format.

use std::fmt::Write;

use serde_json::{json, Value};

use super::cycles::Clocks;
use super::image::Image;
use super::instruction::Command;
use super::isa::{Opcode, Unit};
use super::model::Card;

/// Returns the stream as text, with one numbered line for each word.
pub fn listing(image: &Image) -> String {
    let mut text = format!(
        "; N = 2^{}, radix 2^{}, {} slots, {} columns\n",
        image.log_degree, image.log_radix, image.slots, image.columns
    );
    for (number, prime) in image.primes.iter().enumerate() {
        let _ = writeln!(text, "; prime {number}: {prime} = {} * 2^17 + 1", prime >> 17);
    }
    let mut at = 0;
    for command in &image.commands {
        for (number, word) in std::iter::once(&command.head).chain(&command.terms).enumerate() {
            let indent = if number == 0 { "" } else { "  " };
            let _ = writeln!(text, "{at:6}  {indent}{word}");
            at += 1;
        }
    }
    let _ = writeln!(text, "{at:6}  {}", Opcode::End.name());
    text
}

/// Returns the timeline as a trace for Chrome and Perfetto, with times in microseconds.
pub fn chrome_trace(image: &Image, clocks: &Clocks, card: &Card) -> Value {
    let microseconds = |clocks: u64| 1e3 * card.milliseconds(clocks);
    let names = Unit::ALL[1..].iter().map(|unit| {
        json!({ "ph": "M", "name": "thread_name", "pid": 0, "tid": *unit as u8,
                "args": { "name": unit.name() } })
    });
    let events = image.commands.iter().zip(&clocks.spans).map(|(command, span)| {
        json!({
            "ph": "X", "name": command.head.opcode().name(), "pid": 0,
            "tid": command.head.opcode().unit() as u8,
            "ts": microseconds(span.start), "dur": microseconds(span.free - span.start),
            "args": { "instruction": command.head.to_string(), "terms": command.terms.len() },
        })
    });
    json!({ "traceEvents": names.chain(events).collect::<Vec<_>>() })
}

/// The width of the drawing, the height of a row, and the width of the labels, in pixels.
const WIDTH: f64 = 1600.0;
const ROW: f64 = 40.0;
const LEFT: f64 = 100.0;

/// Returns the timeline as SVG, with a row for each unit. Instructions less than a pixel apart are
/// merged.
pub fn svg(image: &Image, clocks: &Clocks, card: &Card) -> String {
    let scale = WIDTH / clocks.total.max(1) as f64;
    let height = ROW * 5.0 + 60.0;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0} {height:.0}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        LEFT + WIDTH + 20.0
    );
    for (row, unit) in Unit::ALL[1..].iter().enumerate() {
        let y = 10.0 + ROW * row as f64;
        let share = 100.0 * clocks.busy[*unit as usize] as f64 / clocks.total.max(1) as f64;
        let _ = writeln!(
            text,
            "<text x=\"4\" y=\"{:.0}\">{} {share:.0} %</text>",
            y + ROW / 2.0,
            unit.name()
        );
        for (opcode, from, to) in drawn(&image.commands, clocks, *unit, (1.0 / scale) as u64) {
            let (x, width) = (LEFT + from as f64 * scale, (to - from) as f64 * scale);
            let _ = writeln!(
                text,
                "<rect x=\"{x:.1}\" y=\"{y:.0}\" width=\"{:.1}\" height=\"{:.0}\" fill=\"{}\">\
                 <title>{} {from}-{to}</title></rect>",
                width.max(0.3),
                ROW - 6.0,
                color(opcode),
                opcode.name()
            );
        }
    }
    axis(&mut text, card.milliseconds(clocks.total), 10.0 + ROW * 5.0);
    text.push_str("</svg>\n");
    text
}

/// The rectangles of a unit: the instruction, its start and its end.
fn drawn(commands: &[Command], clocks: &Clocks, unit: Unit, pixel: u64) -> Vec<(Opcode, u64, u64)> {
    let own = commands.iter().zip(&clocks.spans);
    let own = own.filter(|(command, _)| command.head.opcode().unit() == unit);
    let mut all: Vec<(Opcode, u64, u64)> = Vec::new();
    for (command, span) in own {
        let opcode = command.head.opcode();
        match all.last_mut() {
            Some((last, _, to)) if *last == opcode && span.start <= *to + pixel => {
                *to = span.free.max(*to);
            }
            _ => all.push((opcode, span.start, span.free)),
        }
    }
    all
}

fn axis(text: &mut String, milliseconds: f64, y: f64) {
    for tick in 0..=10 {
        let part = f64::from(tick) / 10.0;
        let _ = writeln!(
            text,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{:.3} ms</text>",
            LEFT + part * WIDTH - 20.0 * part,
            y + 20.0,
            part * milliseconds
        );
    }
}

fn color(opcode: Opcode) -> &'static str {
    match opcode {
        Opcode::Load => "#4c78a8",
        Opcode::Store => "#e45756",
        Opcode::Factors => "#9ecae9",
        Opcode::Expand => "#72b7b2",
        Opcode::Ntt => "#54a24b",
        Opcode::Intt => "#88d27a",
        Opcode::Conv | Opcode::Whole => "#f58518",
        Opcode::Macp | Opcode::Mul => "#b279a2",
        Opcode::Scale | Opcode::Subscale => "#ffbf79",
        Opcode::Perm => "#9d755d",
        _ => "#bab0ac",
    }
}
