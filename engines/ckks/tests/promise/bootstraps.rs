// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bootstraps: sequences of them, of values at the bound, and sums of several of the same vector.

use halimede_ckks::{Bound, Client, Complex, Operations, Parameters};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::setting::{Machine, Report, Value};

/// Returns servers that bootstrap vectors of all slots, and of eight.
pub fn machines() -> Vec<Machine> {
    ["n10-boot-insecure", "n10-boot-insecure", "n10-boot-precise-insecure"]
        .map(|preset| {
            let parameters = Parameters::preset(preset).unwrap();
            let mut client = Client::new(&parameters).unwrap();
            let operations = Operations {
                multiply: true,
                bootstrap: true,
                bootstrap_slots: vec![8],
                ..Operations::default()
            };
            let server = client.server(&operations);
            Machine { client, server }
        })
        .into()
}

pub fn circuit(machine: &mut Machine, rng: &mut ChaCha8Rng) -> Report {
    let mut report = Report::new();
    let length = if rng.gen() { machine.slots() } else { 8 };
    let magnitude = [1.0, 1.0, 1.0, 1.0, 30.0][rng.gen_range(0..5)];
    let is_real = rng.gen();
    // The error of the sine grows with the cube of values: half of the vectors have the largest
    // allowed values.
    let plain = match rng.gen() {
        true => machine.largest_values(rng, length, magnitude, is_real),
        false => machine.values(rng, length, magnitude, is_real),
    };
    let bound = if is_real { Bound::real(magnitude) } else { Bound::complex(magnitude) };
    let mut value = machine.seal(plain, bound, 1);
    let mut sum: Option<Value> = None;
    for _ in 0..rng.gen_range(1..=4) {
        value.ciphertext = machine.server.bootstrap(&value.ciphertext).unwrap();
        report.check(machine, &value, "a bootstrap");
        sum = Some(match sum {
            None => value.clone(),
            Some(sum) => {
                let ciphertext = machine.server.add(&sum.ciphertext, &value.ciphertext).unwrap();
                let pairs = sum.plain.iter().zip(&value.plain);
                Value { plain: pairs.map(|(a, b)| *a + *b).collect::<Vec<Complex>>(), ciphertext }
            }
        });
        // Values above 4 need a level.
        value.ciphertext =
            machine.server.at_level(&value.ciphertext, rng.gen_range(1..=2)).unwrap();
    }
    sum.iter().for_each(|sum| report.check(machine, sum, "a sum of bootstraps"));
    report
}
