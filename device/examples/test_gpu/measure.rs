// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares and measures operations on a device and on this processor.

use std::time::{Duration, Instant};

use halimede_arith::interface::{Interface, Visitor};
use halimede_arith::job::{DeviceError, Execute, Operation};
use halimede_device::Device;
use serde::Serialize;

use crate::requests::{groups, Group};

/// The seed of the changes of examples.
const SEED: u64 = 1;
/// The factor from a batch that is too short to be measured to the next one.
const GROWTH: usize = 4;

/// The result of a group of requests.
#[derive(Debug, Serialize)]
pub struct Row {
    /// The operation and the group.
    name: String,
    /// The number of different requests that were compared.
    compared: usize,
    /// The first request with a wrong reply, or the error.
    fault: Option<String>,
    /// The requests of the measured batch.
    batch: usize,
    processor_batch: usize,
    /// The median times of the batch, in seconds.
    device_seconds: f64,
    processor_seconds: f64,
    /// Requests per second.
    device_rate: f64,
    processor_rate: f64,
}

/// A measured batch. Its time is 0 if the batch failed.
#[derive(Clone, Copy, Default)]
struct Speed {
    requests: usize,
    seconds: f64,
}

impl Speed {
    /// Requests per second.
    fn rate(self) -> f64 {
        match self.seconds > 0.0 {
            true => self.requests as f64 / self.seconds,
            false => 0.0,
        }
    }
}

impl Row {
    /// Returns `true` if all replies were right.
    pub fn is_right(&self) -> bool {
        self.fault.is_none()
    }
}

/// The amounts of work of a test.
#[derive(Clone, Copy, Debug)]
pub struct Amounts {
    /// The requests of the largest measured batch.
    pub requests: usize,
    /// The changed items for each example.
    pub changed: usize,
    /// The time of a measurement.
    pub measured: Duration,
    /// The time after which no further operation is begun.
    pub limit: Duration,
}

/// A loop over the operations of a device.
pub struct Measurement<'d> {
    device: &'d Device,
    cpu: Device,
    amounts: Amounts,
    start: Instant,
    /// The results so far.
    pub rows: Vec<Row>,
    /// The groups for which there was no time.
    pub not_run: Vec<String>,
}

impl<'d> Measurement<'d> {
    /// Tests and measures these amounts. The time counts from `start`.
    pub fn new(device: &'d Device, amounts: Amounts, start: Instant) -> Self {
        let (rows, not_run) = Default::default();
        Self { device, cpu: Device::cpu(), amounts, start, rows, not_run }
    }

    fn group<Op: Operation>(&mut self, group: Group<Op>) {
        let Group { name, mut requests, replies } = group;
        if self.start.elapsed() > self.amounts.limit {
            self.not_run.push(name);
            return;
        }
        let mut known: Vec<Option<Op::Reply>> = match replies {
            Some(replies) => replies.into_iter().map(Some).collect(),
            None => vec![None; requests.len()],
        };
        let supported: Vec<bool> = requests.iter().map(|one| self.supports::<Op>(one)).collect();
        let mut flags = supported.iter();
        requests.retain(|_| flags.next().copied().unwrap_or_default());
        let mut flags = supported.iter();
        known.retain(|_| flags.next().copied().unwrap_or_default());
        if requests.is_empty() {
            return;
        }
        let fault = self.compare::<Op>(&requests, &known).err();
        let (device, processor) = match fault {
            None => {
                (self.speed::<Op>(self.device, &requests), self.speed::<Op>(&self.cpu, &requests))
            }
            Some(_) => Default::default(),
        };
        let row = Row {
            compared: requests.len(),
            fault,
            batch: device.requests,
            processor_batch: processor.requests,
            device_rate: device.rate(),
            processor_rate: processor.rate(),
            device_seconds: device.seconds,
            processor_seconds: processor.seconds,
            name,
        };
        let state = row.fault.as_deref().unwrap_or("right");
        println!(
            "{}: {} compared: {state}; {:.3e}/s, processor {:.3e}/s",
            row.name, row.compared, row.device_rate, row.processor_rate
        );
        self.rows.push(row);
    }

    /// Compares the replies with this processor's and the known ones.
    fn compare<Op: Operation>(
        &self,
        requests: &[Op::Request],
        known: &[Option<Op::Reply>],
    ) -> Result<(), String> {
        let got = replies::<Op>(self.device, requests).map_err(|error| error.to_string())?;
        let own = replies::<Op>(&self.cpu, requests).map_err(|error| error.to_string())?;
        if got.len() != requests.len() || own.len() != requests.len() {
            return Err(format!("{} replies to {} requests", got.len(), requests.len()));
        }
        for (number, (got, own)) in got.iter().zip(&own).enumerate() {
            if got != own {
                return Err(format!("reply {number} differs from the processor's"));
            }
            if known[number].as_ref().is_some_and(|known| known != got) {
                return Err(format!("reply {number} differs from the known answer"));
            }
        }
        Ok(())
    }

    fn supports<Op: Operation>(&self, request: &Op::Request) -> bool {
        let batch = Op::batch(std::slice::from_ref(request));
        let answered = Execute::<Op>::execute(self.device, batch);
        !matches!(answered, Err(DeviceError::Unsupported { .. }))
    }

    /// Measures batches of these requests, repeated. Batches grow until one needs a part of the
    /// time of a measurement.
    fn speed<Op: Operation>(&self, device: &Device, requests: &[Op::Request]) -> Speed {
        let Amounts { requests: most, measured, .. } = self.amounts;
        let mut count = requests.len().clamp(1, most.max(1));
        let (mut batch, mut times) = (Vec::new(), Vec::new());
        let start = Instant::now();
        while times.is_empty() || start.elapsed() < measured {
            batch.extend(
                requests.iter().cycle().skip(batch.len()).take(count - batch.len()).cloned(),
            );
            let begin = Instant::now();
            if replies::<Op>(device, &batch).is_err() {
                return Speed { requests: count, seconds: 0.0 };
            }
            let time = begin.elapsed();
            if count < most && time < measured / GROWTH as u32 {
                count = count.saturating_mul(GROWTH).min(most);
                times.clear();
            } else {
                times.push(time.as_secs_f64());
            }
        }
        times.sort_by(f64::total_cmp);
        Speed { requests: count, seconds: times[times.len() / 2] }
    }
}

impl Visitor for Measurement<'_> {
    fn visit<I: Interface>(&mut self) {
        if !self.device.capabilities().has::<I::Operation>() {
            return;
        }
        match groups::<I>(self.amounts.changed, SEED) {
            Ok(groups) => groups.into_iter().for_each(|group| self.group(group)),
            Err(error) => self.rows.push(Row {
                name: I::ABOUT.name.to_owned(),
                compared: 0,
                fault: Some(error),
                batch: 0,
                processor_batch: 0,
                device_seconds: 0.0,
                processor_seconds: 0.0,
                device_rate: 0.0,
                processor_rate: 0.0,
            }),
        }
    }
}

fn replies<Op: Operation>(
    device: &Device,
    requests: &[Op::Request],
) -> Result<Vec<Op::Reply>, DeviceError> {
    let answered = Execute::<Op>::execute(device, Op::batch(requests))?;
    Ok(answered.replies.into_iter().collect())
}
