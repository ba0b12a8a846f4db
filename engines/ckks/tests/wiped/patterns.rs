// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The patterns of secrets in memory, masked, so that the patterns themselves are not found.

use std::io::Write;

use halimede_ckks::encoding::Embedding;
use halimede_ckks::keys::SecretKey;
use halimede_ckks::ring::{Form, Polynomial};
use halimede_ckks::sampling::Random;
use halimede_ckks::{Ciphertext, Client, Complex, Parameters};
use zeroize::{Zeroize, Zeroizing};

/// The mask of each byte of a pattern.
pub const MASK: u8 = 0xa5;

/// Bytes that must not be in memory.
pub struct Pattern {
    pub name: String,
    pub masked: Vec<u8>,
    /// The size of the pieces that are searched first, at multiples of their length.
    pub piece: usize,
    /// The distance between the starts of pieces.
    pub step: usize,
    /// The smallest number of bytes other than 0 and 1 in a piece: other pieces are everywhere in
    /// memory.
    pub telling: usize,
    /// The number of consecutive bytes that count as a finding: at least two pieces.
    pub least: usize,
}

impl Pattern {
    /// Returns the pattern of bytes that an iterator yields in pieces, none of which may remain.
    fn new(name: &str, step: usize, bytes: impl Iterator<Item = u8>) -> Self {
        let masked = bytes.map(|byte| byte ^ MASK).collect();
        Self { name: name.to_owned(), masked, piece: 16, step, telling: 4, least: 48 }
    }

    fn of_words(name: &str, words: &[u32]) -> Self {
        Self::new(name, 4, words.iter().flat_map(|word| word.to_le_bytes()))
    }

    /// Returns the bytes themselves, for tests that search elsewhere than in memory.
    #[allow(dead_code, reason = "of other tests")]
    pub fn bytes(&self) -> Vec<u8> {
        self.masked.iter().map(|byte| byte ^ MASK).collect()
    }

    /// Returns the bytes themselves, apart from the start of an allocation.
    pub fn planted(&self) -> Zeroizing<Vec<u8>> {
        let mut bytes = Zeroizing::new(vec![0; self.masked.len() + 64]);
        let offset = bytes.as_ptr().align_offset(16);
        for (byte, masked) in bytes[offset..].iter_mut().zip(&self.masked) {
            *byte = masked ^ MASK;
        }
        bytes
    }
}

/// Masks the bytes written.
#[derive(Default)]
struct Masked(Vec<u8>);

impl Write for Masked {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.extend(bytes.iter().map(|byte| byte ^ MASK));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns a secret key as it is in files.
fn packed(secret: &SecretKey) -> Vec<u8> {
    let mut file = Masked::default();
    secret.save(&mut file).unwrap();
    let bytes = secret.parameters().degree() / 4;
    // A checksum of 32 bytes ends the file.
    let end = file.0.len() - 32;
    file.0[end - bytes..end].to_vec()
}

/// Returns the coefficients of a packed secret key, to be wiped.
fn unpacked(masked: &[u8]) -> Zeroizing<Vec<i8>> {
    let mut coefficients = Zeroizing::new(Vec::with_capacity(4 * masked.len()));
    for byte in masked {
        let code = |index: usize| ((byte ^ MASK) >> (2 * index)) & 3;
        coefficients.extend((0..4).map(|index| (code(index) & 1) as i8 - (code(index) >> 1) as i8));
    }
    coefficients
}

/// The number of primes whose residues are searched.
const PRIMES: usize = 8;

/// Adds residues modulo some primes, from the first to the last, as coefficients and as values.
fn of_residues(patterns: &mut Vec<Pattern>, name: &str, parameters: &Parameters, a: &Polynomial) {
    let mut other = a.clone();
    assert!(other.is_secret(), "{name}");
    let names = match a.form() {
        Form::Coefficients => {
            parameters.ring().forward(&mut other);
            ["coefficients", "values"]
        }
        Form::Values => {
            parameters.ring().inverse(&mut other);
            ["values", "coefficients"]
        }
    };
    for (polynomial, form) in [a, &other].into_iter().zip(names) {
        let count = polynomial.limbs().len();
        for index in 0..PRIMES.min(count) {
            let limb = polynomial.limb(index * (count - 1) / (PRIMES - 1).min(count - 1).max(1));
            patterns.push(Pattern::of_words(&format!("{form} of {name}"), limb));
        }
    }
}

/// Adds a secret key in all its forms.
pub fn of_secret(patterns: &mut Vec<Pattern>, name: &str, secret: &SecretKey, exponents: &[u64]) {
    let (parameters, packed) = (secret.parameters(), packed(secret));
    let ring = parameters.ring();
    let coefficients = unpacked(&packed);
    let first = patterns.len();
    let bytes = coefficients.iter().map(|number| *number as u8);
    patterns.push(Pattern::new(&format!("{name}, a byte each"), 1, bytes));
    let polynomial = ring.from_small(&ring.all(), &coefficients);
    of_residues(patterns, name, parameters, &polynomial);
    let mut values = polynomial.clone();
    ring.forward(&mut values);
    let mut square = values.clone();
    ring.mul(&mut square, &values);
    of_residues(patterns, &format!("the square of {name}"), parameters, &square);
    for exponent in exponents {
        let image = ring.automorphism(&values, *exponent);
        of_residues(patterns, &format!("{name}, X^{exponent}"), parameters, &image);
    }
    let packed = Pattern::new(&format!("{name}, packed"), 1, packed.iter().map(|byte| byte ^ MASK));
    patterns.push(packed);
    // A few words of 0 and 1 occur in many places, and so does a 1 between the zeros of a sparse
    // secret.
    let weight = coefficients.iter().filter(|number| **number != 0).count();
    let is_sparse = weight < parameters.degree() / 16;
    for pattern in &mut patterns[first..] {
        if is_sparse && !pattern.name.starts_with("values") {
            (pattern.least, pattern.telling) = (pattern.masked.len() / 4, 1);
        } else if pattern.name.starts_with("coefficients") {
            pattern.least = 128;
        }
    }
}

/// Adds the key of a test's generator, and the output from which the secret key is made.
#[inline(never)]
pub fn of_generator(patterns: &mut Vec<Pattern>, number: u64, degree: usize) {
    // As in `SeedableRng::seed_from_u64` (PCG32), one word at a time.
    let mut state = number;
    let key = std::iter::repeat_with(|| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(11_634_580_027_462_260_723);
        ((((state >> 18) ^ state) >> 27) as u32).rotate_right((state >> 59) as u32).to_le_bytes()
    });
    let key = key.take(8).flatten();
    let short = |pattern| Pattern { piece: 8, least: 16, ..pattern };
    patterns.push(short(Pattern::new("the generator's key", 1, key)));
    // A word of eight bytes for each coefficient, 32 bytes at a time.
    let mut random = Random::of_test(number);
    for _ in 0..degree / 4 {
        let mut seed = random.seed();
        let half = Pattern::new("the generator's output", 1, seed.iter().copied());
        patterns.push(Pattern { least: 24, ..short(half) });
        seed.zeroize();
    }
}

/// Adds the seed of a party's noise, which follows the secret key in the generator's output.
#[inline(never)]
pub fn of_noise_seed(patterns: &mut Vec<Pattern>, number: u64, degree: usize) {
    let mut random = Random::of_test(number);
    for _ in 0..degree / 4 {
        random.seed().zeroize();
    }
    let mut seed = random.seed();
    let pattern = Pattern::new("the seed of the noise", 1, seed.iter().copied());
    patterns.push(Pattern { piece: 8, least: 16, ..pattern });
    seed.zeroize();
}

/// Adds the coefficients of a message.
fn of_message(patterns: &mut Vec<Pattern>, name: &str, parameters: &Parameters, a: &Polynomial) {
    of_residues(patterns, name, parameters, a);
    let ring = parameters.ring();
    let mut coefficients = ring.restrict(a, &parameters.level(1).basis);
    ring.inverse(&mut coefficients);
    let places: Vec<usize> = (0..parameters.degree()).collect();
    let numbers = Zeroizing::new(ring.centered(&coefficients, &places));
    let wide = numbers.iter().flat_map(|number| number.to_le_bytes());
    patterns.push(Pattern::new(&format!("{name}, 128 bits each"), 16, wide));
    let narrow = numbers.iter().flat_map(|number| (*number as i64).to_le_bytes());
    patterns.push(Pattern::new(&format!("{name}, 64 bits each"), 8, narrow));
    // The sources of residues.
    for shift in [0, 30] {
        let digit = |number: &i128| ((*number + (1 << 62)) >> shift) as u32 & ((1 << 30) - 1);
        let digits: Zeroizing<Vec<u32>> = Zeroizing::new(numbers.iter().map(digit).collect());
        patterns.push(Pattern::of_words(&format!("{name}, 30 bits each"), &digits));
    }
    // The real and the imaginary parts alternate.
    let half = numbers.len() / 2;
    let pairs = (0..half).flat_map(|index| [numbers[index], numbers[half + index]]);
    let wide = pairs.clone().flat_map(i128::to_le_bytes);
    patterns.push(Pattern::new(&format!("{name}, in pairs"), 16, wide));
    let doubles = pairs.flat_map(|number| (number as f64).to_le_bytes());
    patterns.push(Pattern::new(&format!("{name}, doubles in pairs"), 8, doubles));
}

/// Adds encrypted values, their encoding, and the decryption of the ciphertext.
pub fn of_values(
    patterns: &mut Vec<Pattern>,
    client: &Client,
    values: &[Complex],
    ciphertext: &Ciphertext,
) {
    let (parameters, secret) = (client.parameters(), packed(client.secret()));
    let ring = parameters.ring();
    let bytes = values.iter().flat_map(|value| [value.re, value.im]).flat_map(f64::to_le_bytes);
    patterns.push(Pattern::new("the values", 8, bytes));
    let embedding = Embedding::new(parameters.slots().ilog2());
    let mut coefficients = Zeroizing::new(vec![Complex::default(); parameters.slots()]);
    coefficients[..values.len()].copy_from_slice(values);
    embedding.to_coefficients(&mut coefficients);
    let bytes = coefficients.iter().flat_map(|value| [value.re, value.im]);
    let bytes = bytes.flat_map(f64::to_le_bytes);
    patterns.push(Pattern::new("coefficients, a double each", 8, bytes));
    let mut plaintext = client.encoder().encode(values, ciphertext.level()).unwrap();
    plaintext.mark_secret();
    of_message(patterns, "the encoding", parameters, plaintext.polynomial());
    let mut secret = ring.from_small(&ring.all(), &unpacked(&secret));
    ring.forward(&mut secret);
    let [c0, c1] = ciphertext.parts();
    let mut message = c0.clone();
    ring.mul_add(&mut message, c1, &secret);
    of_message(patterns, "the decryption", parameters, &message);
}
