// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Killed runs continue from their checkpoints, and give the bits of an uninterrupted run.

use std::fs;
use std::io::{BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use halimede_ckks::{Client, EvaluationKeys, Parameters, Server};
use halimede_ckks_nn::{Ciphertexts, Model, NetworkClient, NetworkError, NetworkServer, Options};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::network::residual;
use super::setting::{compiled, rng, values};

/// Names the folder of a run in a separate process.
const FOLDER: &str = "HALIMEDE_TEST_CHECKPOINTS";
const ANGLES: [u8; 32] = *b"angles of slots, fixed for tests";
/// The pause between two steps, so that a kill comes in the middle of a run.
const PAUSE: Duration = Duration::from_millis(5);

/// Returns the same network with bootstraps each time, and an input.
fn network() -> (Model, Vec<f64>) {
    let mut rng = rng(21);
    let graph = residual(&mut rng);
    let samples: Vec<Vec<f64>> = (0..20).map(|_| values(&mut rng, 64)).collect();
    let options = Options { degree: 7, guard: false, ..Options::default() };
    let model = compiled(&graph, &samples, "n10-boot-insecure", &options);
    (model, samples[0].clone())
}

/// A folder with a client's keys and an encrypted input.
struct Files(PathBuf);

impl Files {
    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn make(&self, model: &Model, input: &[f64]) -> Ciphertexts {
        let client = Client::of_test(model.interface().parameters(), 5);
        let mut client = NetworkClient::with_client(model.interface(), client);
        client.evaluation_keys().save(fs::File::create(self.path("keys")).unwrap()).unwrap();
        client.encrypt(input).unwrap()
    }

    fn keys(&self, parameters: &Parameters) -> EvaluationKeys {
        EvaluationKeys::load(&fs::read(self.path("keys")).unwrap()[..], parameters).unwrap()
    }

    fn checkpoints(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path("checkpoints")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

fn bytes(of: &Ciphertexts, parameters: &Parameters) -> Vec<u8> {
    let mut bytes = Vec::new();
    of.save(&mut bytes, parameters).unwrap();
    bytes
}

/// A run in a separate process, which prints each step and leaves its result in a file.
#[test]
#[ignore = "a process that the test of kills starts"]
fn a_run_that_may_be_killed() {
    let files = Files(std::env::var_os(FOLDER).expect("the folder of a run").into());
    let (model, _) = network();
    let parameters = model.interface().parameters();
    let mut server = Server::new(files.keys(parameters));
    if files.path("is_first").exists() {
        fs::remove_file(files.path("is_first")).unwrap();
        server = server.with_angles(ANGLES);
    }
    let server = NetworkServer::with_server(&model, Arc::new(server)).unwrap();
    let server = server.keeping_checkpoints(&files.path("checkpoints")).unwrap();
    let ciphertexts = fs::read(files.path("input")).unwrap();
    let ciphertexts = Ciphertexts::load(&ciphertexts[..], parameters).unwrap();
    let result = server.run(&ciphertexts, |progress| {
        println!("step {}", progress.done);
        sleep(PAUSE);
        ControlFlow::Continue(())
    });
    fs::write(files.path("result"), bytes(&result.unwrap(), parameters)).unwrap();
}

/// Runs until a step and a random moment after it. Returns whether it was killed, and its first
/// step.
fn killed(folder: &Path, at: usize, rng: &mut ChaCha8Rng) -> (bool, usize) {
    let program = std::env::current_exe().unwrap();
    let mut child = Command::new(program)
        .args(["--ignored", "--exact", "checkpoints::a_run_that_may_be_killed", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut steps = lines.filter_map(|line| line.strip_prefix("step ")?.parse::<usize>().ok());
    let first = steps.next().expect("a step");
    if first < at {
        steps.find(|step| *step >= at);
    }
    sleep(Duration::from_micros(rng.gen_range(0..10_000)));
    child.kill().unwrap();
    (!child.wait().unwrap().success(), first)
}

#[test]
fn a_run_that_is_killed_goes_on_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let files = Files(folder.path().to_owned());
    let (model, input) = network();
    let parameters = model.interface().parameters();
    let ciphertexts = bytes(&files.make(&model, &input), parameters);
    fs::write(files.path("input"), &ciphertexts).unwrap();
    let ciphertexts = Ciphertexts::load(&ciphertexts[..], parameters).unwrap();
    let server = Server::new(files.keys(parameters)).with_angles(ANGLES);
    let server = NetworkServer::with_server(&model, Arc::new(server)).unwrap();
    let wanted = server.run(&ciphertexts, |_| ControlFlow::Continue(())).unwrap();
    fs::write(files.path("is_first"), b"").unwrap();
    let steps = model.plan().steps();
    let first = steps.iter().position(|step| step.is_bootstrap()).unwrap() + 1;
    let seed = rand::thread_rng().gen();
    println!("seed {seed}");
    let mut rng = rng(seed);
    // After the first bootstrap, in ascending order, and with enough time before the end.
    let mut moments = [0; 3].map(|_| rng.gen_range(first..steps.len() - 3));
    moments.sort_unstable();
    for (round, at) in moments.into_iter().enumerate() {
        let (was_killed, begun) = killed(folder.path(), at, &mut rng);
        assert!(was_killed && !files.path("result").exists(), "kill {round}, at step {at}");
        assert_eq!(begun == 1, round == 0, "kill {round}: the run began with step {begun}");
        let checkpoints = files.checkpoints();
        assert_eq!(checkpoints.len(), 1, "{checkpoints:?}");
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::fs::MetadataExt::mode(&checkpoints[0].metadata().unwrap()) & 0o777,
            0o600
        );
    }
    runs_to_its_end(folder.path());
    let result = fs::read(files.path("result")).unwrap();
    assert!(result == bytes(&wanted, parameters), "other bits");
    assert_eq!(files.checkpoints(), Vec::<PathBuf>::new());
}

fn runs_to_its_end(folder: &Path) {
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "checkpoints::a_run_that_may_be_killed"])
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .status();
    assert!(status.unwrap().success());
}

#[test]
fn a_folder_has_a_checkpoint_for_each_run_and_says_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let files = Files(folder.path().to_owned());
    let (model, input) = network();
    let first = files.make(&model, &input);
    let negated: Vec<f64> = input.iter().map(|value| -value).collect();
    let second = files.make(&model, &negated);
    let shared = Arc::new(Server::new(files.keys(model.interface().parameters())));
    let open = || NetworkServer::with_server(&model, Arc::clone(&shared)).unwrap();
    let path = files.path("checkpoints");
    let server = open().keeping_checkpoints(&path).unwrap();
    let bootstrap = model.plan().steps().iter().position(|step| step.is_bootstrap()).unwrap();
    let stop = |input: &Ciphertexts| {
        let result = server.run(input, |progress| match progress.done > bootstrap {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        });
        assert!(result.unwrap_err().to_string().contains("stopped"));
    };
    stop(&first);
    stop(&second);
    assert_eq!(files.checkpoints().len(), 2);
    for input in [&first, &second] {
        let mut begun = None;
        let result = server.run(input, |progress| {
            begun.get_or_insert(progress.done);
            ControlFlow::Continue(())
        });
        let without = open().run(input, |_| ControlFlow::Continue(())).unwrap();
        let parameters = model.interface().parameters();
        assert!(bytes(&result.unwrap(), parameters) == bytes(&without, parameters));
        assert_eq!(begun, Some(bootstrap + 2));
    }
    assert_eq!(files.checkpoints(), Vec::<PathBuf>::new());
    // A damaged file, a truncated one, one with extra bytes, and a folder that is a file.
    stop(&first);
    let checkpoint = files.checkpoints().remove(0);
    let good = fs::read(&checkpoint).unwrap();
    let mut damaged = good.clone();
    damaged[good.len() / 2] ^= 1;
    let cases = [
        (damaged, "checksum"),
        (good[..good.len() - 1].to_vec(), "ends at byte"),
        ([&good[..], b"x"].concat(), "has bytes after its end"),
    ];
    for (content, reason) in cases {
        fs::write(&checkpoint, content).unwrap();
        for error in [
            server.run(&first, |_| ControlFlow::Continue(())).unwrap_err(),
            open().keeping_checkpoints(&path).err().unwrap(),
        ] {
            assert!(matches!(error, NetworkError::Checkpoint { .. }), "{error}");
            let text = error.to_string();
            assert!(text.contains(reason) && text.contains(".checkpoint"), "{text}");
        }
    }
    let error = open().keeping_checkpoints(&files.path("keys")).err().unwrap().to_string();
    assert!(error.contains("keys"), "{error}");
}
