// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Progress bars on standard error, only on a terminal.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::has_watcher;

/// `true` if progress is hidden in the whole process.
static HIDDEN: AtomicBool = AtomicBool::new(false);

/// Hides all bars from now on.
pub fn hide() {
    HIDDEN.store(true, Ordering::Relaxed);
}

/// Returns a bar that counts bytes, or a spinner if the length is unknown; hidden if standard error
/// is not a terminal.
pub fn bytes_bar(length: Option<u64>) -> ProgressBar {
    let (bar, template) = match length {
        Some(length) => (
            ProgressBar::new(length),
            "{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta} left",
        ),
        None => (ProgressBar::new_spinner(), "{spinner} {bytes} {bytes_per_sec}"),
    };
    on_terminal_only(bar, template)
}

/// Returns a bar of this many steps with a message; hidden if standard error is not a terminal.
pub fn steps_bar(steps: u64) -> ProgressBar {
    on_terminal_only(ProgressBar::new(steps), "{wide_bar} {percent} % {eta} left {msg}")
}

/// Returns a spinner with a message; hidden if standard error is not a terminal.
pub fn spinner() -> ProgressBar {
    let spinner = on_terminal_only(ProgressBar::new_spinner(), "{spinner} {msg}");
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}

fn on_terminal_only(bar: ProgressBar, template: &str) -> ProgressBar {
    if HIDDEN.load(Ordering::Relaxed) || !has_watcher() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}
