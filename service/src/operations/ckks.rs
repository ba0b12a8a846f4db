// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CKKS: expressions over ciphertexts, under uploaded evaluation keys.

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

/// Most bytes of a ciphertext: the limit of a body is what counts.
const MOST_BYTES: usize = u32::MAX as usize / 2;
/// Bytes of ciphertexts in memory for each in their files, where a half is a seed and residues have
/// fewer bits.
const GROWTH: usize = 3;
/// Terms that the functions of a request may take until they are polynomials: some five seconds.
const MOST_TERMS: u64 = 1 << 31;
/// Circuits of a request that are kept: one for all items whose ciphertexts are alike.
const MOST_CIRCUITS: usize = 16;
/// What a ring keeps of memory that it does not use.
const MOST_KEPT_BYTES: usize = 1 << 30;
/// Most ciphertexts of an item.
const MOST_INPUTS: usize = 64;

static EVALUATE: About = About {
    name: "ckks.evaluate",
    path: "/v1/ckks/evaluate",
    summary: "Expressions over ciphertexts of CKKS",
    settings: &[
        Setting {
            name: "keys",
            about: "The evaluation keys, an object of kind `ckks-keys`.",
            values: Values::Object(CKKS_KEYS),
            default: None,
        },
        Setting {
            name: "expression",
            about: "What to compute, as in `halimede ckks eval`: `3*x*y + rot(x, 1)`.",
            values: Values::Text { most: 4 << 10 },
            default: None,
        },
        Setting {
            name: "error",
            about: "By how much polynomials may differ from their functions.",
            values: Values::Positive,
            default: Some("1e-4"),
        },
    ],
    item: &[Field::list(
        "inputs",
        "The ciphertexts, by the names that the expression has for them.",
        &[
            Field::text("name", "The name.", 1, 256),
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

/// An expression's value for some ciphertexts.
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

/// The ciphertexts of an item, by their names.
struct Inputs {
    list: Vec<(String, Ciphertext)>,
    parameters: Arc<Parameters>,
}

impl Drop for Inputs {
    fn drop(&mut self) {
        self.list.clear();
        // What polynomials had, of these and of the computation, is kept for the next ones: it is
        // nobody's share.
        self.parameters.ring().release_memory();
    }
}

/// The place of a device that runs programs.
struct Place {
    device: Arc<Device>,
    /// Computations that have their memory.
    running: AtomicUsize,
}

/// The endpoint of expressions.
pub fn endpoint(queue: &Arc<Queue>, objects: &Arc<Objects>) -> Arc<dyn Endpoint> {
    let place =
        Arc::new(Place { device: Arc::clone(queue.device()), running: AtomicUsize::new(0) });
    let objects = Arc::clone(objects);
    let plan = Box::new(move |settings: Settings| evaluate(&objects, &settings).map(Arc::new));
    Arc::new(Served { about: &EVALUATE, plan, lane: queue.lane_to(place) })
}

impl Execute<Evaluate> for Place {
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

/// The memory of a computation, while it is one.
struct Computing<'p> {
    _share: Share,
    running: &'p AtomicUsize,
}

impl Drop for Computing<'_> {
    fn drop(&mut self) {
        self.running.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Place {
    /// Takes the memory for a computation, which waits for others that compute, and for nobody else.
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
    /// The most bytes of memory that it takes while it is computed: values, and as much that is kept
    /// for the next ones.
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
            // Memory takes what is written to it; whatever else is wrong, the client is told.
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

/// The ciphertexts of an item: one for each name of the expression, under the keys' secret key.
fn inputs(records: Vec<Record>, names: &[String], keys: &CkksKeys) -> Result<Inputs, String> {
    let mut inputs = Inputs { list: Vec::new(), parameters: Arc::clone(&keys.parameters) };
    for mut record in records {
        let name = record.text();
        if !names.contains(&name) {
            return Err(format!("the expression has no {name:?}"));
        }
        if inputs.list.iter().any(|(known, _)| *known == name) {
            return Err(format!("there are two ciphertexts called {name:?}"));
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
        Some(name) => Err(format!("there is no ciphertext called {name:?}")),
        None => Ok(inputs),
    }
}

/// The circuits of a request's items.
struct Circuits {
    expression: Expression,
    /// What its functions may cost, all items together.
    allowance: Allowance,
    /// The memory that there is for one.
    most_bytes: u64,
    known: Mutex<Vec<(Described, Arc<Circuit>)>>,
}

/// What a plan knows of ciphertexts.
type Described = BTreeMap<String, Input>;

impl Circuits {
    /// The circuit for some ciphertexts, planned where there is none yet for such.
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
                "the expression takes {bytes} of memory at once, and keys and computations may take \
                 {most} (--key-memory): compute it in parts"
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
