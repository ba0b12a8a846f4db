// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Refusals of whole requests: each has a status, a word for programs and a sentence for people.

use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Response, StatusCode};
use serde_json::json;

use halimede_operations::FormError;

/// Defines the table of reasons, with a word and a status for each.
macro_rules! reasons {
    ($($(#[$text:meta])* $reason:ident = $word:literal, $status:ident;)+) => {
        /// The reason why a request is refused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Reason {
            $($(#[$text])* $reason,)+
        }

        impl Reason {
            /// All reasons, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$reason),+];

            /// Returns the word for programs, which is also used in metrics.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$reason => $word,)+
                }
            }

            /// Returns the HTTP status.
            pub fn status(self) -> StatusCode {
                match self {
                    $(Self::$reason => StatusCode::$status,)+
                }
            }
        }
    };
}

reasons! {
    /// The body is malformed.
    Malformed = "malformed", BAD_REQUEST;
    /// A setting is unknown, missing or out of range.
    Setting = "setting", BAD_REQUEST;
    /// The token is missing or unknown.
    Token = "token", UNAUTHORIZED;
    /// The upload contains a secret key.
    SecretKey = "secret-key", FORBIDDEN;
    /// The server accepts no uploaded networks.
    NetworkUploads = "network-uploads", FORBIDDEN;
    /// The header `Host` names another machine.
    Host = "host", MISDIRECTED_REQUEST;
    /// The path does not exist.
    Path = "path", NOT_FOUND;
    /// The object does not exist.
    Object = "object", NOT_FOUND;
    /// The run does not exist, or belongs to another token.
    Run = "run", NOT_FOUND;
    /// The path does not support the method.
    Method = "method", METHOD_NOT_ALLOWED;
    /// The body did not arrive in time.
    Slow = "slow", REQUEST_TIMEOUT;
    /// A piece of an upload does not start where the previous piece ended.
    Offset = "offset", CONFLICT;
    /// The run has no result yet, or has failed.
    RunState = "run-state", CONFLICT;
    /// The body has too many bytes.
    BodySize = "body-size", PAYLOAD_TOO_LARGE;
    /// The batch has too many items.
    Items = "items", PAYLOAD_TOO_LARGE;
    /// The coding of the body is not supported.
    Coding = "transfer-encoding", NOT_IMPLEMENTED;
    /// The type of the body is not supported.
    Type = "type", UNSUPPORTED_MEDIA_TYPE;
    /// The content of an object does not match its name or kind.
    Content = "content", UNPROCESSABLE_ENTITY;
    /// The evaluation keys do not fit the network.
    Keys = "keys", UNPROCESSABLE_ENTITY;
    /// The encrypted input does not fit the network or the evaluation keys.
    Input = "input", UNPROCESSABLE_ENTITY;
    /// The queue is full.
    Queue = "queue", TOO_MANY_REQUESTS;
    /// The memory for requests or keys is exhausted at present.
    Memory = "memory", TOO_MANY_REQUESTS;
    /// A defect of the server.
    Internal = "internal", INTERNAL_SERVER_ERROR;
    /// The device does not support the operation.
    Unsupported = "unsupported", NOT_IMPLEMENTED;
    /// The device failed, or is not available.
    Device = "device", SERVICE_UNAVAILABLE;
    /// The server is shutting down.
    Ending = "ending", SERVICE_UNAVAILABLE;
    /// The deadline has passed.
    Deadline = "deadline", GATEWAY_TIMEOUT;
    /// Keys need more memory than the limit for all keys.
    KeyMemory = "key-memory", INSUFFICIENT_STORAGE;
    /// The quota of the folder of objects is exhausted.
    Quota = "quota", INSUFFICIENT_STORAGE;
}

/// A refusal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The reason.
    pub reason: Reason,
    /// A sentence for people.
    pub message: String,
    /// The time after which to try again.
    pub retry_after: Option<Duration>,
}

impl Refusal {
    /// Returns a refusal for this reason.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), retry_after: None }
    }

    /// Returns a temporary refusal, with the time after which to try again.
    pub fn for_now(reason: Reason, message: impl Into<String>, retry_after: Duration) -> Self {
        Self { retry_after: Some(retry_after), ..Self::new(reason, message) }
    }

    /// Returns the answer to the client.
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
