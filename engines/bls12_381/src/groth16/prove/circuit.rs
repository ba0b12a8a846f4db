// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Circuits that implement `bellman`'s trait.

use bellman::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use ff::PrimeField;
use halimede_arith::field::{Bls12381Scalar, Modulus};
use halimede_arith::Fr;

use super::{Assignment, Density, ProveError, ProvingKey, Secrets};
use crate::groth16::PROOF_BYTES;

/// Why a circuit has no proof.
#[derive(Debug, thiserror::Error)]
pub enum CircuitError {
    /// The circuit gave no values.
    #[error("the circuit has no witness: {0}")]
    Synthesis(#[from] SynthesisError),
    /// The circuit is not over the scalar field of BLS12-381.
    #[error("the circuit is over a field with the modulus {modulus}, not over that of BLS12-381")]
    OtherField {
        /// The modulus of the circuit's field.
        modulus: &'static str,
    },
    /// The values make no proof.
    #[error(transparent)]
    Prove(#[from] ProveError),
}

/// Computes the values of a circuit.
///
/// # Errors
/// [`CircuitError`].
pub fn assign<S, C>(circuit: C) -> Result<Assignment, CircuitError>
where
    S: PrimeField<Repr = [u8; 32]>,
    C: Circuit<S>,
{
    if !is_modulus(S::MODULUS) {
        return Err(CircuitError::OtherField { modulus: S::MODULUS });
    }
    let mut values = Values::default();
    ConstraintSystem::<S>::alloc_input(&mut values, || "", || Ok(S::ONE))?;
    circuit.synthesize(&mut values)?;
    let Values { inputs, aux, sides, density } = values;
    Ok(Assignment::new(inputs, aux, sides, density)?)
}

/// Returns `true` if a text is r in hexadecimal.
fn is_modulus(text: &str) -> bool {
    let expected = Bls12381Scalar::VALUE.iter().rev().map(|limb| format!("{limb:016x}"));
    text.strip_prefix("0x").is_some_and(|text| text == expected.collect::<String>())
}

impl ProvingKey {
    /// Makes a proof of a circuit with random numbers from the operating system, and verifies it.
    ///
    /// # Errors
    /// [`CircuitError`].
    pub fn prove_circuit<S, C>(&self, circuit: C) -> Result<[u8; PROOF_BYTES], CircuitError>
    where
        S: PrimeField<Repr = [u8; 32]>,
        C: Circuit<S>,
    {
        Ok(self.prove(assign(circuit)?)?)
    }
}

/// The values of a circuit while it is synthesized.
#[derive(Default)]
struct Values {
    inputs: Secrets,
    aux: Secrets,
    sides: [Secrets; 3],
    density: Density,
}

/// Converts an element. Both fields have canonical little-endian encodings.
fn element<S: PrimeField<Repr = [u8; 32]>>(scalar: &S) -> Result<Fr, SynthesisError> {
    Fr::from_le_bytes(&scalar.to_repr()).map_err(|_| SynthesisError::Unsatisfiable)
}

/// The lists that note which variables of a row occur.
type Marks<'a> = [Option<&'a mut Vec<bool>>; 2];

impl Values {
    /// Returns the value of a row; marks its inputs and its auxiliary variables.
    fn row<S: PrimeField<Repr = [u8; 32]>>(
        inputs: &Secrets,
        aux: &Secrets,
        row: &LinearCombination<S>,
        mut marks: Marks<'_>,
    ) -> Fr {
        let mut sum = Fr::ZERO;
        for (variable, coefficient) in row.as_ref() {
            if bool::from(coefficient.is_zero()) {
                continue;
            }
            let (values, index, list) = match variable.get_unchecked() {
                Index::Input(index) => (inputs, index, 0),
                Index::Aux(index) => (aux, index, 1),
            };
            if let Some(marks) = &mut marks[list] {
                marks[index] = true;
            }
            // Coefficients are canonical, so there is no error.
            sum += match *coefficient == S::ONE {
                true => values[index],
                false => values[index] * element(coefficient).unwrap_or_default(),
            };
        }
        sum
    }
}

impl<S: PrimeField<Repr = [u8; 32]>> ConstraintSystem<S> for Values {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<S, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux.push(element(&value()?)?);
        self.density.a_aux.push(false);
        self.density.b_aux.push(false);
        Ok(Variable::new_unchecked(Index::Aux(self.aux.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<S, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs.push(element(&value()?)?);
        self.density.b_inputs.push(false);
        Ok(Variable::new_unchecked(Index::Input(self.inputs.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
        LB: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
        LC: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
    {
        let [a, b, c] = [
            a(LinearCombination::zero()),
            b(LinearCombination::zero()),
            c(LinearCombination::zero()),
        ];
        let Self { inputs, aux, sides, density: Density { a_aux, b_inputs, b_aux } } = self;
        let [of_a, of_b, of_c] = sides;
        of_a.push(Self::row(inputs, aux, &a, [None, Some(a_aux)]));
        of_b.push(Self::row(inputs, aux, &b, [Some(b_inputs), Some(b_aux)]));
        of_c.push(Self::row(inputs, aux, &c, [None, None]));
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self {
        self
    }
}
