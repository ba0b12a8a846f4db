// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Groth16 parameters of a circuit (Groth, EUROCRYPT 2016, section 3.2), from random secrets, in
//! the form of bellperson 0.26. Its own generator needs hours for a sector's circuit on two cores:
//! a multiple of the generator costs it 255 doublings, and costs 20 additions of a table here.

use anyhow::{ensure, Context, Result};
use bellperson::groth16::{Parameters, VerifyingKey};
use bellperson::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::{Bls12, G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use ff::{BatchInvert, Field, PrimeField};
use group::prime::{PrimeCurve, PrimeCurveAffine};
use group::Curve;
use rand::rngs::OsRng;
use rayon::prelude::*;

const WINDOW_BITS: usize = 13;
/// The bits of a scalar.
const SCALAR_BITS: usize = 255;
/// The scalars that one thread multiplies and normalizes at a time.
const BATCH: usize = 4096;

type Terms = Vec<(Scalar, usize)>;

/// The polynomials A, B and C of each variable, as coefficients by constraint.
#[derive(Default)]
struct Polynomials {
    inputs: Vec<[Terms; 3]>,
    auxiliary: Vec<[Terms; 3]>,
    constraints: usize,
}

impl Polynomials {
    fn push(&mut self, side: usize, combination: &LinearCombination<Scalar>) {
        for (variable, &factor) in combination.iter() {
            let terms = match variable.get_unchecked() {
                Index::Input(index) => &mut self.inputs[index],
                Index::Aux(index) => &mut self.auxiliary[index],
            };
            terms[side].push((factor, self.constraints));
        }
    }
}

impl ConstraintSystem<Scalar> for Polynomials {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.auxiliary.push(Default::default());
        Ok(Variable::new_unchecked(Index::Aux(self.auxiliary.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs.push(Default::default());
        Ok(Variable::new_unchecked(Index::Input(self.inputs.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        self.push(0, &a(LinearCombination::zero()));
        self.push(1, &b(LinearCombination::zero()));
        self.push(2, &c(LinearCombination::zero()));
        self.constraints += 1;
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}

/// The multiples d·2^(13·w) of a generator, for all digits d and windows w.
struct Table<C: PrimeCurve> {
    windows: Vec<Vec<C::Affine>>,
}

impl<C: PrimeCurve<Scalar = Scalar>> Table<C> {
    fn new() -> Self {
        let bases = std::iter::successors(Some(C::generator()), |base| {
            Some((0..WINDOW_BITS).fold(*base, |point, _| point.double()))
        });
        let bases: Vec<C> = bases.take(SCALAR_BITS.div_ceil(WINDOW_BITS)).collect();
        let window = |base: &C| {
            let multiples =
                std::iter::successors(Some(C::identity()), |point| Some(*point + *base));
            normalized(&multiples.take(1 << WINDOW_BITS).collect::<Vec<C>>())
        };
        Self { windows: bases.par_iter().map(window).collect() }
    }

    fn multiply(&self, scalar: &Scalar) -> C {
        let bytes = scalar.to_bytes_le();
        let digit = |window: usize| {
            let (first, mut word) = (window * WINDOW_BITS / 8, 0u32);
            for (place, byte) in bytes[first..].iter().take(3).enumerate() {
                word |= u32::from(*byte) << (8 * place);
            }
            (word >> (window * WINDOW_BITS % 8)) as usize & ((1 << WINDOW_BITS) - 1)
        };
        let mut sum = C::identity();
        for (window, multiples) in self.windows.iter().enumerate() {
            match digit(window) {
                0 => {}
                digit => sum += multiples[digit],
            }
        }
        sum
    }

    fn multiply_all(&self, scalars: &[Scalar]) -> Vec<C::Affine> {
        let batch = |scalars: &[Scalar]| {
            let points: Vec<C> = scalars.iter().map(|scalar| self.multiply(scalar)).collect();
            normalized(&points)
        };
        scalars.par_chunks(BATCH).flat_map_iter(batch).collect()
    }
}

fn normalized<C: PrimeCurve>(points: &[C]) -> Vec<C::Affine> {
    let mut affine = vec![C::Affine::identity(); points.len()];
    C::batch_normalize(points, &mut affine);
    affine
}

/// The values of a polynomial's terms at τ.
fn at_tau(terms: &Terms, lagrange: &[Scalar]) -> Scalar {
    terms.iter().map(|(factor, constraint)| lagrange[*constraint] * factor).sum()
}

/// The values of the Lagrange polynomials at τ: (τⁿ − 1)·ωⁱ / (n·(τ − ωⁱ)).
fn lagrange_at(tau: Scalar, size: usize) -> Result<Vec<Scalar>> {
    let exponent = size.ilog2();
    ensure!(exponent <= Scalar::S, "a circuit of more than 2^{} constraints", Scalar::S);
    let root = (exponent..Scalar::S).fold(Scalar::ROOT_OF_UNITY, |root, _| root.square());
    let roots = std::iter::successors(Some(Scalar::ONE), |power| Some(*power * root));
    let roots: Vec<Scalar> = roots.take(size).collect();
    let mut inverses: Vec<Scalar> = roots.iter().map(|power| tau - power).collect();
    inverses.iter_mut().batch_invert();
    let inverse_size: Option<Scalar> = Scalar::from(size as u64).invert().into();
    let vanishing = tau.pow_vartime([size as u64]) - Scalar::ONE;
    let factor = vanishing * inverse_size.context("the size is zero")?;
    Ok(inverses.iter().zip(&roots).map(|(inverse, power)| factor * power * inverse).collect())
}

/// Generates the parameters of a circuit. The secrets are dropped, not wiped: the parameters are
/// for tests.
pub fn generate<C: Circuit<Scalar>>(circuit: C) -> Result<Parameters<Bls12>> {
    let mut polynomials = Polynomials::default();
    polynomials.alloc_input(|| "one", || Ok(Scalar::ONE))?;
    circuit.synthesize(&mut polynomials)?;
    // bellperson's prover adds the same constraints, which make the inputs independent.
    for index in 0..polynomials.inputs.len() {
        let input = Variable::new_unchecked(Index::Input(index));
        polynomials.enforce(|| "input", |lc| lc + input, |lc| lc, |lc| lc);
    }
    let size = polynomials.constraints.next_power_of_two();
    let [alpha, beta, gamma, delta, tau] = [(); 5].map(|()| Scalar::random(OsRng));
    let inverse = |x: Scalar| Option::<Scalar>::from(x.invert()).context("a secret is zero");
    let (gamma_inverse, delta_inverse) = (inverse(gamma)?, inverse(delta)?);
    let lagrange = lagrange_at(tau, size)?;
    let values = |variables: &[[Terms; 3]]| -> Vec<[Scalar; 3]> {
        let value = |terms: &[Terms; 3]| [0, 1, 2].map(|side| at_tau(&terms[side], &lagrange));
        variables.par_iter().map(value).collect()
    };
    let (inputs, auxiliary) = (values(&polynomials.inputs), values(&polynomials.auxiliary));
    drop(polynomials);
    let combined = |values: &[[Scalar; 3]], inverse: Scalar| -> Vec<Scalar> {
        values.par_iter().map(|[a, b, c]| (beta * a + alpha * b + c) * inverse).collect()
    };
    // The prover skips variables whose polynomial is zero.
    let side = |side: usize| -> Vec<Scalar> {
        let all = inputs.iter().chain(&auxiliary).map(|values| values[side]);
        all.filter(|value| !bool::from(value.is_zero())).collect()
    };
    let (g1, g2) = (G1Affine::generator(), G2Affine::generator());
    let (table1, table2) = (Table::<G1Projective>::new(), Table::<G2Projective>::new());
    let (a, b) = (side(0), side(1));
    let coefficient = (tau.pow_vartime([size as u64]) - Scalar::ONE) * delta_inverse;
    let powers = std::iter::successors(Some(coefficient), |power| Some(*power * tau));
    let h: Vec<Scalar> = powers.take(size - 1).collect();
    let vk = VerifyingKey {
        alpha_g1: (g1 * alpha).to_affine(),
        beta_g1: (g1 * beta).to_affine(),
        beta_g2: (g2 * beta).to_affine(),
        gamma_g2: (g2 * gamma).to_affine(),
        delta_g1: (g1 * delta).to_affine(),
        delta_g2: (g2 * delta).to_affine(),
        ic: table1.multiply_all(&combined(&inputs, gamma_inverse)),
    };
    Ok(Parameters {
        vk,
        h: table1.multiply_all(&h).into(),
        l: table1.multiply_all(&combined(&auxiliary, delta_inverse)).into(),
        a: table1.multiply_all(&a).into(),
        b_g1: table1.multiply_all(&b).into(),
        b_g2: table2.multiply_all(&b).into(),
    })
}

#[cfg(test)]
mod tests {
    use bellperson::groth16::{create_random_proof, prepare_verifying_key, verify_proof};

    use super::*;

    /// x⁵ for a secret x, with a variable that only A has and one that only B has.
    struct FifthPower(Option<Scalar>);

    impl Circuit<Scalar> for FifthPower {
        fn synthesize<CS: ConstraintSystem<Scalar>>(
            self,
            cs: &mut CS,
        ) -> Result<(), SynthesisError> {
            let missing = SynthesisError::AssignmentMissing;
            let x = cs.alloc(|| "x", || self.0.ok_or(missing))?;
            let mut power = x;
            let mut value = self.0;
            for exponent in 2..5 {
                value = value.zip(self.0).map(|(power, x)| power * x);
                let missing = SynthesisError::AssignmentMissing;
                let next = cs.alloc(|| format!("x^{exponent}"), || value.ok_or(missing))?;
                cs.enforce(|| format!("{exponent}"), |lc| lc + power, |lc| lc + x, |lc| lc + next);
                power = next;
            }
            value = value.zip(self.0).map(|(power, x)| power * x);
            let missing = SynthesisError::AssignmentMissing;
            let output = cs.alloc_input(|| "x^5", || value.ok_or(missing))?;
            cs.enforce(|| "5", |lc| lc + power, |lc| lc + x, |lc| lc + output);
            Ok(())
        }
    }

    #[test]
    fn proofs_with_generated_parameters_are_verified() {
        let parameters = generate(FifthPower(None)).unwrap();
        let key = prepare_verifying_key(&parameters.vk);
        for x in [0, 1, 3, u64::MAX].map(Scalar::from) {
            let proof = create_random_proof(FifthPower(Some(x)), &parameters, &mut OsRng).unwrap();
            let output = x.pow_vartime([5]);
            assert!(verify_proof(&key, &proof, &[output]).unwrap());
            assert!(!verify_proof(&key, &proof, &[output + Scalar::ONE]).unwrap());
        }
    }

    #[test]
    fn multiples_are_the_groups() {
        let table = Table::<G1Projective>::new();
        let last = -Scalar::ONE;
        let mut scalars = vec![Scalar::ZERO, Scalar::ONE, last, Scalar::from(1 << 13)];
        scalars.extend((0..20).map(|_| Scalar::random(OsRng)));
        let expected = scalars.iter().map(|x| (G1Affine::generator() * x).to_affine());
        assert_eq!(table.multiply_all(&scalars), expected.collect::<Vec<_>>());
    }
}
