// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes results into a Markdown document, one block for each benchmark and machine.
//!
//! A block lies between two comments, `<!-- begin NAME on MACHINE -->` and the same with `end`. A
//! run replaces the block of its machine. A machine without a block gets one after the last block
//! of the benchmark, or at the end of the document.

use std::io::Write;
use std::path::Path;

use halimede_files::Options;
use time::OffsetDateTime;

use crate::report::BenchReport;

/// The machine, the date and the command of a measurement.
#[derive(Clone, Debug)]
pub struct Run {
    /// The processor and the number of cores.
    pub machine: String,
    /// The day, e.g. `2026-11-22`.
    pub date: String,
    /// The command, without its `--markdown`.
    pub command: String,
}

impl Run {
    /// Describes this process on this machine; `machine` overrides the name of the processor.
    pub fn here(machine: Option<String>) -> Self {
        let command = command(std::env::args().skip(1));
        let date = OffsetDateTime::now_utc().date().to_string();
        Self { machine: machine.unwrap_or_else(this_machine), date, command }
    }
}

/// The processor's name and the number of cores that this process may use.
fn this_machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let described = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = processor_name(&described).unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    format!("{name}, {cores} cores")
}

/// The first `model name`, without marks of registration.
fn processor_name(described: &str) -> Option<String> {
    let line = described.lines().find(|line| line.starts_with("model name"))?;
    let (_, name) = line.split_once(':')?;
    let plain = name.replace("(R)", "").replace("(TM)", "");
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    (!plain.is_empty()).then_some(plain)
}

/// Returns the command line without the options that only select the output.
fn command(arguments: impl Iterator<Item = String>) -> String {
    let mut words = vec!["halimede-bench".to_owned()];
    let mut is_value = false;
    for argument in arguments {
        let is_place = ["--markdown", "--machine"].contains(&argument.as_str());
        let has_value =
            ["--markdown=", "--machine="].iter().any(|start| argument.starts_with(start));
        if !std::mem::replace(&mut is_value, is_place) && !is_place && !has_value {
            words.push(argument);
        }
    }
    words.join(" ")
}

/// Writes the reports into a document, which need not exist.
///
/// # Errors
/// If the file cannot be read or written, or if a block in it has no end.
pub fn write(path: &Path, reports: &[BenchReport], run: &Run) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let mut document = match std::fs::read_to_string(path) {
        Ok(document) => document,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failed(&error)),
    };
    for report in reports {
        document = with_block(&document, report, run).map_err(|error| failed(&error))?;
    }
    let mut output =
        halimede_files::create(path, &Options::default()).map_err(|error| failed(&error))?;
    output.write_all(document.as_bytes()).map_err(|error| failed(&error))?;
    output.complete().map_err(|error| failed(&error))
}

/// Returns the document with the report's block, which replaces the block of the same machine.
fn with_block(document: &str, report: &BenchReport, run: &Run) -> Result<String, String> {
    let Run { machine, date, command } = run;
    let begin = format!("<!-- begin {} on {machine} -->\n", report.name);
    let end = format!("<!-- end {} on {machine} -->\n", report.name);
    let table = report.markdown();
    let block = format!("{begin}**{machine}**, {date}, `{command}`. {table}{end}");
    if let Some((before, rest)) = document.split_once(&begin) {
        let (_, after) = rest.split_once(&end).ok_or(format!("no {:?}", end.trim_end()))?;
        return Ok(format!("{before}{block}{after}"));
    }
    let last = format!("<!-- end {} on ", report.name);
    let place = match document.rfind(&last) {
        Some(start) => document[start..].find('\n').map_or(document.len(), |n| start + n + 1),
        None => document.len(),
    };
    let (before, after) = document.split_at(place);
    let gap = if before.is_empty() || before.ends_with("\n\n") { "" } else { "\n" };
    Ok(format!("{before}{gap}{block}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(machine: &str) -> Run {
        let [machine, date, command] = [machine, "2026-11-22", "halimede-bench x"].map(Into::into);
        Run { machine, date, command }
    }

    fn report(name: &'static str, cell: &str) -> BenchReport {
        BenchReport {
            name,
            caption: "Medians".into(),
            columns: vec!["ours".into()],
            rows: vec![vec![cell.into()]],
            notes: Vec::new(),
            json: Vec::new(),
        }
    }

    #[test]
    fn a_second_run_replaces_the_block_of_its_machine_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("benchmarks.md");
        std::fs::write(&path, "# Title\n").unwrap();
        write(&path, &[report("x", "1.5"), report("y", "2.5")], &run("A, 2 cores")).unwrap();
        write(&path, &[report("x", "3.5")], &run("B, 4 cores")).unwrap();
        let first = std::fs::read_to_string(&path).unwrap();
        let places =
            ["# Title", "begin x on A,", "1.5", "begin x on B,", "3.5", "begin y on A,", "2.5"]
                .map(|part| first.find(part).unwrap());
        assert!(places.is_sorted(), "{first}");
        write(&path, &[report("x", "4.5")], &run("A, 2 cores")).unwrap();
        let second = std::fs::read_to_string(&path).unwrap();
        assert_eq!(second, first.replace("1.5", "4.5"));
    }

    #[test]
    fn a_block_without_an_end_is_an_error() {
        let document = "<!-- begin x on A -->\n| 1 |\n<!-- end x on B -->\n";
        let error = with_block(document, &report("x", "2"), &run("A")).unwrap_err();
        assert!(error.contains("end x on A"), "{error}");
    }

    #[test]
    fn the_command_is_told_without_where_results_go() {
        let arguments = ["all", "--markdown", "a.md", "--rounds", "5", "--machine=My machine"];
        let told = command(arguments.into_iter().map(str::to_owned));
        assert_eq!(told, "halimede-bench all --rounds 5");
    }

    #[test]
    fn processors_are_named_plainly() {
        let text = "processor\t: 0\nmodel name\t: Intel(R) Xeon(R)  6 @ 2.6GHz\nmodel name\t: x\n";
        assert_eq!(processor_name(text).as_deref(), Some("Intel Xeon 6 @ 2.6GHz"));
        assert_eq!(processor_name("model name\t:  \n"), None);
        assert_eq!(processor_name("processor : 0"), None);
    }
}
