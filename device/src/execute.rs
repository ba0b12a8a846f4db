// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches on a device.

#[cfg(feature = "ckks")]
use std::any::TypeId;
use std::time::{Duration, Instant};

use halimede_arith::job::{
    batch_by_batch, Answered, Columns, DeviceError, Execute, Executor, Limits, Operation, Session,
    Timing,
};
#[cfg(feature = "ckks")]
use halimede_places::programs::RunCkksProgram;
use halimede_places::Found;

use crate::crossover::{Choice, Crossovers, Work};
use crate::device::Device;
use crate::session::DeviceSession;

/// The least time in which a sample of the fallback's speed is trusted.
const SAMPLE_TIME: Duration = Duration::from_millis(2);
/// The number of requests for each thread that keep all threads of the fallback busy.
const BUSY: usize = 4;
/// The number of runs of a sample.
const RUNS: usize = 3;

impl<Op: Operation> Execute<Op> for Device {
    /// Without a fallback, an unsupported request is [`DeviceError::Unsupported`] before anything
    /// is sent.
    fn execute(&self, batch: Op::Batch<'_>) -> Result<Answered<Op::Replies>, DeviceError> {
        let part = match self.part_with::<Op>() {
            Ok(part) => part,
            Err(error) => return elsewhere::<Op>(self, batch, error),
        };
        let executor = match part.found::<Op>() {
            Some(Found::Reliable(executor)) => return executor.execute(batch),
            Some(Found::MayFail(executor)) => executor,
            None => return elsewhere::<Op>(self, batch, self.lacks::<Op>()),
        };
        if batch.is_empty() {
            return Ok(Answered { replies: Op::Replies::default(), timing: Timing::default() });
        }
        match part.rivals::<Op>() {
            Some(rivals) => by_speed(part, executor, rivals, batch),
            None => Ok(on_device(part, executor, batch)?.0),
        }
    }

    fn limits(&self) -> Limits {
        self.executor::<Op>().map_or_else(Limits::default, |executor| executor.limits())
    }

    /// Over a link, batches follow each other without a pause: the next batch is sent while the
    /// replies to the last one arrive.
    fn session(&self) -> Box<dyn Session<Op> + '_> {
        let part = self.part_with::<Op>();
        match part.ok().and_then(|part| Some((part, part.found::<Op>()?))) {
            Some((part, Found::MayFail(executor))) if part.rivals::<Op>().is_none() => {
                Box::new(DeviceSession::new(part, executor))
            }
            _ => batch_by_batch(self),
        }
    }
}

impl Device {
    /// Returns the fallback, if it answers the batches for which it is faster, and the times of
    /// both.
    fn rivals<Op: Operation>(&self) -> Option<(&Self, &Crossovers)> {
        let both = self.fallback.as_deref().zip(self.crossovers.as_ref());
        both.filter(|_| !keeps_data::<Op>())
    }
}

/// Returns `true` for CKKS programs: their ciphertexts are on the device.
fn keeps_data<Op: Operation>() -> bool {
    #[cfg(feature = "ckks")]
    return TypeId::of::<Op>() == TypeId::of::<RunCkksProgram>();
    #[cfg(not(feature = "ckks"))]
    return false;
}

/// Answers a batch that is not empty on a device. Returns also whether the device alone answered
/// it, without a failure.
fn on_device<Op: Operation>(
    device: &Device,
    executor: &dyn Executor<Op>,
    batch: Op::Batch<'_>,
) -> Result<(Answered<Op::Replies>, bool), DeviceError> {
    let mut session = DeviceSession::new(device, executor);
    session.submit(batch)?;
    let replies = session.collect()?.unwrap_or_default();
    let timing = session.timing()?;
    let is_alone = timing.fallback_requests == 0 && !session.has_failed();
    Ok((Answered { replies, timing }, is_alone))
}

/// Answers a batch at the place that is expected to be faster, and takes its time. A batch that the
/// fallback does not answer goes to the device.
fn by_speed<Op: Operation>(
    device: &Device,
    executor: &dyn Executor<Op>,
    (fallback, crossovers): (&Device, &Crossovers),
    batch: Op::Batch<'_>,
) -> Result<Answered<Op::Replies>, DeviceError> {
    let (work, requests) = (Work::of::<Op>(batch), batch.len());
    if crossovers.choose(work, requests) == Choice::Fallback {
        let start = Instant::now();
        if let Ok(mut answered) = Execute::<Op>::execute(fallback, batch) {
            crossovers.fallback_took(work, requests, start.elapsed());
            answered.timing.fallback_requests = requests;
            return Ok(answered);
        }
    }
    let start = Instant::now();
    let (answered, is_alone) = on_device(device, executor, batch)?;
    let time = start.elapsed();
    if is_alone && crossovers.device_took(work, requests, time) {
        sample::<Op>(fallback, crossovers, work, batch, time);
        for crossover in crossovers.found().iter().filter(|found| found.operation == Op::NAME) {
            let (device, fallback) = (device.name(), fallback.name());
            tracing::info!(device, fallback, ?crossover, "measured which is faster");
        }
    }
    Ok(answered)
}

/// Measures the fallback on the first requests of a batch, which the device answered in this time.
/// Doubles their number until all threads of the fallback are busy for a while, or it is slower
/// anyway. The shortest of several runs counts: other work of the machine only lengthens them.
fn sample<Op: Operation>(
    fallback: &Device,
    crossovers: &Crossovers,
    work: Work,
    batch: Op::Batch<'_>,
    time_of_device: Duration,
) {
    let threads = fallback.capabilities().processor.as_ref().map_or(1, |own| own.threads);
    let timed = |requests: usize| {
        let start = Instant::now();
        let answered = Execute::<Op>::execute(fallback, batch.slice(0..requests));
        answered.is_ok().then(|| start.elapsed())
    };
    let start = Instant::now();
    let mut requests = 1;
    // The first call may compute tables. Errors are not timings: the device keeps the work.
    if timed(requests).is_none() {
        return;
    }
    while let Some(time) = (0..RUNS).filter_map(|_| timed(requests)).min() {
        crossovers.fallback_took(work, requests, time);
        let (total, is_busy) = (start.elapsed(), requests >= BUSY * threads);
        let least = if is_busy { time_of_device / 2 } else { time_of_device };
        if requests == batch.len() || total >= least.max(SAMPLE_TIME) {
            return;
        }
        requests = (2 * requests).min(batch.len());
    }
}

/// Sends a batch to the fallback because the device cannot take it at all. Without a fallback,
/// returns the device's error.
fn elsewhere<Op: Operation>(
    device: &Device,
    batch: Op::Batch<'_>,
    error: DeviceError,
) -> Result<Answered<Op::Replies>, DeviceError> {
    let Some(fallback) = &device.fallback else {
        return Err(error);
    };
    let mut answered = Execute::<Op>::execute(&**fallback, batch)?;
    answered.timing.fallback_requests = batch.len();
    Ok(answered)
}
