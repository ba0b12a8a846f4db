// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The startup test: does this device do what it says?

use std::fmt;
use std::time::{Duration, Instant};

use halimede_arith::job::{DeviceError, Operation};
use halimede_arith::Backend;
use halimede_blake3::operations::{Hash, HashRequest};
use halimede_blake3::Outputs;
use halimede_card::spec::{Capability, Register};
use halimede_card::{Card, CardError};
use halimede_equihash::known_answers::known_answers as known_solutions;
use halimede_equihash::operations::{Verify as VerifySolution, VerifyRequest as SolutionRequest};
use halimede_equihash::{Mask as SolutionMask, Params};
use halimede_equihash_wire::{equihash_sets, EQUIHASH_SETS};
use halimede_poseidon::known_answers::KnownAnswers;
use halimede_poseidon::operations::Permute;
use halimede_poseidon::{Instance, State};
use halimede_poseidon_wire::poseidon_instances;
use halimede_poseidon_wire::spec::status::INSTANCES as POSEIDON_INSTANCES;
use halimede_secp256k1::known_answers::{
    known_answers as known_checks, startup_answers, KnownAnswer, KnownAnswersError,
};
use halimede_secp256k1::operations::{Kept, Verify};
use halimede_secp256k1::{verdict, Rejection};
use serde::{Serialize, Serializer};

use crate::device::{unavailable, Device};
use crate::examples;
use crate::known_answers::{known_answer, known_hashes};

/// The outcome of one check of [`Device::selftest`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// The name of the check.
    pub name: String,
    /// Whether it holds.
    pub passed: bool,
    /// The result, or the error.
    pub detail: String,
    /// How long it took; in seconds where it is serialised.
    #[serde(rename = "time_s", serialize_with = "seconds")]
    pub time: Duration,
}

fn seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

impl Device {
    /// The startup test: reset, status, capabilities, known answers of each instance or mode of
    /// each engine, the examples of every operation that the device has, and an undecodable frame,
    /// which must be answered with *ignore*. On a processor the known answers alone. The fallback
    /// takes no part.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] where a card does not even answer the reset, or the environment
    /// asks for a backend that this processor does not have; all else that is wrong is a check that
    /// has not passed.
    pub fn selftest(&self) -> Result<Vec<Check>, DeviceError> {
        if let Some(card) = self.card() {
            return self.test_card(card);
        }
        if self.executor::<Permute>().is_none() {
            return Err(self.lacks::<Permute>());
        }
        if let Err(error) = Backend::chosen() {
            return Err(DeviceError::of_backend(self.name(), &error));
        }
        let mut checks = known_permutations(Instance::published(), |state| self.permute(state));
        checks.extend(known_messages(|requests| self.own::<Hash>(requests)));
        checks.extend(known_proofs_of_work(EQUIHASH_SETS, |requests| {
            self.own::<VerifySolution>(requests)
        }));
        checks.push(known_signatures(known_checks(), |requests| self.own::<Verify>(requests)));
        checks.extend(examples::checks(self));
        Ok(checks)
    }

    fn test_card(&self, card: &Card) -> Result<Vec<Check>, DeviceError> {
        let start = Instant::now();
        card.reset().map_err(|error| unavailable(card.name(), &error))?;
        let time = start.elapsed();
        let detail = "answered".into();
        let mut checks = vec![Check { name: "reset".into(), passed: true, detail, time }];
        checks.push(check("status", || status(card)));
        checks.push(check("registers", || registers(card)));
        checks.push(check("capabilities", || capabilities(card)));
        let opening = card.opening_status();
        let instances = poseidon_instances(opening);
        checks.extend(known_permutations(instances, |state| self.permute(state)));
        if opening.has(Capability::Blake3) {
            checks.extend(known_messages(|requests| self.own::<Hash>(requests)));
        }
        if opening.has(Capability::Equihash) {
            checks.extend(known_proofs_of_work(equihash_sets(opening), |requests| {
                self.own::<VerifySolution>(requests)
            }));
        }
        if opening.has(Capability::Secp256k1) {
            let verify = |requests: &[Kept]| self.own::<Verify>(requests);
            checks.push(known_signatures(startup_answers(), verify));
        }
        checks.extend(examples::checks(self));
        checks.push(check("undecodable frame", || {
            card.check_ignore().map_err(|error| error.to_string())?;
            Ok("ignored, and the stream is in step".into())
        }));
        Ok(checks)
    }

    fn permute(&self, state: &State) -> Result<State, String> {
        let replies = self.own::<Permute>(std::slice::from_ref(state))?;
        replies.into_iter().next().ok_or_else(|| "no reply".into())
    }

    /// The device's own replies, without its fallback.
    fn own<Op: Operation>(&self, requests: &[Op::Request]) -> Result<Op::Replies, String> {
        let executor = self.executor::<Op>().ok_or_else(|| self.lacks::<Op>().to_string())?;
        let answered = executor.execute(Op::batch(requests)).map_err(|error| error.to_string())?;
        Ok(answered.replies)
    }
}

/// Runs one check: what was seen, or what is wrong.
pub(crate) fn check(
    name: impl Into<String>,
    run: impl FnOnce() -> Result<String, String>,
) -> Check {
    let start = Instant::now();
    let outcome = run();
    let (passed, time) = (outcome.is_ok(), start.elapsed());
    let (Ok(detail) | Err(detail)) = outcome;
    Check { name: name.into(), passed, detail, time }
}

/// The status now is that of the opening, and its clock runs.
fn status(card: &Card) -> Result<String, String> {
    let words = |error: CardError| error.to_string();
    let first = card.status().map_err(words)?;
    let second = card.status().map_err(words)?;
    let opening = card.opening_status();
    let identity = |status: &halimede_card::command::Status| {
        let build = (status.version, status.build_id, status.capabilities);
        (build, status.get(POSEIDON_INSTANCES), status.stream_bytes)
    };
    if identity(&second) != identity(opening) {
        return Err("the card says it is another one than when it was opened".into());
    }
    if second.clocks <= first.clocks {
        return Err(format!("its clock stands still at {}", first.clocks));
    }
    Ok(format!("protocol {}, build {:#010x}", second.protocol(), second.build_id))
}

/// The registers agree with the status.
fn registers(card: &Card) -> Result<String, String> {
    let read = |register| card.read_register(register).map_err(|error| error.to_string());
    let status = card.opening_status();
    let expected = [
        (Register::Id, Register::Id.reset_value().unwrap_or_default()),
        (Register::Version, status.version),
        (Register::BuildId, status.build_id),
        (Register::Capabilities, status.capabilities),
        (Register::MaxFrameBytes, status.max_frame_bytes),
        (Register::StreamBytes, status.stream_bytes),
        (Register::PoseidonInstances, status.get(POSEIDON_INSTANCES) as u32),
    ];
    for (register, expected) in expected {
        let got = read(register)?;
        if got != expected {
            let name = register.name();
            return Err(format!("{name} is {got:#010x}, its status says {expected:#010x}"));
        }
    }
    Ok(format!("{} agree with the status", expected.len()))
}

/// The engines, by name; a card without any is of no use.
fn capabilities(card: &Card) -> Result<String, String> {
    let status = card.opening_status();
    let engines: Vec<&str> = Capability::ALL
        .iter()
        .filter(|engine| status.has(**engine))
        .map(|engine| engine.name())
        .collect();
    if engines.is_empty() {
        return Err("the card has no engine".into());
    }
    Ok(engines.join(", "))
}

/// A permutation of each instance whose outcome is known comes out right.
fn known_permutations(
    instances: impl IntoIterator<Item = Instance>,
    permute: impl Fn(&State) -> Result<State, String>,
) -> Vec<Check> {
    let published = KnownAnswers::published().map_err(|error| error.to_string());
    let known_permutation = |instance| {
        check(format!("poseidon {instance}"), || {
            let answer = known_answer(published.as_ref().map_err(String::clone)?, instance)?;
            let source = answer.source;
            if permute(&answer.input)? == answer.output {
                return Ok(format!("the {source} permutation"));
            }
            Err(format!("differs from the {source} permutation"))
        })
    };
    instances.into_iter().map(known_permutation).collect()
}

/// Official vectors of several lengths, a check for each mode.
fn known_messages(hash: impl Fn(&[HashRequest]) -> Result<Outputs, String>) -> Vec<Check> {
    let known = match known_hashes() {
        Ok(known) => known,
        Err(reason) => return vec![check("blake3", || Err(reason))],
    };
    let known_mode = |(mode, answers): (&str, Vec<(HashRequest, Vec<u8>)>)| {
        check(format!("blake3 {mode}"), || {
            let (requests, expected): (Vec<HashRequest>, Vec<Vec<u8>>) =
                answers.into_iter().unzip();
            let replies = hash(&requests)?;
            if replies.len() != expected.len() {
                return Err(format!("{} replies to {} messages", replies.len(), expected.len()));
            }
            let wrong = replies.iter().zip(&expected).position(|(reply, right)| reply != right);
            match wrong {
                None => Ok(format!("{} official vectors", expected.len())),
                Some(index) => {
                    let bytes = requests[index].message.len();
                    Err(format!("differs from the official vector of {bytes} bytes"))
                }
            }
        })
    };
    known.into_iter().map(known_mode).collect()
}

/// Solutions, valid and damaged, a check for each parameter set.
fn known_proofs_of_work(
    sets: impl IntoIterator<Item = Params>,
    verify: impl Fn(&[SolutionRequest]) -> Result<Vec<SolutionMask>, String>,
) -> Vec<Check> {
    let known_set = |params: Params| {
        check(format!("equihash {params}"), || {
            let known = known_solutions(params).map_err(|error| error.to_string())?;
            let requests: Vec<_> = known.iter().map(|answer| answer.request.clone()).collect();
            let answers = known.iter().map(|answer| (answer.name, answer.mask));
            agreement(answers, &verify(&requests)?, "solutions")
        })
    };
    sets.into_iter().map(known_set).collect()
}

/// The verdict on a signature, for messages.
#[derive(PartialEq)]
struct Verdict(Result<(), Rejection>);

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Ok(()) => f.write_str("valid"),
            Err(rejection) => rejection.fmt(f),
        }
    }
}

/// Whether the replies equal the known answers; the text counts them by this noun.
fn agreement<'n, Reply: PartialEq + fmt::Display>(
    known: impl ExactSizeIterator<Item = (&'n str, Reply)>,
    replies: &[Reply],
    kind: &str,
) -> Result<String, String> {
    let count = known.len();
    if replies.len() != count {
        return Err(format!("{} replies to {count} {kind}", replies.len()));
    }
    match known.zip(replies).find(|((_, mask), reply)| mask != *reply) {
        None => Ok(format!("{count} {kind}")),
        Some(((name, mask), reply)) => Err(format!("{name}: {reply}, in place of {mask}")),
    }
}

/// Signatures, valid and at edges of the check, all in one batch.
fn known_signatures(
    known: Result<Vec<KnownAnswer>, KnownAnswersError>,
    verify: impl FnOnce(&[Kept]) -> Result<Vec<Result<(), Rejection>>, String>,
) -> Check {
    check("secp256k1", || {
        let known = known.map_err(|error| error.to_string())?;
        let requests: Vec<Kept> = known.iter().map(|answer| Ok(answer.request.clone())).collect();
        let replies: Vec<Verdict> = verify(&requests)?.into_iter().map(Verdict).collect();
        let answers = known.iter().map(|known| (&known.name[..], Verdict(verdict(known.mask))));
        agreement(answers, &replies, "signatures")
    })
}
