// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of multiples of fixed points.

use super::*;

const COUNT: usize = 2;

fn check_fixed<M: Reference>() {
    let mut random = random(0xf1);
    let points: [M::Curve; COUNT] = std::array::from_fn(|_| point::<M>(&mut random));
    let constants = [M::Curve::identity(), point::<M>(&mut random)];
    let bases = points.map(|point| affine::<M>(&point).unwrap());
    let projective = |point: &M::Curve| {
        affine::<M>(point).map_or(Projective::IDENTITY, |affine| affine.projective())
    };
    let half = Field::<M::Scalars>::from(2).inverse().unwrap().canonical_limbs();
    let tables = FixedPoints::new(&bases, half, &constants.each_ref().map(projective));
    let factors = factors::<M>(&mut random, 20);
    for count in [0, 1, 7, 8, 9] {
        let sums = (0..count).map(|number| FixedSum {
            factors: [factors[number], factors[(3 * number + 1) % factors.len()]],
            constant: number % 2,
        });
        let sums: Vec<FixedSum<COUNT>> = sums.collect();
        for machine in machines() {
            let got = tables.sums(machine, &sums).unwrap();
            assert_eq!(got.len(), count);
            for (got, sum) in got.iter().zip(&sums) {
                let expected = sum_of::<M>(&points, &sum.factors) + constants[sum.constant];
                check::<M>(got, &expected, &format!("{sum:x?}, {machine:?}"));
            }
        }
    }
}

#[test]
fn fixed_sums_of_vesta_are_those_of_the_reference() {
    check_fixed::<VestaBase>();
}
