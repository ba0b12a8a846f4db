// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CKKS programs on a simulated card with a memory: the processor's residues, data that is sent
//! only once, a reset, a dead card, a small memory, and the absence of secrets on the link.
//!
//! If the simulator has not been built (`make card-sim`), these tests print a note and pass; with
//! `HALIMEDE_REQUIRE_RTL=1` they fail.

#![allow(clippy::print_stdout, reason = "tests print measurements and skips")]

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use halimede_card::transport::{Simulated, SimulatorOptions, Transport};
use halimede_card::{Card, CardError, CardOptions};
use halimede_ckks::evaluator::rotation_exponent;
use halimede_ckks::executor::{ExecutorError, ProgramPlace, ProgramServer, Routine};
use halimede_ckks::{
    Bound, Ciphertext, Client, Complex, Operations, Parameters, Polynomial, Server, Values,
};
use halimede_device::{Device, Options};

use crate::ckks_link::{longest_run, pieces};
use crate::ckks_lockstep::{run, Operands};
use crate::ckks_patterns::{of_secret, of_values};
use crate::common::{is_sweep, memory_simulator};

const TIME_LIMIT: Duration = Duration::from_secs(60);
const LENGTH: usize = 512;

/// A simulated card whose link is recorded, and the number of its process.
struct Simulator {
    device: Arc<Device>,
    process: String,
    sent: Arc<Mutex<Vec<u8>>>,
}

/// Records the bytes to a card.
struct Recorded {
    link: Simulated,
    sent: Arc<Mutex<Vec<u8>>>,
}

impl Transport for Recorded {
    fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        limit: Duration,
    ) -> Result<usize, CardError> {
        let took = self.link.exchange(outgoing, incoming, limit)?;
        self.sent.lock().unwrap().extend(&outgoing[..took]);
        Ok(took)
    }
}

impl Simulator {
    fn start(retries: usize) -> Option<Self> {
        Some(Self::of(&memory_simulator()?, TIME_LIMIT, retries))
    }

    fn of(simulator: &SimulatorOptions, time_limit: Duration, retries: usize) -> Self {
        let link = Simulated::start(simulator, time_limit).unwrap();
        let process = link.process_id().to_string();
        let sent = Arc::<Mutex<_>>::default();
        let recorded = Recorded { link, sent: Arc::clone(&sent) };
        let options = CardOptions { time_limit, ..CardOptions::default() };
        let card = Card::open("sim", Box::new(recorded), options).unwrap();
        let device = Arc::new(Device::from_card(card, &Options::default().retries(retries)));
        Self { device, process, sent }
    }

    /// Adds the processor as the fallback of the card.
    fn with_fallback(self) -> Self {
        let device = Arc::into_inner(self.device).unwrap().with_fallback(Device::cpu());
        Self { device: Arc::new(device), ..self }
    }

    fn kill(&self) {
        std::process::Command::new("kill").args(["-9", &self.process]).status().unwrap();
    }

    /// Returns the number of bytes that work sends over the link.
    fn sent_by(&self, work: impl FnOnce()) -> usize {
        let before = self.sent.lock().unwrap().len();
        work();
        self.sent.lock().unwrap().len() - before
    }
}

/// A client, a server, and two vectors.
struct Setting {
    client: Client,
    server: Arc<Server>,
    plain: [Vec<Complex>; 2],
    sealed: [Ciphertext; 2],
}

impl Setting {
    fn new(rotations: &[i64]) -> Self {
        let parameters = Parameters::preset("n10-insecure").unwrap();
        let mut client = Client::of_test(&parameters, 91);
        let operations =
            Operations { multiply: true, rotations: rotations.to_vec(), ..Operations::default() };
        let server = Arc::new(client.server(&operations));
        let values = |seed: usize| -> Vec<f64> {
            (0..LENGTH).map(|k| ((k * 37 + seed) % 101) as f64 / 51.0 - 1.0).collect()
        };
        let plain = [3, 58].map(values);
        let sealed = plain.each_ref().map(|values| {
            let values = Values::from(values).bounded(Bound::between(-1.0, 1.0));
            client.encrypt(values).unwrap()
        });
        let plain = plain.map(|values| values.into_iter().map(Complex::from).collect());
        Self { client, server, plain, sealed }
    }

    fn on(&self, device: &Arc<Device>) -> ProgramServer {
        let place = device.programs().unwrap();
        let executor = place.executor(self.server.parameters()).unwrap();
        ProgramServer::new(Arc::clone(&self.server), executor)
    }
}

fn hash(ciphertext: &Ciphertext) -> [u8; 32] {
    let words = ciphertext.parts().into_iter().flat_map(|part| part.limbs()).flatten();
    let mut hasher = blake3::Hasher::new();
    for word in words {
        hasher.update(&word.to_le_bytes());
    }
    hasher.finalize().into()
}

/// The hashes of the results of an operation on uploaded ciphertexts.
fn hashes(
    place: &ProgramServer,
    routine: &Routine,
    sealed: &[Ciphertext; 2],
) -> Result<Vec<[u8; 32]>, ExecutorError> {
    let handles = sealed.each_ref().map(|a| place.upload(a).unwrap());
    let operands: Vec<_> = handles.iter().take(routine.takes()).collect();
    let results = place.call(routine, &operands)?;
    results.iter().map(|result| Ok(hash(&place.download(result)?))).collect()
}

fn routines() -> Vec<Routine> {
    let polynomial = Polynomial::chebyshev(&[0.3, 1.0, -0.5, 0.25], (-1.0, 1.0)).unwrap();
    vec![
        Routine::Add,
        Routine::MultiplyNumber(Complex::new(0.3, -1.5)),
        Routine::Multiply,
        Routine::Rotate(vec![1]),
        Routine::Rotate(vec![1, 2, 4]),
        Routine::Rescale,
        Routine::InnerSum { count: 4, batch: 1 },
        Routine::Evaluate(Arc::new(polynomial)),
    ]
}

#[test]
fn operations_on_the_card_give_the_processors_residues_and_send_no_secret() {
    let Some(simulator) = Simulator::start(0) else { return };
    let setting = Setting::new(&[1, 2, 4]);
    let [card, cpu] =
        [&simulator.device, &Arc::new(Device::cpu())].map(|device| setting.on(device));
    for routine in routines() {
        let start = Instant::now();
        let place = simulator.device.programs().unwrap();
        let before = place.traffic().unwrap_or_default();
        let ours = hashes(&card, &routine, &setting.sealed).unwrap();
        assert_eq!(ours, hashes(&cpu, &routine, &setting.sealed).unwrap(), "{}", routine.name());
        let traffic = place.traffic().unwrap();
        let (clocks, bytes) =
            (traffic.clocks - before.clocks, traffic.written_bytes - before.written_bytes);
        println!("{}: {clocks} clocks, {bytes} bytes, {:?}", routine.name(), start.elapsed());
        assert_eq!(traffic.jobs, before.jobs + 1);
        assert!(clocks > 1000);
    }
    let sent = simulator.sent.lock().unwrap();
    let pieces = pieces(&sent);
    let exponents = [1, 2, 4].map(|steps| rotation_exponent(setting.server.parameters(), steps));
    let mut patterns = Vec::new();
    of_secret(&mut patterns, "the secret key", setting.client.secret(), &exponents);
    for (values, sealed) in setting.plain.iter().zip(&setting.sealed) {
        of_values(&mut patterns, &setting.client, values, sealed);
    }
    for pattern in &patterns {
        let run = longest_run(&pattern.bytes(), pattern.telling, &pieces);
        assert!(run < pattern.least, "{}: {run} bytes in a row", pattern.name);
    }
    // The same search finds ciphertexts.
    let limbs = setting.sealed[0].parts().into_iter().flat_map(|part| part.limbs());
    for limb in limbs {
        let bytes: Vec<u8> = limb.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert!(longest_run(&bytes, 4, &pieces) > 2048);
    }
}

#[test]
fn a_key_is_sent_once_and_again_behind_a_reset() {
    let Some(simulator) = Simulator::start(0) else { return };
    let setting = Setting::new(&[1]);
    let card = setting.on(&simulator.device);
    let a = card.upload(&setting.sealed[0]).unwrap();
    let expected = hash(&setting.server.rotate(&setting.sealed[0], 1).unwrap());
    let rotate = || {
        let rotated = card.rotate(&a, 1).unwrap();
        assert_eq!(hash(&card.download(&rotated).unwrap()), expected);
    };
    let key = setting.server.keys().iter().map(|(_, key)| key.bytes()).max().unwrap();
    let first = simulator.sent_by(rotate);
    let again = simulator.sent_by(rotate);
    // Requests to read the result, and the job.
    assert!(first > key && again < 4096, "{first} and {again} bytes, the key has {key}");
    simulator.device.card().unwrap().reset().unwrap();
    let behind_reset = simulator.sent_by(rotate);
    assert!(behind_reset >= first, "{behind_reset} bytes");
    assert!(simulator.sent_by(rotate) < 4096);
    println!("{first} bytes, then {again}, {behind_reset} behind a reset");
}

#[test]
fn a_killed_card_is_an_error_or_work_for_the_fallback() {
    let setting = Setting::new(&[1]);
    let expected = {
        let once = setting.server.rotate(&setting.sealed[0], 1).unwrap();
        hash(&setting.server.rotate(&once, 1).unwrap())
    };
    for has_fallback in [true, false] {
        let Some(mut simulator) = Simulator::start(1) else { return };
        if has_fallback {
            simulator = simulator.with_fallback();
        }
        let card = setting.on(&simulator.device);
        let a = card.upload(&setting.sealed[0]).unwrap();
        // Results that the card computed before it died are not lost.
        let once = card.rotate(&a, 1).unwrap();
        simulator.kill();
        match card.rotate(&once, 1) {
            Ok(twice) => {
                assert!(has_fallback);
                assert_eq!(hash(&card.download(&twice).unwrap()), expected);
                let sum = card.add(&twice, &once).unwrap();
                assert_eq!(card.download(&sum).unwrap().level(), twice.level());
            }
            Err(error) => {
                assert!(!has_fallback, "{error}");
                assert!(matches!(error, ExecutorError::Failed { .. }), "{error}");
            }
        }
    }
}

/// A program that needs more keys at once than fit the memory, and a ring that is too long.
#[test]
fn what_does_not_fit_is_named_or_goes_to_the_fallback() {
    let steps: Vec<i64> = (1..=48).collect();
    let setting = Setting::new(&steps);
    let routine = Routine::Rotate(steps);
    let Some(simulator) = Simulator::start(1) else { return };
    let error = hashes(&setting.on(&simulator.device), &routine, &setting.sealed).unwrap_err();
    let words = "bytes of card memory at once, but the card has 8388608";
    assert!(matches!(error, ExecutorError::Unavailable { .. }), "{error}");
    assert!(error.to_string().contains(words), "{error}");
    let large = Parameters::preset("n13-insecure").unwrap();
    let error = simulator.device.programs().unwrap().executor(&large).err().unwrap();
    assert!(error.to_string().contains("the card supports rings up to N = 2^10"), "{error}");
    let device = simulator.with_fallback().device;
    let [both, cpu] = [&device, &Arc::new(Device::cpu())].map(|device| setting.on(device));
    let expected = hashes(&cpu, &routine, &setting.sealed).unwrap();
    assert_eq!(hashes(&both, &routine, &setting.sealed).unwrap(), expected);
    // Programs that fit still go to the card.
    let before = device.programs().unwrap().traffic().unwrap().jobs;
    hashes(&both, &Routine::Add, &setting.sealed).unwrap();
    assert_eq!(device.programs().unwrap().traffic().unwrap().jobs, before + 1);
    assert_eq!(device.programs().unwrap().executor(&large).unwrap().name(), "cpu");
}

#[test]
fn an_image_that_has_not_been_started_is_listed_with_its_operations() {
    if !crate::common::has_simulator() || memory_simulator().is_none() {
        return;
    }
    let device = Device::open("sim").unwrap();
    let engines = &device.capabilities().engines;
    let engine = engines.iter().find(|engine| engine.name == "ckks").unwrap();
    assert_eq!(engine.operations, Routine::NAMES);
}

#[test]
fn random_programs_on_the_card_give_the_processors_residues() {
    let Some(simulator) = Simulator::start(0) else { return };
    let operands = Operands::new(&Parameters::preset("n10-insecure").unwrap());
    let [cpu, card] = [&Arc::new(Device::cpu()), &simulator.device].map(|device| {
        let executor = device.programs().unwrap().executor(operands.server.parameters()).unwrap();
        ProgramServer::new(Arc::clone(&operands.server), executor)
    });
    let seeds = if is_sweep() { 60 } else { 3 };
    let done: usize =
        (100..100 + seeds).map(|seed| run(seed, 6, &operands, &[&cpu, &card], hash)).sum();
    println!("{done} operations, {:?}", simulator.device.programs().unwrap().traffic());
    assert!(done >= 2 * seeds as usize, "{done} operations");
}

/// A whole bootstrap of the small ring, which is insecure: some million clocks.
#[test]
fn a_bootstrap_on_the_card_gives_the_processors_bits() {
    if !is_sweep() {
        println!("skipped: a bootstrap on the card takes minutes (`make test-all`)");
        return;
    }
    let Some(of_the_small_card) = memory_simulator() else { return };
    // `make test-all` has built it next to the others.
    let path = of_the_small_card.command(Path::new("card.sock")).unwrap();
    let program = Path::new(path.get_program()).with_file_name("halimede-card-sim-large-memory");
    assert!(program.is_file(), "{} is missing", program.display());
    let large = SimulatorOptions { program: Some(program), ..of_the_small_card };
    let simulator = Simulator::of(&large, Duration::from_secs(3600), 0);

    let parameters = Parameters::preset("n10-boot-insecure").unwrap();
    let mut client = Client::of_test(&parameters, 82);
    let operations =
        Operations { bootstrap_slots: vec![8], few_keys: true, ..Operations::default() };
    let server = Arc::new(client.server(&operations).with_angles([7; 32]));
    let values: Vec<f64> = (0..8).map(|k| f64::from(k) / 8.0 - 0.5).collect();
    let sealed = client.encrypt_at(&values, 0).unwrap();
    let start = Instant::now();
    let [cpu, card] = [&Arc::new(Device::cpu()), &simulator.device].map(|device| {
        let executor = device.programs().unwrap().executor(&parameters).unwrap();
        let place = ProgramServer::new(Arc::clone(&server), executor);
        let handle = place.upload(&sealed).unwrap();
        let result = place.call(&Routine::Bootstrap, &[&handle]).unwrap().remove(0);
        place.download(&result).unwrap()
    });
    let traffic = simulator.device.programs().unwrap().traffic().unwrap();
    println!("{traffic:?}, {:?}", start.elapsed());
    assert_eq!(hash(&card), hash(&cpu));
    assert!(card.level() > sealed.level() && traffic.clocks > 1_000_000, "{traffic:?}");
    for (got, value) in client.decrypt(&card).unwrap().iter().zip(&values) {
        assert!((got.re - value).abs() < 1e-3, "{} is not {value}", got.re);
    }
}
