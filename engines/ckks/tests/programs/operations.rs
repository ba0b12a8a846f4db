// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs of operations on ciphertexts, replayed with other inputs on every backend.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::setting::Setting;
use halimede_arith::EngineBackend;
use halimede_ckks::ring::{LaneBackend, Operation, Program, ProgramError, Ring, Role, Step};
use halimede_ckks::{
    Ciphertext, CircuitError, Client, Complex, Diagonals, DryServer, LinearTransform, Operations,
    Parameters, Server,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The recorded work.
type Work<'a> = dyn Fn(&Server, &[&Ciphertext]) -> Result<Vec<Ciphertext>, CircuitError> + 'a;

/// Returns a ring as that of the parameters on each backend.
fn rings(parameters: &Parameters) -> Vec<Ring> {
    let ring = parameters.ring();
    let primes: Vec<u32> = ring.moduli(&ring.all()).iter().map(|prime| prime.value()).collect();
    let of = |level| Ring::new(ring.log_degree(), &primes, level).unwrap();
    LaneBackend::available().map(of).collect()
}

/// Returns ciphertexts of random values at a level, repeated over the slots if there are fewer
/// values.
fn encrypted(client: &mut Client, count: usize, slots: usize, level: usize) -> Vec<Ciphertext> {
    let mut rng = ChaCha8Rng::seed_from_u64(count as u64 + 1000 * level as u64);
    let mut part = || rng.gen_range(-0.7..0.7);
    let mut seal = || {
        let values: Vec<Complex> = (0..slots).map(|_| Complex::new(part(), part())).collect();
        client.encrypt_at(&values, level).unwrap()
    };
    (0..count).map(|_| seal()).collect()
}

/// Records work on half of the inputs, and replays it with these and the other half on every
/// backend, against the work itself.
fn check(
    server: &Server,
    inputs: &[Ciphertext],
    matrices: &[&LinearTransform],
    work: &Work,
) -> Program {
    let (recorded, others) = inputs.split_at(inputs.len() / 2);
    let [recorded, others] = [recorded, others].map(|all| all.iter().collect::<Vec<_>>());
    let record = || server.record(&recorded, matrices, |server| work(server, &recorded)).unwrap();
    let (results, program) = record();
    assert_eq!(record().1, program, "the same work gives the same program");
    assert_eq!(Program::from_json(&program.to_json()).unwrap(), program);
    check_dry(server, &recorded, matrices, work, (&results, &program));
    let expected = work(server, &others).unwrap();
    for ring in rings(server.parameters()) {
        for (inputs, expected) in [(&recorded, &results), (&others, &expected)] {
            let replayed = server.replay(&ring, &program, inputs, matrices).unwrap();
            assert_eq!(replayed.len(), expected.len());
            for (ours, expected) in replayed.iter().zip(expected) {
                for (ours, expected) in ours.iter().zip(expected.parts()) {
                    assert_eq!(ours.basis(), expected.basis());
                    assert!(ours.limbs().eq(expected.limbs()), "on {}", ring.backend());
                }
            }
        }
    }
    program
}

/// Records the same work without arithmetic: the program is the same, and so are the metadata of
/// the results.
fn check_dry(
    server: &Server,
    inputs: &[&Ciphertext],
    matrices: &[&LinearTransform],
    work: &Work,
    (results, program): (&[Ciphertext], &Program),
) {
    let dry = DryServer::of(server);
    let inputs = dry.like(inputs);
    let inputs: Vec<&Ciphertext> = inputs.iter().collect();
    if server.check_bootstrap_of(inputs[0].slots()).is_ok() {
        dry.server().prepare_bootstrap_of(inputs[0].slots()).unwrap();
    }
    let recorded = dry.record(&inputs, matrices, |server| work(server, &inputs)).unwrap();
    assert_eq!(recorded.1, *program);
    for (ours, expected) in recorded.0.iter().zip(results) {
        assert_eq!(
            (ours.level(), ours.scale(), ours.length(), ours.bound()),
            (expected.level(), expected.scale(), expected.length(), expected.bound())
        );
        let bits = [ours, expected].map(Ciphertext::precision_bits);
        assert!((bits[0] - bits[1]).abs() < 0.05, "{bits:?}");
        assert!(ours.parts().iter().all(|part| part.limbs().len() == 0));
    }
}

fn count(trace: &Program, is: impl Fn(&Step) -> bool) -> usize {
    trace.steps.iter().filter(|step| is(step)).count()
}

#[test]
fn products_rescalings_and_sums() {
    let mut setting = Setting::new("n10-insecure", &[]);
    let top = setting.client.parameters().top();
    for level in [top, 1] {
        let inputs = encrypted(&mut setting.client, 4, 512, level);
        let server = &setting.server;
        let trace = check(server, &inputs, &[], &|server, x| Ok(vec![server.mul(x[0], x[1])?]));
        assert_eq!(count(&trace, |step| step.operation == Operation::KeyProduct), 2);
        let keys = trace.externals.iter().filter(|external| external.role == Role::Key);
        assert!(keys.clone().all(|key| key.name.starts_with("key for products, digit ")));
        assert_eq!(keys.count() % 2, 0);
        let square = check(server, &inputs[1..3], &[], &|server, x| {
            Ok(vec![server.mul(x[0], x[0])?, server.add(x[0], x[0])?])
        });
        assert_eq!(square.outputs.len(), 4);
        let rescale =
            check(server, &inputs[..2], &[], &|server, x| Ok(vec![server.rescale(x[0])?]));
        assert!(rescale.externals.iter().all(|external| external.role == Role::Input));
        check(server, &inputs, &[], &|server, x| {
            let lower = server.at_level(x[1], level - 1)?;
            let sum = server.sub(&server.mul_number(x[0], Complex::new(0.3, -1.5))?, &lower)?;
            let sum = server.mul_by_i(&server.mul_integer(&server.neg(&sum)?, -3)?)?;
            Ok(vec![server.add_number(&sum, Complex::new(-0.25, 0.5))?, x[1].clone()])
        });
    }
}

#[test]
fn polynomials() {
    let mut setting = Setting::new("n10-insecure", &[]);
    let top = setting.client.parameters().top();
    let inputs = [(); 2].map(|()| setting.real_pair(512, top, (-1.0, 1.0)).ciphertext);
    let p =
        halimede_ckks::Polynomial::chebyshev(&[0.3, 1.0, -0.5, 0.25, 0.0, 2.0, 1.5], (-1.0, 1.0));
    let p = p.unwrap();
    check(&setting.server, &inputs, &[], &|server, x| Ok(vec![server.evaluate(x[0], &p)?]));
}

#[test]
fn rotations_and_what_they_are_composed_of() {
    let mut setting = Setting::new("n10-insecure", &[1, 4, -2]);
    let inputs = encrypted(&mut setting.client, 2, 512, 3);
    let server = &setting.server;
    let trace = check(server, &inputs, &[], &|server, x| {
        Ok(vec![server.rotate(x[0], 4)?, server.conjugate(x[0])?])
    });
    assert!(trace.notes.is_empty());
    let exponents = trace.steps.iter().filter_map(|step| match step.operation {
        Operation::Permute { exponent } => Some(exponent),
        _ => None,
    });
    assert_eq!(exponents.collect::<Vec<_>>(), [625, 625, 2047, 2047]);
    // Hoisted: digits are computed once, and once more for the second part of each composed
    // rotation.
    let trace =
        check(server, &inputs, &[], &|server, x| Ok(server.rotate_many(x[0], &[1, 5, -2, -4, 0])?));
    let notes: Vec<(usize, &str)> =
        trace.notes.iter().map(|note| (note.step, note.text.as_str())).collect();
    assert_eq!(notes, [(0, "rotate by 5 = 4 + 1"), (0, "rotate by -4 = -2 + -2")]);
    assert_eq!(count(&trace, |step| step.operation == Operation::KeyProduct), 2 * 6);
    // Fewer values than slots, which are repeated.
    let inputs = encrypted(&mut setting.client, 2, 16, 2);
    check(&setting.server, &inputs, &[], &|server, x| Ok(vec![server.rotate(x[0], 17)?]));
}

#[test]
fn matrices() {
    for preset in ["n10-insecure", "n13-insecure"] {
        let mut setting = Setting::new(preset, &[]);
        let slots = setting.client.parameters().slots();
        // Some diagonals are periodic.
        let periods = [slots, slots / 2, 16, 1, slots, 64, slots / 4, 1, slots];
        let diagonal = |(step, period): (i64, usize)| {
            (5 * step, setting.values(period).repeat(slots / period))
        };
        let diagonals = (0..).zip(periods).map(diagonal).collect::<Vec<_>>();
        let diagonals = Diagonals::new(slots, diagonals).unwrap();
        let transform = LinearTransform::new(setting.client.encoder(), &diagonals, 3).unwrap();
        let operations = Operations { rotations: transform.rotations(), ..Operations::default() };
        let server = setting.client.server(&operations);
        let inputs = encrypted(&mut setting.client, 2, slots, 4);
        let work = |server: &Server, x: &[&Ciphertext]| {
            Ok(vec![server.linear_transform(x[0], &transform)?])
        };
        let trace = check(&server, &inputs, &[&transform], &work);
        let constants = trace.externals.iter().filter(|external| external.role == Role::Constant);
        assert!(constants.clone().all(|of| of.name.starts_with("matrix 0, diagonal ")));
        assert_eq!(constants.clone().count(), 9);
        assert_eq!(constants.filter(|external| external.run == 1).count(), 3);
        // Without the matrix, its diagonals are unknown.
        let (ring, input) = (server.parameters().ring(), [&inputs[0]]);
        let error = server.replay(ring, &trace, &input, &[]).err().unwrap().to_string();
        assert!(error.contains("no polynomial for \"matrix 0, diagonal "), "{error}");
    }
}

#[test]
fn bootstraps() {
    let parameters = Parameters::preset("n10-boot-insecure").unwrap();
    let mut client = Client::of_test(&parameters, 31);
    let traces = [false, true].map(|few_keys| {
        let operations = Operations { bootstrap: true, few_keys, ..Operations::default() };
        let server = client.server(&operations);
        server.prepare_bootstrap().unwrap();
        let inputs = encrypted(&mut client, 2, 512, 0);
        let trace = check(&server, &inputs, &[], &|server, x| Ok(vec![server.bootstrap(x[0])?]));
        let unnamed =
            |name: &str| name.starts_with("constant ") || name[4..].starts_with(char::is_numeric);
        assert!(trace.externals.iter().all(|external| !unnamed(&external.name)));
        let stages: Vec<&str> = trace.notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(stages.len(), 1 + 4 + 1 + 2 + 3);
        assert_eq!((stages[0], stages[10]), ("ModRaise", "SlotToCoeff, a matrix"));
        (server, inputs, trace)
    });
    // Few keys mean more steps and other diagonals, which have different names.
    let [(usual, inputs, trace), (few, _, of_few)] = &traces;
    assert!(of_few.counts().forward_limbs > trace.counts().forward_limbs);
    let keys = |trace: &Program| trace.externals.iter().filter(|of| of.role == Role::Key).count();
    assert!(keys(of_few) < keys(trace));
    for (server, trace) in [(usual, of_few), (few, trace)] {
        let ring = server.parameters().ring();
        let error = server.replay(ring, trace, &[&inputs[0]], &[]).err().unwrap().to_string();
        assert!(error.contains("no polynomial for "), "{error}");
    }
}

#[test]
fn bootstraps_of_few_slots() {
    let parameters = Parameters::preset("n10-boot-insecure").unwrap();
    let mut client = Client::of_test(&parameters, 32);
    let work = |server: &Server, x: &[&Ciphertext]| Ok(vec![server.bootstrap(x[0])?]);
    // Several forms at once, which have different names.
    let servers = [false, true].map(|few_keys| {
        let bootstrap_slots = vec![2, 128];
        (
            few_keys,
            client.server(&Operations {
                bootstrap: true,
                bootstrap_slots,
                few_keys,
                ..Operations::default()
            }),
        )
    });
    let forms = servers.iter().flat_map(|of| [2, 128, 512].map(|slots| (of, slots)));
    for ((few_keys, server), slots) in forms {
        server.prepare_bootstrap_of(slots).unwrap();
        let inputs = encrypted(&mut client, 2, slots, 0);
        let trace = check(server, &inputs, &[], &work);
        let is_key = |name: &str| name.starts_with("key ") || name.starts_with("input ");
        let constants = trace.externals.iter().filter(|external| !is_key(&external.name));
        let form = if slots == 512 { String::new() } else { format!("{slots} slots, ") };
        let form = format!("{}{form}", if *few_keys { "few keys, " } else { "" });
        let named = [format!("{form}CoeffToSlot "), format!("{form}SlotToCoeff ")];
        let spread = format!("{form}angles of slots");
        for constant in constants {
            let name = &constant.name;
            assert!(named.iter().any(|of| name.starts_with(of)) || *name == spread, "{name}");
        }
        let notes = |text: &str| trace.notes.iter().filter(|note| note.text == text).count();
        let is_few = usize::from(slots < 512);
        assert_eq!((notes("SubSum"), notes("EvalMod, a sine")), (is_few, 2 - is_few));
    }
}

#[test]
fn bootstraps_of_two_rounds() {
    let parameters = Parameters::preset("n10-boot-precise-insecure").unwrap();
    let mut client = Client::of_test(&parameters, 33);
    let operations = Operations { bootstrap_slots: vec![8, 512], ..Operations::default() };
    let server = client.server(&operations);
    let work = |server: &Server, x: &[&Ciphertext]| Ok(vec![server.bootstrap(x[0])?]);
    for slots in [8, 512] {
        server.prepare_bootstrap_of(slots).unwrap();
        let inputs = encrypted(&mut client, 2, slots, 0);
        let trace = check(&server, &inputs, &[], &work);
        let notes = |text: &str| trace.notes.iter().filter(|note| note.text == text).count();
        for (text, times) in [("the first round", 1), ("ModRaise", 2), ("the sum of both", 1)] {
            assert_eq!(notes(text), times, "{text}");
        }
        assert!(trace.externals.iter().all(|external| !external.name.starts_with("constant ")));
    }
}

#[test]
fn the_number_of_threads_does_not_show() {
    let mut setting = Setting::new("n10-insecure", &[1]);
    let inputs = encrypted(&mut setting.client, 2, 512, 3);
    let server = &setting.server;
    let record = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let inputs: Vec<&Ciphertext> = inputs.iter().collect();
            let work =
                |server: &Server| Ok(vec![server.rotate(&server.mul(inputs[0], inputs[1])?, 1)?]);
            server.record(&inputs, &[], work).unwrap().1
        })
    };
    assert_eq!(record(1), record(4));
}

#[test]
fn what_several_threads_do_at_once_is_in_an_order_in_which_it_can_be_replayed() {
    let mut setting = Setting::new("n10-insecure", &[1]);
    let inputs = encrypted(&mut setting.client, 4, 512, 4);
    let server = &setting.server;
    let inputs: Vec<&Ciphertext> = inputs.iter().collect();
    let chain = |a: &Ciphertext, b: &Ciphertext| {
        let product = server.mul(a, b)?;
        server.add(&server.rotate(&product, 1)?, &product)
    };
    let (results, trace) = server
        .record(&inputs, &[], |_| {
            let (first, second) = rayon::join(
                || std::thread::scope(|s| s.spawn(|| chain(inputs[0], inputs[1])).join().unwrap()),
                || chain(inputs[2], inputs[3]),
            );
            Ok(vec![first?, second?])
        })
        .unwrap();
    let replayed = server.replay(server.parameters().ring(), &trace, &inputs, &[]).unwrap();
    for (ours, expected) in replayed.iter().zip(&results) {
        for (ours, expected) in ours.iter().zip(expected.parts()) {
            assert!(ours.limbs().eq(expected.limbs()));
        }
    }
}

#[test]
fn inputs_and_rings_that_do_not_fit() {
    let mut setting = Setting::new("n10-insecure", &[]);
    let inputs = encrypted(&mut setting.client, 2, 512, 3);
    let lower = encrypted(&mut setting.client, 1, 512, 2);
    let server = &setting.server;
    let x = &inputs[0];
    let (_, trace) = server.record(&[x], &[], |server| Ok(vec![server.mul(x, x)?])).unwrap();
    let ring = server.parameters().ring();
    let refused = |server: &Server, ring: &Ring, inputs: &[&Ciphertext]| {
        server.replay(ring, &trace, inputs, &[]).err().unwrap().to_string()
    };
    let error = refused(server, ring, &[]);
    assert_eq!(error, "no polynomial for \"input 0, part 0\", which the program needs");
    let error = refused(server, ring, &[&lower[0]]);
    assert!(error.contains("lacks primes"), "{error}");
    let other = Parameters::preset("n13-insecure").unwrap();
    let error = refused(server, other.ring(), &[x]);
    assert!(error.starts_with("the program is not of this ring: it has N = 1024"), "{error}");
    let mut client = Client::of_test(&other, 3);
    let foreign = client.encrypt_at(&[Complex::from(1.0)], 2).unwrap();
    let error = refused(server, ring, &[&foreign]);
    assert!(error.contains("another N"), "{error}");
    let keyless = client.server(&Operations::default());
    let error = refused(&keyless, ring, &[x]);
    assert!(error.contains("no polynomial for \"key for products, digit "), "{error}");
    // An operation that fails leaves no recording behind.
    let failed = server.record(&[x], &[], |server| Ok(vec![server.rotate(x, 1)?])).err().unwrap();
    assert!(failed.to_string().contains("rotate by 1"), "{failed}");
    server.mul(x, x).unwrap();
    assert!(!ring.is_recording());
    // A value computed during the recording is not an input.
    let made = server.record(&[], &[], |server| Ok(vec![server.rescale(x)?])).unwrap();
    assert!(made.1.externals.iter().all(|external| external.role == Role::Constant));
    let recording = ring.start_recording();
    let square = server.mul(x, x).unwrap();
    let trace = recording.end();
    let input = ("square".to_owned(), square.parts()[0]);
    let error = trace.clone().identified(std::slice::from_ref(&input), [], &[]).err().unwrap();
    assert_eq!(error, ProgramError::NoInput { name: "square".into() });
    let output = ("lower".to_owned(), lower[0].parts()[0]);
    let error = trace.identified(&[], [], &[output]).err().unwrap();
    assert_eq!(error, ProgramError::NoOutput { name: "lower".into() });
}
