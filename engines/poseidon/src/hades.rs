// SPDX-License-Identifier: Apache-2.0 OR MIT
//! StarkWare's round constants: the i-th is SHA-256("Hades" ‖ decimal i), big-endian, mod p.

use halimede_arith::Felt;
use sha2::{Digest, Sha256};

use crate::instance::Instance;

/// The (R_F + R_P)·t round constants, in the order of use.
pub(crate) fn round_constants(instance: Instance) -> Vec<Felt> {
    let rounds = instance.full_rounds() + instance.partial_rounds();
    (0..rounds * instance.width()).map(constant).collect()
}

fn constant(index: usize) -> Felt {
    let digest = Sha256::digest(format!("Hades{index}"));
    // Horner's rule over the bytes: the digest has 256 bits, p has only 252.
    let base = Felt::from(256);
    digest.iter().fold(Felt::ZERO, |value, byte| value * base + Felt::from(u64::from(*byte)))
}
