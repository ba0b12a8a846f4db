// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CKKS: evaluates expressions on ciphertexts with uploaded evaluation keys.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use halimede_arith::interface::{
    About, Answer, Example, Field, Plan, Record, Reply, Setting, Settings, Values,
};
use halimede_arith::job::{interrupt, Amount, Answered, DeviceError, Execute, Limits, Timing};
use halimede_arith::operation_over;
use halimede_ckks::circuit::text::{expression_of, names, parse};
use halimede_ckks::circuit::Input;
use halimede_ckks::executor::{ExecutorError, ProgramPlace, ProgramServer};
use halimede_ckks::files::{expect_end, FileKind};
use halimede_ckks::{Allowance, Ciphertext, Expression, Parameters, Plan as Circuit};
use halimede_device::Device;

use super::{Endpoint, Served};
use crate::objects::{human, CkksKeys, Objects, Share, CKKS_KEYS};
use crate::query::hash;
use crate::queue::Queue;
use crate::refusal::{Reason, Refusal};

/// The maximum number of bytes of a ciphertext; the limit of a body is smaller.
const MOST_BYTES: usize = u32::MAX as usize / 2;
/// The memory of ciphertexts per byte of their files, in which one half may be a seed, and residues
/// have fewer bits.
const GROWTH: usize = 3;
/// The maximum number of terms for approximating the functions of a request: about five seconds.
const MOST_TERMS: u64 = 1 << 31;
/// The maximum number of circuits that are kept for a request; items with similar ciphertexts share
/// one.
const MOST_CIRCUITS: usize = 16;
/// The maximum memory that a ring keeps for later use.
const MOST_KEPT_BYTES: usize = 1 << 30;
/// The maximum number of ciphertexts of an item.
const MOST_INPUTS: usize = 64;

static EVALUATE: About = About {
    name: "ckks.evaluate",
    path: "/v1/ckks/evaluate",
    summary: "Evaluates expressions on CKKS ciphertexts",
    settings: &[
        Setting {
            name: "keys",
            about: "The evaluation keys, an object of kind `ckks-keys`.",
            values: Values::Object(CKKS_KEYS),
            default: None,
        },
        Setting {
            name: "expression",
            about: "The expression, as in `halimede ckks eval`: `3*x*y + rot(x, 1)`.",
            values: Values::Text { most: 4 << 10 },
            default: None,
        },
        Setting {
            name: "error",
            about: "The maximum difference between a function and its polynomial.",
            values: Values::Positive,
            default: Some("1e-4"),
        },
    ],
    item: &[Field::list(
        "inputs",
        "The ciphertexts, with their names in the expression.",
        &[
            Field::text("name", "The name in the expression.", 1, 256),
            Field::bytes("ciphertext", "The file of a ciphertext.", 1, MOST_BYTES),
        ],
        1,
        MOST_INPUTS,
    )],
    reply: Reply::Bytes("ciphertext"),
    examples: &[Example {
        settings: &[("expression", "x")],
        objects: &[],
        item: r#"{"inputs": [{"name": "x", "ciphertext": "89434b4b53"}]}"#,
        answer: r#"{"ciphertext": ""}"#,
        source: "",
    }],
};

/// The evaluation of an expression on ciphertexts.
struct Evaluate;

/// A request of [`Evaluate`].
#[derive(Clone)]
struct Evaluation {
    objects: Arc<Objects>,
    keys: Arc<CkksKeys>,
    circuit: Arc<Circuit>,
    inputs: Arc<Inputs>,
}

operation_over!(Evaluate, Evaluation, Result<Vec<u8>, String>, "ckks.evaluate", |row| row
    .circuit
    .steps()
    .len());

/// The ciphertexts of an item, with their names.
struct Inputs {
    list: Vec<(String, Ciphertext)>,
    parameters: Arc<Parameters>,
}

impl Drop for Inputs {
    fn drop(&mut self) {
        self.list.clear();
        // The ring keeps the memory of polynomials for later ones, which no share covers.
        self.parameters.ring().release_memory();
    }
}

/// The place where a device runs programs.
struct ProgramDevice {
    device: Arc<Device>,
    /// The number of running computations, which hold their memory.
    running: AtomicUsize,
}

/// Returns the endpoint of expressions.
pub fn endpoint(queue: &Arc<Queue>, objects: &Arc<Objects>) -> Arc<dyn Endpoint> {
    let place = Arc::new(ProgramDevice {
        device: Arc::clone(queue.device()),
        running: AtomicUsize::new(0),
    });
    let objects = Arc::clone(objects);
    let plan = Box::new(move |settings: Settings| evaluate(&objects, &settings).map(Arc::new));
    Arc::new(Served { about: &EVALUATE, plan, lane: queue.lane_to(place) })
}

impl Execute<Evaluate> for ProgramDevice {
    fn execute(
        &self,
        batch: &[Evaluation],
    ) -> Result<Answered<Vec<Result<Vec<u8>, String>>>, DeviceError> {
        let start = Instant::now();
        let place = self.device.programs()?;
        let mut replies = Vec::with_capacity(batch.len());
        for (request_index, evaluation) in batch.iter().enumerate() {
            let _share = match self.memory(evaluation) {
                Ok(share) => share,
                Err(refusal) => {
                    replies.push(Err(refusal.message));
                    continue;
                }
            };
            replies.push(match evaluation.run(&place) {
                Ok(ciphertext) => Ok(ciphertext),
                Err(ExecutorError::Unavailable { executor: device, reason }) => {
                    return Err(DeviceError::Unavailable { device, reason });
                }
                Err(ExecutorError::Failed { executor: device, reason }) => {
                    let requests = batch.len();
                    return Err(DeviceError::Failed { device, request_index, requests, reason });
                }
                Err(_) if interrupt::is_requested() == Some(true) => {
                    let (device, reason) = (self.device.name().to_owned(), "interrupted".into());
                    let requests = batch.len();
                    return Err(DeviceError::Failed { device, request_index, requests, reason });
                }
                Err(error) => Err(error.to_string()),
            });
        }
        let timing = Timing { compute: start.elapsed(), ..Timing::default() };
        Ok(Answered { replies, timing })
    }

    fn limits(&self) -> Limits {
        Limits { piece: Amount::of_requests(1), interruptible: true, ..Limits::default() }
    }
}

/// The memory of a running computation.
struct Computing<'p> {
    _share: Share,
    running: &'p AtomicUsize,
}

impl Drop for Computing<'_> {
    fn drop(&mut self) {
        self.running.fetch_sub(1, Ordering::Relaxed);
    }
}

impl ProgramDevice {
    /// Takes the memory for a computation; waits only for other running computations.
    fn memory(&self, evaluation: &Evaluation) -> Result<Computing<'_>, Refusal> {
        let (keys, running) = (evaluation.objects.keys(), &self.running);
        loop {
            match keys.take(evaluation.bytes(), Duration::ZERO, "the computation") {
                Ok(_share) => {
                    running.fetch_add(1, Ordering::Relaxed);
                    return Ok(Computing { _share, running });
                }
                Err(refusal) if refusal.reason == Reason::KeyMemory => return Err(refusal),
                Err(refusal) => {
                    let waits = running.load(Ordering::Relaxed) > 0;
                    if !waits || !keys.wait() {
                        return Err(refusal);
                    }
                }
            }
        }
    }
}

impl Evaluation {
    /// Returns the maximum memory of the computation, in bytes: values, and as much that is kept
    /// for later ones.
    fn bytes(&self) -> u64 {
        let bytes = self.circuit.memory_bytes();
        bytes.saturating_add(bytes.min(MOST_KEPT_BYTES)) as u64
    }

    fn run(&self, place: &dyn ProgramPlace) -> Result<Vec<u8>, ExecutorError> {
        let parameters = &self.keys.parameters;
        let executor = place.executor(parameters)?;
        let server = ProgramServer::new(Arc::clone(&self.keys.server), executor);
        let inputs: Vec<(&str, &Ciphertext)> =
            self.inputs.list.iter().map(|(name, ciphertext)| (name.as_str(), ciphertext)).collect();
        let result =
            server.compute_plan(&self.circuit, &inputs, |_| match interrupt::is_requested() {
                Some(true) => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            })?;
        let mut bytes = Vec::new();
        match result.save(&mut bytes, parameters) {
            Ok(()) => Ok(bytes),
            // Writing to memory does not fail; any other error is reported to the client.
            Err(error) => Err(ExecutorError::Failed {
                executor: "the server".into(),
                reason: error.to_string(),
            }),
        }
    }
}

fn evaluate(objects: &Arc<Objects>, settings: &Settings) -> Result<Plan<Evaluate>, Refusal> {
    let refuse = |error: &dyn ToString| Refusal::new(Reason::Setting, error.to_string());
    let error = settings.get("error").parse().unwrap_or(1e-4);
    let steps = parse(settings.get("expression")).map_err(|error| refuse(&error))?;
    let expression = expression_of(&steps, error).map_err(|error| refuse(&error))?;
    let names: Vec<String> = names(&steps).into_iter().map(str::to_owned).collect();
    let keys = objects.ckks_keys(&hash(settings.get("keys")).unwrap_or_default())?;
    let objects = Arc::clone(objects);
    let parameters = &keys.parameters;
    let residues = parameters.level(parameters.fresh_level()).basis.len() * parameters.degree();
    let is_wanted = || interrupt::is_requested() != Some(true);
    let circuits = Circuits {
        expression,
        allowance: Allowance::new(MOST_TERMS, is_wanted),
        most_bytes: objects.keys().most_bytes(),
        known: Mutex::default(),
    };
    Ok(Plan {
        growth: GROWTH,
        reply_bytes: 2 * residues * size_of::<u32>(),
        read: Box::new(move |mut item| {
            let inputs = inputs(item.list(), &names, &keys)?;
            let circuit = circuits.of(&inputs.list, &keys)?;
            let (objects, keys) = (Arc::clone(&objects), Arc::clone(&keys));
            Ok(Evaluation { objects, keys, circuit, inputs: Arc::new(inputs) })
        }),
        answer: Box::new(|reply| match reply {
            Ok(ciphertext) => Answer::Bytes(ciphertext),
            Err(error) => Answer::Bad(error.into()),
        }),
    })
}

/// Reads the ciphertexts of an item: one per name of the expression, under the secret key of the
/// evaluation keys.
fn inputs(records: Vec<Record>, names: &[String], keys: &CkksKeys) -> Result<Inputs, String> {
    let mut inputs = Inputs { list: Vec::new(), parameters: Arc::clone(&keys.parameters) };
    for mut record in records {
        let name = record.text();
        if !names.contains(&name) {
            return Err(format!("{name:?} is not in the expression"));
        }
        if inputs.list.iter().any(|(known, _)| *known == name) {
            return Err(format!("two ciphertexts have the name {name:?}"));
        }
        let bytes = record.bytes();
        if FileKind::of_beginning(&bytes) == Some(FileKind::SecretKey) {
            let reason = "this is a secret key: keep it to yourself, and make new keys if others \
                          may have seen it";
            return Err(reason.into());
        }
        let in_input = |error: &dyn ToString| format!("{name:?}: {}", error.to_string());
        let mut rest = &bytes[..];
        let ciphertext = Ciphertext::load(&mut rest, &keys.parameters);
        let ciphertext = ciphertext.map_err(|error| in_input(&error))?;
        expect_end(rest).map_err(|error| in_input(&error))?;
        if ciphertext.owner() != keys.owner {
            let reason = "the ciphertext and the evaluation keys belong to different secret keys";
            return Err(in_input(&reason));
        }
        inputs.list.push((name, ciphertext));
    }
    match names.iter().find(|name| inputs.list.iter().all(|(known, _)| known != *name)) {
        Some(name) => Err(format!("the ciphertext {name:?} is missing")),
        None => Ok(inputs),
    }
}

/// The circuits of the items of a request.
struct Circuits {
    expression: Expression,
    /// The cost limit of the functions, for all items together.
    allowance: Allowance,
    /// The maximum memory of a circuit.
    most_bytes: u64,
    known: Mutex<Vec<(Described, Arc<Circuit>)>>,
}

/// The properties of ciphertexts on which a plan depends.
type Described = BTreeMap<String, Input>;

impl Circuits {
    /// Returns the circuit for these ciphertexts, and plans it at first use.
    fn of(&self, inputs: &[(String, Ciphertext)], keys: &CkksKeys) -> Result<Arc<Circuit>, String> {
        let described: Described =
            inputs.iter().map(|(name, ciphertext)| (name.clone(), ciphertext.into())).collect();
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, circuit)) = known().iter().find(|(known, _)| *known == described) {
            return Ok(Arc::clone(circuit));
        }
        let circuit =
            Circuit::within(&self.expression, &keys.parameters, &described, &self.allowance);
        let circuit = circuit.map_err(|error| error.to_string())?;
        keys.server.check_plan(&circuit).map_err(|error| error.to_string())?;
        let bytes = circuit.memory_bytes() as u64;
        if bytes > self.most_bytes {
            let (bytes, most) = (human(bytes), human(self.most_bytes));
            return Err(format!(
                "the expression needs {bytes} of memory, but the limit for keys and computations \
                 is {most} (--key-memory): compute it in parts"
            ));
        }
        let circuit = Arc::new(circuit);
        let mut known = known();
        if known.len() < MOST_CIRCUITS {
            known.push((described, Arc::clone(&circuit)));
        }
        Ok(circuit)
    }
}
