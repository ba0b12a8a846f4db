// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Invalid files: each error describes the fault, and nothing panics.

use halimede_ckks::files::FileKind;
use halimede_ckks::params::{ChainShape, SecretKind};
use halimede_ckks::sampling::uniform;
use halimede_ckks::{Ciphertext, EvaluationError, FileError, Parameters, Sharing, SharingError};
use proptest::prelude::*;

use super::{Files, Kind};

/// The size of the secret key's identifier, after the header, in bytes.
const KEY_ID: usize = 16;
/// The places of the parts of a ciphertext's file, after its level and the identifier.
const LENGTH: usize = 2;
const SCALE: usize = 6;
const ERROR: usize = 26;
const IS_REAL: usize = 42;
const HAS_SEED: usize = 59;

/// Returns the bytes with some of them changed.
fn with(bytes: &[u8], at: usize, change: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + change.len()].copy_from_slice(change);
    bytes
}

/// Corrects the checksum of a file with one record, as a forger does.
fn forged(mut bytes: Vec<u8>) -> Vec<u8> {
    let content = bytes.len() - 32;
    let checksum = blake3::hash(&bytes[..content]);
    bytes[content..].copy_from_slice(checksum.as_bytes());
    bytes
}

fn reason(error: &FileError) -> String {
    assert!(matches!(error, FileError::Malformed { .. }), "{error}");
    error.to_string()
}

#[test]
fn headers() {
    let files = Files::new("n10-insecure", 21);
    for kind in Kind::ALL {
        let bytes = files.of(kind);
        let error = |bytes: Vec<u8>| files.error(kind, &bytes);
        assert!(matches!(error(with(bytes, 0, b"P")), FileError::Magic));
        // As text: CR LF becomes LF.
        assert!(matches!(error([&bytes[..5], &bytes[6..]].concat()), FileError::Magic));
        assert!(matches!(error(with(bytes, 8, &[2, 1])), FileError::Format { got: 258 }));
        for old in [1u8, 2, 3, 4] {
            let error = error(with(bytes, 8, &[old, 0]));
            assert!(matches!(error, FileError::Old { got } if got == u16::from(old)), "{error}");
            let text = error.to_string();
            assert!(text.contains(&format!("has format {old} of an earlier")), "{text}");
            assert!(text.contains("this program reads format 5"), "{text}");
            assert!(text.contains("create new parameters and keys, and encrypt again"), "{text}");
        }
        assert!(reason(&error(with(bytes, 10, &[10]))).contains("byte 10: unknown kind of file"));
        for other in Kind::ALL.into_iter().filter(|other| files.of(*other)[10] != bytes[10]) {
            let error = error(files.of(other).to_vec());
            let FileError::Kind { got, wanted } = error else { panic!("{error}") };
            assert_eq!((got as u8, wanted as u8), (files.of(other)[10], bytes[10]));
            let text = error.to_string();
            assert!(
                text.contains(&got.to_string()) && text.contains(&wanted.to_string()),
                "{text}"
            );
        }
    }
    assert_eq!(FileKind::PublicKey.to_string(), "a public key");
}

#[test]
fn other_parameters_are_named_with_those_in_use() {
    let files = Files::new("n10-insecure", 22);
    let shape = files.parameters.shape().chain().clone();
    let others = [
        Parameters::preset("n13-insecure").unwrap(),
        // A chain of other primes with the same length.
        Parameters::insecure(ChainShape { digits: 2, ..shape.clone() }, SecretKind::Ternary)
            .unwrap(),
        Parameters::insecure(shape, SecretKind::Sparse).unwrap(),
    ];
    for parameters in &others {
        for kind in &Kind::ALL[1..] {
            let error = kind.load(files.of(*kind), parameters).unwrap_err();
            let is_other = matches!(error, FileError::OtherParameters { .. });
            let text = error.to_string();
            let [theirs, ours] = [&files.parameters, parameters].map(|p| p.hash().to_string());
            assert!(is_other && text.contains(&theirs) && text.contains(&ours), "{text}");
            assert!(text.contains("n10-insecure") && text.contains(parameters.name()), "{text}");
        }
    }
}

#[test]
fn parameters_that_are_none() {
    let files = Files::new("n10-insecure", 23);
    let bytes = files.of(Kind::Parameters);
    let error = |at, change: &[u8]| files.error(Kind::Parameters, &with(bytes, at, change));
    for log_degree in [0, 4, 18, 255] {
        assert!(reason(&error(11, &[log_degree])).contains("no parameters have"));
    }
    assert!(reason(&error(12, &[3])).contains("byte 12: unknown kind of secret"));
    for [low, high] in [[0, 0], [1, 0], [1, 1], [255, 255]] {
        let refused = error(12, &[2, 0, 12, low, high]);
        assert!(reason(&refused).contains("parties, expected 2 to 256"), "{refused}");
    }
    assert!(reason(&error(13, &[7])).contains("byte 13: unknown security level"));
    assert!(reason(&error(17, &[0xff, 0xff])).contains("byte 17: 65535 levels, limit"));
    assert!(matches!(error(14, &[13]), FileError::Parameters(_)), "a base of 13 units");
    assert!(matches!(error(15, &[0, 0]), FileError::Parameters(_)), "no digits");
    assert!(matches!(error(19, &[40]), FileError::Parameters(_)), "a step of 40 units");
    for other in [2, 3, 255] {
        assert!(reason(&error(23, &[other])).contains("byte 23: expected a mark of bootstraps"));
    }
    assert!(reason(&error(23, &[1])).contains("the levels do not match the bootstraps"));
    assert!(reason(&error(11, &[11])).contains("the hash of the parameters does not match"));
    assert!(reason(&error(19, &[9])).contains("the hash of the parameters does not match"));
    // Security that is claimed, but not true.
    let mut forged = with(bytes, 13, &[1]);
    assert!(reason(&files.error(Kind::Parameters, &forged))
        .contains("the hash of the parameters does not match"));
    let hash = forged.len() - 32;
    let mut hasher = blake3::Hasher::new_derive_key("Halimede CKKS parameters, format 4");
    hasher.update(&forged[11..hash]);
    for prime in &files.parameters.chain().primes {
        hasher.update(&prime.to_le_bytes());
    }
    forged[hash..].copy_from_slice(hasher.finalize().as_bytes());
    let error = files.error(Kind::Parameters, &forged);
    assert!(matches!(error, FileError::Parameters(_)), "{error}");
    assert!(error.to_string().contains("less than 128 bits of security"), "{error}");
    // A very large number of levels.
    let mut long = with(bytes, 17, &300u16.to_le_bytes());
    long.splice(19..23, [12; 300]);
    assert!(reason(&files.error(Kind::Parameters, &long)).contains("3612 units"));
}

#[test]
fn bootstraps_of_no_parameters() {
    let parameters = Parameters::preset("n10-boot-precise-insecure").unwrap();
    let mut bytes = Vec::new();
    parameters.save(&mut bytes).unwrap();
    let error = |at, change: &[u8]| {
        let bytes = with(&bytes, at, change);
        reason(&Parameters::load_insecure(&bytes[..]).err().unwrap())
    };
    let kind = 19 + parameters.shape().chain().steps.len();
    for other in [2, 3, 255] {
        assert!(error(kind, &[other]).contains("expected a mark of bootstraps (1) or none (0)"));
    }
    // Without bootstraps, their numbers are read as the hash.
    assert!(error(kind, &[0]).contains("the hash of the parameters does not match"));
    let (units, rounds) = (kind + 8, kind + 9);
    for change in [(units, 11), (units, 0), (units, 255), (rounds, 1), (rounds, 3), (rounds, 0)] {
        assert!(
            error(change.0, &[change.1]).contains("the levels do not match the bootstraps"),
            "{change:?}"
        );
    }
    // Errors name older formats, and newer ones are not read.
    for (format, is_old) in [(1u8, true), (3, true), (4, true), (6, false), (255, false)] {
        let error = Parameters::load_insecure(&with(&bytes, 8, &[format])[..]).err().unwrap();
        let is_told = match error {
            FileError::Old { got } => is_old && got == u16::from(format),
            FileError::Format { got } => !is_old && got == u16::from(format),
            _ => false,
        };
        assert!(is_told, "{error}");
    }
}

#[test]
fn every_truncation_says_where_the_file_ends() {
    let files = Files::new("n10-insecure", 24);
    for kind in Kind::ALL {
        let bytes = files.of(kind);
        let near = (0..200).chain(bytes.len().saturating_sub(100)..bytes.len());
        let all =
            near.chain((200..bytes.len()).step_by(997)).filter(|length| *length < bytes.len());
        for length in all {
            let error = files.error(kind, &bytes[..length]);
            let FileError::Truncated { at, .. } = error else {
                panic!("{kind:?}, {length}: {error}")
            };
            assert_eq!(at, length as u64);
            assert!(error.to_string().contains(&format!("ends at byte {length}")), "{error}");
        }
    }
}

#[test]
fn residues_that_are_none() {
    let files = Files::new("n10-insecure", 25);
    let header = files.header();
    // The public key has its identifier and its seed first, then the limbs of the terminal primes,
    // 25 or 26 bits each, and of the main ones.
    let parameters = &files.parameters;
    let mut at = header + KEY_ID + 32;
    for place in parameters.chain().main.places() {
        let prime = parameters.ring().modulus(*place).value();
        let bits = 32 - prime.leading_zeros() as usize;
        let public = files.of(Kind::Public);
        // The last word of the limb ends with its last residue.
        let last = at + parameters.degree() / 8 * bits - 4;
        let bytes = forged(with(public, last, &[0xff; 4]));
        let text = reason(&files.error(Kind::Public, &bytes));
        assert!(
            text.contains(&format!("byte {at}:")) && text.contains(&prime.to_string()),
            "{text}"
        );
        at += parameters.degree() / 8 * bits;
    }
    // Without a forged checksum, the checksum detects a residue below the prime.
    let bytes = with(files.of(Kind::Public), header + KEY_ID + 40, &[0, 0, 0]);
    let error = files.error(Kind::Public, &bytes);
    assert!(
        matches!(error, FileError::Checksum { at } if at == bytes.len() as u64 - 32),
        "{error}"
    );
}

#[test]
fn ciphertexts_that_are_none() {
    let files = Files::new("n10-insecure", 26);
    let start = files.header() + KEY_ID;
    for kind in [Kind::Fresh, Kind::Product] {
        let text = |at: usize, change: &[u8]| {
            let bytes = forged(with(files.of(kind), start + at, change));
            let text = reason(&files.error(kind, &bytes));
            assert!(text.contains(&format!("byte {}:", start + at)), "{text}");
            text
        };
        assert!(text(0, &[5, 0]).contains("level 5 is above the top, 4"));
        assert!(text(0, &[0xff, 0xff]).contains("level 65535"));
        for length in [0u32, 513, 1 << 31, u32::MAX] {
            let what = format!("{length} values, of 512 at most");
            assert!(text(LENGTH, &length.to_le_bytes()).contains(&what));
        }
        for wrong in [f64::NAN, f64::INFINITY, -1.0, 0.0, 3.0] {
            assert!(text(SCALE, &[wrong.to_le_bytes(), [0; 8]].concat())
                .contains("is not a valid scale"));
        }
        let parts = [1f64.to_le_bytes(), f64::NAN.to_le_bytes()].concat();
        assert!(text(SCALE, &parts).contains("is not a valid scale"));
        for exponent in [i32::MIN, i32::MAX, -1, 400, 1 << 19] {
            let parts = [1f64.to_le_bytes(), [0; 8]].concat();
            let parts = [&parts[..], &exponent.to_le_bytes()].concat();
            assert!(text(SCALE, &parts).contains("is not a valid scale"), "{exponent}");
        }
        for wrong in [f64::NAN, -1e-300, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(text(ERROR, &wrong.to_le_bytes()).contains("is not a valid estimated error"));
            assert!(
                text(ERROR + 8, &wrong.to_le_bytes()).contains("is not a valid estimated error")
            );
        }
        assert!(text(IS_REAL, &[2]).contains("expected a mark of real (1)"));
        let bound = |is_real: u8, low: f64, high: f64| {
            [&[is_real][..], &low.to_le_bytes(), &high.to_le_bytes()].concat()
        };
        // A disc has one radius.
        assert!(text(IS_REAL, &bound(0, -1.0, 1.0)).contains("expected a mark of real (1)"));
        let (nan, infinite) = (f64::NAN, f64::INFINITY);
        for (low, high) in [(1.0, -1.0), (nan, 1.0), (0.0, nan), (0.0, infinite), (-infinite, 0.0)]
        {
            let at_both = with(files.of(kind), start + IS_REAL, &bound(1, low, high));
            let error = files.error(kind, &forged(at_both));
            assert!(reason(&error).contains("is not a valid bound"), "{low} to {high}: {error}");
        }
        for radius in [nan, infinite, -1.0] {
            let radius = with(files.of(kind), start + IS_REAL, &bound(0, 0.0, radius));
            assert!(reason(&files.error(kind, &forged(radius))).contains("is not a valid bound"));
        }
        for bound in [bound(0, 0.0, 1e80), bound(1, -1e80, 0.0), bound(1, 0.0, f64::MAX)] {
            assert!(text(IS_REAL, &bound).contains("has no room"));
        }
        assert!(text(HAS_SEED, &[3]).contains("neither a seed nor a polynomial"));
    }
    // A seed instead of a polynomial, and vice versa: the length changes.
    let swapped = forged(with(files.of(Kind::Fresh), start + HAS_SEED, &[0]));
    assert!(matches!(files.error(Kind::Fresh, &swapped), FileError::Truncated { .. }));
    let swapped = forged(with(files.of(Kind::Product), start + HAS_SEED, &[2]));
    assert!(matches!(files.error(Kind::Product, &swapped), FileError::Checksum { .. }));
}

/// The half of a key is not the second part of a fresh ciphertext: whoever passes it off as one, to
/// have an equation in the secret decrypted behind the noise for a small error, has only claims.
#[test]
fn halves_of_keys_are_not_fresh_ciphertexts() {
    let mut files = Files::new("n10-insecure", 28);
    let (start, sharing) = (files.header() + KEY_ID, Sharing::new(6, 9));
    let key = files.client.public_key();
    let seed = *key.seed();
    for (mark, is_claimed) in [(1, true), (2, false)] {
        let mut bytes = with(files.of(Kind::Fresh), start + HAS_SEED, &[mark]);
        let seed_at = bytes.len() - 64;
        bytes[seed_at..seed_at + 32].copy_from_slice(&seed);
        let read = Ciphertext::load(&forged(bytes)[..], &files.parameters).unwrap();
        assert_eq!(read.has_claimed_error(), is_claimed, "mark {mark}");
        let second = read.parts()[1];
        let half = uniform(files.parameters.ring(), second.basis(), &seed, 0);
        assert_eq!(half.limbs().eq(second.limbs()), is_claimed, "mark {mark}");
        let shared = files.client.decrypt_for_sharing(&read, &sharing);
        assert_eq!(matches!(shared, Err(SharingError::Claimed { .. })), is_claimed);
        // The mark of earlier versions is not written again.
        let mut again = Vec::new();
        read.save(&mut again, &files.parameters).unwrap();
        let expected = if is_claimed { 0 } else { 2 };
        assert_eq!(again[start + HAS_SEED], expected, "mark {mark}");
    }
}

#[test]
fn keys_that_are_none() {
    let files = Files::new("n10-insecure", 27);
    let start = files.header() + KEY_ID;
    let error = |at: usize, change: &[u8]| {
        reason(&files.error(Kind::Keys, &with(files.of(Kind::Keys), start + at, change)))
    };
    assert!(error(0, &[6]).contains("unknown use of a key"));
    assert!(error(0, &[1, 5, 0, 0, 0]).contains("unknown use of a key"));
    assert!(error(0, &[3, 5, 0, 0, 0]).contains("unknown use of a key"));
    for exponent in [0u32, 1, 2, 1024, 2048, 2049, u32::MAX] {
        for tag in [2, 5] {
            let text = error(0, &[&[tag][..], &exponent.to_le_bytes()].concat());
            assert!(text.contains(&format!("X^{exponent} is not an automorphism")), "{text}");
        }
    }
    // One for matrices at level 1.
    let text = error(0, &[5, 5, 0, 0, 0, 2, 0]);
    assert!(text.contains("a key for level 2 is above the top, 1"), "{text}");
    assert!(error(5, &[5, 0]).contains("a key for level 5 is above the top, 4"));
    // The first key twice.
    let keys = files.of(Kind::Keys);
    let key = (keys.len() - start - 33) / 4;
    let first = &keys[start..start + key];
    let twice = [&keys[..start + key], first, &keys[start + key..]].concat();
    let text = reason(&files.error(Kind::Keys, &twice));
    assert!(text.contains("duplicate key for products"), "{text}");
    // The second before the first: the checksums chain the keys.
    let second = &keys[start + key..start + 2 * key];
    let turned = [&keys[..start], second, first, &keys[start + 2 * key..]].concat();
    assert!(matches!(files.error(Kind::Keys, &turned), FileError::Checksum { .. }));
    // The end mark in the place of a key.
    let short = [&keys[..start + key], &keys[keys.len() - 33..]].concat();
    assert!(matches!(files.error(Kind::Keys, &short), FileError::Checksum { .. }));
    let none = with(&keys[..start + 33], start, &[0]);
    assert!(files.error(Kind::Keys, &none).to_string().contains("checksum"));
    let none = forged(none);
    assert!(Kind::Keys.load(&none, &files.parameters).is_ok(), "no keys are keys");
}

#[test]
fn secrets_that_are_none() {
    let files = Files::new("n10-insecure", 28);
    let start = files.header() + KEY_ID;
    let secret = files.of(Kind::Secret);
    for at in [start, start + 100, secret.len() - 33] {
        for two_bits in 0..4 {
            let wrong = secret[at] | 3 << (2 * two_bits);
            let bytes = forged(with(secret, at, &[wrong]));
            assert!(reason(&files.error(Kind::Secret, &bytes)).contains("is not -1, 0 or 1"));
        }
    }
    let zero = forged(with(secret, start, &[0; 256]));
    assert!(reason(&files.error(Kind::Secret, &zero)).contains("the number of ±1 does not fit"));
    let sparse =
        Parameters::insecure(files.parameters.shape().clone(), SecretKind::Sparse).unwrap();
    let mut bytes = Vec::new();
    halimede_ckks::Client::of_test(&sparse, 1).secret().save(&mut bytes).unwrap();
    let place = (start..).find(|at| bytes[*at] & 3 == 0).unwrap();
    let heavier = forged(with(&bytes, place, &[bytes[place] | 1]));
    let error = Kind::Secret.load(&heavier, &sparse).unwrap_err();
    assert!(reason(&error).contains("the number of ±1 does not fit"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Any damage is detected: by the header's hash, a check or the checksum.
    #[test]
    fn damage_is_found(
        kind in prop::sample::select(Kind::ALL.to_vec()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..4),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        thread_local!(static FILES: Files = Files::new("n10-insecure", 29));
        FILES.with(|files| {
            let mut bytes = files.of(kind).to_vec();
            if let Some(cut) = cut {
                bytes.truncate(cut.index(bytes.len() - 1) + 1);
            }
            for (index, change) in changes {
                let at = index.index(bytes.len());
                bytes[at] ^= change;
            }
            let is_damaged = bytes != files.of(kind);
            prop_assert_eq!(kind.load(&bytes, &files.parameters).is_err(), is_damaged);
            Ok(())
        })?;
    }

    /// Forged files with correct checksums are loaded or rejected, and loaded objects can be used.
    #[test]
    fn forgeries_do_no_harm(
        is_fresh in any::<bool>(),
        changes in prop::collection::vec((KEY_ID..KEY_ID + 60, any::<u8>()), 1..6),
        seed in any::<u64>(),
    ) {
        thread_local!(static FILES: (Files, halimede_ckks::Server) = {
            let mut files = Files::new("n10-insecure", 30);
            let server = files.client.server(&super::operations());
            (files, server)
        });
        FILES.with(|(files, server)| {
            let kind = if is_fresh { Kind::Fresh } else { Kind::Product };
            let mut bytes = files.of(kind).to_vec();
            for (at, value) in changes {
                bytes[files.header() + at] = value;
            }
            let bytes = forged(bytes);
            let Ok(a) = Ciphertext::load(&bytes[..], &files.parameters) else {
                return;
            };
            match files.client.decrypt(&a) {
                Ok(values) => assert_eq!(values.len(), a.length()),
                // More bits than can be decoded.
                Err(error) => assert!(matches!(error, EvaluationError::Room { .. }), "{error}"),
            }
            let values = super::values(a.length(), seed);
            let _ = server.add(&a, &a);
            let _ = server.mul(&a, &a);
            let _ = server.mul_plain(&a, &values);
            let _ = server.add_plain(&a, &values);
            let _ = server.conjugate(&a);
            for level in 0..=a.level() {
                let _ = server.at_level(&a, level);
            }
            let mut again = Vec::new();
            a.save(&mut again, &files.parameters).unwrap();
        });
    }

    #[test]
    fn bytes_of_any_kind_are_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..300), keep in 0usize..60,
    ) {
        thread_local!(static FILES: Files = Files::new("n10-insecure", 31));
        FILES.with(|files| {
            for kind in Kind::ALL {
                let start = &files.of(kind)[..keep.min(files.header() - 16)];
                assert!(kind.load(&[start, &bytes].concat(), &files.parameters).is_err());
            }
        });
    }
}
