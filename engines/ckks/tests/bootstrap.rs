// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bootstrapping in a small, insecure ring.

use halimede_ckks::bootstrap::{BootstrapShape, Bootstrapper};
use halimede_ckks::params::SecretKind;
use halimede_ckks::{Client, Complex, Operations, Parameters};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[test]
fn a_ciphertext_of_the_lowest_level_comes_back_at_a_higher_one() {
    let shape = BootstrapShape::new(10, 3, 4);
    let parameters = Parameters::insecure(shape.chain(), SecretKind::Ternary).unwrap();
    let mut client = Client::of_test(&parameters, 21);
    let bootstrapper = Bootstrapper::new(client.encoder(), &shape).unwrap();
    let rotations = bootstrapper.rotations();
    let keys = client.bootstrap_keys(&shape);
    let evaluator = client.evaluator(&Operations { multiply: true, conjugate: true, rotations });
    let mut rng = ChaCha8Rng::seed_from_u64(22);
    for count in [parameters.slots(), 16] {
        let mut part = || rng.gen_range(-0.7..0.7);
        let values: Vec<Complex> = (0..count).map(|_| Complex::new(part(), part())).collect();
        let sealed = client.encrypt_at(&values, 0).unwrap();
        let result = bootstrapper.bootstrap(&evaluator, &keys, &sealed).unwrap();
        assert_eq!((result.level(), result.slots()), (3, count));
        let errors: Vec<f64> = client
            .decrypt(&result)
            .iter()
            .zip(&values)
            .map(|(ours, value)| (*ours - *value).abs())
            .collect();
        let (worst, mean) =
            (errors.iter().copied().fold(0.0, f64::max), errors.iter().sum::<f64>() / count as f64);
        println!(
            "{count} slots: worst 2^{:.1}, mean 2^{:.1}, estimate 2^{:.1}",
            worst.log2(),
            mean.log2(),
            result.estimate().error.log2()
        );
        assert!(worst < 2f64.powi(-18), "{worst:e}");
        let product = evaluator.mul(&result, &result).unwrap();
        let expected: Vec<Complex> = values.iter().map(|value| *value * *value).collect();
        let ours = client.decrypt(&product);
        assert!(ours.iter().zip(&expected).all(|(a, b)| (*a - *b).abs() < 2f64.powi(-17)));
    }
}
