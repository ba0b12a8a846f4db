// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads bodies of requests within limits of size, time, and total memory. Memory is charged for
//! the bytes that have arrived, not for the announced length.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_LENGTH;
use axum::http::HeaderMap;
use http_body_util::BodyExt;
use tokio::time::Instant;

use super::state::App;
use crate::charge::Charge;
use crate::refusal::{Reason, Refusal};

/// The initial capacity for a body, in bytes.
const FIRST_BYTES: usize = 16 << 10;

/// A body, and the memory charged for it.
pub struct ChargedBody {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The charge for the bytes.
    pub charge: Charge,
}

/// Reads a body.
///
/// # Errors
/// [`Reason::BodySize`], [`Reason::Memory`], [`Reason::Slow`]; [`Reason::Malformed`] if it is
/// truncated.
pub async fn read(app: &App, headers: &HeaderMap, body: Body) -> Result<ChargedBody, Refusal> {
    let (limit, time) = (app.limits.body_bytes, app.limits.body_time);
    let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let length: Option<usize> = length.and_then(|value| value.parse().ok());
    if length.is_some_and(|length| length > limit) {
        return Err(too_large(limit));
    }
    let most = length.unwrap_or(limit);
    match tokio::time::timeout(time, arriving(app, body, most)).await {
        Ok(held) => held,
        Err(_) => Err(slow(format!("the body took longer than {time:?}"))),
    }
}

/// Reads a body of at most `most` bytes as it arrives.
async fn arriving(app: &App, mut body: Body, most: usize) -> Result<ChargedBody, Refusal> {
    let mut held = ChargedBody { bytes: Vec::new(), charge: app.memory.charge() };
    let mut rate = Rate::new(app.limits.body_window, app.limits.body_rate);
    loop {
        let frame = match tokio::time::timeout_at(rate.end, body.frame()).await {
            Ok(None) => return Ok(held),
            Ok(Some(frame)) => frame.map_err(|error| {
                Refusal::new(Reason::Malformed, format!("the body is truncated: {error}"))
            })?,
            Err(_) => {
                rate.next(held.bytes.len())?;
                continue;
            }
        };
        let Ok(data) = frame.into_data() else { continue };
        let length = held.bytes.len() + data.len();
        if length > most {
            return Err(too_large(most));
        }
        if length > held.bytes.capacity() {
            let room = (2 * held.bytes.capacity()).max(FIRST_BYTES).max(length).min(most);
            held.charge.grow_to(room)?;
            held.bytes.reserve_exact(room - held.bytes.len());
        }
        held.bytes.extend_from_slice(&data);
    }
}

/// The rate of a body: in each window of time, a minimum number of bytes must arrive, or the end.
struct Rate {
    window: Duration,
    least: usize,
    /// The end of the window.
    end: Instant,
    /// The number of bytes that had arrived at the start of the window.
    before: usize,
}

impl Rate {
    fn new(window: Duration, bytes_per_second: usize) -> Self {
        let least = (window.as_secs_f64() * bytes_per_second as f64) as usize;
        Self { window, least, end: Instant::now() + window, before: 0 }
    }

    /// Checks the rate in this window, and starts the next one.
    fn next(&mut self, received: usize) -> Result<(), Refusal> {
        let (window, least, come) = (self.window, self.least, received - self.before);
        if come < least {
            let message = format!(
                "{come} bytes of the body arrived in {window:?}, expected at least {least}"
            );
            return Err(slow(message));
        }
        (self.before, self.end) = (received, Instant::now() + window);
        Ok(())
    }
}

fn too_large(limit: usize) -> Refusal {
    let message = format!("the body has more than {limit} bytes: send smaller batches");
    Refusal::new(Reason::BodySize, message)
}

fn slow(message: String) -> Refusal {
    Refusal::new(Reason::Slow, message)
}

/// Returns the body of an answer, which keeps the charge for its memory until it is sent.
///
/// # Errors
/// [`Reason::Memory`] if the answer needs more memory than was charged, and no memory is left.
pub fn answer(bytes: Vec<u8>, mut charge: Charge) -> Result<Body, Refusal> {
    charge.grow_to(bytes.capacity())?;
    charge.shrink_to(bytes.capacity());
    Ok(Bytes::from_owner(ChargedBytes { bytes, _charge: charge }).into())
}

/// The bytes of an answer, with the charge for their memory.
struct ChargedBytes {
    bytes: Vec<u8>,
    _charge: Charge,
}

impl AsRef<[u8]> for ChargedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}
