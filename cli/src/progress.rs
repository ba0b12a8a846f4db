// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Progress on standard error, on a terminal only.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::has_watcher;

/// Whether nobody wants to see progress: for the whole process, as standard error is.
static HIDDEN: AtomicBool = AtomicBool::new(false);

/// From now on no bar is shown.
pub fn hide() {
    HIDDEN.store(true, Ordering::Relaxed);
}

/// A bar that counts bytes; hidden where standard error is not a terminal, a spinner where the
/// length is not known.
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

/// A bar of this many steps, with a message beside it; hidden where standard error is not a
/// terminal.
pub fn steps_bar(steps: u64) -> ProgressBar {
    on_terminal_only(ProgressBar::new(steps), "{wide_bar} {percent} % {eta} left {msg}")
}

/// A spinner beside the name of what is being done; hidden where standard error is not a terminal.
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
