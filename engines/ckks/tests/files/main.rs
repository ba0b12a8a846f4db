// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Saved objects are loaded again, and invalid files are rejected.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod hostile;
mod round_trips;
mod secret_files;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use halimede_ckks::circuit::Checkpoint;
use halimede_ckks::keys::{PublicKey, SecretKey};
use halimede_ckks::{
    Ciphertext, CircuitError, Client, Complex, EvaluationKeys, Expression, FileError, Operations,
    Parameters, Plan, Server,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A client and one file of each kind.
struct Files {
    parameters: Parameters,
    client: Client,
    /// In the order of [`Kind`].
    bytes: [Vec<u8>; 7],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Parameters,
    Secret,
    Public,
    Keys,
    Fresh,
    Product,
    Checkpoint,
}

impl Kind {
    const ALL: [Self; 7] = [
        Self::Parameters,
        Self::Secret,
        Self::Public,
        Self::Keys,
        Self::Fresh,
        Self::Product,
        Self::Checkpoint,
    ];

    /// Loads an object. Returns an error if that is not possible.
    fn load(self, bytes: &[u8], parameters: &Parameters) -> Result<(), FileError> {
        match self {
            Self::Parameters => Parameters::load_insecure(bytes).map(drop),
            Self::Secret => SecretKey::load(bytes, parameters).map(drop),
            Self::Public => PublicKey::load(bytes, parameters).map(drop),
            Self::Keys => EvaluationKeys::load(bytes, parameters).map(drop),
            Self::Fresh | Self::Product => Ciphertext::load(bytes, parameters).map(drop),
            Self::Checkpoint => Checkpoint::load(bytes, parameters).map(drop),
        }
    }
}

impl Files {
    fn new(preset: &str, seed: u64) -> Self {
        let parameters = Parameters::preset(preset).unwrap();
        let mut client = Client::of_test(&parameters, seed);
        let keys = client.evaluation_keys(&operations());
        let public = client.public_key();
        let fresh = client.encrypt_at(&values(64, seed), 3).unwrap();
        let mut bytes: [Vec<u8>; 7] = Default::default();
        parameters.save(&mut bytes[0]).unwrap();
        client.secret().save(&mut bytes[1]).unwrap();
        public.save(&mut bytes[2]).unwrap();
        keys.save(&mut bytes[3]).unwrap();
        fresh.save(&mut bytes[4], &parameters).unwrap();
        let server = Server::new(keys);
        let product = server.mul(&fresh, &fresh).unwrap();
        product.save(&mut bytes[5], &parameters).unwrap();
        checkpoint(&server, &fresh).save(&mut bytes[6], &parameters).unwrap();
        Self { parameters, client, bytes }
    }

    fn of(&self, kind: Kind) -> &[u8] {
        &self.bytes[kind as usize]
    }

    /// Returns the error of a file.
    fn error(&self, kind: Kind, bytes: &[u8]) -> FileError {
        kind.load(bytes, &self.parameters).expect_err("it was loaded")
    }

    /// Bytes of the header.
    fn header(&self) -> usize {
        self.of(Kind::Parameters).len()
    }
}

/// Returns a checkpoint after two rotations of a product, with three values.
fn checkpoint(server: &Server, x: &Ciphertext) -> Checkpoint {
    let input = Expression::input("x");
    let square = &input * &input;
    let sum = square.rotate(1) * &input + square.rotate(-3);
    let described = BTreeMap::from([("x".to_owned(), x.into())]);
    let plan = Plan::new(&sum, server.parameters(), &described).unwrap();
    let mut made = None;
    let result = server.run_plan_from(&plan, &[("x", x)], None, |moment| {
        made = Some(moment.checkpoint());
        match moment.place() {
            2 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    });
    assert!(matches!(result, Err(CircuitError::Stopped { done: 3, .. })));
    made.unwrap()
}

fn operations() -> Operations {
    Operations { multiply: true, conjugate: true, rotations: vec![1, -3], ..Operations::default() }
}

fn values(count: usize, seed: u64) -> Vec<Complex> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut part = || rng.gen_range(-0.7..0.7);
    (0..count).map(|_| Complex::new(part(), part())).collect()
}

/// Returns `true` if two ciphertexts have the same residues, owner and all other properties that
/// files keep. Of the estimate, files keep the error as one number, without its sources.
fn is_same(a: &Ciphertext, b: &Ciphertext) -> bool {
    let residues = |c: &Ciphertext| c.parts().map(|part| part.limbs().flatten().copied().collect());
    let [left, right]: [[Vec<u32>; 2]; 2] = [residues(a), residues(b)];
    let about =
        |c: &Ciphertext| (c.level(), c.scale(), c.slots(), c.length(), c.owner(), c.bound());
    let [first, second] = [a, b].map(|c| c.estimate().error);
    left == right && about(a) == about(b) && (first / second - 1.0).abs() < 1e-4
}
