// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bodies of requests, within limits of bytes, of time, and of memory for all of them.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_LENGTH;
use axum::http::HeaderMap;
use http_body_util::BodyExt;
use tokio::sync::OwnedSemaphorePermit;

use super::app::{App, UNIT_BYTES};
use crate::refusal::{Reason, Refusal};

/// When to try again where there is no memory for a body.
const MEMORY_RETRY: Duration = Duration::from_secs(1);

/// A body, and its part of the memory for bodies.
pub struct Held {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Gives the memory back when it is dropped.
    pub permit: OwnedSemaphorePermit,
}

/// Reads a body, each byte of which counts as `weight` bytes of memory.
///
/// # Errors
/// [`Reason::BodySize`], [`Reason::Memory`], [`Reason::Slow`]; [`Reason::Malformed`] where it is cut.
pub async fn read(
    app: &App,
    headers: &HeaderMap,
    mut body: Body,
    weight: usize,
) -> Result<Held, Refusal> {
    let limit = app.limits.body_bytes;
    let too_large = || {
        let message = format!("the body has more than {limit} bytes: send smaller batches");
        Refusal::new(Reason::BodySize, message)
    };
    let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let length: Option<usize> = length.and_then(|value| value.parse().ok());
    if length.is_some_and(|length| length > limit) {
        return Err(too_large());
    }
    let units = length.unwrap_or(limit).saturating_mul(weight).div_ceil(UNIT_BYTES);
    let permit = acquire(app, units)?;
    let mut bytes = Vec::with_capacity(length.unwrap_or_default());
    let read = async {
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| {
                Refusal::new(Reason::Malformed, format!("the body is cut: {error}"))
            })?;
            let Ok(data) = frame.into_data() else { continue };
            if bytes.len() + data.len() > limit {
                return Err(too_large());
            }
            bytes.extend_from_slice(&data);
        }
        Ok(())
    };
    match tokio::time::timeout(app.limits.body_time, read).await {
        Ok(done) => done?,
        Err(_) => {
            let message = format!("the body took longer than {:?}", app.limits.body_time);
            return Err(Refusal::new(Reason::Slow, message));
        }
    }
    Ok(Held { bytes, permit })
}

fn acquire(app: &App, units: usize) -> Result<OwnedSemaphorePermit, Refusal> {
    let units = u32::try_from(units).unwrap_or(u32::MAX);
    app.bodies.clone().try_acquire_many_owned(units).map_err(|_| {
        let message = "the bodies of other requests take all the memory for them: try again later";
        Refusal::for_now(Reason::Memory, message, MEMORY_RETRY)
    })
}

/// An answer, which keeps its part of the memory for bodies until it is sent.
///
/// # Errors
/// [`Reason::Memory`] where it is longer than its request, and there is no memory for that.
pub fn answer(
    app: &App,
    bytes: Vec<u8>,
    mut permit: OwnedSemaphorePermit,
) -> Result<Body, Refusal> {
    let units = bytes.len().div_ceil(UNIT_BYTES);
    match units.checked_sub(permit.num_permits()) {
        Some(0) => {}
        Some(more) => permit.merge(acquire(app, more)?),
        None => drop(permit.split(permit.num_permits() - units)),
    }
    Ok(Bytes::from_owner(Kept { bytes, _permit: permit }).into())
}

/// The bytes of an answer with their memory.
struct Kept {
    bytes: Vec<u8>,
    _permit: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Kept {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}
