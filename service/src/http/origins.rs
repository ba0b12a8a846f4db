// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Pages of other origins that may use the server (Fetch standard, section 3.3, CORS). Without
//! configured origins, no page of another origin can read an answer.

use axum::body::Body;
use axum::http::header::{
    HeaderMap, HeaderValue, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
    ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
};
use axum::http::{Method, Request, Response, StatusCode};

/// The methods and headers of requests that pages may send.
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, PUT, DELETE");
const HEADERS: HeaderValue =
    HeaderValue::from_static("authorization, content-type, halimede-deadline-ms");
/// The headers of answers that pages may read.
const EXPOSED: HeaderValue = HeaderValue::from_static("retry-after");
/// The seconds for which a browser keeps the answer to a preflight request.
const KEPT_S: HeaderValue = HeaderValue::from_static("600");

/// The origins whose pages may use the server.
pub struct Origins(Vec<String>);

impl Origins {
    /// Returns these origins, such as `https://page.example`.
    pub fn new(origins: &[String]) -> Self {
        Self(origins.to_vec())
    }

    /// Returns the origin of a request, if it is one of these.
    pub fn of(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let given = headers.get(ORIGIN)?;
        self.0.iter().any(|known| known.as_bytes() == given.as_bytes()).then(|| given.clone())
    }

    /// Returns the answer to a preflight request of one of these origins. Browsers send it without
    /// a token.
    pub fn preflight(&self, request: &Request<Body>) -> Option<Response<Body>> {
        let is_preflight = request.method() == Method::OPTIONS
            && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        let origin = self.of(request.headers()).filter(|_| is_preflight)?;
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
        headers.insert(ACCESS_CONTROL_MAX_AGE, KEPT_S);
        allow(&mut response, origin);
        Some(response)
    }
}

/// Lets pages of an origin read an answer.
pub fn allow(response: &mut Response<Body>, origin: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    headers.insert(VARY, HeaderValue::from_static("origin"));
}
