// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Waiting that can be interrupted.

use std::time::Duration;

use halimede_arith::job::interrupt::is_requested;

use crate::error::CardError;

/// How often interruptible work checks for an interrupt.
const INTERVAL: Duration = Duration::from_millis(50);

/// Returns how long to wait at once, within `limit`.
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
