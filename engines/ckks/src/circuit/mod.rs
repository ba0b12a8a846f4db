// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Computations as a whole: written down as an [`Expression`], planned as a [`Plan`], and run by
//! [`Server::run`](crate::Server::run).
//!
//! An expression is made of inputs, numbers and vectors by operators, which cannot fail. A plan is the list
//! of its steps for given parameters and inputs: the level of each, the keys that all of them need, and
//! the bootstraps where levels do not suffice. What is the same is computed once; what is not encrypted
//! is computed before.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use halimede_ckks::circuit::Input;
//! use halimede_ckks::{Accuracy, Bound, Client, Expression, Parameters, Plan};
//!
//! let parameters = Parameters::preset("n10-insecure")?;
//! let (x, y) = (Expression::input("x"), Expression::input("y"));
//! let z = (3 * &x * &y + x.rotate(1) - 0.5).bounded(4.0).map(f64::sin, Accuracy::Degree(3));
//! let input = Input { length: 2, ..Input::fresh(&parameters, Bound::real(1.0)) };
//! let inputs = BTreeMap::from([("x".to_owned(), input), ("y".to_owned(), input)]);
//! let plan = Plan::new(&z, &parameters, &inputs)?;
//! assert_eq!((plan.depth(), plan.operations().rotations), (4, vec![1]));
//!
//! let mut client = Client::new(&parameters)?;
//! let server = client.server(&plan.operations());
//! let [x, y] = [client.encrypt(&[0.25, -0.5])?, client.encrypt(&[1.0, 0.75])?];
//! let z = client.decrypt(&server.run(&z, &[("x", &x), ("y", &y)])?)?;
//! assert!((z[0].re - (3.0 * 0.25 - 0.5 - 0.5f64).sin()).abs() < 0.2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod display;
mod expression;
mod graph;
mod operators;
mod placement;
mod plain;
mod plan;
mod run;
mod unary;

pub use expression::Expression;
pub use plan::{Input, Plan, Step};

use crate::evaluator::EvaluationError;

/// Why there is no plan for an expression, or none that can be run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CircuitError {
    /// An input is not given.
    #[error("there is no ciphertext called {name}; there are: {given}")]
    NoInput {
        /// Its name.
        name: String,
        /// The names that are given.
        given: String,
    },
    /// An input is not what the plan was made for.
    #[error(
        "the ciphertext {name} has {got}, and the plan is for one with {planned}: plan again for what \
         there is"
    )]
    OtherInput {
        /// Its name.
        name: String,
        /// What it has.
        got: String,
        /// What it had when the plan was made.
        planned: String,
    },
    /// The plan is for other parameters.
    #[error("the plan is for other parameters than the server's: plan again")]
    Parameters,
    /// There is no ciphertext in the expression.
    #[error("the expression has no ciphertext in it: there is nothing to compute")]
    NothingEncrypted,
    /// Something that is not encrypted is no number.
    #[error("this number is infinite or none")]
    NotFinite,
    /// A function of real numbers has a complex argument.
    #[error("{what} is of real numbers")]
    NotReal {
        /// Which.
        what: &'static str,
    },
    /// A step takes more levels than there ever are.
    #[error(
        "this takes {needed} levels and a bootstrap leaves {highest}: take parameters with more levels"
    )]
    Deep {
        /// Its levels.
        needed: usize,
        /// The level that a bootstrap gives.
        highest: usize,
    },
    /// Levels do not suffice, and no value on the way may be bootstrapped.
    #[error(
        "the levels are used up here, and the values that this is made of may be larger than a bootstrap \
         takes: declare a smaller bound of them"
    )]
    Large,
    /// Whoever wanted the result does not any more.
    #[error("stopped after {done} of {steps} steps: run it again for the result")]
    Stopped {
        /// Steps that were done.
        done: usize,
        /// Steps of the plan.
        steps: usize,
    },
    /// A part of the expression cannot be computed.
    #[error("{what}: {reason}")]
    Step {
        /// What it is called.
        what: String,
        /// Why not.
        reason: Box<EvaluationError>,
    },
}

impl CircuitError {
    /// With what it is of, unless that is known already.
    fn at(what: impl ToString, reason: EvaluationError) -> EvaluationError {
        match reason {
            EvaluationError::Circuit(Self::Step { .. }) => reason,
            reason => Self::Step { what: what.to_string(), reason: Box::new(reason) }.into(),
        }
    }
}
