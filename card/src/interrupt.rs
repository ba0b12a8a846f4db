// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Waiting that can be broken off.

use std::time::Duration;

use halimede_arith::job::interrupt::is_requested;

use crate::error::CardError;

/// How often work that can be broken off looks whether it is.
const INTERVAL: Duration = Duration::from_millis(50);

/// How long to wait at once, of `limit`.
///
/// # Errors
/// [`CardError::Interrupted`].
pub(crate) fn within(limit: Duration) -> Result<Duration, CardError> {
    match is_requested() {
        None => Ok(limit),
        Some(true) => Err(CardError::Interrupted),
        Some(false) => Ok(limit.min(INTERVAL)),
    }
}
