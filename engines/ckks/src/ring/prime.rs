// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Primes that are 1 modulo a power of two, by size.

/// Returns `true` if the number is prime: the Miller–Rabin test with the bases 2, 7 and 61, which
/// is correct for all numbers below 2³² (Jaeschke, "On strong pseudoprimes to several bases",
/// 1993).
pub fn is_prime(number: u32) -> bool {
    const SMALL: [u32; 9] = [2, 3, 5, 7, 11, 13, 17, 19, 61];
    if number < 2 || SMALL.iter().any(|prime| number.is_multiple_of(*prime)) {
        return SMALL.contains(&number);
    }
    let twos = (number - 1).trailing_zeros();
    [2, 7, 61].into_iter().all(|base| {
        let mut power = power_modulo(base, (number - 1) >> twos, number);
        if power == 1 || power == number - 1 {
            return true;
        }
        (1..twos).any(|_| {
            power = multiply_modulo(power, power, number);
            power == number - 1
        })
    })
}

/// The primes below `bound` that are 1 modulo 2^`log_order`, in descending order.
pub fn primes_below(bound: u32, log_order: u32) -> impl Iterator<Item = u32> {
    let order = 1u64 << log_order;
    let last = u64::from(bound).saturating_sub(2) / order;
    (1..=last).rev().map(move |multiple| (multiple * order + 1) as u32).filter(|p| is_prime(*p))
}

/// The primes from `bound` to 2³² that are 1 modulo 2^`log_order`, in ascending order.
pub fn primes_above(bound: u32, log_order: u32) -> impl Iterator<Item = u32> {
    let order = 1u64 << log_order;
    let first = u64::from(bound.max(2) - 1).div_ceil(order);
    let last = u64::from(u32::MAX - 1) / order;
    (first..=last).map(move |multiple| (multiple * order + 1) as u32).filter(|p| is_prime(*p))
}

fn multiply_modulo(a: u32, b: u32, modulus: u32) -> u32 {
    (u64::from(a) * u64::from(b) % u64::from(modulus)) as u32
}

fn power_modulo(base: u32, mut exponent: u32, modulus: u32) -> u32 {
    let (mut power, mut result) = (base % modulus, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply_modulo(result, power, modulus);
        }
        power = multiply_modulo(power, power, modulus);
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_agrees_with_a_sieve_and_with_known_numbers() {
        let mut is_composite = vec![false; 200_000];
        for divisor in 2..is_composite.len() {
            for multiple in (2 * divisor..is_composite.len()).step_by(divisor) {
                is_composite[multiple] = true;
            }
        }
        for (number, is_composite) in is_composite.into_iter().enumerate() {
            assert_eq!(is_prime(number as u32), number >= 2 && !is_composite, "{number}");
        }
        for prime in [2_147_483_647, 4_294_967_291, 1_073_741_789, 998_244_353] {
            assert!(is_prime(prime), "{prime}");
        }
        // Strong pseudoprimes to the base 2, and to 2, 3 and 5.
        for composite in [3_215_031_751, 25_326_001, 1_373_653, 4_294_967_295, 65_537 * 65_521] {
            assert!(!is_prime(composite), "{composite}");
        }
    }

    #[test]
    fn primes_come_in_order_and_none_is_left_out() {
        for (log_order, low, high) in [(3, 5, 5_000), (10, 40_000, 3_000_000), (17, 1, 40_000_000)]
        {
            let expected: Vec<u32> = (low..high)
                .filter(|number| number % (1 << log_order) == 1 && is_prime(*number))
                .collect();
            assert!(expected.len() > 3, "{log_order}");
            let above: Vec<u32> =
                primes_above(low, log_order).take_while(|prime| *prime < high).collect();
            assert_eq!(above, expected);
            let mut below: Vec<u32> =
                primes_below(high, log_order).take_while(|prime| *prime >= low).collect();
            below.reverse();
            assert_eq!(below, expected);
        }
        assert_eq!(primes_below(2, 1).next(), None);
    }

    #[test]
    fn there_are_as_many_as_moduli_need() {
        assert_eq!(primes_below(1 << 30, 17).count(), 822);
        assert_eq!(primes_below(1 << 30, 17).take_while(|prime| *prime > 1 << 29).count(), 395);
    }
}
