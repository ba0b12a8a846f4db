// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches of RedPallas signatures (Zcash protocol specification, sections 5.4.7 and B.1), in
//! lanes.
//!
//! The equation is Σ zᵢ·(Rᵢ + cᵢ·Aᵢ − sᵢ·G) = 0 with random multipliers zᵢ, where G is the
//! generator of the key's role. The order of Pallas is prime.

use std::sync::OnceLock;

use halimede_arith::field::{PallasBase, VestaBase};

use crate::numbers::from_number;
use crate::pasta::{decode, sum, Affine, Decoded, Fq, Machine, Projective, Row, Terms};
use crate::reddsa::{challenges, Multiplier, Signed, ROLES};

/// The personalization of challenges (section 5.4.7).
const PERSONALIZATION: &[u8; 16] = b"Zcash_RedPallasH";

/// The encodings of the generators of the roles (section 5.4.7.1 and 5.4.7.2), and of 𝒱 of value
/// commitments (section 5.4.8.3).
const GENERATORS: [[u8; 32]; ROLES + 1] = [
    [
        0x63, 0xc9, 0x75, 0xb8, 0x84, 0x72, 0x1a, 0x8d, 0x0c, 0xa1, 0x70, 0x7b, 0xe3, 0x0c, 0x7f,
        0x0c, 0x5f, 0x44, 0x5f, 0x3e, 0x7c, 0x18, 0x8d, 0x3b, 0x06, 0xd6, 0xf1, 0x28, 0xb3, 0x23,
        0x55, 0xb7,
    ],
    [
        0x91, 0x5a, 0x3c, 0x88, 0x68, 0xc6, 0xc3, 0x0e, 0x2f, 0x80, 0x90, 0xee, 0x45, 0xd7, 0x6e,
        0x40, 0x48, 0x20, 0x8d, 0xea, 0x5b, 0x23, 0x66, 0x4f, 0xbb, 0x09, 0xa4, 0x0f, 0x55, 0x44,
        0xf4, 0x07,
    ],
    [
        0x67, 0x43, 0xf9, 0x3a, 0x6e, 0xbd, 0xa7, 0x2a, 0x8c, 0x7c, 0x5a, 0x2b, 0x7f, 0xa3, 0x04,
        0xfe, 0x32, 0xb2, 0x9b, 0x4f, 0x70, 0x6a, 0xa8, 0xf7, 0x42, 0x0f, 0x3d, 0x8e, 0x7a, 0x59,
        0x70, 0x2f,
    ],
];

/// The bits of a digit of a value.
const DIGIT_BITS: u32 = 4;
/// The number of digits of a value.
const DIGITS: usize = (u64::BITS / DIGIT_BITS) as usize;

/// The fixed points of signatures.
struct Setup {
    generators: [Row; ROLES],
    /// The multiples 1 to 15 of 2^(4w)·𝒱.
    values: Vec<Affine<PallasBase>>,
}

impl Setup {
    fn get(machine: Machine) -> Option<&'static Self> {
        static SETUP: OnceLock<Option<Setup>> = OnceLock::new();
        SETUP.get_or_init(|| Self::new(machine)).as_ref()
    }

    fn new(machine: Machine) -> Option<Self> {
        let points = decode::<PallasBase>(machine, &GENERATORS)?;
        let points: Vec<_> = points.into_iter().map(Decoded::point).collect::<Option<_>>()?;
        let [spend, binding, value] = *points.as_array()?;
        let mut multiples = Vec::with_capacity(DIGITS << DIGIT_BITS);
        let mut base = value.projective();
        for _ in 0..DIGITS {
            let all = std::iter::successors(Some(base), |multiple| Some(multiple.add(&base)));
            multiples.extend(all.take((1 << DIGIT_BITS) - 1));
            base = (0..DIGIT_BITS).fold(base, |point, _| point.double());
        }
        let values = crate::pasta::normalize(&multiples).into_iter().flatten().collect();
        Some(Self { generators: [Row::new(&spend), Row::new(&binding)], values })
    }

    /// Returns value·𝒱.
    fn multiple(&self, value: i64) -> Projective<PallasBase> {
        let magnitude = value.unsigned_abs();
        let mut sum = Projective::IDENTITY;
        for (window, table) in self.values.chunks((1 << DIGIT_BITS) - 1).enumerate() {
            let digit = magnitude >> (window as u32 * DIGIT_BITS) & ((1 << DIGIT_BITS) - 1);
            if let Some(point) = (digit as usize).checked_sub(1).and_then(|place| table.get(place))
            {
                sum = sum.add_affine(point);
            }
        }
        if value < 0 {
            sum.negated()
        } else {
            sum
        }
    }
}

/// Returns the binding key before its normalization: the sum of the value commitments minus the
/// balance (section 4.14). `None` without lanes.
pub fn binding_key(
    machine: Machine,
    commitments: impl IntoIterator<Item = Option<Affine<PallasBase>>>,
    balance: i64,
) -> Option<Projective<PallasBase>> {
    let minus_value = Setup::get(machine)?.multiple(balance).negated();
    Some(commitments.into_iter().flatten().fold(minus_value, |sum, point| sum.add_affine(&point)))
}

/// A signature with its points; `None` is the neutral element.
#[derive(Clone, Copy, Debug)]
pub struct Opened {
    pub signed: Signed,
    pub nonce: Option<Affine<PallasBase>>,
    pub key: Option<Affine<PallasBase>>,
}

/// Returns `true` if the signatures hold, each with its random multiplier. `None` without lanes.
pub fn hold(machine: Machine, all: &[Opened], multipliers: &[Multiplier]) -> Option<bool> {
    let setup = Setup::get(machine)?;
    let signed: Vec<Signed> = all.iter().map(|opened| opened.signed).collect();
    let challenges = challenges::<VestaBase>(PERSONALIZATION, &signed);
    let mut terms = Terms::<PallasBase>::default();
    let mut responses = [Fq::ZERO; ROLES];
    for ((opened, challenge), multiplier) in all.iter().zip(challenges).zip(multipliers) {
        let Some(response) = opened.signed.response::<VestaBase>() else { return Some(false) };
        let factor: Fq = from_number(multiplier.magnitude);
        let factor = if multiplier.is_negative { -factor } else { factor };
        responses[opened.signed.role as usize] -= factor * response;
        terms.extend_short(opened.nonce.map(|nonce| {
            let nonce = if multiplier.is_negative { nonce.negated() } else { nonce };
            (Row::new(&nonce), multiplier.magnitude)
        }));
        let factor = (factor * challenge).canonical_limbs();
        terms.extend(opened.key.map(|key| (Row::new(&key), factor)));
    }
    let responses = responses.map(|response| response.canonical_limbs());
    terms.extend(setup.generators.into_iter().zip(responses));
    Some(sum(machine, &terms)?.is_identity())
}

#[cfg(test)]
mod tests {
    use pasta_curves::arithmetic::CurveExt;
    use pasta_curves::group::GroupEncoding;
    use pasta_curves::pallas::Point;

    use super::*;

    #[test]
    fn the_generators_are_hashes_to_the_curve() {
        let names =
            [("z.cash:Orchard", b"G"), ("z.cash:Orchard-cv", b"r"), ("z.cash:Orchard-cv", b"v")];
        for ((domain, message), generator) in names.into_iter().zip(GENERATORS) {
            let expected = Point::hash_to_curve(domain)(message).to_bytes();
            assert_eq!(hex::encode(generator), hex::encode(expected), "{domain}");
        }
    }
}
