// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede doctor`: checks this machine for processors, memory and devices that Halimede can use.

use std::thread::available_parallelism;

use halimede_arith::backend::VARIABLE;
use halimede_arith::{memory, Backend, Processor};
use halimede_device::Entry;
use serde_json::json;

use crate::error::CommandError;
use crate::output::{print_line, print_table};

mod ratios;

/// The peak memory of CKKS bootstraps with the usual keys and with few keys, in bytes.
const BOOTSTRAP: u64 = 7_000_000_000;
const BOOTSTRAP_WITH_FEW_KEYS: u64 = 3_000_000_000;

/// The state of a part.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// As good as it gets.
    Good,
    /// Available, but slower or smaller than it could be.
    Limited,
    /// Not available.
    Missing,
    /// A setting makes computations fail.
    Wrong,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Limited => "limited",
            Self::Missing => "missing",
            Self::Wrong => "wrong",
        }
    }
}

/// A part of the machine.
struct Part {
    name: String,
    state: State,
    /// A description, with advice if the state is not good.
    text: String,
}

impl Part {
    fn new(name: &str, state: State, text: impl Into<String>) -> Self {
        Self { name: name.to_owned(), state, text: text.into() }
    }
}

/// Prints one line per part.
///
/// # Errors
/// [`CommandError::NotValid`] if a setting is wrong.
pub fn run(json: bool) -> Result<(), CommandError> {
    let mut parts = vec![version(), processor(), speed(), threads(), memory_for_bootstraps()];
    parts.extend(halimede_device::list().iter().filter(|entry| entry.spec != "cpu").map(device));
    if json {
        let object = |part: &Part| json!({ "part": part.name, "state": part.state.name(), "text": part.text });
        let parts: Vec<_> = parts.iter().map(object).collect();
        print_line(&json!({ "parts": parts }).to_string())?;
    } else {
        let row =
            |part: &Part| vec![part.name.clone(), part.state.name().into(), part.text.clone()];
        print_table(&["part", "state", "description"], &parts.iter().map(row).collect::<Vec<_>>())?;
    }
    match parts.iter().find(|part| part.state == State::Wrong) {
        Some(part) => Err(CommandError::NotValid(format!("{}: {}", part.name, part.text))),
        None => Ok(()),
    }
}

fn version() -> Part {
    let build = if cfg!(debug_assertions) { ", built with debug assertions: slow" } else { "" };
    let state = if cfg!(debug_assertions) { State::Limited } else { State::Good };
    let (version, target) = (env!("CARGO_PKG_VERSION"), std::env::consts::ARCH);
    Part::new("halimede", state, format!("version {version} for {target}{build}"))
}

/// The backend in use, and the instructions that the processor lacks.
fn processor() -> Part {
    let best = Backend::best();
    match Backend::chosen() {
        Err(error) => Part::new("processor", State::Wrong, error.to_string()),
        Ok(chosen) if chosen != best => {
            let text =
                format!("{chosen}, set by {VARIABLE}; unset it to use {best}, the best here");
            Part::new("processor", State::Limited, text)
        }
        Ok(best @ Backend::Avx512Ifma) if best.has_lanes() => {
            Part::new("processor", State::Good, "avx512ifma: all batches in eight lanes")
        }
        Ok(best) if best.has_lanes() => {
            let speed = match best {
                Backend::AvxIfma => "slower than with",
                Backend::Avx512 => "half as fast as with",
                _ => "a quarter to a third as fast as with",
            };
            let text = format!(
                "{best}: batches of prime fields in eight lanes, {speed} AVX-512 IFMA (Intel from \
                 Ice Lake, AMD from Zen 4)"
            );
            Part::new("processor", State::Limited, text)
        }
        Ok(best) if best >= Backend::Avx2 => {
            let text = format!(
                "{best}; this build has the kernels of another processor, without which batches \
                 are several times slower: build it here, or with HALIMEDE_LANES=all"
            );
            Part::new("processor", State::Limited, text)
        }
        Ok(best) => {
            let lacks = "batches of signatures, pairings and proofs are several times faster with \
                AVX2 or AVX-512 IFMA (Intel from Ice Lake, AMD from Zen 4)";
            Part::new("processor", State::Limited, format!("{best}; {lacks}"))
        }
    }
}

/// The ratios to other libraries that the backend in use has reached on such a processor.
fn speed() -> Part {
    let expected = Backend::chosen()
        .ok()
        .filter(|backend| backend.has_lanes())
        .and_then(|backend| ratios::expected(Processor::here().maker, backend));
    match expected {
        Some(ratios) => Part::new("speed", State::Good, ratios),
        None => Part::new("speed", State::Limited, "not measured on such a processor"),
    }
}

fn threads() -> Part {
    match available_parallelism() {
        Ok(count) => {
            let text = format!("{count}; RAYON_NUM_THREADS sets how many threads batches use");
            Part::new("threads", State::Good, text)
        }
        Err(error) => Part::new("threads", State::Limited, format!("1: {error}")),
    }
}

fn memory_for_bootstraps() -> Part {
    let Some(bytes) = memory::available_bytes() else {
        return Part::new("memory", State::Good, "this system does not report free memory");
    };
    let (state, enough) = match bytes {
        BOOTSTRAP.. => (State::Good, "enough for CKKS bootstraps"),
        BOOTSTRAP_WITH_FEW_KEYS.. => {
            (State::Limited, "enough for CKKS bootstraps with --few-keys, but not without (7 GB)")
        }
        _ => (
            State::Limited,
            "too little for secure CKKS bootstraps (3 GB with --few-keys, 7 GB without)",
        ),
    };
    Part::new("memory", state, format!("{:.1} GB free: {enough}", bytes as f64 / 1e9))
}

fn device(entry: &Entry) -> Part {
    let state = if entry.available { State::Good } else { State::Missing };
    Part::new(&entry.spec, state, entry.description.clone())
}
