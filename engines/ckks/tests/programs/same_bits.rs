// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whole operations give the same bytes with any number of threads and on each backend.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use halimede_arith::EngineBackend;
use halimede_ckks::ring::LaneBackend;
use halimede_ckks::sampling::Random;
use halimede_ckks::{
    Accuracy, BlockPolynomials, Ciphertext, Client, Complex, Diagonals, LinearTransform,
    Operations, Parameters, Polynomial,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A result and its bytes.
type Named = (String, Vec<u8>);

fn saved(ciphertext: &Ciphertext, parameters: &Parameters) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciphertext.save(&mut bytes, parameters).unwrap();
    bytes
}

/// The angles of bootstraps: results do not depend on the run.
const ANGLES: [u8; 32] = *b"angles of slots, fixed for tests";

/// Returns keys, encryptions and results of operations on them, all from one number.
fn everything(parameters: &Parameters) -> Vec<Named> {
    let mut rng = ChaCha8Rng::seed_from_u64(31);
    let slots = parameters.slots();
    let mut values = |count: usize| -> Vec<Complex> {
        (0..count)
            .map(|_| Complex::new(rng.gen_range(-0.7..0.7), rng.gen_range(-0.7..0.7)))
            .collect()
    };
    let mut client = Client::of_test(parameters, 32);
    let diagonals: Vec<_> = [0, 1, 2, -5, 64].map(|step| (step, values(slots))).into();
    let matrix = Diagonals::new(slots, diagonals).unwrap();
    let transform = LinearTransform::new(client.encoder(), &matrix, 2).unwrap();
    let mut rotations = vec![1, -9];
    rotations.extend(transform.rotations());
    let bootstrap = parameters.bootstrap().is_some();
    // Bootstraps of a vector of few slots use another path.
    let bootstrap_slots = if bootstrap { vec![8] } else { Vec::new() };
    let operations = Operations {
        multiply: true,
        conjugate: true,
        rotations,
        bootstrap,
        bootstrap_slots,
        ..Operations::default()
    };
    let server = client.server(&operations).with_angles(ANGLES);
    let mut keys = Vec::new();
    server.keys().save(&mut keys).unwrap();

    let (x, y) = (values(slots), values(slots));
    let a = client.encrypt(&x).unwrap();
    let public = client.public_key();
    let level = parameters.fresh_level();
    let b = public.encrypt_at(client.encoder(), &y, level, &mut Random::of_test(33)).unwrap();
    let real: Vec<f64> = x.iter().map(|value| value.re).collect();
    let r = client.encrypt(&real).unwrap();
    let polynomial = Polynomial::chebyshev(&values(7), (-1.0, 1.0)).unwrap();
    let many = server.rotate_many(&a, &[1, -9, 2]).unwrap();
    let mut results = vec![
        ("secret encryption", a.clone()),
        ("public encryption", b.clone()),
        ("add", server.add(&a, &b).unwrap()),
        ("mul", server.mul(&a, &b).unwrap()),
        ("mul_plain", server.mul_plain(&a, &y).unwrap()),
        ("at_level", server.at_level(&a, 1).unwrap()),
        ("rotate", server.rotate(&a, -9).unwrap()),
        ("conjugate", server.conjugate(&b).unwrap()),
        ("linear_transform", server.linear_transform(&a, &transform).unwrap()),
        ("evaluate", server.evaluate(&r, &polynomial).unwrap()),
        ("evaluate_blocks", {
            let other = Polynomial::chebyshev(&values(4), (-1.0, 1.0)).unwrap();
            let blocks = BlockPolynomials::new(vec![polynomial, other], slots / 8).unwrap();
            server.evaluate_blocks(&r, &blocks).unwrap()
        }),
        ("evaluate_function", {
            let accuracy = Accuracy::Degree(3);
            server.evaluate_function(&r, f64::exp, (-2.0, 2.0), accuracy).unwrap()
        }),
    ];
    results.extend(many.into_iter().map(|turned| ("rotate_many", turned)));
    if bootstrap {
        let bootstrap_slots = vec![8, slots];
        let few = Operations { bootstrap_slots, few_keys: true, ..Operations::default() };
        let with_few = client.server(&few).with_angles(ANGLES);
        let lowest = server.at_level(&b, 0).unwrap();
        results.push(("bootstrap", server.bootstrap(&lowest).unwrap()));
        results.push(("bootstrap with few keys", with_few.bootstrap(&lowest).unwrap()));
        let few = client.encrypt_at(&x[..8], 0).unwrap();
        results.push(("bootstrap of few slots", server.bootstrap(&few).unwrap()));
        results.push(("bootstrap of few slots with few keys", with_few.bootstrap(&few).unwrap()));
    }
    let decrypted: Vec<u8> = client
        .decrypt(&results[3].1)
        .unwrap()
        .iter()
        .flat_map(|value| [value.re.to_bits(), value.im.to_bits()])
        .flat_map(u64::to_le_bytes)
        .collect();
    let saved = |(name, result): (&str, Ciphertext)| (name.to_owned(), saved(&result, parameters));
    let mut all: Vec<Named> = results.into_iter().map(saved).collect();
    all.push(("evaluation keys".to_owned(), keys));
    all.push(("decryption".to_owned(), decrypted));
    all
}

fn check_same(expected: &[Named], got: &[Named], what: &str) {
    assert_eq!(expected.len(), got.len());
    for ((name, expected), (_, got)) in expected.iter().zip(got) {
        // No bytes are printed: there are millions.
        assert!(expected == got, "{name} is another {what}");
    }
}

/// Levels for all operations; a bootstrap as well; and polynomials of more than a page.
const PRESETS: [&str; 4] =
    ["n10-insecure", "n10-boot-insecure", "n10-boot-precise-insecure", "n13-insecure"];

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for preset in PRESETS {
        let with_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| everything(&Parameters::preset(preset).unwrap()))
        };
        let one = with_threads(1);
        for threads in [2, 3, 7] {
            let what = format!("with {threads} threads, {preset}");
            check_same(&one, &with_threads(threads), &what);
        }
    }
}

#[test]
fn results_do_not_depend_on_the_backend() {
    for preset in PRESETS {
        let on_backend = |backend: LaneBackend| {
            everything(&Parameters::preset(preset).unwrap().with_backend(backend).unwrap())
        };
        let portable = on_backend(LaneBackend::PORTABLE);
        for backend in LaneBackend::available().filter(|backend| *backend != LaneBackend::PORTABLE)
        {
            check_same(&portable, &on_backend(backend), &format!("with {backend}, {preset}"));
        }
    }
}
