// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The routes of the operations, and those of the list here. The OpenAPI document describes both.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode};
use axum::routing::{delete, get, post, put, MethodRouter};
use axum::Router;
use halimede_arith::interface::Setting;

use super::media::{typed, EVENTS, JSON, OCTETS};
use super::operate::operate;
use super::state::{refused, App};
use super::{networks, readiness, runs, store};
use crate::dashboard;
use crate::metrics::MemoryUse;
use crate::refusal::{Reason, Refusal};

/// A route that does not belong to an operation.
pub struct Route {
    /// The method, in the spelling of OpenAPI.
    pub method: &'static str,
    /// The path.
    pub path: &'static str,
    /// A summary of the answer.
    pub summary: &'static str,
    /// The settings of its query.
    pub settings: &'static [Setting],
    /// The media type of its answer.
    pub answer: &'static str,
    /// The status of its answer.
    pub status: u16,
    /// `true` if it needs no token.
    pub is_public: bool,
    /// Its handler.
    handler: fn() -> MethodRouter<Arc<App>>,
}

const HTML: &str = "text/html; charset=utf-8";

/// All routes that do not belong to operations.
pub static ROUTES: &[Route] = &[
    Route::get("/healthz", "Liveness of the server", "text/plain", true, || get(health)),
    Route::get(
        "/readyz",
        "Readiness of the server, and the state of its device",
        "text/plain",
        true,
        || get(ready),
    ),
    Route::get("/metrics", "Counters for Prometheus", METRICS, false, || get(metrics)),
    Route::get("/openapi.json", "This document", JSON, true, || get(document)),
    Route::get("/", "The dashboard", HTML, true, || get(dashboard::page)),
    Route::get("/dashboard.css", "The dashboard's style", dashboard::CSS, true, || {
        get(dashboard::style)
    }),
    Route::get("/dashboard.js", "The dashboard's program", dashboard::SCRIPT, true, || {
        get(dashboard::script)
    }),
    Route::get("/events", "The data of the dashboard, once per second", EVENTS, false, || {
        get(dashboard::events)
    }),
    Route::get("/v1/objects", "All objects", JSON, false, || get(store::list)),
    Route::get("/v1/objects/{hash}", "The state of an object", JSON, false, || {
        get(store::standing)
    }),
    Route {
        method: "put",
        path: "/v1/objects/{hash}",
        summary: "Adds a piece to an object; 201 when the object is complete",
        settings: store::PIECE,
        answer: JSON,
        status: 202,
        is_public: false,
        handler: || put(store::add),
    },
    Route {
        method: "delete",
        path: "/v1/objects/{hash}",
        summary: "Removes an object",
        settings: &[],
        answer: "",
        status: 204,
        is_public: false,
        handler: || delete(store::remove),
    },
    Route::get("/v1/networks", "All networks", JSON, false, || get(networks::list)),
    Route::get("/v1/networks/{hash}", "The facts of a network", JSON, false, || {
        get(networks::facts)
    }),
    Route::get("/v1/networks/{hash}/interface", "The interface file", OCTETS, false, || {
        get(networks::interface)
    }),
    Route {
        method: "post",
        path: "/v1/networks/{hash}/runs",
        summary: "Starts a run of a network on an encrypted input",
        settings: runs::RUN,
        answer: JSON,
        status: 202,
        is_public: false,
        handler: || post(runs::start),
    },
    Route::get("/v1/runs", "The runs of this token", JSON, false, || get(runs::list)),
    Route::get("/v1/runs/{run}", "The state of a run", JSON, false, || get(runs::state)),
    Route::get(
        "/v1/runs/{run}/events",
        "The state of a run, after each step",
        EVENTS,
        false,
        || get(runs::events),
    ),
    Route::get("/v1/runs/{run}/result", "The encrypted result of a run", OCTETS, false, || {
        get(runs::result)
    }),
    Route {
        method: "delete",
        path: "/v1/runs/{run}",
        summary: "Cancels and removes a run",
        settings: &[],
        answer: "",
        status: 204,
        is_public: false,
        handler: || delete(runs::remove),
    },
];

const METRICS: &str = "text/plain; version=0.0.4";

impl Route {
    const fn get(
        path: &'static str,
        summary: &'static str,
        answer: &'static str,
        is_public: bool,
        handler: fn() -> MethodRouter<Arc<App>>,
    ) -> Self {
        Self {
            method: "get",
            path,
            summary,
            settings: &[],
            answer,
            status: 200,
            is_public,
            handler,
        }
    }
}

/// Returns `true` if a path needs no token.
pub fn is_public(path: &str) -> bool {
    ROUTES.iter().any(|route| route.is_public && route.path == path)
}

/// Returns the router.
pub fn router(app: &Arc<App>) -> Router {
    let mut router = Router::new();
    for route in ROUTES {
        router = router.route(route.path, (route.handler)());
    }
    for (number, endpoint) in app.endpoints.iter().enumerate() {
        let answer = move |app, request| operate(number, app, request);
        router = router.route(endpoint.about().path, post(answer));
    }
    router.fallback(unknown).method_not_allowed_fallback(wrong_method).with_state(Arc::clone(app))
}

async fn unknown() -> Response<Body> {
    refused(&Refusal::new(Reason::Path, "unknown path: see /openapi.json"))
}

async fn wrong_method(request: Request) -> Response<Body> {
    let message = format!("the path does not support the method {}", request.method());
    refused(&Refusal::new(Reason::Method, message))
}

async fn health() -> Response<Body> {
    typed("text/plain", "ok\n")
}

async fn ready(State(app): State<Arc<App>>) -> Response<Body> {
    let (is_ready, text) = readiness::of(&app);
    let mut response = typed("text/plain", text);
    if !is_ready {
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    }
    response
}

async fn metrics(State(app): State<Arc<App>>) -> Response<Body> {
    let (requests, keys) = (app.memory.used_bytes(), app.objects.keys().used_bytes());
    typed(METRICS, app.metrics.text(&app.queue, &app.runs, MemoryUse { requests, keys }))
}

async fn document(State(app): State<Arc<App>>) -> Response<Body> {
    typed(JSON, app.document.clone())
}
