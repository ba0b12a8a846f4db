// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Secret elements are overwritten by the crate `zeroize`.

use zeroize::DefaultIsZeroes;

use super::{Field, Modulus};

impl<M: Modulus> DefaultIsZeroes for Field<M> {}
