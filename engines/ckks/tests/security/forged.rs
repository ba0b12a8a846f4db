// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Files whose author claims another error, scale or length than the ciphertext has: the noise of a
//! shared decryption follows the knowledge of the secret's owner.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stdout, reason = "a test prints what it measured")]

use std::collections::BTreeMap;

use halimede_ckks::circuit::Input;
use halimede_ckks::sampling::Random;
use halimede_ckks::{
    Ciphertext, Client, DryServer, Expected, Expression, Operations, Parameters, Plan, Server,
    Sharing, SharingError, Values,
};

const SHARING: Sharing =
    Sharing { security_bits: 8, queries: 4, error_at_least: None, expected: None };

struct Setting {
    parameters: Parameters,
    client: Client,
    server: Server,
    x: Ciphertext,
    /// The file of a polynomial of x, computed by the server.
    result: Vec<u8>,
}

/// Returns 1000·x² + rot(x², 3), for a server that only has keys for rotations by 1 and 2.
fn expression() -> Expression {
    let x = Expression::input("x");
    let square = &x * &x;
    1000 * &square + square.rotate(3)
}

fn plan(parameters: &Parameters, x: &Ciphertext) -> Plan {
    let inputs = BTreeMap::from([("x".to_owned(), Input::from(x))]);
    Plan::new(&expression(), parameters, &inputs).unwrap()
}

fn reread(bytes: &[u8], parameters: &Parameters) -> Ciphertext {
    Ciphertext::load(bytes, parameters).unwrap()
}

fn bytes_of(a: &Ciphertext, parameters: &Parameters) -> Vec<u8> {
    let mut bytes = Vec::new();
    a.save(&mut bytes, parameters).unwrap();
    bytes
}

impl Setting {
    fn new() -> Self {
        let parameters = Parameters::preset("n10-insecure").unwrap();
        let mut client = Client::of_test(&parameters, 96);
        let operations =
            Operations { multiply: true, rotations: vec![1, 2], ..Operations::default() };
        let server = client.server(&operations);
        let values: Vec<f64> = (0..64).map(|k| f64::from(k) / 64.0 - 0.5).collect();
        let x = client.encrypt(&values).unwrap();
        // The owner sends its ciphertext as a file, and receives one back.
        let x = reread(&bytes_of(&x, &parameters), &parameters);
        let result = server.run_plan(&plan(&parameters, &x), &[("x", &x)], |_| {}).unwrap();
        let result = bytes_of(&result, &parameters);
        Self { parameters, client, server, x, result }
    }

    /// Returns the expectation of the owner, who has the input and knows the server's keys.
    fn expected(&self, x: &Ciphertext) -> Result<Expected, SharingError> {
        let dry = DryServer::of(&self.server);
        let results = dry.results_of_plan(&plan(&self.parameters, x), &[("x", x)]).unwrap();
        Expected::of(&results[0])
    }

    /// Returns the result with other bytes after the header of its record, at an offset of the
    /// file's table: 16 the level, 18 the values, 22 the scale, 42 the errors.
    fn forged(&self, at: usize, with: &[u8]) -> Ciphertext {
        let mut header = Vec::new();
        self.parameters.save(&mut header).unwrap();
        let (mut bytes, at) = (self.result.clone(), header.len() + at);
        bytes[at..at + with.len()].copy_from_slice(with);
        let content = bytes.len() - 32;
        let checksum = blake3::hash(&bytes[..content]);
        bytes[content..].copy_from_slice(checksum.as_bytes());
        reread(&bytes, &self.parameters)
    }

    fn bits(&self, a: &Ciphertext, sharing: &Sharing) -> f64 {
        self.client.precision_for_sharing(a, sharing).unwrap()
    }
}

#[test]
fn an_error_that_is_forged_makes_no_less_noise() {
    let mut setting = Setting::new();
    let honest = reread(&setting.result, &setting.parameters);
    let forged = setting.forged(42, &[0; 16]);
    assert!(honest.has_claimed_error() && honest.estimate().error > 1e-9);
    assert!(forged.estimate().error < 1e-12);
    // Neither is shared by its claim.
    for ciphertext in [&honest, &forged] {
        let error = setting.client.decrypt_for_sharing(ciphertext, &SHARING).unwrap_err();
        assert!(matches!(error, SharingError::Claimed { .. }), "{error}");
        assert!(error.to_string().contains("give a bound of the error"), "{error}");
    }
    // The owner computes the server's error without the server.
    let expected = setting.expected(&setting.x).unwrap();
    let ratio = expected.error() / honest.error_anywhere();
    assert!((0.99..1.01).contains(&ratio), "{ratio}");
    let sharing = SHARING.expecting(expected);
    let [by_honest, by_forged] = [&honest, &forged].map(|a| setting.bits(a, &sharing));
    println!(
        "forged: {by_forged:.1} bits are left by the expression, {by_honest:.1} of an honest file; by \
        the claim {:.1}",
        by_forged - (expected.error() / forged.estimate().error).log2()
    );
    assert!((by_honest - by_forged).abs() < 0.02);
    // A stated bound has the same effect; an estimate counts with half a bit more.
    let stated = SHARING.with_error(expected.error() * 2f64.sqrt());
    assert!((setting.bits(&forged, &stated) - by_honest).abs() < 0.02);
    let shared = setting.client.decrypt_for_sharing(&forged, &sharing).unwrap();
    assert!((shared.error_bound / expected.error() - 2f64.sqrt()).abs() < 0.02);
    // A larger claim in the file counts.
    let worse = setting.forged(42, &[1e-3f64.to_le_bytes(), 1e-3f64.to_le_bytes()].concat());
    assert!(setting.bits(&worse, &sharing) < by_honest - 5.0);
    assert!(setting.bits(&worse, &SHARING.with_error(1e-9)) < by_honest - 5.0);
}

#[test]
fn a_scale_a_length_and_a_level_that_are_forged_make_no_less_noise() {
    let setting = Setting::new();
    let honest = reread(&setting.result, &setting.parameters);
    let expected = setting.expected(&setting.x).unwrap();
    let stated = SHARING.with_error(expected.error() * 2f64.sqrt());
    let by_stated = setting.bits(&honest, &stated);
    // A scale 2¹⁰ times smaller: values and noise would be that much larger, and errors no smaller.
    let (high, low, exponent) = honest.scale().parts();
    let parts = |exponent: i32| {
        [&high.to_le_bytes()[..], &low.to_le_bytes()[..], &exponent.to_le_bytes()[..]].concat()
    };
    let smaller = setting.forged(22, &parts(exponent - 10));
    assert!((smaller.scale().log2() - honest.scale().log2() + 10.0).abs() < 1e-9);
    let bits = setting.bits(&smaller, &stated);
    assert!((bits + 10.0 - by_stated).abs() < 0.02, "{bits}, {by_stated}");
    let longer = setting.forged(18, &512u32.to_le_bytes());
    assert_eq!(longer.length(), 512);
    for forged in [&smaller, &longer] {
        let error = setting.client.precision_for_sharing(forged, &SHARING.expecting(expected));
        let Err(SharingError::Unexpected { got, expected }) = error else { panic!("{error:?}") };
        assert!(got != expected && expected.contains("64 values in 64 slots"), "{got}, {expected}");
    }
    // Another result is rejected too.
    let other = SHARING.expecting(expected);
    let error = setting.client.precision_for_sharing(&setting.x, &other).unwrap_err();
    assert!(matches!(error, SharingError::Unexpected { .. }), "{error}");
}

#[test]
fn fresh_ciphertexts_and_what_is_computed_here_need_no_bound() {
    let mut setting = Setting::new();
    let parameters = setting.parameters.clone();
    assert!(!setting.x.has_claimed_error());
    let fresh = setting.bits(&setting.x, &SHARING);
    // A file cannot reduce the noise of a fresh ciphertext.
    let mut header = Vec::new();
    parameters.save(&mut header).unwrap();
    let mut bytes = bytes_of(&setting.x, &parameters);
    bytes[header.len() + 42..header.len() + 58].fill(0);
    let content = bytes.len() - 32;
    let checksum = blake3::hash(&bytes[..content]);
    bytes[content..].copy_from_slice(checksum.as_bytes());
    let forged = reread(&bytes, &parameters);
    assert!((setting.bits(&forged, &SHARING) - fresh).abs() < 0.02);
    // Errors of this process's results are known, unless they come from a claim.
    let own = setting.server.mul(&setting.x, &setting.x).unwrap();
    assert!(!own.has_claimed_error() && setting.bits(&own, &SHARING) < fresh);
    let claimed = setting.server.add(&own, &reread(&bytes_of(&own, &parameters), &parameters));
    let error = setting.client.precision_for_sharing(&claimed.unwrap(), &SHARING).unwrap_err();
    assert!(matches!(error, SharingError::Claimed { .. }), "{error}");
    // An encryption by the public key has no seed: its owner declares it as an encryption.
    let key = setting.client.public_key();
    let mut random = Random::of_test(97);
    let encoder = setting.client.encoder();
    let values = Values::from(&[0.25, -0.5]);
    let public = key.encrypt_at(encoder, values, parameters.top(), &mut random).unwrap();
    let public = reread(&bytes_of(&public, &parameters), &parameters);
    assert!(public.has_claimed_error());
    let error = setting.expected(&public).unwrap_err();
    assert!(matches!(error, SharingError::Claimed { .. }), "{error}");
    let said = public.encrypted_by_public_key(&parameters);
    assert!(!said.has_claimed_error() && said.estimate().error >= public.estimate().error);
    assert!(setting.expected(&said).is_ok());
}
