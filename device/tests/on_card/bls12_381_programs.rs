// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The coprocessor of BLS12-381 on a simulated card of its own: programs and requests as the processor
//! answers them, beside each other, and what the card leaves to its fallback.
//!
//! Whole pairings take millions of clocks each: they are in the sweep.

use std::fmt::Debug;
use std::num::NonZeroU32;

use halimede_arith::job::{Compute, Execute, Operation};
use halimede_bls12_381::coprocessor::isa::Fault;
use halimede_bls12_381::coprocessor::{assemble, ErrorWord};
use halimede_bls12_381::eip2537::Precompile;
use halimede_bls12_381::operations::{
    Call, End, Evaluate, Outcome, PrecompileRequest, ProgramError, ProgramRequest, RunPrecompile,
    RunProgram,
};
use halimede_bls12_381::{Fr, Point, G1, G2};
use halimede_device::simulator;
use halimede_device::{Device, Options};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::lone_simulator;

const SEED: u64 = 20_261_126;

fn card() -> Option<Device> {
    let options = lone_simulator(RunProgram::NAME)?;
    let device = Device::open_with("sim", &Options::default().simulator(options)).unwrap();
    assert!(device.capabilities().has::<RunProgram>(), "the card has no coprocessor");
    Some(device)
}

fn program(text: &str, limit: u32) -> ProgramRequest {
    let program = assemble(text).unwrap().program;
    ProgramRequest { program, limit: NonZeroU32::new(limit).unwrap() }
}

/// Without the clocks, which a processor does not have.
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
        program(&".data 0 SCALAR 9\nSEND_INTERRUPT 0, 1\n".repeat(1), 9),
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
    // (0, 2) is a point of the curve outside of the group.
    let mut input = vec![0; 160];
    input[127] = 2;
    requests.push(PrecompileRequest { precompile: Precompile::G1Msm, input });
    answers_alike::<RunPrecompile>(&device, &requests);
}

/// A map has no program: it goes to the fallback, and without one is told in words.
#[test]
fn what_has_no_program() {
    let Some(device) = card() else { return };
    let calls = vec![Call::AddG1(vec![Point::generator()]), Call::MapG1(vec![3; 48])];
    let error = Execute::<Evaluate>::execute(&device, &calls).unwrap_err();
    assert!(error.to_string().contains("no program maps"), "{error}");
    drop(device);
    let options = Options::default().simulator(simulator::of_operation(Evaluate::NAME));
    let device = Device::open_with_fallback("sim", &options, Device::cpu()).unwrap();
    let answered = Execute::<Evaluate>::execute(&device, &calls).unwrap();
    assert_eq!(answered.timing.fallback_requests, 1);
    assert_eq!(answered.replies, Evaluate::compute_batch(&calls));
}
