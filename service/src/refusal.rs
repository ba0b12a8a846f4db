// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a request as a whole is refused: a status, a word for programs, a sentence for people.

use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Response, StatusCode};
use serde_json::json;

use halimede_operations::FormError;

/// The table of reasons: each has a word and a status.
macro_rules! reasons {
    ($($(#[$text:meta])* $reason:ident = $word:literal, $status:ident;)+) => {
        /// Why a request is refused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Reason {
            $($(#[$text])* $reason,)+
        }

        impl Reason {
            /// All reasons, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$reason),+];

            /// The word for programs, which metrics have too.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$reason => $word,)+
                }
            }

            /// The status of HTTP.
            pub fn status(self) -> StatusCode {
                match self {
                    $(Self::$reason => StatusCode::$status,)+
                }
            }
        }
    };
}

reasons! {
    /// The body is not of its form.
    Malformed = "malformed", BAD_REQUEST;
    /// A setting is unknown, missing or out of range.
    Setting = "setting", BAD_REQUEST;
    /// No token, or an unknown one.
    Token = "token", UNAUTHORIZED;
    /// What holds a secret key is not taken.
    SecretKey = "secret-key", FORBIDDEN;
    /// The header `Host` names another machine.
    Host = "host", MISDIRECTED_REQUEST;
    /// No such path.
    Path = "path", NOT_FOUND;
    /// No such object.
    Object = "object", NOT_FOUND;
    /// The path has other methods.
    Method = "method", METHOD_NOT_ALLOWED;
    /// The body did not arrive in time.
    Slow = "slow", REQUEST_TIMEOUT;
    /// An upload does not go on where the last piece ended.
    Offset = "offset", CONFLICT;
    /// The bytes are too many.
    BodySize = "body-size", PAYLOAD_TOO_LARGE;
    /// The items are too many.
    Items = "items", PAYLOAD_TOO_LARGE;
    /// The body is coded in a way that is not read.
    Coding = "transfer-encoding", NOT_IMPLEMENTED;
    /// The body is of another type.
    Type = "type", UNSUPPORTED_MEDIA_TYPE;
    /// An object is not what its name or its kind says.
    Content = "content", UNPROCESSABLE_ENTITY;
    /// The queue is full.
    Queue = "queue", TOO_MANY_REQUESTS;
    /// Bodies in memory are at their limit, or keys.
    Memory = "memory", TOO_MANY_REQUESTS;
    /// There is a bug here.
    Internal = "internal", INTERNAL_SERVER_ERROR;
    /// The device cannot do it.
    Unsupported = "unsupported", NOT_IMPLEMENTED;
    /// The device failed, or is not there.
    Device = "device", SERVICE_UNAVAILABLE;
    /// The server is ending.
    Ending = "ending", SERVICE_UNAVAILABLE;
    /// The deadline has passed.
    Deadline = "deadline", GATEWAY_TIMEOUT;
    /// Keys take more memory than all may.
    KeyMemory = "key-memory", INSUFFICIENT_STORAGE;
    /// Objects take all the room that they may.
    Quota = "quota", INSUFFICIENT_STORAGE;
}

/// A refusal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// Why.
    pub reason: Reason,
    /// A sentence.
    pub message: String,
    /// When to try again.
    pub retry_after: Option<Duration>,
}

impl Refusal {
    /// For this reason.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), retry_after: None }
    }

    /// For this reason, until so long from now.
    pub fn for_now(reason: Reason, message: impl Into<String>, retry_after: Duration) -> Self {
        Self { retry_after: Some(retry_after), ..Self::new(reason, message) }
    }

    /// The answer to the client.
    pub fn response(&self) -> Response<Body> {
        let Self { reason, message, retry_after } = self;
        let body = json!({ "error": { "code": reason.word(), "message": message } });
        let mut response = Response::new(Body::from(body.to_string()));
        *response.status_mut() = reason.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(retry_after) = retry_after {
            let seconds = retry_after.as_millis().div_ceil(1000).max(1) as u64;
            headers.insert(RETRY_AFTER, seconds.into());
        }
        if *reason == Reason::Token {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl From<FormError> for Refusal {
    fn from(error: FormError) -> Self {
        match error {
            FormError::Malformed(reason) => Self::new(Reason::Malformed, reason),
            FormError::TooMany { .. } => Self::new(Reason::Items, error.to_string()),
            FormError::Ended(reason) => match reason.downcast::<Self>() {
                Ok(refusal) => *refusal,
                Err(reason) => Self::new(Reason::Internal, reason.to_string()),
            },
        }
    }
}
