// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The errors of the engine, with advice in terms of the command line.

use std::fmt::Display;
use std::path::Path;

use halimede_arith::job::DeviceError;
use halimede_ckks::bootstrap::BootstrapError;
use halimede_ckks::circuit::CircuitError;
use halimede_ckks::encoding::EncodingError;
use halimede_ckks::executor::ExecutorError;
use halimede_ckks::parties::PartyError;
use halimede_ckks::polynomial::PolynomialError;
use halimede_ckks::{Bound, EvaluationError, FileError};
use halimede_ckks_nn::NetworkError;

use super::describe::bound_text;
use crate::error::CommandError;
use crate::file_kind::not_wanted;

/// The error of parameters without levels for a bootstrap.
pub const NO_BOOTSTRAP: &str =
    "the parameters have no levels for a bootstrap: use a parameter set with \"boot\" in its name, \
     or make one with `halimede ckks params --bootstrapping`";

/// Adds the path of a file to its error.
pub fn of_file(path: &Path) -> impl Fn(FileError) -> CommandError + '_ {
    move |error| match error {
        FileError::Io(source) => CommandError::File { path: path.to_path_buf(), source },
        // This error names the file itself.
        error @ FileError::Permissions { .. } => CommandError::BadInput(error.to_string()),
        error @ (FileError::Magic | FileError::Truncated { at: 0..8, .. }) => {
            not_wanted(path, "a file of CKKS", error)
        }
        error => CommandError::BadInput(format!("{}: {error}", path.display())),
    }
}

/// Adds the path of a file of a party, or of its messages, to the error of its content.
pub fn of_party_file(path: &Path) -> impl Fn(PartyError) -> CommandError + '_ {
    move |error| match error {
        PartyError::File(error) => of_file(path)(error),
        error => bad_input(format!("{}: {error}", path.display())),
    }
}

pub fn bad_input(error: impl Display) -> CommandError {
    CommandError::BadInput(error.to_string())
}

/// Converts an error of an executor: a device error, or bad input.
pub fn executor_error(error: ExecutorError) -> CommandError {
    match error {
        ExecutorError::Unavailable { executor: device, reason } => {
            DeviceError::Unavailable { device, reason }.into()
        }
        ExecutorError::Failed { executor: device, reason } => {
            DeviceError::Failed { device, request_index: 0, requests: 1, reason }.into()
        }
        ExecutorError::Circuit(error) => bad_input(circuit_text(&error)),
        error => bad_input(error),
    }
}

/// Explains why an expression cannot be planned or computed.
pub fn circuit_text(error: &CircuitError) -> String {
    match error {
        CircuitError::Step { what, reason } => format!("{what}: {}", circuit_text(reason)),
        CircuitError::Large => {
            "the levels are used up here, and the operands may be too large for a bootstrap: state \
             how large they are with bound(x, b) or within(x, low, high)"
                .to_owned()
        }
        CircuitError::Polynomial(error) => polynomial_text(error),
        CircuitError::Bootstrap(BootstrapError::Parameters) => NO_BOOTSTRAP.to_owned(),
        CircuitError::Encoding(EncodingError::Bound { bound }) => not_a_bound(*bound),
        other => other.evaluation().map_or_else(|| other.to_string(), evaluation_text),
    }
}

fn evaluation_text(error: &EvaluationError) -> String {
    match error {
        EvaluationError::Ragged { length, slots, .. } => format!(
            "partial sums need a vector whose length is a power of two, and this one has {length} \
             values: use sum(x) for the sum of all values, or encrypt {slots} values"
        ),
        EvaluationError::Batches { count, slots, .. } => {
            format!("sum(x, {count}) of a vector of {slots} values: expected 1 to {slots}")
        }
        EvaluationError::Room { bound, scale, got, limit, level } => format!(
            "{} need {got:.1} bits with the scale {scale}, and level {level} has room for \
             {limit:.1}: if the values are smaller, state it with within(x, low, high), bound(x, \
             b) or a smaller --bound of `encrypt`; otherwise compute at a higher level",
            bound_text(*bound)
        ),
        EvaluationError::Encoding(EncodingError::Bound { bound }) => not_a_bound(*bound),
        other => other.to_string(),
    }
}

fn polynomial_text(error: &PolynomialError) -> String {
    match error {
        PolynomialError::Outside { low, high, from, to } => format!(
            "values may range from {low} to {high}, but the function is approximated only from \
             {from} to {to}, and meaningless outside: give an interval that contains all values, \
             such as sin(x, {low}, {high}), or, if you know tighter limits, state them with \
             within(x, low, high)"
        ),
        PolynomialError::NotReal { magnitude } => format!(
            "functions need real values, but these are complex, with absolute values up to \
             {magnitude}: encrypt a file without imaginary parts, or, if you know that the values \
             are real, state it with within(x, low, high)"
        ),
        PolynomialError::Function { at } => format!(
            "the function is not finite at {at}, which is in the range of the values: if they are \
             never there, state it with within(x, low, high), or declare it with --bound LOW,HIGH \
             of `encrypt`"
        ),
        PolynomialError::Evaluation(error) => evaluation_text(error),
        other => other.to_string(),
    }
}

fn not_a_bound(bound: Bound) -> String {
    format!(
        "{} are not a bound: give a number from 0 on, or two numbers, the smaller one first",
        bound_text(bound)
    )
}

/// Explains why the values of a file cannot be encrypted. `place` is the file's word for the place
/// of a value.
pub fn encoding_text(error: &EncodingError, place: &str) -> String {
    match error {
        EncodingError::OutOfBound { index, value, bound, largest } => format!(
            "{place} {}: {value} is beyond the bound, {}: declare the range of the values with \
             --bound, which everybody can read in the ciphertext; the largest absolute value here \
             is {largest:?}",
            index + 1,
            bound_text(*bound)
        ),
        EncodingError::NotFinite { index, value } => {
            format!("{place} {}: {value}, but only finite numbers can be encrypted", index + 1)
        }
        EncodingError::TooLarge { got, limit, scale } => format!(
            "values within the bound need up to {got:.1} bits with the scale {scale}, and the \
             level has room for {limit:.1}: declare a smaller --bound, or use a higher --level"
        ),
        EncodingError::Bound { bound } => format!("--bound: {}", not_a_bound(*bound)),
        other => other.to_string(),
    }
}

/// Converts an error of a network; an invalid result becomes a failed check.
pub fn of_network(error: &NetworkError) -> CommandError {
    match error {
        NetworkError::Guard { .. } | NetworkError::WeightError { .. } => {
            CommandError::NotValid(error.to_string())
        }
        NetworkError::Unbounded { .. } => bad_input(format!("{error}: --error-at-least")),
        NetworkError::Circuit(error) => bad_input(circuit_text(error)),
        NetworkError::Executor(error) => executor_error(error.clone()),
        error => bad_input(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No message mentions a name that exists only in Rust.
    #[test]
    fn messages_are_of_the_command_line() {
        let bound = Bound::real(3.0);
        let encoding = [
            EncodingError::OutOfBound { index: 6, value: "4".into(), bound, largest: 5.0 },
            EncodingError::NotFinite { index: 6, value: "NaN".into() },
            EncodingError::Bound { bound: Bound::between(2.0, 1.0) },
        ];
        let circuit = CircuitError::Large;
        let evaluation = [
            EvaluationError::Batches { count: 5, batch: 1, slots: 4 }.into(),
            EvaluationError::Ragged { what: "inner_sum", length: 5, slots: 8 }.into(),
            CircuitError::Polynomial(PolynomialError::NotReal { magnitude: 2.0 }),
            CircuitError::Bootstrap(BootstrapError::Parameters),
            CircuitError::Polynomial(PolynomialError::Function { at: 0.0 }),
            CircuitError::Polynomial(PolynomialError::Outside {
                low: -3.0,
                high: 2.0,
                from: -1.0,
                to: 1.0,
            }),
            EvaluationError::Encoding(EncodingError::Bound { bound: Bound::complex(-1.0) }).into(),
            CircuitError::Step { what: "column 3".into(), reason: Box::new(circuit) },
        ];
        let texts = encoding.iter().map(|error| encoding_text(error, "line"));
        let texts: Vec<String> = texts.chain(evaluation.iter().map(circuit_text)).collect();
        for text in &texts {
            let is_rust =
                ["_", "::", "bounded", "()", "&", "Shape"].iter().any(|part| text.contains(part));
            assert!(!is_rust && text.contains(':'), "{text}");
        }
        assert!(texts[0].starts_with("line 7: 4 is beyond the bound, real values from -3 to 3"));
        assert!(texts[8].contains("sin(x, -3, 2)"), "{}", texts[8]);
        assert!(texts[10].starts_with("column 3: the levels are used up"), "{}", texts[10]);
    }
}
