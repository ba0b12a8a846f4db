// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Division modulo the group's order n, of public numbers: time depends on them.

use crate::constants::GROUP_ORDER;

/// 256 bits, least significant limb first.
type Limbs = [u64; 4];

const N: Limbs = limbs(&GROUP_ORDER);

/// dividend / divisor modulo n, big-endian. The dividend lies in [0, n), the divisor in [1, n).
///
/// The binary algorithm of Euclid with a coefficient for each number (Knuth, The Art of Computer
/// Programming 2, section 4.5.2, exercise 39), which starts at the dividend instead of at 1:
/// nothing is multiplied.
pub fn quotient(dividend: &[u8; 32], divisor: &[u8; 32]) -> [u8; 32] {
    // Throughout, u · dividend = a · divisor and v · dividend = b · divisor modulo n.
    let (mut u, mut a) = (limbs(divisor), limbs(dividend));
    let (mut v, mut b) = (N, [0; 4]);
    debug_assert!(*dividend < GROUP_ORDER && *divisor < GROUP_ORDER && *divisor != [0; 32]);
    loop {
        make_odd(&mut u, &mut a);
        if u == ONE {
            return bytes(&a);
        }
        // Both are odd and differ, since they have no common divisor: the smaller one stays, and
        // its difference to the other is even. Which it is cannot be foretold: no branch asks.
        let (difference, is_less) = subtract(&u, &v);
        let mask = u64::from(is_less).wrapping_neg();
        let (from, what) = (select(mask, &b, &a), select(mask, &a, &b));
        (v, b) = (select(mask, &u, &v), what);
        u = add(&difference.map(|limb| limb ^ mask), &[mask & 1, 0, 0, 0]).0;
        a = subtract_modulo_n(&from, &what);
    }
}

const ONE: Limbs = [1, 0, 0, 0];

/// −1/n modulo 2⁶⁴: each step of Newton's doubles the bits that are right, of which n has three.
const NEGATIVE_INVERSE: u64 = {
    let mut inverse = N[0];
    let mut bits = 3;
    while bits < 64 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(N[0].wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse.wrapping_neg()
};

/// Halves the number until it is odd, and its coefficient modulo n as often. It is not 0.
fn make_odd(number: &mut Limbs, coefficient: &mut Limbs) {
    while number[0] & 1 == 0 {
        let halvings = number[0].trailing_zeros().min(63);
        *number = shift_down(number, 0, halvings);
        // This many times n makes the coefficient's low bits zero; the sum is below n · 2^halvings.
        let low = coefficient[0].wrapping_mul(NEGATIVE_INVERSE) & ((1 << halvings) - 1);
        let (mut sum, mut carry) = ([0; 4], 0);
        for (sum, (coefficient, n)) in sum.iter_mut().zip(coefficient.iter().zip(N)) {
            let wide = u128::from(low) * u128::from(n) + u128::from(*coefficient) + carry;
            (*sum, carry) = (wide as u64, wide >> 64);
        }
        *coefficient = shift_down(&sum, carry as u64, halvings);
    }
}

/// The number that has `top` as its fifth limb, without its lowest bits, 1 to 63 of them.
fn shift_down(number: &Limbs, top: u64, bits: u32) -> Limbs {
    let [a, b, c, d] = *number;
    let join = |low: u64, high: u64| low >> bits | high << (64 - bits);
    [join(a, b), join(b, c), join(c, d), join(d, top)]
}

/// One where the mask is all ones, the other where it is zero.
fn select(mask: u64, one: &Limbs, other: &Limbs) -> Limbs {
    std::array::from_fn(|limb| one[limb] & mask | other[limb] & !mask)
}

fn add(a: &Limbs, b: &Limbs) -> (Limbs, bool) {
    let (mut sum, mut carry) = ([0; 4], false);
    for (sum, (a, b)) in sum.iter_mut().zip(a.iter().zip(b)) {
        let (low, over) = a.overflowing_add(*b);
        let (low, over_again) = low.overflowing_add(u64::from(carry));
        (*sum, carry) = (low, over | over_again);
    }
    (sum, carry)
}

fn subtract(a: &Limbs, b: &Limbs) -> (Limbs, bool) {
    let (mut difference, mut borrow) = ([0; 4], false);
    for (difference, (a, b)) in difference.iter_mut().zip(a.iter().zip(b)) {
        let (low, under) = a.overflowing_sub(*b);
        let (low, under_again) = low.overflowing_sub(u64::from(borrow));
        (*difference, borrow) = (low, under | under_again);
    }
    (difference, borrow)
}

/// Both lie in [0, n), and so does the difference.
fn subtract_modulo_n(a: &Limbs, b: &Limbs) -> Limbs {
    let (difference, borrow) = subtract(a, b);
    let mask = u64::from(borrow).wrapping_neg();
    add(&difference, &N.map(|limb| limb & mask)).0
}

const fn limbs(bytes: &[u8; 32]) -> Limbs {
    let mut limbs = [0; 4];
    let mut place = 0;
    while place < 32 {
        limbs[3 - place / 8] = limbs[3 - place / 8] << 8 | bytes[place] as u64;
        place += 1;
    }
    limbs
}

fn bytes(limbs: &Limbs) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (bytes, limb) in bytes.rchunks_exact_mut(8).zip(limbs) {
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
        let number = |number: &BigUint| leftmost_bits(&number.to_bytes_be());
        for divisor in numbers.iter().filter(|divisor| **divisor != BigUint::default()) {
            for dividend in [&numbers[0], &numbers[1], &numbers[random.gen_range(2..numbers.len())]]
            {
                let quotient = quotient(&number(dividend), &number(divisor));
                assert!(quotient < GROUP_ORDER);
                let product = BigUint::from_bytes_be(&quotient) * divisor % &n;
                assert_eq!(product, *dividend, "by {divisor}");
            }
        }
    }
}
