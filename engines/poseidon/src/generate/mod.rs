// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parameters for any prime field, width and S-box: rounds from the security bounds, constants
//! from the Grain LFSR, a matrix that resists subspace trails; and the permutation they define.
//!
//! - `specification`: the requested instance, and the order of generation;
//! - `bounds`: the security bounds on the numbers of rounds;
//! - `matrix`, `trails`: Cauchy matrices, and checks that a matrix is MDS and has no subspace
//!   trail;
//! - `parameters`: the result, its permutation in plain rounds, its JSON;
//! - `named`: fields by name; `field`: arithmetic modulo a prime known only at run time.
//!
//! ```
//! use halimede_poseidon::generate::NamedField;
//! use num_bigint::BigUint;
//!
//! let parameters = NamedField::find("bn254").unwrap().specification(3)?.generate()?;
//! assert_eq!((parameters.rounds().full, parameters.rounds().partial), (8, 57));
//! let mut state = [0u32, 1, 2].map(BigUint::from);
//! parameters.permute(&mut state).unwrap();
//! # Ok::<(), halimede_poseidon::generate::SpecificationError>(())
//! ```

mod bounds;
mod error;
mod field;
mod generation;
mod limits;
mod matrix;
mod named;
mod parameters;
mod sbox;
mod specification;
mod trails;

pub use error::{DocumentError, PermuteError, SpecificationError};
pub use field::{is_prime, RuntimeField};
pub use named::{NamedField, NAMED_FIELDS};
pub use parameters::GeneratedParameters;
pub use sbox::Sbox;
pub use specification::{Convention, Margin, PartialRounds, Specification};
pub use trails::Trail;
