// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks that no secret stays in the process's memory. A separate program with one test, since
//! all of the memory is searched.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod patterns;
mod scan;

use std::path::Path;

use halimede_ckks::keys::SecretKey;
use halimede_ckks::parties::{KeyCollector, Party, Session};
use halimede_ckks::sampling::Random;
use halimede_ckks::{Client, Complex, Operations, Parameters, Server, Sharing};
use patterns::Pattern;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use scan::Scanner;
use zeroize::Zeroizing;

/// The level of encryption.
const LEVEL: usize = 1;

/// The patterns in memory as long as a client exists.
const OF_CLIENT: [&str; 3] =
    ["the secret, a byte each", "values of the secret", "the generator's key"];
/// The patterns in memory as long as a party exists.
const OF_PARTY: [&str; 3] =
    ["the secret, a byte each", "values of the secret", "the seed of the noise"];
/// The patterns in memory once it has made keys for bootstraps.
const OF_SPARSE: [&str; 2] = ["the sparse secret, a byte each", "values of the sparse secret"];

/// Returns the automorphisms of keys, their inverses, which change the secret, and another one.
fn exponents(parameters: &Parameters) -> [u64; 4] {
    let order = 2 * parameters.degree() as u64;
    let inverse = (1..order).step_by(2).find(|by| 5 * by % order == 1).unwrap();
    [5, inverse, order - 1, 3]
}

/// Flips bits of the number from which values are made: a generator with the client's own number
/// would have the client's key, and leave it on the stack.
const OF_VALUES: u64 = 0xc3a5_c85c_97cb_3127;

/// Returns the encrypted values.
fn values(parameters: &Parameters, number: u64) -> Zeroizing<Vec<Complex>> {
    let mut rng = ChaCha8Rng::seed_from_u64(number ^ OF_VALUES);
    let mut values = Zeroizing::new(vec![Complex::default(); parameters.slots()]);
    for value in values.iter_mut() {
        *value = Complex::new(rng.gen_range(-0.7..0.7), rng.gen_range(-0.7..0.7));
    }
    values
}

/// Returns operations, including bootstraps if levels exist for them.
fn operations(parameters: &Parameters) -> Operations {
    Operations {
        multiply: true,
        conjugate: true,
        rotations: vec![1],
        bootstrap: parameters.bootstrap().is_some(),
        ..Operations::default()
    }
}

/// Returns the patterns to search for, from a client that does the same as the watched one.
fn patterns(parameters: &Parameters, number: u64) -> Vec<Pattern> {
    let mut patterns = Vec::new();
    patterns::of_generator(&mut patterns, number, parameters.degree());
    let mut client = Client::of_test(parameters, number);
    patterns::of_secret(&mut patterns, "the secret", client.secret(), &exponents(parameters));
    let values = values(parameters, number);
    let ciphertext = client.encrypt_at(&values, LEVEL).unwrap();
    patterns::of_values(&mut patterns, &client, &values, &ciphertext);
    client.public_key();
    client.server(&operations(parameters));
    if let Some(sparse) = client.sparse_secret() {
        patterns::of_secret(&mut patterns, "the sparse secret", sparse, &[]);
    }
    patterns
}

/// Searches the memory for allowed and forbidden patterns.
struct Watch<'a> {
    scanner: Scanner<'a>,
    preset: &'a str,
}

impl Watch<'_> {
    /// Checks that some patterns are in memory and all others are not.
    fn check(&self, there: &[&str], when: &str) {
        let (mut found, preset) = (self.scanner.scan(), self.preset);
        for name in there {
            let (name, is_found) = (*name, found.remove(*name).is_some());
            assert!(is_found, "{preset}, {when}: {name} is not found");
        }
        let line = |(name, (count, place)): (&String, &(usize, String))| {
            format!("{name}: {count} pieces, {place}")
        };
        let lines: Vec<String> = found.iter().map(line).collect();
        assert!(lines.is_empty(), "{preset}, {when}:\n{}", lines.join("\n"));
    }

    /// Checks that each planted pattern is found.
    fn check_planted(&self, patterns: &[Pattern]) {
        let planted: Vec<_> = patterns.iter().map(Pattern::planted).collect();
        let found = self.scanner.scan();
        drop(planted);
        for Pattern { name, .. } in patterns {
            assert!(found.contains_key(name), "{}: {name} is not found", self.preset);
        }
    }
}

/// Runs all operations with a secret.
fn watch(parameters: Parameters, number: u64, watch: &Watch, folder: &Path) {
    watch.check(&[], "before all");
    drop(Random::of_test(number));
    watch.check(&[], "a generator is dropped");
    let mut client = Client::of_test(&parameters, number);
    watch.check(&OF_CLIENT, "the client is made");
    let ciphertext = client.encrypt_at(&values(&parameters, number), LEVEL).unwrap();
    watch.check(&OF_CLIENT, "values are encrypted");
    drop(Zeroizing::new(client.decrypt(&ciphertext).unwrap()));
    watch.check(&OF_CLIENT, "values are decrypted");
    let (public, random) = (client.public_key(), &mut Random::of_test(number + 1));
    let (encoder, plain) = (client.encoder(), values(&parameters, number));
    let by_public = public.encrypt_at(encoder, &plain, LEVEL, random).unwrap();
    drop(plain);
    watch.check(&OF_CLIENT, "values are encrypted by the public key");
    let server = client.server(&operations(&parameters));
    let mut there = OF_CLIENT.to_vec();
    if client.sparse_secret().is_some() {
        there.extend(OF_SPARSE);
    }
    watch.check(&there, "keys are made");
    let path = folder.join(number.to_string());
    client.secret().create_file(&path).unwrap();
    drop(client);
    watch.check(&[], "the secret is in a file and the client is dropped");
    drop(SecretKey::open_file(&path, &parameters).unwrap());
    std::fs::remove_file(path).unwrap();
    watch.check(&[], "the secret was read from the file and dropped");
    let product = server.mul(&ciphertext, &by_public).unwrap();
    let turned = server.rotate(&product, 1).unwrap();
    if server.can_bootstrap() {
        server.bootstrap(&turned).unwrap();
    }
    drop((server, ciphertext, by_public, product, turned, public, parameters));
    watch.check(&[], "everything is dropped");
}

/// Returns a party of a session of two, the same for equal numbers.
fn party(parameters: &Parameters, name: &str, number: u64) -> Party {
    let session = Session::new(parameters, &[7; 32], &["a", "b"]).unwrap();
    Party::of_test(&session, name, number).unwrap()
}

/// Returns the patterns of a party that does the same as the watched one.
fn patterns_of_party(parameters: &Parameters, number: u64) -> Vec<Pattern> {
    let mut patterns = Vec::new();
    patterns::of_generator(&mut patterns, number, parameters.degree());
    patterns::of_noise_seed(&mut patterns, number, parameters.degree());
    let party = party(parameters, "a", number);
    patterns::of_secret(
        &mut patterns,
        "the secret",
        party.secret().unwrap(),
        &exponents(parameters),
    );
    patterns
}

/// Makes all messages of a party.
fn watch_party(parameters: &Parameters, number: u64, watch: &Watch, folder: &Path) {
    watch.check(&[], "before the party");
    let operations = operations(parameters);
    let [mut first, mut second] =
        [("a", number), ("b", number + 9)].map(|(name, number)| party(parameters, name, number));
    watch.check(&OF_PARTY, "the party is made");
    let session = first.session().clone();
    let mut keys = KeyCollector::new(&session, &operations).unwrap();
    let messages = [&mut first, &mut second].map(|party| party.key_messages(&operations).unwrap());
    for (a, b) in messages[0].iter().zip(&messages[1]) {
        if keys.receive("a", a).is_ok() {
            keys.receive("b", b).unwrap();
            continue;
        }
        let replies = [first.receive("b", b).unwrap(), second.receive("a", a).unwrap()];
        keys.receive("a", replies[0].as_ref().unwrap()).unwrap();
        keys.receive("b", replies[1].as_ref().unwrap()).unwrap();
    }
    watch.check(&OF_PARTY, "the party has made keys");
    let public = keys.public_key().unwrap();
    let server = Server::new(keys.evaluation_keys().unwrap());
    let (quorum, sharing) = (session.everyone().unwrap(), Sharing::new(6, 4));
    for is_switch in [false, true] {
        let random = &mut Random::of_test(number + 20);
        let values = &[0.5, if is_switch { 0.25 } else { 0.75 }];
        let x = public.encrypt_at(server.encoder(), values, LEVEL + 1, random).unwrap();
        let x = server.mul(&x, &x).unwrap();
        match is_switch {
            false => first.decryption_message(&x, &sharing, &quorum).unwrap(),
            true => {
                let twice = server.add(&x, &x).unwrap();
                first.switch_message(&twice, &sharing, &quorum, &public).unwrap()
            }
        };
    }
    watch.check(&OF_PARTY, "the party has answered");
    let path = folder.join("party");
    first.create_file(&path).unwrap();
    watch.check(&OF_PARTY, "the state is written");
    drop(first);
    watch.check(&[], "the party is dropped");
    let first = Party::load(std::fs::File::open(&path).unwrap(), &session).unwrap();
    watch.check(&OF_PARTY, "the state is read");
    assert_eq!(first.answers(), 2);
    drop(first);
    watch.check(&[], "the party is dropped again");
}

#[test]
fn nothing_secret_stays_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    for (preset, number) in [("n10-boot-insecure", 71), ("n13-insecure", 72)] {
        let parameters = Parameters::preset(preset).unwrap();
        let patterns = patterns(&parameters, number);
        let watcher = Watch { scanner: Scanner::new(&patterns), preset };
        watch(parameters, number, &watcher, folder.path());
        watcher.check_planted(&patterns);
    }
    let (parameters, number) = (Parameters::preset("n10-insecure").unwrap(), 73);
    let patterns = patterns_of_party(&parameters, number);
    let watcher = Watch { scanner: Scanner::new(&patterns), preset: "a party" };
    watch_party(&parameters, number, &watcher, folder.path());
    watcher.check_planted(&patterns);
}
