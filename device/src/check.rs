// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A check of the self-test.

use std::time::{Duration, Instant};

use serde::{Serialize, Serializer};

/// The outcome of one check of [`crate::Device::selftest`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SelfTestCheck {
    /// The name of the check.
    pub name: String,
    /// True if the check passed.
    pub passed: bool,
    /// The result, or the error.
    pub detail: String,
    /// The duration; serialized in seconds.
    #[serde(rename = "time_s", serialize_with = "seconds")]
    pub time: Duration,
}

fn seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

/// Runs one check, which returns the result or the error.
pub(crate) fn check(
    name: impl Into<String>,
    run: impl FnOnce() -> Result<String, String>,
) -> SelfTestCheck {
    let start = Instant::now();
    let outcome = run();
    let (passed, time) = (outcome.is_ok(), start.elapsed());
    let (Ok(detail) | Err(detail)) = outcome;
    SelfTestCheck { name: name.into(), passed, detail, time }
}
