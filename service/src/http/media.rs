// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Media types, and answers of one.

use axum::body::Body;
use axum::http::header::{HeaderValue, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::Response;

/// The media type of the compact form.
pub const OCTETS: &str = "application/octet-stream";
/// The media type of the JSON form.
pub const JSON: &str = "application/json";
/// Server-sent events.
pub const EVENTS: &str = "text/event-stream";

/// Returns an answer with this media type.
pub fn typed(kind: &'static str, body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
