// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of points of both groups, as a job of the tour.

use halimede_bls12_381::operations::{Call, Evaluate};
use halimede_bls12_381::{Point, G1, G2};

use super::Tour;
use crate::arguments::DeviceOptions;
use crate::devices::open_for;
use crate::error::CommandError;

/// The generators' encodings (draft-irtf-cfrg-pairing-friendly-curves-11, section 4.2.1).
const GENERATORS: [&str; 2] = [
    "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb",
    "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e\
     024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8",
];

/// The engine may have a simulated card to itself, which may not be built.
pub fn visit(tour: &mut Tour<'_>, options: &DeviceOptions) -> Result<(), CommandError> {
    let (p, q) = (Point::<G1>::generator(), Point::<G2>::generator());
    let calls = [
        Call::AddG1(vec![p, p.negated(), p]),
        Call::AddG2(vec![q, Point::default(), q, q.negated()]),
    ];
    let expected = GENERATORS.map(|digits| Ok(hex::decode(digits).unwrap_or_default()));
    let name = "bls12_381: sums of points".to_owned();
    let alone = match options.device.as_str() {
        "sim" => open_for::<Evaluate>(options).ok(),
        _ => None,
    };
    match &alone {
        Some(device) => tour.job_on::<Evaluate>(device, name, &calls, &expected),
        None => tour.job::<Evaluate>(name, &calls, &expected),
    }
}
