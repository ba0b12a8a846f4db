// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ciphertexts and keys of another secret key are rejected with both names, and do not decrypt.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

use crate::setting::{Outcome, Pair, Setting};
use halimede_ckks::circuit::{CircuitError, Input};
use halimede_ckks::keys::{KeyId, KeyUse, PublicKey, SecretKey};
use halimede_ckks::params::Scale;
use halimede_ckks::sampling::Random;
use halimede_ckks::{
    Accuracy, Ciphertext, Client, Complex, Diagonals, EvaluationError, EvaluationKeys, Expression,
    FileError, LinearTransform, Operations, Parameters, Plan, Polynomial, Server, Sharing,
    SharingError, Sign,
};

/// The size of a key's identifier, after the header.
const KEY_ID: usize = 16;

/// Another client with the same parameters, and its server.
fn stranger(preset: &str) -> Setting {
    let parameters = Parameters::preset(preset).unwrap();
    let mut client = Client::of_test(&parameters, 77);
    let server = client.server(&operations());
    Setting { client, server, ..Setting::new(preset, &[]) }
}

fn operations() -> Operations {
    let rotations = vec![1, 2, 4, 8, 16, 32, -1, -2, -4];
    Operations { multiply: true, conjugate: true, rotations, ..Operations::default() }
}

/// Checks that an error names both keys.
fn check_named(error: impl Into<CircuitError>, theirs: KeyId, ours: KeyId, what: &str) {
    let error = error.into();
    let text = error.to_string();
    let Some(EvaluationError::Owner { got, ours: expected }) = error.evaluation() else {
        panic!("{what}: {text}")
    };
    let mut both = [*got, *expected];
    let mut keys = [theirs, ours];
    both.sort_unstable();
    keys.sort_unstable();
    assert_eq!(both, keys, "{what}");
    assert!(
        text.contains(&theirs.to_string()) && text.contains(&ours.to_string()),
        "{what}: {text}"
    );
}

/// Every operation on a ciphertext, and on one of the server's.
fn outcomes(
    server: &Server,
    transform: &LinearTransform,
    a: &Ciphertext,
    Pair { ciphertext: own, plain }: &Pair,
) -> Vec<(&'static str, Result<(), CircuitError>)> {
    let number = Complex::new(0.3, -0.7);
    let square = Polynomial::monomial(&[0.5, 0.0, 1.0]).unwrap();
    let sign = Sign::new(1.0, 0.5, 0.1).unwrap();
    let interval = (0.5, 2.0);
    let scale = Scale::exp2(30.0);
    let explicit = server.explicit();
    let wide = explicit.mul_degree2(own, own).unwrap();
    let encoded = server.encoder().encode(plain, a.level()).unwrap();
    let x = || Expression::input("x");
    vec![
        ("add", server.add(a, own).outcome()),
        ("add to ours", server.add(own, a).outcome()),
        ("add itself", server.add(a, a).outcome()),
        ("sub", server.sub(own, a).outcome()),
        ("mul", server.mul(a, own).outcome()),
        ("mul with ours", server.mul(own, a).outcome()),
        ("square", server.mul(a, a).outcome()),
        ("neg", server.neg(a).outcome()),
        ("add_plain", server.add_plain(a, plain).outcome()),
        ("mul_plain", server.mul_plain(a, plain).outcome()),
        ("add_number", server.add_number(a, number).outcome()),
        ("mul_number", server.mul_number(a, number).outcome()),
        ("mul_number_to", server.mul_number_to(a, number, scale).outcome()),
        ("mul_integer", server.mul_integer(a, 3).outcome()),
        ("mul_by_i", server.mul_by_i(a).outcome()),
        ("mul_encoded", server.mul_encoded(a, &encoded).outcome()),
        ("at_level", server.at_level(a, 0).outcome()),
        ("at_scale", server.at_scale(a, 0, scale).outcome()),
        ("rescale", server.rescale(a).outcome()),
        ("rotate", server.rotate(a, 1).outcome()),
        ("rotate by nothing", server.rotate(a, 0).outcome()),
        ("rotate_many", server.rotate_many(a, &[1, 2]).outcome()),
        ("conjugate", server.conjugate(a).outcome()),
        ("sum", server.sum(a).outcome()),
        ("mean", server.mean(a).outcome()),
        ("roll", server.roll(a, 1).outcome()),
        ("slice", server.slice(a, 0, 4).outcome()),
        ("inner_sum", server.inner_sum(a, 2, 1).outcome()),
        ("replicate", server.replicate(a, 3, 1).outcome()),
        ("linear_transform", server.linear_transform(a, transform).outcome()),
        ("evaluate", server.evaluate(a, &square).outcome()),
        ("evaluate_to", server.evaluate_to(a, &square, 0, scale).outcome()),
        ("evaluate_function", {
            server.evaluate_function(a, f64::exp, interval, Accuracy::Degree(3)).outcome()
        }),
        ("inverse", server.inverse(a, interval, 0.5).outcome()),
        ("square_root", server.square_root(a, interval, 0.1).outcome()),
        ("inverse_square_root", server.inverse_square_root(a, interval, 0.1).outcome()),
        ("sign", server.sign(a, &sign).outcome()),
        ("is_positive", server.is_positive(a, &sign).outcome()),
        ("relu", server.relu(a, &sign).outcome()),
        ("max", server.max(own, a, &sign).outcome()),
        ("greater", server.greater(a, own, &sign).outcome()),
        ("explicit add", explicit.add(own, a).outcome()),
        ("explicit sub", explicit.sub(a, own).outcome()),
        ("explicit mul", explicit.mul(a, own).outcome()),
        ("explicit mul_degree2", explicit.mul_degree2(own, a).outcome()),
        ("explicit mul_add_degree2", explicit.mul_add_degree2(wide, a, a).outcome()),
        ("explicit mul_plain", explicit.mul_plain(a, plain, scale).outcome()),
        ("explicit add_plain", explicit.add_plain(a, plain).outcome()),
        ("explicit rescale", explicit.rescale(a).outcome()),
        ("explicit drop_to_level", explicit.drop_to_level(a, 0).outcome()),
        ("run", server.run(&(x() * x()), &[("x", a)]).map(drop)),
        ("run of a name", server.run(&x(), &[("x", a)]).map(drop)),
        ("run of both", {
            server.run(&(x() + Expression::input("y")), &[("x", own), ("y", a)]).map(drop)
        }),
        ("run_plan", {
            let input = BTreeMap::from([("x".to_owned(), Input::from(own))]);
            let plan = Plan::new(&x().rotate(1), server.parameters(), &input).unwrap();
            server.run_plan(&plan, &[("x", a)], |_| {}).map(drop)
        }),
    ]
}

#[test]
fn ciphertexts_of_strangers_are_refused_by_each_operation() {
    let mut ours = Setting::new("n10-insecure", &operations().rotations);
    let mut theirs = stranger("n10-insecure");
    let own = ours.real_pair(64, 4, (0.5, 1.0));
    let by_secret = theirs.real_pair(64, 4, (0.5, 1.0));
    let encoder = theirs.client.encoder();
    let reals: Vec<f64> = by_secret.plain.iter().map(|value| value.re).collect();
    let declared = halimede_ckks::Values::from(&reals).bounded(own.ciphertext.bound());
    let random = &mut Random::of_test(3);
    let by_public = stranger("n10-insecure").client.public_key();
    let by_public = by_public.encrypt_at(encoder, declared, 4, random).unwrap();
    let computed = theirs.server.rotate(&by_secret.ciphertext, 1).unwrap();
    let diagonals = Diagonals::new(64, [(1, vec![Complex::from(0.5); 64])]).unwrap();
    let transform = LinearTransform::new(ours.client.encoder(), &diagonals, 2).unwrap();
    let ids = (theirs.client.secret().id(), ours.client.secret().id());
    assert_ne!(ids.0, ids.1);
    for encrypted in [&by_secret.ciphertext, &by_public, &computed] {
        assert_eq!(encrypted.owner(), ids.0);
        for (what, outcome) in outcomes(&ours.server, &transform, encrypted, &own) {
            let Err(error) = outcome else { panic!("{what} of a stranger's ciphertext") };
            check_named(error, ids.0, ids.1, what);
        }
        check_named(ours.client.decrypt(encrypted).unwrap_err(), ids.0, ids.1, "decrypt");
        let sharing = Sharing::new(8, 1);
        for error in [
            ours.client.decrypt_for_sharing(encrypted, &sharing).map(drop),
            ours.client.precision_for_sharing(encrypted, &sharing).map(drop),
        ] {
            let Err(SharingError::Parameters(error)) = error else { panic!("{error:?}") };
            check_named(error, ids.0, ids.1, "decrypt for sharing");
        }
    }
    // The list only has possible operations.
    for (what, outcome) in outcomes(&ours.server, &transform, &own.ciphertext, &own) {
        if !["relu", "max"].contains(&what) {
            outcome.unwrap_or_else(|error| panic!("{what}: {error}"));
        }
    }
}

#[test]
fn a_server_without_keys_keeps_owners_apart() {
    let mut ours = Setting::new("n10-insecure", &[]);
    let mut theirs = stranger("n10-insecure");
    let (a, b) = (ours.pair(8, 2), theirs.pair(8, 2));
    let server = Server::new(EvaluationKeys::new(ours.client.parameters()));
    let ids = (a.ciphertext.owner(), b.ciphertext.owner());
    assert_eq!(server.keys().owner(), None);
    for ciphertext in [&a.ciphertext, &b.ciphertext] {
        assert!(
            server.add(ciphertext, ciphertext).is_ok()
                && server.add_number(ciphertext, 0.5.into()).is_ok()
        );
    }
    for (what, error) in [
        ("add", server.add(&a.ciphertext, &b.ciphertext).err().map(CircuitError::from)),
        ("sub", server.sub(&b.ciphertext, &a.ciphertext).err().map(CircuitError::from)),
        (
            "explicit",
            server
                .explicit()
                .mul_degree2(&a.ciphertext, &b.ciphertext)
                .err()
                .map(CircuitError::from),
        ),
        ("run", {
            let sum = Expression::input("a") + Expression::input("b");
            server.run(&sum, &[("a", &a.ciphertext), ("b", &b.ciphertext)]).err()
        }),
    ] {
        check_named(error.unwrap(), ids.0, ids.1, what);
    }
    let wide = server.explicit().mul_degree2(&a.ciphertext, &a.ciphertext).unwrap();
    let error =
        server.explicit().mul_add_degree2(wide, &b.ciphertext, &b.ciphertext).err().unwrap();
    check_named(error, ids.0, ids.1, "mul_add_degree2");
}

#[test]
fn keys_of_two_clients_do_not_go_together() {
    let mut ours = Setting::new("n10-insecure", &[]);
    let mut theirs = stranger("n10-insecure");
    let a = ours.real_pair(64, 4, (0.5, 1.0)).ciphertext;
    let parameters = ours.client.parameters().clone();
    let ids = (theirs.client.secret().id(), ours.client.secret().id());
    let uses = operations().keys(&parameters);
    for stolen in uses.keys() {
        // All keys except one belong to the client.
        let mut keys = EvaluationKeys::new(&parameters);
        for (of, level) in &uses {
            if of != stolen {
                keys.insert(*of, ours.client.evaluation_key(*of, *level));
            }
        }
        keys.insert(*stolen, theirs.client.evaluation_key(*stolen, parameters.top()));
        assert_eq!(keys.owner(), Some(ids.1));
        for error in [keys.save(std::io::sink()).unwrap_err(), keys.file_bytes().unwrap_err()] {
            let is_named = matches!(error, FileError::KeyOwner { key, ours } if (key, ours) == ids);
            assert!(is_named, "{error}");
        }
        let server = Server::new(keys);
        let mut results = vec![
            ("mul", KeyUse::Multiply, server.mul(&a, &a).map_err(CircuitError::from)),
            (
                "conjugate",
                KeyUse::Automorphism(2047),
                server.conjugate(&a).map_err(CircuitError::from),
            ),
            (
                "explicit",
                KeyUse::Multiply,
                server.explicit().mul(&a, &a).map_err(CircuitError::from),
            ),
        ];
        let one = KeyUse::Automorphism(5);
        results.extend([
            ("rotate", one, server.rotate(&a, 1).map_err(CircuitError::from)),
            ("inner_sum", one, server.inner_sum(&a, 2, 1).map_err(CircuitError::from)),
            ("run", one, server.run(&Expression::input("a").rotate(1), &[("a", &a)])),
        ]);
        for (what, of, result) in results {
            if of != *stolen {
                result.unwrap_or_else(|error| panic!("{what} without {stolen}: {error}"));
                continue;
            }
            let error = result.unwrap_err();
            let text = error.to_string();
            let is_named = matches!(
                error.evaluation(),
                Some(EvaluationError::KeyOwner { key, ours, .. }) if (*key, *ours) == ids
            );
            assert!(is_named, "{what}: {text}");
            assert!(
                text.contains(&ids.0.to_string()) && text.contains(&ids.1.to_string()),
                "{text}"
            );
        }
    }
    // Conversely, the ciphertext belongs to another key.
    let mut keys = EvaluationKeys::new(&parameters);
    keys.insert(KeyUse::Multiply, theirs.client.evaluation_key(KeyUse::Multiply, 4));
    check_named(Server::new(keys).mul(&a, &a).unwrap_err(), ids.1, ids.0, "mul");
}

#[test]
fn bootstraps_take_keys_of_one_client() {
    let parameters = Parameters::preset("n10-boot-insecure").unwrap();
    let [mut ours, mut theirs] = [1, 2].map(|number| Client::of_test(&parameters, number));
    let operations = Operations { bootstrap: true, ..Operations::default() };
    let server = ours.server(&operations);
    let theirs_at_zero = theirs.encrypt_at(&[0.5; 512], 0).unwrap();
    let ids = (theirs.secret().id(), ours.secret().id());
    check_named(server.bootstrap(&theirs_at_zero).unwrap_err(), ids.0, ids.1, "bootstrap");
    let own = ours.encrypt_at(&[0.5; 512], 0).unwrap();
    for stolen in [KeyUse::ToSparse, KeyUse::FromSparse, KeyUse::Multiply] {
        let mut keys = ours.evaluation_keys(&operations);
        keys.insert(stolen, theirs.evaluation_key(stolen, parameters.top()));
        let error = Server::new(keys).bootstrap(&own).unwrap_err();
        assert!(
            matches!(error.evaluation(), Some(EvaluationError::KeyOwner { .. })),
            "{stolen}: {error}"
        );
    }
}

/// Returns a file with other bytes, and the checksum that goes with them.
fn forged(mut bytes: Vec<u8>, at: usize, change: &[u8]) -> Vec<u8> {
    bytes[at..at + change.len()].copy_from_slice(change);
    let content = bytes.len() - 32;
    let checksum = blake3::hash(&bytes[..content]);
    bytes[content..].copy_from_slice(checksum.as_bytes());
    bytes
}

#[test]
fn files_keep_owners() {
    let mut ours = Setting::new("n10-insecure", &[1]);
    let mut theirs = stranger("n10-insecure");
    let parameters = ours.client.parameters().clone();
    let ids = (theirs.client.secret().id(), ours.client.secret().id());
    let mut file = Vec::new();
    ours.client.secret().save(&mut file).unwrap();
    let secret = SecretKey::load(&file[..], &parameters).unwrap();
    assert_eq!(secret.id(), ids.1);
    file.clear();
    theirs.client.public_key().save(&mut file).unwrap();
    let public = PublicKey::load(&file[..], &parameters).unwrap();
    assert_eq!(public.owner(), ids.0);
    file.clear();
    let (own, other) = (ours.pair(64, 3), theirs.pair(64, 3));
    ours.server.keys().save(&mut file).unwrap();
    let keys = EvaluationKeys::load(&file[..], &parameters).unwrap();
    assert_eq!(keys.owner(), Some(ids.1));
    assert!(keys.iter().all(|(_, key)| key.owner() == ids.1));
    let server = Server::new(keys);
    let through_a_file = |a: &Ciphertext| {
        let mut file = Vec::new();
        a.save(&mut file, &parameters).unwrap();
        Ciphertext::load(&file[..], &parameters).unwrap()
    };
    let encoder = ours.client.encoder();
    let by_public = public.encrypt_at(encoder, &other.plain, 3, &mut Random::of_test(1)).unwrap();
    for other in [
        &other.ciphertext,
        &theirs.server.mul(&other.ciphertext, &other.ciphertext).unwrap(),
        &by_public,
    ] {
        let loaded = through_a_file(other);
        assert_eq!(loaded.owner(), ids.0);
        check_named(server.rotate(&loaded, 1).unwrap_err(), ids.0, ids.1, "rotate");
        let client = Client::with_secret(
            SecretKey::load(&secret_file(&ours.client)[..], &parameters).unwrap(),
        );
        check_named(client.unwrap().decrypt(&loaded).unwrap_err(), ids.0, ids.1, "decrypt");
    }
    let loaded = through_a_file(&own.ciphertext);
    assert!(loaded.owner() == ids.1 && server.rotate(&loaded, 1).is_ok());
    ours.check(
        &server.mul(&loaded, &own.ciphertext).unwrap(),
        &crate::setting::zip(&own.plain, &own.plain, |a, b| a * b),
        "own",
    );
}

fn secret_file(client: &Client) -> Vec<u8> {
    let mut file = Vec::new();
    client.secret().save(&mut file).unwrap();
    file
}

#[test]
fn forged_owners_are_refused() {
    let mut ours = Setting::new("n10-insecure", &[1]);
    let parameters = ours.client.parameters().clone();
    let mut header = Vec::new();
    parameters.save(&mut header).unwrap();
    let own = ours.pair(64, 3);
    let ids = ours.client.secret().id();
    let mut file = Vec::new();
    own.ciphertext.save(&mut file, &parameters).unwrap();
    assert_eq!(&file[header.len()..header.len() + KEY_ID], ids.as_bytes());
    for place in 0..KEY_ID {
        // A single different bit anywhere means another key; the first half is shown.
        let mut id = *ids.as_bytes();
        id[place] ^= 1 << (place % 8);
        let unsealed = [&file[..header.len()], &id, &file[header.len() + KEY_ID..]].concat();
        assert!(Ciphertext::load(&unsealed[..], &parameters).is_err(), "without the checksum");
        let loaded =
            Ciphertext::load(&forged(file.clone(), header.len(), &id)[..], &parameters).unwrap();
        assert_eq!(loaded.owner().as_bytes(), &id);
        let error = ours.client.decrypt(&loaded).unwrap_err();
        assert!(
            matches!(error, EvaluationError::Owner { got, .. } if got.as_bytes() == &id),
            "{error}"
        );
        assert!(matches!(ours.server.rotate(&loaded, 1), Err(EvaluationError::Owner { .. })));
    }
    // A foreign ciphertext that claims to be ours is only noise; only a signature could detect it.
    let mut theirs = stranger("n10-insecure");
    let other = theirs.pair(64, 3);
    let mut file = Vec::new();
    other.ciphertext.save(&mut file, &parameters).unwrap();
    let claimed =
        Ciphertext::load(&forged(file, header.len(), ids.as_bytes())[..], &parameters).unwrap();
    assert_eq!(claimed.owner(), ids);
    assert!(ours.client.decrypt(&claimed).is_ok());
}
