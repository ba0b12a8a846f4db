// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A process that answers each line with one line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError};
use std::time::Duration;

/// The time limit of an answer: keys and bootstraps take a minute on an idle machine.
const LIMIT: Duration = Duration::from_secs(900);

/// Either side of a comparison in a separate process.
pub struct Process {
    name: &'static str,
    child: Child,
    input: ChildStdin,
    lines: Receiver<std::io::Result<String>>,
}

impl Process {
    /// Starts a program and waits until it is ready; returns its first line.
    ///
    /// # Errors
    /// If it does not start or does not report that it is ready.
    pub fn start(name: &'static str, command: &mut Command) -> Result<(Self, String), String> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{name}: {error}"))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| format!("{name}'s process has no pipes"))?;
        let mut process = Self { name, child, input, lines: lines_of(output) };
        let line = process.line()?;
        match line.strip_prefix("ready ") {
            Some(figures) => Ok((process, figures.to_owned())),
            None => Err(format!("{name} said {line:?} instead of that it is ready")),
        }
    }

    /// Sends a line and returns the numbers of the answer.
    ///
    /// # Errors
    /// If the process ended, takes too long or answers anything else.
    pub fn ask<const COUNT: usize>(&mut self, question: &str) -> Result<[f64; COUNT], String> {
        writeln!(self.input, "{question}").map_err(|error| format!("{}: {error}", self.name))?;
        let answer = self.line()?;
        numbers(&answer).ok_or_else(|| format!("{} said {answer:?} to {question:?}", self.name))
    }

    fn line(&mut self) -> Result<String, String> {
        let name = self.name;
        match self.lines.recv_timeout(LIMIT) {
            Ok(line) => line.map_err(|error| format!("{name}: {error}")),
            Err(RecvTimeoutError::Timeout) => {
                Err(format!("{name} said nothing for {} seconds", LIMIT.as_secs()))
            }
            Err(RecvTimeoutError::Disconnected) => Err(match self.child.wait() {
                Ok(status) => format!("{name}'s process ended: {status}"),
                Err(error) => format!("{name}'s process ended: {error}"),
            }),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process also ends with its input; nothing is lost.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Parses `COUNT` numbers, separated by spaces.
pub fn numbers<const COUNT: usize>(line: &str) -> Option<[f64; COUNT]> {
    let number = |word: &str| word.parse::<f64>().ok().filter(|number| number.is_finite());
    let all: Option<Vec<f64>> = line.split_whitespace().map(number).collect();
    all?.try_into().ok()
}

/// Returns the lines, which a thread reads, so that waiting for them can have a time limit.
fn lines_of(output: ChildStdout) -> Receiver<std::io::Result<String>> {
    let (sender, lines) = sync_channel(1);
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines() {
            if sender.send(line).is_err() {
                return; // the receiver is gone
            }
        }
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Result<(Process, String), String> {
        Process::start("sh", Command::new("sh").args(["-c", script]))
    }

    #[test]
    fn lines_are_answered_by_numbers() {
        let script = "echo ready 1717.5 9; while read a b; do echo $b $a; done";
        let (mut process, figures) = shell(script).unwrap();
        assert_eq!(numbers(&figures), Some([1717.5, 9.0]));
        for (a, b) in [(3, 5), (-7, 11)] {
            let answer = process.ask(&format!("{a} {b}")).unwrap();
            assert_eq!(answer, [f64::from(b), f64::from(a)]);
        }
        let error = process.ask::<1>("1 2").unwrap_err();
        assert_eq!(error, "sh said \"2 1\" to \"1 2\"");
    }

    #[test]
    fn what_went_wrong_is_said() {
        assert!(shell("echo no").err().unwrap().contains("\"no\" instead of"));
        assert!(shell("exit 7").err().unwrap().contains("exit status: 7"));
        let (mut process, _) = shell("echo ready 1; read a; kill -9 $$").unwrap();
        assert!(process.ask::<1>("keys").unwrap_err().contains("signal: 9"));
        let none = Process::start("none", &mut Command::new("/nowhere/none"));
        assert!(none.err().unwrap().starts_with("none: "));
        for line in ["", "1", "1 2 3", "1 x", "1 nan", "1 inf"] {
            assert_eq!(numbers::<2>(line), None, "{line}");
        }
    }
}
