// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The contributions of a party to collective keys (Mouchet, Troncoso-Pastoriza, Bossuat, Hubaux,
//! "Multiparty homomorphic encryption from ring-learning-with-errors", PETS 2021, section 4).
//!
//! Public keys and keys for automorphisms are linear in the secret and the error, so their sum is
//! the key of the sum of the secrets. The key for products, from s² to s, takes two rounds. With
//! uniform a and a' from the common reference string, and for each digit with P·g:
//!
//! 1. Party i samples a ternary mask uᵢ, and publishes hᵢ = −uᵢ·a + P·g·sᵢ + e₀ᵢ and kᵢ = sᵢ·a +
//!    e₁ᵢ.
//! 2. With the sums h and k of all parties, party i publishes bᵢ = sᵢ·(h − a') + uᵢ·k + e₂ᵢ.
//!
//! The sum of the bᵢ is b = −a'·s + P·g·s² + s·e₀ + u·e₁ + e₂: a key whose uniform half a' comes
//! from a seed. In the paper the second round has two polynomials, `sᵢ·h + e₂ᵢ` and `(uᵢ − sᵢ)·k +
//! e₃ᵢ`, and the key has the half k instead of a'. Here the term −sᵢ·a' moves the key to a', and
//! uᵢ·k needs no separate error, since sᵢ·(h − a') + e₂ᵢ hides it: a' is used nowhere else.
//!
//! Polynomials are in Montgomery form as in [`crate::keys::SwitchingKey`]: messages and errors
//! times 2³², and uniform halves as they are expanded.

use super::session::Session;
use super::subject::Subject;
use crate::keys::{error, inverse_exponent, Gadget, KeyUse, SecretKey, SwitchingKey, LOW_LEVEL};
use crate::params::Parameters;
use crate::ring::{Basis, Polynomial};
use crate::sampling::{uniform, Random};

/// The polynomials of a key or of a round: for each digit one, or two in the first round for
/// products.
pub(super) fn bases(parameters: &Parameters, subject: Subject) -> Vec<Basis> {
    let of = |of, level: usize| {
        Gadget::of_use(parameters, of).key_bases(&parameters.primes_to_level(level))
    };
    match subject {
        Subject::PublicKey => vec![parameters.chain().main.clone()],
        Subject::Products(level) => {
            let bases = of(KeyUse::Multiply, level.into());
            bases.iter().flat_map(|basis| [basis.clone(), basis.clone()]).collect()
        }
        Subject::Reply(level) => of(KeyUse::Multiply, level.into()),
        Subject::Automorphism(exponent, level) => {
            of(KeyUse::Automorphism(exponent.into()), level.into())
        }
        Subject::LowAutomorphism(exponent) => {
            of(KeyUse::LowAutomorphism(exponent.into()), LOW_LEVEL)
        }
        Subject::Share(_) | Subject::HandOver(_) => vec![parameters.ring().all()],
        Subject::Decryption(_) | Subject::Switch(_) | Subject::Refresh(_) => Vec::new(),
    }
}

/// Returns the contribution to the key for an automorphism.
pub(super) fn automorphism(
    session: &Session,
    secret: &SecretKey,
    of: KeyUse,
    (exponent, level): (u64, usize),
    subject: Subject,
    random: &mut Random,
) -> Vec<Polynomial> {
    let parameters = session.parameters();
    let (gadget, seed) = (Gadget::of_use(parameters, of), session.seed(subject, 0));
    let inverse = inverse_exponent(exponent, parameters.ring().log_degree());
    let image = parameters.ring().automorphism(secret.values(), inverse);
    let secrets = [secret.values(), &image];
    let digits = SwitchingKey::digits(parameters, &gadget, level, secrets, &seed, random);
    digits.into_iter().map(|(b, _)| b).collect()
}

/// Returns hᵢ and kᵢ of each digit, for a mask uᵢ.
pub(super) fn products(
    session: &Session,
    secret: &SecretKey,
    mask: &Polynomial,
    level: usize,
    random: &mut Random,
) -> Vec<Polynomial> {
    let parameters = session.parameters();
    let (ring, gadget) = (parameters.ring(), Gadget::of(parameters));
    let seed = session.seed(Subject::Products(level as u16), 0);
    let secrets = [secret.values(), mask];
    let digits = SwitchingKey::digits(parameters, &gadget, level, secrets, &seed, random);
    let both = |(h, a): (Polynomial, Polynomial)| {
        let mut k = a;
        ring.mul(&mut k, secret.values());
        ring.add(&mut k, &scaled_error(parameters, h.basis(), random));
        // The error hides the secret.
        k.declassify();
        [h, k]
    };
    digits.into_iter().flat_map(both).collect()
}

/// Returns bᵢ of each digit, from the sums h and k of all parties.
pub(super) fn reply(
    session: &Session,
    secret: &SecretKey,
    mask: &Polynomial,
    level: usize,
    sums: &[Polynomial],
    random: &mut Random,
) -> Vec<Polynomial> {
    let parameters = session.parameters();
    let (ring, seed) = (parameters.ring(), session.seed(Subject::Reply(level as u16), 0));
    let digit = |(index, pair): (u32, &[Polynomial])| {
        let (basis, mut b) = (pair[0].basis(), pair[0].clone());
        ring.sub(&mut b, &uniform(ring, basis, &seed, index));
        ring.mul(&mut b, secret.values());
        ring.mul_add(&mut b, &pair[1], mask);
        ring.add(&mut b, &scaled_error(parameters, basis, random));
        // The error hides the secret and the mask.
        b.declassify();
        b
    };
    (0..).zip(sums.chunks_exact(2)).map(digit).collect()
}

/// Samples an error, times 2³².
fn scaled_error(parameters: &Parameters, basis: &Basis, random: &mut Random) -> Polynomial {
    let mut error = error(parameters, basis, random);
    parameters.ring().scale(&mut error, |modulus| modulus.reduce(1 << 32));
    error
}
