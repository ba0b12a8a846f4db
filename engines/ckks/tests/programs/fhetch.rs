// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Traces of others' format: they are replayed from the text alone, and reach the bits of the
//! processor; damaged ones are rejected.
#![allow(clippy::unwrap_used, clippy::panic)]

use halimede_arith::{EngineBackend, LaneBackend};
use halimede_ckks::fhetch::{FhetchError, Port, Trace};
use halimede_ckks::ring::{Named, Polynomial, Program, Repeated};
use halimede_ckks::{Ciphertext, Client, Complex, Operations, Parameters, Server};
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::replay::{inputs, named, record, ring};

/// Writes and reads a program as text, replays the text with polynomials, and compares the outputs
/// with those of the processor.
fn check(program: &Program, given: &[Named<'_>], expected: &[Polynomial]) {
    let trace = Trace::of_program(program).unwrap();
    let text = trace.to_text();
    let read = Trace::parse(&text).unwrap();
    assert_eq!(read, trace);
    let outputs = read.replay(|port| limb(program, given, port, &read)).unwrap();
    let limbs: Vec<&[u32]> = expected.iter().flat_map(Polynomial::limbs).collect();
    assert_eq!(outputs.len(), limbs.len());
    for (port, (ours, limb)) in read.outputs.iter().zip(outputs.iter().zip(limbs)) {
        assert!(
            ours.iter().eq(limb.iter().map(|value| u64::from(*value)).collect::<Vec<_>>().iter()),
            "{port:?}"
        );
    }
}

/// The residues of an input, with repetitions written out.
fn limb(program: &Program, given: &[Named<'_>], port: &Port, trace: &Trace) -> Option<Vec<u64>> {
    let (_, polynomial) = given.iter().find(|(name, _)| *name == port.name)?;
    let modulus = trace.moduli[port.modulus];
    let place = program.primes.iter().position(|prime| u64::from(prime.modulus) == modulus)?;
    let limb = polynomial.limb(polynomial.basis().limb_of(place as u16)?);
    let run = program.degree / limb.len();
    let repeated = limb.iter().flat_map(|value| std::iter::repeat_n(u64::from(*value), run));
    Some(repeated.collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_program_has_the_same_bits(seed in any::<u64>(), kinds in 1usize..60) {
        let ring = ring(LaneBackend::active());
        let inputs = inputs(&ring, seed);
        let (outputs, program) = record(&ring, &inputs, seed, kinds);
        let mut given = named("in", &inputs.polynomials);
        given.extend(named("factor", inputs.factors.iter().map(Repeated::values)));
        check(&program, &given, &outputs);
    }

    #[test]
    fn damaged_traces_are_refused_or_replayed(seed in any::<u64>()) {
        let ring = ring(LaneBackend::active());
        let inputs = inputs(&ring, seed);
        let (_, program) = record(&ring, &inputs, seed, 20);
        let mut text: Vec<u8> = Trace::of_program(&program).unwrap().to_text().into();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..rng.gen_range(1..4) {
            let at = rng.gen_range(0..text.len());
            match rng.gen_range(0..3) {
                0 => text[at] = b"0123456789%=,m x\n"[rng.gen_range(0..17)],
                1 => drop(text.remove(at)),
                _ => text.insert(at, b"0123456789%=,m x\n"[rng.gen_range(0..17)]),
            }
        }
        if let Ok(trace) = Trace::parse(&String::from_utf8(text).unwrap()) {
            if trace.degree <= 1 << 10 {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let _ = trace.replay(|port| {
                    let q = trace.moduli[port.modulus].max(1);
                    Some((0..trace.degree).map(|_| rng.gen_range(0..q)).collect())
                });
            }
        }
    }
}

#[test]
fn products_and_rotations_have_the_same_bits() {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let mut client = Client::new(&parameters).unwrap();
    let operations = Operations { multiply: true, rotations: vec![1], ..Operations::default() };
    let server = client.server(&operations);
    let mut encrypted = || {
        let values: [f64; 4] =
            std::array::from_fn(|k| rand::thread_rng().gen_range(-1.0..1.0) / (k + 1) as f64);
        client.encrypt_at(&values, 2).unwrap()
    };
    let [x, y, z] = std::array::from_fn(|_| encrypted());
    let work = |x: &Ciphertext, y: &Ciphertext| {
        let (x, y) = (x.clone(), y.clone());
        move |server: &Server| {
            let product = server.mul(&x, &y)?;
            Ok(vec![server.add_number(&server.rotate(&product, 1)?, Complex::new(0.5, -0.25))?])
        }
    };
    let (results, program) = server.record(&[&x, &y], &[], work(&x, &y)).unwrap();
    let others = work(&y, &z)(&server).unwrap();
    let text = Trace::of_program(&program).unwrap().to_text();
    let trace = Trace::parse(&text).unwrap();
    for (inputs, expected) in [([&x, &y], &results[0]), ([&y, &z], &others[0])] {
        let limbs = server.replay_trace(&trace, &inputs, &[]).unwrap();
        let expected = expected.parts().into_iter().flat_map(Polynomial::limbs);
        let expected: Vec<Vec<u64>> =
            expected.map(|limb| limb.iter().map(|value| u64::from(*value)).collect()).collect();
        assert!(limbs == expected);
    }
    assert!(matches!(server.replay_trace(&trace, &[&x], &[]), Err(FhetchError::Input { .. })));
}

#[test]
fn faults_are_named() {
    let head = "# halimede degree 2\nmodulus_count 2\nm[0] 0xFFFFFFFFFFFFFFFF\nm[1] 0x5\n";
    for (line, reason) in [
        ("sr_addq %1, %2, %3, m=1", "the operation sr_addq is not supported"),
        ("sr_addp %1, %2, m=1", "expected an address such as %1, got m=1"),
        ("sr_addp %1, %2, %3, m=1, m=1", "sr_addp has too many arguments"),
        ("sr_addp %1, %2, %3, m=2", "expected a modulus of the table"),
        ("sr_addp %1, %2, 3, m=1", "expected an address such as %1, got 3"),
        ("sr_mulps %1, %2, 18446744073709551616, m=1", "expected a number below 2^64"),
        ("sr_ntt %1, %2, m=1", "sr_ntt needs omega="),
        ("m[1] 0x7", "expected the modulus m[2]"),
        ("m[2] 0x1", "the modulus 1 is not from 2"),
        ("m[2] 0xFFFFFFFFFFFFFFFF", "m[0], and no other"),
        ("# halimede degree 4", "the degree must be given once"),
        ("# halimede input %1 m=1 values", "this remark is too short"),
        ("# halimede input %1 m=1 letters a", "expected coefficients or values"),
        ("# halimede else", "the remark else is unknown"),
    ] {
        match Trace::parse(&format!("{head}{line}\n")) {
            Err(FhetchError::Line { line: 5, reason: got }) => {
                assert!(got.contains(reason), "{line}: {got}");
            }
            other => panic!("{line}: {other:?}"),
        }
    }
    assert_eq!(Trace::parse("halt"), Err(FhetchError::NoDegree));
    let ports = "# halimede input %1 m=1 values a\n# halimede output %2 m=1 values b\n";
    for (line, reason) in [
        ("", "nothing wrote this output"),
        ("sr_addp %2, %1, %3, m=1", "nothing wrote %3 before"),
        ("sr_addp %2, %1, %1, m=0", "needs a modulus"),
        ("sr_ntt %2, %1, m=1, omega=4", "4 is not a primitive root"),
        ("sr_automorph_eval %2, %1, k=2, m=0", "the exponent 2 is not odd"),
        ("sr_rot_automorph_coeff %2, %1, offset=2, m=1", "the offset is not below N"),
    ] {
        let trace = Trace::parse(&format!("{head}{ports}{line}\nhalt\n")).unwrap();
        let error = trace.replay(|_| Some(vec![1, 4])).unwrap_err().to_string();
        assert!(error.contains(reason), "{line}: {error}");
    }
    let trace = Trace::parse(&format!("{head}{ports}sr_negp %2, %1, m=1")).unwrap();
    assert_eq!(trace.replay(|_| Some(vec![1, 0])).unwrap(), [[4, 0]]);
    for wrong in [None, Some(vec![1]), Some(vec![1, 5])] {
        assert!(matches!(
            trace.replay(|_| wrong.clone()),
            Err(FhetchError::Input { address: 1, .. })
        ));
    }
}
