// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Encodes vectors and decodes plaintexts, and rejects invalid ones.

use halimede_ckks::encoding::{Encoder, EncodingError, Values};
use halimede_ckks::params::{Parameters, Scale};
use halimede_ckks::Bound;
use halimede_ckks::Complex;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn random(count: usize, most: f64, rng: &mut ChaCha8Rng) -> Vec<Complex> {
    let mut part = || rng.gen_range(-most..most);
    (0..count).map(|_| Complex::new(part(), part())).collect()
}

fn worst(a: &[Complex], b: &[Complex]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (*a - *b).abs()).fold(0.0, f64::max)
}

#[test]
fn what_is_encoded_is_decoded() {
    let mut rng = ChaCha8Rng::seed_from_u64(20_261_122);
    for preset in ["n10-insecure", "n13-insecure"] {
        let parameters = Parameters::preset(preset).unwrap();
        let encoder = Encoder::new(&parameters);
        for count in [1, 2, 64, parameters.slots() / 2, parameters.slots()] {
            for level in 0..=parameters.top() {
                let values = random(count, 100.0, &mut rng);
                let declared = Values::from(&values).within(150.0);
                let plaintext = encoder.encode(declared, level).unwrap();
                assert_eq!(plaintext.slots(), count);
                assert_eq!(plaintext.scale(), parameters.level(level).scale);
                // Rounding: N/2 errors of at most a half each, over 2^40.
                let error = worst(&encoder.decode(&plaintext), &values);
                assert!(error < 2f64.powi(-33), "{error}");
            }
        }
    }
}

#[test]
fn a_short_vector_repeats_itself_and_keeps_its_length() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let encoder = Encoder::new(&parameters);
    let values = random(5, 0.7, &mut rng);
    let mut plaintext = encoder.encode(&values, 2).unwrap();
    assert_eq!((plaintext.length(), plaintext.slots()), (5, 8));
    assert!(worst(&encoder.decode(&plaintext), &values) < 1e-9);
    let expected: Vec<Complex> = values.iter().copied().cycle().take(8).collect();
    let (polynomial, scale) = (plaintext.polynomial(), plaintext.scale());
    assert!(worst(&encoder.decode_polynomial(polynomial, scale, 8), &expected) < 1e-9);
    let all = expected.repeat(parameters.slots() / 8);
    let all = encoder.encode_in(&all, &parameters.level(2).basis, plaintext.scale());
    let all = all.unwrap();
    // The same polynomial up to rounding: both decode to the same in all slots.
    plaintext = encoder.encode(Values::from(&encoder.decode(&all)).within(1.1), 2).unwrap();
    let again = encoder.decode(&plaintext);
    assert!(again.chunks(8).all(|chunk| worst(chunk, &expected) < 1e-9));
}

#[test]
fn sums_and_products_of_polynomials_are_those_of_the_slots() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let (encoder, ring) = (Encoder::new(&parameters), parameters.ring());
    let level = parameters.top();
    let basis = &parameters.level(level).basis;
    let [a, b] = [(); 2].map(|()| random(parameters.slots(), 0.7, &mut rng));
    for bits in [30, 45, 55] {
        let scale = Scale::power_of_two(bits);
        let [mut x, y] = [&a, &b].map(|values| encoder.encode_in(values, basis, scale).unwrap());
        let mut product = x.polynomial().clone();
        ring.mul(&mut product, y.polynomial());
        let decoded = encoder.decode_polynomial(&product, scale * scale, parameters.slots());
        let expected: Vec<Complex> = a.iter().zip(&b).map(|(a, b)| *a * *b).collect();
        let error = worst(&decoded, &expected);
        assert!(error < 2f64.powi(7 - bits.min(47)), "{bits}: {error}");
        // X → X^5 rotates the slots by one place.
        let turned = ring.automorphism(x.polynomial(), 5);
        x = encoder.encode_in(&a, basis, scale).unwrap();
        let mut expected = encoder.decode(&x);
        expected.rotate_left(1);
        let decoded = encoder.decode_polynomial(&turned, scale, parameters.slots());
        assert!(worst(&decoded, &expected) < 1e-12);
        let conjugate = ring.automorphism(x.polynomial(), 2 * parameters.degree() as u64 - 1);
        let decoded = encoder.decode_polynomial(&conjugate, scale, parameters.slots());
        let expected: Vec<Complex> = encoder.decode(&x).iter().map(|v| v.conjugate()).collect();
        assert!(worst(&decoded, &expected) < 1e-12);
    }
}

#[test]
fn what_cannot_be_encoded_is_refused() {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let encoder = Encoder::new(&parameters);
    let one = Complex::new(1.0, 0.0);
    let error = |values: &[Complex], level| {
        let largest = values.iter().map(|value| value.abs()).fold(1.0, f64::max);
        let declared = Values::from(values).within(if largest.is_finite() { largest } else { 2.0 });
        encoder.encode(declared, level).err().unwrap()
    };
    assert_eq!(error(&[], 1), EncodingError::Empty);
    assert_eq!(error(&[one; 513], 1), EncodingError::TooLong { got: 513, limit: 512 });
    for (wrong, text) in
        [(f64::NAN, "1.0 + NaNi"), (f64::INFINITY, "1.0 + infi"), (-f64::INFINITY, "1.0 - infi")]
    {
        let values = [one, one, Complex::new(1.0, wrong), one];
        let expected = EncodingError::NotFinite { index: 2, value: text.into() };
        assert_eq!(error(&values, 1), expected);
    }
    // The lowest level has 20 bits above the scale, of which one is the sign.
    let encode = |value: f64, level| encoder.encode(Values::from(&[value]).within(value), level);
    assert!(encode(3e5, 0).is_ok());
    let refused = error(&[Complex::new(2e6, 0.0)], 0);
    assert!(matches!(refused, EncodingError::TooLarge { .. }), "{refused}");
    assert!(matches!(error(&[Complex::new(f64::MAX, 0.0)], 3), EncodingError::TooLarge { .. }));
    assert!(encode(2e6, 1).is_ok());
    // At any level, a value that cannot be decoded.
    assert!(matches!(encode(1e25, 4), Err(EncodingError::TooLarge { .. })));
}

#[test]
fn values_beyond_their_bound_are_refused_and_nothing_else_shows() {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let encoder = Encoder::new(&parameters);
    assert_eq!(parameters.default_bound(), 1.0);
    let refused = encoder.encode(&[0.5, -1.5, 7.25], 1).err().unwrap();
    let text = refused.to_string();
    assert!(matches!(refused, EncodingError::OutOfBound { index: 1, .. }), "{text}");
    for part in ["value 1 is -1.5", "from -1 to 1", "at least 7.25"] {
        assert!(text.contains(part), "{text}");
    }
    let plaintext = encoder.encode(Values::from(&[0.5, -1.5, 7.25]).within(8.0), 1).unwrap();
    assert_eq!(plaintext.bound(), Bound::real(8.0));
    let smaller = encoder.encode(Values::from(&[0.0; 3]).within(8.0), 1).unwrap();
    assert_eq!(smaller.bound(), plaintext.bound());
    let interval = Bound::between(-2.0, 7.5);
    assert_eq!(
        encoder.encode(Values::from(&[0.5]).bounded(interval), 1).unwrap().bound(),
        interval
    );
    assert!(encoder.encode(Values::from(&[-2.5]).bounded(interval), 1).is_err());
    // Complex numbers are not real, however small their imaginary parts are.
    let almost = [Complex::new(0.5, 1e-30)];
    assert!(encoder.encode(Values::from(&almost).bounded(interval), 1).is_err());
    for wrong in [f64::NAN, f64::INFINITY, -1.0] {
        let refused = encoder.encode(Values::from(&[0.0]).within(wrong), 1).err().unwrap();
        assert!(matches!(refused, EncodingError::Bound { .. }), "{refused}");
    }
}
