// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `/readyz`: the readiness of the server, and the state of its device.
//!
//! The first line is `ready`, or the reason why requests are refused. After `ready`, further lines
//! list what the device does not do. The answer needs no token, so that it contains neither paths
//! nor errors of the system; those are in the log and in the dashboard.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use halimede_device::GpuCondition;

use super::state::App;
use crate::queue::Condition;

/// Returns `true` if requests are accepted, and the text of the answer.
pub fn of(app: &App) -> (bool, String) {
    let fill = app.queue.fill();
    let limits = app.limits.queue;
    let is_full = fill.items >= limits.items || fill.requests >= limits.requests;
    let device = app.queue.device().capabilities();
    let (failure, has_fallback) = (failure(app), device.fallback.is_some());
    let refusal = if app.is_ending.load(Relaxed) {
        Some("ending".to_owned())
    } else if is_full {
        Some("the queue is full".to_owned())
    } else if has_fallback {
        None
    } else {
        failure.clone()
    };
    if let Some(refusal) = refusal {
        return (false, refusal + "\n");
    }
    let mut lines = vec!["ready".to_owned()];
    lines.extend(failure.map(|failure| with_fallback(&failure, has_fallback)));
    let gpus = app.queue.device().gpus();
    let lost = gpus.iter().filter(|gpu| gpu.state != GpuCondition::Good).count();
    if (1..gpus.len()).contains(&lost) {
        lines.push(format!("{lost} of {} GPUs are lost; the others answer", gpus.len()));
    }
    if device.absent.is_some() {
        lines.push(with_fallback("the device could not be opened", has_fallback));
    } else {
        let lacking = app.queue.lacking();
        if !lacking.is_empty() {
            let text = format!("the device has no engine for {}", lacking.join(", "));
            lines.push(with_fallback(&text, has_fallback));
        }
    }
    (true, lines.join("\n") + "\n")
}

/// Describes the failure of the device, if it has failed.
fn failure(app: &App) -> Option<String> {
    let Condition::Failed { tries, next, .. } = app.queue.keeper().condition() else { return None };
    let next = next.map(|next| next.saturating_duration_since(Instant::now()).as_secs_f64());
    Some(match next {
        Some(seconds) => {
            format!("the device has failed: next try in {seconds:.1} s, {tries} tries so far")
        }
        None => "the device has failed, and cannot be reopened: restart the server".into(),
    })
}

fn with_fallback(text: &str, has_fallback: bool) -> String {
    match has_fallback {
        true => format!("{text}; the fallback answers"),
        false => text.to_owned(),
    }
}
