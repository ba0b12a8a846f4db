// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Estimates under collective keys are promises: errors exceed them by at most half a bit.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use halimede_ckks::files::FileReader;
use halimede_ckks::keys::PublicKey;
use halimede_ckks::params::ParametersBuilder;
use halimede_ckks::parties::KeySwitch;
use halimede_ckks::{
    Ciphertext, Client, Complex, EvaluationKeys, Operations, Parameters, Server, Sharing,
};

use crate::group::{error, values, Group};

const HALF_A_BIT: f64 = std::f64::consts::SQRT_2;

/// Checks that an error is within its estimate, and that the estimate is not far too large.
fn check(got: f64, estimate: f64, slack_bits: i32, what: &str) {
    let ratio = got / estimate;
    assert!(ratio <= HALF_A_BIT, "{what}: error {got:e}, estimate {estimate:e}");
    assert!(ratio >= 2f64.powi(-slack_bits), "{what}: error {got:e}, estimate {estimate:e}");
}

fn operations() -> Operations {
    Operations { multiply: true, conjugate: true, rotations: vec![1], ..Operations::default() }
}

/// Computes with all kinds of keys, and checks errors and the results of decryptions.
fn check_group(name: &str, count: usize, length: usize) {
    let parameters = Parameters::preset(name).unwrap();
    let mut group = Group::new(&parameters, count, &operations());
    let oracle = group.oracle();
    let (x, y) = (values(length, 1), values(length, 2));
    let (a, b) = (group.encrypt(&x, 1.0), group.encrypt(&y, 1.0));
    let product = group.server.mul(&a, &b).unwrap();
    let rotated = group.server.rotate(&a, 1).unwrap();
    let conjugated = group.server.conjugate(&a).unwrap();
    let square = group.server.mul(&product, &product).unwrap();
    let xy: Vec<Complex> = x.iter().zip(&y).map(|(x, y)| *x * *y).collect();
    let mut turned = x.clone();
    turned.rotate_left(1);
    let conjugates: Vec<Complex> = x.iter().map(|x| Complex::new(x.re, -x.im)).collect();
    let squares: Vec<Complex> = xy.iter().map(|x| *x * *x).collect();
    let cases = [
        (&a, &x, 1, "public key"),
        (&product, &xy, 3, "product"),
        (&rotated, &turned, 1, "rotation"),
        (&conjugated, &conjugates, 1, "conjugate"),
        (&square, &squares, 4, "square"),
    ];
    // Few values have few samples, for which estimates allow much more.
    let few = if length < 1000 { 3 } else { 0 };
    for (ciphertext, wanted, slack, what) in cases {
        let got = error(&oracle.decrypt(ciphertext).unwrap(), wanted);
        let what = format!("{name}, {count} parties, {length} values, {what}");
        check(got, ciphertext.estimate().error, slack + few, &what);
    }
    let sharing = Sharing::new(6, 4);
    let expected = group.parties[0].precision_for_sharing(&square, &sharing).unwrap();
    let (decrypted, bits) = group.decrypt(&square, &sharing);
    assert!((expected - bits).abs() < 0.01, "{expected} {bits}");
    let what = format!("{name}, {count} parties, {length} values, decryption");
    check(error(&decrypted, &squares), (-bits).exp2(), 1 + few, &what);
}

#[test]
fn errors_are_within_estimates_for_2_3_5_and_16_parties() {
    check_group("n13-insecure", 2, 4096);
    check_group("n13-insecure", 3, 4096);
    check_group("n13-insecure", 5, 64);
    check_group("n14", 2, 8192);
    check_group("n14", 16, 8192);
}

/// A key switch to the key of a receiver, who decrypts alone or is a group again.
#[test]
fn key_switches_have_their_estimated_error() {
    let parameters = Parameters::preset("n13-insecure").unwrap();
    let mut group = Group::new(&parameters, 3, &operations());
    let x = values(4096, 3);
    let mut client = Client::of_test(&parameters, 5);
    let switch = |group: &mut Group, a: &Ciphertext, receiver: &PublicKey| {
        let (quorum, sharing) = (group.everyone(), Sharing::new(8, 10));
        let mut switch = KeySwitch::new(&group.session, a, &quorum, receiver).unwrap();
        for party in &mut group.parties {
            let message = party.switch_message(a, &sharing, &quorum, receiver).unwrap();
            switch.receive(party.name(), &message).unwrap();
        }
        switch.finish().unwrap()
    };
    let receiver = client.public_key();
    let a = group.encrypt(&x, 1.0);
    let switched = switch(&mut group, &a, &receiver);
    assert_eq!(switched.owner(), client.secret().id());
    let got = error(&client.decrypt(&switched).unwrap(), &x);
    check(got, switched.estimate().error, 1, "a client");
    // The receiver computes with the result, and writes it.
    let server = client.server(&operations());
    let square = server.mul(&switched, &switched).unwrap();
    let squares: Vec<Complex> = x.iter().map(|x| *x * *x).collect();
    let got = error(&client.decrypt(&square).unwrap(), &squares);
    check(got, square.estimate().error, 3, "a client's square");
    let mut bytes = Vec::new();
    switched.save(&mut bytes, &parameters).unwrap();
    let back = Ciphertext::load(&bytes[..], &parameters).unwrap();
    assert_eq!(client.decrypt(&back).unwrap(), client.decrypt(&switched).unwrap());
    let other = Group::new(&parameters, 5, &Operations::default());
    let a = group.encrypt(&x, 1.0);
    let switched = switch(&mut group, &a, &other.public);
    let got = error(&other.oracle().decrypt(&switched).unwrap(), &x);
    check(got, switched.estimate().error, 1, "a group");
}

/// The builder chooses levels that are precise enough for the number of parties.
#[test]
fn the_builder_knows_the_number_of_parties() {
    let builder = ParametersBuilder::new().slots(4096).depth(3).precision_bits(22.0);
    let bits = |parties: usize| {
        let made = builder.clone().parties(parties).build().unwrap();
        assert_eq!(made.parties(), parties);
        assert!(made.is_secure() && made.expected_precision().product_bits >= 22.0);
        let one = made.with_parties(1).unwrap();
        one.expected_precision().product_bits - made.expected_precision().product_bits
    };
    let lost = [1, 2, 16, 256].map(bits);
    assert!(lost.windows(2).all(|two| two[0] < two[1]) && lost[0] == 0.0, "{lost:?}");
    // The root of the number of parties.
    assert!((1.5..2.5).contains(&lost[2]), "{lost:?}");
    for wrong in [0, 257] {
        let refused = builder.clone().parties(wrong).build().unwrap_err().to_string();
        assert!(refused.contains("parties cannot share"), "{refused}");
    }
}

/// Files of collective keys are files like others, with the number of parties in the header.
#[test]
fn files_carry_the_number_of_parties() {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let mut group = Group::new(&parameters, 3, &operations());
    let ours = group.session.parameters().clone();
    assert_eq!((ours.parties(), ours.name()), (3, "n10-insecure, 3 parties"));
    assert!(ours.to_string().contains("\nparties          3\n"), "{ours}");
    let mut file = Vec::new();
    ours.save(&mut file).unwrap();
    let read = Parameters::load_insecure(&file[..]).unwrap();
    assert_eq!((read.hash(), read.parties(), read.name()), (ours.hash(), 3, ours.name()));
    assert_ne!(ours.hash(), parameters.hash());
    assert_ne!(ours.hash(), parameters.with_parties(2).unwrap().hash());
    let mut bytes = Vec::new();
    group.server.keys().save(&mut bytes).unwrap();
    let header = FileReader::new(&bytes[..]).unwrap();
    assert_eq!(header.header().hash(), ours.hash());
    let refused = EvaluationKeys::load(&bytes[..], &parameters).err().unwrap().to_string();
    assert!(refused.contains("n10-insecure, 3 parties"), "{refused}");
    let server = Server::new(EvaluationKeys::load(&bytes[..], &ours).unwrap());
    let mut bytes = Vec::new();
    group.public.save(&mut bytes).unwrap();
    group.public = PublicKey::load(&bytes[..], &ours).unwrap();
    let x = group.encrypt(&values(512, 4), 1.0);
    let mut bytes = Vec::new();
    x.save(&mut bytes, &ours).unwrap();
    let read = Ciphertext::load(&bytes[..], &ours).unwrap().encrypted_by_public_key(&ours);
    let product = server.mul(&x, &x).unwrap();
    let same = server.mul(&read, &read).unwrap();
    let bits = [&product, &same].map(|product| product.precision_bits());
    assert!((bits[0] - bits[1]).abs() < 0.1, "{bits:?}");
    let wanted: Vec<Complex> = values(512, 4).iter().map(|x| *x * *x).collect();
    let (got, precision) = group.decrypt(&same, &Sharing::new(6, 4));
    assert!(error(&got, &wanted) <= HALF_A_BIT * (-precision).exp2());
}
