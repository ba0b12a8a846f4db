// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Handles a request from its headers to its answer: authorization, counters, logs.

use std::future::{poll_fn, Future};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use axum::body::Body;
use axum::http::{Request, Response};
use axum::Router;
use http_body::Body as _;
use tokio::sync::{watch, Semaphore};
use tower_service::Service;

use super::origins::{allow, Origins};
use super::state::{refused, App, Done, STORING_THREADS};
use super::{headers, routes};
use crate::charge::RequestMemory;
use crate::error::ServeError;
use crate::metrics::{Job, Metrics};
use crate::objects::{Objects, Owner};
use crate::options::Options;
use crate::queue::Queue;
use crate::refusal::{Reason, Refusal};
use crate::runs::Runs;
use crate::tokens::Tokens;

/// The maximum number of open event streams for dashboards.
const MOST_DASHBOARDS: usize = 16;

impl App {
    /// Creates the shared state of a server.
    ///
    /// # Errors
    /// [`ServeError`] if the tokens cannot be read, or other machines can reach the address and no
    /// tokens are configured.
    pub fn new(
        queue: Arc<Queue>,
        objects: Arc<Objects>,
        runs: Arc<Runs>,
        options: &Options,
    ) -> Result<Arc<Self>, ServeError> {
        let tokens = options.tokens.as_deref().map(Tokens::read).transpose()?;
        let is_local = options.listen.ip().is_loopback();
        if !is_local && tokens.is_none() && !options.allow_anyone {
            return Err(ServeError::Open { address: options.listen });
        }
        // Against DNS rebinding: a foreign page can make a browser send requests to this server
        // under a name that resolves to this machine. It can neither know a token nor choose
        // `Host`.
        let checks_hosts = tokens.is_none() && (is_local || !options.hosts.is_empty());
        let hosts = checks_hosts.then(|| options.hosts.clone());
        let endpoints = crate::operations::all(&queue, &objects);
        let metrics = Metrics::new(endpoints.iter().map(|endpoint| endpoint.about().name));
        let document = super::openapi::document(&endpoints, &options.limits).to_string();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Arc::new(Self {
            endpoints,
            queue,
            objects,
            runs,
            network_uploads: options.network_uploads,
            run_streams: Arc::new(Semaphore::new(options.limits.runs.streams)),
            limits: options.limits,
            metrics,
            memory: RequestMemory::new(options.limits.bodies_bytes),
            readers: Arc::new(Semaphore::new(cores.max(2))),
            planners: Arc::new(Semaphore::new(cores.div_ceil(2).max(2))),
            storing: Arc::new(Semaphore::new(STORING_THREADS)),
            dashboards: Arc::new(Semaphore::new(MOST_DASHBOARDS)),
            document,
            is_ending: AtomicBool::new(false),
            is_closing: watch::Sender::new(false),
            tokens,
            origins: Origins::new(&options.origins),
            hosts,
        }))
    }

    /// Answers a request.
    pub async fn answer(
        self: Arc<Self>,
        mut router: Router,
        mut request: Request<Body>,
    ) -> Response<Body> {
        let start = Instant::now();
        let mut gone = Gone { app: Some(&self) };
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let origin = self.origins.of(request.headers());
        let (mut response, owner) = match self.admit(&request) {
            Ok(Admitted::Preflight(response)) => (response, None),
            Ok(Admitted::Owner(owner)) => {
                request.extensions_mut().insert(Owner::of(owner));
                let answered = self.unless_closing(router.call(request)).await;
                let answered =
                    answered.map(|answered| answered.unwrap_or_else(|never| match never {}));
                (answered.unwrap_or_else(|refusal| refused(&refusal)), owner)
            }
            Err(refusal) => (refused(&refusal), None),
        };
        gone.app = None;
        if let Some(origin) = origin {
            allow(&mut response, origin);
        }
        let time = start.elapsed();
        let status = response.status().as_u16();
        let sent_bytes = response.body().size_hint().exact().unwrap_or_default();
        self.metrics.sent_bytes.fetch_add(sent_bytes, Relaxed);
        if let Some(reason) = response.extensions_mut().remove::<Reason>() {
            self.metrics.refused(reason);
        }
        let done = response.extensions_mut().remove::<Done>();
        match done {
            Some(Done { operation, items, bad_items, received_bytes, transfer }) => {
                self.metrics.received_bytes.fetch_add(received_bytes as u64, Relaxed);
                let job = Job { operation, items, bad_items, status, time, transfer };
                self.metrics.job(job);
            }
            None => drop(self.metrics.others.fetch_add(1, Relaxed)),
        }
        tracing::info!(
            target: "halimede_service::access",
            %method, path, status, sent_bytes,
            items = done.map(|done| done.items), owner, time_us = time.as_micros() as u64,
        );
        response
    }

    /// Checks that a request may be answered, and returns the owner of its token, or the answer to
    /// a preflight request.
    fn admit(&self, request: &Request<Body>) -> Result<Admitted<'_>, Refusal> {
        let (path, fields) = (request.uri().path(), request.headers());
        headers::check_framing(fields)?;
        let host = headers::host(request)?;
        if let (Some(hosts), Some(host)) = (&self.hosts, host) {
            host.check(hosts)?;
        }
        if let Some(response) = self.origins.preflight(request) {
            return Ok(Admitted::Preflight(response));
        }
        let Some(tokens) = &self.tokens else { return Ok(Admitted::Owner(None)) };
        match headers::bearer(fields).and_then(|token| tokens.owner(token)) {
            Some(owner) => Ok(Admitted::Owner(Some(owner))),
            None if routes::is_public(path) => Ok(Admitted::Owner(None)),
            None => {
                let message = "a valid token is required: Authorization: Bearer TOKEN";
                Err(Refusal::new(Reason::Token, message))
            }
        }
    }

    /// Waits for the answer to a request, or refuses it when the server no longer waits.
    async fn unless_closing<T>(&self, answer: impl Future<Output = T>) -> Result<T, Refusal> {
        let mut closing = self.is_closing.subscribe();
        let mut closing = pin!(closing.wait_for(|is_closing| *is_closing));
        let mut answer = pin!(answer);
        poll_fn(|context| match answer.as_mut().poll(context) {
            Poll::Ready(answer) => Poll::Ready(Ok(answer)),
            Poll::Pending => closing
                .as_mut()
                .poll(context)
                .map(|_| Err(Refusal::new(Reason::Ending, "the server is shutting down"))),
        })
        .await
    }
}

/// A request that may be answered.
enum Admitted<'a> {
    /// The name of its token, if the server has tokens.
    Owner(Option<&'a str>),
    /// The answer to a preflight request of a page.
    Preflight(Response<Body>),
}

/// Counts a client that disconnects: the future of its request is then dropped.
struct Gone<'a> {
    app: Option<&'a App>,
}

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        if let Some(app) = self.app {
            app.metrics.gone.fetch_add(1, Relaxed);
            tracing::debug!("a client disconnected before its answer");
        }
    }
}
