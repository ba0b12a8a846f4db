// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Handles requests for runs of networks.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::header::{HeaderValue, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Response, StatusCode};
use axum::Extension;
use halimede_arith::interface::{Setting, Values};
use serde_json::{json, Value};

use super::body::{self, ChargedBody};
use super::media::OCTETS;
use super::run_events;
use super::state::{refused, App};
use super::store::{answer, blocking, parse};
use crate::objects::{Owner, CKKS_KEYS};
use crate::query::{self, hash};
use crate::refusal::{Reason, Refusal};
use crate::runs::{Asked, Name, Phase, Run};

/// The settings of a new run.
pub const RUN: &[Setting] = &[
    Setting {
        name: "keys",
        about: "The evaluation keys, an object of kind `ckks-keys`.",
        values: Values::Object(CKKS_KEYS),
        default: None,
    },
    Setting {
        name: "place",
        about:
            "The place of the input in the network's batch, from 1, if it is encrypted alone in \
                this place: it can then share a run with other inputs of its client. 0: the input \
                fills the batch.",
        values: Values::Whole { least: 0, most: 1024 },
        default: Some("0"),
    },
    Setting {
        name: "attached",
        about:
            "`yes`: the answer is the stream of the run's events, and the run is cancelled when \
                the client disconnects.",
        values: Values::Choice(&["no", "yes"]),
        default: Some("no"),
    },
];

/// The memory of an encrypted input per byte of its file while it is checked: the ciphertexts, in
/// which a file may have a seed for one half, and residues have fewer bits.
const GROWTH: usize = 4;

/// `POST /v1/networks/{hash}/runs`
pub async fn start(
    State(app): State<Arc<App>>,
    Path(network): Path<String>,
    request: Request,
) -> Response<Body> {
    let (head, body) = request.into_parts();
    match start_run(&app, &network, &head, body).await {
        Ok(response) => response,
        Err(refusal) => refused(&refusal),
    }
}

async fn start_run(
    app: &Arc<App>,
    network: &str,
    head: &Parts,
    body: Body,
) -> Result<Response<Body>, Refusal> {
    check_type(&head.headers)?;
    let network = parse(network)?;
    let settings = query::read(head.uri.query().unwrap_or_default(), RUN)?;
    let keys = hash(settings.get("keys")).unwrap_or_default();
    let place = settings.whole("place") as u64;
    let is_attached = settings.get("attached") == "yes";
    let owner = head.extensions.get::<Owner>().copied().unwrap_or_default();
    let room = is_attached.then(|| run_events::room(app)).transpose()?;
    let mut held = body::read(app, &head.headers, body).await?;
    app.metrics.received_bytes.fetch_add(held.bytes.len() as u64, Relaxed);
    held.charge.grow_to((GROWTH + 1) * held.bytes.len())?;
    let of_work = Arc::clone(app);
    // The run is in the queue when this ends, even if the client has disconnected meanwhile: an
    // attached run then ends with the guard.
    let started = blocking(&app.planners, move || {
        let ChargedBody { bytes: input, charge: _charge } = held;
        let asked = Asked { owner, network, keys, place, is_attached, input: &input };
        let run = of_work.runs.start(&asked)?;
        let guard = is_attached.then(|| run_events::Guard::new(&of_work.runs, &run));
        Ok((run, guard))
    });
    let (run, guard) = started.await?;
    match room {
        Some(room) => Ok(run_events::stream(app, &run, room, guard)),
        None => Ok(answer(StatusCode::ACCEPTED, &run.state())),
    }
}

fn check_type(headers: &HeaderMap) -> Result<(), Refusal> {
    let given = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    match given == Some(OCTETS) {
        true => Ok(()),
        false => Err(Refusal::new(Reason::Type, format!("expected the Content-Type {OCTETS}"))),
    }
}

/// `GET /v1/runs`
pub async fn list(State(app): State<Arc<App>>, owner: Extension<Owner>) -> Response<Body> {
    let room = Arc::clone(&app.storing);
    match blocking(&room, move || Ok(app.runs.list(owner.0))).await {
        Ok(runs) => {
            let runs: Vec<Value> = runs.iter().map(|run| run.state()).collect();
            answer(StatusCode::OK, &json!({ "runs": runs }))
        }
        Err(refusal) => refused(&refusal),
    }
}

/// `GET /v1/runs/{run}`
pub async fn state(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    owner: Extension<Owner>,
) -> Response<Body> {
    match find(&app, owner.0, &name) {
        Ok(run) => answer(StatusCode::OK, &run.state()),
        Err(refusal) => refused(&refusal),
    }
}

/// `GET /v1/runs/{run}/events`
pub async fn events(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    owner: Extension<Owner>,
) -> Response<Body> {
    let found = find(&app, owner.0, &name);
    match found.and_then(|run| Ok((run, run_events::room(&app)?))) {
        Ok((run, room)) => run_events::stream(&app, &run, room, None),
        Err(refusal) => refused(&refusal),
    }
}

/// `GET /v1/runs/{run}/result`
pub async fn result(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    owner: Extension<Owner>,
) -> Response<Body> {
    match send_result(&app, owner.0, &name).await {
        Ok(response) => response,
        Err(refusal) => refused(&refusal),
    }
}

async fn send_result(app: &Arc<App>, owner: Owner, name: &str) -> Result<Response<Body>, Refusal> {
    let run = find(app, owner, name)?;
    let phase = run.phase.borrow().clone();
    let bytes = match phase {
        Phase::Done { bytes, .. } => bytes,
        Phase::Failed { error, .. } => {
            return Err(Refusal::new(Reason::RunState, format!("the run failed: {error}")));
        }
        other => {
            let message = format!("the run is {}: wait for its event `done`", other.word());
            return Err(Refusal::new(Reason::RunState, message));
        }
    };
    let mut charge = app.memory.charge();
    charge.grow_to(usize::try_from(bytes).unwrap_or(usize::MAX))?;
    let of_work = Arc::clone(app);
    let content = blocking(&app.storing, move || of_work.runs.result(&run, bytes)).await?;
    let mut response = Response::new(body::answer(content, charge)?);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(OCTETS));
    Ok(response)
}

/// `DELETE /v1/runs/{run}`
pub async fn remove(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    owner: Extension<Owner>,
) -> Response<Body> {
    let run = match find(&app, owner.0, &name) {
        Ok(run) => run,
        Err(refusal) => return refused(&refusal),
    };
    let room = Arc::clone(&app.storing);
    let removed = blocking(&room, move || {
        app.runs.remove(run.about.name);
        Ok(())
    });
    match removed.await {
        Ok(()) => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NO_CONTENT;
            response
        }
        Err(refusal) => refused(&refusal),
    }
}

fn find(app: &App, owner: Owner, name: &str) -> Result<Arc<Run>, Refusal> {
    let name = Name::parse(name).ok_or_else(|| {
        Refusal::new(Reason::Path, "the name of a run must be 32 hexadecimal digits")
    })?;
    app.runs.get(owner, name)
}
