// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Loaded keys work like the saved ones, bit for bit.

use halimede_ckks::files::{expect_end, FileKind, FileReader, KeyReader, KeyWriter, FORMAT};
use halimede_ckks::keys::{KeyUse, PublicKey, SecretKey};
use halimede_ckks::params::{BootstrapShape, ChainShape, SecretKind};
use halimede_ckks::sampling::Random;
use halimede_ckks::{
    Ciphertext, Client, Diagonals, EvaluationError, EvaluationKeys, FileError, LinearTransform,
    Operations, Parameters, Server,
};
use proptest::prelude::*;

use super::{is_same, operations, values, Files, Kind};

fn saved(ciphertext: &Ciphertext, parameters: &Parameters) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciphertext.save(&mut bytes, parameters).unwrap();
    bytes
}

#[test]
fn parameters() {
    let with_bootstraps = ["n10-boot-insecure", "n10-boot-precise-insecure"];
    for name in ["n10-insecure", "n13-insecure", "n14"].into_iter().chain(with_bootstraps) {
        let parameters = Parameters::preset(name).unwrap();
        let mut bytes = Vec::new();
        parameters.save(&mut bytes).unwrap();
        let loaded = Parameters::load_insecure(&bytes[..]).unwrap();
        assert_eq!(format!("{parameters:?}"), format!("{loaded:?}"));
        assert_eq!(parameters.chain(), loaded.chain());
        assert_eq!(parameters.hash(), loaded.hash());
        match Parameters::load(&bytes[..]) {
            Ok(_) => assert!(parameters.is_secure()),
            Err(error) => {
                assert!(matches!(error, FileError::Insecure { .. }), "{error}");
                assert!(error.to_string().contains(name) && !parameters.is_secure(), "{error}");
            }
        }
    }
}

/// Files can be read as long as presets stay the same. A hash depends on the format, the shape and
/// the primes of a preset: if one of them must change, so must the format. This test then prints
/// the new hashes.
#[test]
fn presets_keep_their_hashes() {
    let known = [
        ("n10-insecure", "65b07903b438bda1"),
        ("n13-insecure", "66c18980def933d0"),
        ("n14", "24ab90bbe3519ae9"),
        ("n15", "c2e6ca16ce16a974"),
        ("n16", "a69d1f78e1440543"),
        ("n10-boot-insecure", "1954c75fbf1fbcec"),
        ("n16-boot", "a9097d9c36e3d5d3"),
        ("n10-boot-precise-insecure", "e0a04f42167f9b4c"),
        ("n16-boot-precise", "46df31f07dae9d3a"),
    ];
    let hash = |name: &str| Parameters::dry_preset(name).unwrap().hash().to_string();
    let hashes: Vec<(&str, String)> = Parameters::presets().map(|n| (n, hash(n))).collect();
    assert_eq!(hashes, known.map(|(name, hash)| (name, hash.to_owned())));
    let mut bytes = Vec::new();
    Parameters::dry_preset("n14").unwrap().save(&mut bytes).unwrap();
    assert_eq!((FORMAT, &bytes[8..10]), (5, &FORMAT.to_le_bytes()[..]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn parameters_with_bootstraps_of_any_shape(
        log_degree in 5u32..10,
        levels in 1usize..6,
        level_units in 7u32..14,
        rounds in 0usize..4,
        coeff_to_slot in 1usize..4,
    ) {
        let usual = BootstrapShape::new(log_degree, levels, 4);
        let shape = BootstrapShape { level_units, rounds, coeff_to_slot, weight: 8, ..usual };
        let made = Parameters::insecure(shape.clone(), SecretKind::Ternary);
        let least = if rounds == 2 { 9 } else { 8 };
        let is_possible = (1..=2).contains(&rounds) && (least..=12).contains(&level_units);
        prop_assert_eq!(made.is_ok(), is_possible, "{:?}", made);
        let Ok(parameters) = made else { return Ok(()) };
        let mut bytes = Vec::new();
        parameters.save(&mut bytes).unwrap();
        let loaded = Parameters::load_insecure(&bytes[..]).unwrap();
        prop_assert_eq!(loaded.bootstrap(), Some(&shape));
        prop_assert_eq!(format!("{parameters:?}"), format!("{loaded:?}"));
        prop_assert_eq!(loaded.hash(), parameters.hash());
    }

    #[test]
    fn parameters_of_any_shape(
        log_degree in 5u32..12,
        base_units in prop::sample::select(vec![10u32, 12, 15, 16, 18, 24]),
        steps in prop::collection::vec(8u32..=12, 1..8),
        digits in 1usize..4,
        is_sparse in any::<bool>(),
    ) {
        let secret = if is_sparse { SecretKind::Sparse } else { SecretKind::Ternary };
        let shape = ChainShape { log_degree, base_units, steps, digits };
        let Ok(parameters) = Parameters::insecure(shape, secret) else { return Ok(()) };
        let mut bytes = Vec::new();
        parameters.save(&mut bytes).unwrap();
        let loaded = Parameters::load_insecure(&bytes[..]).unwrap();
        prop_assert_eq!(format!("{parameters:?}"), format!("{loaded:?}"));
        prop_assert_eq!(loaded.chain(), parameters.chain());
        // A secret of the same kind.
        let client = Client::of_test(&parameters, u64::from(log_degree));
        bytes.clear();
        client.secret().save(&mut bytes).unwrap();
        prop_assert!(SecretKey::load(&bytes[..], &loaded).is_ok());
    }

    #[test]
    fn ciphertexts_of_any_level_and_length(
        level in 0usize..=4, count in 1usize..=512, seed in any::<u64>(),
        by_public_key in any::<bool>(),
    ) {
        let parameters = Parameters::preset("n10-insecure").unwrap();
        let mut client = Client::of_test(&parameters, seed);
        let values = values(count, seed);
        let ciphertext = if by_public_key {
            let random = &mut Random::of_test(seed);
            client.public_key().encrypt_at(client.encoder(), &values, level, random).unwrap()
        } else {
            client.encrypt_at(&values, level).unwrap()
        };
        let bytes = saved(&ciphertext, &parameters);
        let loaded = Ciphertext::load(&bytes[..], &parameters).unwrap();
        prop_assert!(is_same(&loaded, &ciphertext));
        prop_assert_eq!(&saved(&loaded, &parameters), &bytes);
        prop_assert_eq!(client.decrypt(&loaded).unwrap(), client.decrypt(&ciphertext).unwrap());
        // Residues have the bits of their primes: 30 and 25.
        let basis = &parameters.level(level).basis;
        let primes = basis.places().iter().map(|place| parameters.ring().modulus(*place).value());
        let bits: u32 = primes.map(|prime| 32 - prime.leading_zeros()).sum();
        let part = bits as usize * parameters.degree() / 8;
        let header = bytes.len() - part - if by_public_key { part } else { 0 };
        prop_assert!(header < 200, "{header} bytes beside the residues");
    }
}

#[test]
fn a_secret_key_decrypts_the_same() {
    let mut files = Files::new("n13-insecure", 1);
    let secret = SecretKey::load(files.of(Kind::Secret), &files.parameters).unwrap();
    let client = Client::with_secret(secret).unwrap();
    let ciphertext = files.client.encrypt(&values(4096, 2)).unwrap();
    assert_eq!(client.decrypt(&ciphertext).unwrap(), files.client.decrypt(&ciphertext).unwrap());
    let mut bytes = Vec::new();
    client.secret().save(&mut bytes).unwrap();
    assert_eq!(bytes, files.of(Kind::Secret));
}

#[test]
fn a_public_key_encrypts_the_same() {
    let mut files = Files::new("n10-insecure", 3);
    let public = files.client.public_key();
    let mut bytes = Vec::new();
    public.save(&mut bytes).unwrap();
    let loaded = PublicKey::load(&bytes[..], &files.parameters).unwrap();
    let encoder = files.client.encoder();
    for level in 0..=4 {
        let encrypt = |key: &PublicKey| {
            key.encrypt_at(encoder, &values(100, 4), level, &mut Random::of_test(5)).unwrap()
        };
        assert!(is_same(&encrypt(&public), &encrypt(&loaded)));
    }
}

/// Returns a server's results for a ciphertext with the keys of [`operations`].
fn results(server: &Server, a: &Ciphertext) -> Vec<Ciphertext> {
    let mut all = server.rotate_many(a, &[1, -3]).unwrap();
    all.push(server.conjugate(a).unwrap());
    if a.level() > 0 {
        all.push(server.mul(a, a).unwrap());
    }
    all
}

#[test]
fn evaluation_keys_compute_the_same() {
    let mut files = Files::new("n10-insecure", 6);
    let keys = files.client.evaluation_keys(&operations());
    let mut bytes = Vec::new();
    keys.save(&mut bytes).unwrap();
    let loaded = EvaluationKeys::load(&bytes[..], &files.parameters).unwrap();
    let mut again = Vec::new();
    loaded.save(&mut again).unwrap();
    assert!(again == bytes, "saved again, the bytes are others");
    let full = bytes.len();
    let [kept, loaded] = [keys, loaded].map(Server::new);
    let mut lengths = vec![full];
    for highest in (0..4).rev() {
        let mut bytes = Vec::new();
        kept.keys().save_to_level(&mut bytes, highest).unwrap();
        lengths.push(bytes.len());
        let truncated = EvaluationKeys::load(&bytes[..], &files.parameters).unwrap();
        let truncated = Server::new(truncated);
        for level in 0..=4 {
            let a = files.client.encrypt_at(&values(512, level as u64), level).unwrap();
            let expected = results(&kept, &a);
            let same = |got: Vec<Ciphertext>| got.iter().zip(&expected).all(|(a, b)| is_same(a, b));
            assert!(same(results(&loaded, &a)), "level {level}");
            if level <= highest {
                assert!(same(results(&truncated, &a)), "level {level}, keys to {highest}");
                continue;
            }
            for error in [truncated.mul(&a, &a), truncated.rotate(&a, 1), truncated.conjugate(&a)] {
                let error = error.unwrap_err();
                let levels = matches!(error,
                    EvaluationError::KeyLevel { got, most, .. } if (got, most) == (level, highest));
                assert!(levels, "{error}");
            }
        }
        // Removed levels stay removed; saved for all levels, the file is the same.
        let mut again = Vec::new();
        truncated.keys().save(&mut again).unwrap();
        assert!(again == bytes, "saved again, the bytes are others");
        let lower = highest.saturating_sub(1);
        let [mut once, mut twice] = [Vec::new(), Vec::new()];
        kept.keys().save_to_level(&mut once, lower).unwrap();
        truncated.keys().save_to_level(&mut twice, lower).unwrap();
        assert!(once == twice, "cut twice, the bytes are others");
    }
    // The highest level of these parameters has no prime that lower levels lack.
    assert!(lengths.windows(2).all(|pair| pair[0] >= pair[1]), "{lengths:?}");
    assert!(lengths[4] * 2 < lengths[0], "{lengths:?}");
}

#[test]
fn keys_are_streamed_one_by_one_and_others_may_follow() {
    let mut files = Files::new("n10-insecure", 7);
    let operations = Operations { rotations: vec![1, 0, -3, 1, 512], ..operations() };
    let uses = operations.keys(&files.parameters);
    assert_eq!(uses.len(), 4, "no key for 0, one for each other");
    let mut calls = Vec::new();
    let mut stream = Vec::new();
    let count = |done, all| calls.push((done, all));
    files.client.save_evaluation_keys(&operations, 2, &mut stream, count).unwrap();
    assert_eq!(calls, [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]);
    let a = files.client.encrypt_at(&values(512, 8), 2).unwrap();
    a.save(&mut stream, &files.parameters).unwrap();
    let mut rest = &stream[..];
    let mut reader: KeyReader<_> =
        FileReader::new(&mut rest).unwrap().keys(&files.parameters).unwrap();
    let mut copy = KeyWriter::new(Vec::new(), reader.parameters(), reader.owner()).unwrap();
    let mut keys = EvaluationKeys::new(&files.parameters);
    let mut read = Vec::new();
    while let Some((of, key)) = reader.next_key().unwrap() {
        assert_eq!(key.level(), 2);
        copy.write(of, &key, 4).unwrap();
        read.push(of);
        keys.insert(of, key);
    }
    assert!(reader.next_key().unwrap().is_none() && reader.next().is_none());
    assert!(read.iter().eq(uses.keys()));
    assert!(read.contains(&KeyUse::Multiply));
    let copy = copy.finish().unwrap();
    assert!(stream.starts_with(&copy), "copied, the keys are others");
    // The following ciphertext, on which these keys work.
    let header = FileReader::new(rest).unwrap().header().clone();
    assert_eq!((header.kind(), header.name().as_str()), (FileKind::Ciphertext, "n10-insecure"));
    let loaded = Ciphertext::load(&mut rest, &files.parameters).unwrap();
    expect_end(rest).unwrap();
    let server = Server::new(keys);
    let square = server.mul(&loaded, &loaded).unwrap();
    let expected = values(512, 8).into_iter().map(|value| value * value);
    let errors = files.client.decrypt(&square).unwrap().into_iter().zip(expected);
    let worst = errors.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 8.0 * square.estimate().error, "{worst:e}");
}

#[test]
fn a_seed_stands_for_a_second_part_only_while_it_makes_it() {
    let mut files = Files::new("n10-insecure", 9);
    let server = files.client.server(&operations());
    let a = files.client.encrypt(&values(64, 10)).unwrap();
    let seeded = saved(&a, &files.parameters).len();
    let shifted = server.add_plain(&a, &values(64, 11)).unwrap();
    assert_eq!(saved(&shifted, &files.parameters).len(), seeded, "c1 is as it was");
    let b = files.client.encrypt(&values(64, 12)).unwrap();
    let sum = server.add(&a, &b).unwrap();
    for changed in [server.neg(&a).unwrap(), sum, server.rotate(&a, 1).unwrap()] {
        let bytes = saved(&changed, &files.parameters);
        assert!(bytes.len() > 2 * seeded - 250, "{} of {seeded} bytes", bytes.len());
        assert!(is_same(&Ciphertext::load(&bytes[..], &files.parameters).unwrap(), &changed));
    }
    let lower = server.at_level(&a, 1).unwrap();
    let bytes = saved(&lower, &files.parameters);
    assert!(is_same(&Ciphertext::load(&bytes[..], &files.parameters).unwrap(), &lower));
}

#[test]
fn transforms_take_keys_that_go_up_to_their_level() {
    let mut files = Files::new("n10-insecure", 13);
    let client = &mut files.client;
    let matrix = values(64, 14);
    let diagonals = Diagonals::of_matrix(8, 8, &matrix).unwrap();
    let transforms =
        [2, 3].map(|level| LinearTransform::new(client.encoder(), &diagonals, level).unwrap());
    let rotations = transforms.iter().flat_map(LinearTransform::rotations).collect();
    let operations = Operations { rotations, ..Operations::default() };
    let keys = client.evaluation_keys(&operations);
    let mut bytes = Vec::new();
    keys.save_to_level(&mut bytes, 2).unwrap();
    let truncated = Server::new(EvaluationKeys::load(&bytes[..], &files.parameters).unwrap());
    let a = client.encrypt(&values(8, 15)).unwrap();
    let [at_two, at_three] = transforms;
    let expected = Server::new(keys).linear_transform(&a, &at_two).unwrap();
    assert!(is_same(&truncated.linear_transform(&a, &at_two).unwrap(), &expected));
    let error = truncated.linear_transform(&a, &at_three).unwrap_err();
    assert!(
        matches!(error.evaluation(), Some(EvaluationError::KeyLevel { got: 3, most: 2, .. })),
        "{error}"
    );
}
