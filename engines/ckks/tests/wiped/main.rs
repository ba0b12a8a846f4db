// SPDX-License-Identifier: Apache-2.0 OR MIT
//! That nothing secret stays in the process's memory. A program of its own, with one test, since all of the
//! memory is searched.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod patterns;
mod scan;

use halimede_ckks::keys::SecretKey;
use halimede_ckks::sampling::Random;
use halimede_ckks::{Ciphertext, Client, Complex, Operations, Parameters, Server};
use patterns::Pattern;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use scan::{Found, Scanner};
use zeroize::Zeroizing;

/// All that is done with a secret, and what there is left of it to look for.
struct Work {
    client: Client,
    server: Server,
    ciphertexts: Vec<Ciphertext>,
    patterns: Vec<Pattern>,
}

/// The rotation by one, and the complex conjugate.
fn exponents(parameters: &Parameters) -> [u64; 4] {
    let order = 2 * parameters.degree() as u64;
    // 5⁻¹ modulo a power of two: the key is for the inverse automorphism.
    let inverse = (1..order).step_by(2).find(|by| 5 * by % order == 1).unwrap();
    [5, inverse, order - 1, 3]
}

fn work(parameters: &Parameters, number: u64, folder: &std::path::Path) -> Work {
    let mut patterns = Vec::new();
    patterns::of_generator(&mut patterns, number, parameters.degree());
    let mut client = Client::of_test(parameters, number);
    patterns::of_secret(&mut patterns, "the secret", client.secret(), &exponents(parameters));
    let mut rng = ChaCha8Rng::seed_from_u64(number);
    // No power of two: the encoder fills the vector up.
    let count = parameters.slots() - 5;
    let values =
        (0..count).map(|_| Complex::new(rng.gen_range(-1.0..1.0), rng.gen_range(-1.0..1.0)));
    let mut values: Zeroizing<Vec<Complex>> = Zeroizing::new(values.collect());
    values.shrink_to_fit();

    let level = 1;
    let sealed = client.encrypt_at(&values, level).unwrap();
    patterns::of_values(&mut patterns, &client, &values, &sealed);
    drop(Zeroizing::new(client.decrypt(&sealed).unwrap()));
    let public = client.public_key();
    let random = &mut Random::of_test(number);
    let by_public = public.encrypt_at(client.encoder(), &values, level, random).unwrap();
    drop(Zeroizing::new(client.decrypt(&by_public).unwrap()));
    let operations = Operations {
        multiply: true,
        conjugate: true,
        rotations: vec![1],
        bootstrap: parameters.bootstrap().is_some(),
        ..Operations::default()
    };
    let server = client.server(&operations);
    if let Some(sparse) = client.sparse_secret() {
        patterns::of_secret(&mut patterns, "the sparse secret", sparse, &[]);
    }
    let path = folder.join(number.to_string());
    client.secret().create_file(&path).unwrap();
    drop(SecretKey::open_file(&path, parameters).unwrap());
    std::fs::remove_file(path).unwrap();
    Work { client, server, ciphertexts: vec![sealed, by_public], patterns }
}

/// That each pattern is found where it is.
fn check_scan(scanner: &Scanner, patterns: &[Pattern], preset: &str) {
    let planted: Vec<_> = patterns.iter().map(Pattern::planted).collect();
    let found = scanner.scan();
    drop(planted);
    for pattern in patterns {
        assert!(found.contains_key(&pattern.name), "{preset}: {} is not found", pattern.name);
    }
}

fn assert_none(found: &Found, when: &str) {
    let list: Vec<String> =
        found.iter().map(|(name, (count, place))| format!("{name}: {count}, {place}")).collect();
    assert!(list.is_empty(), "{when}:\n{}", list.join("\n"));
}

#[test]
fn nothing_secret_stays_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    for (preset, number) in [("n10-boot-insecure", 71), ("n13-insecure", 72)] {
        let parameters = Parameters::preset(preset).unwrap();
        let Work { client, server, ciphertexts, patterns } =
            work(&parameters, number, folder.path());
        let scanner = Scanner::new(&patterns);
        let mut found = scanner.scan();
        let mut alive =
            vec!["the secret, a byte each", "values of the secret", "the generator's key"];
        if client.sparse_secret().is_some() {
            alive.extend(["the sparse secret, a byte each", "values of the sparse secret"]);
        }
        for name in alive {
            let is_found = found.remove(name).is_some();
            assert!(is_found, "{preset}: {name} is not found while the client lives");
        }
        assert_none(&found, &format!("{preset}, the client lives"));

        drop(client);
        assert_none(&scanner.scan(), &format!("{preset}, the client is dropped"));
        let product = server.mul(&ciphertexts[0], &ciphertexts[1]).unwrap();
        let turned = server.rotate(&product, 1).unwrap();
        if server.can_bootstrap() {
            server.bootstrap(&turned).unwrap();
        }
        assert_none(&scanner.scan(), &format!("{preset}, the server has computed"));
        drop((server, ciphertexts, product, turned, parameters));
        assert_none(&scanner.scan(), &format!("{preset}, everything is dropped"));
        check_scan(&scanner, &patterns, preset);
    }
}
