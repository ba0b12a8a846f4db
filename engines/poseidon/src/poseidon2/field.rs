// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The fields that have instances.

use halimede_arith::field::{Bls12381Scalar, Bn254Scalar, PallasBase, VestaBase};
use halimede_arith::lanes::LaneModulus;

/// The field of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrimeField {
    /// The scalar field of BLS12-381.
    Bls12381,
    /// The scalar field of BN254.
    Bn254,
    /// The base field of Pallas.
    Pallas,
    /// The base field of Vesta.
    Vesta,
}

/// A modulus that has instances.
pub trait Poseidon2Field: LaneModulus {
    /// The field.
    const FIELD: PrimeField;
}

impl Poseidon2Field for Bls12381Scalar {
    const FIELD: PrimeField = PrimeField::Bls12381;
}

impl Poseidon2Field for Bn254Scalar {
    const FIELD: PrimeField = PrimeField::Bn254;
}

impl Poseidon2Field for PallasBase {
    const FIELD: PrimeField = PrimeField::Pallas;
}

impl Poseidon2Field for VestaBase {
    const FIELD: PrimeField = PrimeField::Vesta;
}
