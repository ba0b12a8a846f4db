// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Code that the examples share.

pub mod images;

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use halimede_ckks::circuit::Step;
use halimede_ckks::params::{BootstrapShape, SecretKind};
use halimede_ckks::Parameters;

/// Returns a parameter set by its name, or one of N = 2^16 with these levels and digits.
pub fn parameters(name: &str) -> Result<Parameters, Box<dyn Error>> {
    let Some((levels, digits)) = name.split_once(',') else {
        return Ok(Parameters::preset(name)?);
    };
    let shape = BootstrapShape::new(16, levels.parse()?, digits.parse()?);
    Ok(Parameters::new(shape, SecretKind::Ternary)?)
}

/// Returns the processor time of this process's threads in seconds, if the system reports it.
pub fn processor_s() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the name, which may contain spaces: user and system time are 12th and 13th.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks: Vec<f64> =
        fields.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse().ok()).collect();
    // Linux reports ticks of 10 ms on all machines.
    Some(ticks.iter().sum::<f64>() / 100.0)
}

/// Processor time of all threads, by kind of step.
pub struct Times {
    last: f64,
    /// The number of steps of each kind, and their seconds.
    by_kind: BTreeMap<String, (usize, f64)>,
}

impl Times {
    pub fn new() -> Self {
        Self { last: seconds_so_far(), by_kind: BTreeMap::new() }
    }

    /// Adds the time since the last step to a step's kind.
    pub fn add(&mut self, step: &Step) {
        let kind = format!("{} to level {}", kind_of(&step.description()), step.level());
        let now = seconds_so_far();
        let (count, seconds) = self.by_kind.entry(kind).or_default();
        *count += 1;
        *seconds += now - self.last;
        self.last = now;
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut kinds: Vec<_> = self.by_kind.iter().collect();
        kinds.sort_by(|(_, (_, one)), (_, (_, other))| other.total_cmp(one));
        let line = |(kind, (count, seconds)): (&String, &(usize, f64))| {
            format!("{seconds:7.2} s in {count} of: {kind}")
        };
        let all: f64 = self.by_kind.values().map(|(_, seconds)| seconds).sum();
        let lines = kinds.into_iter().map(line).collect::<Vec<_>>().join("\n");
        write!(f, "{lines}\n{all:7.2} s in all steps")
    }
}

/// Returns a step's description without numbers.
fn kind_of(description: &str) -> &str {
    description.split(|letter: char| letter.is_ascii_digit()).next().unwrap_or_default().trim()
}

/// Returns the processor time so far; 0 if the system does not report it.
fn seconds_so_far() -> f64 {
    processor_s().unwrap_or_default()
}
