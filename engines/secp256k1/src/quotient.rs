// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Division modulo the group order n, for public numbers: the running time depends on them.

use halimede_arith::serial::limbs::{multiply_wide, Limbs};
use halimede_arith::serial::Portable;

use crate::constants::GROUP_ORDER;

/// n.
pub const N: Limbs = limbs(&GROUP_ORDER);

/// Returns dividend / divisor modulo n for each pair, with one division for all. The dividends lie
/// in [0, n), the divisors in [1, n).
pub fn quotients(pairs: &[(Limbs, Limbs)]) -> Vec<Limbs> {
    if let [(dividend, divisor)] = pairs {
        return vec![quotient(dividend, divisor)];
    }
    let mut quotients = inverses(pairs.iter().map(|(_, divisor)| divisor));
    for (quotient, (dividend, _)) in quotients.iter_mut().zip(pairs) {
        *quotient = multiply(quotient, dividend);
    }
    quotients
}

/// Returns 1 / number modulo n for each number in [1, n), with one division for all and three
/// multiplications for each (Montgomery, "Speeding the Pollard and elliptic curve methods of
/// factorization", 1987, section 10.3.1).
pub fn inverses<'a>(numbers: impl DoubleEndedIterator<Item = &'a Limbs> + Clone) -> Vec<Limbs> {
    // First the product of all numbers before each number.
    let mut inverses = Vec::with_capacity(numbers.size_hint().0);
    let mut product = ONE;
    for number in numbers.clone() {
        inverses.push(product);
        product = multiply(&product, number);
    }
    let mut inverse_product = quotient(&ONE, &product);
    for (inverse, number) in inverses.iter_mut().rev().zip(numbers.rev()) {
        *inverse = multiply(inverse, &inverse_product);
        inverse_product = multiply(&inverse_product, number);
    }
    inverses
}

/// Returns dividend / divisor modulo n. The dividend lies in [0, n), the divisor in [1, n).
///
/// The binary Euclidean algorithm with a coefficient for each number (Knuth, The Art of Computer
/// Programming 2, section 4.5.2, exercise 39), started with the dividend instead of 1, so that no
/// multiplication is needed.
fn quotient(dividend: &Limbs, divisor: &Limbs) -> Limbs {
    // Invariant: u · dividend = a · divisor and v · dividend = b · divisor modulo n.
    let (mut u, mut a) = (*divisor, *dividend);
    let (mut v, mut b) = (N, [0; 4]);
    debug_assert!(is_reduced(dividend) && is_reduced(divisor) && *divisor != [0; 4]);
    loop {
        make_odd(&mut u, &mut a);
        if u == ONE {
            return a;
        }
        // Both are odd and differ, since they have no common divisor: the smaller one stays, and
        // their difference is even. Which one is smaller is unpredictable, so this code has no
        // branch.
        let (difference, is_less) = subtract(&u, &v);
        let mask = u64::from(is_less).wrapping_neg();
        let (from, what) = (select(mask, &b, &a), select(mask, &a, &b));
        (v, b) = (select(mask, &u, &v), what);
        u = add(&difference.map(|limb| limb ^ mask), &[mask & 1, 0, 0, 0]).0;
        a = subtract_modulo_n(&from, &what);
    }
}

const ONE: Limbs = [1, 0, 0, 0];

/// −1/n modulo 2⁶⁴ by Newton's method: each step doubles the number of correct bits, starting at
/// three.
const NEGATIVE_INVERSE: u64 = {
    let mut inverse = N[0];
    let mut bits = 3;
    while bits < 64 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(N[0].wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse.wrapping_neg()
};

/// Halves the number until it is odd, and its coefficient modulo n as often. The number is not 0.
fn make_odd(number: &mut Limbs, coefficient: &mut Limbs) {
    while number[0] & 1 == 0 {
        let halvings = number[0].trailing_zeros().min(63);
        *number = shift_down(number, 0, halvings);
        // This multiple of n clears the coefficient's low bits; the sum is below n · 2^halvings.
        let low = coefficient[0].wrapping_mul(NEGATIVE_INVERSE) & ((1 << halvings) - 1);
        let (mut sum, mut carry) = ([0; 4], 0);
        for (sum, (coefficient, n)) in sum.iter_mut().zip(coefficient.iter().zip(N)) {
            let wide = u128::from(low) * u128::from(n) + u128::from(*coefficient) + carry;
            (*sum, carry) = (wide as u64, wide >> 64);
        }
        *coefficient = shift_down(&sum, carry as u64, halvings);
    }
}

/// Shifts down, by 1 to 63 bits, the number whose fifth limb is `top`.
fn shift_down(number: &Limbs, top: u64, bits: u32) -> Limbs {
    let [a, b, c, d] = *number;
    let join = |low: u64, high: u64| low >> bits | high << (64 - bits);
    [join(a, b), join(b, c), join(c, d), join(d, top)]
}

/// Returns `one` if the mask is all ones, `other` if it is zero.
fn select(mask: u64, one: &Limbs, other: &Limbs) -> Limbs {
    std::array::from_fn(|limb| one[limb] & mask | other[limb] & !mask)
}

/// Returns a + b modulo 2²⁵⁶, and `true` on overflow.
pub fn add(a: &Limbs, b: &Limbs) -> (Limbs, bool) {
    let (mut sum, mut carry) = ([0; 4], false);
    for (sum, (a, b)) in sum.iter_mut().zip(a.iter().zip(b)) {
        let (low, over) = a.overflowing_add(*b);
        let (low, over_again) = low.overflowing_add(u64::from(carry));
        (*sum, carry) = (low, over | over_again);
    }
    (sum, carry)
}

/// Returns a − b modulo 2²⁵⁶, and `true` if the difference is negative.
pub fn subtract(a: &Limbs, b: &Limbs) -> (Limbs, bool) {
    let (mut difference, mut borrow) = ([0; 4], false);
    for (difference, (a, b)) in difference.iter_mut().zip(a.iter().zip(b)) {
        let (low, under) = a.overflowing_sub(*b);
        let (low, under_again) = low.overflowing_sub(u64::from(borrow));
        (*difference, borrow) = (low, under | under_again);
    }
    (difference, borrow)
}

/// Returns a − b modulo n; operands and result lie in [0, n).
fn subtract_modulo_n(a: &Limbs, b: &Limbs) -> Limbs {
    let (difference, borrow) = subtract(a, b);
    let mask = u64::from(borrow).wrapping_neg();
    add(&difference, &N.map(|limb| limb & mask)).0
}

/// Returns a + b modulo n; operands and result lie in [0, n).
pub fn add_modulo_n(a: &Limbs, b: &Limbs) -> Limbs {
    subtract_modulo_n(a, &negated(b))
}

/// 2²⁵⁶ − n without its top bit 2¹²⁸.
const COMPLEMENT: [u64; 2] = [N[0].wrapping_neg(), !N[1]];

/// Returns a·b modulo n, for factors in [0, n). 2²⁵⁶ is congruent to 2²⁵⁶ − n, so that the part
/// above it is folded back as a multiple of that number: at most 130 bits the first time, then 4,
/// then 1.
pub fn multiply(a: &Limbs, b: &Limbs) -> Limbs {
    let [a, b, c, d, e, f, g, h] = multiply_wide::<Portable>(*a, *b);
    let (mut low, mut high) = fold([a, b, c, d], [e, f, g, h]);
    while high != [0; 4] {
        (low, high) = fold(low, high);
    }
    modulo_n(&low)
}

/// Returns low + high·(2²⁵⁶ − n), limb by limb.
#[inline(always)]
fn fold(low: Limbs, high: Limbs) -> (Limbs, Limbs) {
    let wide = |limb: u64, factor: u64, sum: u64, carry: u64| {
        let wide = u128::from(limb) * u128::from(factor) + u128::from(sum) + u128::from(carry);
        (wide as u64, (wide >> 64) as u64)
    };
    let [c0, c1] = COMPLEMENT;
    let ([a0, a1, a2, a3], [h0, h1, h2, h3]) = (low, high);
    // By the complement's lowest limb, the next one, and 2¹²⁸.
    let (a0, carry) = wide(h0, c0, a0, 0);
    let (a1, carry) = wide(h1, c0, a1, carry);
    let (a2, carry) = wide(h2, c0, a2, carry);
    let (a3, a4) = wide(h3, c0, a3, carry);
    let (a1, carry) = wide(h0, c1, a1, 0);
    let (a2, carry) = wide(h1, c1, a2, carry);
    let (a3, carry) = wide(h2, c1, a3, carry);
    let (a4, a5) = wide(h3, c1, a4, carry);
    let (a2, carry) = a2.carrying_add(h0, false);
    let (a3, carry) = a3.carrying_add(h1, carry);
    let (a4, carry) = a4.carrying_add(h2, carry);
    let (a5, carry) = a5.carrying_add(h3, carry);
    ([a0, a1, a2, a3], [a4, a5, u64::from(carry), 0])
}

/// Returns the number modulo n: any 256-bit number is below 2n, so that one subtraction is enough.
pub fn modulo_n(number: &Limbs) -> Limbs {
    let (difference, is_less) = subtract(number, &N);
    if is_less {
        *number
    } else {
        difference
    }
}

/// Returns n − number.
pub fn negated(number: &Limbs) -> Limbs {
    subtract(&N, number).0
}

fn is_reduced(number: &Limbs) -> bool {
    subtract(number, &N).1
}

/// Converts big-endian bytes to a number.
pub const fn limbs(bytes: &[u8; 32]) -> Limbs {
    let mut limbs = [0; 4];
    let mut place = 0;
    while place < 32 {
        limbs[3 - place / 8] = limbs[3 - place / 8] << 8 | bytes[place] as u64;
        place += 1;
    }
    limbs
}

/// Returns the big-endian bytes of a number.
pub fn bytes(number: &Limbs) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (bytes, limb) in bytes.rchunks_exact_mut(8).zip(number) {
        bytes.copy_from_slice(&limb.to_be_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::digest::leftmost_bits;

    #[test]
    fn quotients_times_divisors_are_dividends() {
        let n = BigUint::from_bytes_be(&GROUP_ORDER);
        let mut random = ChaCha8Rng::seed_from_u64(0x901);
        let mut numbers: Vec<BigUint> = (0..12u8).map(BigUint::from).collect();
        numbers.extend((1..12u8).map(|below| &n - below));
        numbers.extend((1..256).map(|bit| BigUint::from(1u8) << bit).filter(|power| *power < n));
        numbers.push((&n - 1u8) / 2u8);
        numbers.push((&n + 1u8) / 2u8);
        numbers.extend((0..200).map(|_| BigUint::from_bytes_be(&random.gen::<[u8; 32]>()) % &n));
        let mut pairs = Vec::new();
        for divisor in numbers.iter().filter(|divisor| **divisor != BigUint::default()) {
            for dividend in [&numbers[0], &numbers[1], &numbers[random.gen_range(2..numbers.len())]]
            {
                let pair = (number(dividend), number(divisor));
                let quotient = quotient(&pair.0, &pair.1);
                assert!(is_reduced(&quotient));
                assert_eq!(integer(&quotient) * divisor % &n, *dividend, "by {divisor}");
                pairs.push((pair, quotient));
            }
        }
        // Batched quotients equal single ones, for every length.
        for length in (0..20).chain([pairs.len()]) {
            let (pairs, expected): (Vec<_>, Vec<_>) =
                pairs[pairs.len() - length..].iter().copied().unzip();
            assert_eq!(quotients(&pairs), expected, "{length} quotients");
        }
    }

    #[test]
    fn products_and_sums_are_reduced() {
        let n = BigUint::from_bytes_be(&GROUP_ORDER);
        let top = BigUint::from_bytes_be(&[0xff; 32]);
        let mut random = ChaCha8Rng::seed_from_u64(2);
        let mut numbers = vec![n.clone(), &n - 1u8, &n + 1u8, top.clone(), BigUint::default()];
        numbers.extend((0..500).map(|_| &top - BigUint::from(random.gen::<u128>())));
        numbers.extend((0..100).map(|_| BigUint::from_bytes_be(&random.gen::<[u8; 32]>())));
        for (place, any) in numbers.iter().enumerate() {
            let reduced = modulo_n(&number(any));
            assert_eq!(integer(&reduced), any % &n);
            assert_eq!(integer(&negated(&reduced)), &n - any % &n);
            let other = modulo_n(&number(&numbers[numbers.len() - 1 - place]));
            let product = integer(&reduced) * integer(&other) % &n;
            assert_eq!(integer(&multiply(&reduced, &other)), product);
            assert_eq!(integer(&multiply(&reduced, &reduced)), integer(&reduced).pow(2) % &n);
            let sum = (integer(&reduced) + integer(&other)) % &n;
            assert_eq!(integer(&add_modulo_n(&reduced, &other)), sum);
            assert_eq!(integer(&add_modulo_n(&reduced, &[0; 4])), integer(&reduced));
        }
    }

    fn number(number: &BigUint) -> Limbs {
        limbs(&leftmost_bits(&number.to_bytes_be()))
    }

    fn integer(limbs: &Limbs) -> BigUint {
        limbs.iter().rev().fold(BigUint::default(), |sum, limb| (sum << 64) + limb)
    }
}
