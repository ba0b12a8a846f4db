// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Repeats one operation to count its instructions: the difference of two runs with different
//! numbers of repetitions belongs only to the operation.
//!
//! `RAYON_NUM_THREADS=1 perf stat -e instructions:u instructions OPERATION REPETITIONS`

use std::error::Error;

use halimede_ckks::ring::Form;
use halimede_ckks::{Ciphertext, Client, Complex, Operations, Parameters, Server};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let operation = arguments.next().ok_or("an operation is missing")?;
    let repetitions: usize = arguments.next().ok_or("a number is missing")?.parse()?;
    let is_bootstrap = operation == "bootstrap";
    let parameters =
        Parameters::preset(if is_bootstrap { "n10-boot-insecure" } else { "n13-insecure" })?;
    let mut client = Client::of_test(&parameters, 1);
    let operations = Operations {
        multiply: true,
        rotations: vec![1],
        bootstrap: is_bootstrap,
        ..Operations::default()
    };
    let server = client.server(&operations).with_angles([7; 32]);
    let level = if is_bootstrap { 0 } else { parameters.top() };
    let values: Vec<Complex> =
        (0..parameters.slots()).map(|slot| Complex::new(0.5 / (slot + 1) as f64, 0.25)).collect();
    let a = client.encrypt_at(&values, level)?;
    if is_bootstrap {
        server.prepare_bootstrap()?;
    }
    for _ in 0..repetitions {
        run(&operation, &server, &a)?;
    }
    Ok(())
}

fn run(operation: &str, server: &Server, a: &Ciphertext) -> Result<(), Box<dyn Error>> {
    match operation {
        "product" => drop(server.mul(a, a)?),
        "rotation" => drop(server.rotate(a, 1)?),
        "rescale" => drop(server.rescale(a)?),
        "sum" => drop(server.add(a, &server.neg(a)?)?),
        "bootstrap" => drop(server.bootstrap(a)?),
        "transforms" => {
            let ring = server.parameters().ring();
            let mut values = a.parts()[0].clone();
            assert_eq!(values.form(), Form::Values);
            ring.inverse(&mut values);
            ring.forward(&mut values);
        }
        other => return Err(format!("no operation is called {other:?}").into()),
    }
    Ok(())
}
