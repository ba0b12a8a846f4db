// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signals that end the command: what it has in the file system goes first.

use std::sync::Once;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

static INSTALLED: Once = Once::new();

/// From now on, a signal that ends the command has incomplete outputs removed first. The command
/// then dies of the same signal, as its shell expects.
pub fn install() {
    INSTALLED.call_once(|| {
        // `nohup` and shells without job control have signals ignored, which stay so.
        let signals = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal));
        // Without handlers the command works as well; only interrupts may leave a hidden file.
        let Ok(mut signals) = Signals::new(signals) else { return };
        std::thread::spawn(move || {
            for signal in signals.forever() {
                let _no_output_from_here = halimede_files::interrupt();
                let _ = emulate_default_handler(signal);
            }
        });
    });
}

/// Whether whoever started the command has it ignore the signal; false where the system does not
/// tell.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    // Bit 0 is signal 1.
    mask >> (signal - 1) & 1 == 1
}
