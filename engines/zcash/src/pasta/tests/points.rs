// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The serial formulas.

use super::*;
use crate::pasta::fixed::multiple;

fn check_formulas<M: Reference>() {
    let mut random = random(0xadd);
    let (a, b) = (point::<M>(&mut random), point::<M>(&mut random));
    let points = [M::Curve::identity(), a, -a, b, a + b, a - b, a.double()];
    // The neutral element with other coordinates, and points with Z ≠ 1.
    let projective = |point: &M::Curve| match affine::<M>(point) {
        Some(affine) => {
            let z = Field::from(7);
            Projective { x: affine.x * z, y: affine.y * z, z }
        }
        None => Projective { x: Field::ZERO, y: Field::from(3), z: Field::ZERO },
    };
    for first in &points {
        let ours = projective(first);
        check::<M>(&ours.double(), &first.double(), "double");
        check::<M>(&ours.negated(), &-*first, "negated");
        assert_eq!(ours.is_identity(), bool::from(first.is_identity()));
        for second in &points {
            check::<M>(&ours.add(&projective(second)), &(*first + *second), "sum");
            if let Some(second) = affine::<M>(second) {
                check::<M>(&ours.add_affine(&second), &(*first + second_of::<M>(&second)), "mixed");
            }
        }
    }
    for factor in factors::<M>(&mut random, 12) {
        let got = multiple(&affine::<M>(&a).unwrap(), factor);
        check::<M>(&got, &(a * scalar::<M>(factor)), "multiple");
    }
}

/// Converts a point to the reference.
fn second_of<M: Reference>(point: &Affine<M>) -> M::Curve {
    M::Curve::from_bytes(&encode(Some(point))).unwrap()
}

#[test]
fn formulas_of_pallas_are_those_of_the_reference() {
    check_formulas::<PallasBase>();
}

#[test]
fn formulas_of_vesta_are_those_of_the_reference() {
    check_formulas::<VestaBase>();
}
