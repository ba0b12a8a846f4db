// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The hash as constraints, three per S-box (Filecoin specification, Poseidon, "Optimized
//! Poseidon").
//!
//! Linear layers are linear combinations without constraints. The round constants of the optimized
//! rounds are added after an S-box, in its last constraint: l5 − key = l4·l. Parameters of a proof
//! system depend on every constraint and variable, so both are neptune's, in its order.

use bellpepper_core::boolean::Boolean;
use bellpepper_core::num::{AllocatedNum, Num};
use bellpepper_core::{ConstraintSystem, LinearCombination, SynthesisError};
use ff::PrimeField;

use crate::constants::PoseidonConstants;
use crate::hash_type::HashType;
use crate::matrix::transpose;
use crate::rounds::Layer;
use crate::Arity;

/// An element of the state: a variable or a linear combination of variables.
#[derive(Clone)]
pub enum Elt<Scalar: PrimeField> {
    /// A variable.
    Allocated(AllocatedNum<Scalar>),
    /// A linear combination.
    Num(Num<Scalar>),
}

impl<Scalar: PrimeField> From<AllocatedNum<Scalar>> for Elt<Scalar> {
    fn from(allocated: AllocatedNum<Scalar>) -> Self {
        Self::Allocated(allocated)
    }
}

impl<Scalar: PrimeField> Elt<Scalar> {
    /// Returns `true` for a variable.
    pub const fn is_allocated(&self) -> bool {
        matches!(self, Self::Allocated(_))
    }

    /// Returns `true` for a linear combination.
    pub const fn is_num(&self) -> bool {
        matches!(self, Self::Num(_))
    }

    /// Returns a constant.
    pub fn num_from_fr<CS: ConstraintSystem<Scalar>>(fr: Scalar) -> Self {
        Self::Num(Num::zero().add_bool_with_coeff(CS::one(), &Boolean::Constant(true), fr))
    }

    /// Returns the element as a variable; a linear combination becomes a new one. With `enforce`, a
    /// constraint makes both equal.
    ///
    /// # Errors
    /// Those of the constraint system.
    pub fn ensure_allocated<CS: ConstraintSystem<Scalar>>(
        &self,
        cs: &mut CS,
        enforce: bool,
    ) -> Result<AllocatedNum<Scalar>, SynthesisError> {
        let num = match self {
            Self::Allocated(allocated) => return Ok(allocated.clone()),
            Self::Num(num) => num,
        };
        let allocated =
            AllocatedNum::alloc(cs.namespace(|| "allocate for Elt::Num"), || self.value())?;
        if enforce {
            cs.enforce(
                || "enforce num allocation preserves lc",
                |_| num.lc(Scalar::ONE),
                |lc| lc + CS::one(),
                |lc| lc + allocated.get_variable(),
            );
        }
        Ok(allocated)
    }

    /// Returns the value, if it is known.
    pub fn val(&self) -> Option<Scalar> {
        match self {
            Self::Allocated(allocated) => allocated.get_value(),
            Self::Num(num) => num.get_value(),
        }
    }

    fn value(&self) -> Result<Scalar, SynthesisError> {
        self.val().ok_or(SynthesisError::AssignmentMissing)
    }

    /// Returns the linear combination.
    pub fn lc(&self) -> LinearCombination<Scalar> {
        self.num().lc(Scalar::ONE)
    }

    /// Returns the sum.
    ///
    /// # Errors
    /// None.
    #[expect(clippy::should_implement_trait, reason = "neptune's interface")]
    pub fn add(self, other: Self) -> Result<Self, SynthesisError> {
        self.add_ref(&other)
    }

    /// Returns the sum.
    ///
    /// # Errors
    /// None.
    pub fn add_ref(self, other: &Self) -> Result<Self, SynthesisError> {
        Ok(Self::Num(self.num().add(&other.num())))
    }

    /// Returns the product with a constant.
    ///
    /// # Errors
    /// None.
    pub fn scale<CS: ConstraintSystem<Scalar>>(
        self,
        scalar: Scalar,
    ) -> Result<Self, SynthesisError> {
        Ok(Self::Num(self.num().scale(scalar)))
    }

    /// Returns the square, a variable with one constraint.
    ///
    /// # Errors
    /// Those of the constraint system.
    pub fn square<CS: ConstraintSystem<Scalar>>(
        &self,
        mut cs: CS,
    ) -> Result<AllocatedNum<Scalar>, SynthesisError> {
        if let Self::Allocated(allocated) = self {
            return allocated.square(cs);
        }
        let square = AllocatedNum::alloc(cs.namespace(|| "squared num"), || {
            self.value().map(|value| value.square())
        })?;
        cs.enforce(
            || "squaring constraint",
            |_| self.lc(),
            |_| self.lc(),
            |lc| lc + square.get_variable(),
        );
        Ok(square)
    }

    /// Returns the linear combination with its value.
    pub fn num(&self) -> Num<Scalar> {
        match self {
            Self::Allocated(allocated) => allocated.clone().into(),
            Self::Num(num) => num.clone(),
        }
    }
}

/// The state of a permutation.
pub struct PoseidonCircuit2<'a, Scalar, A>
where
    Scalar: PrimeField,
    A: Arity<Scalar>,
{
    elements: Vec<Elt<Scalar>>,
    constants: &'a PoseidonConstants<Scalar, A>,
}

impl<'a, Scalar, A> PoseidonCircuit2<'a, Scalar, A>
where
    Scalar: PrimeField,
    A: Arity<Scalar>,
{
    /// Returns the state of the domain tag and all elements.
    ///
    /// # Panics
    /// Their number is not the width.
    pub fn new(elements: Vec<Elt<Scalar>>, constants: &'a PoseidonConstants<Scalar, A>) -> Self {
        let (got, expected) = (elements.len(), constants.width());
        assert_eq!(got, expected, "expected a state of {expected} elements, got {got}");
        Self { elements, constants }
    }

    /// Permutes, and returns the digest as a linear combination.
    ///
    /// # Errors
    /// Those of the constraint system.
    pub fn hash<CS: ConstraintSystem<Scalar>>(
        &mut self,
        cs: &mut CS,
    ) -> Result<Elt<Scalar>, SynthesisError> {
        let elements = std::mem::take(&mut self.elements);
        self.elements =
            permute(cs.namespace(|| "rounds"), elements, self.constants, Sboxes::Optimal)?;
        Ok(self.elements[1].clone())
    }

    /// Permutes, and returns the digest as a variable, for one more constraint.
    ///
    /// # Errors
    /// Those of the constraint system.
    pub fn hash_to_allocated<CS: ConstraintSystem<Scalar>>(
        &mut self,
        mut cs: CS,
    ) -> Result<AllocatedNum<Scalar>, SynthesisError> {
        self.hash(&mut cs)?.ensure_allocated(&mut cs, true)
    }
}

/// Hashes; returns a variable, for one constraint more than [`poseidon_hash_num`].
///
/// # Errors
/// Those of the constraint system.
///
/// # Panics
/// The number of elements is not that of the constants.
pub fn poseidon_hash_allocated<CS, Scalar, A>(
    cs: CS,
    preimage: Vec<AllocatedNum<Scalar>>,
    constants: &PoseidonConstants<Scalar, A>,
) -> Result<AllocatedNum<Scalar>, SynthesisError>
where
    CS: ConstraintSystem<Scalar>,
    Scalar: PrimeField,
    A: Arity<Scalar>,
{
    let state = state::<CS, Scalar, A>(preimage, constants);
    PoseidonCircuit2::new(state, constants).hash_to_allocated(cs)
}

/// Hashes; returns a linear combination.
///
/// # Errors
/// Those of the constraint system.
///
/// # Panics
/// The number of elements is not that of the constants.
pub fn poseidon_hash_num<CS, Scalar, A>(
    mut cs: CS,
    preimage: Vec<AllocatedNum<Scalar>>,
    constants: &PoseidonConstants<Scalar, A>,
) -> Result<Num<Scalar>, SynthesisError>
where
    CS: ConstraintSystem<Scalar>,
    Scalar: PrimeField,
    A: Arity<Scalar>,
{
    let state = state::<CS, Scalar, A>(preimage, constants);
    Ok(PoseidonCircuit2::new(state, constants).hash(&mut cs)?.num())
}

/// Returns the domain tag, the elements, and zeros up to the width if the length is constant.
fn state<CS, Scalar, A>(
    preimage: Vec<AllocatedNum<Scalar>>,
    constants: &PoseidonConstants<Scalar, A>,
) -> Vec<Elt<Scalar>>
where
    CS: ConstraintSystem<Scalar>,
    Scalar: PrimeField,
    A: Arity<Scalar>,
{
    let mut state = vec![Elt::num_from_fr::<CS>(constants.domain_tag)];
    state.extend(preimage.into_iter().map(Elt::Allocated));
    if let HashType::ConstantLength(length) = constants.hash_type {
        let got = state.len() - 1;
        assert_eq!(got, length, "expected {length} elements, got {got}");
        state.resize(constants.width(), Elt::Num(Num::zero()));
    }
    state
}

/// The constraints of an S-box.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sboxes {
    /// Three.
    Optimal,
    /// One more, which makes the input a variable. The tag's S-box of the first round is a constant
    /// without constraints.
    Legacy,
}

/// Permutes a state.
pub(crate) fn permute<CS, Scalar, A>(
    mut cs: CS,
    mut state: Vec<Elt<Scalar>>,
    constants: &PoseidonConstants<Scalar, A>,
    sboxes: Sboxes,
) -> Result<Vec<Elt<Scalar>>, SynthesisError>
where
    CS: ConstraintSystem<Scalar>,
    Scalar: PrimeField,
    A: Arity<Scalar>,
{
    let (half, partial) = (constants.half_full_rounds, constants.partial_rounds);
    let (before, after) = constants.compressed_round_constants.split_at(constants.width());
    let mut keys = after.iter().copied();
    for round in 0..2 * half + partial {
        let is_partial = (half..half + partial).contains(&round);
        let active = if is_partial { 1 } else { state.len() };
        let mut cs = cs.namespace(|| format!("round {round}"));
        for (index, element) in state[..active].iter_mut().enumerate() {
            let (pre, post) = ((round == 0).then_some(before[index]), keys.next());
            let cs = cs.namespace(|| format!("quintic s-box {index}"));
            *element = match (sboxes, round + index) {
                (Sboxes::Legacy, 0) => constant_sbox::<CS, Scalar>(element, pre, post)?,
                _ => sbox(cs, element, pre, post, sboxes)?,
            };
        }
        state = mix::<CS, Scalar>(&state, &constants.layer(round))?;
    }
    Ok(state)
}

/// Returns (element + pre)⁵ + post.
fn sbox<CS: ConstraintSystem<Scalar>, Scalar: PrimeField>(
    mut cs: CS,
    element: &Elt<Scalar>,
    pre: Option<Scalar>,
    post: Option<Scalar>,
    sboxes: Sboxes,
) -> Result<Elt<Scalar>, SynthesisError> {
    let element = match sboxes {
        Sboxes::Optimal => element.clone(),
        Sboxes::Legacy => {
            element.ensure_allocated(&mut cs.namespace(|| "S-box input"), true)?.into()
        }
    };
    let square = match pre {
        Some(pre) => square_sum(cs.namespace(|| "(l+rk)^2"), pre, &element, true)?,
        None => element.square(cs.namespace(|| "l^2"))?,
    };
    let fourth = square.square(cs.namespace(|| "l^4"))?;
    let fifth = mul_sum(cs.namespace(|| "l^5"), &fourth, &element, pre, post, true)?;
    Ok(fifth.into())
}

/// Returns (element + pre)⁵ + post of a constant.
fn constant_sbox<CS: ConstraintSystem<Scalar>, Scalar: PrimeField>(
    element: &Elt<Scalar>,
    pre: Option<Scalar>,
    post: Option<Scalar>,
) -> Result<Elt<Scalar>, SynthesisError> {
    let sum = element.value()? + pre.unwrap_or(Scalar::ZERO);
    let fifth = crate::field::fifth_power(sum) + post.unwrap_or(Scalar::ZERO);
    Ok(Elt::num_from_fr::<CS>(fifth))
}

/// Applies a linear layer, without constraints.
fn mix<CS: ConstraintSystem<Scalar>, Scalar: PrimeField>(
    state: &[Elt<Scalar>],
    layer: &Layer<Scalar>,
) -> Result<Vec<Elt<Scalar>>, SynthesisError> {
    let dot = |column: &[Scalar]| {
        let zero = Elt::Num(Num::zero());
        state
            .iter()
            .zip(column)
            .try_fold(zero, |sum, (element, &entry)| sum.add(element.clone().scale::<CS>(entry)?))
    };
    match layer {
        Layer::Dense(matrix) => transpose(matrix).iter().map(|column| dot(column)).collect(),
        Layer::Transposed(matrix) => matrix.iter().map(|column| dot(column)).collect(),
        Layer::Sparse(matrix) => {
            let mut mixed = vec![dot(&matrix.w_hat)?];
            for (element, &entry) in state[1..].iter().zip(&matrix.v_rest) {
                mixed.push(element.clone().add(state[0].clone().scale::<CS>(entry)?)?);
            }
            Ok(mixed)
        }
    }
}

/// Returns (element + to_add)², a variable; with `enforce`, with its constraint.
///
/// # Errors
/// Those of the constraint system.
pub fn square_sum<CS: ConstraintSystem<Scalar>, Scalar: PrimeField>(
    mut cs: CS,
    to_add: Scalar,
    elt: &Elt<Scalar>,
    enforce: bool,
) -> Result<AllocatedNum<Scalar>, SynthesisError> {
    let square = AllocatedNum::alloc(cs.namespace(|| "squared sum"), || {
        elt.value().map(|value| (value + to_add).square())
    })?;
    if enforce {
        let sum = || elt.lc() + (to_add, CS::one());
        cs.enforce(
            || "squared sum constraint",
            |_| sum(),
            |_| sum(),
            |lc| lc + square.get_variable(),
        );
    }
    Ok(square)
}

/// Returns a·(b + pre_add) + post_add, a variable; with `enforce`, with its constraint.
///
/// # Errors
/// Those of the constraint system.
pub fn mul_sum<CS: ConstraintSystem<Scalar>, Scalar: PrimeField>(
    mut cs: CS,
    a: &AllocatedNum<Scalar>,
    b: &Elt<Scalar>,
    pre_add: Option<Scalar>,
    post_add: Option<Scalar>,
    enforce: bool,
) -> Result<AllocatedNum<Scalar>, SynthesisError> {
    let product = AllocatedNum::alloc(cs.namespace(|| "mul_sum"), || {
        let a = a.get_value().ok_or(SynthesisError::AssignmentMissing)?;
        let b = b.value()? + pre_add.unwrap_or(Scalar::ZERO);
        Ok(a * b + post_add.unwrap_or(Scalar::ZERO))
    })?;
    if enforce {
        let plus = |lc: LinearCombination<Scalar>, constant: Option<Scalar>| match constant {
            Some(constant) => lc + (constant, CS::one()),
            None => lc,
        };
        cs.enforce(
            || "mul sum constraint",
            |_| plus(b.lc(), pre_add),
            |lc| lc + a.get_variable(),
            |lc| plus(lc + product.get_variable(), post_add.map(|constant| -constant)),
        );
    }
    Ok(product)
}
