// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Generated parameters of the Pasta fields against those of `halo2_poseidon`, which Orchard uses:
//! every constant and every entry of the matrix.

use ff::PrimeField;
use halimede_poseidon::generate::{GeneratedParameters, NamedField};
use halo2_poseidon::{P128Pow5T3, Spec};
use num_bigint::BigUint;
use pasta_curves::{Fp, Fq};

fn canonical<F: PrimeField<Repr = [u8; 32]>>(element: &F) -> BigUint {
    BigUint::from_bytes_le(&element.to_repr())
}

fn compare<F: PrimeField<Repr = [u8; 32]>>(field: &str)
where
    P128Pow5T3: Spec<F, 3, 2>,
{
    let ours = NamedField::find(field).unwrap().specification(3).unwrap().generate().unwrap();
    let rounds = ours.rounds();
    let peer_rounds = (
        <P128Pow5T3 as Spec<F, 3, 2>>::full_rounds(),
        <P128Pow5T3 as Spec<F, 3, 2>>::partial_rounds(),
    );
    assert_eq!((rounds.full, rounds.partial), peer_rounds);
    let (constants, mds, _) = <P128Pow5T3 as Spec<F, 3, 2>>::constants();
    let constants: Vec<BigUint> = constants.iter().flatten().map(canonical).collect();
    assert_eq!(ours.round_constants(), constants, "{field}");
    let rows: Vec<Vec<BigUint>> =
        mds.iter().map(|row| row.iter().map(canonical).collect()).collect();
    assert_eq!(ours.mds(), rows, "{field}");
    let read = GeneratedParameters::from_json(&ours.to_json().unwrap()).unwrap();
    assert_eq!(read.mds(), rows);
}

#[test]
fn pasta_parameters_are_those_of_halo2() {
    compare::<Fp>("pallas");
    compare::<Fq>("vesta");
}
