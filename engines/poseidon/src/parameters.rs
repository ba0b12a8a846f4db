// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The constants of an instance, generated from its specification.

use halimede_arith::field::{Bls12381Scalar, Modulus, StarkPrime};
use halimede_arith::{Felt, Field, Fr};

use crate::instance::{Family, Instance};
use crate::{grain, hades, Matrix};

/// The constants of one instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters<M: Modulus> {
    /// The instance of these parameters.
    pub instance: Instance,
    /// The (R_F + R_P)·t round constants in the order of use, t per round.
    pub round_constants: Vec<Field<M>>,
    /// The linear layer.
    pub mds: Matrix<M>,
}

/// A field that has instances: its S-box and its parameters.
pub trait PoseidonField: Modulus {
    /// x^α with the family's α.
    fn sbox(x: Field<Self>) -> Field<Self>;

    /// Returns the parameters of an instance, or `None` if it belongs to the other field.
    fn parameters(instance: Instance) -> Option<Parameters<Self>>;
}

impl PoseidonField for Bls12381Scalar {
    #[inline(always)]
    fn sbox(x: Fr) -> Fr {
        x.square().square() * x
    }

    fn parameters(instance: Instance) -> Option<Parameters<Self>> {
        match instance.family() {
            Family::Filecoin(_) => Some(Parameters {
                instance,
                round_constants: grain::round_constants(instance),
                mds: cauchy_mds(instance.width()),
            }),
            Family::Stark => None,
        }
    }
}

impl PoseidonField for StarkPrime {
    #[inline(always)]
    fn sbox(x: Felt) -> Felt {
        x.square() * x
    }

    fn parameters(instance: Instance) -> Option<Parameters<Self>> {
        match instance.family() {
            Family::Filecoin(_) => None,
            Family::Stark => Some(Parameters {
                instance,
                round_constants: hades::round_constants(instance),
                mds: stark_mds(instance.width()),
            }),
        }
    }
}

/// Filecoin's matrix 1/(xᵢ + yⱼ) with xᵢ = i, yⱼ = t + j (Filecoin specification, Poseidon, "MDS
/// matrix"). The denominators are small and not zero.
fn cauchy_mds(width: usize) -> Matrix<Bls12381Scalar> {
    Matrix::from_fn(width, |i, j| Fr::from((i + j + width) as u64).inverse().unwrap_or_default())
}

/// StarkWare's matrix: ones, except on the diagonal, which is [`stark_diagonal`].
fn stark_mds(width: usize) -> Matrix<StarkPrime> {
    let diagonal = stark_diagonal(width);
    Matrix::from_fn(width, |i, j| if i == j { small(diagonal[i]) } else { Felt::ONE })
}

/// The diagonal of StarkWare's matrix, as StarkWare publishes it with its Poseidon parameters.
pub(crate) const fn stark_diagonal(width: usize) -> &'static [i64] {
    match width {
        3 => &[3, -1, -2],
        4 => &[2, 1, 0, -1],
        5 => &[3, 2, 1, -1, -2],
        _ => &[5, 4, 3, 2, 1, 0, -1, -3, -4],
    }
}

fn small(value: i64) -> Felt {
    let magnitude = Felt::from(value.unsigned_abs());
    if value < 0 {
        -magnitude
    } else {
        magnitude
    }
}
