// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every operation on ciphertexts under the keys of n parties, compared with a single key: it loses
//! at most ½·log₂ n bits, and half a bit for the sampling of the test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use halimede_ckks::encoding::Encoder;
use halimede_ckks::evaluator::{inner_sum_rotations, replicate_rotations};
use halimede_ckks::keys::PublicKey;
use halimede_ckks::sampling::Random;
use halimede_ckks::{
    Ciphertext, Client, Complex, Diagonals, LinearTransform, Operations, Parameters, Polynomial,
    Server, Values,
};

use crate::group::{error, values, Group};

const SLOTS: usize = 512;
/// The places that are summed and repeated, and their number.
const BATCH: (usize, usize) = (3, 5);
const HALF_A_BIT: f64 = 0.5;

/// An operation, its result and the expected values.
type Case = (&'static str, Ciphertext, Vec<Complex>);

fn parameters() -> Parameters {
    Parameters::preset("n10-insecure").unwrap()
}

fn matrix() -> Diagonals {
    let diagonals =
        [0, 1, 2, -1, 64, 65].map(|step: i64| (step, values(SLOTS, 70 + step as usize % 9)));
    Diagonals::new(SLOTS, diagonals).unwrap()
}

fn transform() -> LinearTransform {
    LinearTransform::new(&Encoder::new(&parameters()), &matrix(), 2).unwrap()
}

fn operations() -> Operations {
    let mut rotations = vec![1, -3, 100];
    rotations.extend(transform().rotations());
    rotations.extend(inner_sum_rotations(BATCH.1, BATCH.0));
    rotations.extend(replicate_rotations(BATCH.1, BATCH.0));
    Operations { multiply: true, conjugate: true, rotations, ..Operations::default() }
}

fn rotated(x: &[Complex], by: i64) -> Vec<Complex> {
    let mut rotated = x.to_vec();
    rotated.rotate_left(by.rem_euclid(x.len() as i64) as usize);
    rotated
}

fn sum_of_rotated(x: &[Complex], steps: impl Iterator<Item = i64>) -> Vec<Complex> {
    steps.fold(vec![Complex::default(); x.len()], |sum, by| {
        zip(&sum, &rotated(x, by), |sum, value| sum + value)
    })
}

fn zip(x: &[Complex], y: &[Complex], of: impl Fn(Complex, Complex) -> Complex) -> Vec<Complex> {
    x.iter().zip(y).map(|(x, y)| of(*x, *y)).collect()
}

/// The results of all operations on encryptions under a public key.
fn cases(server: &Server, public: &PublicKey, random: &mut Random) -> Vec<Case> {
    let encoder = server.encoder();
    let (x, y, plain) = (values(SLOTS, 1), values(SLOTS, 2), values(SLOTS, 3));
    let mut encrypt = |values: &[Complex]| {
        let level = server.parameters().fresh_level();
        public.encrypt_at(encoder, Values::from(values).within(1.0), level, random).unwrap()
    };
    let (a, b) = (encrypt(&x), encrypt(&y));
    let each = |of: &dyn Fn(Complex) -> Complex| x.iter().map(|x| of(*x)).collect::<Vec<_>>();
    let (number, i) = (Complex::new(0.375, -0.25), Complex::new(0.0, 1.0));
    let (batch, count) = (BATCH.0 as i64, BATCH.1 as i64);
    let polynomial = Polynomial::monomial(&values(4, 5)).unwrap();
    let explicit = server.explicit();
    let (p, q) = (server.at_level(&a, 3).unwrap(), server.at_level(&b, 3).unwrap());
    let degree2 = explicit.mul_degree2(&p, &q).unwrap();
    let product = zip(&x, &y, |x, y| x * y);
    let mut all = vec![
        ("encryption", a.clone(), x.clone()),
        ("add", server.add(&a, &b).unwrap(), zip(&x, &y, |x, y| x + y)),
        ("sub", server.sub(&a, &b).unwrap(), zip(&x, &y, |x, y| x - y)),
        ("neg", server.neg(&a).unwrap(), each(&|x| -x)),
        ("add_plain", server.add_plain(&a, &plain[..]).unwrap(), zip(&x, &plain, |x, y| x + y)),
        ("add_number", server.add_number(&a, number).unwrap(), each(&|x| x + number)),
        ("mul_integer", server.mul_integer(&a, -7).unwrap(), each(&|x| x * -7.0)),
        ("mul_by_i", server.mul_by_i(&a).unwrap(), each(&|x| x * i)),
        ("mul", server.mul(&a, &b).unwrap(), product.clone()),
        ("square", server.mul(&a, &a).unwrap(), each(&|x| x * x)),
        ("relinearize", explicit.relinearize(&degree2).unwrap(), product),
        ("mul_plain", server.mul_plain(&a, &plain[..]).unwrap(), zip(&x, &plain, |x, y| x * y)),
        ("mul_number", server.mul_number(&a, number).unwrap(), each(&|x| x * number)),
        ("at_level", server.at_level(&a, 1).unwrap(), x.clone()),
        ("conjugate", server.conjugate(&a).unwrap(), each(&|x| x.conjugate())),
        ("rotate", server.rotate(&a, 1).unwrap(), rotated(&x, 1)),
        ("composed rotate", server.rotate(&a, -2).unwrap(), rotated(&x, -2)),
        ("inner_sum", server.inner_sum(&a, BATCH.1, BATCH.0).unwrap(), {
            sum_of_rotated(&x, (0..count).map(|turn| turn * batch))
        }),
        ("replicate", server.replicate(&a, BATCH.1, BATCH.0).unwrap(), {
            sum_of_rotated(&x, (0..count).map(|turn| -turn * batch))
        }),
        ("linear_transform", server.linear_transform(&a, &transform()).unwrap(), {
            matrix().apply(&x)
        }),
        ("polynomial", server.evaluate(&a, &polynomial).unwrap(), each(&|x| polynomial.value(x))),
    ];
    let steps = [1, -3, 100];
    let many = server.rotate_many(&a, &steps).unwrap().into_iter().zip(steps);
    all.extend(many.map(|(many, by)| ("rotate_many", many, rotated(&x, by))));
    all
}

/// log₂ of each operation's measured and estimated error.
fn errors(cases: &[Case], oracle: &Client) -> Vec<[f64; 2]> {
    let of = |(what, ciphertext, wanted): &Case| {
        let got = error(&oracle.decrypt(ciphertext).unwrap(), wanted);
        let estimate = ciphertext.estimate().error;
        assert!(
            got <= HALF_A_BIT.exp2() * estimate,
            "{what}: error {got:e}, estimate {estimate:e}"
        );
        [got.log2(), estimate.log2()]
    };
    cases.iter().map(of).collect()
}

#[test]
fn collective_keys_lose_half_a_bit_when_the_number_of_parties_doubles() {
    let mut client = Client::of_test(&parameters(), 3);
    let (server, public) = (client.server(&operations()), client.public_key());
    let alone = errors(&cases(&server, &public, &mut Random::of_test(4)), &client);
    for count in [2, 3, 5, 16] {
        let mut group = Group::new(&parameters(), count, &operations());
        let cases = cases(&group.server, &group.public, &mut group.random);
        let (stated, mut most) = ((count as f64).log2() / 2.0, f64::MIN);
        for ((what, ..), (one, all)) in
            cases.iter().zip(alone.iter().zip(errors(&cases, &group.oracle())))
        {
            let lost = [all[0] - one[0], all[1] - one[1]];
            let what = format!("{what} of {count} parties loses {lost:.2?} of {stated:.2} bits");
            assert!(lost.iter().all(|lost| *lost <= stated + HALF_A_BIT), "{what}");
            most = most.max(lost[0]);
        }
        eprintln!("{count} parties lose at most {most:.2} bits of {stated:.2}");
    }
}
