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

fn is_ignored(signal: libc::c_int) -> bool {
    // SAFETY: all fields are numbers, of which zero is one.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: nothing is changed without a new action, and the old one is written to a local.
    let result = unsafe { libc::sigaction(signal, std::ptr::null(), &mut action) };
    result == 0 && action.sa_sigaction == libc::SIG_IGN
}
