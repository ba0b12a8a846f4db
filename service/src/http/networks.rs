// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Handles requests for networks.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{Response, StatusCode};
use serde_json::{json, Value};

use super::media::{typed, OCTETS};
use super::state::{refused, App};
use super::store::{answer, blocking, parse};
use crate::networks::{Listed, Network};
use crate::objects::Hash;
use crate::refusal::Refusal;

/// `GET /v1/networks`
pub async fn list(State(app): State<Arc<App>>) -> Response<Body> {
    let room = Arc::clone(&app.storing);
    let list = blocking(&room, move || Ok(app.runs.networks().list()));
    match list.await {
        Ok(list) => {
            let networks: Vec<Value> = list.iter().map(listed).collect();
            answer(StatusCode::OK, &json!({ "networks": networks }))
        }
        Err(refusal) => refused(&refusal),
    }
}

fn listed(network: &Listed) -> Value {
    let origin = if network.is_pinned { "start" } else { "upload" };
    json!({ "network": hex::encode(network.hash), "bytes": network.bytes, "origin": origin })
}

/// `GET /v1/networks/{hash}`
pub async fn facts(State(app): State<Arc<App>>, Path(hash): Path<String>) -> Response<Body> {
    match compiled(&app, &hash).await {
        Ok((hash, network)) => answer(StatusCode::OK, &network.facts(&hash)),
        Err(refusal) => refused(&refusal),
    }
}

/// `GET /v1/networks/{hash}/interface`
pub async fn interface(State(app): State<Arc<App>>, Path(hash): Path<String>) -> Response<Body> {
    match compiled(&app, &hash).await {
        Ok((_, network)) => typed(OCTETS, network.interface.clone()),
        Err(refusal) => refused(&refusal),
    }
}

/// Returns a network, which may take long to compile.
async fn compiled(app: &Arc<App>, hash: &str) -> Result<(Hash, Arc<Network>), Refusal> {
    let hash = parse(hash)?;
    let of_work = Arc::clone(app);
    let network = blocking(&app.planners, move || of_work.runs.networks().get(&hash)).await?;
    Ok((hash, network))
}
