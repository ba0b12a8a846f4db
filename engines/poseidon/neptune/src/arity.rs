// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Numbers of elements per hash, as types.

use ff::PrimeField;
use generic_array::typenum::{
    Add1, Unsigned, U0, U1, U10, U11, U12, U13, U14, U15, U16, U17, U18, U19, U2, U20, U21, U22,
    U23, U24, U25, U26, U27, U28, U29, U3, U30, U31, U32, U33, U34, U35, U36, U4, U5, U6, U7, U8,
    U9,
};
use generic_array::ArrayLength;

/// The number of elements per hash, as a type.
pub trait Arity<T>: ArrayLength<T> {
    /// The width: the arity plus one.
    type ConstantsSize: ArrayLength<T>;

    /// Returns 2^arity − 1, the domain tag of a Merkle tree.
    fn tag() -> T;
}

/// The type of a level without trees; hashes nothing.
impl<F: PrimeField> Arity<F> for U0 {
    type ConstantsSize = U0;

    fn tag() -> F {
        F::ZERO
    }
}

macro_rules! arities {
    ($($arity:ty),*) => {
        $(
            impl<F: PrimeField> Arity<F> for $arity {
                type ConstantsSize = Add1<$arity>;

                fn tag() -> F {
                    F::from((1 << <$arity as Unsigned>::U64) - 1)
                }
            }
        )*
    };
}

arities!(
    U1, U2, U3, U4, U5, U6, U7, U8, U9, U10, U11, U12, U13, U14, U15, U16, U17, U18, U19, U20, U21,
    U22, U23, U24, U25, U26, U27, U28, U29, U30, U31, U32, U33, U34, U35, U36
);
