// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the examples have in common.

use std::error::Error;

use halimede_ckks::params::{BootstrapShape, SecretKind};
use halimede_ckks::Parameters;

/// A parameter set by its name, or one of N = 2^16 with these levels and digits.
pub fn parameters(name: &str) -> Result<Parameters, Box<dyn Error>> {
    let Some((levels, digits)) = name.split_once(',') else {
        return Ok(Parameters::preset(name)?);
    };
    let shape = BootstrapShape::new(16, levels.parse()?, digits.parse()?);
    Ok(Parameters::new(shape, SecretKind::Ternary)?)
}

/// Seconds that this process's threads have computed, where the system tells.
pub fn processor_s() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may have spaces: the times of the user and of the system are 12th and 13th.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks: Vec<f64> =
        fields.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse().ok()).collect();
    // Linux shows ticks of 10 ms on all machines.
    Some(ticks.iter().sum::<f64>() / 100.0)
}
