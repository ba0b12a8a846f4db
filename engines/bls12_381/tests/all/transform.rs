// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Transforms against `bellman`'s, from 1 to 2¹⁷ points.

use bellman::domain::{EvaluationDomain, Scalar};
use bellman::multicore::Worker;
use bls12_381::Scalar as PeerScalar;
use halimede_arith::transform::{Domain, Generator};
use halimede_arith::Backend;
use halimede_bls12_381::Fr;

use crate::common::{cases, generator, peer_scalar, random_scalar};

type PeerDomain = EvaluationDomain<PeerScalar, Scalar<PeerScalar>>;

fn peer(scalars: &[Fr]) -> PeerDomain {
    let scalars = scalars.iter().map(|scalar| Scalar(peer_scalar(scalar))).collect();
    EvaluationDomain::from_coeffs(scalars).unwrap()
}

fn assert_equal(found: &[Fr], expected: PeerDomain) {
    let expected = expected.into_coeffs();
    assert_eq!(found.len(), expected.len());
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found.to_le_bytes(), expected.0.to_bytes(), "{index}");
    }
}

#[test]
fn transforms_are_bellmans() {
    let mut rng = generator();
    let worker = Worker::new();
    let seven = Fr::from(7); // the shift of bellman's coset
    for log_size in (0..=cases(13, 16) as u32).chain([17]) {
        let input: Vec<Fr> = (0..1 << log_size).map(|_| random_scalar(&mut rng)).collect();
        for backend in [Backend::Portable, Backend::best()] {
            let domain = Domain::new(Generator::Seven, log_size).unwrap().with_backend(backend);
            let mut values = input.clone();
            domain.evaluate(&mut values);
            let mut expected = peer(&input);
            expected.fft(&worker);
            assert_equal(&values, expected);

            let mut values = input.clone();
            domain.interpolate(&mut values);
            let mut expected = peer(&input);
            expected.ifft(&worker);
            assert_equal(&values, expected);

            let mut values = input.clone();
            domain.evaluate_on_coset(&mut values, seven);
            let mut expected = peer(&input);
            expected.coset_fft(&worker);
            assert_equal(&values, expected);

            let mut values = input.clone();
            domain.interpolate_from_coset(&mut values, seven).unwrap();
            let mut expected = peer(&input);
            expected.icoset_fft(&worker);
            assert_equal(&values, expected);
        }
    }
}
