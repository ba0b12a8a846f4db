// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sponges over Filecoin's and StarkWare's permutations, with the interface of SAFE (Aumasson,
//! Khovratovich, Mennink, Quine, "SAFE: Sponge API for Field Elements", eprint 2023/522). A
//! protocol declares in advance what it absorbs and squeezes, and the sponge's capacity is
//! initialized with a tag of that declaration. No padding is needed, and no two protocols share
//! their outputs.
//!
//! The tag is a polynomial hash of 128 bits, as in the authors' note of 2022 and in neptune; the
//! sponges over [`Fr`](halimede_arith::Fr) return neptune's digests. The paper of 2023 leaves the
//! function open and suggests SHA-3.
//!
//! Layout: over Fr the capacity is element 0, as in Filecoin's hashes and neptune; over Felt it is
//! the last element, as in Starknet's. The rate is the other elements, in order.
//!
//! [`constant_length`] is neptune's older simplex sponge for inputs of a constant length. Its old
//! duplex mode is not supported, because it returns elements before they are permuted; use a
//! [`Sponge`] with an alternating pattern instead.
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

/// Why a sponge operation fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpongeError {
    /// The operations are not a valid pattern.
    #[error("operation {position} of the pattern: {reason}")]
    Pattern {
        /// The index of the operation, from 0.
        position: usize,
        /// The reason.
        reason: &'static str,
    },
    /// The instance belongs to another field.
    #[error("{instance} is not an instance over {field}")]
    Instance {
        /// The instance.
        instance: Instance,
        /// The field of the sponge.
        field: &'static str,
    },
    /// The pattern has another operation at this point.
    #[error(
        "{verb} of {count} elements where the pattern has {}: operation {position}, of which \
         {done} elements are done", described(*wanted)
    )]
    Violated {
        /// The attempted operation: absorb or squeeze.
        verb: &'static str,
        /// The number of elements of the attempted operation.
        count: usize,
        /// The index of the current aggregated operation, from 0.
        position: usize,
        /// The expected operation; `None` at the end of the pattern.
        wanted: Option<Operation>,
        /// The elements of the current operation that are done.
        done: u32,
    },
    /// The sponge was finished before the end of the pattern.
    #[error(
        "finished before the end of the pattern: {}, operation {position}, has {done} elements \
         done",
        described(Some(*next))
    )]
    Unfinished {
        /// The index of the current aggregated operation, from 0.
        position: usize,
        /// The current operation.
        next: Operation,
        /// The elements of the current operation that are done.
        done: u32,
    },
    /// The input or output of a constant-length hash is empty or too long.
    #[error("the {what} has {got} elements; expected 1 to {MAX_COUNT}")]
    Length {
        /// `input` or `output`.
        what: &'static str,
        /// The number of elements.
        got: usize,
    },
    /// The pattern was violated earlier.
    #[error("the sponge is unusable because its pattern was violated earlier")]
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
    /// Returns `true` if the instance is over this field.
    fn has(instance: Instance) -> bool;

    /// Permutes a state of the instance's width in place.
    fn permute(instance: Instance, state: &mut [Field<Self>]);

    /// The index of the element that holds the tag.
    fn capacity_index(instance: Instance) -> usize;

    /// The index in the state of the rate's element `position`.
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
