// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state that all requests of a server share.

use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::Response;
use tokio::sync::{watch, Semaphore};

use crate::charge::RequestMemory;
use crate::metrics::Metrics;
use crate::objects::Objects;
use crate::operations::Endpoint;
use crate::options::Limits;
use crate::queue::Queue;
use crate::refusal::Refusal;
use crate::tokens::Tokens;

/// Threads that wait for the folder of objects at once.
pub const STORING_THREADS: usize = 8;

/// What all requests share.
pub struct App {
    /// The table of operations.
    pub endpoints: Vec<Arc<dyn Endpoint>>,
    /// The queue.
    pub queue: Arc<Queue>,
    /// Uploaded objects.
    pub objects: Arc<Objects>,
    /// The limits.
    pub limits: Limits,
    /// The counters.
    pub metrics: Metrics,
    /// The memory of requests.
    pub memory: RequestMemory,
    /// Room for threads that read and write batches: as many as there are processors.
    pub readers: Arc<Semaphore>,
    /// Room for threads that read batches whose reading may take long: half as many, two at least.
    pub planners: Arc<Semaphore>,
    /// Room for threads that wait for the folder of objects.
    pub storing: Arc<Semaphore>,
    /// Room for dashboards.
    pub dashboards: Arc<Semaphore>,
    /// The OpenAPI document.
    pub document: String,
    /// Whether the server is ending.
    pub is_ending: AtomicBool,
    /// Whether it waits for nobody any more.
    pub is_closing: watch::Sender<bool>,
    pub(super) tokens: Option<Tokens>,
    /// Names of this server; none where any is good.
    pub(super) hosts: Option<Vec<String>>,
}

/// What a handler says of a request for an operation.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    /// The operation's place in the table.
    pub operation: usize,
    /// Items.
    pub items: usize,
    /// Bad ones among them.
    pub bad_items: usize,
    /// Bytes of the body.
    pub received_bytes: usize,
    /// How long it took to receive and read the body, and to write the answer.
    pub transfer: Duration,
}

/// The answer of a refusal, with its reason for the counters.
pub fn refused(refusal: &Refusal) -> Response<Body> {
    let mut response = refusal.response();
    response.extensions_mut().insert(refusal.reason);
    response
}
