// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Setups for examples: they have only the points that verification needs; the other points are
//! generators.

use halimede_arith::Fr;

use crate::kzg::cells::CELL_ELEMENTS;
use crate::kzg::{BLOB_ELEMENTS, G2_POINTS};
use crate::{Point, G1, G2};

/// τ times the generators of G1 and G2, from Ethereum's ceremony.
const TAU: [&str; 2] = [
    "ad3eb50121139aa34db1d545093ac9374ab7bca2c0f3bf28e27c8dcd8fc7cb42d25926fc0c97b336e9f0fb35e5a04c81",
    "b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2",
];

/// The secret of [`known`].
const KNOWN: u64 = 5;

/// Returns the text of a setup with these powers from the first on, and these points of G2.
fn text(powers: Vec<String>, g2_points: &[(usize, String)]) -> Vec<u8> {
    let g1 = hex::encode(Point::<G1>::generator().to_compressed());
    let g2 = hex::encode(Point::<G2>::generator().to_compressed());
    let mut lines = vec![BLOB_ELEMENTS.to_string(), G2_POINTS.to_string()];
    lines.resize(2 + BLOB_ELEMENTS, g1.clone());
    lines.resize(2 + BLOB_ELEMENTS + G2_POINTS, g2);
    for (index, point) in g2_points {
        lines[2 + BLOB_ELEMENTS + index].clone_from(point);
    }
    lines.extend(powers);
    lines.resize(2 + 2 * BLOB_ELEMENTS + G2_POINTS, g1);
    lines.join("\n").into_bytes()
}

/// The part of the ceremony's setup that openings need.
pub(super) fn ceremony() -> Vec<u8> {
    let g1 = hex::encode(Point::<G1>::generator().to_compressed());
    text(vec![g1, TAU[0].to_owned()], &[(1, TAU[1].to_owned())])
}

/// The part of a setup that cells need, whose secret is 5.
pub(super) fn known() -> Vec<u8> {
    let power = |exponent: usize| Fr::from(KNOWN).pow(&[exponent as u64]);
    let of_g1 = |exponent| Point::<G1>::generator().times(&power(exponent)).to_compressed();
    let of_g2 = |exponent| Point::<G2>::generator().times(&power(exponent)).to_compressed();
    let g2 = [1, CELL_ELEMENTS].map(|exponent| (exponent, hex::encode(of_g2(exponent))));
    text((0..=CELL_ELEMENTS).map(|exponent| hex::encode(of_g1(exponent))).collect(), &g2)
}
