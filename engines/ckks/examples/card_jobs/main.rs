// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Jobs of the card for the bench of its RTL: operations compiled for a small card, on residues and
//! seeds from a generator. For each operation, the folder receives the card's memory before it
//! (`NAME.before`) and after it, as the instruction simulator leaves it (`NAME.after`), and the
//! residues of the slots (`NAME.slots`; a slot that was never written has 2³⁰ − 1 everywhere).
//! `jobs.json` has the clocks of the cycle model.
//!
//! `random-SEED` are random instructions on the memory of a product. With `-seeds` after the name,
//! the card expands keys.
//!
//! `card_jobs FOLDER LOG_DEGREE LEVEL LOG_LANES SLOTS COLUMNS BYTES_A_CLOCK LATENCY NAME...`

mod random;

use std::error::Error;
use std::fs;
use std::path::Path;

use halimede_ckks::card::{basic, clocks, compile, core_clocks, simulate, Basic, Card};
use halimede_ckks::card::{CardMemory, CompileOptions, Compiled, CoreOptions};
use halimede_ckks::params::{ChainShape, SecretKind};
use halimede_ckks::ring::{Basis, Program, UniformSeed};
use halimede_ckks::{DryServer, Operations, Parameters};
use rand::{Rng, SeedableRng};
use serde_json::{json, Map, Value};

/// The number of instructions of a random program.
const RANDOM_COMMANDS: usize = 60;

/// Returns the program of an operation, recorded without arithmetic.
fn program(name: &str, parameters: &Parameters, level: usize) -> Result<Program, Box<dyn Error>> {
    let operations = Operations { multiply: true, rotations: vec![1], ..Operations::default() };
    let dry = DryServer::new(parameters, &operations.keys_to_level(parameters, level));
    let inputs = [(); 2].map(|()| dry.input(level, parameters.slots()));
    let (a, b) = (&inputs[0], &inputs[1]);
    let product = dry.record(&[a, b], &[], |server| Ok(vec![server.mul(a, b)?]))?.1;
    let limbs = product.externals[0].basis.places().len();
    let single = |of| {
        let basis = Basis::new(0..limbs as u16);
        basic(of, product.degree, &product.primes, &basis, 2)
    };
    Ok(match name {
        "hadd" => single(Basic::Add),
        "pmult" => single(Basic::Multiply),
        "ntt" => single(Basic::Forward),
        "rescale" => dry.record(&[a], &[], |server| Ok(vec![server.rescale(a)?]))?.1,
        "rotation" => dry.record(&[a], &[], |server| Ok(server.rotate_many(a, &[1])?))?.1,
        "cmult" => product,
        random if random.starts_with("random-") => product,
        other => return Err(format!("no operation is called {other:?}").into()),
    })
}

/// Returns the memory of a job whose external values are arbitrary residues.
fn memory(program: &Program, compiled: &Compiled) -> Result<CardMemory, Box<dyn Error>> {
    let mut random = rand::rngs::StdRng::seed_from_u64(1);
    let mut limbs = Vec::new();
    let mut seeds = Vec::new();
    for external in &program.externals {
        let count = program.degree / external.run;
        limbs.push(
            external
                .basis
                .places()
                .iter()
                .map(|place| {
                    let modulus = program.primes[usize::from(*place)].modulus;
                    (0..count).map(|_| random.gen_range(0..modulus)).collect::<Vec<u32>>()
                })
                .collect::<Vec<_>>(),
        );
        seeds.push(UniformSeed { seed: random.gen(), index: random.gen_range(0..1000) });
    }
    let limb = |external: usize, place: u16| {
        let number = program.externals[external].basis.limb_of(place)?;
        Some(limbs[external][number].as_slice())
    };
    Ok(CardMemory::new(program, compiled, limb, |external| Some(seeds[external]))?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, numbers @ ..] = arguments.as_slice() else {
        return Err("a folder is missing".into());
    };
    let (numbers, names) = numbers.split_at_checked(7).ok_or("numbers are missing")?;
    let mut read = Vec::new();
    for text in numbers {
        read.push(text.parse::<usize>()?);
    }
    let &[log_degree, level, log_lanes, slots, columns, bytes, latency] = read.as_slice() else {
        return Err("numbers are missing".into());
    };
    // The levels and digits of n10-insecure.
    let steps = vec![8; 4];
    let shape = ChainShape { log_degree: log_degree as u32, base_units: 12, steps, digits: 3 };
    let parameters = Parameters::insecure(shape, SecretKind::Ternary)?;
    let degree = 2 * parameters.slots();
    let card = Card {
        log_radix: log_lanes.min(4) as u32,
        columns,
        scratchpad_bytes: slots * 4 * degree,
        bytes_per_second: bytes as f64 * 200e6,
        memory_latency: latency as u64,
        queue: 8,
        ..Card::small(log_lanes as u32)
    };
    let mut jobs = Map::new();
    for name in names {
        let (operation, expand) = match name.strip_suffix("-seeds") {
            Some(operation) => (operation, true),
            None => (name.as_str(), false),
        };
        let program = program(operation, &parameters, level)?;
        let options = CompileOptions { expand, ..Default::default() };
        let mut compiled = compile(&program, &card, &options)?;
        if let Some(seed) = operation.strip_prefix("random-") {
            let seed = seed.parse()?;
            random::randomize(&mut compiled, &program, seed, RANDOM_COMMANDS, columns);
        }
        let mut memory = memory(&program, &compiled)?;
        let file = |ending| Path::new(folder).join(format!("{name}.{ending}"));
        fs::write(file("before"), memory.bytes())?;
        let mut residues = Vec::new();
        simulate(&mut memory, |_, _, slots| residues = slots.concat())?;
        fs::write(file("after"), memory.bytes())?;
        let bytes: Vec<u8> = residues.iter().flat_map(|word| word.to_le_bytes()).collect();
        fs::write(file("slots"), bytes)?;
        let image = &compiled.image;
        let core = core_clocks(image, &card, &CoreOptions::of(&card, image));
        let entry: Value = json!({
            "planned": clocks(image, &card).total,
            "clocks": core.clocks.total,
            "conflicts": core.conflicts,
            "words": image.words(),
        });
        jobs.insert(name.clone(), entry);
    }
    fs::write(Path::new(folder).join("jobs.json"), Value::from(jobs).to_string())?;
    Ok(())
}
