// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Counters for Prometheus (text exposition format 0.0.4). Labels are the names of operations and
//! the reasons of refusals; they never contain data of clients.

use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use halimede_device::{GpuCondition, GpuStatus};
use serde_json::{json, Value};

use crate::queue::{Condition, DeviceWork, Queue};
use crate::refusal::Reason;
use crate::runs::Runs;

/// The upper bounds of the buckets of the histogram, in microseconds.
const BUCKETS_US: [u64; 14] = [
    250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    5_000_000, 30_000_000,
];
/// The number of requests that the dashboard shows.
const RECENT: usize = 50;

/// The counters of a server.
pub struct Metrics {
    operations: Vec<(&'static str, OfOperation)>,
    refusals: Vec<AtomicU64>,
    /// The number of answers to requests that are not for operations.
    pub others: AtomicU64,
    /// The number of clients that disconnected before their answer.
    pub gone: AtomicU64,
    /// The number of open connections.
    pub connections: AtomicUsize,
    /// The number of accepted connections.
    pub accepted: AtomicU64,
    /// The number of refused connections.
    pub turned_away: AtomicU64,
    /// The number of bytes of bodies.
    pub received_bytes: AtomicU64,
    /// The number of bytes of answers.
    pub sent_bytes: AtomicU64,
    started: Instant,
    recent: Mutex<VecDeque<Job>>,
}

#[derive(Default)]
struct OfOperation {
    answered: AtomicU64,
    refused: AtomicU64,
    items: AtomicU64,
    bad_items: AtomicU64,
    buckets: [AtomicU64; BUCKETS_US.len()],
    time_us: AtomicU64,
    transfer_us: AtomicU64,
}

/// The memory that is charged now, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct MemoryUse {
    /// The memory of requests.
    pub requests: usize,
    /// The memory of keys and of computations with them.
    pub keys: u64,
}

/// The outcome of a request for an operation.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// The index of the operation in the table.
    pub operation: usize,
    /// The number of items.
    pub items: usize,
    /// The number of bad items.
    pub bad_items: usize,
    /// The HTTP status.
    pub status: u16,
    /// The time of the request.
    pub time: Duration,
    /// The part of that time for the body and the answer.
    pub transfer: Duration,
}

impl Metrics {
    /// Returns counters for these operations.
    pub fn new(operations: impl IntoIterator<Item = &'static str>) -> Self {
        Self {
            operations: operations.into_iter().map(|name| (name, Default::default())).collect(),
            refusals: Reason::ALL.iter().map(|_| AtomicU64::new(0)).collect(),
            others: AtomicU64::new(0),
            gone: AtomicU64::new(0),
            connections: AtomicUsize::new(0),
            accepted: AtomicU64::new(0),
            turned_away: AtomicU64::new(0),
            received_bytes: AtomicU64::new(0),
            sent_bytes: AtomicU64::new(0),
            started: Instant::now(),
            recent: Mutex::default(),
        }
    }

    /// Counts a refusal.
    pub fn refused(&self, reason: Reason) {
        if let Some(counter) = self.refusals.get(reason as usize) {
            counter.fetch_add(1, Relaxed);
        }
    }

    /// Counts a request for an operation.
    pub fn job(&self, job: Job) {
        let Some((_, counters)) = self.operations.get(job.operation) else { return };
        if job.status == 200 {
            counters.answered.fetch_add(1, Relaxed);
            counters.items.fetch_add(job.items as u64, Relaxed);
            counters.bad_items.fetch_add(job.bad_items as u64, Relaxed);
            let time_us = job.time.as_micros() as u64;
            counters.time_us.fetch_add(time_us, Relaxed);
            counters.transfer_us.fetch_add(job.transfer.as_micros() as u64, Relaxed);
            let bucket = BUCKETS_US.iter().position(|bound| time_us <= *bound);
            if let Some(bucket) = bucket {
                counters.buckets[bucket].fetch_add(1, Relaxed);
            }
        } else {
            counters.refused.fetch_add(1, Relaxed);
        }
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.truncate(RECENT - 1);
        recent.push_front(job);
    }

    /// Returns the text for Prometheus.
    pub fn text(&self, queue: &Queue, runs: &Runs, memory: MemoryUse) -> String {
        let mut text = String::new();
        let mut family = |name: &str, kind: &str, help: &str, values: &[(String, f64)]| {
            // Writing to a string does not fail.
            let _ = writeln!(text, "# HELP halimede_{name} {help}\n# TYPE halimede_{name} {kind}");
            for (labels, value) in values {
                let _ = writeln!(text, "halimede_{name}{labels} {value}");
            }
        };
        let of = |value: &AtomicU64| value.load(Relaxed) as f64;
        let one = |value: f64| [(String::new(), value)];
        let by_operation = |value: &dyn Fn(&OfOperation) -> f64| -> Vec<(String, f64)> {
            let row = |(name, counters): &(&str, OfOperation)| {
                (format!("{{operation=\"{name}\"}}"), value(counters))
            };
            self.operations.iter().map(row).collect()
        };
        let requests = self.operations.iter().flat_map(|(name, counters)| {
            [("answered", &counters.answered), ("refused", &counters.refused)].map(
                |(outcome, value)| {
                    (format!("{{operation=\"{name}\",outcome=\"{outcome}\"}}"), of(value))
                },
            )
        });
        family(
            "requests_total",
            "counter",
            "Requests for operations.",
            &requests.collect::<Vec<_>>(),
        );
        family(
            "items_total",
            "counter",
            "Items of answered requests.",
            &by_operation(&|counters| of(&counters.items)),
        );
        family(
            "bad_items_total",
            "counter",
            "Items that were answered by errors.",
            &by_operation(&|counters| of(&counters.bad_items)),
        );
        let refusals = Reason::ALL
            .iter()
            .zip(&self.refusals)
            .map(|(reason, value)| (format!("{{reason=\"{}\"}}", reason.word()), of(value)));
        family("refusals_total", "counter", "Refused requests.", &refusals.collect::<Vec<_>>());
        family("other_requests_total", "counter", "Other requests.", &one(of(&self.others)));
        let help = "Clients that disconnected before their answer.";
        family("clients_gone_total", "counter", help, &one(of(&self.gone)));
        let help = "Open connections.";
        family("connections", "gauge", help, &one(self.connections.load(Relaxed) as f64));
        let help = "Connections that were accepted.";
        family("connections_total", "counter", help, &one(of(&self.accepted)));
        let help = "Connections that were refused.";
        family("connections_refused_total", "counter", help, &one(of(&self.turned_away)));
        let help = "Bytes of bodies of requests.";
        family("received_bytes_total", "counter", help, &one(of(&self.received_bytes)));
        family("sent_bytes_total", "counter", "Bytes of answers.", &one(of(&self.sent_bytes)));
        let help = "Bytes of memory that requests are charged for.";
        family("request_memory_bytes", "gauge", help, &one(memory.requests as f64));
        let help = "Bytes of memory that keys and computations with them are charged for.";
        family("key_memory_bytes", "gauge", help, &one(memory.keys as f64));
        let (fill, (batches, joined)) = (queue.fill(), queue.batches());
        let help = "Items that wait or are being computed.";
        family("queue_items", "gauge", help, &one(fill.items as f64));
        let help = "Requests that wait or are being computed.";
        family("queue_requests", "gauge", help, &one(fill.requests as f64));
        let help = "Batches sent to the device.";
        family("batches_total", "counter", help, &one(batches as f64));
        let help = "Requests in these batches; a request in several batches counts in each.";
        family("joined_requests_total", "counter", help, &one(joined as f64));
        device_families(queue, &mut family);
        gpu_families(&queue.device().gpus(), &mut family);
        run_families(runs, &mut family);
        let help = "Seconds spent on reading bodies and writing answers, for answered requests.";
        let transfer = by_operation(&|counters| of(&counters.transfer_us) / 1e6);
        family("transfer_seconds_total", "counter", help, &transfer);
        let help = "Seconds since the start of the server.";
        family("uptime_seconds", "gauge", help, &one(self.started.elapsed().as_secs_f64()));
        self.histograms(&mut text);
        text
    }

    fn histograms(&self, text: &mut String) {
        let name = "halimede_request_seconds";
        let _ = writeln!(text, "# HELP {name} Time of answered requests.\n# TYPE {name} histogram");
        for (operation, counters) in &self.operations {
            let mut sum = 0;
            for (bound, bucket) in BUCKETS_US.iter().zip(&counters.buckets) {
                sum += bucket.load(Relaxed);
                let bound = *bound as f64 / 1e6;
                let labels = format!("operation=\"{operation}\",le=\"{bound}\"");
                let _ = writeln!(text, "{name}_bucket{{{labels}}} {sum}");
            }
            let count = counters.answered.load(Relaxed).max(sum);
            let seconds = counters.time_us.load(Relaxed) as f64 / 1e6;
            let _ = writeln!(
                text,
                "{name}_bucket{{operation=\"{operation}\",le=\"+Inf\"}} {count}\n\
                 {name}_sum{{operation=\"{operation}\"}} {seconds}\n\
                 {name}_count{{operation=\"{operation}\"}} {count}"
            );
        }
    }

    /// Returns the data of the dashboard.
    pub fn snapshot(&self, queue: &Queue) -> Value {
        let (fill, limits, (batches, joined)) = (queue.fill(), queue.limits(), queue.batches());
        let of = |value: &AtomicU64| value.load(Relaxed);
        let operations: Vec<Value> = self
            .operations
            .iter()
            .map(|(name, counters)| {
                json!({
                    "name": name, "answered": of(&counters.answered),
                    "refused": of(&counters.refused), "items": of(&counters.items),
                    "bad_items": of(&counters.bad_items), "time_us": of(&counters.time_us),
                    "transfer_us": of(&counters.transfer_us),
                })
            })
            .collect();
        let work = queue.device_log().work();
        let device: Vec<Value> = work
            .iter()
            .map(|(name, work)| {
                json!({
                    "name": name, "items": work.items, "failures": work.failures,
                    "busy_us": work.busy.as_micros() as u64,
                })
            })
            .collect();
        let failure = queue.device_log().latest_failure().map(|failure| {
            json!({
                "operation": failure.operation, "reason": failure.reason,
                "ago_ms": failure.at.elapsed().as_millis() as u64,
            })
        });
        let refusals = Reason::ALL.iter().zip(&self.refusals);
        let refusals = refusals.map(|(reason, count)| (reason.word().to_owned(), of(count).into()));
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let jobs: Vec<Value> = recent
            .iter()
            .map(|job| {
                let name = self.operations.get(job.operation).map(|(name, _)| *name);
                json!({
                    "operation": name, "items": job.items, "bad_items": job.bad_items,
                    "status": job.status, "time_us": job.time.as_micros() as u64,
                })
            })
            .collect();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let device_state = match queue.keeper().condition() {
            Condition::Good => "good".to_owned(),
            Condition::Failed { reason, tries, next: Some(_) } => {
                format!("failed ({reason}): being reopened, {tries} tries so far")
            }
            Condition::Failed { reason, .. } => format!("failed ({reason}): cannot be reopened"),
        };
        json!({
            "device_state": device_state, "time_ms": now.as_millis() as u64,
            "uptime_ms": self.started.elapsed().as_millis() as u64,
            "operations": operations, "refusals": refusals.collect::<serde_json::Map<_, _>>(),
            "queue": {
                "items": fill.items, "most_items": limits.items,
                "requests": fill.requests, "most_requests": limits.requests,
                "batches": batches, "joined": joined,
            },
            "connections": self.connections.load(Relaxed), "gone": of(&self.gone),
            "received_bytes": of(&self.received_bytes), "sent_bytes": of(&self.sent_bytes),
            "jobs": jobs, "device": device, "failure": failure, "gpus": queue.device().gpus(),
        })
    }
}

/// A function that writes a family: its name, type and meaning, and its values by labels.
type Family<'f> = &'f mut dyn FnMut(&str, &str, &str, &[(String, f64)]);

/// Writes the counters of runs of networks.
fn run_families(runs: &Runs, family: Family<'_>) {
    let (waiting, running) = runs.fill();
    let states = [("waiting", waiting), ("running", running)];
    let states = states.map(|(word, count)| (format!("{{state=\"{word}\"}}"), count as f64));
    family("network_runs", "gauge", "Runs of networks that are not complete.", &states);
    let counts = runs.counts();
    let outcomes = counts.outcomes();
    let outcomes = outcomes.map(|(word, count)| (format!("{{outcome=\"{word}\"}}"), count as f64));
    family("network_runs_total", "counter", "Ended runs of networks.", &outcomes);
    let one = |value: f64| [(String::new(), value)];
    let help = "Runs of networks that an earlier server left.";
    family("network_runs_resumed_total", "counter", help, &one(counts.all_resumed() as f64));
    let help = "Seconds of computing runs of networks.";
    family("network_run_seconds_total", "counter", help, &one(counts.busy_seconds()));
}

/// Writes the counters and the state of the device.
fn device_families(queue: &Queue, family: Family<'_>) {
    let work = queue.device_log().work();
    let label = |name: &str| format!("{{operation=\"{name}\"}}");
    let of_device = |value: &dyn Fn(&DeviceWork) -> f64| -> Vec<(String, f64)> {
        work.iter().map(|(name, work)| (label(name), value(work))).collect()
    };
    let help = "Items answered by the device.";
    family("device_items_total", "counter", help, &of_device(&|work| work.items as f64));
    let help = "Items answered by the fallback of the device.";
    let by_fallback = of_device(&|work| work.fallback_items as f64);
    family("fallback_items_total", "counter", help, &by_fallback);
    let help = "Seconds that the device was busy.";
    let busy = of_device(&|work| work.busy.as_secs_f64());
    family("device_busy_seconds_total", "counter", help, &busy);
    let help = "Batches that the device failed to answer.";
    family("device_failures_total", "counter", help, &of_device(&|work| work.failures as f64));
    let one = |value: f64| [(String::new(), value)];
    let is_good = matches!(queue.keeper().condition(), Condition::Good)
        && queue.device().capabilities().absent.is_none();
    let help = "1 if the device is open, 0 if it has failed or could not be opened.";
    family("device_up", "gauge", help, &one(u8::from(is_good).into()));
    let lacking: Vec<_> = queue.lacking().iter().map(|name| (label(name), 1.0)).collect();
    let help = "1 for each operation that the device does not support itself.";
    family("device_lacks", "gauge", help, &lacking);
    let (tries, opened) = queue.keeper().tries();
    let help = "Tries to reopen the device.";
    family("device_reopen_tries_total", "counter", help, &one(tries as f64));
    let help = "Successful tries to reopen the device.";
    family("device_reopened_total", "counter", help, &one(opened as f64));
}

/// Writes the state of each GPU; nothing for other devices.
fn gpu_families(gpus: &[GpuStatus], family: Family<'_>) {
    if gpus.is_empty() {
        return;
    }
    let by_gpu = |value: &dyn Fn(&GpuStatus) -> f64| -> Vec<(String, f64)> {
        gpus.iter().map(|gpu| (format!("{{gpu=\"{}\"}}", gpu.number), value(gpu))).collect()
    };
    let names: Vec<_> = gpus
        .iter()
        .map(|gpu| (format!("{{gpu=\"{}\",name=\"{}\"}}", gpu.number, escaped(&gpu.name)), 1.0))
        .collect();
    family("gpu_info", "gauge", "The name of the GPU; always 1.", &names);
    let is_up = |gpu: &GpuStatus| f64::from(u8::from(gpu.state == GpuCondition::Good));
    family("gpu_up", "gauge", "1 if the GPU works, 0 if it was lost.", &by_gpu(&is_up));
    let states: Vec<_> = gpus
        .iter()
        .flat_map(|gpu| GpuCondition::ALL.map(|state| (gpu, state)))
        .map(|(gpu, state)| {
            let labels = format!("{{gpu=\"{}\",state=\"{}\"}}", gpu.number, state.name());
            (labels, f64::from(u8::from(gpu.state == state)))
        })
        .collect();
    let help = "1 for the state of the GPU: good, lost, or unusable if it could not be reopened.";
    family("gpu_state", "gauge", help, &states);
    let used = by_gpu(&|gpu| gpu.memory_used_bytes as f64);
    family("gpu_memory_used_bytes", "gauge", "Bytes of the GPU's memory in use here.", &used);
    let limit = by_gpu(&|gpu| gpu.memory_limit_bytes as f64);
    let help = "The most bytes of the GPU's memory that may be used here.";
    family("gpu_memory_limit_bytes", "gauge", help, &limit);
    let help = "Batches of which the GPU answered a part.";
    family("gpu_batches_total", "counter", help, &by_gpu(&|gpu| gpu.batches as f64));
    let help = "Times that the GPU was lost.";
    family("gpu_losses_total", "counter", help, &by_gpu(&|gpu| gpu.losses as f64));
}

/// Escapes the value of a label (text exposition format 0.0.4).
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
