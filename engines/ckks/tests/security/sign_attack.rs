// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Comparisons of equal values, where the steep sign enlarges errors: the noise of a shared result
//! must follow these errors, not those of values beyond the threshold.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stdout, reason = "a test prints what it measured")]

use halimede_ckks::params::{ChainShape, SecretKind};
use halimede_ckks::{
    Bound, Ciphertext, Client, Complex, Operations, Parameters, Sharing, SharingError, Sign, Values,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The number of decryptions of the result that others see.
const QUERIES: u32 = 4;

/// The measured values.
struct Measured {
    client: Client,
    /// The sign of the difference of equal values, which is 0 without errors.
    result: Ciphertext,
    errors: Vec<f64>,
}

fn root_mean_square(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    (values.map(|value| value * value).sum::<f64>() / count).sqrt()
}

/// Returns the sign of x − y with x = y.
fn compare_equal_values(parameters: &Parameters, sign: &Sign, seed: u64) -> Measured {
    let mut client = Client::of_test(parameters, seed);
    let server = client.server(&Operations { multiply: true, ..Operations::default() });
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let values: Vec<f64> = (0..parameters.slots()).map(|_| rng.gen_range(-0.5..0.5)).collect();
    let level = sign.levels();
    let mut seal = || {
        let declared = Values::from(&values).bounded(Bound::real(0.5));
        client.encrypt_at(declared, level).unwrap()
    };
    let (x, y) = (seal(), seal());
    let result = server.sign(&server.sub(&x, &y).unwrap(), sign).unwrap();
    let errors = client.decrypt(&result).unwrap().iter().map(|value| value.re).collect();
    Measured { client, result, errors }
}

/// Returns the correlation, in standard deviations, of the mean of all shared decryptions with the
/// hidden error.
fn correlation(measured: &mut Measured, sharing: &Sharing) -> f64 {
    let slots = measured.errors.len();
    let (mut mean, mut noise) = (vec![0.0; slots], 0.0);
    for _ in 0..QUERIES {
        let shared = measured.client.decrypt_for_sharing(&measured.result, sharing).unwrap();
        let values = mean.iter_mut().zip(&shared.values);
        values.for_each(|(mean, value): (_, &Complex)| *mean += value.re / f64::from(QUERIES));
        // For a complex number: half of its square is that of the real part.
        noise = (-shared.precision_bits).exp2() / 2f64.sqrt();
    }
    let product: f64 = mean.iter().zip(&measured.errors).map(|(a, b)| a * b).sum();
    let norm = measured.errors.iter().map(|error| error * error).sum::<f64>().sqrt();
    product / (norm * noise / f64::from(QUERIES).sqrt())
}

/// Shares a result and prints the claim, the truth and the correlation.
fn attack(parameters: &Parameters, sign: &Sign, seed: u64, security_bits: u32) {
    let mut measured = compare_equal_values(parameters, sign, seed);
    let truth = root_mean_square(measured.errors.iter().copied());
    let (claimed, anywhere) = (measured.result.estimate().error, measured.result.error_anywhere());
    let sharing = Sharing::new(security_bits, QUERIES);
    let flooding = sharing.flooding_bits(parameters);
    let [truth_bits, claimed_bits, anywhere_bits] = [truth, claimed, anywhere].map(|e| -e.log2());
    println!(
        "threshold 2^{:.0}, error 2^{:.0}: claimed {claimed_bits:.1} bits beyond the threshold and \
        {anywhere_bits:.1} anywhere, true {truth_bits:.1}; noise {:.1} bits above the error by the \
        former, {flooding:.1} are promised",
        (sign.threshold() / sign.bound()).log2(),
        sign.error().log2(),
        flooding + 0.5 + truth_bits - claimed_bits,
    );
    // The attack is real: the claim for other values is far from the truth.
    assert!(claimed_bits > truth_bits + 2.0, "{claimed_bits} and {truth_bits}");
    assert!(anywhere >= truth / 2f64.sqrt(), "{anywhere_bits} bits, and {truth_bits} are true");
    assert!(anywhere_bits > truth_bits - 8.0, "{anywhere_bits} of {truth_bits}: a useless claim");
    let bits = match measured.client.precision_for_sharing(&measured.result, &sharing) {
        Ok(bits) => bits,
        // Noise that is large enough leaves nothing of a sign.
        Err(SharingError::Precision { .. }) => {
            println!("refused");
            return assert!(anywhere_bits < flooding + 0.5, "{anywhere_bits}, {flooding}");
        }
        Err(error) => panic!("{error}"),
    };
    let above = truth_bits - bits;
    let sigma = correlation(&mut measured, &sharing);
    println!("noise {above:.1} bits above the error; correlation {sigma:.1} sigma");
    assert!(above >= flooding, "{above:.1} bits of noise, and {flooding:.1} are promised");
    assert!(sigma.abs() < 6.0, "{sigma}");
}

fn shallow(log_degree: u32, sign: &Sign) -> Parameters {
    let (base_units, steps) = (12, vec![8; sign.levels()]);
    let shape = ChainShape { log_degree, base_units, steps, digits: 4 };
    Parameters::insecure(shape, SecretKind::Ternary).unwrap()
}

#[test]
fn shared_comparisons_of_equal_values_tell_nothing_of_their_errors() {
    for (threshold, error) in [(-9, -28), (-12, -28)] {
        let sign = Sign::new(1.0, 2f64.powi(threshold), 2f64.powi(error)).unwrap();
        attack(&shallow(10, &sign), &sign, 91, 2);
    }
}

/// As originally found: parameters of 128 bits, 16 and 22 bits.
#[test]
fn shared_comparisons_with_secure_parameters_tell_nothing_of_their_errors() {
    if std::env::var_os("HALIMEDE_SWEEP").is_none() {
        return;
    }
    let sign = Sign::new(1.0, 2f64.powi(-16), 2f64.powi(-22)).unwrap();
    attack(&Parameters::preset("n16").unwrap(), &sign, 92, 8);
}
