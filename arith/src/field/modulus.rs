// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The moduli, and the Montgomery constants that follow from them at compile time.

use super::limbs::{double_mod, negative_inverse_64};

/// A prime modulus below 2²⁵⁵, as a type.
///
/// An implementation gives only [`Self::VALUE`] and the names; the rest is derived.
pub trait Modulus: Copy + Clone + Send + Sync + Eq + std::hash::Hash + 'static {
    /// The prime, least significant limb first.
    const VALUE: [u64; 4];
    /// The name for messages, e.g. `Fr`.
    const NAME: &'static str;
    /// The number of bits of the prime.
    const BITS: u32 = 256 - Self::VALUE[3].leading_zeros();
    /// −p⁻¹ mod 2⁶⁴, the factor of the Montgomery quotient.
    const NEGATIVE_INVERSE: u64 = negative_inverse_64(Self::VALUE[0]);
    /// R = 2²⁵⁶ mod p: the Montgomery form of 1.
    const R: [u64; 4] = double_mod([1, 0, 0, 0], Self::VALUE, 256);
    /// R² mod p: the factor that converts a canonical value to Montgomery form.
    const R_SQUARED: [u64; 4] = double_mod([1, 0, 0, 0], Self::VALUE, 512);
}

/// The order r of BLS12-381's groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bls12381Scalar;

impl Modulus for Bls12381Scalar {
    const VALUE: [u64; 4] = [
        0xffff_ffff_0000_0001,
        0x53bd_a402_fffe_5bfe,
        0x3339_d808_09a1_d805,
        0x73ed_a753_299d_7d48,
    ];
    const NAME: &'static str = "Fr";
}

/// StarkWare's prime 2²⁵¹ + 17·2¹⁹² + 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StarkPrime;

impl Modulus for StarkPrime {
    const VALUE: [u64; 4] = [1, 0, 0, 0x0800_0000_0000_0011];
    const NAME: &'static str = "Felt";
}

/// The prime of the base field of the curve Pallas, which is the order of Vesta (Zcash protocol
/// specification, section 5.4.9.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PallasBase;

impl Modulus for PallasBase {
    const VALUE: [u64; 4] =
        [0x992d_30ed_0000_0001, 0x2246_98fc_094c_f91b, 0, 0x4000_0000_0000_0000];
    const NAME: &'static str = "Pallas base field";
}

/// The prime of the base field of the curve Vesta, which is the order of Pallas (Zcash protocol
/// specification, section 5.4.9.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VestaBase;

impl Modulus for VestaBase {
    const VALUE: [u64; 4] =
        [0x8c46_eb21_0000_0001, 0x2246_98fc_0994_a8dd, 0, 0x4000_0000_0000_0000];
    const NAME: &'static str = "Vesta base field";
}

/// The order of BN254's groups, which Ethereum's precompiles and circom call the scalar field of
/// alt_bn128 (EIP-196).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bn254Scalar;

impl Modulus for Bn254Scalar {
    const VALUE: [u64; 4] = [
        0x43e1_f593_f000_0001,
        0x2833_e848_79b9_7091,
        0xb850_45b6_8181_585d,
        0x3064_4e72_e131_a029,
    ];
    const NAME: &'static str = "BN254 scalar field";
}
