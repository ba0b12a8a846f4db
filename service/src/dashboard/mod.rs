// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The dashboard: a self-contained page, and the stream of events that it shows.

use std::pin::Pin;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{HeaderName, HeaderValue, CONTENT_SECURITY_POLICY, REFERRER_POLICY};
use axum::http::header::{X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS};
use axum::http::Response;
use http_body::Frame;
use serde_json::json;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Interval;

use crate::http::{refused, typed, App, EVENTS};
use crate::refusal::{Reason, Refusal};

/// The type of the style.
pub const CSS: &str = "text/css; charset=utf-8";
/// The type of the program.
pub const SCRIPT: &str = "text/javascript; charset=utf-8";
const PERIOD: Duration = Duration::from_secs(1);

/// The page may only load its own files, and cannot be embedded in a frame.
const POLICY: &str =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PROTECTION: [(HeaderName, &str); 4] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
];

/// `GET /`
pub async fn page() -> Response<Body> {
    protected("text/html; charset=utf-8", include_str!("page.html"))
}

/// `GET /dashboard.css`
pub async fn style() -> Response<Body> {
    protected(CSS, include_str!("page.css"))
}

/// `GET /dashboard.js`
pub async fn script() -> Response<Body> {
    protected(SCRIPT, include_str!("page.js"))
}

fn protected(kind: &'static str, text: &'static str) -> Response<Body> {
    let mut response = typed(kind, text);
    for (name, value) in PROTECTION {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// `GET /events`
pub async fn events(State(app): State<Arc<App>>) -> Response<Body> {
    let Ok(permit) = Arc::clone(&app.dashboards).try_acquire_owned() else {
        let message = "too many dashboards are open";
        return refused(&Refusal::for_now(Reason::Queue, message, PERIOD));
    };
    let interval = tokio::time::interval(PERIOD);
    typed(EVENTS, Body::new(Events { app, interval, _permit: permit, is_first: true }))
}

/// A stream of one snapshot of the counters per second, until the client or the server ends.
struct Events {
    app: Arc<App>,
    interval: Interval,
    _permit: OwnedSemaphorePermit,
    is_first: bool,
}

impl http_body::Body for Events {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if self.interval.poll_tick(context).is_pending() {
            return Poll::Pending;
        }
        if self.app.is_ending.load(Relaxed) {
            return Poll::Ready(None);
        }
        let queue = &self.app.queue;
        let mut event = String::new();
        if self.is_first {
            let device = queue.device();
            let about = json!({
                "version": env!("CARGO_PKG_VERSION"), "name": device.name(),
                "capabilities": device.capabilities(),
            });
            event.push_str(&format!("event: device\ndata: {about}\n\n"));
        }
        event.push_str(&format!("data: {}\n\n", self.app.metrics.snapshot(queue)));
        self.is_first = false;
        Poll::Ready(Some(Ok(Frame::data(event.into()))))
    }
}
