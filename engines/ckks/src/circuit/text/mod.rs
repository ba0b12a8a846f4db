// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Expressions as text, such as `3*x*y + rot(x, 1)`. They are parsed into steps, which become an
//! [`Expression`](super::Expression).
//!
//! ```
//! use halimede_ckks::circuit::text::{expression_of, names, parse};
//!
//! let steps = parse("3*x*y + rot(x, 1)").unwrap();
//! assert_eq!(names(&steps), ["x", "y"]);
//! let expression = expression_of(&steps, 1e-4).unwrap();
//! # let _ = expression;
//! assert_eq!(parse("x +").unwrap_err().column, 4);
//! ```

mod actions;
mod parser;

pub use actions::{expression_of, names, Action, ExpressionError, Function, Step, FUNCTIONS};
pub use parser::parse;
