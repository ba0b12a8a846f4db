// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The BLS12-381 coprocessor on its own simulated card: programs and requests against the
//! processor, concurrently, and the requests that the card leaves to its fallback.
//!
//! Whole pairings take a hundred thousand clocks and more, so they are in the sweep.

use std::fmt::Debug;
use std::num::NonZeroU32;

use halimede_arith::job::{Compute, Execute};
use halimede_bls12_381::coprocessor::isa::Fault;
use halimede_bls12_381::coprocessor::{assemble, ErrorWord};
use halimede_bls12_381::eip2537::Precompile;
use halimede_bls12_381::groth16::VerifyingKey;
use halimede_bls12_381::operations::{
    Call, End, Evaluate, Outcome, PrecompileRequest, ProgramError, ProgramRequest, ProofRequest,
    RunPrecompile, RunProgram, VerifyProof,
};
use halimede_bls12_381::{Fr, Point, G1, G2};
use halimede_device::{Device, Options};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::{coprocessor_simulator, is_sweep};

const SEED: u64 = 20_261_126;

fn card() -> Option<Device> {
    let options = coprocessor_simulator()?;
    let device = Device::open_with("sim", &Options::default().simulator(options)).unwrap();
    assert!(device.capabilities().has::<RunProgram>(), "the card has no coprocessor");
    Some(device)
}

fn program(text: &str, limit: u32) -> ProgramRequest {
    let program = assemble(text).unwrap().program;
    ProgramRequest { program, limit: NonZeroU32::new(limit).unwrap() }
}

/// Removes the clocks, which a processor does not have.
fn timeless(reply: Result<Outcome, ProgramError>) -> Result<Outcome, ProgramError> {
    reply.map(|outcome| Outcome { clocks: None, ..outcome })
}

fn answers_alike<Op>(device: &Device, requests: &[Op::Request])
where
    Op: Compute,
    Op::Reply: PartialEq + Debug + Clone,
    Op::Replies: AsRef<[Op::Reply]>,
    Device: Execute<Op>,
{
    let replies = Execute::<Op>::execute(device, Op::batch(requests)).unwrap().replies;
    let expected = Op::compute_batch(Op::batch(requests));
    assert_eq!(replies.as_ref(), expected.as_ref(), "{}", Op::NAME);
}

#[test]
fn programs_end_as_on_the_processor() {
    let Some(device) = card() else { return };
    let random = &mut ChaCha8Rng::seed_from_u64(SEED);
    let mut requests = vec![
        program("", 1),
        program("JUMP 0\n", 40),
        program("JUMP 511\n.org 511\nCOPY_REG 0, 1\n", 40),
        program(".data 0 FE 5\nADD_ELEMENT 0, 1, 2\n", 40),
        program(".data 0 SCALAR 9\nSEND_INTERRUPT 0, 1\n", 9),
        program(&"SEND_INTERRUPT 0, 1\n".repeat(146), 999),
        program(".data 0 FE 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaaa\nSQR_ELEMENT 0, 1\nSEND_INTERRUPT 1, 65535\n", 40),
    ];
    for _ in 0..8 {
        let (a, b, n) = (random.gen::<u64>(), random.gen::<u64>(), random.gen_range(1..9));
        requests.push(program(
            &format!(
                ".data 0 FE12 {}\n.data 12 FE12 {}\n.data 24 SCALAR {n}\n\
                 again: ADD_ELEMENT 0, 12, 0\nMUL_ELEMENT 0, 12, 30\nSEND_INTERRUPT 30, 7\n\
                 JUMP_NONZERO_SUB again, 24\n",
                format!("{a} ").repeat(12),
                format!("{b} ").repeat(12),
            ),
            1000,
        ));
    }
    let mut wrong = requests[0].clone();
    wrong.program.start = 512;
    requests.push(wrong);
    let replies = Execute::<RunProgram>::execute(&device, &requests).unwrap().replies;
    for (number, (reply, request)) in replies.into_iter().zip(&requests).enumerate() {
        if let Ok(outcome) = &reply {
            assert!(outcome.clocks.unwrap() >= 18 * outcome.instructions, "program {number}");
        }
        assert_eq!(timeless(reply), request.run(), "program {number}");
    }
    let stopped = timeless(Ok(requests[1].run().unwrap())).unwrap();
    let error = ErrorWord { fault: Fault::Limit, opcode: 0, pointer: 0 };
    assert_eq!(stopped.end, End::Stopped(error));
}

#[test]
fn sums_and_precompiles() {
    let Some(device) = card() else { return };
    let random = &mut ChaCha8Rng::seed_from_u64(SEED);
    let mut point = || Point::<G1>::generator().times(&Fr::from(random.gen::<u64>()));
    let (p, q) = (point(), point());
    let inverse = |p: &Point<G1>| p.negated();
    let calls = vec![
        Call::AddG1(vec![]),
        Call::AddG1(vec![p, q]),
        Call::AddG1(vec![p, p, inverse(&p), inverse(&p)]),
        Call::AddG2(vec![Point::<G2>::generator(), Point::default(), Point::generator()]),
    ];
    answers_alike::<Evaluate>(&device, &calls);
    let mut inputs = vec![vec![0; 256], vec![0; 255], vec![]];
    for (place, value) in [(63, 1), (3, 7), (20, 255)] {
        let mut input = vec![0; 256];
        input[place] = value;
        inputs.push(input);
    }
    let precompile = Precompile::G1Add;
    let mut requests: Vec<_> =
        inputs.into_iter().map(|input| PrecompileRequest { precompile, input }).collect();
    // (0, 2) is a point of the curve outside the group.
    let mut input = vec![0; 160];
    input[127] = 2;
    requests.push(PrecompileRequest { precompile: Precompile::G1Msm, input });
    answers_alike::<RunPrecompile>(&device, &requests);
}

/// A file below the engine's folder.
fn of_engine(name: &str) -> String {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../engines/bls12_381/");
    std::fs::read_to_string(format!("{root}{name}")).unwrap()
}

/// The card, in a sweep.
fn card_in_sweep() -> Option<Device> {
    is_sweep().then(card).flatten()
}

#[test]
fn sample_programs_with_pairings() {
    let Some(device) = card_in_sweep() else { return };
    let requests: Vec<ProgramRequest> = ["two_pairings", "multi_pairing", "loop"]
        .map(|name| program(&of_engine(&format!("coprocessor/examples/{name}.s")), 100_000))
        .into();
    let replies = Execute::<RunProgram>::execute(&device, &requests).unwrap().replies;
    for (number, (reply, request)) in replies.into_iter().zip(&requests).enumerate() {
        println!("program {number}: {:?} clocks", reply.as_ref().unwrap().clocks);
        assert_eq!(timeless(reply), request.run(), "program {number}");
    }
}

#[test]
fn pairings_and_multiples() {
    let Some(device) = card_in_sweep() else { return };
    let random = &mut ChaCha8Rng::seed_from_u64(SEED);
    let (g1, g2) = (Point::<G1>::generator(), Point::<G2>::generator());
    let mut calls = vec![Call::PairingProduct(vec![(g1, g2)])];
    for number in 0..49 {
        let (a, b) = (scalar(random), scalar(random));
        calls.push(match number % 3 {
            // e(aP, bQ) = e(abP, Q).
            0 => Call::IsPairingProductOne(vec![
                (g1.times(&a), g2.times(&b)),
                (g1.times(&(a * b)).negated(), g2),
            ]),
            1 => Call::IsPairingProductOne(vec![(g1.times(&a), g2), (g1, g2.times(&b))]),
            _ => Call::PairingProduct(vec![(g1.times(&a), g2.times(&b))]),
        });
    }
    for number in 0..200 {
        let (factor, of) = (scalar(random), scalar(random));
        calls.push(match number % 4 {
            0 => Call::SumG2(vec![(g2.times(&of), factor)]),
            1 => Call::SumG1(vec![(g1.times(&of), factor), (g1, of), (Point::default(), of)]),
            _ => Call::SumG1(vec![(g1.times(&of), factor)]),
        });
    }
    answers_alike::<Evaluate>(&device, &calls);
}

/// A random scalar, sometimes a small one or the largest.
fn scalar(random: &mut ChaCha8Rng) -> Fr {
    match random.gen_range(0..8) {
        0 => Fr::from(random.gen_range(0..3u64)),
        1 => -Fr::from(1),
        _ => Fr::from(random.gen::<u64>()).pow(&[random.gen_range(2..9)]),
    }
}

/// Every published case of the precompiles that have programs, with their errors.
#[test]
fn published_precompiles() {
    let Some(device) = card_in_sweep() else { return };
    let mut requests = Vec::new();
    for (precompile, name) in [
        (Precompile::G1Add, "add_G1_bls"),
        (Precompile::G1Msm, "msm_G1_bls"),
        (Precompile::G2Add, "add_G2_bls"),
        (Precompile::G2Msm, "msm_G2_bls"),
        (Precompile::PairingCheck, "pairing_check_bls"),
    ] {
        for prefix in ["", "fail-"] {
            let text = of_engine(&format!("vectors/eip2537/{prefix}{name}.json"));
            let cases: serde_json::Value = serde_json::from_str(&text).unwrap();
            for case in cases.as_array().unwrap() {
                let digits = case["Input"].as_str().unwrap().as_bytes();
                let digit = |digit: u8| (digit as char).to_digit(16).unwrap() as u8;
                let input = digits.chunks(2).map(|two| digit(two[0]) << 4 | digit(two[1]));
                let input: Vec<u8> = input.collect();
                // (Long sums take the card hours.)
                if input.len() < 4096 {
                    requests.push(PrecompileRequest { precompile, input });
                }
            }
        }
    }
    println!("{} cases", requests.len());
    assert!(requests.len() > 90);
    answers_alike::<RunPrecompile>(&device, &requests);
}

/// A key of one input with known secrets, from which proofs are made; every third proof is
/// corrupted.
#[test]
fn proofs() {
    let Some(device) = card_in_sweep() else { return };
    let random = &mut ChaCha8Rng::seed_from_u64(SEED);
    let (g1, g2) = (Point::<G1>::generator(), Point::<G2>::generator());
    let [alpha, beta, gamma, term, input_term] = [2u64, 3, 5, 7, 11].map(Fr::from);
    let one = g1.to_uncompressed();
    let key = [
        g1.times(&alpha).to_uncompressed(),
        one.clone(),
        g2.times(&beta).to_uncompressed(),
        g2.times(&gamma).to_uncompressed(),
        one,
        g2.to_uncompressed(),
        vec![0, 0, 0, 2],
        g1.times(&term).to_uncompressed(),
        g1.times(&input_term).to_uncompressed(),
    ];
    let key = std::sync::Arc::new(VerifyingKey::read(&key.concat()).unwrap());
    let requests: Vec<ProofRequest> = (0..20)
        .map(|number| {
            let (a, b, input) = (scalar(random), scalar(random), scalar(random));
            let x = term + input_term * input;
            let c = a * b - alpha * beta - x * gamma;
            let points = [
                g1.times(&a).to_compressed(),
                g2.times(&b).to_compressed(),
                g1.times(&c).to_compressed(),
            ];
            let mut proof = points.concat();
            if number % 6 == 5 {
                proof[random.gen_range(0..192)] ^= 1 << random.gen_range(0..8);
            }
            let input = if number % 6 == 2 { input + Fr::from(1) } else { input };
            ProofRequest { key: key.clone(), proof, inputs: vec![input] }
        })
        .collect();
    let valid = VerifyProof::compute_batch(&requests).iter().filter(|reply| reply.is_ok()).count();
    assert!((1..20).contains(&valid), "{valid} valid proofs");
    answers_alike::<VerifyProof>(&device, &requests);
}

/// A map has no program: it goes to the fallback, and without one it is an error.
#[test]
fn what_has_no_program() {
    let Some(device) = card() else { return };
    let calls = vec![Call::AddG1(vec![Point::generator()]), Call::MapG1(vec![3; 48])];
    let error = Execute::<Evaluate>::execute(&device, &calls).unwrap_err();
    assert!(error.to_string().contains("no program maps"), "{error}");
    drop(device);
    let device = Device::open_with_fallback("sim", &Options::default(), Device::cpu()).unwrap();
    let answered = Execute::<Evaluate>::execute(&device, &calls).unwrap();
    assert_eq!(answered.timing.fallback_requests, 1);
    assert_eq!(answered.replies, Evaluate::compute_batch(&calls));
}
