// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arithmetic modulo one prime of at most 30 bits.

use super::prime::is_prime;

/// Moduli are below 2^MODULUS_BITS, so that sums of four residues fit in a word.
pub const MODULUS_BITS: u32 = 30;

/// An odd prime q below 2³⁰, with constants for the reduction of products.
///
/// Residues are in [0, q) unless a function states another range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Modulus {
    value: u32,
    /// −q⁻¹ mod 2³².
    negated_inverse: u32,
    /// 2⁶⁴ mod q.
    montgomery_square: u32,
    /// ⌊2^(2k) / q⌋, where k is the number of bits of q.
    barrett: u32,
}

/// The reason why a modulus is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum ModulusError {
    /// The modulus is even, below 3, or too large.
    #[error("a modulus must be odd and lie between 3 and 2^{MODULUS_BITS}; got {got}")]
    Range { got: u32 },
    /// The modulus is not prime.
    #[error("a modulus must be prime; {got} is not")]
    Composite { got: u32 },
    /// The modulus has no root of unity of the order that the transform needs.
    #[error("the modulus {modulus} is not 1 modulo {order}, so that it has no root of that order")]
    Order { modulus: u32, order: u32 },
}

/// a and b of a Gaussian integer a + b·i, modulo a prime.
pub type Gaussian = [u32; 2];

/// A constant factor with ⌊factor · 2³² / q⌋, which avoids divisions in products with it (Harvey,
/// "Faster arithmetic for number-theoretic transforms", 2014, section 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shoup {
    /// The factor, in [0, q).
    pub factor: u32,
    /// ⌊factor · 2³² / q⌋.
    pub quotient: u32,
}

impl Modulus {
    /// Creates a modulus.
    ///
    /// # Errors
    /// [`ModulusError`] if `value` is not an odd prime below 2³⁰.
    pub fn new(value: u32) -> Result<Self, ModulusError> {
        if value < 3 || value.is_multiple_of(2) || value >> MODULUS_BITS != 0 {
            return Err(ModulusError::Range { got: value });
        }
        if !is_prime(value) {
            return Err(ModulusError::Composite { got: value });
        }
        let mut inverse = value; // correct modulo 2³: each step doubles the bits
        for _ in 0..4 {
            inverse = inverse.wrapping_mul(2u32.wrapping_sub(value.wrapping_mul(inverse)));
        }
        let bits = 32 - value.leading_zeros();
        Ok(Self {
            value,
            negated_inverse: inverse.wrapping_neg(),
            montgomery_square: ((1u128 << 64) % u128::from(value)) as u32,
            barrett: ((1u64 << (2 * bits)) / u64::from(value)) as u32,
        })
    }

    /// The modulus q.
    pub fn value(self) -> u32 {
        self.value
    }

    /// −q⁻¹ mod 2³².
    pub fn negated_inverse(self) -> u32 {
        self.negated_inverse
    }

    /// The number k of bits of q, and ⌊2^(2k) / q⌋, which has k + 1 bits (Barrett, 1986).
    pub fn barrett(self) -> (u32, u32) {
        (32 - self.value.leading_zeros(), self.barrett)
    }

    /// a + b mod q.
    #[inline(always)]
    pub fn add(self, a: u32, b: u32) -> u32 {
        reduce_once(a + b, self.value)
    }

    /// a − b mod q.
    #[inline(always)]
    pub fn sub(self, a: u32, b: u32) -> u32 {
        reduce_once(a + self.value - b, self.value)
    }

    /// −a mod q.
    #[inline(always)]
    pub fn neg(self, a: u32) -> u32 {
        reduce_once(self.value - a, self.value)
    }

    /// a · b mod q.
    #[inline(always)]
    pub fn mul(self, a: u32, b: u32) -> u32 {
        (u64::from(a) * u64::from(b) % u64::from(self.value)) as u32
    }

    /// a mod q.
    #[inline(always)]
    pub fn reduce(self, a: u64) -> u32 {
        (a % u64::from(self.value)) as u32
    }

    /// The product of other moduli, mod q.
    pub fn product<'m>(self, moduli: impl IntoIterator<Item = &'m Self>) -> u32 {
        let step = |product, by: &Self| self.mul(product, self.reduce(u64::from(by.value)));
        moduli.into_iter().fold(1, step)
    }

    /// a mod q, for a signed number a.
    #[inline(always)]
    pub fn reduce_signed(self, a: i64) -> u32 {
        a.rem_euclid(i64::from(self.value)) as u32
    }

    /// a^exponent mod q.
    pub fn pow(self, a: u32, mut exponent: u64) -> u32 {
        let (mut power, mut result) = (a, 1 % self.value);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.mul(result, power);
            }
            power = self.mul(power, power);
            exponent >>= 1;
        }
        result
    }

    /// a⁻¹ mod q, or 0 for a = 0.
    pub fn inverse(self, a: u32) -> u32 {
        self.pow(a, u64::from(self.value) - 2)
    }

    /// Precomputes the quotient of a factor for products with many numbers.
    #[inline(always)]
    pub fn shoup(self, factor: u32) -> Shoup {
        let quotient = ((u64::from(factor) << 32) / u64::from(self.value)) as u32;
        Shoup { factor, quotient }
    }

    /// a · factor in [0, 2q), for any a below 2³².
    #[inline(always)]
    pub fn mul_shoup_lazy(self, a: u32, by: Shoup) -> u32 {
        let quotient = ((u64::from(a) * u64::from(by.quotient)) >> 32) as u32;
        a.wrapping_mul(by.factor).wrapping_sub(quotient.wrapping_mul(self.value))
    }

    /// a · factor mod q, for any a below 2³².
    #[inline(always)]
    pub fn mul_shoup(self, a: u32, by: Shoup) -> u32 {
        reduce_once(self.mul_shoup_lazy(a, by), self.value)
    }

    /// a · 2³² mod q: the form of the factors in sums for [`Self::montgomery_reduce`].
    #[inline(always)]
    pub fn to_montgomery(self, a: u32) -> u32 {
        self.montgomery_reduce(u64::from(a) * u64::from(self.montgomery_square))
    }

    /// a · 2⁻³² mod q (Montgomery, 1985), for any a of at most 2⁶⁴ − 2³²·q.
    #[inline(always)]
    pub fn montgomery_reduce(self, a: u64) -> u32 {
        let multiple = (a as u32).wrapping_mul(self.negated_inverse);
        let sum = a + u64::from(multiple) * u64::from(self.value);
        ((sum >> 32) % u64::from(self.value)) as u32
    }

    /// A primitive root of unity of the order 2N = 2^`log_order`. It is unique for each modulus:
    /// the power of the smallest generator that has this order.
    ///
    /// # Errors
    /// [`ModulusError::Order`] if q is not 1 modulo 2N.
    pub fn root(self, log_order: u32) -> Result<u32, ModulusError> {
        let order = 1u32 << log_order;
        if !(self.value - 1).is_multiple_of(order) {
            return Err(ModulusError::Order { modulus: self.value, order });
        }
        let exponent = u64::from((self.value - 1) / order);
        let is_primitive = |root: &u32| self.pow(*root, u64::from(order / 2)) == self.value - 1;
        (2..self.value)
            .map(|base| self.pow(base, exponent))
            .find(is_primitive)
            .ok_or(ModulusError::Composite { got: self.value })
    }
}

/// a mod q, for a in [0, 2q).
#[inline(always)]
pub fn reduce_once(a: u32, q: u32) -> u32 {
    a.min(a.wrapping_sub(q))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MODULI: [u32; 6] = [3, 17, 12_289, 65_537, 998_244_353, (1 << 30) - 35];

    #[test]
    fn what_is_no_modulus_is_refused() {
        for got in [0, 1, 2, 4, 1 << 30, (1 << 30) + 3, u32::MAX] {
            assert_eq!(Modulus::new(got), Err(ModulusError::Range { got }));
        }
        for got in [9, 561, 65_535, 25_326_001, 46_341 * 3 + 2] {
            assert_eq!(Modulus::new(got), Err(ModulusError::Composite { got }), "{got}");
        }
    }

    #[test]
    fn a_root_has_exactly_its_order() {
        let modulus = Modulus::new(998_244_353).unwrap();
        for log_order in 1..=23 {
            let root = modulus.root(log_order).unwrap();
            assert_eq!(modulus.pow(root, 1 << log_order), 1);
            assert_eq!(modulus.pow(root, 1 << (log_order - 1)), modulus.value() - 1);
        }
        let error = modulus.root(24).unwrap_err();
        assert_eq!(error, ModulusError::Order { modulus: 998_244_353, order: 1 << 24 });
    }

    /// T·2⁻¹⁷ modulo q = k·2¹⁷ + 1, as computed by one multiplier of a device: −q⁻¹ ≡ −1 modulo
    /// 2¹⁷, so that (T mod 2¹⁷)·q is subtracted from T. Asserts the widths of the product: 17 bits
    /// by 13 bits.
    fn device_step(sum: i128, q: u32) -> i128 {
        let (low, k) = (sum & 0x1_ffff, i128::from(q >> 17));
        assert!(q & 0x1_ffff == 1 && low < 1 << 17 && k < 1 << 13);
        (sum >> 17) - low * k
    }

    /// Two steps: T·2⁻³⁴, in (−q, T·2⁻³⁴] for T of at least 0.
    fn device_reduce(sum: i128, q: u32) -> i128 {
        device_step(device_step(sum, q), q)
    }

    /// Compares a sum of products whose second factors were multiplied by 2³⁴ with the plain sum.
    fn check_device(modulus: Modulus, pairs: &[(u32, u32)]) {
        let q = modulus.value();
        let power = modulus.reduce(1 << 34);
        let product = |(a, b): &(u32, u32)| i128::from(*a) * i128::from(modulus.mul(*b, power));
        let sum: i128 = pairs.iter().map(product).sum();
        let reduced = device_reduce(sum, q);
        let what = format!("{pairs:?} modulo {q}: {reduced}");
        assert!(reduced > -i128::from(q) && reduced <= sum >> 34, "{what}");
        // One product is below q/16, and 16 products are below q: one addition corrects both.
        assert!(reduced * 16 < pairs.len() as i128 * i128::from(q), "{what}");
        let corrected = if reduced < 0 { reduced + i128::from(q) } else { reduced };
        let plain = |sum, (a, b): &(u32, u32)| modulus.add(sum, modulus.mul(*a, *b));
        assert_eq!(corrected, i128::from(pairs.iter().fold(0, plain)), "{what}");
    }

    /// All primes that a chain can have: 1 modulo 2¹⁷ and below 2³⁰.
    fn device_moduli() -> Vec<Modulus> {
        let primes = crate::ring::primes_below(1 << MODULUS_BITS, 17);
        primes.map(|prime| Modulus::new(prime).unwrap()).collect()
    }

    #[test]
    fn two_montgomery_steps_of_17_bits_reduce_extreme_products_of_each_prime() {
        let moduli = device_moduli();
        assert_eq!(moduli.len(), 822);
        for modulus in moduli {
            let q = modulus.value();
            // k = ⌊q/2¹⁷⌋, multiples of 2¹⁷ and their neighbors, and numbers that are 0 or q − 1
            // times 2⁻³⁴.
            let inverse = modulus.inverse(modulus.reduce(1 << 34));
            let edges = [0, 1, 2, q - 1, q - 2, q / 2, q / 2 + 1, q >> 17, (1 << 17) - 1, 1 << 17];
            let edges: Vec<u32> = edges
                .into_iter()
                .chain([q - (1 << 17), inverse, modulus.neg(inverse)])
                .map(|edge| edge % q)
                .collect();
            for a in &edges {
                for b in &edges {
                    check_device(modulus, &[(*a, *b)]);
                    check_device(modulus, &[(*a, *b); 16]);
                }
            }
            // The largest sum of 16 products, for any factor in Montgomery form.
            check_device(modulus, &[(q - 1, modulus.neg(inverse)); 16]);
        }
    }

    #[test]
    fn a_prime_that_is_1_modulo_less_is_not_reduced_by_the_steps() {
        // 1 only modulo 2¹⁴: the multiple of q would need a separate product.
        let q = crate::ring::primes_below(1 << 30, 14).find(|prime| prime % (1 << 17) != 1);
        assert!(std::panic::catch_unwind(|| device_step(12_345, q.unwrap())).is_err());
    }

    proptest! {
        #[test]
        fn two_montgomery_steps_of_17_bits_reduce_sums_of_products(
            which: prop::sample::Index,
            pairs in prop::collection::vec(any::<(u32, u32)>(), 1..=16),
        ) {
            let moduli = device_moduli();
            let modulus = moduli[which.index(moduli.len())];
            let residue = |(a, b): (u32, u32)| (a % modulus.value(), b % modulus.value());
            let pairs: Vec<(u32, u32)> = pairs.into_iter().map(residue).collect();
            check_device(modulus, &pairs);
        }

        #[test]
        fn every_product_agrees_with_division(which in 0..MODULI.len(), a: u32, b: u32, wide: u64) {
            let modulus = Modulus::new(MODULI[which]).unwrap();
            let q = u64::from(modulus.value());
            let (x, y) = (a % modulus.value(), b % modulus.value());
            let product = (u64::from(x) * u64::from(y) % q) as u32;
            prop_assert_eq!(modulus.mul(x, y), product);
            prop_assert_eq!(modulus.mul_shoup(a, modulus.shoup(y)),
                (u64::from(a) * u64::from(y) % q) as u32);
            prop_assert!(u64::from(modulus.mul_shoup_lazy(a, modulus.shoup(y))) < 2 * q);
            let ready = modulus.to_montgomery(y);
            prop_assert_eq!(modulus.montgomery_reduce(u64::from(x) * u64::from(ready)), product);
            let limit = u64::MAX - (q << 32) + 1;
            let reduced = modulus.montgomery_reduce(wide.min(limit));
            prop_assert_eq!(modulus.to_montgomery(reduced), modulus.reduce(wide.min(limit)));
            prop_assert_eq!(u64::from(modulus.add(x, y)), (u64::from(x) + u64::from(y)) % q);
            prop_assert_eq!(modulus.add(modulus.sub(x, y), y), x);
            prop_assert_eq!(modulus.add(modulus.neg(x), x), 0);
            let signed = wide as i64;
            prop_assert_eq!(i128::from(modulus.reduce_signed(signed)),
                i128::from(signed).rem_euclid(i128::from(q)));
            if x != 0 {
                prop_assert_eq!(modulus.mul(modulus.inverse(x), x), 1 % modulus.value());
            }
        }
    }
}
