// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The programs in the guide and the design: each Rust block is repeated here with its surroundings
//! and runs, on a small ring unless it names parameters. Programs that need gigabytes are only
//! compiled.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::error::Error;

use halimede_ckks::bootstrap::BootstrapShape;
use halimede_ckks::params::{ChainShape, ParametersBuilder, SecretKind};
use halimede_ckks::{Ciphertext, Client, Complex, Operations, Parameters, Server, Sharing};

const DOCUMENTS: [&str; 3] = [
    include_str!("../README.md"),
    include_str!("../docs/design.md"),
    include_str!("../docs/measurements.md"),
];
const HERE: &str = include_str!("readme.rs");

type Done = Result<(), Box<dyn Error>>;

/// Returns the lines of a text that are not empty, wherever they begin.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

#[test]
fn every_program_of_the_documents_is_here() {
    let here: Vec<&str> = lines(HERE).collect();
    let blocks: Vec<&str> = DOCUMENTS
        .iter()
        .flat_map(|document| document.split("```rust\n").skip(1))
        .map(|rest| rest.split("```").next().expect("a part before the end of the block"))
        .collect();
    assert!(blocks.len() >= 10, "{} blocks", blocks.len());
    for block in blocks {
        let block_lines: Vec<&str> = lines(block).collect();
        assert!(
            here.windows(block_lines.len()).any(|window| window == block_lines),
            "not compiled:\n{block}"
        );
    }
}

/// Returns two ciphertexts of two values with enough levels for a ReLU, and the client and server
/// for them.
fn small() -> (Client, Server, Ciphertext, Ciphertext) {
    let shape = ChainShape { log_degree: 11, base_units: 12, steps: vec![8; 16], digits: 4 };
    let parameters = Parameters::insecure(shape, SecretKind::Ternary).unwrap();
    let mut client = Client::new(&parameters).unwrap();
    let operations = Operations { multiply: true, rotations: vec![1], ..Operations::default() };
    let server = client.server(&operations);
    let x = client.encrypt(&[0.5, -0.25]).unwrap();
    let y = client.encrypt(&[0.75, 1.0]).unwrap();
    (client, server, x, y)
}

#[test]
#[rustfmt::skip]
fn first_steps_and_sharing() -> Done {
    use halimede_ckks::{Client, Operations, Parameters, Values};

    let parameters = Parameters::preset("n14")?;
    let mut client = Client::new(&parameters)?;
    let operations = Operations { multiply: true, rotations: vec![1], ..Operations::default() };
    let server = client.server(&operations);                     // keys, no secret
    let x = client.encrypt(Values::from(&[0.5, -2.0]).within(2.0))?; // |x| ≤ 2, a public bound
    let y = server.add(&server.mul(&x, &x)?, &server.rotate(&x, 1)?)?;   // x² + x rotated by one
    println!("{:?} with {:.0} bits", client.decrypt(&y)?, y.precision_bits());

    let sharing = Sharing::new(20, 16); // 20 bits of security, 16 decryptions under this key
    let bits = client.precision_for_sharing(&y, &sharing)?; // what would be left; no decryption
    let shared = client.decrypt_for_sharing(&y, &sharing)?; // precision_bits, flooding_bits too

    assert_eq!(shared.precision_bits, bits);
    Ok(())
}

#[test]
#[rustfmt::skip]
fn several_key_holders() -> Done {
    let (parameters, seed) = (Parameters::preset("n10-insecure")?, [3; 32]);
    let (level, mut random) = (2, halimede_ckks::sampling::Random::new()?);
    use halimede_ckks::parties::{Decryption, KeyCollector, Party, Session};

    let session = Session::new(&parameters, &seed, &["alice", "bob"])?; // the same for everyone
    let (mut alice, mut bob) = (Party::new(&session, "alice")?, Party::new(&session, "bob")?);
    let operations = Operations { rotations: vec![1], ..Operations::default() };
    let mut keys = KeyCollector::new(&session, &operations)?;           // has no secret
    for message in alice.key_messages(&operations)? {
        keys.receive("alice", &message)?;    // bytes, from an authenticated channel
    }
    for message in bob.key_messages(&operations)? {
        keys.receive("bob", &message)?;
    }
    let (public, server) = (keys.public_key()?, Server::new(keys.evaluation_keys()?));
    let x = public.encrypt_at(server.encoder(), &[0.5, -0.25], level, &mut random)?;
    let y = server.rotate(&x, 1)?;
    let (quorum, sharing) = (session.everyone()?, Sharing::new(10, 16)); // as above
    let mut decryption = Decryption::new(&session, &y, &quorum)?;
    decryption.receive("alice", &alice.decryption_message(&y, &sharing, &quorum)?)?;
    decryption.receive("bob", &bob.decryption_message(&y, &sharing, &quorum)?)?;
    println!("{:?}", decryption.finish()?);  // values, precision_bits

    let mut again = Decryption::new(&session, &x, &quorum)?;
    again.receive("alice", &alice.decryption_message(&x, &sharing, &quorum)?)?;
    again.receive("bob", &bob.decryption_message(&x, &sharing, &quorum)?)?;
    assert!((again.finish()?.values[0].re - 0.5).abs() < 0.1);
    Ok(())
}

#[test]
#[rustfmt::skip]
fn matrices() -> Done {
    let (mut client, _, x, _) = small();
    let entries = [1.0, 2.0, -0.5, 1.5].map(|re| Complex { re, im: 0.0 });
    let (rows, columns, level) = (2, 2, x.level());
    use halimede_ckks::{Diagonals, LinearTransform};

    // A matrix of any shape, whose entries are at most 2, a public bound.
    let matrix = Diagonals::of_matrix(rows, columns, &entries)?.within(2.0);
    let transform = LinearTransform::new(client.encoder(), &matrix, level)?; // encoded once
    let operations = Operations { rotations: transform.rotations(), ..Operations::default() };
    let y = client.server(&operations).linear_transform(&x, &transform)?; // takes one level

    assert_eq!(y.level(), level - 1);
    let y = client.decrypt(&y)?;
    assert!((y[0].re - 0.0).abs() < 1e-4 && (y[1].re + 0.625).abs() < 1e-4, "{y:?}");
    Ok(())
}

#[test]
#[rustfmt::skip]
fn functions() -> Done {
    let (client, server, x, _) = small();
    let (coefficients, others, block) = ([0.5, 0.25, -0.125], [-0.75, 1.5], 1);
    use halimede_ckks::{Accuracy, BlockPolynomials, Polynomial, Sign};

    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let y = server.evaluate_function(&x, sigmoid, (-8.0, 8.0), Accuracy::Error(1e-4))?;
    let p = Polynomial::chebyshev(&coefficients, (-1.0, 1.0))?;
    println!("{:?}", p.cost());                                   // levels, key switches, products
    let z = server.evaluate(&x, &p)?;                       // evaluate_to: at a level and scale
    let w = server.relu(&x, &Sign::new(40.0, 0.1, 1e-3)?)?; // |x| ≤ 40; error below 0.1 near 0
    let q = Polynomial::chebyshev(&others, (-1.0, 1.0))?;
    let gates = BlockPolynomials::new(vec![p, q], block)?;  // slots s to s + block − 1 by one polynomial
    let v = server.evaluate_blocks(&x, &gates)?;            // in the levels and products of one

    let [y, z, w, v] = [y, z, w, v].map(|ciphertext| client.decrypt(&ciphertext).unwrap());
    for (place, x) in [0.5_f64, -0.25].into_iter().enumerate() {
        assert!((y[place].re - sigmoid(x)).abs() < 2e-4, "{:?}", y[place]);
        let polynomial = 0.5 + 0.25 * x - 0.125 * (2.0 * x * x - 1.0);
        assert!((z[place].re - polynomial).abs() < 1e-4, "{:?}", z[place]);
        assert!((w[place].re - x.max(0.0)).abs() < 0.1, "{:?}", w[place]);
        let of_block = [polynomial, 1.5 * x - 0.75][place];
        assert!((v[place].re - of_block).abs() < 1e-4, "{:?}", v[place]);
    }
    Ok(())
}

#[test]
#[rustfmt::skip]
fn circuits() -> Done {
    let (mut client, _, a, b) = small();
    let parameters = client.parameters().clone();
    let weights = [0.5, -0.5].map(|re| Complex { re, im: 0.0 }).to_vec();
    let inputs = [("x", &a), ("y", &b)].map(|(name, of)| (name.to_owned(), of.into())).into();
    use halimede_ckks::{Accuracy, Expression, Plan};

    let (x, y) = (Expression::input("x"), Expression::input("y"));
    let sum = (3 * &x * &y + x.rotate(1) - 0.5).bounded(8.0);
    let z = sum.map(f64::tanh, Accuracy::Error(1e-4)) * weights;
    let plan = Plan::new(&z, &parameters, &inputs)?; // levels, lengths and bounds of x and y
    println!("{plan}");                              // a table of steps, levels, bootstraps, keys
    let server = client.server(&plan.operations());  // the keys that it needs, and no others
    let z = server.run(&z, &[("x", &a), ("y", &b)])?;        // a and b are encrypted

    let first = (3.0 * 0.5 * 0.75 - 0.25 - 0.5_f64).tanh() * 0.5;
    let second = (3.0 * -0.25 + 0.5 - 0.5_f64).tanh() * -0.5;
    let expected = [first, second];
    for (value, expected) in client.decrypt(&z)?.iter().zip(expected) {
        assert!((value.re - expected).abs() < 2e-4, "{value:?} for {expected}");
    }
    Ok(())
}

#[test]
#[rustfmt::skip]
fn traces() -> Done {
    let (client, server, x, y) = small();
    let (a, b) = (y.clone(), x.clone());
    let mut written = Vec::new();
    let file = &mut written;
    let ring = client.parameters().ring();

    let (products, trace) = server.record(&[&x, &y], &[], |server| Ok(vec![server.mul(&x, &y)?]))?;
    println!("{}", trace.counts());
    trace.write_json(file)?;                                  // Program::from_json reads it
    let parts = server.replay(ring, &trace, &[&a, &b], &[])?; // the bits of server.mul(&a, &b)

    assert_eq!((products.len(), parts.len()), (1, 1));
    assert!(!written.is_empty());
    Ok(())
}

#[rustfmt::skip]
#[allow(dead_code, reason = "needs gigabytes")]
fn bootstraps(worn_out: Ciphertext) -> Done {
    let parameters = Parameters::preset("n16-boot")?; // 9 levels after a bootstrap
    let mut client = Client::new(&parameters)?;
    let operations = Operations { multiply: true, bootstrap: true, ..Operations::default() };
    let server = client.server(&operations);          // each key for the levels of its use
    let fresh = server.bootstrap(&worn_out)?;

    drop(fresh);
    let operations = Operations { bootstrap_slots: vec![8, 1024], ..Operations::default() };
    let fresh = client.server(&operations).bootstrap(&worn_out)?; // for the number of its slots

    drop(fresh);
    let operations = Operations { bootstrap: true, few_keys: true, ..Operations::default() };
    let fresh = client.server(&operations).bootstrap(&worn_out)?;

    drop(fresh);
    Ok(())
}

#[test]
#[rustfmt::skip]
fn shapes_of_bootstraps() -> Done {
    // A unit is 5 bits.
    let shape = BootstrapShape { level_units: 11, rounds: 2, ..BootstrapShape::new(16, 6, 4) };
    let parameters = Parameters::new(shape, SecretKind::Ternary)?;
    let builder = ParametersBuilder::new().slots(1 << 15).depth(6).precision_bits(35.0);
    let same = builder.bootstrapping(true).build()?;

    assert_eq!(parameters.shape(), same.shape());
    Ok(())
}
