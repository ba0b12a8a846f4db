// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The results of both sides, as JSON or as a table.

use halimede_ckks::ring::LaneBackend;
use serde::Serialize;

use halimede_arith::EngineBackend;

use super::Turn;
use crate::comparison::median;
use crate::report::{json_lines, number_or_dash, BenchReport};

/// The target ratios: of the times, of the memory, of the keys.
const AIMS: [f64; 3] = [3.0, 2.2, 2.0];

/// Bootstraps of both sides.
#[derive(Clone, Debug, Serialize)]
pub struct BootstrapRecord {
    /// The engine.
    pub bench: &'static str,
    /// The case.
    pub case: &'static str,
    /// The processor's backend that ours used.
    pub backend: &'static str,
    /// The number of threads of each side.
    pub threads: usize,
    /// The number of processes of each side, in turns.
    pub turns: usize,
    /// The number of bootstraps of each process.
    pub bootstraps: usize,
    /// Our results.
    pub ours: Side,
    /// The peer's results, if it is available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theirs: Option<Side>,
    /// The reason why the peer is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without: Option<String>,
    /// Their time over ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// The target ratio of the times.
    pub aim: f64,
}

/// One side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    /// Its name and version.
    pub name: &'static str,
    /// log₂ of all moduli.
    pub log2_qp: f64,
    /// Levels of 40 bits after a bootstrap.
    pub levels: f64,
    /// Digits of a key switch.
    pub digits: f64,
    /// Median seconds of a bootstrap.
    pub seconds: f64,
    /// The seconds of each.
    pub all_seconds: Vec<f64>,
    /// log₂ of the mean error of a value, of the worst process.
    pub mean_error_log2: f64,
    /// log₂ of the largest error of a value, of the worst process.
    pub largest_error_log2: f64,
    /// The peak memory of a process in bytes, including its keys.
    pub peak_bytes: f64,
    /// The size of the evaluation keys in a file in bytes.
    pub key_bytes: f64,
}

impl Side {
    /// Summarizes the processes of a side; `None` without any.
    pub(super) fn of(name: &'static str, turns: &[Turn]) -> Option<Self> {
        let first = turns.first()?;
        let all_seconds: Vec<f64> =
            turns.iter().flat_map(|turn| &turn.ns).map(|ns| ns / 1e9).collect();
        let most = |of: fn(&Turn) -> f64| turns.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        Some(Self {
            name,
            log2_qp: first.log2_qp,
            levels: first.levels,
            digits: first.digits,
            seconds: median(all_seconds.clone()),
            all_seconds,
            mean_error_log2: most(|turn| turn.mean_error_log2),
            largest_error_log2: most(|turn| turn.largest_error_log2),
            peak_bytes: most(|turn| turn.peak_bytes),
            key_bytes: most(|turn| turn.key_bytes),
        })
    }
}

/// Returns the record of the results.
pub(super) fn record(
    threads: usize,
    turns: usize,
    bootstraps: usize,
    ours: Side,
    theirs: Option<Side>,
    without: Option<String>,
) -> BootstrapRecord {
    BootstrapRecord {
        bench: "ckks",
        case: "bootstrap of 2^15 values, N = 2^16",
        backend: LaneBackend::active().name(),
        threads,
        turns,
        bootstraps,
        ratio: theirs.as_ref().map(|theirs| theirs.seconds / ours.seconds),
        ours,
        theirs,
        without,
        aim: AIMS[0],
    }
}

/// Returns the report of a record: one line per figure, then the reason if the peer is missing.
///
/// # Errors
/// If the record cannot be serialized.
pub fn report(record: &BootstrapRecord) -> Result<BenchReport, String> {
    let BootstrapRecord { case, threads, backend, turns, bootstraps, .. } = record;
    let their_name = record.theirs.as_ref().map_or("no peer", |theirs| theirs.name);
    type Figure = fn(&Side) -> f64;
    let figures: [(&str, usize, Figure, Option<f64>); 8] = [
        ("median time, s", 2, |side| side.seconds, Some(AIMS[0])),
        ("levels of 40 bits left", 0, |side| side.levels, None),
        ("log2 of the mean error", 1, |side| side.mean_error_log2, None),
        ("log2 of the largest error", 1, |side| side.largest_error_log2, None),
        ("peak memory, GB", 1, |side| side.peak_bytes / 1e9, Some(AIMS[1])),
        ("evaluation keys, a file, GB", 2, |side| side.key_bytes / 1e9, Some(AIMS[2])),
        ("log2 QP", 0, |side| side.log2_qp, None),
        ("digits of a key switch", 0, |side| side.digits, None),
    ];
    let row = |(name, digits, of, aim): (&str, usize, Figure, Option<f64>)| {
        let ours = of(&record.ours);
        let theirs = record.theirs.as_ref().map(of);
        let ratio = theirs.filter(|_| aim.is_some()).map(|theirs| theirs / ours);
        let shown = |number: Option<f64>, digits: usize| {
            number.map_or_else(String::new, |number| format!("{number:.digits$}"))
        };
        let theirs = number_or_dash(theirs, digits);
        vec![name.to_owned(), format!("{ours:.digits$}"), theirs, shown(ratio, 2), shown(aim, 1)]
    };
    Ok(BenchReport {
        name: "ckks-bootstrap",
        caption: format!(
            "{case}; threads {threads}, {backend}; {turns} processes of each side in turns, \
             {bootstraps} bootstraps each."
        ),
        columns: ["figure", "ours", their_name, "ratio", "aim"].map(str::to_owned).to_vec(),
        rows: figures.into_iter().map(row).collect(),
        notes: record.without.iter().map(|reason| format!("Without Lattigo: {reason}")).collect(),
        json: json_lines(std::slice::from_ref(record))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(seconds: &[f64], error: f64, gigabytes: f64) -> Turn {
        Turn {
            log2_qp: 1717.0,
            levels: 9.0,
            digits: 4.0,
            ns: seconds.iter().map(|seconds| seconds * 1e9).collect(),
            mean_error_log2: error - 2.0,
            largest_error_log2: error,
            peak_bytes: gigabytes * 1e9,
            key_bytes: gigabytes * 5e8,
        }
    }

    #[test]
    fn a_side_is_the_median_of_its_times_and_the_worst_of_the_rest() {
        let side = Side::of("x", &[turn(&[5.0, 7.0], -21.0, 8.0), turn(&[6.0], -20.5, 7.5)]);
        let side = side.unwrap();
        assert_eq!((side.seconds, &side.all_seconds[..]), (6.0, &[5.0, 7.0, 6.0][..]));
        assert_eq!((side.mean_error_log2, side.largest_error_log2), (-22.5, -20.5));
        assert_eq!((side.peak_bytes, side.key_bytes), (8e9, 4e9));
        assert_eq!(Side::of("x", &[]), None);
    }

    #[test]
    fn tables_have_both_sides_or_say_why_not() {
        let ours = Side::of("halimede", &[turn(&[6.0], -21.0, 8.0)]).unwrap();
        let theirs = Side::of("peer 1", &[turn(&[21.0], -21.5, 18.0)]);
        let both = record(2, 3, 1, ours.clone(), theirs, None);
        assert_eq!(both.ratio, Some(3.5));
        let text = report(&both).unwrap().text();
        let words = |name: &str| -> Vec<String> {
            let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.split_whitespace().map(str::to_owned).collect()
        };
        assert_eq!(words("median time, s"), ["6.00", "21.00", "3.50", "3.0"]);
        assert_eq!(words("peak memory, GB"), ["8.0", "18.0", "2.25", "2.2"]);
        assert_eq!(words("log2 of the largest error"), ["-21.0", "-21.5"]);
        let alone = record(1, 3, 1, ours, None, Some("go: not found".to_owned()));
        let text = report(&alone).unwrap().text();
        let line = text.lines().find(|line| line.starts_with("median")).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words, ["median", "time,", "s", "6.00", "-", "3.0"]);
        assert!(text.ends_with("Without Lattigo: go: not found\n"), "{text}");
        let json = serde_json::to_value(&alone).unwrap();
        assert!(json.get("theirs").is_none() && json["ours"]["levels"] == 9.0, "{json}");
    }
}
