// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The program of the README with its surroundings, which is compiled.
#![allow(clippy::print_stdout)]

const README: &str = include_str!("../../README.md");
const HERE: &str = include_str!("readme.rs");

/// Returns the lines of a text that are not empty, wherever they begin.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

#[test]
fn the_program_of_the_readme_is_here() {
    let block = README.split_once("```rust\n").and_then(|(_, rest)| rest.split_once("```"));
    let block = lines(block.unwrap().0);
    let here = lines(HERE);
    assert!(here.windows(block.len()).any(|window| window == block), "not compiled: {block:?}");
}

/// It reads a file that does not exist.
#[rustfmt::skip]
#[allow(dead_code)]
fn program(
    samples: &[Vec<f64>],
    input: &[f64],
) -> Result<(), Box<dyn std::error::Error>> {
    use std::ops::ControlFlow;

    use halimede_ckks::Parameters;
    use halimede_ckks_nn::{read_onnx, Calibration, Model, NetworkClient, NetworkServer, Options};

    let graph = read_onnx(&std::fs::read("model.onnx")?)?;
    let calibration = Calibration::new(&graph, samples)?; // some inputs, no labels
    let parameters = Parameters::preset("n16-boot")?;
    let options = Options { degree: 15, ..Options::default() };
    let model = Model::compile(&graph, &calibration, &parameters, &options)?;
    println!("{}", model.report());

    let mut client = NetworkClient::new(model.interface())?; // no weights
    let server = NetworkServer::new(&model, client.evaluation_keys())?; // no secret
    let ciphertexts = client.encrypt(input)?;
    let result = server.run(&ciphertexts, |progress| {
        println!("{} of {} steps", progress.done, progress.steps);
        ControlFlow::Continue(())
    })?;
    println!("{:?}", client.decrypt(&result)?.class());
    Ok(())
}
