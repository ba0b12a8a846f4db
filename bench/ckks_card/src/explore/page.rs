// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The page of the explorer: one self-contained file.

use std::fmt::Write;

use super::Point;
use crate::output::escaped;
use crate::published;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 80.0;
const BOTTOM: f64 = 50.0;
const TOP: f64 = 15.0;
const COLORS: [&str; 6] = ["#1f77b4", "#d95f02", "#1b9e77", "#a6548f", "#b8860b", "#5b5f97"];
const UNITS: [(&str, &str); 5] = [
    ("memory", "#1f77b4"),
    ("expand", "#5b5f97"),
    ("transform", "#1b9e77"),
    ("product", "#d95f02"),
    ("sum", "#b8860b"),
];
/// The largest number of bars of the third drawing.
const MOST_BARS: usize = 24;

/// Returns the page of all points; `unfit` cards could not run the operation.
pub fn html(title: &str, points: &[Point], published_ms: Option<f64>, unfit: usize) -> String {
    let title = escaped(title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>\n{}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         <p>{} cards, each followed clock by clock. Time is the model's; multipliers (DSP48E2) and \
         UltraRAM are formulas; no clock rate is claimed, the one given is assumed.",
        include_str!("page.css"),
        points.len()
    );
    if unfit > 0 {
        let _ = write!(page, " {unfit} more cannot run it.");
    }
    page.push_str("</p>\n");
    let _ = write!(
        page,
        "<h2>Time against multipliers</h2>\n<p class=\"soft\">The line joins the points that no \
         other beats in time and multipliers. Colors are scratchpads.</p>\n{}",
        sizes(points, published_ms)
    );
    let _ = write!(
        page,
        "<h2>Roofline</h2>\n<p class=\"soft\">Modular products a second against products for each \
         byte of memory: below the slope memory binds, below the flat part multipliers do.</p>\n{}",
        roofline(points)
    );
    let _ = write!(
        page,
        "<h2>What the units do</h2>\n<p class=\"soft\">Milliseconds in which each unit works, of \
         the points on the front, the fastest first; units work side by side. The dark mark is the \
         whole time.</p>\n{}",
        bars(points)
    );
    page.push_str("<h2>All points</h2>\n");
    page.push_str(&table(points));
    let _ = writeln!(page, "<script>\n{}</script>\n</body>\n</html>", include_str!("page.js"));
    page
}

/// A logarithmic axis, which maps numbers to places.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// Creates an axis from the smallest to the largest number, with a margin.
    fn over(numbers: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let logs = numbers.filter(|number| *number > 0.0).map(f64::log10);
        let (low, high) =
            logs.fold((f64::MAX, f64::MIN), |(low, high), log| (low.min(log), high.max(log)));
        Self { low: low - 0.08, high: high + 0.08, from, to }
    }

    fn at(&self, number: f64) -> f64 {
        let share = (number.log10() - self.low) / (self.high - self.low);
        self.from + share * (self.to - self.from)
    }

    /// Returns 1, 2 and 5 times powers of ten in its range.
    fn ticks(&self) -> Vec<f64> {
        let powers = self.low.floor() as i32..=self.high.ceil() as i32;
        let all = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|of| of * 10f64.powi(power)));
        all.filter(|tick| (self.low..=self.high).contains(&tick.log10())).collect()
    }
}

/// Formats a number with an SI prefix.
fn short(number: f64) -> String {
    let (scaled, prefix) = match number {
        n if n >= 1e12 => (n / 1e12, "T"),
        n if n >= 1e9 => (n / 1e9, "G"),
        n if n >= 1e6 => (n / 1e6, "M"),
        n if n >= 1e4 => (n / 1e3, "k"),
        n => (n, ""),
    };
    let digits = usize::from(scaled < 10.0) + usize::from(scaled < 1.0) + usize::from(scaled < 0.1);
    let text = format!("{scaled:.digits$}");
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{prefix}")
}

fn open(height: f64, label: &str) -> String {
    format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{label}\">\n")
}

/// Draws both axes with their ticks and names.
fn axes(text: &mut String, x: &Axis, y: &Axis, names: [&str; 2]) {
    for tick in x.ticks() {
        let at = x.at(tick);
        let _ = writeln!(
            text,
            "<line class=\"axis\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{:.0}\"/>\
             <text x=\"{at:.1}\" y=\"{:.0}\" text-anchor=\"middle\">{}</text>",
            HEIGHT - BOTTOM,
            HEIGHT - BOTTOM + 18.0,
            short(tick)
        );
    }
    for tick in y.ticks() {
        let at = y.at(tick);
        let _ = writeln!(
            text,
            "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            at + 4.0,
            short(tick)
        );
    }
    let _ = writeln!(
        text,
        "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{}</text>\
         <text x=\"{:.0}\" y=\"16\" transform=\"rotate(-90)\" text-anchor=\"middle\">{}</text>",
        (LEFT + WIDTH) / 2.0,
        HEIGHT - 8.0,
        names[0],
        -(HEIGHT - BOTTOM) / 2.0,
        names[1]
    );
}

fn about(point: &Point) -> String {
    format!(
        "{:.4} ms, {} DSP, {} UltraRAM: {} lanes, radix {}, {} columns, {:.1} MB in {} partitions, \
         {:.0} GB/s, {} digits, {} words expanded; {} binds",
        point.milliseconds,
        point.multipliers,
        point.ultra_memories,
        point.lanes,
        point.radix,
        point.columns,
        point.scratchpad_mb,
        point.partitions,
        point.bandwidth_gb,
        point.digits,
        point.expand_words,
        point.binds
    )
}

/// Returns the sizes of scratchpads, each with its own color.
fn scratchpads(points: &[Point]) -> Vec<(f64, &'static str)> {
    let mut sizes: Vec<f64> = points.iter().map(|one| one.scratchpad_mb).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    sizes.into_iter().zip(COLORS.into_iter().cycle()).collect()
}

fn color(points: &[Point], point: &Point) -> &'static str {
    let all = scratchpads(points);
    all.iter().find(|(size, _)| *size == point.scratchpad_mb).map_or(COLORS[0], |(_, color)| color)
}

/// Draws the legend of the colors.
fn legend(text: &mut String, points: &[Point]) {
    for (place, (size, color)) in scratchpads(points).iter().enumerate() {
        let y = TOP + 16.0 + 18.0 * place as f64;
        let x = WIDTH - 110.0;
        let _ = writeln!(
            text,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"{color}\"/>\
             <text x=\"{}\" y=\"{}\">{size:.1} MB</text>",
            x + 12.0,
            y + 4.0
        );
    }
}

fn circle(text: &mut String, points: &[Point], number: usize, (x, y): (f64, f64)) {
    let point = &points[number];
    let _ = writeln!(
        text,
        "<circle data-point=\"{number}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{}\" fill=\"{}\" \
         fill-opacity=\"{}\"><title>{}</title></circle>",
        if point.is_front { 6 } else { 4 },
        color(points, point),
        if point.is_front { 1.0 } else { 0.55 },
        escaped(&about(point))
    );
}

fn sizes(points: &[Point], published_ms: Option<f64>) -> String {
    let multipliers = points.iter().map(|point| point.multipliers as f64);
    let own = published_ms.map(|_| published::MULTIPLIERS as f64);
    let x = Axis::over(multipliers.chain(own), LEFT, WIDTH - 20.0);
    let times = points.iter().map(|point| point.milliseconds).chain(published_ms);
    let y = Axis::over(times, HEIGHT - BOTTOM, TOP);
    let mut text = open(HEIGHT, "Time against multipliers");
    axes(&mut text, &x, &y, ["multipliers (DSP48E2)", "milliseconds"]);
    let mut order: Vec<&Point> = points.iter().collect();
    order.sort_by_key(|point| (point.multipliers, point.clocks));
    let mut path = String::new();
    let mut least = f64::MAX;
    for point in order {
        if point.milliseconds < least {
            least = point.milliseconds;
            let verb = if path.is_empty() { 'M' } else { 'L' };
            let (x, y) = (x.at(point.multipliers as f64), y.at(point.milliseconds));
            let _ = write!(path, "{verb}{x:.1} {y:.1}");
        }
    }
    let _ = writeln!(text, "<path class=\"front\" d=\"{path}\"/>");
    for (number, point) in points.iter().enumerate() {
        let at = (x.at(point.multipliers as f64), y.at(point.milliseconds));
        circle(&mut text, points, number, at);
    }
    if let Some(time) = published_ms {
        let (x, y) = (x.at(published::MULTIPLIERS as f64), y.at(time));
        let _ = writeln!(
            text,
            "<path id=\"published\" d=\"M{:.1} {y:.1}l7 -7 7 7 -7 7z\" fill=\"#b2182b\">\
             <title>published (HPCA 2023): {time:.4} ms</title></path>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">published</text>",
            x - 7.0,
            x - 12.0,
            y + 4.0
        );
    }
    legend(&mut text, points);
    text.push_str("</svg>\n");
    text
}

fn roofline(points: &[Point]) -> String {
    let intensity = |point: &Point| point.products as f64 / point.memory_bytes as f64;
    let rate = |point: &Point| 1e3 * point.products as f64 / point.milliseconds;
    let x = Axis::over(points.iter().map(intensity), LEFT, WIDTH - 20.0);
    let peaks = points.iter().map(|point| point.peak_products);
    let y = Axis::over(points.iter().map(rate).chain(peaks), HEIGHT - BOTTOM, TOP);
    let mut text = open(HEIGHT, "Roofline");
    axes(
        &mut text,
        &x,
        &y,
        ["modular products for each byte of memory", "modular products a second"],
    );
    let mut roofs: Vec<(f64, f64)> =
        points.iter().map(|point| (point.peak_products, 1e9 * point.bandwidth_gb)).collect();
    roofs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    roofs.dedup();
    let ends = [10f64.powf(x.low), 10f64.powf(x.high)];
    for (peak, bandwidth) in roofs {
        let ridge = (peak / bandwidth).clamp(ends[0], ends[1]);
        let lowest = 10f64.powf(y.low);
        let corners =
            [ends[0], ridge, ends[1]].map(|of| (of, peak.min(of * bandwidth).max(lowest)));
        let path: Vec<String> = corners
            .iter()
            .map(|(of, rate)| format!("{:.1} {:.1}", x.at(*of), y.at(*rate)))
            .collect();
        let _ = writeln!(text, "<path class=\"roof\" d=\"M{}\"/>", path.join("L"));
    }
    for (number, point) in points.iter().enumerate() {
        circle(&mut text, points, number, (x.at(intensity(point)), y.at(rate(point))));
    }
    text.push_str("</svg>\n");
    text
}

fn bars(points: &[Point]) -> String {
    const BAR: f64 = 26.0;
    let mut front: Vec<usize> = (0..points.len()).filter(|one| points[*one].is_front).collect();
    front.sort_by_key(|one| points[*one].clocks);
    front.truncate(MOST_BARS);
    let parts =
        |point: &Point| [point.memory, point.expand, point.transform, point.product, point.sum];
    let whole = |point: &Point| point.milliseconds * parts(point).iter().sum::<f64>().max(1.0);
    let most = front.iter().map(|one| whole(&points[*one])).fold(0.0, f64::max);
    let left = 250.0;
    let scale = (WIDTH - left - 20.0) / most.max(1e-9);
    let height = BAR * front.len() as f64 + 40.0;
    let mut text = open(height, "Time of each unit");
    for (place, (name, color)) in UNITS.iter().enumerate() {
        let x = left + 110.0 * place as f64;
        let _ = writeln!(
            text,
            "<rect x=\"{x}\" y=\"6\" width=\"12\" height=\"12\" fill=\"{color}\"/>\
             <text x=\"{}\" y=\"17\">{name}</text>",
            x + 17.0
        );
    }
    for (row, number) in front.iter().enumerate() {
        let point = &points[*number];
        let y = 30.0 + BAR * row as f64;
        let _ = writeln!(
            text,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{} lanes, {} columns, {:.1} MB, {} ms\
             </text>",
            left - 8.0,
            y + 14.0,
            point.lanes,
            point.columns,
            point.scratchpad_mb,
            short(point.milliseconds)
        );
        let mut x = left;
        for (part, (name, color)) in parts(point).iter().zip(UNITS) {
            let width = part * point.milliseconds * scale;
            let _ = writeln!(
                text,
                "<rect data-point=\"{number}\" x=\"{x:.1}\" y=\"{y:.0}\" width=\"{width:.1}\" \
                 height=\"18\" fill=\"{color}\"><title>{name}: {:.0} %</title></rect>",
                100.0 * part
            );
            x += width;
        }
        let end = left + point.milliseconds * scale;
        let _ = writeln!(
            text,
            "<line x1=\"{end:.1}\" x2=\"{end:.1}\" y1=\"{:.0}\" y2=\"{:.0}\" \
             stroke=\"currentColor\" stroke-width=\"2\"/>",
            y - 2.0,
            y + 20.0
        );
    }
    text.push_str("</svg>\n");
    text
}

fn table(points: &[Point]) -> String {
    const HEADINGS: [&str; 13] = [
        "ms",
        "DSP",
        "UltraRAM",
        "lanes",
        "radix",
        "columns",
        "MB",
        "partitions",
        "GB/s",
        "digits",
        "expand",
        "conflicts",
        "binds",
    ];
    let mut text = "<p><label><input type=\"checkbox\" id=\"front\"> only those that no other \
                    beats in time, DSP and UltraRAM at once</label></p>\n<div class=\"table\">\
                    <table>\n<thead><tr>"
        .to_owned();
    for heading in HEADINGS {
        let _ = write!(text, "<th scope=\"col\"><button>{heading}</button></th>");
    }
    text.push_str("</tr></thead>\n<tbody>\n");
    for (number, point) in points.iter().enumerate() {
        let front = u8::from(point.is_front);
        let _ = write!(text, "<tr data-point=\"{number}\" data-front=\"{front}\">");
        let numbers = [
            (point.milliseconds, 4),
            (point.multipliers as f64, 0),
            (point.ultra_memories as f64, 0),
            (point.lanes as f64, 0),
            (point.radix as f64, 0),
            (point.columns as f64, 0),
            (point.scratchpad_mb, 1),
            (point.partitions as f64, 0),
            (point.bandwidth_gb, 0),
            (point.digits as f64, 0),
            (point.expand_words as f64, 0),
            (point.conflicts as f64, 0),
        ];
        for (number, digits) in numbers {
            let _ = write!(text, "<td data-value=\"{number}\">{number:.digits$}</td>");
        }
        let _ = writeln!(text, "<td data-value=\"{0}\">{0}</td></tr>", point.binds);
    }
    text.push_str("</tbody>\n</table></div>\n");
    text
}
