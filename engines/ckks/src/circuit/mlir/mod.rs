// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs of the compiler HEIR in textual MLIR, as expressions.
//!
//! A function of the `ckks` and `lwe` dialects, or of arithmetic on secret tensors before it is
//! lowered to them, becomes one [`Expression`](super::Expression) per result. `docs/interop.md`
//! lists the operations. A function is a straight line of operations: there are no loops or calls.
//!
//! ```
//! use halimede_ckks::circuit::mlir::Module;
//!
//! let module = Module::parse(
//!     "func.func @f(%x: tensor<8xf32> {secret.secret}) -> tensor<8xf32> {
//!        %0 = arith.mulf %x, %x : tensor<8xf32>
//!        return %0 : tensor<8xf32>
//!      }",
//! )?;
//! let function = module.function(None)?;
//! assert_eq!(function.arguments()[0].length, Some(8));
//! let square = &function.results(&Default::default())?[0];
//! # let _ = square;
//! # Ok::<(), halimede_ckks::circuit::mlir::MlirError>(())
//! ```

mod argument;
mod cursor;
mod dense;
mod error;
mod lexer;
mod lower;
mod module;
mod operation;
mod types;
mod value;

pub use argument::{Argument, ArgumentKind};
pub use error::{MlirError, Position};
pub use lexer::MAX_BYTES;
pub use lower::MAX_OPERATIONS;
pub use module::{Function, Module};
pub use types::MAX_ELEMENTS;
