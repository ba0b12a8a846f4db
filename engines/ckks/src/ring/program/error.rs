// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The reasons why a program is rejected.

use crate::ring::limits::LOG_DEGREES;

/// The reason why a program cannot be read, named or replayed.
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
    /// N is too small, too large or not a power of two.
    #[error(
        "the program has N = {got}; log2 N must lie from {} to {}",
        LOG_DEGREES.start(),
        LOG_DEGREES.end()
    )]
    Degree { got: usize },
    /// A step is invalid.
    #[error("step {step} ({operation}): {flaw}")]
    Step {
        /// The index of the step, from 0 on.
        step: usize,
        operation: &'static str,
        flaw: Flaw,
    },
    /// An external value is invalid.
    #[error("the external value {name:?}: {flaw}")]
    External { name: String, flaw: Flaw },
    /// An input was computed by a step.
    #[error("the input {name:?} is computed by a step: start recording after it")]
    NoInput { name: String },
    /// An output does not exist.
    #[error("the output {name:?} is neither computed by a step nor an external value")]
    NoOutput { name: String },
    /// The ring has another N or other primes.
    #[error("the program is not of this ring: it has N = {degree} and {primes} primes")]
    Ring { degree: usize, primes: usize },
    /// The polynomial of an external value is missing.
    #[error("no polynomial for {name:?}, which the program needs")]
    Missing { name: String },
    /// The polynomial of an external value has the wrong shape.
    #[error("the polynomial for {name:?} has another N, lacks primes, or has another form")]
    Shape { name: String },
}

/// The flaw of a value or a step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum Flaw {
    /// Two values have this name.
    #[error("another value already has this name")]
    Name,
    /// A value is used before it is computed.
    #[error("value {value} is not computed yet")]
    Unknown { value: u64 },
    /// A value is computed twice.
    #[error("value {value} is computed already and cannot change")]
    Again { value: u64 },
    /// The number of inputs is wrong.
    #[error("it cannot have {got} inputs")]
    Inputs { got: usize },
    /// The primes are empty or not in the ring.
    #[error("it has no primes, or primes that the ring does not have")]
    Primes,
    /// An input lacks primes.
    #[error("value {value} lacks required primes")]
    Basis { value: u64 },
    /// An input or output has the wrong form.
    #[error("value {value} has coefficients instead of values, or values instead of coefficients")]
    Form { value: u64 },
    /// A value is repeated in runs of the wrong length, or where a step does not support it.
    #[error("value {value} is repeated in runs that the step does not support")]
    Run { value: u64 },
    /// The count of numbers does not match the primes, or a number is too large.
    #[error("it needs one number for each prime, below that prime")]
    Numbers,
    /// No automorphism has this exponent.
    #[error("X to X^{exponent} is not an automorphism, or the exponent is not below 2N")]
    Exponent { exponent: u64 },
}
