// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One run: a device in a world, batches of every operation, and checks.

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

/// The number of calls of a run.
const CALLS: usize = 24;
/// The time that a call may take beyond its limits.
const GRACE: Duration = Duration::from_millis(50);
/// A call that takes this multiple of its limit is considered endless.
const ENDLESS: u32 = 10;
/// The largest number of resets of the card for one failure: the second reset follows a frame of
/// zeros. A call continues the resets of the previous call if that had to end before them.
const RESETS_A_FAILURE: usize = 2;
/// The time within which an interrupted call must end.
const INTERRUPT_LIMIT: Duration = Duration::from_millis(500);

/// The counts of a run, or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// The number of runs.
    pub runs: u64,
    /// The number of faults of frames and connections.
    pub faults: u64,
    /// The number of calls: openings, submitted batches, collected batches.
    pub calls: u64,
    /// The number of requests with the right reply.
    pub replies: u64,
    /// The number of right replies from the fallback.
    pub by_fallback: u64,
    /// The number of calls that failed, which is allowed without a fallback.
    pub errors: u64,
    /// The number of interrupted calls.
    pub interrupted: u64,
}

impl RunCounts {
    /// Adds the counts of another outcome.
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

/// A client with a session, and its expected replies.
struct Client<'d, Op: Compute> {
    session: Box<dyn Session<Op> + 'd>,
    /// The expected replies of each batch.
    expected: Vec<Vec<Op::Reply>>,
    collected: usize,
}

/// The state of a run.
struct Run {
    generator: ChaCha8Rng,
    world: World,
    card: CardOptions,
    retries: usize,
    has_fallback: bool,
    is_interrupted: bool,
    /// The time of the interrupt of the current calls.
    interrupt: Option<Duration>,
    outcome: RunCounts,
}

/// Runs the seed.
///
/// # Errors
/// A description of the failure.
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
        // Stalls prolong calls, so that interrupts hit them.
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
    // Reports the seed of a panic like that of a wrong answer.
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
        // The aftermath of the faults may fail one call, and a card that was given up is reopened.
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

    /// Opens the device; `None` for an allowed failure.
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
            Err(other) => Err(format!("opening failed with {other}")),
        }
    }

    /// Makes one or more calls; false if the device has failed.
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

    /// Runs batches of one operation in one or two sessions, in turns.
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
                return Err("a nonexistent fallback answered".into());
            }
        }
        Ok(true)
    }

    /// Collects a session's oldest batch; false if the device failed.
    fn collect<Op: Compute>(&mut self, client: &mut Client<'_, Op>) -> Result<bool, String> {
        let outcome = self.timed("collect", |_| client.session.collect())?;
        let replies = match outcome {
            Ok(replies) => replies,
            Err(error) => return self.is_well::<Op>(Err(error)),
        };
        if client.expected.is_empty() {
            return match replies {
                None => Ok(true),
                Some(_) => Err("a batch that was never submitted".into()),
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

    /// Begins a call; returns the time.
    fn begin_call(&self) -> Duration {
        self.world.begin_call(ENDLESS * self.call_limit());
        self.world.elapsed()
    }

    /// The time limit of a call without progress.
    fn call_limit(&self) -> Duration {
        let limits = u32::try_from(self.retries).unwrap_or(u32::MAX) + 2;
        self.card.time_limit * limits + GRACE
    }

    /// Makes a call and checks its duration and its number of tries.
    fn timed<T>(&mut self, what: &str, call: impl FnOnce(&mut Self) -> T) -> Result<T, String> {
        let start = self.begin_call();
        let outcome = call(self);
        self.check_time(what, start)?;
        let (resets, retries) = (self.world.state().resets, self.retries);
        // A fallback takes over the requests in flight, and the card is retried with the rest.
        match !self.has_fallback && resets > RESETS_A_FAILURE * (retries + 2) {
            true => Err(format!("{what}: {resets} resets without an answer, {retries} retries")),
            false => Ok(outcome),
        }
    }

    fn check_time(&mut self, what: &str, start: Duration) -> Result<(), String> {
        self.outcome.calls += 1;
        let now = self.world.elapsed();
        // A call may continue while it makes progress.
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
            false => Err(format!("{what} continued for {late:?} after an interrupt")),
        }
    }

    /// Returns `true` if a call succeeded; an error for a failure that is not allowed.
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
            true => Err(format!("{} failed despite the fallback: {error}", Op::NAME)),
            false => Ok(false),
        }
    }
}
