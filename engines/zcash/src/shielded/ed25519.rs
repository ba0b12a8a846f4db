// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ed25519 signatures by the rules of Zcash (protocol specification, section 5.4.6). Points may
//! have encodings that are not canonical; the arithmetic is that of `curve25519-dalek`.

use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::IsIdentity;
use sha2::{Digest, Sha512};

/// The equation that a signature (R, S) under a key A fulfills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equation {
    /// S·B = R + k·A, where R does not have an excluded encoding: before Canopy.
    WithoutCofactor,
    /// 8·S·B = 8·R + 8·k·A: from Canopy on (ZIP 215).
    WithCofactor,
}

/// The encodings that R must not have before Canopy, because libsodium 1.0.15 refused them.
const EXCLUDED: [&str; 11] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "13e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "b4176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "d9ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "daffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
];

/// Returns `true` if the signature of this message is valid.
pub fn verify(equation: Equation, key: &[u8; 32], signature: &[u8; 64], message: &[u8]) -> bool {
    difference(key, signature, message).is_some_and(|difference| match equation {
        Equation::WithCofactor => difference.mul_by_cofactor().is_identity(),
        Equation::WithoutCofactor => difference.is_identity() && !is_excluded(&signature[..32]),
    })
}

fn is_excluded(encoding: &[u8]) -> bool {
    EXCLUDED.contains(&hex::encode(encoding).as_str())
}

/// Returns S·B − k·A − R; `None` if S is not below the order, or A or R is not a point.
fn difference(key: &[u8; 32], signature: &[u8; 64], message: &[u8]) -> Option<EdwardsPoint> {
    let (r_bytes, s_bytes) = signature.split_at(32);
    let s_bytes = <[u8; 32]>::try_from(s_bytes).ok()?;
    let s = Option::<Scalar>::from(Scalar::from_canonical_bytes(s_bytes))?;
    let r = CompressedEdwardsY::from_slice(r_bytes).ok()?.decompress()?;
    let a = CompressedEdwardsY(*key).decompress()?;
    let hash = Sha512::new().chain_update(r_bytes).chain_update(key).chain_update(message);
    let k = Scalar::from_bytes_mod_order_wide(&hash.finalize().into());
    Some(EdwardsPoint::vartime_double_scalar_mul_basepoint(&k, &-a, &s) - r)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ed25519_zebra::{Signature, VerificationKey};
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Signs with the scalar of a key, after a point of small order was added to R or A.
    fn sign(random: &mut ChaCha8Rng, torsion: [EdwardsPoint; 2]) -> ([u8; 32], [u8; 64], Vec<u8>) {
        let message: Vec<u8> = (0..random.gen_range(0..80)).map(|_| random.gen()).collect();
        let [secret, nonce] =
            [(); 2].map(|()| Scalar::from_bytes_mod_order(random.gen::<[u8; 32]>()));
        let base = |scalar: &Scalar| EdwardsPoint::mul_base(scalar);
        let key = (base(&secret) + torsion[0]).compress().0;
        let r = (base(&nonce) + torsion[1]).compress().0;
        let hash = Sha512::new().chain_update(r).chain_update(key).chain_update(&message);
        let k = Scalar::from_bytes_mod_order_wide(&hash.finalize().into());
        let s = nonce + k * secret;
        let mut signature = [0; 64];
        signature[..32].copy_from_slice(&r);
        signature[32..].copy_from_slice(&s.to_bytes());
        (key, signature, message)
    }

    fn both(key: &[u8; 32], signature: &[u8; 64], message: &[u8]) -> [bool; 2] {
        let peer = VerificationKey::try_from(*key)
            .is_ok_and(|key| key.verify(&Signature::from(*signature), message).is_ok());
        assert_eq!(verify(Equation::WithCofactor, key, signature, message), peer);
        [Equation::WithoutCofactor, Equation::WithCofactor]
            .map(|equation| verify(equation, key, signature, message))
    }

    #[test]
    fn the_rules_differ_before_and_from_canopy() {
        let mut random = ChaCha8Rng::seed_from_u64(0x215);
        let none = EdwardsPoint::default();
        let torsion = curve25519_dalek::constants::EIGHT_TORSION[1];
        for _ in 0..50 {
            let (key, signature, message) = sign(&mut random, [none, none]);
            assert_eq!(both(&key, &signature, &message), [true; 2]);
            let bit = random.gen_range(0..512);
            let mut damaged = signature;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(both(&key, &damaged, &message), [false; 2]);
            // S plus the order.
            let mut large = signature;
            let order = [
                0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9,
                0xde, 0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
            ];
            let mut carry = 0;
            for (byte, add) in large[32..].iter_mut().zip(order) {
                let sum = u16::from(*byte) + add + carry;
                (*byte, carry) = (sum as u8, sum >> 8);
            }
            assert_eq!(both(&key, &large, &message), [false; 2]);
            // R or A with a component of order 8: only the cofactor removes it.
            let (key, signature, message) = sign(&mut random, [none, torsion]);
            assert_eq!(both(&key, &signature, &message), [false, true]);
            let mixed = sign(&mut random, [torsion, none]);
            assert!(both(&mixed.0, &mixed.1, &mixed.2)[1]);
        }
        // R and A of small order and S = 0 fulfill the equation with every message.
        let zero = [0; 32];
        for encoding in EXCLUDED {
            let mut r = [0; 32];
            hex::decode_to_slice(encoding, &mut r).unwrap();
            let mut signature = [0; 64];
            signature[..32].copy_from_slice(&r);
            assert!(!both(&r, &signature, b"message")[0]);
            assert!(!both(&zero, &signature, b"message")[0]);
        }
    }
}
