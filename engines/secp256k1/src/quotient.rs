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
    debug_assert!(is_less(&a, &N) && is_less(&u, &N) && u != [0; 4]);
    loop {
        make_odd(&mut u, &mut a);
        if u == ONE {
            return bytes(&a);
        }
        // u and v are odd and have no common divisor: they differ, and v is odd from the start on.
        if is_less(&u, &v) {
            (u, v) = (v, u);
            (a, b) = (b, a);
        }
        u = subtract(&u, &v).0;
        a = subtract_modulo_n(&a, &b);
    }
}

const ONE: Limbs = [1, 0, 0, 0];

/// Halves the number until it is odd, and its coefficient modulo n as often. It is not 0.
fn make_odd(number: &mut Limbs, coefficient: &mut Limbs) {
    while number[0] & 1 == 0 {
        *number = half(number, 0);
        // An odd coefficient becomes even by n, which is odd.
        let mask = (coefficient[0] & 1).wrapping_neg();
        let (sum, carry) = add(coefficient, &N.map(|limb| limb & mask));
        *coefficient = half(&sum, u64::from(carry));
    }
}

/// Half of the number that has `top` as its bit 256.
fn half(number: &Limbs, top: u64) -> Limbs {
    let [a, b, c, d] = *number;
    [a >> 1 | b << 63, b >> 1 | c << 63, c >> 1 | d << 63, d >> 1 | top << 63]
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

fn is_less(a: &Limbs, b: &Limbs) -> bool {
    a.iter().rev().lt(b.iter().rev())
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
