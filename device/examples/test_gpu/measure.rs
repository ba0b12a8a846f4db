// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares and measures operations on a device and on this processor.

use std::time::{Duration, Instant};

use halimede_arith::interface::{Interface, Visitor};
use halimede_arith::job::{DeviceError, Execute, Operation};
use halimede_device::Device;
use serde::Serialize;

use crate::requests::{groups, Group};

/// The changed items for each example, and the seed of the changes.
const CHANGED: usize = 50;
const SEED: u64 = 1;

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
    /// The median times of the batch, in seconds.
    device_seconds: f64,
    processor_seconds: f64,
    /// Requests per second.
    device_rate: f64,
    processor_rate: f64,
}

impl Row {
    /// Returns `true` if all replies were right.
    pub fn is_right(&self) -> bool {
        self.fault.is_none()
    }
}

/// A loop over the operations of a device.
pub struct Measurement<'d> {
    device: &'d Device,
    cpu: Device,
    requests: usize,
    limit: Duration,
    /// The results so far.
    pub rows: Vec<Row>,
}

impl<'d> Measurement<'d> {
    /// Measures batches of this number of requests, for this number of seconds each.
    pub fn new(device: &'d Device, requests: usize, seconds: f64) -> Self {
        let limit = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        Self { device, cpu: Device::cpu(), requests, limit, rows: Vec::new() }
    }

    fn group<Op: Operation>(&mut self, group: Group<Op>) {
        let Group { name, mut requests, replies } = group;
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
        let batch: Vec<Op::Request> =
            requests.iter().cycle().take(self.requests).cloned().collect();
        let device_seconds = self.median::<Op>(self.device, &batch);
        let processor_seconds = self.median::<Op>(&self.cpu, &batch);
        let rate = |seconds: f64| if seconds > 0.0 { batch.len() as f64 / seconds } else { 0.0 };
        let row = Row {
            compared: requests.len(),
            fault,
            batch: batch.len(),
            device_rate: rate(device_seconds),
            processor_rate: rate(processor_seconds),
            device_seconds,
            processor_seconds,
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

    /// The median time of a batch, in seconds; 0 if it fails.
    fn median<Op: Operation>(&self, device: &Device, batch: &[Op::Request]) -> f64 {
        let start = Instant::now();
        let mut times = Vec::new();
        while times.is_empty() || start.elapsed() < self.limit {
            let begin = Instant::now();
            if replies::<Op>(device, batch).is_err() {
                return 0.0;
            }
            times.push(begin.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    }
}

impl Visitor for Measurement<'_> {
    fn visit<I: Interface>(&mut self) {
        if !self.device.capabilities().has::<I::Operation>() {
            return;
        }
        match groups::<I>(CHANGED, SEED) {
            Ok(groups) => groups.into_iter().for_each(|group| self.group(group)),
            Err(error) => self.rows.push(Row {
                name: I::ABOUT.name.to_owned(),
                compared: 0,
                fault: Some(error),
                batch: 0,
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
