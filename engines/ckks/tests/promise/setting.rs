// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parties that compute a circuit in plaintext and encrypted, and compare the results.

use halimede_ckks::evaluator::inner_sum_rotations;
use halimede_ckks::{
    Bound, Ciphertext, CircuitError, Client, Complex, EvaluationError, Operations, Parameters,
    Server, Values,
};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// A client, and a server with the keys of every circuit.
pub struct Machine {
    pub client: Client,
    pub server: Server,
}

/// A vector in plaintext and encrypted.
#[derive(Clone)]
pub struct Value {
    pub plain: Vec<Complex>,
    pub ciphertext: Ciphertext,
}

/// The outcome of a circuit.
#[derive(Default)]
pub struct Report {
    /// The largest number of bits by which a value was worse than claimed.
    pub worst_bits: f64,
    pub worst_step: String,
    /// The number of bits by which the last value was better, if it has an error at all.
    pub last_short_bits: Option<f64>,
}

/// Returns `true` if levels or room are used up, which makes no claim.
pub fn is_out_of_room(error: &CircuitError) -> bool {
    matches!(error.evaluation(), Some(EvaluationError::Level { .. } | EvaluationError::Room { .. }))
}

impl Report {
    pub fn new() -> Self {
        Self { worst_bits: f64::NEG_INFINITY, ..Self::default() }
    }

    /// Compares a value with its claim.
    pub fn check(&mut self, machine: &Machine, value: &Value, step: &str) {
        self.check_claim(machine, value, value.ciphertext.estimate().error, step);
    }

    /// Compares the exact values of a computation with the claim for all values.
    pub fn check_anywhere(&mut self, machine: &Machine, value: &Value, step: &str) {
        let short = self.last_short_bits;
        self.check_claim(machine, value, value.ciphertext.error_anywhere(), step);
        // This is not a claim about typical values.
        self.last_short_bits = short;
    }

    fn check_claim(&mut self, machine: &Machine, value: &Value, claim: f64, step: &str) {
        let (plain, ciphertext) = (&value.plain, &value.ciphertext);
        let ours = match machine.client.decrypt(ciphertext) {
            Ok(ours) => ours,
            // Some values of long circuits cannot be decoded; none is wrong.
            Err(EvaluationError::Room { .. }) => return,
            Err(error) => panic!("{step}: {error}"),
        };
        assert_eq!(ours.len(), plain.len(), "{step}");
        let (bound, tolerance) = (ciphertext.bound(), 1e-9 * ciphertext.bound().magnitude());
        for value in plain {
            let nearby = Bound::complex(bound.magnitude() + tolerance);
            assert!(nearby.contains(*value), "{step}: {value:?} outside {bound}");
        }
        let squares = ours.iter().zip(plain).map(|(a, b)| (*a - *b).abs().powi(2));
        let error = (squares.sum::<f64>() / plain.len() as f64).sqrt();
        if error == 0.0 {
            return;
        }
        let bits = (error / claim).log2();
        if bits > self.worst_bits {
            let (level, length) = (ciphertext.level(), ciphertext.length());
            let claim = -claim.log2();
            self.worst_bits = bits;
            self.worst_step = format!("{step} ({length} values, level {level}, {claim:.1} bits)");
        }
        self.last_short_bits = Some(-bits);
    }
}

impl Machine {
    pub fn new(parameters: &Parameters) -> Self {
        let mut client = Client::new(parameters).unwrap();
        let rotations = inner_sum_rotations(parameters.slots(), 1);
        let operations =
            Operations { multiply: true, conjugate: true, rotations, ..Operations::default() };
        let server = client.server(&operations);
        Self { client, server }
    }

    pub fn slots(&self) -> usize {
        self.client.parameters().slots()
    }

    /// Returns a length: usually all slots, sometimes a few, or not a power of two.
    pub fn length(&self, rng: &mut ChaCha8Rng) -> usize {
        match rng.gen_range(0..10) {
            0 => 1,
            1 => 1 << rng.gen_range(0..=self.slots().ilog2()),
            2 => rng.gen_range(1..=self.slots()),
            _ => self.slots(),
        }
    }

    /// Returns an encryption of values whose only known property is the bound.
    pub fn seal(&mut self, values: Vec<Complex>, bound: Bound, level: usize) -> Value {
        let declared = Values::from(&values).bounded(bound);
        let ciphertext = self.client.encrypt_at(declared, level).unwrap();
        Value { plain: values, ciphertext }
    }

    /// Values at the bound.
    pub fn largest_values(
        &self,
        rng: &mut ChaCha8Rng,
        length: usize,
        bound: f64,
        is_real: bool,
    ) -> Vec<Complex> {
        (0..length).map(|_| largest(rng, bound, is_real)).collect()
    }

    /// Returns values that challenge estimates: at the bound, equal, single, or random.
    pub fn values(
        &self,
        rng: &mut ChaCha8Rng,
        length: usize,
        bound: f64,
        is_real: bool,
    ) -> Vec<Complex> {
        let turn = |rng: &mut ChaCha8Rng| largest(rng, bound, is_real);
        let random = |rng: &mut ChaCha8Rng| turn(rng) * rng.gen_range(0.0..=1.0f64);
        let one = turn(rng);
        match rng.gen_range(0..6) {
            0 => vec![one; length],
            1 => self.largest_values(rng, length, bound, is_real),
            2 => {
                let mut alone = vec![Complex::default(); length];
                alone[rng.gen_range(0..length)] = one;
                alone
            }
            _ => (0..length).map(|_| random(rng)).collect(),
        }
    }
}

fn largest(rng: &mut ChaCha8Rng, bound: f64, is_real: bool) -> Complex {
    match is_real {
        true => Complex::from(if rng.gen() { bound } else { -bound }),
        false => Complex::root(rng.gen_range(0..1 << 20), 1 << 20) * bound,
    }
}
