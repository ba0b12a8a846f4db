// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a program is rejected.

use crate::ring::limits::LOG_DEGREES;

/// Why a program cannot be read, named or replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum ProgramError {
    /// The text is not a program.
    #[error("not a program: {reason}")]
    Malformed { reason: String },
    /// The text is of a later version.
    #[error("the program is of version {got}; versions up to {most} can be read")]
    Version { got: u32, most: u32 },
    /// N is too small, too large or no power of two.
    #[error(
        "the program has N = {got}; log2 N must lie from {} to {}",
        LOG_DEGREES.start(),
        LOG_DEGREES.end()
    )]
    Degree { got: usize },
    /// A step cannot be done.
    #[error("step {step} ({operation}): {flaw}")]
    Step {
        /// The index of the step, from 0 on.
        step: usize,
        operation: &'static str,
        flaw: Flaw,
    },
    /// A value from outside is not valid.
    #[error("{name:?}, which comes from outside: {flaw}")]
    External { name: String, flaw: Flaw },
    /// An input was computed by a step.
    #[error("the input {name:?} is computed by a step: start recording after it")]
    NoInput { name: String },
    /// An output does not exist.
    #[error("the output {name:?} is computed by no step, and does not come from outside")]
    NoOutput { name: String },
    /// The ring has another N or other primes.
    #[error("the program is not of this ring: it has N = {degree} and {primes} primes")]
    Ring { degree: usize, primes: usize },
    /// There is no polynomial for a value from outside.
    #[error("there is no polynomial for {name:?}, which the program needs")]
    Missing { name: String },
    /// The polynomial for a value from outside has the wrong shape.
    #[error(
        "the polynomial for {name:?} has another N, lacks primes of it, or is of another form"
    )]
    Shape { name: String },
}

/// What is wrong with a value or a step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum Flaw {
    /// Two values have this name.
    #[error("another has this name already")]
    Name,
    /// A value is taken before it is computed.
    #[error("value {value} is not there yet")]
    Unknown { value: u64 },
    /// A value is computed twice.
    #[error("value {value} is there already, and is never changed")]
    Again { value: u64 },
    /// Too many or too few values are taken.
    #[error("it cannot take {got} values")]
    Inputs { got: usize },
    /// No primes, or primes that the ring does not have.
    #[error("it has no primes, or primes that are not the ring's")]
    Primes,
    /// A value that is taken lacks primes.
    #[error("value {value} lacks primes that are needed of it")]
    Basis { value: u64 },
    /// A value that is taken or given is of the wrong form.
    #[error("value {value} has coefficients for values, or values for coefficients")]
    Form { value: u64 },
    /// A value repeats itself in the wrong runs, or where a step cannot take it.
    #[error("value {value} repeats itself")]
    Run { value: u64 },
    /// There are more or fewer numbers than primes, or too large ones.
    #[error("its numbers are not one for each prime, and below it")]
    Numbers,
    /// No automorphism has this exponent.
    #[error("X^{exponent} is no image of an automorphism, or not below 2N")]
    Exponent { exponent: u64 },
}
