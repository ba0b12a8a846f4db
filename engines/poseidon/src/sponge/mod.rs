// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sponges over Filecoin's and StarkWare's permutations, with the interface of SAFE (Aumasson,
//! Khovratovich, Mennink, Quine, "SAFE: Sponge API for Field Elements", eprint 2023/522): a
//! protocol says beforehand what it absorbs and squeezes, and the sponge's capacity begins with a
//! tag of that, so that no padding is needed and no two protocols share their outputs.
//!
//! The tag is that of the authors' note of 2022 and of neptune, whose digests the sponges over
//! [`Fr`](halimede_arith::Fr) give: a polynomial hash of 128 bits. The paper of 2023 leaves the
//! function open and suggests SHA-3.
//!
//! Layout: over Fr the capacity is element 0, as in Filecoin's hashes and neptune; over Felt it is
//! the last element, as in Starknet's. The rate is the other elements in their order.
//!
//! [`constant_length`] is the older simplex sponge of neptune for inputs of a constant length.
//! Its duplex mode of that time has no counterpart here: it hands out elements before they are
//! permuted. A [`Sponge`] whose pattern alternates takes its place.
//!
//! ```
//! use halimede_arith::{field::Bls12381Scalar, Fr};
//! use halimede_poseidon::sponge::{IoPattern, Operation, Sponge};
//!
//! let pattern = IoPattern::new(&[Operation::Absorb(3), Operation::Squeeze(1)])?;
//! let instance = "filecoin-2".parse().unwrap();
//! let mut sponge = Sponge::<Bls12381Scalar>::start(instance, pattern, 0)?;
//! sponge.absorb(&[1, 2, 3].map(Fr::from))?;
//! let digest = sponge.squeeze(1)?;
//! sponge.finish()?;
//! # assert_eq!(digest.len(), 1);
//! # Ok::<(), halimede_poseidon::sponge::SpongeError>(())
//! ```

mod pattern;
mod safe;
mod simplex;

use halimede_arith::field::{Bls12381Scalar, StarkPrime};
use halimede_arith::Field;

use crate::instance::{Family, Instance};
use crate::{optimized, PoseidonField};

pub use pattern::{IoPattern, Operation, MAX_COUNT};
pub use safe::Sponge;
pub use simplex::constant_length;

/// Why a sponge fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpongeError {
    /// The operations are not a pattern.
    #[error("operation {position} of the pattern: {reason}")]
    Pattern {
        /// Which operation, from 0.
        position: usize,
        /// The fault.
        reason: &'static str,
    },
    /// The instance is of another field.
    #[error("{instance} is not an instance over {field}")]
    Instance {
        /// The instance.
        instance: Instance,
        /// The sponge's field.
        field: &'static str,
    },
    /// The pattern has something else here.
    #[error(
        "{verb} of {count} elements where the pattern has {}, operation {position}, of which \
         {done} elements are done", described(*wanted)
    )]
    Violated {
        /// The attempted operation: absorb or squeeze.
        verb: &'static str,
        /// Elements of it.
        count: usize,
        /// The aggregated operation under way, from 0.
        position: usize,
        /// The expected operation; `None` at the end of the pattern.
        wanted: Option<Operation>,
        /// Elements of it that are done.
        done: u32,
    },
    /// The pattern goes on.
    #[error(
        "finished before the pattern's end: {}, operation {position}, has {done} elements done",
        described(Some(*next))
    )]
    Unfinished {
        /// The aggregated operation under way, from 0.
        position: usize,
        /// The operation.
        next: Operation,
        /// Elements of it that are done.
        done: u32,
    },
    /// A constant-length hash of nothing, of too much, or into nothing.
    #[error("the {what} has {got} elements; 1 to {MAX_COUNT} are possible")]
    Length {
        /// `input` or `output`.
        what: &'static str,
        /// Its elements.
        got: usize,
    },
    /// The pattern was violated before.
    #[error("the sponge has ended, since its pattern was violated")]
    Aborted,
}

fn described(operation: Option<Operation>) -> String {
    match operation {
        Some(Operation::Absorb(count)) => format!("absorb of {count} elements"),
        Some(Operation::Squeeze(count)) => format!("squeeze of {count} elements"),
        None => "its end".into(),
    }
}

/// A field that has sponges.
pub trait SpongeField: PoseidonField {
    /// Whether the instance is one over this field.
    fn has(instance: Instance) -> bool;

    /// Permutes a state of the instance's width in place.
    fn permute(instance: Instance, state: &mut [Field<Self>]);

    /// The element that holds the tag.
    fn capacity_index(instance: Instance) -> usize;

    /// The place of the rate's `position`-th element.
    fn rate_index(position: usize) -> usize;
}

impl SpongeField for Bls12381Scalar {
    fn has(instance: Instance) -> bool {
        matches!(instance.family(), Family::Filecoin(_))
    }

    fn permute(instance: Instance, state: &mut [Field<Self>]) {
        if let Family::Filecoin(strength) = instance.family() {
            optimized::permute_filecoin(strength, state);
        }
    }

    fn capacity_index(_: Instance) -> usize {
        0
    }

    fn rate_index(position: usize) -> usize {
        position + 1
    }
}

impl SpongeField for StarkPrime {
    fn has(instance: Instance) -> bool {
        instance.family() == Family::Stark
    }

    fn permute(_: Instance, state: &mut [Field<Self>]) {
        optimized::permute_stark(state);
    }

    fn capacity_index(instance: Instance) -> usize {
        instance.width() - 1
    }

    fn rate_index(position: usize) -> usize {
        position
    }
}
