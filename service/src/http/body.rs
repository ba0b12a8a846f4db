// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bodies of requests, within limits of bytes, of time, and of memory for all of them.

use std::time::Duration;

use axum::body::Body;
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

/// Reads a body.
///
/// # Errors
/// [`Reason::BodySize`], [`Reason::Memory`], [`Reason::Slow`]; [`Reason::Malformed`] where it is cut.
pub async fn read(app: &App, headers: &HeaderMap, mut body: Body) -> Result<Held, Refusal> {
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
    let units = length.unwrap_or(limit).div_ceil(UNIT_BYTES).min(u32::MAX as usize) as u32;
    let permit = app.bodies.clone().try_acquire_many_owned(units).map_err(|_| {
        let message = "the bodies of other requests take all the memory for them: try again later";
        Refusal::for_now(Reason::Memory, message, MEMORY_RETRY)
    })?;
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
