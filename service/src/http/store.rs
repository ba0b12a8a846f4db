// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Handles requests for objects.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::header::{HeaderValue, CONTENT_TYPE};
use axum::http::{Response, StatusCode};
use halimede_arith::interface::{Setting, Values};
use serde_json::{json, Value};
use tokio::sync::Semaphore;

use super::body::{self, ChargedBody};
use super::media::{JSON, OCTETS};
use super::state::{refused, App};
use crate::objects::{Hash, Kind, Owner, Piece, Standing, NETWORK};
use crate::query;
use crate::refusal::{Reason, Refusal};

/// The settings of a piece.
pub const PIECE: &[Setting] = &[
    Setting {
        name: "kind",
        about: "The kind of the object.",
        values: Values::Choice(Kind::NAMES),
        default: None,
    },
    Setting {
        name: "bytes",
        about: "The number of bytes of the whole object.",
        values: Values::Whole { least: 1, most: 1 << 40 },
        default: None,
    },
    Setting {
        name: "offset",
        about: "The offset of the piece in the object: the number of bytes received so far.",
        values: Values::Whole { least: 0, most: 1 << 40 },
        default: Some("0"),
    },
];

/// `GET /v1/objects`
pub async fn list(State(app): State<Arc<App>>) -> Response<Body> {
    let room = Arc::clone(&app.storing);
    let list = blocking(&room, move || {
        let (objects, bytes, quota_bytes) = app.objects.list();
        let objects: Vec<Value> =
            objects.iter().map(|(hash, standing)| object(hash, *standing)).collect();
        let list = json!({ "objects": objects, "bytes": bytes, "quota_bytes": quota_bytes });
        Ok(answer(StatusCode::OK, &list))
    });
    list.await.unwrap_or_else(|refusal| refused(&refusal))
}

/// `GET /v1/objects/{hash}`
pub async fn standing(State(app): State<Arc<App>>, Path(hash): Path<String>) -> Response<Body> {
    let room = Arc::clone(&app.storing);
    let find = move || parse(&hash).and_then(|hash| Ok((hash, app.objects.standing(&hash)?)));
    match blocking(&room, find).await {
        Ok((hash, standing)) => answer(StatusCode::OK, &object(&hash, standing)),
        Err(refusal) => refused(&refusal),
    }
}

/// `DELETE /v1/objects/{hash}`
pub async fn remove(State(app): State<Arc<App>>, Path(hash): Path<String>) -> Response<Body> {
    let hash = match parse(&hash) {
        Ok(hash) => hash,
        Err(refusal) => return refused(&refusal),
    };
    let room = Arc::clone(&app.storing);
    match blocking(&room, move || app.objects.remove(&hash)).await {
        Ok(()) => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NO_CONTENT;
            response
        }
        Err(refusal) => refused(&refusal),
    }
}

/// `PUT /v1/objects/{hash}`
pub async fn add(
    State(app): State<Arc<App>>,
    Path(hash): Path<String>,
    request: Request,
) -> Response<Body> {
    match add_piece(app, &hash, request).await {
        Ok(response) => response,
        Err(refusal) => refused(&refusal),
    }
}

async fn add_piece(app: Arc<App>, hash: &str, request: Request) -> Result<Response<Body>, Refusal> {
    let (head, body) = request.into_parts();
    let given = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if given != Some(OCTETS) {
        return Err(Refusal::new(Reason::Type, format!("expected the Content-Type {OCTETS}")));
    }
    let hash = parse(hash)?;
    let settings = query::read(head.uri.query().unwrap_or_default(), PIECE)?;
    let kind = Kind::of_name(settings.get("kind"));
    let kind = kind.ok_or_else(|| Refusal::new(Reason::Setting, "`kind`: unknown"))?;
    if kind == Kind::Of(NETWORK) && !app.network_uploads {
        let message = "this server accepts no networks from clients (--network-uploads)";
        return Err(Refusal::new(Reason::NetworkUploads, message));
    }
    let (bytes, offset) = (settings.whole("bytes") as u64, settings.whole("offset") as u64);
    let owner = head.extensions.get::<Owner>().copied().unwrap_or_default();
    let held = body::read(&app, &head.headers, body).await?;
    let received = held.bytes.len() as u64;
    app.metrics.received_bytes.fetch_add(received, std::sync::atomic::Ordering::Relaxed);
    let room = Arc::clone(&app.storing);
    let standing = blocking(&room, move || {
        let ChargedBody { bytes: content, charge: _charge } = held;
        app.objects.add(&hash, Piece { owner, kind, bytes, offset, content: &content })
    })
    .await?;
    let status = match standing.is_complete {
        true => StatusCode::CREATED,
        false => StatusCode::ACCEPTED,
    };
    Ok(answer(status, &object(&hash, standing)))
}

/// Runs work that waits for the disk on a blocking thread with a permit.
pub(super) async fn blocking<T: Send + 'static>(
    room: &Arc<Semaphore>,
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let failed = |error: &dyn std::fmt::Display| {
        tracing::error!(%error, "work for a request failed");
        Refusal::new(Reason::Internal, "the work for the request failed")
    };
    let permit = Arc::clone(room).acquire_owned().await.map_err(|error| failed(&error))?;
    let done = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        work()
    });
    done.await.unwrap_or_else(|error| Err(failed(&error)))
}

pub(super) fn parse(text: &str) -> Result<Hash, Refusal> {
    let mut hash = [0; 32];
    hex::decode_to_slice(text, &mut hash).map(|()| hash).map_err(|_| {
        Refusal::new(Reason::Path, "the name of an object must be a hash of 64 hexadecimal digits")
    })
}

fn object(hash: &Hash, standing: Standing) -> Value {
    let Standing { kind, bytes, received, is_complete } = standing;
    json!({
        "hash": hex::encode(hash), "kind": kind.name(), "bytes": bytes, "received": received,
        "complete": is_complete,
    })
}

pub(super) fn answer(status: StatusCode, value: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    response
}
