// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random programs in lock-step: the same operations in the same order on several executors, whose
//! results must have the same hashes.
#![allow(dead_code, reason = "each test uses a part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use halimede_ckks::executor::{CiphertextHandle, Plain, ProgramServer, Routine};
use halimede_ckks::{Bound, Ciphertext, Client, Complex, Operations, Parameters, Server, Values};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The rotations that have keys.
const ROTATIONS: [i64; 4] = [1, 2, 4, -3];

/// The number of values of a vector.
const LENGTH: usize = 512;

/// The number of ciphertexts from which operations take their operands; older ones are dropped.
const POOL: usize = 4;

/// A server for random programs, and fresh ciphertexts.
pub struct Operands {
    pub server: Arc<Server>,
    pub ciphertexts: Vec<Ciphertext>,
}

impl Operands {
    /// Keys and real vectors in [-1, 1] at the top level and the one below.
    pub fn new(parameters: &Parameters) -> Self {
        let mut client = Client::new(parameters).unwrap();
        let operations = Operations {
            multiply: true,
            conjugate: true,
            rotations: ROTATIONS.to_vec(),
            ..Operations::default()
        };
        let server = Arc::new(client.server(&operations));
        let mut rng = ChaCha8Rng::seed_from_u64(33);
        let top = parameters.fresh_level();
        let ciphertexts = [top, top - 1].map(|level| {
            let values: Vec<f64> = (0..LENGTH).map(|_| rng.gen_range(-1.0..=1.0)).collect();
            let values = Values::from(&values).bounded(Bound::between(-1.0, 1.0));
            client.encrypt_at(values, level).unwrap()
        });
        Self { server, ciphertexts: ciphertexts.into() }
    }
}

/// Returns a random operation.
fn routine(rng: &mut ChaCha8Rng, top: usize) -> Routine {
    let number = Complex::new(rng.gen_range(-1.0..1.0), rng.gen_range(-1.0..1.0));
    let step = |rng: &mut ChaCha8Rng| ROTATIONS[rng.gen_range(0..ROTATIONS.len())];
    match rng.gen_range(0..16) {
        0 => Routine::Add,
        1 => Routine::Subtract,
        2 => Routine::Negate,
        3 | 4 => Routine::Multiply,
        5 => Routine::MultiplyInteger(rng.gen_range(-5..=5)),
        6 => Routine::MultiplyNumber(number),
        7 => Routine::AddNumber(number),
        8 => Routine::Rotate(vec![step(rng)]),
        9 => Routine::Rotate(ROTATIONS[rng.gen_range(0..ROTATIONS.len() - 1)..].to_vec()),
        10 => Routine::InnerSum { count: rng.gen_range(2..=4), batch: 1 << rng.gen_range(0..3) },
        11 => Routine::Rescale,
        12 => Routine::ToLevel(rng.gen_range(0..=top)),
        13 => Routine::MultiplyPlain(plain(rng)),
        14 => Routine::Conjugate,
        _ => Routine::MultiplyByI,
    }
}

fn plain(rng: &mut ChaCha8Rng) -> Plain {
    let values: Vec<Complex> = (0..LENGTH)
        .map(|_| Complex::new(rng.gen_range(-0.7..0.7), rng.gen_range(-0.7..0.7)))
        .collect();
    Plain::checked(&Values::from(&values), 1.0).unwrap()
}

/// Runs random operations on all places, the first of which is the oracle. Returns the number of
/// operations done. All places must reject an operation that a server rejects for lack of levels.
///
/// # Panics
/// If a result has another hash than the oracle's, or only some places refuse.
pub fn run(
    seed: u64,
    steps: usize,
    operands: &Operands,
    places: &[&ProgramServer],
    hash: impl Fn(&Ciphertext) -> [u8; 32],
) -> usize {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let top = operands.server.parameters().fresh_level();
    let mut pools: Vec<Vec<CiphertextHandle>> = places
        .iter()
        .map(|place| operands.ciphertexts.iter().map(|a| place.upload(a).unwrap()).collect())
        .collect();
    let mut done = 0;
    for step in 0..steps {
        let routine = routine(&mut rng, top);
        let chosen = [(); 2].map(|()| rng.gen_range(0..pools[0].len()));
        let mut expected = None;
        for (place, pool) in places.iter().zip(&mut pools) {
            let given = &[&pool[chosen[0]], &pool[chosen[1]]][..routine.takes()];
            let results = place.call(&routine, given);
            let results = results.map_err(|error| error.to_string());
            let hashes = results.as_ref().map(|results| {
                let results = results.iter().map(|result| place.download(result).unwrap());
                results.map(|result| hash(&result)).collect::<Vec<_>>()
            });
            let hashes = hashes.map_err(Clone::clone);
            let oracle = expected.get_or_insert_with(|| hashes.clone());
            assert_eq!(hashes, *oracle, "seed {seed}, step {step}: {}", routine.name());
            if let Ok(results) = results {
                pool.extend(results);
                pool.drain(..pool.len().saturating_sub(POOL));
            }
        }
        done += usize::from(expected.is_some_and(|result| result.is_ok()));
    }
    done
}
