// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The hash as constraints, four per S-box, as Filecoin's circuits have it. New circuits need fewer
//! constraints with [`crate::circuit2`].

use bellpepper_core::num::AllocatedNum;
use bellpepper_core::{ConstraintSystem, SynthesisError};
use ff::PrimeField;

use crate::circuit2::{self, permute, poseidon_hash_allocated, Elt, Sboxes};
use crate::constants::PoseidonConstants;
use crate::hash_type::HashType;
use crate::Arity;

/// The form of a circuit.
#[derive(Clone, Copy, Debug)]
pub enum CircuitType {
    /// The circuit of this module.
    Legacy,
    /// The circuit of [`crate::circuit2`].
    OptimalAllocated,
}

impl CircuitType {
    /// Returns the form in words.
    pub fn label(&self) -> String {
        let label = match self {
            Self::Legacy => "Legacy Poseidon Circuit",
            Self::OptimalAllocated => "Optimal Allocated Poseidon Circuit,",
        };
        label.into()
    }
}

/// Hashes by a circuit of this form.
///
/// # Errors
/// Those of the constraint system.
///
/// # Panics
/// As [`poseidon_hash`] and [`poseidon_hash_allocated`].
pub fn poseidon_hash_circuit<CS, Scalar, A>(
    cs: CS,
    circuit_type: CircuitType,
    preimage: Vec<AllocatedNum<Scalar>>,
    constants: &PoseidonConstants<Scalar, A>,
) -> Result<AllocatedNum<Scalar>, SynthesisError>
where
    CS: ConstraintSystem<Scalar>,
    Scalar: PrimeField,
    A: Arity<Scalar>,
{
    match circuit_type {
        CircuitType::Legacy => poseidon_hash(cs, preimage, constants),
        CircuitType::OptimalAllocated => poseidon_hash_allocated(cs, preimage, constants),
    }
}

/// Hashes; returns a variable.
///
/// # Errors
/// Those of the constraint system.
///
/// # Panics
/// The number of elements is not the arity, or a constant length of the constants is not.
pub fn poseidon_hash<CS, Scalar, A>(
    mut cs: CS,
    preimage: Vec<AllocatedNum<Scalar>>,
    constants: &PoseidonConstants<Scalar, A>,
) -> Result<AllocatedNum<Scalar>, SynthesisError>
where
    CS: ConstraintSystem<Scalar>,
    Scalar: PrimeField,
    A: Arity<Scalar>,
{
    let (got, arity) = (preimage.len(), A::to_usize());
    if let HashType::ConstantLength(length) = constants.hash_type {
        assert_eq!(length, arity, "this circuit has no padding: use circuit2");
    }
    assert_eq!(got, arity, "expected {arity} elements, got {got}");
    let mut state = vec![Elt::num_from_fr::<CS>(constants.domain_tag)];
    state.extend(preimage.into_iter().map(Elt::Allocated));
    let state = permute(cs.namespace(|| "rounds"), state, constants, Sboxes::Legacy)?;
    state[1].ensure_allocated(&mut cs.namespace(|| "hash result"), true)
}

/// Returns (num + to_add)², a variable; with `enforce`, with its constraint.
///
/// # Errors
/// Those of the constraint system.
pub fn square_sum<CS: ConstraintSystem<Scalar>, Scalar: PrimeField>(
    cs: CS,
    to_add: Scalar,
    num: &AllocatedNum<Scalar>,
    enforce: bool,
) -> Result<AllocatedNum<Scalar>, SynthesisError> {
    circuit2::square_sum(cs, to_add, &num.clone().into(), enforce)
}

/// Returns a·(b + pre_add) + post_add, a variable; with `enforce`, with its constraint.
///
/// # Errors
/// Those of the constraint system.
pub fn mul_sum<CS: ConstraintSystem<Scalar>, Scalar: PrimeField>(
    cs: CS,
    a: &AllocatedNum<Scalar>,
    b: &AllocatedNum<Scalar>,
    pre_add: Option<Scalar>,
    post_add: Option<Scalar>,
    enforce: bool,
) -> Result<AllocatedNum<Scalar>, SynthesisError> {
    circuit2::mul_sum(cs, a, &b.clone().into(), pre_add, post_add, enforce)
}
