// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Circuits: whole computations, written as an [`Expression`], planned as a [`Plan`], and run by
//! [`Bootstrapper::run`](crate::Bootstrapper::run).
//!
//! An expression combines inputs, numbers and vectors with operators, which cannot fail. A plan is
//! the list of its steps for given parameters and inputs: the level of each step, the keys that all
//! steps need, and bootstraps where levels do not suffice. Equal parts are computed once, and
//! unencrypted parts beforehand.
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

mod checkpoint;
mod digest;
mod display;
mod error;
mod expression;
mod graph;
mod input;
mod low_levels;
mod memory;
pub mod mlir;
mod operators;
mod placement;
mod plain;
mod plan;
mod routine;
mod run;
mod run_id;
mod step;
mod steps;
pub mod text;
mod transforms;
mod unary;

pub use checkpoint::Checkpoint;
pub use error::CircuitError;
pub use expression::Expression;
pub use input::Input;
pub use plain::Plain;
pub use plan::Plan;
pub use routine::{Matrix, Routine};
pub use run::Moment;
pub use run_id::RunId;
pub use step::Step;
pub(crate) use steps::{only, run_steps, Runner};
