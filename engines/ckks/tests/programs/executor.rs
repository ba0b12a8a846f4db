// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on ciphertexts that stay on an executor: the processor, and a second place behind a
//! pipe of bytes, give the residues of the server's own code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::pipe::Pipe;
use crate::setting::Setting;
use crate::test_card::{size, TestCard};
use halimede_ckks::executor::{
    CardSize, CiphertextHandle, ExecutorError, Matrix, Plain, ProcessorPrograms, ProgramConstants,
    ProgramExecutor, ProgramPlace, ProgramServer, Resident, Routine,
};
use halimede_ckks::ring::{self, Program};
use halimede_ckks::{
    BlockPolynomials, Ciphertext, CircuitError, Client, Complex, Diagonals, EvaluationError,
    LinearTransform, Operations, Parameters, Polynomial, Server, Values,
};

/// Operations with their own tests: here, and in [`crate::circuit_executor`].
const FUNCTIONS: [&str; 9] = [
    "ckks.sign",
    "ckks.is_positive",
    "ckks.relu",
    "ckks.inverse",
    "ckks.square_root",
    "ckks.inverse_square_root",
    "ckks.bootstrap_within",
    "ckks.bootstrap",
    "ckks.transform_blocks",
];

/// Returns the executors of some parameters.
fn executors(parameters: &Parameters) -> Vec<Arc<dyn ProgramExecutor>> {
    // Room for few limbs: most programs must store some.
    let small = CardSize { log_lanes: 4, slots: 40, ..size(27) };
    let on_card = |card: TestCard| card.place().executor(parameters).unwrap();
    vec![
        Arc::new(ProcessorPrograms::new(parameters)),
        Arc::new(Pipe::open(parameters)),
        on_card(TestCard::of_size(small)),
        on_card(TestCard::new(27)),
    ]
}

/// Checks that two ciphertexts have the same residues and metadata.
fn assert_same(ours: &Ciphertext, expected: &Ciphertext, what: &str) {
    assert_eq!(ours.owner(), expected.owner(), "{what}");
    assert_eq!((ours.level(), ours.scale()), (expected.level(), expected.scale()), "{what}");
    assert_eq!((ours.length(), ours.bound()), (expected.length(), expected.bound()), "{what}");
    let bits = [ours, expected].map(Ciphertext::precision_bits);
    assert!((bits[0] - bits[1]).abs() < 0.05, "{what}: {bits:?}");
    for (ours, expected) in ours.parts().iter().zip(expected.parts()) {
        assert_eq!(ours.basis(), expected.basis(), "{what}");
        assert!(ours.limbs().eq(expected.limbs()), "{what}");
    }
}

/// Returns the results of an operation by a server's own code.
fn fused(routine: &Routine, server: &Server, x: &[&Ciphertext]) -> Vec<Ciphertext> {
    fn one<E: std::fmt::Debug>(result: Result<Ciphertext, E>) -> Vec<Ciphertext> {
        vec![result.unwrap()]
    }
    match routine {
        Routine::Add => one(server.add(x[0], x[1])),
        Routine::Subtract => one(server.sub(x[0], x[1])),
        Routine::Negate => one(server.neg(x[0])),
        Routine::Multiply => one(server.mul(x[0], x[1])),
        Routine::MultiplyInteger(integer) => one(server.mul_integer(x[0], *integer)),
        Routine::MultiplyNumber(number) => one(server.mul_number(x[0], *number)),
        Routine::MultiplyByI => one(server.mul_by_i(x[0])),
        Routine::AddNumber(number) => one(server.add_number(x[0], *number)),
        Routine::Rotate(steps) => server.rotate_many(x[0], steps).unwrap(),
        Routine::Conjugate => one(server.conjugate(x[0])),
        Routine::Sum => one(server.sum(x[0])),
        Routine::Mean => one(server.mean(x[0])),
        Routine::Slice { from, to } => one(server.slice(x[0], *from, *to)),
        Routine::InnerSum { count, batch } => one(server.inner_sum(x[0], *count, *batch)),
        Routine::Replicate { count, batch } => one(server.replicate(x[0], *count, *batch)),
        Routine::Rescale => one(server.rescale(x[0])),
        Routine::ToLevel(level) => one(server.at_level(x[0], *level)),
        Routine::Transform(Matrix(matrix)) => one(server.linear_transform(x[0], matrix)),
        Routine::Evaluate(polynomial) => one(server.evaluate(x[0], polynomial)),
        Routine::EvaluateBlocks(all) => one(server.evaluate_blocks(x[0], all)),
        Routine::Bootstrap => one(server.bootstrap(x[0])),
        other => panic!("{} has no test", other.name()),
    }
}

/// Returns a matrix, some of whose diagonals are periodic.
fn matrix(setting: &mut Setting) -> Matrix {
    let slots = setting.client.parameters().slots();
    let diagonal =
        |(step, period): (i64, usize)| (step, setting.values(period).repeat(slots / period));
    let diagonals = (0..).zip([slots, 16, 1, slots / 4]).map(diagonal).collect::<Vec<_>>();
    let diagonals = Diagonals::new(slots, diagonals).unwrap();
    Matrix(Arc::new(LinearTransform::new(setting.client.encoder(), &diagonals, 3).unwrap()))
}

#[test]
fn every_operation_on_every_executor() {
    let mut setting = Setting::new("n10-insecure", &[1, 4, -2]);
    let matrix = matrix(&mut setting);
    let operations = Operations {
        multiply: true,
        conjugate: true,
        rotations: [matrix.0.rotations(), vec![1, 4, -2, 16, 64, 256]].concat(),
        ..Operations::default()
    };
    let server = Arc::new(setting.client.server(&operations));
    let polynomial =
        Polynomial::chebyshev(&[0.3, 1.0, -0.5, 0.25, 0.0, 2.0, 1.5], (-1.0, 1.0)).unwrap();
    // Some coefficients are the same, and some are not.
    let other = Polynomial::chebyshev(&[-0.3, 1.0, 0.5, 0.0, 0.25, 2.0], (-1.0, 1.0)).unwrap();
    let blocks = BlockPolynomials::new(vec![polynomial.clone(), other], 16).unwrap();
    let routines = [
        Routine::Add,
        Routine::Subtract,
        Routine::Negate,
        Routine::Multiply,
        Routine::MultiplyInteger(-3),
        Routine::MultiplyNumber(Complex::new(0.3, -1.5)),
        Routine::MultiplyByI,
        Routine::AddNumber(Complex::new(-0.25, 0.5)),
        Routine::Rotate(vec![4]),
        Routine::Rotate(vec![1, 5, -2, 0]),
        Routine::Conjugate,
        Routine::Sum,
        Routine::Mean,
        Routine::Slice { from: 3, to: 7 },
        Routine::InnerSum { count: 3, batch: 4 },
        Routine::Replicate { count: 2, batch: 8 },
        Routine::Rescale,
        Routine::ToLevel(1),
        Routine::Transform(matrix),
        Routine::Evaluate(Arc::new(polynomial)),
        Routine::EvaluateBlocks(Arc::new(blocks)),
    ];
    // By unencrypted vectors: the encoding of one is not used for the other.
    let vectors = [(); 2].map(|()| setting.values(512));
    let plain = |of: &[Complex]| Plain::checked(&Values::from(of), 1.0).unwrap();
    let sums = vectors.each_ref().map(|of| Routine::AddPlain(plain(of)));
    let products = vectors.each_ref().map(|of| Routine::MultiplyPlain(plain(of)));
    let mut input = |level| setting.real_pair(512, level, (-1.0, 1.0)).ciphertext;
    let inputs = [input(4), input(4), input(3)];
    for executor in executors(server.parameters()) {
        let remote = ProgramServer::new(Arc::clone(&server), executor);
        let handles: Vec<CiphertextHandle> =
            inputs.iter().map(|input| remote.upload(input).unwrap()).collect();
        // Operands of different levels, and twice the same operand.
        for (a, b) in [(0, 1), (1, 0), (0, 2), (1, 1)] {
            for routine in &routines {
                let takes = routine.takes();
                let given = remote.call(routine, &[&handles[a], &handles[b]][..takes]).unwrap();
                let expected = fused(routine, &server, &[&inputs[a], &inputs[b]][..takes]);
                assert_eq!(given.len(), expected.len());
                for (given, expected) in given.iter().zip(&expected) {
                    assert_eq!(given.level(), expected.level());
                    let what = format!("{} of {a} and {b}", routine.name());
                    assert_same(&remote.download(given).unwrap(), expected, &what);
                }
            }
        }
        // One for each operation and shape of inputs, plus those with two levels and with twice the
        // same.
        assert_eq!(remote.programs().len(), routines.len() + 2 * 3);
        let handle = &handles[0];
        for (routines, is_product) in [(&sums, false), (&products, true)] {
            for (routine, values) in
                routines.iter().zip(&vectors).chain([(&routines[0], &vectors[0])])
            {
                let given = remote.call(routine, &[handle]).unwrap().remove(0);
                let expected = match is_product {
                    false => server.add_plain(&inputs[0], values).unwrap(),
                    true => server.mul_plain(&inputs[0], values).unwrap(),
                };
                assert_same(&remote.download(&given).unwrap(), &expected, routine.name());
            }
        }
        // The rest are functions, bootstraps and matrices of blocks.
        let all = routines.iter().chain(&sums).chain(&products).map(Routine::name);
        let all: BTreeSet<&str> = all.chain(FUNCTIONS).collect();
        assert_eq!(all, BTreeSet::from(Routine::NAMES));
    }
}

#[test]
fn ciphertexts_stay_where_they_are_and_are_freed() {
    let mut setting = Setting::new("n10-insecure", &[1]);
    let [x, y] = [0, 1].map(|_| setting.pair(512, 4).ciphertext);
    let server = Arc::new(setting.server);
    let pipe = Arc::new(Pipe::open(server.parameters()));
    let remote = ProgramServer::new(Arc::clone(&server), pipe.clone());
    let [a, b] = [&x, &y].map(|x| remote.upload(x).unwrap());
    assert_eq!(pipe.kept(), 2);
    let product = remote.mul(&a, &b).unwrap();
    let sum = remote.add(&remote.rotate(&product, 1).unwrap(), &product).unwrap();
    // The rotated product is gone, and only residues of inputs, keys and programs went there.
    assert_eq!((pipe.kept(), pipe.downloads()), (4, 0));
    let product = server.mul(&x, &y).unwrap();
    let expected = server.add(&server.rotate(&product, 1).unwrap(), &product).unwrap();
    assert_same(&remote.download(&sum).unwrap(), &expected, "a sum of products");
    assert_eq!(pipe.downloads(), 1);
    // The same programs and keys again: none is sent twice.
    let sent = pipe.programs_and_keys();
    remote.rotate(&remote.mul(&b, &a).unwrap(), 1).unwrap();
    assert_eq!(pipe.programs_and_keys(), sent);
    drop((a, b, sum));
    assert_eq!(pipe.kept(), 1);
}

#[test]
fn bootstraps() {
    let parameters = Parameters::preset("n10-boot-insecure").unwrap();
    let mut client = Client::of_test(&parameters, 41);
    let operations =
        Operations { bootstrap: true, bootstrap_slots: vec![8], ..Operations::default() };
    let server = Arc::new(client.server(&operations));
    for executor in executors(&parameters) {
        let remote = ProgramServer::new(Arc::clone(&server), executor);
        for slots in [512, 8] {
            let values: Vec<Complex> =
                (0..slots).map(|k| Complex::new(0.5 / (k + 1) as f64, 0.1)).collect();
            let x = client.encrypt_at(&values, 0).unwrap();
            let handle = remote.bootstrap(&remote.upload(&x).unwrap()).unwrap();
            let expected = server.bootstrap(&x).unwrap();
            let ours = remote.download(&handle).unwrap();
            assert_eq!(ours.level(), parameters.fresh_level());
            for (ours, expected) in ours.parts().iter().zip(expected.parts()) {
                assert!(ours.limbs().eq(expected.limbs()), "{slots} slots");
            }
            let error = client.decrypt(&ours).unwrap();
            let error = error.iter().zip(&values).map(|(a, b)| (*a - *b).abs());
            assert!(error.fold(0.0, f64::max) < 1e-3);
        }
    }
}

/// One program is recorded for all ciphertexts of a shape, and a repeated call needs one run
/// without arithmetic; the metadata of results are separate in each case.
#[test]
fn what_a_call_found_out_is_not_found_out_again() {
    let mut setting = Setting::new("n10-insecure", &[1]);
    let encrypted = [(); 3].map(|()| setting.pair(512, 4).ciphertext);
    let server = Arc::new(setting.server);
    let executor = Arc::new(ProcessorPrograms::new(server.parameters()));
    let remote = ProgramServer::new(Arc::clone(&server), executor);
    let handles = [0, 1, 2].map(|k| remote.upload(&encrypted[k]).unwrap());
    let counts = || (remote.programs().len(), remote.programs().dry_runs());
    // The places of two factors, then all programs and runs so far.
    for (a, b, expected) in [
        (0, 1, (1, 1)),
        (0, 1, (1, 1)),
        (1, 0, (1, 2)),
        (2, 1, (1, 3)),
        (1, 1, (2, 4)),
        (2, 1, (2, 4)),
        (1, 1, (2, 4)),
    ] {
        let product = remote.mul(&handles[a], &handles[b]).unwrap();
        assert_eq!(counts(), expected, "{a} · {b}");
        let expected = server.mul(&encrypted[a], &encrypted[b]).unwrap();
        assert_same(&remote.download(&product).unwrap(), &expected, "a product");
        assert_eq!(product.precision_bits(), expected.precision_bits(), "{a} · {b}");
    }
    // Results of equal calls are equal operands of other operations.
    let [first, again] = [(); 2].map(|()| remote.mul(&handles[0], &handles[1]).unwrap());
    let sum = remote.add(&first, &again).unwrap();
    let product = server.mul(&encrypted[0], &encrypted[1]).unwrap();
    let expected = server.add(&product, &product).unwrap();
    assert_same(&remote.download(&sum).unwrap(), &expected, "a sum of equal products");
}

/// An executor that violates its contract.
struct Faulty {
    within: ProcessorPrograms,
    /// The violation.
    fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    TooFewResults,
    OtherPrimes,
    Busy,
}

impl ProgramExecutor for Faulty {
    fn name(&self) -> &str {
        "faulty"
    }

    fn upload(&self, parts: [&ring::Polynomial; 2]) -> Result<Resident, ExecutorError> {
        self.within.upload(parts)
    }

    fn download(&self, resident: &Resident) -> Result<[ring::Polynomial; 2], ExecutorError> {
        self.within.download(resident)
    }

    fn run(
        &self,
        program: &Arc<Program>,
        held: &ProgramConstants,
        inputs: &[&Resident],
    ) -> Result<Vec<Resident>, ExecutorError> {
        let mut results = self.within.run(program, held, inputs)?;
        match self.fault {
            Fault::TooFewResults => drop(results.pop()),
            Fault::OtherPrimes => results[0] = inputs[0].clone(),
            Fault::Busy => {
                let (executor, reason) = ("faulty".into(), "another program runs".into());
                return Err(ExecutorError::Unavailable { executor, reason });
            }
        }
        Ok(results)
    }
}

#[test]
fn an_executor_that_does_not_keep_to_the_program_is_noticed() {
    let mut setting = Setting::new("n10-insecure", &[1, 2]);
    let x = setting.pair(512, 3).ciphertext;
    let server = Arc::new(setting.server);
    let rotate = Routine::Rotate(vec![1, 2]);
    for fault in [Fault::TooFewResults, Fault::OtherPrimes, Fault::Busy] {
        let within = ProcessorPrograms::new(server.parameters());
        let remote = ProgramServer::new(Arc::clone(&server), Arc::new(Faulty { within, fault }));
        let handle = remote.upload(&x).unwrap();
        let error = match fault {
            // The product is a level lower: it has other primes than expected.
            Fault::OtherPrimes => remote.download(&remote.mul(&handle, &handle).unwrap()).err(),
            _ => remote.call(&rotate, &[&handle]).err(),
        };
        let (error, said) = (
            error.unwrap().to_string(),
            match fault {
                Fault::TooFewResults => "ckks.rotate has 2 results; got 1",
                Fault::OtherPrimes => "does not have the primes of level 2",
                Fault::Busy => "faulty cannot run the program: another program runs",
            },
        );
        assert!(error.contains(said), "{fault:?}: {error}");
    }
}

#[test]
fn several_threads_call_at_once() {
    let mut setting = Setting::new("n10-insecure", &[1, 2, 3]);
    let x = setting.pair(512, 4).ciphertext;
    let server = Arc::new(setting.server);
    for executor in executors(server.parameters()) {
        let remote = ProgramServer::new(Arc::clone(&server), executor);
        let handle = remote.upload(&x).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (remote, handle, server, x) = (&remote, &handle, &server, &x);
                scope.spawn(move || {
                    for steps in [1, 2, 3, 1, 2, 3] {
                        let rotated = remote.rotate(handle, steps + thread % 2).unwrap();
                        let product = remote.mul(&rotated, handle).unwrap();
                        let expected = server.rotate(x, steps + thread % 2).unwrap();
                        let expected = server.mul(&expected, x).unwrap();
                        assert_same(&remote.download(&product).unwrap(), &expected, "threads");
                    }
                });
            }
        });
        // A program that two threads record at once may be kept twice.
        assert!((5..=20).contains(&remote.programs().len()), "{}", remote.programs().len());
    }
}

#[test]
fn what_cannot_be_run_is_said() {
    let mut setting = Setting::new("n10-insecure", &[1]);
    let x = setting.pair(512, 2).ciphertext;
    let foreign = Setting::new("n13-insecure", &[]).pair(512, 2).ciphertext;
    let other = Client::of_test(setting.client.parameters(), 5).encrypt_at(&[0.5], 2).unwrap();
    let server = Arc::new(setting.server);
    let [here, there] = [0, 1].map(|index| {
        let executor = executors(server.parameters()).remove(index);
        ProgramServer::new(Arc::clone(&server), executor)
    });
    let handle = here.upload(&x).unwrap();
    let error = here.call(&Routine::Add, &[&handle]).err().unwrap();
    assert_eq!(error.to_string(), "ckks.add takes 2 ciphertexts; got 1");
    let error = here.call(&Routine::Negate, &[]).err().unwrap();
    assert!(matches!(error, ExecutorError::Inputs { got: 0, .. }), "{error}");
    let error = there.call(&Routine::Negate, &[&handle]).err().unwrap();
    assert!(matches!(&error, ExecutorError::Foreign { executor } if executor == "pipe"), "{error}");
    assert!(matches!(there.download(&handle), Err(ExecutorError::Foreign { .. })));
    for (a, said) in [(&foreign, "N = 8192"), (&other, "under the secret key")] {
        let error = here.upload(a).err().unwrap().to_string();
        assert!(error.contains(said), "{error}");
    }
    let error = here.rotate(&handle, 3).map(drop);
    let expected = server.rotate(&x, 3).map(drop);
    assert_eq!(error, expected.map_err(ExecutorError::from));
    let error = here.bootstrap(&handle).err().unwrap().to_string();
    assert!(error.contains("no levels for a bootstrap"), "{error}");
    // Levels are used up there in the same way.
    let lowest = here.call(&Routine::ToLevel(0), &[&handle]).unwrap().remove(0);
    let error = here.mul(&lowest, &lowest).err().unwrap();
    let level = |error: &CircuitError| {
        matches!(error, CircuitError::Evaluation(EvaluationError::Level { .. }))
    };
    assert!(matches!(&error, ExecutorError::Circuit(error) if level(error)), "{error}");
}
