// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Removes incomplete outputs when a signal ends the command.

use std::sync::Once;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

static INSTALLED: Once = Once::new();

/// Installs handlers: a signal that ends the command first removes incomplete outputs. The command
/// then dies of the same signal, as its shell expects.
pub fn install() {
    INSTALLED.call_once(|| {
        // Signals that `nohup` or a shell without job control ignores remain ignored.
        let signals = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal));
        // Without handlers, the command still works, but an interrupt may leave a hidden file.
        let Ok(mut signals) = Signals::new(signals) else { return };
        std::thread::spawn(move || {
            for signal in signals.forever() {
                let _no_output_from_here = halimede_files::interrupt();
                let _ = emulate_default_handler(signal);
            }
        });
    });
}

/// Returns `true` if the parent process made the command ignore the signal; `false` if the system
/// does not report it.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    // Bit 0 is signal 1.
    mask >> (signal - 1) & 1 == 1
}
