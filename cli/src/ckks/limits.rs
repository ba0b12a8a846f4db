// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Options that are limited by the parameters: lengths of vectors, and bounds of values.

use halimede_ckks::{Bound, Parameters};

use super::messages::bad_input;
use crate::arguments::BoundOption;
use crate::error::CommandError;

/// Checks that the ring has room for a vector of the length that an option gives.
pub fn check_slots(
    option: &str,
    got: usize,
    parameters: &Parameters,
) -> Result<usize, CommandError> {
    let (name, limit) = (parameters.name(), parameters.slots());
    match got {
        _ if got <= limit => Ok(got),
        _ => Err(bad_input(format!("{option} {got}: a vector of {name} has 1 to {limit} values"))),
    }
}

/// Returns the bound that `--bound` declares for real or complex values, by default the bound of
/// the parameters.
pub fn declared_bound(
    option: Option<BoundOption>,
    is_real: bool,
    parameters: &Parameters,
) -> Result<Bound, CommandError> {
    match option.unwrap_or(BoundOption::Magnitude(parameters.default_bound())) {
        BoundOption::Magnitude(most) if is_real => Ok(Bound::real(most)),
        BoundOption::Magnitude(most) => Ok(Bound::complex(most)),
        BoundOption::Interval(low, high) if is_real => Ok(Bound::between(low, high)),
        BoundOption::Interval(low, high) => Err(bad_input(format!(
            "--bound {low},{high} is for real values, but these are complex: give the largest \
             absolute value, or a file without imaginary parts"
        ))),
    }
}
