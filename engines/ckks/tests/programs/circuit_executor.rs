// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Circuits on executors: the processor, and a place behind a pipe of bytes, give the bits of the
//! server's own code, and ciphertexts stay there from the inputs to the result.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::pipe::Pipe;
use halimede_ckks::circuit::Input;
use halimede_ckks::executor::{
    CiphertextHandle, ExecutorError, ProcessorPrograms, ProgramExecutor, ProgramServer,
};
use halimede_ckks::linear::BlockMatrix;
use halimede_ckks::params::{ChainShape, SecretKind};
use halimede_ckks::{
    Accuracy, Bound, Ciphertext, CircuitError, Client, Complex, Diagonals, DryServer, Expression,
    Parameters, Plan, Polynomial, Server, Sign, Values,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const SLOTS: usize = 512;

fn go_on(_: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Checks that results and their metadata are the same to the last bit.
fn assert_same(ours: &Ciphertext, expected: &Ciphertext, what: &str) {
    assert_eq!((ours.owner(), ours.level()), (expected.owner(), expected.level()), "{what}");
    assert_eq!((ours.scale(), ours.bound()), (expected.scale(), expected.bound()), "{what}");
    assert_eq!(ours.length(), expected.length(), "{what}");
    let bits = [ours, expected].map(Ciphertext::precision_bits);
    assert!((bits[0] - bits[1]).abs() < 0.05, "{what}: {bits:?}");
    for (ours, expected) in ours.parts().iter().zip(expected.parts()) {
        assert_eq!(ours.basis(), expected.basis(), "{what}");
        assert!(ours.limbs().eq(expected.limbs()), "{what}");
    }
}

/// Real values in an interval.
fn values(rng: &mut ChaCha8Rng, count: usize, (low, high): (f64, f64)) -> Vec<f64> {
    (0..count).map(|_| rng.gen_range(low..high)).collect()
}

fn plan_of(
    expression: &Expression,
    parameters: &Parameters,
    inputs: &[(&str, &Ciphertext)],
) -> Plan {
    let described = inputs.iter().map(|(name, a)| ((*name).to_owned(), Input::from(*a)));
    let described: BTreeMap<String, Input> = described.collect();
    Plan::new(expression, parameters, &described).unwrap()
}

/// Runs a plan on both executors, twice each, against the server's own code.
fn check(server: &Arc<Server>, plan: &Plan, inputs: &[(&str, &Ciphertext)]) -> Ciphertext {
    let expected = server.run_plan(plan, inputs, |_| {}).unwrap();
    let pipe = Arc::new(Pipe::open(server.parameters()));
    let processor: Arc<dyn ProgramExecutor> = Arc::new(ProcessorPrograms::new(server.parameters()));
    for executor in [processor, pipe.clone()] {
        let remote = ProgramServer::new(Arc::clone(server), executor);
        let handles = inputs.iter().map(|(name, a)| (*name, remote.upload(a).unwrap()));
        let handles: Vec<(&str, CiphertextHandle)> = handles.collect();
        let given: Vec<(&str, &CiphertextHandle)> =
            handles.iter().map(|(name, handle)| (*name, handle)).collect();
        for _ in 0..2 {
            let mut steps = Vec::new();
            let progress = |step| {
                steps.push(step);
                ControlFlow::Continue(())
            };
            let result = remote.run_plan(plan, &given, progress).unwrap();
            assert!(steps.into_iter().eq(0..plan.steps().len()));
            assert_eq!(result.level(), expected.level());
            assert_same(&remote.download(&result).unwrap(), &expected, "on an executor");
        }
        // The second run used the programs of the first.
        let recorded = remote.programs().len();
        assert!(recorded <= plan.steps().len() + 1, "{recorded}");
        let computed = remote.compute_plan(plan, inputs, go_on).unwrap();
        assert_same(&computed, &expected, "there and back");
        assert_eq!(remote.programs().len(), recorded);
    }
    // Only results came back, and nothing is left there.
    assert_eq!((pipe.kept(), pipe.downloads()), (0, 3));
    expected
}

#[test]
fn a_circuit_with_bootstraps_matrices_and_vectors() {
    let parameters = Parameters::preset("n10-boot-insecure").unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(71);
    let mut client = Client::of_test(&parameters, 72);
    let [x, y] = [(); 2].map(|()| values(&mut rng, SLOTS, (-1.0, 1.0)));
    let ciphertexts = [&x, &y].map(|of| {
        client.encrypt_at(Values::from(of).bounded(Bound::between(-1.0, 1.0)), 2).unwrap()
    });
    let weights = values(&mut rng, SLOTS, (-1.0, 1.0));
    let weights: Vec<Complex> = weights.into_iter().map(Complex::from).collect();
    let diagonals = [0i64, 1, 8].map(|step| {
        let diagonal = values(&mut rng, SLOTS, (-0.3, 0.3));
        (step, diagonal.into_iter().map(Complex::from).collect::<Vec<_>>())
    });
    let matrix = Diagonals::new(SLOTS, diagonals).unwrap();
    let (a, b) = (Expression::input("x"), Expression::input("y"));
    let mixed = a.rotate(1) * 0.5 + a.rotate(3) * &weights - b.linear_transform(matrix);
    let function = mixed.between(-2.0, 2.0).map(f64::tanh, Accuracy::Degree(3));
    let whole = (&function * &a - 3 * b.mean()) * Complex::new(0.0, 2.0) + weights.as_slice();
    let whole = (whole.conjugate() * &function).bounded(4.0);
    let whole = &whole * &whole + whole.rotate(2) - 0.25;
    let inputs = [("x", &ciphertexts[0]), ("y", &ciphertexts[1])];
    let plan = plan_of(&whole, &parameters, &inputs);
    assert!(plan.bootstraps() > 0);
    let server = Arc::new(client.server(&plan.operations()));
    let dry = DryServer::for_plan(&plan, false);
    let (without_words, program) = dry.record_plan(&plan).unwrap();
    let result = check(&server, &plan, &inputs);
    assert_eq!(client.decrypt(&result).unwrap().len(), SLOTS);
    // The program that was recorded without arithmetic, before anything was computed, equals the
    // server's work.
    assert_eq!((without_words.level(), without_words.bound()), (result.level(), result.bound()));
    let record = |server: &Server| Ok(vec![server.run_plan(&plan, &inputs, |_| {})?]);
    let (_, expected) = server.record(&[&ciphertexts[0], &ciphertexts[1]], &[], record).unwrap();
    assert!(program == expected, "{}\n{}", program.counts(), expected.counts());
    // The keys of another form of bootstraps, and a program for them.
    let few = DryServer::for_plan(&plan, true);
    assert!(few.record_plan(&plan).unwrap().1 != program);
}

#[test]
fn polynomials_of_blocks_between_bootstraps() {
    let parameters = Parameters::preset("n10-boot-insecure").unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(78);
    let mut client = Client::of_test(&parameters, 79);
    let plain = values(&mut rng, 64, (-1.0, 1.0));
    let ciphertext = client.encrypt_at(Values::from(&plain).bounded(Bound::real(1.0)), 2).unwrap();
    let mut layer = |x: &Expression, block: usize| {
        // Constants differ and linear terms do not.
        let polynomials = (0..4).map(|_| {
            let [c, d] = [values(&mut rng, 3, (-0.2, 0.2)), vec![0.3]];
            Polynomial::chebyshev(&[&c[..1], &d, &c[1..]].concat(), (-1.0, 1.0)).unwrap()
        });
        x.evaluate_blocks(polynomials.collect(), block).between(-1.0, 1.0)
    };
    let first = layer(&Expression::input("x"), 16);
    let second = layer(&first, 2);
    let whole = layer(&(second * 0.5 + &first * 0.25), 8);
    let inputs = [("x", &ciphertext)];
    let plan = plan_of(&whole, &parameters, &inputs);
    assert!(plan.bootstraps() > 0);
    let server = Arc::new(client.server(&plan.operations()));
    let (_, program) = DryServer::for_plan(&plan, false).record_plan(&plan).unwrap();
    check(&server, &plan, &inputs);
    let record = |server: &Server| Ok(vec![server.run_plan(&plan, &inputs, |_| {})?]);
    let (_, expected) = server.record(&[&ciphertext], &[], record).unwrap();
    assert!(program == expected, "{}\n{}", program.counts(), expected.counts());
    // Numbers of 64 slots are stored as 128 residues per prime, those of 8 as 16.
    let constants = program.externals.iter().filter(|of| of.name.starts_with("constant"));
    let runs: BTreeSet<usize> = constants.map(|of| of.run).collect();
    assert_eq!(runs, BTreeSet::from([8, 16, 64]));
}

/// Parameters with many levels, without bootstraps.
fn deep() -> Parameters {
    let shape = ChainShape { log_degree: 10, base_units: 12, steps: vec![8; 12], digits: 4 };
    Parameters::insecure(shape, SecretKind::Ternary).unwrap()
}

/// Two rows of three blocks, one of which is absent.
#[test]
fn a_matrix_of_blocks() {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(76);
    let mut client = Client::of_test(&parameters, 77);
    let mut block = |steps: [i64; 3]| {
        let diagonals = steps.map(|step| {
            let diagonal = values(&mut rng, SLOTS, (-0.3, 0.3));
            (step, diagonal.into_iter().map(Complex::from).collect::<Vec<_>>())
        });
        Some(Arc::new(Diagonals::new(SLOTS, diagonals).unwrap()))
    };
    let first = vec![block([0, 1, 17]), block([2, 3, 64]), block([1, 66, 511])];
    let matrix = BlockMatrix::new(vec![first, vec![block([0, 2, 65]), None, block([3, 4, 5])]]);
    let names = ["x", "y", "z"];
    let ciphertexts = names.map(|_| {
        let plain = values(&mut rng, SLOTS, (-1.0, 1.0));
        client.encrypt_at(Values::from(&plain).bounded(Bound::real(1.0)), 3).unwrap()
    });
    let inputs: Vec<(&str, &Ciphertext)> = names.into_iter().zip(&ciphertexts).collect();
    let products = Expression::block_transform(&names.map(Expression::input), matrix.unwrap());
    let plan = plan_of(&(&products[0] * &products[1]), &parameters, &inputs);
    let server = Arc::new(client.server(&plan.operations()));
    check(&server, &plan, &inputs);
}

#[test]
fn functions_sums_and_vectors_that_do_not_fill_their_slots() {
    let parameters = deep();
    let mut rng = ChaCha8Rng::seed_from_u64(73);
    let mut client = Client::of_test(&parameters, 74);
    let sign = Sign::new(2.0, 0.2, 1e-2).unwrap();
    let interval = (0.2, 1.1);
    for length in [SLOTS, 300] {
        let plain = values(&mut rng, length, (0.25, 1.0));
        let declared = Values::from(&plain).bounded(Bound::between(0.25, 1.0));
        let ciphertext = client.encrypt_at(declared, 12).unwrap();
        let x = Expression::input("x");
        let mut expressions = vec![
            x.sign(&sign),
            x.is_positive(&sign),
            x.relu(&sign),
            x.inverse(interval, 1e-2),
            x.square_root(interval, 1e-2),
            x.inverse_square_root(interval, 1e-2),
            x.sum() - x.mean(),
            x.rotate(5) + x.rotate(-7),
            x.slice(3, 10) * 0.5,
        ];
        if length == SLOTS {
            expressions.push(x.inner_sum(3, 4) + x.replicate(3, 4));
        }
        for expression in expressions {
            let plan = plan_of(&expression, &parameters, &[("x", &ciphertext)]);
            let server = Arc::new(client.server(&plan.operations()));
            check(&server, &plan, &[("x", &ciphertext)]);
        }
    }
}

#[test]
fn what_cannot_be_run_is_said() {
    let parameters = deep();
    let mut client = Client::of_test(&parameters, 75);
    let plain: Vec<f64> = (0..SLOTS).map(|k| k as f64 / 600.0).collect();
    let ciphertext = client.encrypt_at(&plain, 3).unwrap();
    let expression = (Expression::input("x") * Expression::input("x")).labeled("the square") + 1.0;
    let plan = plan_of(&expression, &parameters, &[("x", &ciphertext)]);
    let server = Arc::new(client.server(&plan.operations()));
    let remote = ProgramServer::new(Arc::clone(&server), Arc::new(Pipe::open(&parameters)));
    let handle = remote.upload(&ciphertext).unwrap();
    let break_off = |step| if step == 1 { ControlFlow::Break(()) } else { go_on(step) };
    let steps = plan.steps().len();
    assert_eq!(
        remote.run_plan(&plan, &[("x", &handle)], break_off).err(),
        Some(CircuitError::Stopped { done: 2, steps }.into())
    );
    let lower = remote.upload(&server.at_level(&ciphertext, 2).unwrap()).unwrap();
    for inputs in [vec![], vec![("y", &handle)], vec![("x", &lower)]] {
        let given: Vec<(&str, Ciphertext)> =
            inputs.iter().map(|(name, handle)| (*name, remote.download(handle).unwrap())).collect();
        let given: Vec<(&str, &Ciphertext)> = given.iter().map(|(name, a)| (*name, a)).collect();
        let expected = server.run_plan(&plan, &given, |_| {}).err().map(ExecutorError::from);
        assert!(expected.is_some());
        assert_eq!(remote.run_plan(&plan, &inputs, go_on).err(), expected);
    }
    // Without the key for products nothing is computed.
    let none = Arc::new(client.server(&Default::default()));
    let without =
        ProgramServer::new(Arc::clone(&none), Arc::new(ProcessorPrograms::new(&parameters)));
    let handle = without.upload(&ciphertext).unwrap();
    let error = without.run_plan(&plan, &[("x", &handle)], |_| panic!("a step was done")).err();
    assert_eq!(error, none.check_plan(&plan).err().map(ExecutorError::from));
    // A ciphertext of another secret key.
    let mut stranger = Client::of_test(&parameters, 76);
    let other = ProgramServer::new(
        Arc::new(stranger.server(&plan.operations())),
        Arc::new(ProcessorPrograms::new(&parameters)),
    );
    let error = other.run_plan(&plan, &[("x", &handle)], go_on).err().unwrap().to_string();
    assert!(error.contains("under the secret key"), "{error}");
}
