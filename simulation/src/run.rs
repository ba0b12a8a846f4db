// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One run: a device over a world, batches of every operation, and checks.

use std::any::Any;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use std::time::Duration;

use halimede_arith::job::{Compute, DeviceError, Execute, Session};
use halimede_blake3::operations::Hash;
use halimede_card::CardOptions;
use halimede_device::{interrupt, Device, Options};
use halimede_equihash::operations::Verify as VerifySolution;
use halimede_poseidon::operations::{FilecoinHash, Permute, StarknetHash};
use halimede_secp256k1::operations::Verify;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::cases::Cases;
use crate::fault::{Fault, Plan};
use crate::model::Shape;
use crate::world::World;

/// Calls of a run.
const CALLS: usize = 24;
/// The time that a call may take beyond its limits.
const GRACE: Duration = Duration::from_millis(50);
/// Calls that take this many times their limit will not end at all.
const ENDLESS: u32 = 10;
/// Resets of the card for one failure at most: the second is behind a frame's worth of zeros. A
/// call begins with those of the call before, where that had to end meanwhile.
const RESETS_A_FAILURE: usize = 2;
/// How soon a call ends that is interrupted.
const INTERRUPT_LIMIT: Duration = Duration::from_millis(500);

/// The counts of a run, or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// Runs.
    pub runs: u64,
    /// Faults that struck a frame or a connection.
    pub faults: u64,
    /// Calls: openings, batches handed in, batches collected.
    pub calls: u64,
    /// Requests with the right reply.
    pub replies: u64,
    /// Those of them that the fallback gave.
    pub by_fallback: u64,
    /// Calls that ended with an error, as they may without a fallback.
    pub errors: u64,
    /// Calls that were interrupted.
    pub interrupted: u64,
}

impl RunCounts {
    /// Adds another one's.
    pub fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.faults += other.faults;
        self.calls += other.calls;
        self.replies += other.replies;
        self.by_fallback += other.by_fallback;
        self.errors += other.errors;
        self.interrupted += other.interrupted;
    }
}

/// Who has a session, and the replies that it waits for.
struct Client<'d, Op: Compute> {
    session: Box<dyn Session<Op> + 'd>,
    /// A batch each.
    expected: Vec<Vec<Op::Reply>>,
    collected: usize,
}

/// A run under way.
struct Run {
    generator: ChaCha8Rng,
    world: World,
    card: CardOptions,
    retries: usize,
    has_fallback: bool,
    is_interrupted: bool,
    /// When the calls under way are interrupted.
    interrupt: Option<Duration>,
    outcome: RunCounts,
}

/// Runs the seed.
///
/// # Errors
/// The failure, in words.
pub fn run(seed: u64) -> Result<RunCounts, String> {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let shape = Shape {
        minor: if generator.gen_ratio(4, 5) { 2 } else { 1 },
        stream_bytes: *[8, 64].choose(&mut generator).unwrap_or(&8),
    };
    let time_limit = Duration::from_millis(generator.gen_range(50..2000));
    let card = CardOptions { time_limit, window: generator.gen_range(1..48) };
    let plan = Plan::random(&mut generator, time_limit);
    let mut plan = match shape.minor {
        2.. => plan,
        _ if generator.gen() => Plan::alone(&mut generator),
        _ => plan.without_checksums(),
    };
    let is_interrupted = generator.gen_ratio(1, 8);
    if is_interrupted {
        // A call that goes on is there to be interrupted.
        plan.kinds.push(Fault::Stall);
    }
    let mut run = Run {
        world: World::new(generator.gen(), shape, plan),
        card,
        retries: generator.gen_range(0..3),
        has_fallback: generator.gen(),
        is_interrupted,
        interrupt: None,
        outcome: RunCounts { runs: 1, ..RunCounts::default() },
        generator,
    };
    // The seed of a panic is worth as much as that of a wrong answer.
    let panicked = |panic: Box<dyn Any + Send>| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        Err(format!("a panic: {}", text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("")))
    };
    let result = catch_unwind(AssertUnwindSafe(|| run.whole())).unwrap_or_else(panicked);
    result.map_err(|reason| format!("seed {seed}: {reason}"))?;
    run.outcome.faults = run.world.state().faults;
    Ok(run.outcome)
}

impl Run {
    fn whole(&mut self) -> Result<(), String> {
        let mut device = None;
        let mut calls = 0;
        while calls < CALLS {
            calls += 1;
            let Some(open) = device.take().map_or_else(|| self.open(), |open| Ok(Some(open)))?
            else {
                continue;
            };
            if self.some_call(&open)? {
                device = Some(open);
            }
        }
        self.world.make_peace();
        self.is_interrupted = false;
        // What the faults have left behind may cost one call, and a card that was given up is
        // opened again.
        for _ in 0..2 {
            let Some(open) = device.take().map_or_else(|| self.open(), |open| Ok(Some(open)))?
            else {
                continue;
            };
            if self.some_call(&open)? {
                device = Some(open);
            }
        }
        let open = device.map_or_else(|| self.open(), |open| Ok(Some(open)))?;
        let open = open.ok_or("a good card could not be opened")?;
        match self.some_call(&open)? {
            true => Ok(()),
            false => Err("a good card failed".into()),
        }
    }

    /// Opens the device; none where it failed, which it may.
    fn open(&mut self) -> Result<Option<Device>, String> {
        let start = self.begin_call();
        let options = Options::default().retries(self.retries);
        let opened = Device::open_card("model", self.card, &options, self.world.clone());
        self.check_time("opening", start)?;
        match opened {
            Ok(device) if self.has_fallback => Ok(Some(device.with_fallback(Device::cpu()))),
            Ok(device) => Ok(Some(device)),
            Err(DeviceError::Unavailable { .. }) => {
                self.outcome.errors += 1;
                Ok(None)
            }
            Err(other) => Err(format!("opening ends with {other}")),
        }
    }

    /// One call or several; false where the device has failed.
    fn some_call(&mut self, device: &Device) -> Result<bool, String> {
        match self.generator.gen_range(0..6) {
            0 => self.call::<Permute>(device),
            1 => self.call::<FilecoinHash>(device),
            2 => self.call::<StarknetHash>(device),
            3 => self.call::<Hash>(device),
            4 => self.call::<VerifySolution>(device),
            _ => self.call::<Verify>(device),
        }
    }

    fn call<Op: Cases>(&mut self, device: &Device) -> Result<bool, String> {
        let flag = Arc::new(AtomicBool::new(false));
        if !self.is_interrupted {
            return self.sessions::<Op>(device);
        }
        let after = self.card.time_limit.mul_f64(self.generator.gen::<f64>() * 2.0);
        self.world.interrupt_after(after, &flag);
        self.interrupt = Some(self.world.elapsed() + after);
        let result = interrupt::by(&flag, || self.sessions::<Op>(device));
        self.interrupt = None;
        result
    }

    /// Batches of one operation in one or two sessions, which take turns.
    fn sessions<Op: Cases>(&mut self, device: &Device) -> Result<bool, String> {
        let mut sessions: Vec<_> = (0..self.generator.gen_range(1..3))
            .map(|_| Client::<Op> {
                session: Execute::<Op>::session(device),
                expected: Vec::new(),
                collected: 0,
            })
            .collect();
        for _ in 0..self.generator.gen_range(1..6) {
            let chosen = self.generator.gen_range(0..sessions.len());
            let client = &mut sessions[chosen];
            let count = self.generator.gen_range(0..30);
            let (requests, replies) = Op::some(&mut self.generator, count);
            client.expected.push(replies);
            let outcome = self.timed("submit", |_| client.session.submit(Op::batch(&requests)))?;
            if !self.is_well::<Op>(outcome)? {
                return Ok(false);
            }
            if self.generator.gen() && !self.collect::<Op>(&mut sessions[chosen])? {
                return Ok(false);
            }
        }
        for mut session in sessions {
            while !session.expected.is_empty() {
                if !self.collect::<Op>(&mut session)? {
                    return Ok(false);
                }
            }
            let timing = self.timed("timing", |_| session.session.timing())?;
            let by_fallback = timing.map_or(0, |timing| timing.fallback_requests);
            self.outcome.by_fallback += by_fallback as u64;
            if by_fallback > 0 && !self.has_fallback {
                return Err("a fallback answers that is not there".into());
            }
        }
        Ok(true)
    }

    /// Collects a session's oldest batch; false where the device failed.
    fn collect<Op: Compute>(&mut self, client: &mut Client<'_, Op>) -> Result<bool, String> {
        let outcome = self.timed("collect", |_| client.session.collect())?;
        let replies = match outcome {
            Ok(replies) => replies,
            Err(error) => return self.is_well::<Op>(Err(error)),
        };
        if client.expected.is_empty() {
            return match replies {
                None => Ok(true),
                Some(_) => Err("a batch that was never handed in".into()),
            };
        }
        let wanted = client.expected.remove(0);
        let got: Vec<_> = replies.ok_or("a batch is lost")?.into_iter().collect();
        if got.len() != wanted.len() {
            return Err(format!("{}: {} replies to {}", Op::NAME, got.len(), wanted.len()));
        }
        if let Some(wrong) = got.iter().zip(&wanted).position(|(got, wanted)| got != wanted) {
            let batch = client.collected;
            return Err(format!("{}: reply {wrong} of batch {batch} is wrong", Op::NAME));
        }
        client.collected += 1;
        self.outcome.replies += got.len() as u64;
        Ok(true)
    }

    /// A call begins: the time.
    fn begin_call(&self) -> Duration {
        self.world.begin_call(ENDLESS * self.call_limit());
        self.world.elapsed()
    }

    /// How long a call goes on at most while nothing moves it forward.
    fn call_limit(&self) -> Duration {
        let limits = u32::try_from(self.retries).unwrap_or(u32::MAX) + 2;
        self.card.time_limit * limits + GRACE
    }

    /// Makes a call and checks how long it took, and how often it tried.
    fn timed<T>(&mut self, what: &str, call: impl FnOnce(&mut Self) -> T) -> Result<T, String> {
        let start = self.begin_call();
        let outcome = call(self);
        self.check_time(what, start)?;
        let (resets, retries) = (self.world.state().resets, self.retries);
        // A fallback takes what was in flight, and the card is tried again with the rest.
        match !self.has_fallback && resets > RESETS_A_FAILURE * (retries + 2) {
            true => Err(format!("{what}: {resets} resets without an answer, {retries} retries")),
            false => Ok(outcome),
        }
    }

    fn check_time(&mut self, what: &str, start: Duration) -> Result<(), String> {
        self.outcome.calls += 1;
        let now = self.world.elapsed();
        // While something moves it forward, a call may go on.
        let since = now - start.max(self.world.state().last_progress);
        let limit = self.call_limit();
        if since > limit {
            let (time_limit, retries) = (self.card.time_limit, self.retries);
            return Err(format!(
                "{what} took {since:?}, more than {limit:?} (limit {time_limit:?}, retries \
                {retries})"
            ));
        }
        let late = self.interrupt.map_or(Duration::ZERO, |at| now.saturating_sub(at.max(start)));
        match late <= INTERRUPT_LIMIT {
            true => Ok(()),
            false => Err(format!("{what} went on for {late:?} after an interrupt")),
        }
    }

    /// Whether a call succeeded; a failure must be one that may be.
    fn is_well<Op: Compute>(&mut self, outcome: Result<(), DeviceError>) -> Result<bool, String> {
        let Err(error) = outcome else { return Ok(true) };
        let DeviceError::Failed { request_index, requests, reason, .. } = &error else {
            return Err(format!("{}: {error}", Op::NAME));
        };
        if request_index > requests {
            return Err(format!("request {request_index} of {requests}"));
        }
        if reason == "interrupted" {
            self.outcome.interrupted += 1;
            let at = self.interrupt.ok_or("interrupted by nobody")?;
            return match self.world.elapsed() >= at {
                true => Ok(false),
                false => Err("interrupted too early".into()),
            };
        }
        self.outcome.errors += 1;
        match self.has_fallback {
            true => Err(format!("{} in spite of the fallback: {error}", Op::NAME)),
            false => Ok(false),
        }
    }
}
