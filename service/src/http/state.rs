// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state that all requests of a server share.

use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::Response;
use tokio::sync::{watch, Semaphore};

use super::origins::Origins;
use crate::charge::RequestMemory;
use crate::metrics::Metrics;
use crate::objects::Objects;
use crate::operations::Endpoint;
use crate::options::Limits;
use crate::queue::Queue;
use crate::refusal::Refusal;
use crate::runs::Runs;
use crate::tokens::Tokens;

/// The maximum number of threads that wait for the folder of objects.
pub const STORING_THREADS: usize = 8;

/// The shared state of all requests.
pub struct App {
    /// The table of operations.
    pub endpoints: Vec<Arc<dyn Endpoint>>,
    /// The queue.
    pub queue: Arc<Queue>,
    /// Uploaded objects.
    pub objects: Arc<Objects>,
    /// Networks and their runs.
    pub runs: Arc<Runs>,
    /// `true` if clients may upload networks.
    pub network_uploads: bool,
    /// Permits for streams of runs' events.
    pub run_streams: Arc<Semaphore>,
    /// The limits.
    pub limits: Limits,
    /// The counters.
    pub metrics: Metrics,
    /// The memory of requests.
    pub memory: RequestMemory,
    /// Permits for threads that read and write batches: one per processor, at least two.
    pub readers: Arc<Semaphore>,
    /// Permits for threads that read batches whose reading may take long: one per two processors,
    /// at least two.
    pub planners: Arc<Semaphore>,
    /// Permits for threads that wait for the folder of objects.
    pub storing: Arc<Semaphore>,
    /// Permits for dashboards.
    pub dashboards: Arc<Semaphore>,
    /// The OpenAPI document.
    pub document: String,
    /// `true` while the server is shutting down.
    pub is_ending: AtomicBool,
    /// `true` when the server no longer waits for requests.
    pub is_closing: watch::Sender<bool>,
    pub(super) tokens: Option<Tokens>,
    /// The origins whose pages may use the server.
    pub(super) origins: Origins,
    /// The names of this server; `None` if any name is accepted.
    pub(super) hosts: Option<Vec<String>>,
}

/// The report of a handler on a request for an operation.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    /// The index of the operation in the table.
    pub operation: usize,
    /// The number of items.
    pub items: usize,
    /// The number of bad items.
    pub bad_items: usize,
    /// The number of bytes of the body.
    pub received_bytes: usize,
    /// The time for receiving and reading the body, and for writing the answer.
    pub transfer: Duration,
}

/// Returns the answer of a refusal, with its reason for the counters.
pub fn refused(refusal: &Refusal) -> Response<Body> {
    let mut response = refusal.response();
    response.extensions_mut().insert(refusal.reason);
    response
}
